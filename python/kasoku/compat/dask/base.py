"""dask.base: compute and its neighbours, tokens, and the protocol of collections."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import operator
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Executor

from kasoku import _core, _engines, _task, compute, visualize
from kasoku._core import Delayed
from kasoku._delayed import graph_of
from kasoku._layers import annotations as _annotations
from kasoku._task import client_of, clients

from ._installed import rest_of
from .core import flatten, quote
from .tokenize import normalize_token, tokenize
from .utils import is_namedtuple_instance

__getattr__ = rest_of("base")


def is_dask_collection(x):
    """Whether `x` is computed later: it has a graph by __dask_graph__()."""
    graph_of = getattr(x, "__dask_graph__", None)
    if graph_of is None or isinstance(x, type):
        return False
    try:
        return graph_of() is not None
    except (AttributeError, TypeError):
        return False


@contextlib.contextmanager
def annotate(**annotations):
    """Layers that are made within carry these annotations; one machine with one pool heeds none."""
    token = _annotations.set({**get_annotations(), **annotations})
    try:
        yield
    finally:
        _annotations.reset(token)


def get_annotations():
    return _annotations.get() or {}


def _optimized(collection, graph, options):
    """The collection with less to do; delayed values have one graph, or that of their own layers."""
    from .highlevelgraph import HighLevelGraph

    if isinstance(collection, Delayed):
        own = getattr(collection, "_graph", None)
        if own is None:
            return Delayed(collection.key, graph, collection._length)
        if not hasattr(own, "cull"):
            own = HighLevelGraph.from_collections(id(own), own)
        own = own.cull([collection.key])
        layer = next(iter(own.layers)) if len(own.layers) == 1 else None
        return Delayed(collection.key, own, collection._length, layer)
    own = collection.__dask_graph__()
    if optimizes := getattr(collection, "__dask_optimize__", None):
        own = optimizes(own, collection.__dask_keys__(), **options)
    rebuild, args = collection.__dask_postpersist__()
    return rebuild(own, *args)


def optimize(*args, traverse=True, optimize_graph=True, **options):
    """Copies of collections whose graph is one: all that they need together, and nothing else."""
    found, put_back = unpack_collections(*args, traverse=traverse)
    graph = graph_of([one for one in found if isinstance(one, Delayed)])
    return put_back([_optimized(one, graph, options) for one in found] if optimize_graph else found)


def _optimizer(collection):
    """A collection's own function that makes less of its graph; None where there is nothing to ask."""
    if isinstance(collection, Delayed) or not is_dask_collection(collection):
        return None
    optimizes = getattr(collection, "__dask_optimize__", None)
    return None if optimizes is None or getattr(optimizes, "does_nothing", bool)() else optimizes


class _WithGraph:
    """A collection with another graph of the same keys."""

    def __init__(self, collection, graph):
        self._collection, self._graph = collection, graph

    __dask_graph__ = lambda self: self._graph
    __getattr__ = lambda self, name: getattr(self._collection, name)


_plain = {Delayed, int, float, complex, str, bytes, bool, type(None)}


def _are_plain(args, depth):
    """Whether there are only delayed values and numbers, also in lists: of so many is not asked one by one."""
    kinds = set(map(type, args)) - _plain
    if not kinds or not depth or kinds - {list, tuple}:
        return not kinds
    return all(_are_plain(a, depth - 1) for a in args if type(a) not in _plain)


def _asked(args, traverse):
    """The arguments with the collections as their __dask_optimize__ makes them, which is called once for all that have one."""
    if _are_plain(args, 2 if traverse else 0):
        return args
    try:
        found, put_back = unpack_collections(*args, traverse=traverse)
    except RecursionError:
        return args  # which the engine refuses in a sentence
    groups = {}
    for at, one in enumerate(found):
        if optimizes := _optimizer(one):
            groups.setdefault(optimizes, []).append(at)
    for optimizes, places in groups.items():
        graph = _together([found[at].__dask_graph__() for at in places])
        graph = optimizes(graph, [found[at].__dask_keys__() for at in places])
        for at in places:
            found[at] = _WithGraph(found[at], graph)
    return put_back(found) if groups else args


def _together(graphs):
    """One graph of several; in layers, if all are."""
    from .highlevelgraph import HighLevelGraph

    if len(graphs) == 1:
        return graphs[0]
    merges = all(isinstance(graph, HighLevelGraph) for graph in graphs)
    return HighLevelGraph.merge(*graphs) if merges else {key: task for graph in graphs for key, task in graph.items()}


_task.ask_to_optimize = _asked


