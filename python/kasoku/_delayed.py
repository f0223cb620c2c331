"""The methods of a Delayed beside its operators: compute() and its kin, and the protocol of Dask's collections."""

from __future__ import annotations

import collections.abc
import operator
import sys
import types

from . import _core, _layers, _task, _task_spec
from ._core import Delayed


def compute(self, **options):
    """Runs the graph of this value on the pool and returns it; options as kasoku.compute."""
    return _task.compute(self, **options)[0]


def visualize(self, filename="kasoku", format=None, **options):
    """Draws the graph of this value; options as kasoku.visualize."""
    return _task.visualize(self, filename=filename, format=format, **options)


def persist(self, **options):
    """Runs the graph of this value and gives a Delayed that holds it; with a cluster's Client as the scheduler at once,
    and the value stays in the cluster."""
    client = _task.client_of(options.get("scheduler"))
    if client is not None:
        from . import _engines

        return _engines.persist_on(client, self)
    value = self.compute(**options)
    if type(value) not in (int, float, complex, bool, type(None)):  # others may look like a task or a key
        value = specification().DataNode(self.key, value)
    return Delayed(self.key, {self.key: value}, self._length)


def _bound(self, instance, owner=None):
    """A delayed function in a class is a method."""
    return self if instance is None else types.MethodType(self, instance)


def specification():
    """The module whose objects our graphs hold: Dask's own where the process has loaded it, else ours."""
    return sys.modules.get("dask._task_spec", _task_spec)


def graph_of(roots):
    """{key: task} of all that the values need."""
    layers, _ = _core._task_layers(roots, specification())
    return {key: task for layer in layers.values() for key, task in layer.items()}


layered_graph = None  # the class of graphs in layers of Dask's face, where the process has loaded it


def _in_layers(self):
    if self._graph is not None:
        return self._graph
    made = layered_graph or getattr(sys.modules.get("dask.highlevelgraph"), "HighLevelGraph", _layers.HighLevelGraph)
    return made(*_core._task_layers([self], specification()))


def _scheduler(graph, keys, **options):
    """What other packages' compute() runs the graph by; what Dask gives since 2025 makes its graph when asked."""
    if not isinstance(graph, collections.abc.Mapping):
        graph = graph.__dask_graph__()
    return _task.compute(_core._delayed_keys(graph, keys), **options)[0]


_scheduler.is_kasokus = "threads"


def _rebuilt(graph, key, layer, length):
    return Delayed(key, graph, length, layer)


def _persisted(graph, key, length, rename=None):
    """rename: other names, which a key has itself or, if it is a tuple, in front."""
    name, rest = (key[0], key[1:]) if isinstance(key, tuple) else (key, None)
    name = (rename or {}).get(name, name)
    return Delayed(name if rest is None else (name, *rest), graph, length)


def _post_persist(self):
    return _persisted, (self.key, self._length)


def _leaf(value, name, pure, nout):
    return _core._delayed(value, name, pure, nout, False)


def _reduced(self):
    if self._attr is not None:
        return getattr, (self._obj, self._attr)
    if self._is_leaf:
        return _leaf, (self._obj, self.key, self._pure, self._nout)
    return _rebuilt, (dict(_in_layers(self)), self.key, None, self._length)


def _set_attribute(self, name, value):
    raise TypeError("Delayed objects are immutable\n  fix  compute it first, or do this in a delayed function")


class _Doc:
    """The text of the class, or of the function that an instance delays."""

    def __init__(self, text):
        self._text = text

    def __get__(self, instance, owner=None):
        return self._text if instance is None or not instance._is_leaf else instance._obj.__doc__


_members = {
    "__doc__": _Doc(Delayed.__doc__),
    "__get__": _bound,
    "__reduce__": _reduced,
    "__setattr__": _set_attribute,
    "__delattr__": _set_attribute,
    "__dask_graph__": _in_layers,
    "__dask_keys__": lambda self: [self.key],
    "__dask_layers__": lambda self: (self._layer,),
    "__dask_tokenize__": lambda self: self.key,
    "__dask_postcompute__": lambda self: (operator.itemgetter(0), ()),
    "__dask_postpersist__": _post_persist,
    "__dask_optimize__": staticmethod(lambda graph, keys, **options: graph),
    "__dask_scheduler__": staticmethod(_scheduler),
    "_dask": property(_in_layers),
    "dask": property(_in_layers, doc="The graph, a mapping from keys to tasks."),
}


for _member in (compute, visualize, persist):
    setattr(Delayed, _member.__name__, _member)
for _name, _value in _members.items():
    setattr(Delayed, _name, _value)
