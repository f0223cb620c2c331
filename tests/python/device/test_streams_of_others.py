"""Arrays of other libraries are read after their streams wrote them, and those go on after what is done to them here.

Who asks whom for which stream runs everywhere, on the driver of tests/device/two_gpus.c, which says which stream waits for
which; what a reader would see too early needs a GPU, and pairs with other libraries need those.
"""

import contextlib
import importlib
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import kasoku as ks
from kasoku import cuda

needs_gpu = [pytest.mark.cuda, pytest.mark.skipif(not ks.has_device("cuda"), reason="no GPU")]


class Host:
    """Shows memory of the host by DLPack alone, and keeps what it was asked."""

    def __init__(self, values):
        self.values, self.asked = values, []

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **asked):
        self.asked.append(asked.get("stream"))
        return self.values.__dlpack__(**asked)


class Tensor(Host):
    """NumPy reads it too, as it reads PyTorch's tensors."""

    def __array__(self, dtype=None, copy=None):
        return self.values


def test_an_array_that_only_dlpack_shows():
    host = Host(np.arange(6.0).reshape(2, 3))
    shown, copied = ks.asarray(host), ks.array(host)
    host.values[0, 0] = 7
    assert shown.numpy().tolist() == [[7, 1, 2], [3, 4, 5]] and copied.numpy()[0, 0] == 0
    assert ks.array(host, dtype="int8").dtype == "int8"
    assert (ks.ones((2, 3)) + host).numpy().tolist() == (host.values + 1).tolist()
    assert set(host.asked) == {None}  # the host has no streams


@pytest.mark.parametrize("kind", [Host, Tensor])
def test_compiled_loops_and_kernels_take_it(kind):
    @ks.njit
    def doubled(x):
        for i in ks.prange(x.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] *= 2

    host = kind(np.arange(6.0).reshape(2, 3))
    doubled(host)
    doubled(host)
    add = ks.RawKernel("__global__ void add(double *x) { x[threadIdx.x] += 1; }", "add")
    add((1,), (6,), (host,))

    @cuda.jit
    def halved(x):
        x[cuda.threadIdx.x, cuda.threadIdx.y] /= 2

    halved[1, (2, 3)](host)
    assert host.values.tolist() == ((np.arange(6.0) * 4 + 1) / 2).reshape(2, 3).tolist()


setting = """
import sys, types
import kasoku as ks, numpy as np
from kasoku import _core
x = ks.array(np.arange(4.0), device="cuda:0")
stream = ks.Stream("cuda:0")  # stands for another library's
ours, theirs = _core._current_stream("cuda:0").handle, stream.handle
class Shows:
    def __init__(self, stream=None):
        self.__cuda_array_interface__ = {**x.__cuda_array_interface__, "stream": stream}
class Gives:
    def __init__(self):
        self.asked = []
    def __dlpack_device__(self):
        return 2, 0
    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append(stream)
        return x.__dlpack__(stream=stream)
class GivesOld(Gives):
    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        return x.__dlpack__(stream=stream)
print("streams", f"{ours:#x}", f"{theirs:#x}", file=sys.stderr)
"""


def waits(program, env):
    """Which stream waits for which, "ours" or "theirs"."""
    command = [sys.executable, "-c", setting + program]
    ran = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    lines = [line.split() for line in ran.stderr.splitlines()]
    name = next(
        {a: "ours", b: "theirs"} for word, a, b in (line for line in lines if len(line) == 3) if word == "streams"
    )
    return [f"{name.get(line[1])} for {name.get(line[2])}" for line in lines if line[:1] == ["after"]]


both = ["ours for theirs", "theirs for ours"]


@pytest.mark.parametrize("read", ["ks.asarray(Shows(theirs))", "ks.cuda.as_cuda_array(Shows(theirs)).copy_to_host()"])
def test_the_stream_of_an_interface_is_waited_for_and_waits(read, two_gpus):
    assert waits(f"y = {read}\nnp.asarray(y)\ndel y", two_gpus) == both


@pytest.mark.parametrize("stream", ["1", "None"])
def test_streams_that_wait_anyway_cost_nothing(stream, two_gpus):
    assert waits(f"y = ks.asarray(Shows({stream}))\nnp.asarray(y)\ndel y", two_gpus) == []


