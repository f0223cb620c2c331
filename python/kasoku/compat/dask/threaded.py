"""dask.threaded: get(), for graphs written as dictionaries."""

from kasoku._delayed import _scheduler as get

__all__ = ["get"]
