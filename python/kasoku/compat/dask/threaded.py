"""dask.threaded: get(), for graphs written as dictionaries."""

from .local import get_sync as get

__all__ = ["get"]
