"""New GPUArrays."""

import numpy as np

from kasoku import _core

from .._face.table import plain as _plain
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


def _zeroed(array):
    driver.memset_d8(array.__kasoku_array__, 0, array.nbytes)
    _core._mark_zeroed(array.__kasoku_array__)
    return array


def _like(other, dtype, order):
    order = order_of(other) if order in ("K", "A") else order
    return GPUArray(other.shape, dtype or other.dtype, allocator=other.allocator, order=order)


_plain(globals(), {
    "to_gpu_async": lambda ary, allocator=None, stream=None: to_gpu(ary, allocator),
    "empty": lambda shape, dtype=np.float64, allocator=None, order="C": (
        GPUArray(shape, dtype, allocator=allocator, order=order)),
    "zeros": lambda shape, dtype=np.float64, *, allocator=None, order="C": (
        _zeroed(GPUArray(shape, dtype, allocator=allocator, order=order))),
    "ones": lambda shape, dtype=np.float64, *, allocator=None, order="C": (
        GPUArray(shape, dtype, allocator=allocator, order=order).fill(1)),
    "empty_like": lambda other_ary, dtype=None, order="K": _like(other_ary, dtype, order),
    "zeros_like": lambda other_ary, dtype=None, order="K": _zeroed(_like(other_ary, dtype, order)),
    "ones_like": lambda other_ary, dtype=None, order="K": _like(other_ary, dtype, order).fill(1),
})  # fmt: skip


def arange(*args, dtype=None, allocator=None, stream=None):
    """start, stop, step as numpy.arange takes them."""
    if len(args) == 4:
        dtype, args = args[3], args[:3]
    return to_gpu(np.arange(*args, dtype=dtype))