def _part(values, at):
    """values: a list, or its future where Dask's own tasks call this, which give it as it is."""
    return (values.__kasoku_value__() if hasattr(values, "__kasoku_value__") else values)[at]


def _persisted(value, options):
    """A collection that holds the values; with an open Client at once, and the values come."""
    client = client_of(options.get("scheduler"))
    if client is not None:
        return _engines.persist_on(client, value)
    if isinstance(value, Delayed) and not clients:
        return value.persist(**options)
    keys = list(flatten(value.__dask_keys__()))
    values = _core._delayed_keys(value.__dask_graph__(), keys)
    rebuild, args = value.__dask_postpersist__()
    if clients:
        future = clients[-1]._start(lambda: values.compute(**options), keys[0])
        return rebuild({key: (_part, future, at) for at, key in enumerate(keys)}, *args)
    return rebuild({key: quote(value) for key, value in zip(keys, values.compute(**options))}, *args)


def persist(*args, traverse=True, optimize_graph=True, **options):
    """Computes each collection among `args`, and gives collections that hold the values. With an open
    dask.distributed.Client they are given at once, with futures behind."""
    found, put_back = unpack_collections(*(_asked(args, traverse) if optimize_graph else args), traverse=traverse)
    return put_back([_persisted(one, options) for one in found])


class DaskMethodsMixin:
    """compute(), persist() and visualize() for classes with the protocol of collections."""

    __slots__ = ("__weakref__",)

    def compute(self, **options):
        return compute(self, traverse=False, **options)[0]

    def persist(self, **options):
        return persist(self, traverse=False, **options)[0]

    def visualize(self, filename="mydask", format=None, optimize_graph=False, **options):
        return visualize(self, filename=filename, format=format, **options)


def get_name_from_key(key):
    """A collection's name, in one of its keys."""
    name = key[0] if isinstance(key, tuple) and key else key
    if not isinstance(name, str):
        raise TypeError(f"Expected str or a tuple starting with str; got {key!r}")
    return name


def replace_name_in_key(key, rename):
    """The key with another name, if `rename` has one."""
    name = get_name_from_key(key)
    return (rename.get(name, name), *key[1:]) if isinstance(key, tuple) else rename.get(name, name)


def unpack_collections(*args, traverse=True):
    """The collections in `args`, each once, and a function that puts other values in their places."""
    found, places = [], {}

    def take(value):
        """A function that makes the value again of what is put in place of the collections."""
        if is_dask_collection(value):
            if id(value) not in places:
                places[id(value)] = len(found)
                found.append(value)
            return operator.itemgetter(places[id(value)])
        kind = list if isinstance(value, Iterator) else type(value)
        if not traverse:
            return lambda values: value
        if kind in (list, tuple, set) or is_namedtuple_instance(value):
            parts, make = list(map(take, value)), getattr(kind, "_make", kind)
            return lambda values: make(part(values) for part in parts)
        if kind in (dict, OrderedDict):
            items = [(take(key), take(item)) for key, item in value.items()]
            return lambda values: kind((key(values), item(values)) for key, item in items)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [(f.name, take(getattr(value, f.name))) for f in dataclasses.fields(value) if f.init]
            return lambda values: kind(**{name: item(values) for name, item in fields})
        return lambda values: value

    parts = list(map(take, args))
    return found, lambda values: tuple(part(values) for part in parts)


named_schedulers = _task.named_schedulers


def get_scheduler(get=None, scheduler=None, collections=None, cls=None):
    """The function get(graph, keys) that a name, an executor or the settings mean; None if nothing is said."""
    if get is not None:
        raise TypeError("get= was removed from Dask\n  fix  scheduler=, with the same function")
    scheduler = _task.defaults.get("scheduler") if scheduler is None else scheduler
    if isinstance(scheduler, str) and scheduler.lower() not in named_schedulers:
        raise ValueError(f"there is no scheduler {scheduler!r}\n  fix  one of {', '.join(named_schedulers)}")
    if isinstance(scheduler, str):
        return named_schedulers[scheduler.lower()]
    if isinstance(scheduler, Executor):
        from .local import get_threaded

        return functools.partial(get_threaded, pool=scheduler, num_workers=scheduler._max_workers)
    if scheduler is not None:
        return getattr(scheduler, "get", scheduler)
    return cls.__dask_scheduler__ if cls is not None else None


__all__ = ["DaskMethodsMixin", "annotate", "compute", "is_dask_collection", "normalize_token", "optimize", "persist",
           "tokenize", "unpack_collections", "visualize"]  # fmt: skip
