"""dask.multiprocessing: get(); tasks run on threads of this process."""

from kasoku._delayed import _scheduler as get

__all__ = ["get"]
