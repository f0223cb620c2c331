"""dask.core: small questions to graphs as dictionaries."""

import graphlib

from kasoku._token import literal

_nothing = object()


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
    return type(key) in (str, int, float) or type(key) is tuple and all(map(iskey, key))


def validate_key(key):
    """Raises TypeError if `key` can be none."""
    if not iskey(key):
        raise TypeError(f"Unexpected key type {type(key)} ({key=!r})")


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


def is_node(x):
    """Whether `x` is a Task, a DataNode or an Alias, of the face or of Dask."""
    return hasattr(type(x), "dependencies") and hasattr(type(x), "substitute")


def keys_in_tasks(keys, tasks, as_list=False):
    found, rest = [], list(tasks)
    while rest:
        one = rest.pop()
        if is_node(one):
            found.extend(key for key in one.dependencies if key in keys)
        elif istask(one):
            rest.extend(one[1:])
        elif type(one) in (list, dict):
            rest.extend(one.values() if type(one) is dict else one)
        elif ishashable(one) and one in keys:
            found.append(one)
    return found if as_list else set(found)


def get_dependencies(dsk, key=None, task=_nothing, as_list=False):
    """The keys that a task needs at once."""
    if key is None and task is _nothing:
        raise ValueError("Provide either a key or a task")
    return keys_in_tasks(dsk, [dsk[key] if key is not None else task], as_list)


def get_deps(dsk):
    """The dependencies and the dependents of each key."""
    needs = {key: get_dependencies(dsk, key) for key in dsk}
    return needs, reverse_dict(needs)


def toposort(dsk, dependencies=None):
    """The keys, each after what it needs."""
    return in_order({key: get_dependencies(dsk, key) for key in dsk} if dependencies is None else dependencies)


def get(dsk, out):
    """The values of keys, or nested lists of keys."""
    from .local import get_sync

    return get_sync(dsk, out)


def preorder_traversal(task):
    """A task, its function and its arguments, outer ones first."""
    for item in task:
        if istask(item):
            yield from preorder_traversal(item)
        elif isinstance(item, list):
            yield list
            yield from preorder_traversal(item)
        else:
            yield item


def subs(task, key, val):
    """The task with `val` in the place of `key`."""
    if istask(task):
        return (task[0], *(subs(item, key, val) for item in task[1:]))
    if isinstance(task, list):
        return [subs(item, key, val) for item in task]
    try:
        return val if type(task) is type(key) and task == key else task
    except Exception:  # noqa: BLE001 - whatever a comparison does
        return task


def reverse_dict(d):
    """The dependents of each key, from the dependencies of each key."""
    found = {key: set() for key in d}
    for key, needs in d.items():
        for one in needs:
            found.setdefault(one, set()).add(key)
    return found


def in_order(needs):
    """The keys of {key: what it needs}, each after what it needs. A RuntimeError names the keys of a cycle."""
    try:
        return list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError as error:
        raise RuntimeError(f"Cycle detected in Dask: {'->'.join(map(str, reversed(error.args[1])))}") from None


def getcycle(d, keys):
    """The keys of a cycle that `keys` lead to, its first again at the end; empty if there is none."""
    needs, rest = {}, list(keys) if isinstance(keys, list) else [keys]
    while rest:
        key = rest.pop()
        if key not in needs:
            needs[key] = get_dependencies(d, key)
            rest.extend(needs[key])
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]
    return []


def isdag(d, keys):
    return not getcycle(d, keys)
