"""New GPUArrays."""

import numpy as np

from kasoku import _core

from .._layout import order_of
from . import driver
from ._array import GPUArray


def to_gpu(ary, allocator=None):
    """A copy of a NumPy array on the device, in its order."""
    ary = np.asarray(ary)
    strides = ary.strides if ary.flags.forc else None
    if strides is None and 0 not in ary.strides and all(s > 0 for s in ary.strides):
        # A permutation of axes without gaps keeps its strides.
        order = sorted(range(ary.ndim), key=lambda axis: -ary.strides[axis])
        if ary.transpose(order).flags.c_contiguous:
            result = GPUArray(ary.transpose(order).shape, ary.dtype, allocator=allocator)
            result.set(ary.transpose(order))
            return result.transpose([int(axis) for axis in np.argsort(order)])
    result = GPUArray(ary.shape, ary.dtype, allocator=allocator, order=order_of(ary))
    result.set(ary)
    return result


def to_gpu_async(ary, allocator=None, stream=None):
    return to_gpu(ary, allocator)


def empty(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator=allocator, order=order)


def _zeroed(array):
    driver.memset_d8(array.__kasoku_array__, 0, array.nbytes)
    _core._mark_zeroed(array.__kasoku_array__)
    return array


def zeros(shape, dtype=np.float64, *, allocator=None, order="C"):
    return _zeroed(GPUArray(shape, dtype, allocator=allocator, order=order))


def ones(shape, dtype=np.float64, *, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator=allocator, order=order).fill(1)


def _like(other, dtype, order):
    order = order_of(other) if order in ("K", "A") else order
    return GPUArray(other.shape, dtype or other.dtype, allocator=other.allocator, order=order)


def empty_like(other_ary, dtype=None, order="K"):
    return _like(other_ary, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    return _zeroed(_like(other_ary, dtype, order))


def ones_like(other_ary, dtype=None, order="K"):
    return _like(other_ary, dtype, order).fill(1)


def arange(*args, dtype=None, allocator=None, stream=None):
    """start, stop, step as numpy.arange takes them."""
    if len(args) == 4:
        dtype, args = args[3], args[:3]
    return to_gpu(np.arange(*args, dtype=dtype))
