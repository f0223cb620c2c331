"""The face of Numba: names, options, signatures, vectorize, types."""

import math

import numpy as np
import pytest
from kasoku.compat import numba
from kasoku.compat.numba import float64, int64, jit, njit, prange, vectorize


@jit("float64(float64, float64)", nopython=True, cache=True, nogil=True)
def with_text(a, b):
    return a * b


@njit(int64(int64), fastmath=True)
def with_types(n):
    return n + 1


@njit([float64(float64[:]), float64(float64[:, ::1])])
def with_list(x):
    return x.sum()


def test_signatures_compile_ahead():
    assert with_text(2.0, 3.0) == 6 and with_types(4) == 5
    assert with_list(np.ones(3)) == 3 and with_list(np.ones((2, 2))) == 4
    assert len(with_types.signatures) == 1


@njit(parallel=True)
def total(x):
    s = 0.0
    for i in prange(len(x)):
        s += x[i]
    return s


def test_parallel_and_its_report():
    assert math.isclose(total(np.arange(1000.0)), 499500)
    assert "reduction" in total.report()


@vectorize
def clip_add(a, b):
    return a + b if a + b < 10 else 10.0


def test_vectorize_broadcasts():
    a, b = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    np.testing.assert_array_equal(clip_add(a, b), np.minimum(a + b, 10))
    assert clip_add(1.0, 2.0) == 3.0


def test_typing_errors_are_numbas():
    @njit("float64(float64)")
    def root(x):
        return x**0.5

    with pytest.raises(numba.core.errors.TypingError, match="No matching definition"):
        root("text")


def test_what_is_not_compiled_runs_in_the_interpreter():
    @njit
    def bad(x):
        return x + "text"

    with (
        pytest.warns(UserWarning, match="runs in the interpreter"),
        pytest.raises(TypeError, match="unsupported operand"),
    ):
        bad(1)
    assert bad("a ") == "a text"


def test_types_are_called_and_threads_are_counted():
    assert isinstance(numba.float32(1), np.float32)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    assert numba.get_num_threads() == 1 <= threads
    numba.set_num_threads(threads)
    assert str(numba.typeof(np.zeros((2, 2)))) == "array(float64, 2d, C)"
    assert str(numba.typeof("a")) == "unicode_type"
    assert numba.cuda.jit and numba.prange is prange


@njit
def casts(x):
    return int64(x) + float64(1)


def test_types_convert_in_compiled_code():
    assert casts(2.9) == 3.0


def test_set_num_threads_limits_the_threads_that_share_a_loop(clean_process, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        """
import threading, time
import numpy as np
from kasoku.compat import numba
from kasoku import _core

@numba.njit(parallel=True)
def f(x):
    for i in numba.prange(x.size):
        s = x[i]
        for k in range(200):
            s = s * 0.999 + 1.0
        x[i] = s

def cores(n):
    numba.set_num_threads(n)
    assert numba.get_num_threads() == n
    x = np.zeros(200_000)
    f(x)
    start, cpu = time.perf_counter(), time.process_time()
    for _ in range(5):
        f(x)
    return (time.process_time() - cpu) / (time.perf_counter() - start)

assert numba.config.NUMBA_NUM_THREADS == 4
one = cores(1)
assert one < 1.3, one
x, y = np.arange(9.0), np.arange(9.0)
f(x)
cores(2)
f(y)
assert (x == y).all()
for wrong in (0, 5):
    try:
        numba.set_num_threads(wrong)
        print("no error")
    except ValueError as error:
        assert "between 1 and 4" in str(error)
numba.set_num_threads(1)
seen = []
thread = threading.Thread(target=lambda: seen.append(numba.get_num_threads()))
thread.start()
thread.join()
assert seen == [4]
print("fine")
"""
    )
    run = "import runpy, sys; runpy.run_path(sys.argv[1])"
    out = clean_process(run, env={"KASOKU_NUM_THREADS": "4"}, args=[str(program)]).stdout
    assert out.strip() == "fine"


def test_what_each_thread_adds_up_in_a_place_of_its_own_is_complete(clean_process, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        """
import warnings
import numpy as np
from kasoku.compat import numba

warnings.simplefilter("error")

@numba.njit(parallel=True)
def counts(x, n):
    own = np.zeros((numba.get_num_threads(), n), np.int64)
    for i in numba.prange(x.size):
        own[numba.get_thread_id(), x[i]] += 1
    return own

x = np.random.default_rng(1).integers(0, 7, 2_000_000)
for threads in (4, 3, 2, 1):
    numba.set_num_threads(threads)
    for _ in range(5):
        own = counts(x, 7)
        assert own.shape == (threads, 7)
        assert (own.sum(axis=0) == np.bincount(x)).all(), threads
assert numba.get_thread_id() == 0
print("fine")
"""
    )
    run = "import runpy, sys; runpy.run_path(sys.argv[1])"
    out = clean_process(run, env={"KASOKU_NUM_THREADS": "4"}, args=[str(program)]).stdout
    assert out.strip() == "fine"


