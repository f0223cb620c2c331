"""A small group of operations that is new runs operation by operation, without a compiler, and its kernel later: the bits are
the same, whatever the operation, the dtype and the way that operands lie in memory."""

import contextlib
import os
import subprocess
import sys
import time

import kasoku as ks
import numpy as np
import pytest
from kasoku import _core

CARRIED = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex128"]
n = 5000  # fewer elements are computed at once and make no group


@contextlib.contextmanager
def first_sight(which):
    """Small groups run without a kernel always or never, whatever the process met before."""
    before = ks.stats()
    usual = _core._first_sight(getattr(_core._FirstSight, which))
    try:
        yield lambda: ks.stats() - before
    finally:
        _core._first_sight(usual)


def both_ways(work):
    """The bytes of work() at first sight and by its kernel."""
    if "brings no operations of its dtypes along" in ks.explain(work()):
        return None
    with first_sight("always") as counted:
        first = work().numpy()
    assert counted().groups_by_operations > 0
    with first_sight("never") as counted:
        kernel = work().numpy()
    assert counted().groups_by_operations == 0
    assert first.dtype == kernel.dtype and first.shape == kernel.shape
    return first, kernel


def same(work):
    """Whether it was for both."""
    results = both_ways(work)
    if not results:
        return False
    first, kernel = results
    if first.dtype.kind in "fc":  # which NaN it is, is free
        first, kernel = np.nan_to_num(first, nan=1.5), np.nan_to_num(kernel, nan=1.5)
    assert first.tobytes() == kernel.tobytes()
    return True


def values(dtype, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 3, n)
    if dtype == "complex128":
        x = x + 1j * rng.normal(0, 3, n)
    x[:8] = 0, -0.0, 1, -1, 2, 0.5, 3, 7
    if dtype.startswith("float"):
        x[8:14] = np.inf, -np.inf, np.nan, 1e300, 5e-324, 1e-40
    if dtype == "uint8":
        x = np.abs(x)
    with np.errstate(over="ignore"):
        return x.astype(dtype)


@pytest.fixture(autouse=True)
def on_a_cpu():
    with ks.default_device("cpu"):
        yield


@pytest.mark.parametrize("dtype", CARRIED)
def test_operations_have_the_bits_of_their_group(dtype):
    arrays = [ks.array(values(dtype, seed)) for seed in range(3)]
    mask = ks.array(np.arange(n) % 3 == 0)
    tried = 0
    for name, arity, *_ in _core._ops():
        f = getattr(ks, name)
        if name == "where":
            continue
        x, *others = arrays[:arity]
        if name == "power" and dtype in ("int32", "int64"):
            others = [abs(others[0]) % 7]
        try:
            f(x, *others)
        except TypeError:
            continue  # NumPy has no loop for the dtype either
        tried += same(lambda x=x, others=others, f=f: ks.where(mask, f(x, *others), f(x[::-1], *others)))
    assert tried > 12


@pytest.mark.parametrize("dtype", CARRIED)
@pytest.mark.parametrize(
    "name", [name for name in _core._reductions() if name not in ("amin", "amax")]
)  # those are min and max
def test_reductions_have_the_bits_of_their_group(name, dtype):
    f = getattr(ks, name)
    x, y = (ks.array(values(dtype, seed)).reshape(50, 100) for seed in range(2))
    try:
        f(x)
    except TypeError:
        pytest.skip("NumPy has none for the dtype either")
    for axis in (None, 0, 1):
        same(lambda axis=axis: f(ks.where(x == y, x, y[::-1]), axis=axis))
    if dtype.startswith("float"):
        z = ks.array(np.resize(values(dtype, 1), 10_000))  # of more than one chunk
        # The library brings no kernel along that joins the positions of chunks.
        f(z.astype("float32" if dtype == "float16" else dtype)).numpy()
        _core._finish_background()
        same(lambda: f(z * z + 1))


