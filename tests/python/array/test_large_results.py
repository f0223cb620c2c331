"""Results that are larger than caches go past them to memory: every element arrives, wherever the results begin."""

import numpy as np
import pytest

import kasoku as ks

MIB = 1 << 20
DTYPES = [np.bool_, np.int8, np.float16, np.int32, np.float32, np.float64, np.complex64, np.complex128]


def operand(size, dtype, seed=0):
    values = np.random.default_rng(seed).integers(0, 2 if dtype is np.bool_ else 100, size, dtype=np.uint8)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("ahead", [0, 1, 7])
def test_results_begin_anywhere(dtype, ahead, device):
    size = 70 * MIB // (2 * np.dtype(dtype).itemsize) + 5
    x = operand(size, dtype)
    out = ks.full(size + 20, 1, dtype=x.dtype, device=device)
    given = ks.array(x, device=device)
    part = out[ahead : ahead + size]
    (ks.logical_not if dtype is np.bool_ else ks.square)(given, out=part)
    expected = np.ones(size + 20, x.dtype)
    expected[ahead : ahead + size] = np.logical_not(x) if dtype is np.bool_ else np.square(x)
    np.testing.assert_array_equal(ks.asnumpy(out), expected)


@pytest.mark.parametrize("width", [3, 100, 513, 4099])
def test_rows(width, device):
    rows = 24 * MIB // (4 * width) + 1
    x = operand(rows * width, np.float32).reshape(rows, width)
    y = operand(width, np.float32, 1)
    z = ks.array(x, device=device)[:, ::-1] * 2 + ks.array(y, device=device)
    np.testing.assert_array_equal(ks.asnumpy(z), x[:, ::-1] * 2 + y)


def test_in_place_and_overlapping(device):
    x = operand(20 * MIB, np.float32)
    y = ks.array(x, device=device)
    y += y * 2
    y[1:] = y[:-1] + 1
    expected = x * 3
    expected[1:] = expected[:-1] + 1
    np.testing.assert_array_equal(ks.asnumpy(y), expected)


def test_random_numbers(device):
    few = ks.random.default_rng(5).random(4096, dtype=ks.float32)
    many = ks.random.default_rng(5).random(20 * MIB, dtype=ks.float32)
    many = np.asarray(many)
    np.testing.assert_array_equal(many[:4096], np.asarray(few))
    assert 0 <= many.min() and many.max() < 1 and abs(many.mean(dtype=np.float64) - 0.5) < 1e-3


def test_compiled_function(device):
    if device != "cpu":
        pytest.skip("compiled functions run on the CPU here")

    @ks.jit
    def f(x, y):
        z = x * y + 1
        return z - x

    x, y = operand(12 * MIB, np.float64), operand(12 * MIB, np.float64, 1)
    np.testing.assert_array_equal(f(x, y), x * y + 1 - x)
    np.testing.assert_array_equal(f(x[::2], y[::2]), x[::2] * y[::2] + 1 - x[::2])


def test_users_kernel(device):
    kernel = ks.ElementwiseKernel(
        "float32 x, float32 y", "float32 z, int32 w", "z = x * y; w = (int)x", "large_results"
    )
    x, y = operand(20 * MIB, np.float32), operand(20 * MIB, np.float32, 1)
    z, w = kernel(ks.array(x, device=device), ks.array(y, device=device))
    np.testing.assert_array_equal(ks.asnumpy(z), x * y)
    np.testing.assert_array_equal(ks.asnumpy(w), x.astype(np.int32))


def test_users_kernel_that_writes_what_it_reads(device):
    kernel = ks.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x - 2 * y", "large_in_place")
    x, y = operand(20 * MIB, np.float32), operand(20 * MIB, np.float32, 1)
    same, shifted, other = (ks.array(x, device=device) for _ in range(3))
    kernel(same, ks.array(y, device=device), same)
    np.testing.assert_array_equal(ks.asnumpy(same), x - 2 * y)
    kernel(shifted[:-1], other[1:], shifted[1:])
    np.testing.assert_array_equal(ks.asnumpy(shifted)[1:], x[:-1] - 2 * x[1:])
    to = ks.zeros_like(other)
    kernel(other[3:], same[3:], to[3:])  # not at the beginning of a line of memory
    np.testing.assert_array_equal(ks.asnumpy(to)[3:], x[3:] - 2 * (x - 2 * y)[3:])
    assert ks.asnumpy(to)[:3].tolist() == [0, 0, 0]
