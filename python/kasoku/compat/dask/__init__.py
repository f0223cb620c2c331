"""The face of Dask's delayed: the same calls, run by kasoku's task graphs."""

from . import config
from . import delayed as _submodule  # noqa: F401 - first, so that dask.delayed is the function

from kasoku import compute, delayed, visualize  # isort: skip
from kasoku._core import Delayed  # isort: skip

__version__ = "2026.7.0"


def persist(*args, **options):
    """Computes each of `args` and returns them as ready Delayed values."""
    return tuple(delayed(value) if isinstance(arg, Delayed) else value for arg, value in zip(args, compute(*args, **options)))


def optimize(*args, **options):
    """The same graphs: there is nothing to fuse in a graph of whole functions."""
    return args


def is_dask_collection(value):
    """Whether `value` is computed later."""
    return isinstance(value, Delayed)


def annotate(**annotations):
    """Accepted and without effect: one machine has one pool."""
    import contextlib

    return contextlib.nullcontext()


from . import base, local, threaded  # noqa: E402, F401 - they use the names above

__all__ = ["Delayed", "annotate", "compute", "config", "delayed", "is_dask_collection", "optimize", "persist", "visualize"]
