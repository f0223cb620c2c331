"""dask.base: compute and its neighbours."""

from kasoku import compute, visualize

from . import is_dask_collection, optimize, persist

__all__ = ["compute", "is_dask_collection", "optimize", "persist", "visualize"]
