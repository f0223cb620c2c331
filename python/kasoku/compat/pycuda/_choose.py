"""Elements picked, joined or chosen, of GPUArrays."""

import numpy as np

import kasoku as ks

from .._face.table import bound as _bound, plain as _plain
from .._layout import order_of
from ._array import GPUArray, result
from ._operators import binary, common, unary


_flat = lambda a: a.__kasoku_array__.reshape(-1)


def take(a, indices, out=None, stream=None):
    """out[i] = a[indices[i]]"""
    out = GPUArray(indices.shape, a.dtype) if out is None else out
    return out._store(ks.take(_flat(a), indices.__kasoku_array__), stream)


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None,
                   src_offsets=None):  # fmt: skip
    offsets = [0] * len(arrays) if src_offsets is None else src_offsets
    given = [take(a, src_indices + int(offset)) for a, offset in zip(arrays, offsets)]
    return multi_put(given, dest_indices, dest_shape, out or [GPUArray(dest_shape, a.dtype) for a in arrays], stream)


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    out = [GPUArray(dest_shape, a.dtype) for a in arrays] if out is None else out
    for a, o in zip(arrays, out):
        places = _flat(o)
        places[dest_indices.__kasoku_array__] = a.__kasoku_array__
        places.eval()
    return out


def _joined(arrays, axis, allocator, order="C"):
    shape = list(arrays[0].shape)
    for other in arrays[1:]:
        if other.ndim != len(shape) or any(a != b for k, (a, b) in enumerate(zip(other.shape, shape)) if k != axis):
            raise ValueError("arrays that are joined differ only in the length of that axis")
    shape[axis], at = sum(a.shape[axis] for a in arrays), 0
    joined = GPUArray(shape, np.result_type(*(a.dtype for a in arrays)), allocator=allocator, order=order)
    for array in arrays:
        end = at + array.shape[axis]
        joined[(slice(None),) * axis + (slice(at, end),)]._store(array.__kasoku_array__)
        at = end
    return joined


def concatenate(arrays, axis=0, allocator=None):
    arrays = list(arrays)
    if not arrays:
        raise ValueError("nothing to concatenate")
    return _joined(arrays, axis % arrays[0].ndim, allocator)


def stack(arrays, axis=0, allocator=None):
    arrays = list(arrays)
    if not arrays:
        raise ValueError("nothing to stack")
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("arrays that are stacked have one shape")
    axis %= arrays[0].ndim + 1
    layers = [a[(slice(None),) * axis + (None,)] for a in arrays]
    return _joined(layers, axis, allocator, order_of(arrays[0]))


def if_positive(criterion, then_, else_, out=None, stream=None):
    """then_ where criterion is above 0, else_ elsewhere."""
    if criterion.shape != getattr(then_, "shape", criterion.shape):
        raise ValueError("criterion, then_ and else_ have one shape")
    return _chosen(criterion, criterion.__kasoku_array__ > 0, then_, else_, out, stream)


def _chosen(criterion, is_first, then_, else_, out, stream):
    dtype = common(then_, else_)
    parts = (v.__kasoku_array__ if isinstance(v, GPUArray) else dtype.type(v) for v in (then_, else_))
    return result(ks.where(is_first, *parts), criterion, out, stream, dtype)


def _of_two(a, b, out=None, stream=None, *, allocator=None, name):
    """An operation of two operands; NumPy's where none is an array here."""
    if not isinstance(a, GPUArray) and not isinstance(b, GPUArray):
        return getattr(np, name)(a, b)
    return binary(name, a, b, dtype=bool if name.startswith("logical") else None, out=out, stream=stream)


_plain(globals(), {
    **{name: _bound(_of_two, name=name) for name in ("maximum", "minimum", "logical_and", "logical_or")},
    "multi_take": lambda arrays, indices, out=None, stream=None: [
        take(a, indices, o, stream) for a, o in zip(arrays, out or [None] * len(arrays))],
    "transpose": lambda a, axes=None: a.transpose(axes),
    "reshape": lambda a, *shape, **kwargs: a.reshape(*shape, **kwargs),
    "where": lambda criterion, then_, else_, out=None, stream=None: _chosen(
        criterion, criterion.__kasoku_array__ != 0, then_, else_, out, stream),
    "logical_not": lambda x, /, out=None, *, allocator=None: unary("logical_not", x, out),
})  # fmt: skip
