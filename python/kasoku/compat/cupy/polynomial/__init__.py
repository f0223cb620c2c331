"""cupy.polynomial: polynomials whose first coefficient belongs to the lowest power."""

import sys as _sys

from ... import Face as _Face
from . import polynomial, polyutils  # noqa: F401

_sys.modules[__name__].__class__ = _Face
