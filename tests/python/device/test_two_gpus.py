"""Two GPUs of one host: arrays go from one to the other, and each face chooses one.

What only moves memory runs everywhere, on a driver of two GPUs in host memory (tests/device/two_gpus.c); what computes
needs two GPUs.
"""

import os
import subprocess
import sys

import pytest

import kasoku as ks

n_gpus = sum(d.kind == "cuda" for d in ks.devices())
needs_two = pytest.mark.skipif(n_gpus < 2, reason="needs two GPUs")


def run(program, env):
    ran = subprocess.run(
        [sys.executable, "-m", "kasoku", "run", "-c", program], capture_output=True, text=True, env=env, timeout=300
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return [
        line
        for line in ran.stderr.splitlines()
        if line.startswith(("copy", "free", "wait", "mark", "graph", "allocate"))
    ]


moving = {
    "ks": """
import kasoku as ks, numpy as np
x = ks.array(np.arange(1000.0), device="cuda:0")
y = x.to_device("cuda:1")
assert (str(x.device), str(y.device)) == ("cuda:0", "cuda:1") and y.to_device("cuda:1").device == "cuda:1"
assert (y.numpy() == np.arange(1000.0)).all() and (y.to_device("cuda:0").numpy() == y.numpy()).all()
assert ks.array(x, device="cuda:1").device == "cuda:1" and y.to_device("cpu").device == "cpu"
assert ks.stats().bytes_between_devices_for_move >= 16000 and ks.asarray(y, device="cuda:1").device == y.device
""",
    "torch": """
import torch
a = torch.tensor([1.0, 2.0, 3.0], device="cuda:1")
b = a.to("cuda:0")
assert (a.device.index, b.device.index, b.cuda(1).device.index) == (1, 0, 1) and b.to(a).device == a.device
assert b.cpu().tolist() == [1, 2, 3] and a.to("cuda:1") is a
with torch.cuda.device(1):
    assert torch.cuda.current_device() == 1 == torch.tensor([1.0], device="cuda").device.index
assert torch.cuda.current_device() == 0 == b.cpu().cuda().device.index
torch.cuda.set_device("cuda:1")
assert torch.cuda.current_device() == 1 == b.cpu().to("cuda").device.index
""",
    "cupy": """
import cupy as cp, numpy as np
with cp.cuda.Device(1):
    a = cp.array(np.arange(9))
    assert cp.asarray(a) is a
assert a.device.id == 1 and cp.cuda.Device().id == 0 and cp.cuda.runtime.getDeviceCount() == 2
b = cp.asarray(a)
assert b.device.id == 0 and cp.array(a, copy=False).device.id == 0 and (b.get() == np.arange(9)).all()
""",
    "tensorflow": """
import tensorflow as tf
assert len(tf.config.list_physical_devices("GPU")) == 2
with tf.device("/GPU:1"):
    x = tf.constant([1.0, 2.0])
assert x.device.endswith("GPU:1") and tf.constant([1.0]).device.endswith("GPU:0")
""",
    "numba": """
import threading
import numpy as np
from numba import cuda
assert len(cuda.gpus) == len(cuda.list_devices()) == len(list(cuda.gpus)) == 2
assert cuda.get_current_device().id == 0 and cuda.gpus.current.id == 0
with cuda.gpus[1]:
    assert cuda.get_current_device().id == 1
    with cuda.gpus[0]:
        assert cuda.current_context().device.id == 0
    a = cuda.to_device(np.arange(5))
assert cuda.get_current_device().id == 0 and (a.copy_to_host() == np.arange(5)).all()
seen = {}
def work(k):
    cuda.select_device(k)
    meet.wait()
    seen[k] = cuda.get_current_device().id
    cuda.select_device(1 - k)
    meet.wait()
    seen[k, "then"] = cuda.get_current_device().id
meet = threading.Barrier(2)
threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert seen == {0: 0, 1: 1, (0, "then"): 1, (1, "then"): 0} and cuda.get_current_device().id == 0
try:
    cuda.select_device(2)
except ValueError as error:
    assert "no device 2" in str(error)
else:
    raise AssertionError
""",
    "pycuda": """
import numpy as np, pycuda.driver as drv
drv.init()
assert drv.Device.count() == 2
first = drv.Device(0).make_context()
second = drv.Device(1).make_context()
assert drv.Context.get_device() == drv.Device(1) and drv.Context.get_current() is second
x = np.arange(100, dtype=np.float32)
there = drv.to_device(x)
second.pop()
assert drv.Context.get_device() == drv.Device(0)
here = drv.mem_alloc(x.nbytes)
drv.memcpy_peer(here, there, x.nbytes, first, second)
back = np.empty_like(x)
drv.memcpy_dtoh(back, here)
assert (back == x).all() and str(there.device) == "cuda:1" and str(here.device) == "cuda:0"
second.push()
assert drv.Context.get_device() == drv.Device(1)
second.detach()
first.pop()
""",
}


shown = """
class Shown:
    def __init__(self, array):
        self.kept, self.__cuda_array_interface__ = array, array.__cuda_array_interface__
"""
where_it_lies = {
    "a GPU's": """
import kasoku as ks, numpy as np
for name in "cuda:0", "cuda:1":
    assert str(ks.asarray(Shown(ks.array(np.arange(9.0), device=name))).device) == name
""",
    "the host's": """
import numpy as np
from numba import cuda

@cuda.jit
def twice(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += y[i]

x = cuda.to_device(np.arange(8.0))
assert str(x.__kasoku_array__.device) == "cpu"
twice[1, 8](Shown(x), x)
assert (x.copy_to_host() == 2 * np.arange(8.0)).all()
""",
}


@pytest.mark.parametrize("whose", where_it_lies)
def test_memory_that_is_shown_lies_where_its_address_does(whose, two_gpus):
    run(shown + where_it_lies[whose], {**two_gpus, "KASOKU_DEVICE": "cpu"})


@pytest.mark.parametrize("package", moving)
def test_memory_goes_where_it_is_wanted(package, two_gpus):
    run(moving[package], two_gpus)


peers = {
    "ks": "import kasoku as ks\nfirst, second = (ks.Device(f'cuda:{k}') for k in (0, 1))\n"
    "asked = first.can_reach(second), first.can_reach('cuda:0'), first.can_reach('cpu'), ks.Device('cpu').can_reach(first)\n"
    "assert asked == (True, False, False, False)",
    "cupy": "from cupy.cuda import runtime\n"
    "assert (runtime.deviceCanAccessPeer(0, 1), runtime.deviceCanAccessPeer(1, 1)) == (1, 0)",
    "pycuda": "import pycuda.driver as drv\ndrv.init()\none, other = drv.Device(0), drv.Device(1)\n"
    "assert other.can_access_peer(one) and not one.can_access_peer(one)",
    "torch": "import torch\nassert torch.cuda.can_device_access_peer(0, 'cuda:1') and not torch.cuda.can_device_access_peer(1, 1)",
    "numba": "from numba import cuda\nhere = cuda.current_context()\nassert here.can_access_peer(1) and not here.can_access_peer(0)",
}


@pytest.mark.parametrize("package", peers)
def test_a_gpu_says_whom_it_reaches(package, two_gpus):
    run(peers[package], two_gpus)


def test_copies_wait_for_both_gpus_and_memory_is_freed_on_its_own(two_gpus):
    calls = run(
        """
import kasoku as ks, numpy as np
x = ks.array(np.arange(1000.0), device="cuda:0")
y = x.to_device("cuda:1")
del x
z = y.to_device("cuda:0")
del y, z
""",
        two_gpus,
    )
    calls = [call for call in calls if not call.startswith("allocate")]
    assert calls[:4] == ["wait 0 1", "copy 0 1", "wait 1 0", "free 0 0"]
    assert calls[4:7] == ["wait 1 0", "copy 1 0", "wait 0 1"] and sorted(calls[7:]) == ["free 0 0", "free 1 1"]


def test_small_memory_is_taken_again_in_the_order_of_its_stream(two_gpus):
    calls = run(
        """
import threading
import kasoku as ks
def work():
    for n in (1, 128, 129, 1000):
        ks.zeros(n, "float32").eval()
for _ in range(50): work()
thread = threading.Thread(target=lambda: [work() for _ in range(50)])
thread.start(), thread.join()
many = [ks.zeros(9).eval() for _ in range(200)]
del many
""",
        two_gpus,
    )
    sizes = [call.split()[2] for call in calls if call.startswith("allocate")]
    assert sizes == 2 * ["512", "1024", "4096"] + 199 * ["512"]
    assert calls.count("free 0 0") == 200 - 64  # others wait for the next of their size


def test_waiting_for_a_gpu_looks_at_its_streams(two_gpus_that_launch):
    program = """
import kasoku as ks
x = ks.zeros(10).eval()
with ks.record() as replay: x += 1
for _ in range(3): replay(), ks.synchronize()
"""
    calls = run(program, two_gpus_that_launch)
    assert calls.count("graph 0 0") == 3 and not any(call.startswith("mark") for call in calls)
    many = "import threading\nall = threading.Barrier(20)\n"
    many += "def work(): ks.zeros(10).eval(), all.wait()\n"
    many += "threads = [threading.Thread(target=work) for _ in range(20)]\n"
    many += "for t in threads: t.start()\nfor t in threads: t.join()\nks.synchronize()\n"
    assert "mark 0 0" in run(program + many, two_gpus_that_launch)


computing = {
    "ks": """
import kasoku as ks, numpy as np
x = ks.arange(1000, device="cuda:0") + 1
y = x.to_device("cuda:1")
assert (((y * 2).to_device("cuda:0") + x).numpy() == np.arange(1, 1001) * 3).all()
sums = []
for name in ("cuda:0", "cuda:1"):
    ks.random.seed(5)
    with ks.default_device(name):
        u = ks.random.rand(1_000_003)
        sums.append((float(u.sum()), float((u @ u)), u.numpy().tobytes()))
        assert str(u.device) == name
assert sums[0][0] == sums[1][0] and sums[0][2] == sums[1][2]
scale = ks.RawKernel("__global__ void scale(float *x) { x[threadIdx.x] *= 2; }", "scale")
@ks.njit
def total(x):
    s = 0.0
    for i in ks.prange(len(x)):
        s += x[i]
    return s
found = []
for name in ("cuda:0", "cuda:1"):
    a = ks.array(np.arange(64, dtype=np.float32), device=name)
    scale((1,), (64,), (a,))
    found.append((a.numpy().tobytes(), total(a)))
assert found[0] == found[1]
""",
    "torch": """
import torch
a = torch.ones(5, device="cuda:1") * 2
assert float(a.to("cuda:0").sum()) == 10 and (a + 1).device.index == 1
""",
    "cupy": """
import cupy as cp
with cp.cuda.Device(1):
    a = cp.arange(9)
    assert a.sum().device.id == 1
assert int(cp.asarray(a).sum()) == 36
""",
    "tensorflow": """
import tensorflow as tf
with tf.device("/GPU:1"):
    x = tf.constant([1.0, 2.0]) + 1
    assert float(tf.reduce_sum(x)) == 5 and x.device.endswith("GPU:1")
""",
    "numba": """
import numpy as np
from numba import cuda
@cuda.jit
def add(x):
    x[cuda.threadIdx.x] += 1
for k in (0, 1, 0):
    with cuda.gpus[k]:
        x = cuda.to_device(np.zeros(32))
        add[1, 32](x)
        cuda.synchronize()
        assert x.copy_to_host().tolist() == [1] * 32
""",
    "pycuda": """
import numpy as np, pycuda.driver as drv
from pycuda.compiler import SourceModule
drv.init()
for k in (0, 1):
    context = drv.Device(k).make_context()
    add = SourceModule("__global__ void add(float *x) { x[threadIdx.x] += 1; }").get_function("add")
    x = np.zeros(32, np.float32)
    memory = drv.to_device(x)
    add(memory, block=(32, 1, 1))
    add(drv.InOut(x), block=(32, 1, 1))
    assert drv.from_device(memory, 32, np.float32).tolist() == x.tolist() == [1] * 32
    assert str(memory.device) == f"cuda:{k}"
    context.pop()
""",
}


@needs_two
@pytest.mark.parametrize("programs", [moving, computing], ids=["moving", "computing"])
@pytest.mark.parametrize("package", moving)
def test_on_two_gpus(programs, package):
    run(programs[package], {**os.environ, "KASOKU_DEVICE": "cuda"})


@needs_two
def test_gigabytes_arrive_whole_and_in_order():
    """A copy reads what was computed before it, and what is computed after it does not reach into it."""
    run(
        """
import kasoku as ks, numpy as np
x = ks.arange(1 << 28, dtype="float32", device="cuda:0")
for k in range(5):
    x += 1
    y = x.to_device("cuda:1")
    x *= 1
    z = (y - x.to_device("cuda:1")).sum()
    assert float(z) == 0
assert float(y[-1]) == np.float32(float(x[-1]))
""",
        {**os.environ, "KASOKU_DEVICE": "cuda"},
    )
