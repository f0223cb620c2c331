"""numba.cfunc: functions that C calls, against what C's own library does with them."""

import ctypes

import numpy as np
import pytest

from kasoku.compat import numba
from kasoku.compat.numba import carray, cfunc, farray, float64, njit, types

pytestmark = pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")


def test_numbers_are_converted_as_the_signature_says():
    @cfunc("float64(float64, int32)")
    def add(x, n):
        return x + n

    assert add.ctypes(4.5, 5) == 9.5 and add(1.0, 2) == 3.0 and add.__name__ == "add" and "cfunc" in add.native_name
    by_address = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int32)(add.address)
    assert by_address(1.5, -2) == -0.5
    assert njit(lambda a: add(a, 1) * 2)(3.0) == 8.0


def test_c_sorts_by_one():
    @cfunc("int32(CPointer(int32), CPointer(int32))")
    def order(a, b):
        return carray(b, 1)[0] - carray(a, 1)[0]

    values = (ctypes.c_int32 * 5)(5, 2, 9, 1, 7)
    ctypes.CDLL(None).qsort(values, 5, 4, order.ctypes)
    assert list(values) == [9, 7, 5, 2, 1]


def test_pointers_lead_to_arrays():
    @cfunc(types.double(types.CPointer(types.double), types.intc))
    def total(p, n):
        return carray(p, (n,)).sum()

    @cfunc(types.void(types.voidptr, types.intp, types.intp))
    def scale(p, m, n):
        a = farray(p, (m, n), dtype=np.float64)
        a[1, 0] = 77
        a *= 2

    x = np.arange(5.0)
    assert total.ctypes(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), 5) == 10
    y = np.ones((2, 3), order="F")
    assert scale.ctypes(y.ctypes.data, 2, 3) is None and y.tolist() == [[2, 2, 2], [154, 2, 2]]
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    with pytest.raises(TypeError, match="mismatching dtype"):
        carray(pointer, 3, np.int32)
    with pytest.raises(TypeError, match="explicit 'dtype'"):
        carray(ctypes.c_void_p(x.ctypes.data), 3)


def test_what_c_has_not_is_refused():
    with pytest.raises(numba.TypingError, match="C has no array"):
        cfunc(float64(float64[:]))(lambda x: 1.0)
    with pytest.raises(numba.TypingError, match="says no result"):
        cfunc("(float64,)")(lambda x: 1.0)
