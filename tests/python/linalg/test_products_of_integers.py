"""Products that no library has: of integers, which wrap, and of bools."""

import numpy as np
import pytest

import kasoku as ks


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize(
    "m, k, n", [(1, 1, 1), (1, 5, 1), (1, 300, 1), (7, 33, 1), (1, 33, 7), (5, 70, 9), (300, 3, 2)]
)
def test_products_are_numpys_however_the_elements_lie(dtype, m, k, n):
    g = np.random.default_rng(m * k + n)
    numbers = lambda *shape: (
        g.integers(0, 2 if dtype == "bool" else 2**63, shape, dtype=np.uint64).astype(dtype) * (g.random(shape) < 0.3)
    )
    wide, high = numbers(2 * m, 3 * k).astype(dtype), numbers(n, 2 * k).astype(dtype)
    for a, b in [
        (wide[:m, :k].copy(), high[:, :k].T.copy()),
        (wide[::2, ::3], high[:, ::2].T),
        (wide[m - 1 :: -1, k - 1 :: -1], high[:, k - 1 :: -1].T),
        (wide[:m, :k].copy(order="F"), high[:, :k].T),
    ]:
        x, y = ks.asarray(a), ks.asarray(b)
        np.testing.assert_array_equal((x @ y).numpy(), a @ b)
        np.testing.assert_array_equal(ks.dot(x[0], y).numpy(), np.dot(a[0], b))
        np.testing.assert_array_equal(ks.dot(x, y[:, 0]).numpy(), np.dot(a, b[:, 0]))
        np.testing.assert_array_equal(ks.dot(x[0], y[:, 0]).numpy(), np.dot(a[0], b[:, 0]))


def test_elements_that_do_not_lie_on_their_own_size():
    memory = np.zeros(8 * 20 + 3, dtype=np.uint8)
    x = memory[3:].view("int64")
    x[:] = np.arange(20)
    assert int(ks.dot(ks.asarray(x[:10]), ks.asarray(x[10:]))) == int(np.dot(x[:10], x[10:]))
