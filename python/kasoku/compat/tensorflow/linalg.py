"""tf.linalg: products, factors and norms are the engine's."""

import numpy as np

import kasoku as ks
from kasoku._core import _linalg

from . import dtypes
from ._arrays import engine, host
from ._ops import _shape, constant, matmul, transpose  # noqa: F401
from ._tensor import Tensor, convert

matrix_transpose = transpose
functions = {}  # those that are in tf too


def _shared(f):
    functions[f.__name__] = f
    return f


@_shared
def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None):
    made = ks.eye(num_rows, num_columns, dtype=dtypes.as_dtype(dtype).as_numpy_dtype)
    return Tensor(made if batch_shape is None else ks.broadcast_to(made, (*_shape(batch_shape), *made.shape)).copy())


@_shared
def einsum(equation, *inputs, **ignored):
    return host(lambda *arrays: np.einsum(equation, *arrays, optimize=True), *inputs)


@_shared
def tensordot(a, b, axes, name=None):
    return host(lambda x, y: np.tensordot(x, y, axes.numpy() if hasattr(axes, "numpy") else axes), a, b)


@_shared
def norm(tensor, ord="euclidean", axis=None, keepdims=False, name=None):  # noqa: A002
    kind = None if ord == "euclidean" else ord
    along = tuple(axis) if isinstance(axis, list) else axis
    return engine(lambda a: ks.linalg.norm(a if axis is not None else ks.ravel(a), kind, along, keepdims), tensor)


def matvec(a, b, name=None, **ignored):
    return engine(lambda x, y: (x @ y[..., None])[..., 0], a, b)


for _name in ("inv", "det", "solve", "cholesky", "pinv", "eigvalsh"):

    def _factor(*args, name=None, _function=getattr(ks.linalg, _name), **ignored):
        return engine(_function, *args)

    globals()[_name] = _factor
inverse = globals()["inv"]


def qr(input, full_matrices=False, name=None):  # noqa: A002
    return engine(lambda a: tuple(ks.linalg.qr(a, "complete" if full_matrices else "reduced")), input)


def eigh(tensor, name=None):
    return engine(lambda a: tuple(ks.linalg.eigh(a)), tensor)


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """s, u, v with tensor = u · diag(s) · vᵀ."""
    x = convert(tensor)._array
    if not compute_uv:
        return Tensor(ks.linalg.svdvals(x))
    u, s, vh = ks.linalg.svd(x, full_matrices)
    return Tensor(s), Tensor(u), Tensor(ks.conjugate(vh.mT))


def diag(diagonal, k=0, name=None, **ignored):
    return host(lambda a: np.diag(a, k), diagonal)


def diag_part(input, k=0, name=None, **ignored):  # noqa: A002
    return engine(lambda a: ks.diagonal(a, k, -2, -1).copy(), input)


def trace(x, name=None):
    return engine(lambda a: ks.trace(a, axis1=-2, axis2=-1), x)


def band_part(input, num_lower, num_upper, name=None):  # noqa: A002
    lower, upper = int(num_lower), int(num_upper)

    def cut(a):
        if lower >= 0:
            a = _linalg._triangle(a, False, -lower)
        return a if upper < 0 else _linalg._triangle(a, True, upper)

    return engine(cut, input)
