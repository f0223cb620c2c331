"""numba.np.numpy_support: types from dtypes, and back."""

import numpy as np

from .. import from_dtype  # noqa: F401

numpy_version = tuple(map(int, np.__version__.split(".")[:2]))


def as_dtype(item):
    """The NumPy dtype of a number type."""
    return np.dtype(item.__kasoku_dtype__)
