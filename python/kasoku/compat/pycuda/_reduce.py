"""Reductions of GPUArrays over all elements; the results are 0-d GPUArrays."""

import numpy as np

from .._face.table import Table
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


def _dot(a, b, dtype, subset, stream, allocator):
    common = np.result_type(a.dtype, b.dtype)
    a, b = cast(a, common), cast(b, common)
    return _reduce("dot", a, np.dtype(dtype or common), subset, b, stream, allocator)


functions = Table()
functions.rows("plain", {
    "sum": lambda a, dtype=None, stream=None, allocator=None: _reduce(
        "sum", a, dtype or a.dtype, stream=stream, allocator=allocator),
    "subset_sum": lambda subset, a, dtype=None, stream=None, allocator=None: _reduce(
        "sum", a, dtype or a.dtype, subset, stream=stream, allocator=allocator),
    "any": lambda a, stream=None, allocator=None: _reduce("any", a, bool, stream=stream, allocator=allocator),
    "all": lambda a, stream=None, allocator=None: _reduce("all", a, bool, stream=stream, allocator=allocator),
    "dot": lambda a, b, dtype=None, stream=None, allocator=None: _dot(a, b, dtype, None, stream, allocator),
    "subset_dot": lambda subset, a, b, dtype=None, stream=None, allocator=None: _dot(
        a, b, dtype, subset, stream, allocator),
    "max": lambda a, stream=None, allocator=None: _reduce("max", a, a.dtype, stream=stream, allocator=allocator),
    "min": lambda a, stream=None, allocator=None: _reduce("min", a, a.dtype, stream=stream, allocator=allocator),
    "subset_max": lambda subset, a, stream=None, allocator=None: _reduce(
        "max", a, a.dtype, subset, stream=stream, allocator=allocator),
    "subset_min": lambda subset, a, stream=None, allocator=None: _reduce(
        "min", a, a.dtype, subset, stream=stream, allocator=allocator),
})  # fmt: skip
GPUArray.any, GPUArray.all, GPUArray.sum = functions.any, functions.all, functions.sum
