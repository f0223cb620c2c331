"""dask.base: compute and its neighbours, tokens, and the protocol of collections."""

from __future__ import annotations

import contextlib
import contextvars
import operator

from kasoku import _core, compute, visualize
from kasoku._core import Delayed
from kasoku._delayed import _scheduler
from kasoku._task import client_of, clients
from kasoku._token import normalize as _normalize
from kasoku._token import register, tokenize

from .core import flatten, quote
from .utils import key_split

_annotations = contextvars.ContextVar("dask annotations", default=None)


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


def _culled(value):
    graph = getattr(value, "_graph", None)
    if graph is None:
        return value
    from .highlevelgraph import HighLevelGraph

    if not isinstance(graph, HighLevelGraph):
        graph = HighLevelGraph.from_collections(id(graph), graph)
    graph = graph.cull([value.key])
    return Delayed(value.key, graph, value._length, next(iter(graph.layers)) if len(graph.layers) == 1 else None)


def optimize(*args, traverse=True, **options):
    """The same values from graphs without what they do not need."""
    return tuple(_culled(arg) if isinstance(arg, Delayed) else arg for arg in args)


def _part(future, at):
    return future.result()[at]


def _persisted(value, options):
    """A collection that holds the values; with an open Client at once, and the values come."""
    client = client_of(options.get("scheduler"))
    if client is not None:
        return client.persist(value)
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

    def one(arg):
        if is_dask_collection(arg):
            return _persisted(arg, options)
        if traverse and type(arg) in (list, tuple, set):
            return type(arg)(map(one, arg))
        if traverse and type(arg) is dict:
            return {key: one(item) for key, item in arg.items()}
        return arg

    return tuple(map(one, args))


class normalize_token:
    """How values are named: `@normalize_token.register(Kind)`."""

    register = staticmethod(register)

    def __new__(cls, value):
        return _normalize(value)


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


def clone_key(key, seed):
    """A key of the same kind, which the key and the seed decide."""
    name = get_name_from_key(key)
    other = f"{key_split(name)}-{tokenize(key if not isinstance(key, tuple) else name, seed)}"
    return (other, *key[1:]) if isinstance(key, tuple) else other


def get_collection_names(collection):
    """The names in a collection's keys."""
    if not is_dask_collection(collection):
        raise TypeError(f"Expected Dask collection; got {type(collection)}")
    return {get_name_from_key(key) for key in flatten(collection.__dask_keys__())}


def unpack_collections(*args, traverse=True):
    """The collections in `args`, and a function that puts other values in their places."""
    found = []

    def take(value):
        if is_dask_collection(value):
            found.append(value)
            return operator.itemgetter(len(found) - 1)
        if traverse and type(value) in (list, tuple, set):
            parts, kind = list(map(take, value)), type(value)
            return lambda values: kind(part(values) for part in parts)
        if traverse and type(value) is dict:
            items = [(key, take(item)) for key, item in value.items()]
            return lambda values: {key: item(values) for key, item in items}
        return lambda values: value

    places = list(map(take, args))
    return found, lambda values: tuple(place(values) for place in places)


def collections_to_dsk(collections, optimize_graph=True, **options):
    """One graph of all the collections."""
    return {key: task for one in collections for key, task in one.__dask_graph__().items()}


def compute_as_if_collection(cls, dsk, keys, scheduler=None, get=None, **options):
    return (scheduler or get or cls.__dask_scheduler__)(dsk, keys, **options)


named_schedulers = dict.fromkeys(
    ["sync", "synchronous", "single-threaded", "threads", "threading", "processes", "multiprocessing"], _scheduler
)


def get_scheduler(get=None, scheduler=None, collections=None, cls=None):
    if isinstance(scheduler, str):
        return named_schedulers[scheduler.lower()]
    return get or scheduler or (cls.__dask_scheduler__ if cls else None)


__all__ = ["DaskMethodsMixin", "annotate", "compute", "is_dask_collection", "normalize_token", "optimize", "persist",
           "tokenize", "unpack_collections", "visualize"]  # fmt: skip
