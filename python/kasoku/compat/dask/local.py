"""Graphs as dictionaries of (function, argument, ...) tuples, as Dask's specification has them."""

from kasoku import compute, delayed


def get_sync(graph, keys, **options):
    """The values of `keys` (a key or nested lists of keys) in `graph`."""
    made = {}

    def is_key(value):
        try:
            return value in graph
        except TypeError:
            return False

    def node(key):
        if key not in made:
            made[key] = value_of(graph[key], str(key))
        return made[key]

    def value_of(value, name=None):
        if isinstance(value, tuple) and value and callable(value[0]):
            options = {"dask_key_name": name} if name else {}
            return delayed(value[0])(*(value_of(item) for item in value[1:]), **options)
        if isinstance(value, list):
            return [value_of(item) for item in value]
        return node(value) if is_key(value) else value

    def wanted(keys):
        return [wanted(key) for key in keys] if isinstance(keys, list) else node(keys)

    return compute(wanted(keys), **options)[0]


get = get_sync
