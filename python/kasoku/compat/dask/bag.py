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
from .._face.table import Table
from .base import DaskMethodsMixin, tokenize
from .highlevelgraph import HighLevelGraph


def _parts(function, *args, **kwargs):
    return delayed(function)(*args, **kwargs)


def _joined(parts):
    return list(itertools.chain.from_iterable(parts))


@says_what_is_missing("dask.bag.Bag")
class Bag(DaskMethodsMixin):
    """Items in an order, in parts that tasks compute."""

    def __init__(self, parts):
        self._tasks = tuple(parts)

    npartitions = property(lambda self: len(self._tasks))

    def __repr__(self):
        return f"dask.bag<npartitions={self.npartitions}>"

    # ── the protocol of collections ───────────────────────────────────────────────────────

    def __dask_graph__(self):
        return HighLevelGraph.merge(*(task.dask for task in self._tasks))

    def __dask_keys__(self):
        return [task.key for task in self._tasks]

    def __dask_layers__(self):
        return tuple(self.__dask_keys__())

    def __dask_tokenize__(self):
        return self.__dask_keys__()

    def __dask_postcompute__(self):
        return _joined, ()

    def __dask_postpersist__(self):
        return lambda graph: Bag(Delayed(task.key, graph) for task in self._tasks), ()

    dask = property(__dask_graph__)

    def to_delayed(self, optimize_graph=True):
        return list(self._tasks)

    def __iter__(self):
        return iter(self.compute())

    # ── item by item ──────────────────────────────────────────────────────────────────────

    def map_partitions(self, func, *args, **kwargs):
        """func(part, …) of each part; other bags among the arguments go part by part too."""
        return Bag(
            _parts(func, task, *(a._tasks[i] if isinstance(a, Bag) else a for a in args), **kwargs)
            for i, task in enumerate(self._tasks)
        )

    def map(self, func, *args, **kwargs):
        """func of each item; other bags of as many parts go item by item."""
        is_bag = [isinstance(a, Bag) for a in args]

        def each(part, *rest, **named):
            columns = [one if bag else itertools.repeat(one) for one, bag in builtins.zip(rest, is_bag)]
            return [func(*row, **named) for row in builtins.zip(part, *columns)]

        return self.map_partitions(each, *args, **kwargs)

    def starmap(self, func, **kwargs):
        return self.map_partitions(lambda part: [func(*row, **kwargs) for row in part])

    def filter(self, predicate):
        return self.map_partitions(lambda part: list(builtins.filter(predicate, part)))

    def remove(self, predicate):
        return self.map_partitions(lambda part: list(itertools.filterfalse(predicate, part)))

    def flatten(self):
        return self.map_partitions(_joined)

    def pluck(self, key, default=operator):
        """item[key], or several by a list of keys."""

        def one(item, name):
            if default is operator:
                return item[name]
            try:
                return item[name]
            except (KeyError, IndexError):
                return default

        if isinstance(key, list):
            return self.map(lambda item: tuple(one(item, name) for name in key))
        return self.map(lambda item: one(item, key))

    # ── to one value ──────────────────────────────────────────────────────────────────────

    def reduction(self, perpartition, aggregate, split_every=None, out_type=None, name=None):
        return _parts(aggregate, [_parts(perpartition, task) for task in self._tasks])

    def fold(self, binop, combine=None, initial=operator, split_every=None, out_type=None):
        first = () if initial is operator else (initial,)
        return self.reduction(
            lambda part: functools.reduce(binop, part, *first),
            lambda parts: functools.reduce(combine or binop, parts),
        )

    def count(self, split_every=None):
        return self.reduction(lambda part: builtins.sum(1 for _ in part), builtins.sum)

    def max(self, split_every=None):
        return self._of_full_parts(builtins.max)

    def min(self, split_every=None):
        return self._of_full_parts(builtins.min)

    def _of_full_parts(self, function):
        return self.reduction(lambda part: [function(part)] if part else [], lambda found: function(_joined(found)))

    def _moments(self, finish):
        return self.reduction(
            lambda part: (len(part), builtins.sum(part), builtins.sum(x * x for x in part)),
            lambda parts: finish(*(builtins.sum(column) for column in builtins.zip(*parts))),
        )

    def mean(self):
        return self._moments(lambda n, total, squares: total / n)

    def var(self, ddof=0):
        return self._moments(lambda n, total, squares: (squares - total * total / n) / (n - ddof))

    def std(self, ddof=0):
        return self._moments(lambda n, total, squares: math.sqrt((squares - total * total / n) / (n - ddof)))

    def take(self, k, npartitions=1, compute=True, warn=True):
        """The first items of the first parts (-1: of all), as a tuple."""
        tasks = self._tasks if npartitions == -1 else self._tasks[:npartitions]
        taken = _parts(lambda parts: tuple(itertools.islice(_joined(parts), k)), list(tasks))
        return taken.compute() if compute else Bag([taken])

    # ── to bags of results ────────────────────────────────────────────────────────────────

    def _gathered(self, per_part, together):
        return Bag([_parts(together, [_parts(per_part, task) for task in self._tasks])])

    def frequencies(self, split_every=None, sort=False):
        """(item, how often)."""

        def together(counts):
            total = builtins.sum(counts, collections.Counter())
            return total.most_common() if sort else list(total.items())

        return self._gathered(collections.Counter, together)

    def distinct(self, key=None):
        def once(part):
            found = {}
            for item in part:
                found.setdefault(key(item) if key else item, item)
            return list(found.values())

        return self._gathered(once, lambda parts: once(_joined(parts)))

    def topk(self, k, key=None, split_every=None):
        return self._gathered(
            lambda part: heapq.nlargest(k, part, key), lambda parts: heapq.nlargest(k, _joined(parts), key)
        )

    def groupby(self, grouper, npartitions=None, **options):
        """(key, items)."""
        find = grouper if callable(grouper) else operator.itemgetter(grouper)

        def together(parts):
            groups = {}
            for item in _joined(parts):
                groups.setdefault(find(item), []).append(item)
            return list(groups.items())

        return self._gathered(list, together)

    def foldby(self, key, binop, initial=operator, combine=None, combine_initial=operator, split_every=None):
        """(key, fold of its items)."""
        find = key if callable(key) else operator.itemgetter(key)

        def per_part(part):
            found = {}
            for item in part:
                name = find(item)
                if name in found:
                    found[name] = binop(found[name], item)
                else:
                    found[name] = item if initial is operator else binop(initial, item)
            return found

        def together(parts):
            found = {}
            for one in parts:
                for name, value in one.items():
                    found[name] = (combine or binop)(found[name], value) if name in found else value
            return list(found.items())

        return self._gathered(per_part, together)


