"""dask.optimization: cull() and inlining; fusing has nothing to gain here."""

import functools

from .core import get_dependencies, ishashable, istask, subs, toposort
from .highlevelgraph import HighLevelGraph


def cull(dsk, keys):
    """Only what `keys` need, and what each task depends on."""
    keys = keys if isinstance(keys, (list, set)) else [keys]
    kept = dict(HighLevelGraph.from_collections("graph", dsk).cull(keys))
    return kept, {key: get_dependencies(kept, key, as_list=True) for key in kept}


def inline(dsk, keys=None, inline_constants=True, dependencies=None):
    """The graph with the values of `keys`, and with constants, in the place of their names."""
    keys = set() if keys is None else set(keys) if isinstance(keys, (list, set)) else {keys}
    if inline_constants:
        keys |= {key for key, task in dsk.items() if ishashable(task) and task in dsk or not get_dependencies(dsk, key) and not istask(task)}  # fmt: skip
    made = {}
    for key in toposort(dsk):
        task = dsk[key]
        for need in keys & get_dependencies(dsk, key):
            task = subs(task, need, made[need] if need in made else dsk[need])
        made[key] = task
    return {key: made[key] for key in dsk}


def functions_of(task):
    """The functions that a task calls."""
    found, rest = set(), [task]
    while rest:
        one = rest.pop()
        if istask(one):
            func = one[0]
            while isinstance(func, functools.partial):
                func = func.func
            found.add(func)
            rest.extend(one[1:])
        elif isinstance(one, list):
            rest.extend(one)
    return found


def inline_functions(dsk, output, fast_functions=None, inline_constants=False, dependencies=None):
    """The graph with calls of fast functions in the place of their names."""
    if not fast_functions:
        return dsk
    fast = set(fast_functions)
    keys = [key for key, task in dsk.items() if istask(task) and functions_of(task) <= fast and key not in output
            and any(key in get_dependencies(dsk, other) for other in dsk)]  # fmt: skip
    if not keys:
        return dsk
    made = inline(dsk, keys, inline_constants)
    for key in keys:
        del made[key]
    return made
