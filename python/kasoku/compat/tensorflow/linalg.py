"""tf.linalg: products are the engine's, factorisations NumPy's on the host."""

import numpy as np

import kasoku as ks

from . import dtypes
from ._arrays import host
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
    return host(lambda a: np.linalg.norm(a if axis is not None else a.ravel(), kind, axis, keepdims), tensor)


def matvec(a, b, name=None, **ignored):
    return host(lambda x, y: np.einsum("...ij,...j->...i", x, y), a, b)


for _name in ("inv", "det", "solve", "cholesky", "pinv", "eigvalsh"):

    def _factor(*args, name=None, _function=getattr(np.linalg, _name), **ignored):
        return host(_function, *args)

    globals()[_name] = _factor
inverse = globals()["inv"]


def _several(function):
    def f(tensor, name=None, **ignored):
        x = convert(tensor)
        return tuple(constant(part, x.dtype) for part in function(x.numpy()))

    return f


qr, eigh = _several(np.linalg.qr), _several(np.linalg.eigh)


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """s, u, v with tensor = u · diag(s) · vᵀ."""
    x = convert(tensor)
    u, s, v = np.linalg.svd(x.numpy(), full_matrices)
    parts = (s, u, np.conj(np.swapaxes(v, -1, -2))) if compute_uv else (s,)
    made = [constant(np.ascontiguousarray(part), x.dtype if part is not s else None) for part in parts]
    return tuple(made) if compute_uv else made[0]


def diag(diagonal, k=0, name=None, **ignored):
    return host(lambda a: np.diag(a, k), diagonal)


def diag_part(input, k=0, name=None, **ignored):  # noqa: A002
    return host(lambda a: np.diagonal(a, k, -2, -1), input)


def trace(x, name=None):
    return host(lambda a: np.trace(a, axis1=-2, axis2=-1), x)


def band_part(input, num_lower, num_upper, name=None):  # noqa: A002
    def cut(a):
        i, j = np.ogrid[: a.shape[-2], : a.shape[-1]]
        lower, upper = int(num_lower), int(num_upper)
        return np.where(((lower < 0) | (i - j <= lower)) & ((upper < 0) | (j - i <= upper)), a, 0)

    return host(cut, input)
