"""torch.linalg: the engine's, where the tensors lie. Halves are computed in float32."""

import numpy as _np

import kasoku as ks
from kasoku._core import _linalg

from .._face import compositions as _compositions
from .._face.table import each as _each, Table as _Table
from ._table import functions as _f, rules as _rules
from .return_types import return_type as _return_type

_functions = _Table(_rules)


_kind = lambda name, parts: _return_type("linalg_" + name)(*parts)


def _solved(a, b, upper, left, unitriangular, transpose=False):
    """x with a x = b (or x a = b); only one triangle of a is read."""
    if left:
        return _compositions.solve_triangle(a, b, upper, unitriangular, transpose)
    return _compositions.solve_triangle(a, b.mT, upper, unitriangular, not transpose).mT


def _limit(a, s, atol, rtol):
    """The limit that singular values have to exceed, as in torch."""
    if rtol is None:
        rtol = max(a.shape[-2:]) * _np.finfo(a.dtype).eps if atol is None else 0
    return ks.maximum(rtol * s.max(axis=-1, initial=0), 0 if atol is None else atol)


def _pseudo_inverse(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    u, s, vh = ks.linalg.svd(A, full_matrices=False)
    counts = s > _limit(A, s, atol, rcond if rtol is None else rtol)[..., None]
    inverse = ks.where(counts, 1 / ks.where(counts, s, ks.ones_like(s)), ks.zeros_like(s))
    return ks.conjugate(vh.mT) @ (inverse[..., None] * ks.conjugate(u.mT))


def _rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    s = ks.linalg.svdvals(A)
    return ks.count_nonzero(s > _limit(A, s, tol if atol is None else atol, rtol)[..., None], axis=-1)


_functions.rows("singles", {
    **_each(ks.linalg, "inv det eigvals svdvals", "A"),
    "cholesky": lambda A, *, upper=False: ks.linalg.cholesky(A).mT if upper else ks.linalg.cholesky(A),
    "eigvalsh": lambda A, UPLO="L": ks.linalg.eigvalsh(A, UPLO),
    "matrix_power": lambda A, n: ks.linalg.matrix_power(A, n),
    "cond": lambda A, p=None: ks.linalg.cond(A, p),
    "multi_dot": lambda tensors: ks.linalg.multi_dot(tensors),
    "eig": lambda A: _kind("eig", ks.linalg.eig(A)),
    "eigh": lambda A, UPLO="L": _kind("eigh", ks.linalg.eigh(A, UPLO)),
    "slogdet": lambda A: _kind("slogdet", ks.linalg.slogdet(A)),
    "qr": lambda A, mode="reduced": _kind("qr", ks.linalg.qr(A, mode)),
    "svd": lambda A, full_matrices=True, *, driver=None: _kind("svd", ks.linalg.svd(A, full_matrices)),
    "lstsq": lambda A, B, rcond=None, *, driver=None: (lambda x, residuals, rank, s: _kind(
        "lstsq", (x, residuals, ks.array(rank, device=x.device), s)))(*ks.linalg.lstsq(A, B, rcond)),
    "matrix_rank": (_rank, "How many singular values count."),
    "pinv": (_pseudo_inverse, "The pseudo-inverse, by the singular values that count."),
    "cross": lambda input, other, *, dim=-1: ks.linalg.cross(input, other, axis=dim),
    "solve_triangular": lambda A, B, *, upper, left=True, unitriangular=False: _solved(A, B, upper, left, unitriangular),
    "matrix_norm": lambda A, ord="fro", dim=(-2, -1), keepdim=False: _linalg._matrix_norm(A, ord, tuple(dim), keepdim),
    "vecdot": lambda x, y, *, dim=-1: ks.vecdot(x, y, axis=dim),
    "matrix_exp": lambda A: _compositions.matrix_exp(A),
    "vander": lambda x, N=None: x[..., None] ** ks.arange(x.shape[-1] if N is None else N, device=x.device),
    "tensorinv": lambda A, ind=2: ks.linalg.tensorinv(A, ind),
    "tensorsolve": lambda A, B, dims=None: ks.linalg.tensorsolve(A, B, dims),
})  # fmt: skip


def _lu_factor(A, *, pivot=True):
    """L below the diagonal and U from it on, of rows in the order of the pivots, which count from 1."""
    if not pivot:
        raise NotImplementedError("kasoku's lu_factor exchanges rows: pivot=False is not there")
    m, n = A.shape[-2:]
    most, front = max(m, n), ((0, 0),) * (A.ndim - 2)
    factors, pivots = _linalg._lu(ks.pad(A, (*front, (0, most - m), (0, most - n))) if m != n else A)
    return factors[..., :m, :n], pivots[..., : min(m, n)].astype("int32") + 1


def _permutation(pivots, m):
    """P of A = P L U from its pivots, on the host: each exchange of rows is after the one before."""
    steps = _np.asarray(pivots.numpy() if pivots.device.kind == "cpu" else pivots.to("cpu").numpy()) - 1
    rows = _np.broadcast_to(_np.arange(m), (*steps.shape[:-1], m)).copy()
    for at in _np.ndindex(steps.shape[:-1]):
        for k, other in enumerate(steps[at]):
            rows[(*at, k)], rows[(*at, other)] = rows[(*at, other)], rows[(*at, k)]
    return ks.asarray(_np.swapaxes(_np.eye(m)[rows], -1, -2).copy(), device=pivots.device)


def _lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    m, n = LU_data.shape[-2:]
    k, dtype = min(m, n), str(LU_data.dtype)
    lower = ks.tril(LU_data[..., :k], -1) + ks.eye(m, k, dtype=dtype, device=LU_data.device)
    return _kind("lu", (_permutation(LU_pivots, m).astype(dtype), lower, ks.triu(LU_data[..., :k, :])))


def _lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    p, lower, upper = _lu_unpack(LU, pivots)
    if adjoint or not left:
        a = p @ lower @ upper
        a = ks.conjugate(a.mT) if adjoint else a
        return ks.linalg.solve(a, B) if left else ks.linalg.solve(a.mT, B.mT).mT
    return _solved(upper, _solved(lower, p.mT @ B, False, True, True), True, True, False)


_functions.rows("singles", {
    "lu_factor": (lambda A, *, pivot=True: _kind("lu_factor", _lu_factor(A, pivot=pivot)), "L and U in one matrix, and the pivots."),
    "lu": (lambda A, *, pivot=True: _lu_unpack(*_lu_factor(A, pivot=pivot)), "P, L and U with A = P L U."),
})  # fmt: skip
_functions.rows("arrays", {"lu_solve": (_lu_solve, "x with A x = B, of the factors of A.")})


@_functions.row("singles")
def solve(A, B, *, left=True):  # noqa: N803
    if B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]):  # a stack of vectors
        return ks.linalg.solve(A if left else A.mT, B[..., None])[..., 0]
    return ks.linalg.solve(A, B) if left else ks.linalg.solve(A.mT, B.mT).mT


@_functions.row("tensors")
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):  # noqa: N803
    """The norm of matrices if two axes are given, else of vectors."""
    of_matrix = A.ndim == 2 if dim is None else isinstance(dim, (tuple, list)) and len(dim) == 2
    if ord is None or not of_matrix:
        if ord is not None and dim is None and A.ndim > 2:
            raise RuntimeError(
                f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
            )
        return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    return matrix_norm(A if dtype is None else A.to(dtype), ord, tuple(dim) if dim is not None else (-2, -1), keepdim)


_functions.rows("tensors", {
    "matmul": lambda input, other, *, out=None: _f.matmul(input, other, out=out),
    "vector_norm": lambda x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None: _f.norm(
        x, ord, dim, keepdim, dtype=dtype),
    "diagonal": lambda A, *, offset=0, dim1=-2, dim2=-1: _f.diagonal(A, offset, dim1, dim2),
})  # fmt: skip
globals().update(_functions)
matrix_norm, vector_norm = _functions["matrix_norm"], _functions["vector_norm"]
