"""The face of Dask's delayed: the same calls, run by kasoku's task graphs."""

import contextlib

from . import _installed  # noqa: F401 - first, it decides where modules come from
from . import config
from . import delayed as _submodule  # noqa: F401 - first, so that dask.delayed is the function

from kasoku import _core, _delayed, _task, _task_spec, delayed  # isort: skip
from kasoku._core import Delayed  # isort: skip

from . import _clone, base, callbacks, core, highlevelgraph, local, multiprocessing, sizeof, threaded, utils  # noqa: F401
from .base import (
    annotate, compute, get_annotations, is_dask_collection, optimize, persist, tokenize, visualize,
)  # fmt: skip
from .local import get_sync as get


_task.defaults = config.config
_delayed.layered_graph = highlevelgraph.HighLevelGraph
_task_spec.sizeof = sizeof.sizeof
if hasattr(highlevelgraph.MaterializedLayer, "clone"):  # it is the installed Dask's
    highlevelgraph.MaterializedLayer.clone = _clone.of_nodes(highlevelgraph.Layer.clone)
_core._set_task_settings(config.config)
with contextlib.suppress(ImportError):
    from . import datasets  # noqa: F401 - Dask's, if it is installed
__version__ = "2026.7.0"

__all__ = [
    "Delayed", "annotate", "compute", "config", "delayed", "get", "get_annotations", "is_dask_collection",
    "optimize", "persist", "tokenize", "visualize",
]  # fmt: skip
