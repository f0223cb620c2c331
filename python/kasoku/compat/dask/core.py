"""dask.core: small questions to graphs as dictionaries."""

from kasoku import _core
from kasoku._delayed import graph_of
from kasoku._token import literal


def istask(x):
    """Whether `x` is (function, argument, ...)."""
    return type(x) is tuple and bool(x) and callable(x[0])


def ishashable(x):
    try:
        hash(x)
    except TypeError:
        return False
    return True


def iskey(key):
    return isinstance(key, (str, bytes, int, float)) or type(key) is tuple and all(map(iskey, key))


def quote(x):
    """`x` so that a graph takes it for a value."""
    return (literal(x),) if istask(x) or type(x) is list else x


def flatten(seq, container=list):
    """The items of nested lists."""
    for item in [seq] if isinstance(seq, str) else seq:
        if isinstance(item, container):
            yield from flatten(item, container)
        else:
            yield item


def keys_in_tasks(keys, tasks, as_list=False):
    found, rest = [], list(tasks)
    while rest:
        one = rest.pop()
        if istask(one):
            rest.extend(one[1:])
        elif type(one) in (list, dict):
            rest.extend(one.values() if type(one) is dict else one)
        elif ishashable(one) and one in keys:
            found.append(one)
    return found if as_list else set(found)


def get_dependencies(dsk, key=None, task=None, as_list=False):
    """The keys that a task needs at once."""
    return keys_in_tasks(dsk, [dsk[key] if task is None else task], as_list)


def get_deps(dsk):
    """What each key needs, and what needs it."""
    needs = {key: get_dependencies(dsk, key) for key in dsk}
    needed_by = {key: set() for key in dsk}
    for key, inputs in needs.items():
        for one in inputs:
            needed_by[one].add(key)
    return needs, needed_by


def toposort(dsk):
    """The keys, each after what it needs."""
    order = graph_of([_core._delayed_keys(dsk, list(dsk))])
    return [key for key in order if key in dsk]


def get(dsk, out):
    """The values of keys, or nested lists of keys."""
    from .local import get_sync

    return get_sync(dsk, out)
