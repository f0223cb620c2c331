"""What tests of the face of Dask delay and compute."""


def inc(x):
    return x + 1


class Numbers:
    """A collection of Dask's protocol, by hand."""

    def __init__(self, graph, keys):
        self._graph_, self._keys = graph, keys

    def __dask_graph__(self):
        return self._graph_

    def __dask_keys__(self):
        return self._keys

    def __dask_postcompute__(self):
        return tuple, ()

    def __dask_tokenize__(self):
        return self._keys
