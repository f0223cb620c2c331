"""torch.linalg: products and norms are the engine's, factorisations NumPy's on the host."""

import collections

import numpy as np

from ._host import on_host
from ._ops import functions as _functions

matmul = _functions["matmul"]


def norm(x, ord=None, dim=None, keepdim=False):
    return _functions["norm"](x, ord if ord is not None else 2, dim, keepdim)


vector_norm = norm


def _named(name, fields):
    kind = collections.namedtuple(name, fields)
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
    collections.namedtuple(name, fields)
    for name, fields in (("svd", "U S Vh"), ("qr", "Q R"), ("lstsq", "solution residuals rank singular_values"))
)


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
def lstsq(a, b):
    return _Lstsq(*np.linalg.lstsq(a, b, None))


def cross(a, b, *, dim=-1):
    return on_host(lambda x, y: np.cross(x, y, axis=dim))(a, b)


def multi_dot(tensors):
    return on_host(np.linalg.multi_dot)(list(tensors))
