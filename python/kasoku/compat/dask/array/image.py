"""dask.array.image."""

from ._files import imread  # noqa: F401
