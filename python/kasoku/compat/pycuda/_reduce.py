"""Reductions of GPUArrays over all elements; the results are 0-d GPUArrays."""

import numpy as np

from . import _kernels, driver
from ._array import GPUArray
from ._choose import cast


def _reduce(name, a, dtype, subset=None, other=None, stream=None, allocator=None):
    if name in ("max", "min") and (a if subset is None else subset).size == 0:
        raise ValueError(f"the {name} of no elements is not defined")
    a = a if a.flags.forc else a.copy()
    if other is not None and not other.flags.forc:
        other = other.copy()
    kernel = _kernels.reduction_kernel(name, a.dtype, np.dtype(dtype), subset is not None, 1 if other is None else 2)
    out = GPUArray((), dtype, allocator=allocator or a.allocator)
    arguments = [v for v in (subset, a, other) if v is not None]
    kernel(*arguments, out=out, stream=driver._stream(stream))
    return out


def sum(a, dtype=None, stream=None, allocator=None):
    """The sum of all elements as a 0-d array; the same bits on every device."""
    return _reduce("sum", a, np.dtype(dtype or a.dtype), stream=stream, allocator=allocator)


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    return _reduce("sum", a, np.dtype(dtype or a.dtype), subset, stream=stream, allocator=allocator)


def any(a, stream=None, allocator=None):
    return _reduce("any", a, np.dtype(bool), stream=stream, allocator=allocator)


def all(a, stream=None, allocator=None):
    return _reduce("all", a, np.dtype(bool), stream=stream, allocator=allocator)


def _same_dtype(a, b):
    common = np.result_type(a.dtype, b.dtype)
    return cast(a, common), cast(b, common), common


def dot(a, b, dtype=None, stream=None, allocator=None):
    a, b, common = _same_dtype(a, b)
    return _reduce("dot", a, np.dtype(dtype or common), other=b, stream=stream, allocator=allocator)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    a, b, common = _same_dtype(a, b)
    return _reduce("dot", a, np.dtype(dtype or common), subset, b, stream=stream, allocator=allocator)


def max(a, stream=None, allocator=None):
    return _reduce("max", a, a.dtype, stream=stream, allocator=allocator)


def min(a, stream=None, allocator=None):
    return _reduce("min", a, a.dtype, stream=stream, allocator=allocator)


def subset_max(subset, a, stream=None, allocator=None):
    return _reduce("max", a, a.dtype, subset, stream=stream, allocator=allocator)


def subset_min(subset, a, stream=None, allocator=None):
    return _reduce("min", a, a.dtype, subset, stream=stream, allocator=allocator)


GPUArray.any, GPUArray.all, GPUArray.sum = any, all, sum
