"""dask.threaded: get(), for graphs written as dictionaries."""

from .local import get_threaded as get

__all__ = ["get"]