def _reduced(function):
    return lambda self, split_every=None: self.reduction(function, function)


_methods = Table()
_methods.rows("plain", {
    "sum": _reduced(builtins.sum), "prod": _reduced(math.prod), "any": _reduced(builtins.any), "all": _reduced(builtins.all),
})  # fmt: skip
for _name, _method in _methods.items():
    setattr(Bag, _name, _method)


def from_sequence(seq, partition_size=None, npartitions=None):
    """A bag of the items, in parts of a size, or in a number of parts (100 if nothing is said)."""
    items = list(seq)
    size = partition_size or max(1, math.ceil(len(items) / (npartitions or 100)))
    name = "from_sequence-" + tokenize(items, size)
    parts = [items[at : at + size] for at in builtins.range(0, len(items), size)] or [[]]
    return Bag(delayed(part, name=f"{name}-{i}", traverse=False) for i, part in enumerate(parts))


def from_delayed(values):
    """A bag whose parts are delayed lists."""
    return Bag(values if isinstance(values, (list, tuple)) else [values])


def range(n, npartitions):  # noqa: A001
    return from_sequence(builtins.range(n), npartitions=npartitions)


def concat(bags):
    """The items of all bags, one bag after another."""
    return Bag(task for bag in bags for task in bag._tasks)


def zip(*bags):  # noqa: A001
    return bags[0].map(lambda *row: row, *bags[1:])
