"""dask.order: a number for each key, in which tasks run that keep few values at a time."""

from ._task_spec import convert_legacy_graph
from .core import in_order


def order(dsk, dependencies=None, *, return_stats=False):
    """{key: number}: what is needed comes first, one output after another, inside of each the heavier half first."""
    graph = convert_legacy_graph(dsk)
    needs = {key: [n for n in node.dependencies if n in graph] for key, node in graph.items()} if dependencies is None else {k: [n for n in dependencies[k] if n in dsk] for k in dsk}  # fmt: skip
    readers = {key: 0 for key in needs}
    for each in needs.values():
        for need in each:
            readers[need] += 1
    height = {}
    numbers, open_ = {}, set()
    weight = lambda key: (height.get(key, 0), str(key))  # noqa: E731
    for key in in_order(needs):
        height[key] = 1 + sum(height[need] for need in needs[key])
    for first in sorted((key for key in needs if not readers[key]), key=weight) or list(needs):
        stack = [first]
        while stack:
            key = stack[-1]
            rest = [n for n in sorted(needs[key], key=weight) if n not in numbers]
            if key in numbers or not rest or key in open_:
                stack.pop()
                if key not in numbers:
                    numbers[key] = len(numbers)
                continue
            open_.add(key)
            stack.extend(rest)
    return numbers
