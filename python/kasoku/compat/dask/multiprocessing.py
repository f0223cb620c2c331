"""dask.multiprocessing: get(); tasks run on threads of this process."""

from ._installed import rest_of
from .local import get_threaded as get

__getattr__ = rest_of("multiprocessing")

__all__ = ["get"]
