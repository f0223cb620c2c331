"""dask.bag: lists in parts, each part a task; the common part of Dask's bags."""

import builtins
import collections
import functools
import heapq
import itertools
import math
import operator

from kasoku import delayed
from kasoku._core import Delayed

from .. import says_what_is_missing
from .._face.table import bound as _bound, each as _each, methods as _methods, plain as _plain
from .base import DaskMethodsMixin, tokenize
from .highlevelgraph import HighLevelGraph


def _joined(parts):
    return list(itertools.chain.from_iterable(parts))


@says_what_is_missing("dask.bag.Bag")
class Bag(DaskMethodsMixin):
    """Items in an order, in parts that tasks compute."""

    def __init__(self, parts):
        self._tasks = tuple(parts)

    npartitions = property(lambda self: len(self._tasks))
    __dask_graph__ = lambda self: HighLevelGraph.merge(*(task.dask for task in self._tasks))
    dask = property(__dask_graph__)

    def map_partitions(self, func, *args, **kwargs):
        """func(part, …) of each part; other bags among the arguments go part by part too."""
        return Bag(
            delayed(func)(task, *(a._tasks[i] if isinstance(a, Bag) else a for a in args), **kwargs)
            for i, task in enumerate(self._tasks)
        )

    def map(self, func, *args, **kwargs):
        """func of each item; other bags of as many parts go item by item."""
        is_bag = [isinstance(a, Bag) for a in args]

        def each(part, *rest, **named):
            columns = [one if bag else itertools.repeat(one) for one, bag in builtins.zip(rest, is_bag)]
            return [func(*row, **named) for row in builtins.zip(part, *columns)]

        return self.map_partitions(each, *args, **kwargs)

    def pluck(self, key, default=operator):
        """item[key], or several by a list of keys."""

        def one(item, name):
            try:
                return item[name]
            except (KeyError, IndexError):
                if default is operator:
                    raise
                return default

        if isinstance(key, list):
            return self.map(lambda item: tuple(one(item, name) for name in key))
        return self.map(lambda item: one(item, key))

    def reduction(self, perpartition, aggregate, split_every=None, out_type=None, name=None):
        return delayed(aggregate)([delayed(perpartition)(task) for task in self._tasks])

    def fold(self, binop, combine=None, initial=operator, split_every=None, out_type=None):
        first = () if initial is operator else (initial,)
        return self.reduction(
            lambda part: functools.reduce(binop, part, *first),
            lambda parts: functools.reduce(combine or binop, parts),
        )

    def take(self, k, npartitions=1, compute=True, warn=True):
        """The first items of the first parts (-1: of all), as a tuple."""
        tasks = self._tasks if npartitions == -1 else self._tasks[:npartitions]
        taken = delayed(lambda parts: tuple(itertools.islice(_joined(parts), k)))(list(tasks))
        return taken.compute() if compute else Bag([taken])

    def _gathered(self, per_part, together):
        """A bag of one part, which together() makes of what is found of each."""
        return Bag([self.reduction(per_part, together)])


# ── what is made of each part, and of all of these ────────────────────────────────────────


def _of_full_parts(self, split_every=None, *, of):
    return self.reduction(lambda part: [of(part)] if part else [], lambda parts: of(_joined(parts)))


def _of_moments(self, ddof=0, *, finish):
    sums = lambda part: (len(part), builtins.sum(part), builtins.sum(x * x for x in part))
    return self.reduction(sums, lambda parts: finish(*map(builtins.sum, builtins.zip(*parts)), ddof))


def _variance(n, total, squares, ddof):
    return (squares - total * total / n) / (n - ddof)


def _grouped(items, find, start, add):
    """{find(item): what add() makes of the items}, of start(item) for the first one."""
    found = {}
    for item in items:
        name = find(item)
        found[name] = add(found[name], item) if name in found else start(item)
    return found


def _finder(key):
    return key if callable(key) else operator.itemgetter(key)


def _frequencies(self, split_every=None, sort=False):
    def together(counts):
        total = builtins.sum(counts, collections.Counter())
        return total.most_common() if sort else list(total.items())

    return self._gathered(collections.Counter, together)


