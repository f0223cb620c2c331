"""Arrays of two dtypes meet in compiled functions as they do outside of them."""

import numpy as np
import pytest

import kasoku as ks
from kasoku_testing.compiled import agrees


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


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32"])
def test_a_square_has_the_dtype_that_numpy_gives_it(dtype):
    def squares(x):
        return x**2, (x * x) ** 2, x**3

    agrees(squares, np.array([0, 1, 1, 0], dtype))


@pytest.mark.parametrize("size", [5, 5000])
@pytest.mark.parametrize("dtype", ["float32", "int8", "float64"])
def test_interpolation_gives_doubles_at_places_of_any_dtype(dtype, size):
    def interpolated(x, heights):
        return np.interp(x, np.arange(len(heights)) * 1.0, heights)

    heights = np.random.default_rng(2).random(8).astype(dtype)
    x = (np.arange(size) % 9).astype(dtype)
    got = ks.njit(interpolated)(x, heights)
    np.testing.assert_allclose(got, interpolated(x, heights), rtol=1e-14, strict=True)
