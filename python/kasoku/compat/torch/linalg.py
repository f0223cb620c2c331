"""torch.linalg: the engine's, where the tensors lie."""

import math

import numpy as np

import kasoku as ks
from kasoku._core import _linalg

from ._engine import by_engine
from ._ops import functions as _functions
from .return_types import return_type

matmul = _functions["matmul"]


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    return _functions["norm"](x, ord, dim, keepdim, dtype=dtype)


def norm(x, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):
    """Of a matrix where two axes are meant, of a vector else."""
    of_matrix = x.ndim == 2 if dim is None else isinstance(dim, (tuple, list)) and len(dim) == 2
    if ord is None or not of_matrix:
        if ord is not None and dim is None and x.ndim > 2:
            raise RuntimeError(
                f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {x.ndim}D."
            )
        return vector_norm(x, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    return matrix_norm(x if dtype is None else x.to(dtype), ord, tuple(dim) if dim is not None else (-2, -1), keepdim)


inv, det, eigvals, eigvalsh, matrix_power, cond, cholesky, svdvals = (
    by_engine(getattr(ks.linalg, name))
    for name in ("inv", "det", "eigvals", "eigvalsh", "matrix_power", "cond", "cholesky", "svdvals")
)
multi_dot = by_engine(ks.linalg.multi_dot)


def _named(name, fields):
    kind = return_type("linalg_" + name, fields)
    function = getattr(ks.linalg, name)
    return by_engine(lambda *args, **kwargs: kind(*function(*args, **kwargs)))


eig, eigh = (_named(name, "eigenvalues eigenvectors") for name in ("eig", "eigh"))
slogdet = _named("slogdet", "sign logabsdet")
qr, _svd = _named("qr", "Q R"), _named("svd", "U S Vh")
_Lstsq = return_type("linalg_lstsq", "solution residuals rank singular_values")
_Svd3 = return_type("svd", "U S V")


def svd(x, full_matrices=True, *, driver=None, out=None):
    return _svd(x, full_matrices, out=out)


@by_engine
def solve(a, b, *, left=True):
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):  # a stack of vectors
        return ks.linalg.solve(a if left else a.mT, b[..., None])[..., 0]
    return ks.linalg.solve(a, b) if left else ks.linalg.solve(a.mT, b.mT).mT


@by_engine
def lstsq(a, b, rcond=None, *, driver=None):
    x, residuals, rank, s = ks.linalg.lstsq(a, b, rcond)
    return _Lstsq(x, residuals, ks.array(rank, device=x.device), s)


def _limit(a, s, atol, rtol):
    """What a singular value has to be above, as torch has it."""
    if rtol is None:
        rtol = max(a.shape[-2:]) * np.finfo(a.dtype).eps if atol is None else 0
    return ks.maximum(rtol * s.max(axis=-1, initial=0), 0 if atol is None else atol)


@by_engine
def matrix_rank(a, tol=None, hermitian=False, *, atol=None, rtol=None):
    s = ks.linalg.svdvals(a)
    return ks.count_nonzero(s > _limit(a, s, tol if atol is None else atol, rtol)[..., None], axis=-1)


@by_engine
def pinv(a, rcond=None, hermitian=False, *, atol=None, rtol=None):
    u, s, vh = ks.linalg.svd(a, full_matrices=False)
    counts = s > _limit(a, s, atol, rcond if rtol is None else rtol)[..., None]
    inverse = ks.where(counts, 1 / ks.where(counts, s, ks.ones_like(s)), ks.zeros_like(s))
    return ks.conjugate(vh.mT) @ (inverse[..., None] * ks.conjugate(u.mT))


@by_engine
def cross(a, b, *, dim=-1):
    return ks.linalg.cross(a, b, axis=dim)


@by_engine
def solve_triangular(a, b, *, upper, left=True, unitriangular=False):
    """x with a x = b (or x a = b); only one triangle of a is read."""
    a = _linalg._triangle(a, not upper)
    if unitriangular:
        one = ks.eye(a.shape[-1], dtype=a.dtype, device=a.device)
        a = a * (1 - one) + one
    return ks.linalg.solve(a, b) if left else ks.linalg.solve(a.mT, b.mT).mT


@by_engine
def matrix_norm(x, ord="fro", dim=(-2, -1), keepdim=False):
    return _linalg._matrix_norm(x, ord, tuple(dim), keepdim)


def vecdot(x, y, *, dim=-1):
    return (x.conj() * y).sum(dim) if x.dtype.is_complex else (x * y).sum(dim)


@by_engine
def matrix_exp(x):
    """By scaling, a Taylor series of 18 terms and squaring."""
    largest = float(ks.absolute(x).sum(axis=-1).max(initial=0))
    times = max(0, math.ceil(math.log2(max(largest, 1e-300))) + 3)
    small = x / 2.0**times
    term = total = ks.broadcast_to(ks.eye(x.shape[-1], dtype=x.dtype, device=x.device), x.shape)
    for k in range(1, 19):
        term = term @ small / k
        total = total + term
    for _ in range(times):
        total = total @ total
    return total


@by_engine
def vander(x, N=None):  # noqa: N803
    return x[..., None] ** ks.arange(x.shape[-1] if N is None else N, device=x.device)
