"""Some eigenvalues and singular values."""

import numpy as _np

from ..... import cupy as _cupy
from ._operators import LinearOperator as _LinearOperator, aslinearoperator as _aslinearoperator

__all__ = ["eigsh", "svds"]


def _lanczos(A, k, which, tol, width, most, start):
    """Values and vectors at the ends of a Hermitian operator's, by Lanczos' vectors, each at a right angle to all before it. When
    there are `width`, the nearest combinations of them are kept, and the next ones go on from there (Wu and Simon, 2000)."""
    n, dtype = A.shape[0], A.dtype if A.dtype.char in "fdFD" else _np.dtype("float64")
    eps = _np.finfo(dtype).eps
    basis = _cupy.zeros((width + 1, n), dtype)  # in rows: each lies in one piece
    inner, kept = _np.zeros((width, width)), 0
    v = _random(n, 1, dtype) if start is None else start.ravel().astype(dtype)
    basis[0] = v / _cupy.linalg.norm(v)
    for _ in range(most):
        for j in range(kept, width):
            w = A.matvec(basis[j])
            before = basis[: j + 1]
            shares = before.conj() @ w
            inner[j, j] = float(shares[j].real)
            w = w - shares @ before
            w = w - (before.conj() @ w) @ before
            size = float(_cupy.linalg.norm(w))
            if size <= eps * abs(inner).max() * n:  # a part of the space that A does not leave: another beginning
                size, w = 0.0, _random(n, j + 2, dtype)
                for _ in range(2):
                    w = w - (before.conj() @ w) @ before
            basis[j + 1] = w / (size or _cupy.linalg.norm(w))
            if j + 1 < width:
                inner[j, j + 1] = inner[j + 1, j] = size
        values, vectors = _np.linalg.eigh(inner)
        at = _chosen(values, k, which)
        left = size * abs(vectors[-1, at])
        if width == n or (left <= max(tol, eps) * _np.maximum(abs(values[at]), eps ** (2 / 3))).all():
            break
        kept = k + (width - k) // 2
        best = _chosen(values, kept, which)
        basis[:kept] = _cupy.asarray(vectors[:, best].T.astype(dtype)) @ basis[:width]
        basis[kept] = basis[width]
        inner[...] = 0
        inner[range(kept), range(kept)] = values[best]
        inner[kept, :kept] = inner[:kept, kept] = size * vectors[-1, best]
    return values[at], (_cupy.asarray(vectors[:, at].T.astype(dtype)) @ basis[:width]).T


def _random(n, seed, dtype):
    return (_cupy.random.RandomState(seed).rand(n) - 0.5).astype(dtype)


def _chosen(values, k, which):
    """Which of sorted values, in rising order."""
    sizes = values if which[1] == "A" else abs(values)
    return _np.sort(_np.argsort(-sizes if which[0] == "L" else sizes)[:k])


def eigsh(a, k=6, *, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True):
    """k eigenvalues of a Hermitian matrix, in rising order, and its vectors: the largest ("LM" by magnitude, "LA") or smallest ("SA")."""
    A = _aslinearoperator(a)
    n = A.shape[0]
    if A.shape != (n, n):
        raise ValueError(f"expected square matrix (shape: {A.shape})")
    if k <= 0 or k >= n:
        raise ValueError(f"k must be greater than 0 and less than {n} (actual: {k})")
    if which not in ("LM", "LA", "SA"):
        raise ValueError(f"which must be 'LM','LA'or'SA' (actual: {which})")
    width = min(n, max(2 * k + 1, k + 32) if ncv is None else max(ncv, k + 2))
    values, vectors = _lanczos(A, k, which, tol, width, 10 * n if maxiter is None else maxiter, v0)
    values = _cupy.asarray(values.astype(vectors.real.dtype))
    return (values, vectors) if return_eigenvectors else values


def svds(a, k=6, *, ncv=None, tol=0, which="LM", maxiter=None, return_singular_vectors=True):
    """The k greatest singular values in rising order, and the vectors of both sides, by eigenvalues of the smaller product."""
    A = _aslinearoperator(a)
    m, n = A.shape
    if k <= 0 or k >= min(m, n):
        raise ValueError(f"k must be greater than 0 and less than {min(m, n)} (actual: {k})")
    is_tall = m >= n
    inner, outer = (A.matvec, A.rmatvec) if is_tall else (A.rmatvec, A.matvec)
    product = _LinearOperator(shape=(min(m, n),) * 2, matvec=lambda v: outer(inner(v)), dtype=A.dtype)
    values, v = eigsh(product, k, which="LM", tol=tol, ncv=ncv, maxiter=maxiter)
    s = _cupy.sqrt(_cupy.maximum(values, 0))
    if not return_singular_vectors:
        return s
    u = _cupy.stack([inner(v[:, i]) for i in range(k)], 1) / _cupy.where(s == 0, 1, s)
    return (u, s, v.conj().T) if is_tall else (v, s, u.conj().T)
