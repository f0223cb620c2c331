"""cupy.cublas against NumPy's products of the same matrices."""

import numpy as np
import pytest

from kasoku.compat import cupy
from kasoku.compat.cupy import cublas

pytestmark = pytest.mark.usefixtures("device")

DTYPES = ["float32", "float64", "complex64", "complex128"]
TURNS = {"N": lambda a: a, "T": lambda a: a.T, "H": lambda a: a.conj().T}


def draw(*shape, dtype="float64", seed=0):
    g = np.random.default_rng(seed)
    x = g.uniform(-1, 1, shape) + (1j * g.uniform(-1, 1, shape) if np.dtype(dtype).kind == "c" else 0)
    return x.astype(dtype)


def same(got, want):
    assert isinstance(got, (cupy.ndarray, np.ndarray)) and got.dtype == want.dtype
    np.testing.assert_allclose(cupy.asnumpy(got), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_vectors(dtype):
    x, y = draw(100, dtype=dtype), draw(100, dtype=dtype, seed=1)
    a, b = cupy.array(x), cupy.array(y)
    size = abs(x.real) + abs(x.imag)
    assert int(cublas.iamax(a)) == size.argmax() + 1 and int(cublas.iamin(a)) == size.argmin() + 1
    same(cublas.asum(a), size.sum()), same(cublas.nrm2(a), np.linalg.norm(x))
    same(cublas.dotu(a, b), x @ y), same(cublas.dotc(a, b), x.conj() @ y)
    for out in (cupy.empty((), dtype), np.empty((), dtype)):
        assert cublas.dotu(a, b, out=out) is out
        same(out, x @ y)
    if np.dtype(dtype).kind == "c":
        with pytest.raises(TypeError, match="the ones that end in u and c do"):
            cublas.dot(a, b)
    cublas.axpy(2, a, b)
    same(b, 2 * x + y)
    cublas.scal(np.array(3.0), a)
    same(a, 3 * x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("order", "CF")
def test_products(dtype, turn, order):
    op = TURNS[turn]
    x, y = draw(4, 5, dtype=dtype), draw(4, 5, dtype=dtype, seed=1)
    a, b = cupy.array(x, order=order), cupy.array(y)
    other = {"N": "T", "T": "N", "H": "N"}[turn]
    same(cublas.gemm(turn, other, a, b), op(x) @ TURNS[other](y))
    out = cupy.ones(2 * (op(x).shape[0],), dtype, order)
    cublas.gemm(turn, other, a, b, out=out, alpha=2, beta=3)
    same(out, 2 * (op(x) @ TURNS[other](y)) + 3)
    same(cublas.geam(turn, turn, 2, a, 3, b), 2 * op(x) + 3 * op(y))
    v, w = draw(op(x).shape[1], dtype=dtype), draw(op(x).shape[0], dtype=dtype)
    got = cupy.array(w)
    cublas.gemv(turn, 2, a, cupy.array(v), 3, got)
    same(got, 2 * (op(x) @ v) + 3 * w)
    for row, column in [("geru", v), ("gerc", v.conj())]:
        m = cupy.array(op(x))
        getattr(cublas, row)(2, cupy.array(w), cupy.array(v), m)
        same(m, op(x) + 2 * np.outer(w, column))
    same(cublas.dgmm("L", a, cupy.array(w if turn == "N" else v)), np.diag(w if turn == "N" else v) @ x)
    same(
        cublas.dgmm("R", a, cupy.array(v if turn == "N" else w), incx=-1), x @ np.diag((v if turn == "N" else w)[::-1])
    )
    if turn != "H":
        want = op(x) @ op(x).T
        same(cublas.syrk(turn, a, lower=True), np.tril(want))
        out = cupy.ones(want.shape, dtype)
        cublas.syrk(turn, a, out=out, alpha=2, beta=3)
        same(out, np.triu(2 * want + 3) + np.tril(np.ones_like(want), -1))


@pytest.mark.parametrize("lower", [False, True])
def test_a_symmetric_band_and_solutions(lower):
    n, k = 6, 2
    full = np.tril(np.triu(draw(n, n), -k), k)
    full = full + full.T
    band = np.zeros((k + 1, n))
    for d in range(k + 1):
        band[d if lower else k - d, slice(None, n - d) if lower else slice(d, None)] = np.diag(full, d)
    x, y = draw(n), draw(n, seed=1)
    same(cublas.sbmv(k, 2, cupy.array(band), cupy.array(x), 3, cupy.array(y), lower=lower), 2 * full @ x + 3 * y)
    a, b = draw(3, n, n) + 4 * np.eye(n), draw(3, n)
    same(cublas.batched_gesv(cupy.array(a), cupy.array(b)), np.linalg.solve(a, b[..., None])[..., 0])
    same(cublas.batched_gesv(cupy.array(a[0]), cupy.array(b.T)), np.linalg.solve(a[0], b.T))


def test_a_matrix_is_turned_by_a_letter_that_there_is():
    with pytest.raises(TypeError, match="by N, T or H, not by 'X'"):
        cublas.gemm("X", "N", cupy.ones((2, 2)), cupy.ones((2, 2)))
