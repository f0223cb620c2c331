"""Elements picked, joined or chosen, of GPUArrays."""

import numpy as np

from .._layout import order_of
from . import _kernels
from ._array import GPUArray, copy_into
from ._operators import binary, common


def take(a, indices, out=None, stream=None):
    """out[i] = a[indices[i]]"""
    if out is None:
        out = GPUArray(indices.shape, a.dtype)
    a = a if a.flags.forc else a.copy()
    _kernels.element_kernel("raw T a, I index", "T z", "z = a[index]", "gpuarray_take")(
        a.ravel() if a.ndim != 1 else a, indices, out, stream=stream
    )
    return out


def multi_take(arrays, indices, out=None, stream=None):
    results = out or [None] * len(arrays)
    return [take(a, indices, o, stream) for a, o in zip(arrays, results)]


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None,
                   src_offsets=None):  # fmt: skip
    if out is None:
        out = [GPUArray(dest_shape, a.dtype) for a in arrays]
    for k, (a, o) in enumerate(zip(arrays, out)):
        offset = int(src_offsets[k]) if src_offsets is not None else 0
        _kernels.element_kernel(
            "raw T a, I to, J from_, int64 offset", "raw T z", "z[to] = a[from_ + offset]",
            "gpuarray_take_put",
        )(a, dest_indices, src_indices, offset, o, stream=stream)  # fmt: skip
    return out


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    if out is None:
        out = [GPUArray(dest_shape, a.dtype) for a in arrays]
    for a, o in zip(arrays, out):
        _kernels.element_kernel("T a, I to", "raw T z", "z[to] = a", "gpuarray_put")(a, dest_indices, o, stream=stream)
    return out


def concatenate(arrays, axis=0, allocator=None):
    arrays = list(arrays)
    if not arrays:
        raise ValueError("nothing to concatenate")
    axis %= arrays[0].ndim
    shape = list(arrays[0].shape)
    for other in arrays[1:]:
        if other.ndim != len(shape) or any(a != b for k, (a, b) in enumerate(zip(other.shape, shape)) if k != axis):
            raise ValueError("arrays that are joined differ only in the length of that axis")
    shape[axis] = sum(a.shape[axis] for a in arrays)
    result = GPUArray(shape, np.result_type(*(a.dtype for a in arrays)), allocator=allocator)
    at = 0
    for array in arrays:
        part = (slice(None),) * axis + (slice(at, at + array.shape[axis]),)
        copy_into(result[part], array)
        at += array.shape[axis]
    return result


def stack(arrays, axis=0, allocator=None):
    arrays = list(arrays)
    if not arrays:
        raise ValueError("nothing to stack")
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("arrays that are stacked have one shape")
    axis %= arrays[0].ndim + 1
    shape = (*arrays[0].shape[:axis], len(arrays), *arrays[0].shape[axis:])
    dtype = np.result_type(*(a.dtype for a in arrays))
    result = GPUArray(shape, dtype, allocator=allocator, order=order_of(arrays[0]))
    for k, array in enumerate(arrays):
        copy_into(result[(slice(None),) * axis + (k,)], array)
    return result


def transpose(a, axes=None):
    return a.transpose(axes)


def reshape(a, *shape, **kwargs):
    return a.reshape(*shape, **kwargs)


def _choose(criterion, then_, else_, out, stream, test):
    dtype = np.result_type(*(v.dtype if isinstance(v, GPUArray) else v for v in (then_, else_)))
    then_, else_ = (v if isinstance(v, GPUArray) else dtype.type(v) for v in (then_, else_))
    if out is None:
        out = criterion._new_like_me(dtype)
    _kernels.element_kernel("C c, T then_, T else_", "T z", f"z = c {test} ? then_ : else_", "gpuarray_choose")(
        criterion, cast(then_, dtype), cast(else_, dtype), out, stream=stream
    )
    return out


def cast(value, dtype):
    return value.astype(dtype) if isinstance(value, GPUArray) and value.dtype != dtype else value


def if_positive(criterion, then_, else_, out=None, stream=None):
    """then_ where criterion is above 0, else_ elsewhere."""
    if criterion.shape != getattr(then_, "shape", criterion.shape):
        raise ValueError("criterion, then_ and else_ have one shape")
    return _choose(criterion, then_, else_, out, stream, "> 0")


def where(criterion, then_, else_, out=None, stream=None):
    return _choose(criterion, then_, else_, out, stream, "!= 0")


def _of_numbers(name, *operands):
    """NumPy's function, where no operand is an array here."""
    return None if any(isinstance(x, GPUArray) for x in operands) else getattr(np, name)(*operands)


def _of_two(name):
    def function(a, b, out=None, stream=None):
        found = _of_numbers(name, a, b)
        return binary(name, a, b, common(a, b), out=out, stream=stream) if found is None else found

    function.__name__ = name
    return function


def _logical(name):
    def function(x1, x2, /, out=None, *, allocator=None):
        found = _of_numbers(name, x1, x2)
        return binary(name, x1, x2, common(x1, x2), np.dtype(bool), out=out) if found is None else found

    function.__name__ = name
    return function


maximum, minimum = _of_two("maximum"), _of_two("minimum")
logical_and, logical_or = _logical("logical_and"), _logical("logical_or")


def logical_not(x, /, out=None, *, allocator=None):
    result = x._new_like_me(bool) if out is None else out
    _kernels.unary_kernel("logical_not", x.dtype)(x, result)
    return result
