"""cupy.polynomial: polynomials whose first coefficient belongs to the lowest power."""

from . import polynomial, polyutils  # noqa: F401
