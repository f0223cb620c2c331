"""Functions that only the engine computes: thin calls, in which an expression says the result's type."""

import numpy as np

from .axes import axis_of
from .engine import call

# ── elements at positions ────────────────────────────────────────────────────────────────────


def take(a, indices, axis=None, mode="raise"):
    if axis is None:
        return _taken(a.ravel(), indices, 0, mode)
    return _taken(a, indices, axis_of(axis, a.ndim), mode)


def _taken(a, indices, axis, mode):
    if isinstance(indices, int):
        if a.ndim == 1:
            return call("gather", a[0], a, indices, axis, mode)
        return call("gather", a[..., 0], a, indices, axis, mode)
    if indices.ndim == 1 or a.ndim == 1:
        return call("gather", a if indices.ndim == 1 else np.empty(indices.shape, a.dtype), a, indices, axis, mode)
    return call("gather", np.empty(a.shape[1:] + indices.shape, a.dtype), a, indices, axis, mode)


def take_along_axis(arr, indices, axis=-1):
    if axis is None:
        return call("take_along_axis", np.empty(indices.shape, arr.dtype), arr.ravel(), indices, 0)
    return call("take_along_axis", np.empty(indices.shape, arr.dtype), arr, indices, axis)


def put_along_axis(arr, indices, values, axis):
    if axis is None:
        flat = arr.ravel()
        arr[...] = call("put_along_axis", flat, flat, indices, values, 0).reshape(arr.shape)
    else:
        arr[...] = call("put_along_axis", arr, arr, indices, values, axis)


def compress(condition, a, axis=None):
    at = np.flatnonzero(condition)
    if axis is None:
        return call("gather", a.ravel(), a.ravel(), at, 0, "raise")
    return call("gather", a, a, at, axis_of(axis, a.ndim), "raise")


def compress_method(a, condition, axis=None):
    return compress(condition, a, axis)


def diagonal(a, offset=0, axis1=0, axis2=1):
    return call("diagonal", a[..., 0], a, offset, axis1, axis2)


def diagonal_of_last(x, offset=0):
    return call("diagonal", x[..., 0], x, offset, -2, -1)


def trace(a, offset, axis1, axis2):
    if a.ndim == 2:
        return call("trace", a.sum(), a, offset, axis1, axis2)
    return call("trace", a.sum(axis=0).sum(axis=0), a, offset, axis1, axis2)


def trace_of_last(x, offset=0):
    return trace(x, offset, -2, -1)


def insert(arr, obj, values, axis=None):
    if isinstance(obj, (list, tuple)):
        return insert(arr, np.array(obj), values, axis)
    if isinstance(values, (list, tuple)):
        return insert(arr, obj, np.array(values), axis)
    if axis is None:
        return call("with_inserted", arr.ravel(), arr.ravel(), obj, values, 0)
    return call("with_inserted", arr, arr, obj, values, axis)


def delete(arr, obj, axis):
    if isinstance(obj, (list, tuple)):
        return delete(arr, np.array(obj), axis)
    return call("without", arr, arr, obj, axis)


def unravel_index(indices, shape):
    if len(shape) == 1:
        return call("unravel_index", (indices,), indices, shape)
    if len(shape) == 2:
        return call("unravel_index", (indices, indices), indices, shape)
    if len(shape) == 3:
        return call("unravel_index", (indices, indices, indices), indices, shape)
    return indices.unravel_index_of_more_axes()  # which compiled code does not have, and says so


def ravel_multi_index(multi_index, dims):
    k = 0
    out = multi_index[0] * 0
    for each in multi_index:
        if np.min(each) < 0 or np.max(each) >= dims[k]:
            raise ValueError("invalid entry in coordinates array")
        out = out * dims[k] + each
        k += 1
    return out


# ── orders and sets ──────────────────────────────────────────────────────────────────────────


def lexsort(keys, axis=-1):
    if isinstance(keys, tuple):
        if len(keys) == 1:
            return call("lexsort", np.empty(keys[0].shape, np.int64), axis, keys[0])
        if len(keys) == 2:
            return call("lexsort", np.empty(keys[0].shape, np.int64), axis, keys[0], keys[1])
        if len(keys) == 3:
            return call("lexsort", np.empty(keys[0].shape, np.int64), axis, keys[0], keys[1], keys[2])
    return keys.lexsort_of_more_keys()  # which compiled code does not have, and says so


