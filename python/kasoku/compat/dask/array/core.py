"""dask.array.core: what dask.array has, by the module where Dask keeps it."""

from ..base import tokenize
from ..highlevelgraph import HighLevelGraph
from . import *  # noqa: F403
from ._core import Array, BlockView, Task  # noqa: F401
from ._places import getter
from ._core import elementwise as elemwise  # noqa: F401

__getattr__ = getter("core")


def from_func(func, shape, dtype=None, name=None, args=(), kwargs=None):
    """An array of one chunk, which func(*args, **kwargs) gives."""
    name = name or "from_func-" + tokenize(func, shape, dtype, args, kwargs)
    key = (name, *(0 for _ in shape))
    graph = HighLevelGraph.from_collections(name, {key: Task(key, func, *args, **(kwargs or {}))})
    return Array(graph, name, tuple((n,) for n in shape), dtype)
