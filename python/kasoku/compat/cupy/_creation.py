"""cupy._creation: CuPy's inner modules of functions that make arrays; each is this package."""

import kasoku.compat.cupy as _cupy

basic = from_data = matrix = ranges = _cupy
