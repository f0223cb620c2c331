"""Layers under other names, for dask.graph_manipulation: of Dask's own layers only those of arrays know tasks that are objects."""

import sys

from .highlevelgraph import MaterializedLayer


def of_nodes(of_others):
    """The method clone() of layers: nodes are cloned here, values that are none by `of_others`, which makes the layer."""

    def clone(self, keys, seed, bind_to=None):
        from .base import clone_key  # Dask's
        from .graph_manipulation import chunks

        nodes = {key: value for key, value in self.items() if hasattr(value, "substitute")}
        others = MaterializedLayer({key: value for key, value in self.items() if key not in nodes})
        layer, is_bound = of_others(others, keys, seed, bind_to)
        made = dict(layer)
        names = {key: clone_key(key, seed) for key in keys}
        for key, node in nodes.items():
            if key not in keys:
                made[key] = node
                continue
            made[names[key]] = other = node.substitute(names, key=names[key])
            if bind_to is not None and not node.dependencies & names.keys():
                kinds = sys.modules[type(node).__module__]  # ours or Dask's, as the node is
                made[names[key]] = kinds.Task(names[key], chunks.bind, other, kinds.TaskRef(bind_to))
                is_bound = True
        return MaterializedLayer(made), is_bound

    return clone