def test_operands_lie_anyhow():
    x = ks.array(np.arange(9600.0).reshape(80, 120))
    row, column = x[3], x[:, 5:6]
    same(lambda: x.T * 2 + x.T)
    same(lambda: x[::-1, ::2] * 2 + x[:, ::-2])
    same(lambda: row * column + x)
    same(lambda: (column + row.reshape(1, 120)).T * x.T)
    same(lambda: ks.broadcast_to(column, (80, 120)) * 2 - 1)
    same(lambda: (x * 2 - 1).astype("float32").astype("int64"))
    same(lambda: ks.arange(3, 18003, 3) * 2 + 1)
    same(lambda: ks.arange(6000)[::-1] * 2.5 - 1)

    def assigned(target):
        def work():
            y = ks.zeros((80, 240))
            target(y)[...] = x * 2 + x
            return y

        return work

    same(assigned(lambda y: y[:, ::2]))
    same(assigned(lambda y: y[::-1, :120]))
    same(assigned(lambda y: y.reshape(240, 80).T[:, 7:127]))

    def in_place():
        y = x.copy()
        y[1:] += ks.maximum(y[:-1] * 3, 7)
        return y

    same(in_place)


def test_random_numbers_are_the_same():
    def work(draw):
        def again():
            ks.random.seed(5)
            return draw() * 2 + 1

        return again

    for draw in (
        lambda: ks.random.random(6000),
        lambda: ks.random.standard_normal(6000),
        lambda: ks.random.random((50, 60))[::2, 1:].T,
        lambda: ks.random.randint(0, 1000, 6000),
    ):
        same(work(draw))


def test_a_group_that_is_met_again_gets_its_kernel():
    x = ks.array(np.linspace(0, 1, n))

    def tiers():
        before = ks.stats()
        np.testing.assert_allclose((ks.cbrt(x) * 7 - x).numpy(), want, atol=1e-14)
        between = ks.stats() - before
        return between.groups_by_operations

    want = np.cbrt(x.numpy()) * 7 - x.numpy()
    assert tiers() == tiers() == 1
    _core._finish_background()
    assert tiers() == 0


PROGRAM = """
import numpy as np, kasoku as ks
x = ks.array(np.linspace(0, 1, 5000))
def work(k):
    y = x
    for i in range(k):
        y = ks.maximum(y * 2, x)
    return y.numpy()
"""


def ran(text, **env):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + text], capture_output=True, text=True, timeout=120, env={**os.environ, **env}
    )


def test_the_process_ends_while_kernels_are_compiled(tmp_path):
    start = time.monotonic()
    result = ran("for k in range(1, 21): work(k), work(k)", KASOKU_CACHE_DIR=str(tmp_path))
    assert (result.returncode, result.stderr) == (0, "") and time.monotonic() - start < 30


def test_a_forked_child_goes_on(tmp_path):
    result = ran(
        """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of each fork beside threads
for k in range(1, 9): work(k), work(k)
child = os.fork()
for k in range(1, 9): work(k)
ks._core._finish_background()
before = ks.stats()
for k in range(1, 9): work(k)
assert (ks.stats() - before).groups_by_operations == 0
if not child: os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
        KASOKU_CACHE_DIR=str(tmp_path),
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_what_went_wrong_in_the_background_is_said_at_the_next_need(tmp_path):
    compiler = tmp_path / "compiler.so"
    compiler.symlink_to(_core._compiler_library())
    result = ran(
        """
import os
work(3)
os.unlink(os.environ["KASOKU_CLANG_LIBRARY"])
work(3)
ks._core._finish_background()
try:
    work(3)
except OSError as error:
    print(error)
""",
        KASOKU_CACHE_DIR=str(tmp_path / "cache"),
        KASOKU_CLANG_LIBRARY=str(compiler),
    )
    assert result.returncode == 0 and "the embedded compiler could not be loaded" in result.stdout, result.stderr


def test_an_operation_that_the_library_brings_along_takes_neither_a_compiler_nor_a_text(tmp_path):
    """Its kernel is found by the group's structure; by its text it has the same bits."""
    program = """
import kasoku as ks
x = ks.linspace(0.1, 3, 10, dtype="float32", device="cpu")
for f in (ks.sin, ks.log, ks.tanh, lambda x: x**x, lambda x: x.sum(), lambda x: ks.astype(x, "int32")):
    print(f(x).numpy().tobytes().hex())
made = ks.stats()
print(made.compiles, made.misses)
"""
    shown = []
    for stations in ("cache", "cache,text"):
        folder = tmp_path / stations
        env = {**os.environ, "KASOKU_CACHE_DIR": str(folder), "KASOKU_TRACE": stations}
        run = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
        shown.append(run.stdout)
        assert run.stdout.endswith("\n0 0\n") and "compiled in" not in run.stderr
        assert ("brought along" in run.stderr) == (stations == "cache")
    assert shown[0] == shown[1]
