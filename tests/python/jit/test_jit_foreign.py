"""Functions of C, which a program has by ctypes, called from compiled code: a call by ctypes is the reference."""

import ctypes

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import numba

double, whole = ctypes.c_double, ctypes.c_int


def of_c(name, result, *parameters):
    function = getattr(ctypes.CDLL(None), name)
    function.restype, function.argtypes = result, parameters
    return function


sin, power, process = of_c("sin", double, double), of_c("pow", double, double, double), of_c("getpid", whole)
scaled = ctypes.CFUNCTYPE(double, double, whole)(ctypes.cast(ctypes.CDLL(None).ldexp, ctypes.c_void_p).value)
narrow = of_c("cosf", ctypes.c_float, ctypes.c_float)
lengths = of_c("labs", ctypes.c_long, ctypes.c_long), of_c("abs", whole, whole)
of_python = ctypes.CFUNCTYPE(double, double)(lambda x: 3 * x + 1)


def test_numbers_go_there_and_come_back():
    first, second = lengths

    def calls(x, n):
        return sin(x), power(x, n), scaled(x, n), narrow(x), first(-n), second(n - 7), of_python(x), process()

    compiled = ks.njit(calls)
    for given in [(0.5, 3), (-2.25, -4), (7, True)]:
        got, want = compiled(*given), calls(*given)
        assert got == want and [type(x) for x in got] == [type(x) for x in want]


def test_loops_on_one_thread_and_on_several_and_ufuncs_call_them():
    x = np.linspace(0, 3, 2000)

    def total(x):
        s = 0.0
        for each in x:
            s += sin(each)
        return s

    def squares(x):
        out = np.empty_like(x)
        for i in ks.prange(x.size):
            out[i] = power(x[i], 2.0)
        return out

    assert ks.njit(total)(x) == total(x)
    np.testing.assert_allclose(ks.njit(parallel=True)(squares)(x), x**2, rtol=1e-15)
    np.testing.assert_allclose(
        numba.vectorize(["float64(float64)"])(lambda v: sin(v) + 1)(x), np.sin(x) + 1, rtol=1e-15
    )


def test_two_functions_of_one_address_have_the_types_that_each_declares():
    other = ctypes.CFUNCTYPE(double, double)(ctypes.cast(sin, ctypes.c_void_p).value)
    assert ks.njit(lambda x: sin(x) - other(x))(0.7) == 0.0
    changed = of_c("sin", double, double)
    before = ks.njit(lambda x: changed(x))
    assert before(1) == changed(1)


def test_what_has_no_compiled_form():
    def wrong(x):
        return sin(x, x)

    def of_text(x):
        return sin("a") + x

    with pytest.raises(numba.TypingError, match="takes 1 arguments, not 2"):
        ks.njit(wrong)(1.0)
    with pytest.raises(numba.TypingError, match="takes numbers, not"):
        ks.njit(of_text)(1.0)
    undeclared = getattr(ctypes.CDLL(None), "cos")  # noqa: B009
    with pytest.raises(numba.TypingError, match="cannot be called in compiled code"):
        ks.njit(lambda x: undeclared(x))(1.0)
    pointer = of_c("frexp", double, double, ctypes.POINTER(whole))
    with pytest.raises(numba.TypingError, match="cannot be called in compiled code"):
        ks.njit(lambda x: pointer(x, x))(1.0)
