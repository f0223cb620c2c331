"""A lone operation on arrays that are computed finds its kernel without a group: with the bits that the group has."""

import numpy as np
import pytest

import kasoku as ks

sizes = [1025, 5000, 32768, 32769]


def bits(x):
    return np.ascontiguousarray(x).view("uint8")


@pytest.mark.parametrize("n", sizes)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16", "int64", "complex64"])
def test_the_bits_are_those_of_a_fused_group(n, dtype):
    rng = np.random.default_rng(1)
    a, b = ((rng.random(n) * 90 + 1).astype(dtype) for _ in "ab")
    x, y = ks.array(a), ks.array(b)
    for alone, in_a_group in [
        (lambda: x + y, lambda: (x + y)[::-1].copy()[::-1]),
        (lambda: x * 3, lambda: (x * 3)[::-1].copy()[::-1]),
        (lambda: 7 - x, lambda: (7 - x)[::-1].copy()[::-1]),
        (lambda: ks.square(x), lambda: ks.square(x)[::-1].copy()[::-1]),
        (lambda: ks.where(x == y, x, 2), lambda: ks.where(x == y, x, 2)[::-1].copy()[::-1]),
    ]:
        np.testing.assert_array_equal(bits(alone().numpy()), bits(in_a_group().numpy()))


@pytest.mark.parametrize("n", sizes)
def test_operands_of_other_dtypes_shapes_and_orders(n):
    a = np.arange(float(n))
    x, m = ks.array(a), np.ones((4, n)).T
    np.testing.assert_array_equal((x + ks.array(np.arange(n, dtype="int32"))).numpy(), a + np.arange(n))
    np.testing.assert_array_equal((ks.array(m) * 2).numpy(), m * 2)
    np.testing.assert_array_equal((ks.asarray(m) + x[:, None]).numpy(), m + a[:, None])
    np.testing.assert_array_equal(
        (x[::2] - x[1::2][: (n + 1) // 2] if n % 2 == 0 else x[::2] * 2).numpy(),
        a[::2] - a[1::2] if n % 2 == 0 else a[::2] * 2,
    )
    np.testing.assert_array_equal((x + ks.ones(n)).numpy(), a + 1)
    np.testing.assert_array_equal((x > 3).numpy(), a > 3)
    np.testing.assert_array_equal((x[5:] + x[:-5]).numpy(), a[5:] + a[:-5])


def test_an_array_that_is_written_later_was_read_before():
    x, y = ks.ones(3000), ks.ones(3000)
    total = x + y
    x += 1
    assert total.sum() == 6000 and x.sum() == 6000