@pytest.mark.parametrize("kind", ["Gives", "GivesOld"])
def test_a_producer_is_told_who_reads(kind, two_gpus):
    program = f"""
made = {kind}()
assert (ks.from_dlpack(made).numpy() == np.arange(4.0)).all() and (ks.asarray(made).numpy() == x.numpy()).all()
assert made.asked == [ours, ours]
"""
    assert waits(program, two_gpus) == []  # x is ours: the same stream


def test_pytorch_is_asked_for_its_stream(two_gpus):
    program = """
torch = sys.modules["torch"] = types.ModuleType("torch")
torch.cuda = types.SimpleNamespace(current_stream=lambda index: types.SimpleNamespace(cuda_stream=theirs))
Gives.__module__ = "torch"
y = ks.from_dlpack(Gives())
y.numpy()
del y
class Tensor(Gives):
    __module__ = "torch"
    @property
    def __cuda_array_interface__(self):
        return {**{key: value for key, value in x.__cuda_array_interface__.items() if key != "stream"}, "version": 2}
y = _core._array_of_interface(Tensor())
y.numpy()
del y
"""
    assert waits(program, two_gpus) == both + both


@pytest.mark.parametrize(
    "stream, want",
    [("theirs", ["theirs for ours", "ours for theirs"]), ("None", []), ("1", []), ("-1", [])],
)
def test_a_consumer_is_given_its_order(stream, want, two_gpus):
    assert waits(f"capsule = x.__dlpack__(stream={stream})\nx.numpy()", two_gpus) == want


def test_what_cannot_be_given(two_gpus):
    program = """
def refused(kind, **asked):
    try:
        x.__dlpack__(**asked)
    except kind as error:
        return True
assert refused(ValueError, stream=0) and refused(BufferError, dl_device=(1, 0), copy=False) and refused(BufferError, dl_device=(2, 1))
assert (np.from_dlpack(types.SimpleNamespace(__dlpack__=lambda **k: x.__dlpack__(dl_device=(1, 0)), __dlpack_device__=lambda: (1, 0))) == x.numpy()).all()
try:
    ks.asarray(Shows(0))
except ValueError as error:
    assert "stream 0" in str(error)
else:
    raise AssertionError
assert x.__cuda_array_interface__["stream"] == ours
assert ks.cuda.as_cuda_array(x).__cuda_array_interface__["stream"] == ours
"""
    waits(program, two_gpus)


late = """
__global__ void late(float *x, float value) {
  for (long long begin = clock64(); clock64() - begin < 100000000;) {}
  x[threadIdx.x] += value;
}
"""


@pytest.mark.parametrize(
    "use", [pytest.param(use, marks=needs_gpu) for use in ("asarray", "kernel", "jit", "cuda.jit")]
)
def test_nothing_is_read_or_written_too_early(use):
    add = ks.RawKernel(late, "late")
    x = ks.zeros(32, dtype="float32", device="cuda")
    address = x.__cuda_array_interface__
    stream = ks.Stream("cuda")
    add((1,), (32,), (x, 1.0), stream=stream)
    shown = type("Shown", (), {"__cuda_array_interface__": {**address, "stream": stream.handle}})()
    if use == "asarray":
        assert float(ks.asarray(shown).sum()) == 32
        return
    if use == "kernel":
        add((1,), (32,), (shown, 2.0))
    elif use == "jit":

        @ks.njit
        def more(x):
            for i in ks.prange(len(x)):
                x[i] += 2

        more(shown)
    else:

        @cuda.jit
        def more_there(x):
            x[cuda.threadIdx.x] += 2

        more_there[1, 32](shown)
    with stream:  # what that library does next
        y = ks.empty(32, dtype="float32", device="cuda")
        copy = ks.RawKernel(
            "__global__ void copy(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }", "copy"
        )
        copy((1,), (32,), (np.uint64(address["data"][0]), y), stream=stream)
        assert y.numpy().tolist() == [3] * 32


def libraries():
    for name in ("torch", "cupy"):
        for kind in ("default", "own", "non-blocking"):
            missing = importlib.util.find_spec(name) is None
            marks = [*needs_gpu, pytest.mark.skipif(missing, reason=f"{name} is not installed")]
            yield pytest.param(name, kind, marks=marks)