def sort_complex(a):
    if a.dtype in (np.complex64, np.int8, np.int16, np.uint8, np.uint16):
        return call("sort_complex", np.empty(a.shape, np.complex64), a)
    return call("sort_complex", np.empty(a.shape, np.complex128), a)


def unique_parts(ar, axis):
    return call("parts", ar, ar, axis)


def intersection(ar1, ar2, assume_unique=False, return_indices=True):
    like = np.empty(1, np.result_type(ar1, ar2))
    return call("intersection", (like, np.empty(1, np.int64), np.empty(1, np.int64)), ar1, ar2, assume_unique)


def quantiles(a, q, axis, method, keepdims, leaves_nan_out):
    if isinstance(q, (int, float)):
        if keepdims:
            return call("quantile", a.astype(a.mean().dtype), a, q, axis, method, keepdims, leaves_nan_out)
        if axis is None or a.ndim == 1:
            return call("quantile", a.mean(), a, q, axis, method, keepdims, leaves_nan_out)
        return call("quantile", a[..., 0].astype(a.mean().dtype), a, q, axis, method, keepdims, leaves_nan_out)
    if keepdims:
        return call("quantile", a[None].astype(a.mean().dtype), a, q, axis, method, keepdims, leaves_nan_out)
    if axis is None or a.ndim == 1:
        return call("quantile", np.empty(1, a.mean().dtype), a, q, axis, method, keepdims, leaves_nan_out)
    return call("quantile", a.astype(a.mean().dtype), a, q, axis, method, keepdims, leaves_nan_out)


# ── sampled functions ────────────────────────────────────────────────────────────────────────


def gradient(f, spacing=1.0, axis=None, edge_order=1):
    if axis is not None:
        return _slope(f, spacing, axis, edge_order)
    if f.ndim == 1:
        return _slope(f, spacing, 0, edge_order)
    if f.ndim == 2:
        return _slope(f, spacing, 0, edge_order), _slope(f, spacing, 1, edge_order)
    if f.ndim == 3:
        return (
            _slope(f, spacing, 0, edge_order), _slope(f, spacing, 1, edge_order), _slope(f, spacing, 2, edge_order)
        )  # fmt: skip
    return f.gradient_of_more_axes()  # which compiled code does not have, and says so


def _slope(f, spacing, axis, edge_order):
    return call("gradient", f.astype((f[:1] * 1.0).dtype), f, spacing, axis, edge_order)


# ── norms and products ───────────────────────────────────────────────────────────────────────


def norm(x, ord, axis, keepdims=False):
    like = np.abs(x * 1.0)
    if keepdims:
        return call("norm", like, x, ord, axis, keepdims)
    if axis is None or x.ndim == 1 or (isinstance(axis, tuple) and len(axis) == x.ndim):
        return call("norm", np.abs(x[..., :1] * 1.0).sum(), x, ord, axis, keepdims)
    if isinstance(axis, tuple) and len(axis) == 2:
        return call("norm", like[..., 0, 0], x, ord, axis, keepdims)
    return call("norm", like[..., 0], x, ord, axis, keepdims)


def vector_norm(x, axis=None, keepdims=False, ord=2):
    if axis is None:
        return np.linalg.norm(x.ravel(), ord)
    return norm(x, ord, axis, keepdims)


def matrix_norm(x, keepdims=False, ord="fro"):
    return norm(x, ord, (-2, -1), keepdims)


def svdvals(x):
    return call("svdvals", np.abs(x[..., 0] * 1.0), x)


def multi_dot(arrays):
    product = arrays[0]
    k = 0
    for each in arrays:
        if k > 0:
            product = product @ each
        k += 1
    return product


def vecdot(x1, x2):
    return (np.conj(x1) * x2).sum(axis=-1)


def matrix_transpose(x):
    return x.T


def tensorsolve(a, b):
    if a.ndim - b.ndim == 1:
        return call("tensorsolve", np.empty(1, (a[..., 0].sum() * 1.0).dtype), a, b)
    if a.ndim - b.ndim == 2:
        return call("tensorsolve", np.empty((1, 1), (a[..., 0].sum() * 1.0).dtype), a, b)
    return a.tensorsolve_of_more_axes()  # which compiled code does not have, and says so


def tensorinv(a, ind=2):
    return call("tensorinv", a * 1.0, a, ind)
