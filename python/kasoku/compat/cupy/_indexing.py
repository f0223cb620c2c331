"""cupy._indexing: CuPy's inner modules of indices; each is this package."""

import kasoku.compat.cupy as _cupy

from kasoku._namespace.grids import _Joined as AxisConcatenator

_cupy.AxisConcatenator = AxisConcatenator
generate = indexing = insert = _cupy
