"""dask._task_spec: graphs of objects. They are those of kasoku._task_spec, which delayed values write their graphs with."""

from collections.abc import MutableMapping

from kasoku import _task_spec as _nodes
from kasoku._task_spec import GraphNode

globals().update({name: value for name, value in vars(_nodes).items() if not name.startswith("__")})


class DependenciesMapping(MutableMapping):
    """What each key of a graph depends on."""

    def __init__(self, dsk):
        self.dsk, self._removed = dsk, set()

    def __getitem__(self, key):
        from .core import get_dependencies  # which imports this module where it is Dask's

        found = self.dsk[key]
        needs = found.dependencies if isinstance(found, GraphNode) else get_dependencies(self.dsk, task=found)
        return frozenset(needs) - self._removed if self._removed else frozenset(needs)

    def __iter__(self):
        return iter(self.dsk)

    def __len__(self):
        return len(self.dsk)

    def __delitem__(self, key):
        self._removed.add(key)

    def __setitem__(self, key, value):
        raise NotImplementedError
