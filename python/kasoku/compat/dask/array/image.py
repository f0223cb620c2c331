"""dask.array.image."""

from ._rest import imread  # noqa: F401
