"""dask.delayed as a module: `from dask.delayed import delayed, Delayed`."""

import dataclasses
import warnings
from collections.abc import Iterator

from kasoku import _core, delayed
from kasoku._core import Delayed
from kasoku._delayed import specification

from . import base
from .base import is_dask_collection, tokenize
from .utils import apply, is_namedtuple_instance


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
    graph = {}
    return _tuples(expr, graph), graph


def _tuples(expr, graph):
    """`expr` by keys and tuples; what is delayed in it goes into the graph."""
    if is_dask_collection(expr):
        made = expr if isinstance(expr, Delayed) else _core._delayed(expr, None, None, None, True)
        graph.update({**made.dask, **expr.__dask_graph__()})
        return made.key
    kind = list if isinstance(expr, Iterator) else type(expr)
    if kind in (list, tuple, set):
        parts = [_tuples(item, graph) for item in expr]
        return parts if kind is list else (kind, parts)
    if kind is dict:
        return dict, [[_tuples(key, graph), _tuples(item, graph)] for key, item in expr.items()]
    if kind is slice:
        return slice, *(_tuples(part, graph) for part in (expr.start, expr.stop, expr.step))
    if is_namedtuple_instance(expr):
        return kind, *(_tuples(part, graph) for part in expr)
    if dataclasses.is_dataclass(expr) and not isinstance(expr, type):
        fields = [[f.name, _tuples(getattr(expr, f.name), graph)] for f in dataclasses.fields(expr)]
        return apply, kind, (), (dict, fields)
    return expr


def _task_and_graph(expr):
    made = _core._delayed(expr, None, None, None, True)
    if made._is_leaf and made is not expr:
        return expr, {}
    graph = dict(made.dask)
    return (specification().Alias(made.key), graph) if is_dask_collection(expr) else (graph.pop(made.key), graph)


optimize = base.optimize
__all__ = ["Delayed", "delayed", "to_task_dask", "tokenize", "unpack_collections"]
