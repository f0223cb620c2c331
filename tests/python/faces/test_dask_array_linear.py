"""Products and factors of matrices in chunks."""

import numpy as np
import pytest
from dask_arrays import a, rng
from kasoku.compat import dask
from kasoku.compat.dask import array as da


@pytest.mark.parametrize("rows, columns", [(60, 40), (60, 5), (7, 5), (40, 60), (0, 3)])
@pytest.mark.parametrize("dtype", [float, complex])
def test_tall_matrices_are_factored_chunk_by_chunk(rows, columns, dtype):
    tall = rng.standard_normal((rows, columns)).astype(dtype)
    if dtype is complex:
        tall = tall + 1j * rng.standard_normal((rows, columns))
    for chunks in ((20, -1), (3, -1), (-1, -1), (20, 2)):
        q, r = da.linalg.qr(da.from_array(tall, chunks=chunks))
        k = min(rows, columns)
        assert q.shape == (rows, k) and r.shape == (k, columns) and q.dtype == r.dtype == tall.dtype
        q, r = dask.compute(q, r)
        np.testing.assert_allclose(q @ r, tall, atol=1e-12)
        np.testing.assert_allclose(q.conj().T @ q, np.eye(k), atol=1e-12)
        np.testing.assert_allclose(r, np.triu(r))
        if rows:
            u, s, v = dask.compute(*da.linalg.svd(da.from_array(tall, chunks=chunks)))
            np.testing.assert_allclose((u * s) @ v, tall, atol=1e-12)
            np.testing.assert_allclose(s, np.linalg.svd(tall)[1])
            np.testing.assert_allclose(u.conj().T @ u, np.eye(k), atol=1e-12)
            assert s.dtype == float and (v.sum(axis=1).real >= 0).all()


@pytest.mark.parametrize("rows, columns", [(60, 40), (60, 5), (7, 5), (40, 60)])
@pytest.mark.parametrize("right", [(), (3,)])
@pytest.mark.parametrize("rank", [1, 2, None])
def test_least_squares(rows, columns, right, rank):
    a, b = rng.standard_normal((rows, columns)), rng.standard_normal((rows, *right))
    if rank:  # of many solutions, the shortest
        a = a[:, :rank] @ rng.standard_normal((rank, columns))
    want = np.linalg.lstsq(a, b)
    x, residuals, found, s = da.linalg.lstsq(da.from_array(a, chunks=(20, 7)), da.from_array(b, chunks=(20, *right)))
    assert (x.shape, s.shape) == (want[0].shape, want[3].shape)
    np.testing.assert_allclose(x.compute(), want[0], atol=1e-10)
    np.testing.assert_allclose(
        residuals.compute(), ((b - a @ want[0]) ** 2).sum(axis=0, keepdims=not right), atol=1e-10
    )
    assert found.compute() == want[2]
    np.testing.assert_allclose(s.compute(), want[3], atol=1e-10)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i4"])
def test_factors_have_numpys_dtype(dtype):
    tall = (a[:, :3] * 5).astype(dtype)
    chunked = da.from_array(tall, chunks=(20, 3))
    for got, want in zip((*da.linalg.qr(chunked), *da.linalg.svd(chunked), *da.linalg.tsqr(chunked, compute_svd=True), da.linalg.inv(chunked[:3])),
                         (*np.linalg.qr(tall), *2 * np.linalg.svd(tall), np.linalg.inv(tall[:3]))):  # fmt: skip
        assert got.dtype == want.dtype == got.compute().dtype


@pytest.mark.parametrize("subscripts", ["ij,kj->ik", "...ij,jk", "ii->i", "ij,ij", "aij->ja"])
def test_einsum_has_the_axes_that_numpys_has(subscripts):
    of_axes = {
        "ii->i": (np.eye(5),),
        "aij->ja": (np.ones((2, 300, 4)),),
        "...ij,jk": (np.ones((3, 1, 4, 5)), np.ones((5, 4))),
    }
    arrays = of_axes.get(subscripts, (np.ones((400, 500)), np.ones((400, 500))))
    found = da.einsum(
        subscripts, *(da.from_array(one, chunks=3) if one.size < 100 else da.from_array(one) for one in arrays)
    )
    want = np.einsum(subscripts, *arrays)
    assert found.shape == want.shape and found.dtype == want.dtype and np.allclose(found.compute(), want)


def test_lu_exchanges_rows_for_the_greatest_element():
    for values in (
        rng.random((7, 7)),
        np.zeros((3, 3)),
        np.eye(4)[[2, 0, 3, 1]],
        rng.random((5, 5)) + 1j,
        np.arange(9).reshape(3, 3),
    ):
        p, lower, upper = (part.compute() for part in da.linalg.lu(da.from_array(values, chunks=2)))
        np.testing.assert_allclose(p @ lower @ upper, values, atol=1e-14)
        most = 2**0.5 if values.dtype.kind == "c" else 1  # as LAPACK: the greatest |real| + |imaginary|
        assert (abs(lower) <= most + 1e-12).all() and (np.triu(lower, 1) == 0).all() and (np.tril(upper, -1) == 0).all()


def test_a_matrix_that_is_not_square_is_refused_where_it_is_asked_for():
    wide = da.ones((4, 3), chunks=2)
    for ask in (da.linalg.inv, da.linalg.cholesky, lambda m: da.linalg.solve(m, da.ones(4, chunks=2))):
        with pytest.raises(ValueError, match="must be a square matrix"):
            ask(wide)
