"""Reductions of GPUArrays over all elements; the results are 0-d GPUArrays."""

import kasoku as ks

from .._face.table import bound, Table
from ._array import GPUArray
from ._operators import common


def _some(a, subset):
    return a.__kasoku_array__ if subset is None else a.__kasoku_array__.reshape(-1)[subset.__kasoku_array__]


def _one(value, dtype, a, stream, allocator):
    return GPUArray((), dtype, allocator=allocator or a.allocator)._store(value, stream)


def _total(a, dtype, subset, stream, allocator):
    dtype = dtype or a.dtype
    return _one(ks.sum(_some(a, subset), dtype=dtype), dtype, a, stream, allocator)


def _dot(a, b, dtype, subset, stream, allocator):
    dtype = dtype or common(a, b)
    x, y = (_some(v, subset).astype(dtype, copy=False) for v in (a, b))
    return _one(ks.sum(x * y, dtype=dtype), dtype, a, stream, allocator)


def _over(a, stream=None, allocator=None, subset=None, *, name, dtype):
    return _one(getattr(ks, name)(_some(a, subset)), dtype or a.dtype, a, stream, allocator)


def _of_subset(name):
    return lambda subset, a, stream=None, allocator=None: functions[name](a, stream, allocator, subset)


functions = Table()
functions.rows("plain", {
    "sum": lambda a, dtype=None, stream=None, allocator=None: _total(a, dtype, None, stream, allocator),
    "subset_sum": lambda subset, a, dtype=None, stream=None, allocator=None: _total(a, dtype, subset, stream, allocator),
    "dot": lambda a, b, dtype=None, stream=None, allocator=None: _dot(a, b, dtype, None, stream, allocator),
    "subset_dot": lambda subset, a, b, dtype=None, stream=None, allocator=None: _dot(
        a, b, dtype, subset, stream, allocator),
    "any": bound(_over, name="any", dtype=bool), "all": bound(_over, name="all", dtype=bool),
    "max": bound(_over, name="max", dtype=None), "min": bound(_over, name="min", dtype=None),
    "subset_max": _of_subset("max"), "subset_min": _of_subset("min"),
})  # fmt: skip
GPUArray.any, GPUArray.all, GPUArray.sum = functions.any, functions.all, functions.sum
