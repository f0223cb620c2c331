"""Compiled functions, universal functions and kernels in pickles: by content, so that any process can have them."""

import copy
import enum
import functools
import gc
import math
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest

import kasoku as ks
from kasoku import _content

offset = 10
table = np.arange(4.0)


def helper(x):
    return x + offset


@ks.jit
def square(x):
    return x * x


@ks.njit(fastmath=True, parallel=False)
def reads(x):
    return helper(x) + square(x) + table[1] + math.pi


@ks.njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@ks.jit("float64(float64)")
def declared(x):
    return x / 2


def power(n):
    @ks.njit
    def f(x):
        return x**n

    return f


def loaded(made):
    """What another process has: nothing of this one's."""
    content = pickle.dumps(made)
    _content._known.clear()
    _content._latest.clear()
    return pickle.loads(content)


def test_pool_map():
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(square, [1, 2, 3]) == [1, 4, 9]


@pytest.mark.parametrize("make", [pickle.dumps, copy.copy, copy.deepcopy])
def test_the_same_pickle_is_the_same_object_in_a_process(make):
    for f in (square, fib, power(3)):
        made = make(f)
        assert (pickle.loads(made) if make is pickle.dumps else made) is f
    a, b = (pickle.loads(pickle.dumps(power(n))) for n in (2, 3))
    assert (a(3), b(3)) == (9, 27)


def test_what_a_function_reads_comes_along():
    f = loaded(reads)
    assert f is not reads
    assert f(2) == reads(2) == 12 + 4 + 1 + math.pi
    assert f.report()
    assert loaded(fib)(10) == 55
    assert loaded(power(3))(2) == 8
    assert loaded(ks.njit(lambda x, k=offset: x + k))(1) == 11


def test_options_and_signatures():
    f = loaded(declared)
    assert f(3) == 1.5
    assert f.signatures == declared.signatures
    with pytest.raises(TypeError):
        f("a")
    assert ks._core._jit_options(loaded(reads)) == ks._core._jit_options(reads) != ks._core._jit_options(square)


def test_changed_globals_are_another_pickle():
    space = {"n": 1}
    text = "def f(x):\n    return x + n\n"
    exec(text, space)
    f = ks.jit(space["f"])
    first = pickle.dumps(f)
    space["n"] = 2
    second = pickle.dumps(f)
    _content._known.clear(), _content._latest.clear()
    assert (pickle.loads(first)(1), pickle.loads(second)(1)) == (2, 3)


class Color(enum.Enum):
    red = 1


@ks.njit
def with_color(x, color=Color.red):
    return x + 1 if color is Color.red else x


def wrapped(f):
    @functools.wraps(f)
    def g(x):
        return f(x) + 1

    return g


def test_classes_defaults_and_wrapped_functions():
    assert loaded(with_color)(1) == 2
    assert loaded(ks.njit(wrapped(helper)))(1) == 12


def test_a_function_that_the_interpreter_runs():
    @ks.jit
    def f(x):
        return {b"a": x}, [str(x)]

    with pytest.warns(UserWarning, match="runs in the interpreter"):
        assert loaded(f)(1) == ({b"a": 1}, ["1"])


def test_errors_have_their_lines():
    @ks.njit
    def f(x):
        return x[9]

    with pytest.raises(IndexError, match=r"test_pickle.py:\d+, in f    return x\[9\]"):
        loaded(f)(np.zeros(3))


def test_a_process_that_has_no_file_of_it(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        """
import pickle, sys
import numpy as np
import kasoku as ks

scale = np.float32(3)

def helper(x):
    return x * scale

@ks.njit
def f(x):
    return helper(x) + 1

made = [f, ks.njit(lambda x: -x), ks.njit(lambda x: x * 2), ks.RawKernel("__global__ void k(int *x) { x[0] = 7; }", "k")]
open("made.pickle", "wb").write(pickle.dumps(made))
"""
    )
    subprocess.run([sys.executable, "program.py"], cwd=tmp_path, check=True)
    program.unlink()
    reader = "import pickle; f, g, h, k = pickle.load(open('made.pickle', 'rb')); print(f(2), g(2), h(2), k.name)"
    got = subprocess.run([sys.executable, "-c", reader], cwd=tmp_path, capture_output=True, text=True)
    assert got.stdout == "7.0 -2 4 k\n", got.stderr


def test_what_cannot_be_pickled_is_named():
    import threading

    lock = threading.Lock()
    with pytest.raises(TypeError, match="lock"):
        pickle.dumps(ks.jit(lambda x: lock))


