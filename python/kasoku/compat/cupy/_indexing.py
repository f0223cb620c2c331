"""cupy._indexing: CuPy's inner modules of indices; each is this package."""

import kasoku.compat.cupy as _cupy

generate = indexing = insert = _cupy