def _distinct(self, key=None):
    def once(part):
        return list(_grouped(part, key or (lambda item: item), lambda item: item, lambda first, _: first).values())

    return self._gathered(once, lambda parts: once(_joined(parts)))


def _groupby(self, grouper, npartitions=None, **options):
    def together(parts):
        add = lambda items, item: items.append(item) or items
        return list(_grouped(_joined(parts), _finder(grouper), lambda item: [item], add).items())

    return self._gathered(list, together)


def _foldby(self, key, binop, initial=operator, combine=None, combine_initial=operator, split_every=None):
    def start(item):
        return item if initial is operator else binop(initial, item)

    def together(parts):
        items = itertools.chain.from_iterable(part.items() for part in parts)
        found = _grouped(
            items, lambda each: each[0], lambda each: each[1], lambda a, each: (combine or binop)(a, each[1])
        )
        return list(found.items())

    return self._gathered(lambda part: _grouped(part, _finder(key), start, binop), together)


_methods(Bag, {
    "__repr__": lambda self: f"dask.bag<npartitions={self.npartitions}>",
    "__dask_keys__": lambda self: [task.key for task in self._tasks],
    "__dask_postpersist__": lambda self: (lambda graph: Bag(Delayed(task.key, graph) for task in self._tasks), ()),
    "__dask_layers__": lambda self: tuple(self.__dask_keys__()),
    "__dask_tokenize__": lambda self: self.__dask_keys__(),
    "__dask_postcompute__": lambda self: (_joined, ()),
    "to_delayed": lambda self, optimize_graph=True: list(self._tasks),
    "__iter__": lambda self: iter(self.compute()),
    "starmap": lambda self, func, **words: self.map_partitions(lambda part: [func(*row, **words) for row in part]),
    "filter": lambda self, predicate: self.map_partitions(lambda part: list(builtins.filter(predicate, part))),
    "remove": lambda self, predicate: self.map_partitions(lambda part: list(itertools.filterfalse(predicate, part))),
    "flatten": lambda self: self.map_partitions(_joined),
    **_each(builtins, "sum any all", lambda of: lambda self, split_every=None: self.reduction(of, of)),
    "prod": lambda self, split_every=None: self.reduction(math.prod, math.prod),
    "max": _bound(_of_full_parts, of=builtins.max), "min": _bound(_of_full_parts, of=builtins.min),
    "count": lambda self, split_every=None: self.reduction(lambda part: builtins.sum(1 for _ in part), builtins.sum),
    "mean": _bound(_of_moments, finish=lambda n, total, squares, ddof: total / n),
    "var": _bound(_of_moments, finish=_variance),
    "std": _bound(_of_moments, finish=lambda *sums: math.sqrt(_variance(*sums))),
    "frequencies": (_frequencies, "(item, how often)."),
    "distinct": _distinct,
    "topk": lambda self, k, key=None, split_every=None: self._gathered(
        lambda part: heapq.nlargest(k, part, key), lambda parts: heapq.nlargest(k, _joined(parts), key)),
    "groupby": (_groupby, "(key, items)."),
    "foldby": (_foldby, "(key, fold of its items)."),
})  # fmt: skip


def from_sequence(seq, partition_size=None, npartitions=None):
    """A bag of the items, in parts of a size, or in a number of parts (100 if nothing is said)."""
    items = list(seq)
    size = partition_size or max(1, math.ceil(len(items) / (npartitions or 100)))
    name = "from_sequence-" + tokenize(items, size)
    parts = [items[at : at + size] for at in builtins.range(0, len(items), size)] or [[]]
    return Bag(delayed(part, name=f"{name}-{i}", traverse=False) for i, part in enumerate(parts))


_plain(globals(), {
    "from_delayed": (lambda values: Bag(values if isinstance(values, (list, tuple)) else [values]),
        "A bag whose parts are delayed lists."),
    "range": lambda n, npartitions: from_sequence(builtins.range(n), npartitions=npartitions),
    "concat": (lambda bags: Bag(task for bag in bags for task in bag._tasks),
        "The items of all bags, one bag after another."),
    "zip": lambda *bags: bags[0].map(lambda *row: row, *bags[1:]),
})  # fmt: skip