def test_universal_functions_and_stencils():
    from kasoku.compat.numba import guvectorize, stencil, vectorize

    add = vectorize(["float64(float64, float64)"])(lambda a, b: a + b + offset)
    assert loaded(add)(np.ones(3), 2).tolist() == [13.0] * 3
    assert loaded(add).types == ["dd->d"]
    assert loaded(vectorize(lambda a: a * 2))(np.arange(3)).tolist() == [0, 2, 4]

    @guvectorize(["(float64[:], float64[:])"], "(n)->()")
    def total(x, out):
        out[0] = 0
        for i in range(x.size):
            out[0] += x[i]

    assert loaded(total)(np.ones((2, 3))).tolist() == [3, 3]
    mean = stencil(lambda a: (a[-1] + a[1]) / 2)
    np.testing.assert_array_equal(loaded(mean)(table), mean(table))


def test_kernels_of_python():
    from kasoku import cuda

    @cuda.jit
    def fill(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = i + offset

    x = np.zeros(5)
    loaded(fill)[1, 32](x)
    assert x.tolist() == [10, 11, 12, 13, 14]
    assert loaded(cuda.reduce(lambda a, b: a + b))(np.arange(5.0)) == 10


text = "__global__ void k(float *x, float a) { x[threadIdx.x] *= a * SCALE; }"


def test_kernels_of_text():
    module = ks.RawModule(code=text, options=("-DSCALE=2",))
    kernels = [ks.RawKernel(text, "k", ("-DSCALE=2",)), module.get_function("k")]
    kernels.append(ks._core.SourceModule(text, options=["-DSCALE=2"]).get_function("k"))
    for kernel in kernels:
        x = ks.ones(4, dtype=np.float32)
        again = pickle.loads(pickle.dumps(kernel))
        again((1,), (4,), (x, np.float32(3)))
        assert x.numpy().tolist() == [6] * 4
        assert again.name == kernel.name
    assert pickle.loads(pickle.dumps(module)).code == text


def test_kernels_of_expressions():
    x = ks.arange(5, dtype=np.float32)
    twice = ks.ElementwiseKernel("T x", "T y", "y = x * TWO", "twice", preamble="#define TWO 2")
    assert pickle.loads(pickle.dumps(twice))(x).numpy().tolist() == [0, 2, 4, 6, 8]
    norm = ks.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")
    assert float(copy.deepcopy(norm)(x)) == pytest.approx(math.sqrt(30))
    total = ks.ReductionKernel(np.float32, "0", "a+b", arguments="float *x", map_expr="x[i]", device="cpu")
    assert float(pickle.loads(pickle.dumps(total))(x)) == 10
    scan = ks.InclusiveScanKernel(np.float32, "a + b")
    assert pickle.loads(pickle.dumps(scan))(x, "new").numpy().tolist() == [0, 1, 3, 6, 10]


def test_kernels_of_faces():
    from kasoku.compat import cupy

    x = cupy.arange(5, dtype=cupy.float32)
    twice = pickle.loads(pickle.dumps(cupy.ElementwiseKernel("T x", "T y", "y = x * 2", "twice")))
    assert type(twice) is cupy.ElementwiseKernel
    assert twice.name == "twice" and twice.nin == 1
    assert twice(x).tolist() == [0, 2, 4, 6, 8]
    kernel = cupy.RawModule(code=text, options=("-DSCALE=2",)).get_function("k")
    pickle.loads(pickle.dumps(kernel))((1,), (5,), (x, cupy.float32(3)))
    assert x.tolist() == [0, 6, 12, 18, 24]


def test_a_pickled_function_is_let_go():
    f = power(5)
    pickle.loads(pickle.dumps(f))
    n = len(_content._known)
    del f
    gc.collect()
    assert len(_content._known) < n


def test_cloudpickle(tmp_path):
    pytest.importorskip("cloudpickle")
    program = tmp_path / "program.py"
    program.write_text(
        """
import cloudpickle, enum
import kasoku as ks

class Kind(enum.IntEnum):
    one = 1
    two = 2

def helper(x):
    return x + Kind.two

@ks.njit
def f(x):
    return helper(x)

def plain(x):
    return f(x) * 10

def closure(n):
    return ks.njit(lambda x: x * n)

open("made.pickle", "wb").write(cloudpickle.dumps([f, plain, closure(3), lambda x: f(x)]))
"""
    )
    subprocess.run([sys.executable, "program.py"], cwd=tmp_path, check=True)
    program.unlink()
    reader = "import pickle; print(*(f(2) for f in pickle.load(open('made.pickle', 'rb'))))"
    got = subprocess.run([sys.executable, "-c", reader], cwd=tmp_path, capture_output=True, text=True)
    assert got.stdout == "4 40 6 4\n", got.stderr
