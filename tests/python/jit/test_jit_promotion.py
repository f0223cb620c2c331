"""Arrays of two dtypes meet in compiled functions as they do outside of them."""

import numpy as np
import pytest

import kasoku as ks


@ks.jit
def total(x, y):
    return x + y


PAIRS = [
    ("int8", "uint8"),
    ("uint64", "int8"),
    ("uint16", "int32"),
    ("float16", "int16"),
    ("float16", "uint8"),
    ("float32", "int32"),
    ("complex64", "int32"),
    ("complex64", "int16"),
    ("bool", "float16"),
]


@pytest.mark.parametrize("a, b", PAIRS)
def test_arrays_of_two_dtypes(a, b):
    x, y = np.ones(5, a), np.ones(5, b)
    got = np.asarray(total(x, y))
    assert got.dtype == (x + y).dtype == (ks.array(x) + ks.array(y)).numpy().dtype
    np.testing.assert_array_equal(got, x + y)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("number", [2, 2.5, 2 + 1j], ids=str)
def test_a_number_adapts_to_the_array(dtype, number):
    x = np.ones(5, dtype)
    got = np.asarray(total(x, number))
    assert got.dtype == (x + number).dtype
    np.testing.assert_array_equal(got, x + number)


def test_a_parameter_that_an_assignment_widens_keeps_its_type_for_the_caller():
    @ks.njit
    def f(a, b):
        for _ in range(b):
            a = a + 1
        return a

    assert f(True, 3) == 4 and f(False, 2) == 2
    assert f(np.float32(0.5), 2) == 2.5
