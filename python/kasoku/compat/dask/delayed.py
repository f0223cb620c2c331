"""dask.delayed as a module: `from dask.delayed import delayed, Delayed`."""

from kasoku import delayed
from kasoku._core import Delayed

__all__ = ["Delayed", "delayed"]