@pytest.mark.parametrize("name, kind", list(libraries()))
def test_pairs_with_other_libraries(name, kind):
    library = importlib.import_module(name)
    n, where = 2048, {"device": "cuda"} if name == "torch" else {}
    if kind == "default":
        scope = contextlib.nullcontext()
    elif name == "torch":  # they are all non-blocking
        scope = library.cuda.stream(library.cuda.Stream())
    else:
        scope = library.cuda.Stream(non_blocking=kind == "non-blocking")

    def ones():
        a = b = library.ones((n, n), **where) if name == "torch" else library.ones((n, n), "f4")
        for _ in range(20):
            b = (b @ a) / n
        return b

    add = ks.RawKernel("__global__ void add(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }", "add")

    @ks.njit
    def more(x):
        for i in ks.prange(x.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] += 1

    with scope:
        for _ in range(3):
            assert float(ks.from_dlpack(ones()).sum()) == n * n
            assert float(ks.asarray(ones()).sum()) == float(ks.array(ones()).sum()) == n * n
            x = ones()
            add((n * n // 256,), (256,), (x,))
            assert float(x.sum()) == 2 * n * n
            more(x)
            assert float(x.sum()) == 3 * n * n
            y = library.from_dlpack(ks.asarray(x) * 2)
            assert float(y.sum()) == 6 * n * n


@pytest.mark.cuda
@pytest.mark.skipif(not ks.has_device("cuda"), reason="no GPU")
def test_pairs_with_jax(clean_process):
    """Its arrays are written once, on streams that it does not show."""
    pytest.importorskip("jax")
    clean_process(
        """
import jax, jax.numpy as jnp, kasoku as ks
n = 2048
a = jnp.ones((n, n), "float32")
for _ in range(3):
    b = a
    for _ in range(20):
        b = (b @ a) / n
    assert float(ks.from_dlpack(b).sum()) == n * n
    assert float(ks.asarray(b + 1).sum()) == 2 * n * n
    y = ks.from_dlpack(b + 1)
    for _ in range(20):
        y = y * 1 + 1
    assert float(jnp.from_dlpack(y).sum()) == 22 * n * n
""",
        env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "KASOKU_DEVICE": "cuda"},
        timeout=300,
    )


@pytest.mark.cuda
@pytest.mark.skipif(not ks.has_device("cuda"), reason="no GPU")
@pytest.mark.parametrize("kind", ["default", "own", "non-blocking"])
def test_pairs_with_numba(kind, tmp_path):
    """Its arrays have the stream that they were made with."""
    pytest.importorskip("numba")
    program = tmp_path / "program.py"
    program.write_text("""
import ctypes, sys
import numpy as np, kasoku as ks
from numba import cuda

@cuda.jit
def late(x, value):
    for _ in range(50):
        cuda.nanosleep(1_000_000)
    x[cuda.grid(1)] += value

kind = sys.argv[1]
stream = cuda.default_stream() if kind == "default" else cuda.stream()
if kind == "non-blocking":
    handle = ctypes.c_void_p()
    assert ctypes.CDLL("libcuda.so.1").cuStreamCreate(ctypes.byref(handle), 1) == 0
    stream = cuda.external_stream(handle.value)
bound = {} if kind == "default" else {"stream": stream}

def ones():
    x = cuda.to_device(np.zeros(32, "f4"), **bound)
    late[1, 32, stream](x, 1)
    return x

def value(x):
    stream.synchronize()
    return set(x.copy_to_host(**bound).tolist())

ours_late = ks.RawKernel('''
__global__ void ours_late(float *x, float value) {
  for (long long begin = clock64(); clock64() - begin < 50000000;) {}
  x[threadIdx.x] += value;
}''', "ours_late")

@ks.njit
def more(x):
    for i in ks.prange(len(x)):
        x[i] += 1

for _ in range(3):
    assert float(ks.asarray(ones()).sum()) == float(ks.array(ones()).sum()) == 32
    x = ones()
    ours_late((1,), (32,), (x, 2.0))
    late[1, 32, stream](x, 1)
    assert (ours := value(x)) == {4}, ours
    x = ones()
    more(x)
    late[1, 32, stream](x, 1)
    assert value(x) == {3}
    y = ks.zeros(32, dtype="float32", device="cuda")
    ours_late((1,), (32,), (y, 2.0))
    late[1, 32, stream](y, 1)
    stream.synchronize()
    assert set(y.numpy().tolist()) == {3}
""")
    env = {**os.environ, "KASOKU_DEVICE": "cuda"}
    done = subprocess.run([sys.executable, program, kind], capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
