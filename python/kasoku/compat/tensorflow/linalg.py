"""tf.linalg: products, factors and norms are the engine's."""

import kasoku as ks
from kasoku._core import _linalg

from .._face import compositions as _compositions
from .._face.table import each as _each
from . import dtypes as _dtypes
from . import nn as _nn  # noqa: F401 - it fills the tables
from ._ops import _facing, matmul  # noqa: F401
from ._table import (
    functions as _f,
    in_type as _in_type,
    ints as _ints,
    linalgs as _functions,
    plain as _plain,
    share as _share,
)
from ._tensor import convert as _convert, Tensor as _Tensor


def _norm(tensor, ord="euclidean", axis=None, keepdims=False):
    axis, ord = tuple(axis) if isinstance(axis, list) else axis, None if ord == "euclidean" else ord
    return ks.linalg.norm(tensor if axis is not None else ks.ravel(tensor), ord, axis, keepdims)


def _svd(tensor, full_matrices=False, compute_uv=True):
    """s, u, v with tensor = u · diag(s) · vᵀ."""
    if not compute_uv:
        return ks.linalg.svdvals(tensor)
    u, s, vh = ks.linalg.svd(tensor, full_matrices)
    return s, u, ks.conjugate(vh.mT)


def _band(a, lower, upper):
    if lower >= 0:
        a = _linalg._triangle(a, False, -lower)
    return a if upper < 0 else _linalg._triangle(a, True, upper)


def _least_squares(matrix, rhs, l2_regularizer=0.0, fast=True):
    """x for which matrix x is nearest to rhs."""
    if not l2_regularizer:
        return ks.linalg.pinv(matrix) @ rhs
    at, one = ks.conjugate(matrix.mT), ks.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return ks.linalg.solve(at @ matrix + l2_regularizer * one, at @ rhs)


def _with_diagonal(input, diagonal, **ignored):
    """A copy with another diagonal."""
    a, at = ks.copy(input), ks.arange(min(input.shape[-2:]), device=input.device)
    a[..., at, at] = diagonal
    return a


def _in_complex(parts, x):
    kind = "complex128" if x.dtype in ("float64", "complex128") else "complex64"
    return tuple(p.astype(kind) for p in parts)


_functions.rows("keeps", {
    **_each(ks.linalg, "inv det cholesky pinv eigvalsh", "input | **ignored"),
    "solve": lambda matrix, rhs, adjoint=False: ks.linalg.solve(ks.conjugate(matrix.mT) if adjoint else matrix, rhs),
    "norm": _norm,
    "matvec": lambda a, b, transpose_a=False, adjoint_a=False: (
        _facing(a, transpose_a, adjoint_a) @ b[..., None])[..., 0],
    "qr": lambda input, full_matrices=False: tuple(ks.linalg.qr(input, "complete" if full_matrices else "reduced")),
    "eigh": lambda tensor: tuple(ks.linalg.eigh(tensor)),
    "slogdet": lambda input: tuple(ks.linalg.slogdet(input)),
    "logdet": lambda matrix: ks.linalg.slogdet(matrix).logabsdet,
    "diag": lambda diagonal, k=0, **ignored: _compositions.diagonals(diagonal, int(k)),
    "diag_part": lambda input, k=0, **ignored: ks.diagonal(input, k, -2, -1).copy(),
    "tensor_diag": lambda diagonal: _compositions.diagonals(diagonal),
    "tensor_diag_part": lambda input: ks.diagonal(input).copy(),
    "set_diag": _with_diagonal,
    "trace": lambda x: ks.trace(x, axis1=-2, axis2=-1),
    "band_part": lambda input, num_lower, num_upper: _band(input, int(num_lower), int(num_upper)),
    **_each(ks, "cross", "a, b"),
    "adjoint": lambda matrix: ks.conjugate(matrix.mT),
    "matrix_transpose": lambda a, conjugate=False: ks.conjugate(a.mT) if conjugate else ks.copy(a.mT),
    "cholesky_solve": lambda a, rhs: ks.linalg.solve(a @ ks.conjugate(a.mT), rhs),
    "triangular_solve": lambda matrix, rhs, lower=True, adjoint=False: _compositions.solve_triangle(
        matrix, rhs, not lower, conjugated=adjoint),
    "lstsq": _least_squares,
    "expm": lambda input: _compositions.matrix_exp(input),
    "tensordot": lambda a, b, axes: ks.tensordot(a, b, _plain(axes)),
})  # fmt: skip
_functions.rows("own", {
    "svd": _svd,
    "matrix_rank": lambda a, tol=None: _in_type(ks.linalg.matrix_rank(a, tol), _dtypes.int32),
    "eig": lambda tensor: _in_complex(ks.linalg.eig(tensor), tensor),
    "eigvals": lambda tensor: _in_complex((ks.linalg.eigvals(tensor),), tensor)[0],
})  # fmt: skip


def _eye(num_rows, num_columns=None, batch_shape=None, dtype=_dtypes.float32):
    made = ks.eye(num_rows, num_columns, dtype=_dtypes.as_dtype(dtype).as_numpy_dtype)
    return _Tensor(made if batch_shape is None else ks.broadcast_to(made, (*_ints(batch_shape), *made.shape)).copy())


def _clipped(t_list, clip_norm, use_norm=None):
    norm = _functions.global_norm(t_list) if use_norm is None else _convert(use_norm)
    scale = clip_norm / ks.maximum(norm._array, clip_norm)
    return [_Tensor(_convert(t)._array * scale) for t in t_list], norm


def _normalized(tensor, ord="euclidean", axis=None):
    length = _functions.norm(tensor, ord, axis, keepdims=axis is not None)
    return _convert(tensor) / length, length


_functions.rows("tensors", {
    "eye": _eye,
    "einsum": lambda equation, *inputs, **ignored: _Tensor(
        ks.einsum(equation, *(_convert(x)._array for x in inputs), optimize=True)),
    "global_norm": lambda t_list: _Tensor(ks.sqrt(sum((_convert(t)._array ** 2).sum() for t in t_list))),
    "normalize": _normalized,
})  # fmt: skip
_functions.alias(inverse="inv")
_f.rows("tensors", {"clip_by_global_norm": _clipped})
_share(_functions, _f, "eye einsum tensordot norm eig eigvals")
globals().update(_functions)
