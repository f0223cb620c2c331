"""numba.np: types and dtypes."""

from . import numpy_support  # noqa: F401
