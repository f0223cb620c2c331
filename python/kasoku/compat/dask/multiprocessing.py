"""dask.multiprocessing: get(); tasks run on threads of this process."""

from .local import get_threaded as get

__all__ = ["get"]
