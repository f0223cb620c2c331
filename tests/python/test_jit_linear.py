"""Products of matrices and numpy.linalg in compiled functions, by the machine's library."""

import itertools

import kasoku as ks
import numpy as np
import pytest

rng = np.random.default_rng(5)
dtypes = "?bBhHiIlLfdFD"


def numbers(dtype, *shape):
    dtype = np.dtype(dtype)
    x = rng.integers(-4 if dtype.kind in "ifc" else 0, 5, shape)
    if dtype.kind == "c":
        return (x + 1j * rng.integers(-4, 5, shape)).astype(dtype)
    return x.astype(dtype)


def layouts(x):
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    every_other = tuple(slice(None, None, 2) for _ in x.shape)
    wide[every_other] = x
    backwards = tuple(slice(None, None, -1) for _ in x.shape)
    return {"C": x, "F": np.asfortranarray(x), "strided": wide[every_other], "reversed": x[backwards].copy()[backwards]}


@ks.njit
def product(a, b):
    return a @ b


@ks.njit
def dot(a, b):
    return np.dot(a, b)


def same(got, want):
    assert np.shape(got) == np.shape(want) and (np.ndim(want) == 0 or got.dtype == want.dtype)
    np.testing.assert_allclose(got, want, rtol=1e-6 if np.asarray(want).dtype.char in "fF" else 1e-12)


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("m, k, n", [(3, 4, 5), (40, 30, 20), (1, 50, 60), (60, 50, 1), (33, 1, 65)])
def test_products_are_numpys(dtype, m, k, n):
    a, b, x, y = numbers(dtype, m, k), numbers(dtype, k, n), numbers(dtype, k), numbers(dtype, m)
    for f in (product, dot):
        same(f(a, b), a @ b)
        same(f(a, x), a @ x)
        same(f(y, a), y @ a)
        same(f(x, x), x @ x)


@pytest.mark.parametrize("dtype", "lfD")
@pytest.mark.parametrize("m, k, n", [(5, 4, 3), (70, 50, 60)])
def test_products_of_any_layout(dtype, m, k, n):
    a, b, x = numbers(dtype, m, k), numbers(dtype, k, n), numbers(dtype, k)
    for one, other in itertools.product(layouts(a), layouts(b)):
        same(product(layouts(a)[one], layouts(b)[other]), a @ b)
        same(product(layouts(a)[one], layouts(x)[other]), a @ x)
        same(product(layouts(x)[other], layouts(b)[one]), x @ b)
    same(product(a.T, a), a.T @ a)
    same(product(a, a.T), a @ a.T)


@pytest.mark.parametrize("one, other", ["fd", "lf", "id", "dD", "bl", "?f", "FD"])
def test_products_of_two_dtypes(one, other):
    for m in (4, 40):
        a, b = numbers(one, m, m), numbers(other, m, m)
        same(product(a, b), a @ b)
        same(product(b.T, a[0]), b.T @ a[0])


def test_products_without_elements():
    for m, k, n in [(0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)]:
        a, b = np.ones((m, k)), np.ones((k, n))
        same(product(a, b), a @ b)
        same(product(a, np.ones(k)), a @ np.ones(k))
        same(product(np.ones(m), a), np.ones(m) @ a)
    with pytest.raises(ValueError):
        product(np.ones((30, 40)), np.ones((30, 40)))


def test_a_compiled_product_is_the_arrays_bit_by_bit():
    a, b = rng.random((300, 200)), rng.random((200, 250))
    assert np.array_equal(product(a, b), (ks.array(a) @ ks.array(b)).numpy())
    assert np.array_equal(product(a, b[:, 0].copy()), (ks.array(a) @ ks.array(b[:, 0].copy())).numpy())


def test_products_in_the_iterations_of_a_parallel_loop():
    @ks.njit(parallel=True)
    def products(a, out):
        for i in ks.prange(a.shape[0]):
            out[i] = a[i] @ a[i].T

    a, out = rng.random((20, 30, 40)), np.zeros((20, 30, 30))
    products(a, out)
    np.testing.assert_allclose(out, a @ a.transpose(0, 2, 1), rtol=1e-12)


def test_products_with_nan_and_infinity():
    a = rng.random((40, 40))
    a[3, 4], a[5, 6] = np.nan, np.inf
    b = np.abs(rng.random((40, 40)))
    np.testing.assert_allclose(product(a, b), a @ b)
    np.testing.assert_allclose(product(a[:4, :6].copy(), b[:6, :3].copy()), a[:4, :6] @ b[:6, :3])
