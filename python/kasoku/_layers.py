"""A graph in named layers, and what each layer depends on, as Dask has it in dask.highlevelgraph."""

import contextvars
from collections.abc import Mapping

from . import _core, _delayed, _task

annotations = contextvars.ContextVar("dask annotations", default=None)  # of layers that are made now


class Layer(dict):
    """The tasks of a layer, with its annotations."""

    def __init__(self, tasks=(), annotations=None, collection_annotations=None):
        super().__init__(tasks)
        self.annotations = annotations
        self.collection_annotations = collection_annotations

    @property
    def mapping(self):
        return self

    def __reduce__(self):
        return Layer, (dict(self), self.annotations, self.collection_annotations)


MaterializedLayer = Layer


class HighLevelGraph(Mapping):
    """A mapping from keys to tasks, kept as layers."""

    def __init__(self, layers, dependencies, key_dependencies=None):
        self.layers = {name: one if isinstance(one, Layer) else Layer(one) for name, one in layers.items()}
        self.dependencies = dependencies
        self.key_dependencies = key_dependencies or {}
        self._all = None

    @classmethod
    def from_collections(cls, name, layer, dependencies=()):
        """The graphs of collections with one layer more, which depends on them."""
        layers, needs = {}, {}
        names = set()
        for one in dependencies:
            graph = one.__dask_graph__()
            if isinstance(graph, HighLevelGraph):
                layers.update(graph.layers)
                needs.update(graph.dependencies)
                names |= set(one.__dask_layers__())
            else:
                layers[id(graph)] = Layer(graph)
                needs[id(graph)] = set()
                names.add(id(graph))
        layers[name] = layer if isinstance(layer, Layer) else Layer(layer, annotations.get() or None)
        return cls(layers, {**needs, name: names})

    @classmethod
    def merge(cls, *graphs):
        layers, needs = {}, {}
        for graph in graphs:
            if not isinstance(graph, HighLevelGraph):
                graph = cls.from_collections(id(graph), graph)
            layers.update(graph.layers)
            needs.update(graph.dependencies)
        return cls(layers, needs)

    def to_dict(self):
        if self._all is None:
            self._all = {key: task for layer in self.layers.values() for key, task in layer.items()}
        return self._all

    def __getitem__(self, key):
        return self.to_dict()[key]

    def __contains__(self, key):
        return key in self.to_dict()

    def __iter__(self):
        return iter(self.to_dict())

    def __len__(self):
        return len(self.to_dict())

    def __reduce__(self):
        return dict, (dict(self.to_dict()),)  # whoever reads it may not have this class

    def keys(self):
        return self.to_dict().keys()

    def values(self):
        return self.to_dict().values()

    def items(self):
        return self.to_dict().items()

    def copy(self):
        return HighLevelGraph(dict(self.layers), dict(self.dependencies))

    @property
    def dependents(self):
        readers = {name: set() for name in self.layers}
        for name, needs in self.dependencies.items():
            for one in needs:
                readers[one].add(name)
        return readers

    def cull(self, keys):
        """Only what `keys` need."""
        needed = _delayed.graph_of([_core._delayed_keys(self.to_dict(), list(keys))])
        layers = {}
        for name, layer in self.layers.items():
            kept = {key: task for key, task in layer.items() if key in needed}
            if kept:
                layers[name] = Layer(kept, layer.annotations, layer.collection_annotations)
        return HighLevelGraph(layers, {name: {n for n in self.dependencies[name] if n in layers} for name in layers})

    def cull_layers(self, layers):
        names = set(layers)
        rest = list(names)
        while rest:
            new = self.dependencies[rest.pop()] - names
            names |= new
            rest.extend(new)
        return HighLevelGraph({n: self.layers[n] for n in names}, {n: self.dependencies[n] for n in names})

    def validate(self):
        """Raises ValueError if the layers and the dependencies do not fit."""
        for name, needs in self.dependencies.items():
            for one in {name, *needs}:
                if one not in self.layers:
                    raise ValueError(f"{one!r} is among the dependencies and is no layer")
        for name in self.layers:
            if name not in self.dependencies:
                raise ValueError(f"the layer {name!r} is not among the dependencies")

    def visualize(self, filename="dask-hlg", format=None, **options):
        return _task.visualize(_core._delayed_keys(self.to_dict(), list(self)), filename=filename, format=format)
