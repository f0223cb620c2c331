"""The face of Dask's delayed: the same calls, run by kasoku's task graphs."""

from . import config
from . import delayed as _submodule  # noqa: F401 - first, so that dask.delayed is the function

from kasoku import delayed  # isort: skip
from kasoku._core import Delayed  # isort: skip

from . import base, callbacks, core, local, multiprocessing, threaded, utils  # noqa: F401
from .base import (
    annotate,
    compute,
    get_annotations,
    is_dask_collection,
    optimize,
    persist,
    tokenize,
    visualize,
)
from .local import get_sync as get

__version__ = "2026.7.0"

__all__ = [
    "Delayed", "annotate", "compute", "config", "delayed", "get", "get_annotations", "is_dask_collection",
    "optimize", "persist", "tokenize", "visualize",
]  # fmt: skip
