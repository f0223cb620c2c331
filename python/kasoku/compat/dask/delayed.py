"""dask.delayed as a module: `from dask.delayed import delayed, Delayed`."""

import warnings

from kasoku import _core, delayed
from kasoku._core import Delayed
from kasoku._delayed import specification

from .base import is_dask_collection, tokenize


def unpack_collections(expr):
    """`expr` as a graph writes it, and the collections in it."""
    task, graph = _task_and_graph(expr)
    return task, tuple(graph.values())


def to_task_dask(expr):
    """`expr` as a graph writes it, and the graph of what is delayed in it."""
    warnings.warn(
        "The dask.delayed.to_task_dask function has been deprecated in favor of unpack_collections",
        UserWarning,
        stacklevel=2,
    )
    return _task_and_graph(expr)


def _task_and_graph(expr):
    made = _core._delayed(expr, None, None, None, True)
    if made._is_leaf and made is not expr:
        return expr, {}
    graph = dict(made.dask)
    return (specification().Alias(made.key), graph) if is_dask_collection(expr) else (graph.pop(made.key), graph)


__all__ = ["Delayed", "delayed", "to_task_dask", "tokenize", "unpack_collections"]