def test_the_report_says_which_loops_stay_serial():
    from kasoku.compat import numba

    def f(x):
        s = 0.0
        for i in range(x.size):
            s += x[i]
        return s

    compiled = numba.njit(parallel=True)(f)
    compiled(np.ones(3))
    assert "range runs serially" in compiled.report()

    def g(x):
        for i in numba.prange(x.size):
            x[i] = i

    compiled = numba.njit(parallel=False)(g)
    compiled(np.ones(3))
    assert "prange runs serially: the function is compiled with parallel=False" in compiled.report()


def test_a_chunk_size_is_accepted():
    with numba.parallel_chunksize(4):
        assert numba.njit(lambda n: n + 1)(1) == 2


def test_a_parallel_loop_around_a_given_function_without_a_compiled_form_runs():
    @njit
    def line(x, **named):
        return 2 * x

    @njit(parallel=True)
    def apply(function, xs):
        out = np.empty_like(xs)
        for i in prange(xs.size):
            out[i] = function(xs[i])
        return out

    with pytest.warns(match=r"a compiled function cannot take \*\*kwargs"):
        assert apply(line, np.arange(3.0)).tolist() == [0, 2, 4]


def test_functions_stay_pythons_where_compiling_is_off(monkeypatch):
    def f(x):
        return x

    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    assert njit(f) is f and njit("int64(int64)")(f) is f and jit(parallel=True)(f) is f


def test_a_chunksize_is_remembered():
    assert numba.get_parallel_chunksize() == 0
    with numba.parallel_chunksize(8):
        assert numba.get_parallel_chunksize() == 8 and numba.set_parallel_chunksize(3) == 8
    assert numba.get_parallel_chunksize() == 0
    for wrong, error in ((-1, ValueError), (2.5, TypeError)):
        with pytest.raises(error):
            numba.set_parallel_chunksize(wrong)
    assert sorted([numba.int64, numba.float32], key=lambda of: of.key) == [numba.float32, numba.int64]


def rounded(x, n):
    total, part = 0, x
    for i in range(n):
        total += x * i
        part, other = part / 3, i
    return total, part, other


def test_locals_have_the_types_that_are_declared():
    given = {"total": numba.float32, "part": numba.float32, "other": numba.uint8, "x": numba.float64}
    total, part = np.float32(0), np.float32(0.1)
    for i in range(300):
        total, part = np.float32(total + 0.1 * i), np.float32(part / 3)
    want = (float(total), float(part), 299 % 256)
    made = njit(locals=given)(rounded)
    assert made(0.1, 300) == want != rounded(0.1, 300)
    assert made.nopython_signatures and made.py_func(0.1, 2)[0] == np.float32(0.1)


def test_a_function_type_in_a_signature_stands_for_the_function_that_comes():
    shape = numba.types.FunctionType(int64(int64))
    assert shape.signature == int64(int64)

    @njit(int64(shape, int64))
    def apply(function, x):
        return function(function(x))

    assert apply(with_types, 5) == 7


def test_number_types_are_numpys_dtypes():
    assert np.zeros(2, numba.int32).dtype == np.int32 and np.dtype(numba.boolean) == bool
    assert float64[:].dtype == float64

    @njit
    def interpreted(n):
        return np.full(n, len({"a": str}), dtype=numba.complex64)

    with pytest.warns(UserWarning, match="runs in the interpreter"):
        assert interpreted(2).dtype == np.complex64


def test_names_that_programs_import():
    from kasoku.compat.numba.core.decorators import njit as inner
    from kasoku.compat.numba.cuda.cudadrv.driver import _raise_driver_not_found
    from kasoku.compat.numba.cuda.cudadrv.error import CudaSupportError
    from kasoku.compat.numba.np.linalg import _LAPACK as lapack
    from kasoku.compat.numba.pycc import CC

    assert inner is njit and issubclass(numba.NumbaExperimentalFeatureWarning, numba.NumbaWarning)
    assert numba.TypingError is numba.errors.TypingError
    with pytest.raises(CudaSupportError, match="no NVIDIA driver"):
        _raise_driver_not_found()
    with pytest.raises(NotImplementedError, match="numba.np.linalg._LAPACK is not there"):
        lapack()
    module = CC("ahead")
    assert module.export("double", "i8(i8)")(lambda x: 2 * x)(4) == 8
    with pytest.raises(NotImplementedError, match="CC.compile is not there"):
        module.compile()
