"""torch.linalg: products and norms are the engine's, factorisations NumPy's on the host."""

import numpy as np

from ._host import on_host
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


def _named(name, fields):
    kind = return_type("linalg_" + name, fields)
    function = getattr(np.linalg, name)
    return on_host(lambda *args, **kwargs: kind(*function(*args, **kwargs)))


inv, det, solve, pinv, eigvals, eigvalsh, matrix_power, cond = (
    on_host(getattr(np.linalg, name))
    for name in ("inv", "det", "solve", "pinv", "eigvals", "eigvalsh", "matrix_power", "cond")
)
matrix_rank, cholesky = on_host(np.linalg.matrix_rank), on_host(np.linalg.cholesky)
eig, eigh = _named("eig", "eigenvalues eigenvectors"), _named("eigh", "eigenvalues eigenvectors")
slogdet = _named("slogdet", "sign logabsdet")
_Svd, _Qr, _Lstsq = (
    return_type("linalg_" + name, fields)
    for name, fields in (("svd", "U S Vh"), ("qr", "Q R"), ("lstsq", "solution residuals rank singular_values"))
)


_Svd3 = return_type("svd", "U S V")


@on_host
def svd(x, full_matrices=True):
    return _Svd(*np.linalg.svd(x, full_matrices))


@on_host
def svdvals(x):
    return np.linalg.svd(x, compute_uv=False)


@on_host
def qr(x, mode="reduced"):
    return _Qr(*np.linalg.qr(x, mode))


@on_host
def lstsq(a, b, rcond=None, *, driver=None):
    return _Lstsq(*np.linalg.lstsq(a, b, rcond))


def cross(a, b, *, dim=-1):
    return on_host(lambda x, y: np.cross(x, y, axis=dim))(a, b)


def multi_dot(tensors):
    return on_host(np.linalg.multi_dot)(list(tensors))


@on_host
def solve_triangular(a, b, *, upper, left=True, unitriangular=False):
    """x with a x = b (or x a = b); only one triangle of a is read."""
    a = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        a = a - a * np.eye(a.shape[-1], dtype=a.dtype) + np.eye(a.shape[-1], dtype=a.dtype)
    if left:
        return np.linalg.solve(a, b)
    return np.swapaxes(np.linalg.solve(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)


@on_host
def matrix_norm(x, ord="fro", dim=(-2, -1), keepdim=False):
    return np.linalg.norm(x, ord, dim, keepdim)


def vecdot(x, y, *, dim=-1):
    return (x * y).sum(dim)


@on_host
def matrix_exp(x):
    """By scaling, a Taylor series of 18 terms and squaring."""
    times = max(0, int(np.ceil(np.log2(max(np.abs(x).sum(-1).max(initial=0), 1e-300)))) + 3)
    small = x / 2.0**times
    term = total = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    for k in range(1, 19):
        term = term @ small / k
        total = total + term
    for _ in range(times):
        total = total @ total
    return total


def vander(x, N=None):  # noqa: N803
    return on_host(lambda a: np.vander(a, N, True))(x)
