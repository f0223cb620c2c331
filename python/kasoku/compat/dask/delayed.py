"""dask.delayed as a module: `from dask.delayed import delayed, Delayed`."""

import dataclasses
import warnings
from collections.abc import Iterator

from kasoku import _core, delayed
from kasoku._core import Delayed

from . import _task_spec
from .base import is_dask_collection, tokenize
from .core import flatten
from .highlevelgraph import HighLevelGraph
from .utils import apply, is_namedtuple_instance


def unpack_collections(expr):
    """`expr` as a graph writes it, and what it needs, as delayed values."""
    if is_dask_collection(expr):
        expr = _core._delayed(expr, None, None, None, True)
        return _task_spec.TaskRef(expr.key), (expr,)
    made = _core._delayed(expr, None, None, None, True)
    if made._is_leaf:
        return expr, ()
    layers, _ = _core._task_layers([made], _task_spec)
    graph = {key: task for layer in layers.values() for key, task in layer.items()}
    task = graph.pop(made.key)
    return task, tuple(Delayed(key, graph) for key in task.dependencies)


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


def optimize(dsk, keys, **options):
    """A graph in layers with what the keys need, and nothing else."""
    if not isinstance(dsk, HighLevelGraph):
        dsk = HighLevelGraph.from_collections(id(dsk), dsk)
    return dsk.cull(set(flatten(keys)))


__all__ = ["Delayed", "delayed", "to_task_dask", "tokenize", "unpack_collections"]
