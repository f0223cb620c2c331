"""Dask's delayed under its own names: keys, graphs, collections, settings."""

import contextvars
import dataclasses
import importlib.util
import operator
import pathlib
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from kasoku.compat import dask
from kasoku.compat.dask.delayed import Delayed, delayed, unpack_collections
from kasoku.compat.dask.highlevelgraph import HighLevelGraph
from dask_calls import Numbers, inc


def numbers():
    return Numbers({"a": 1, "b": 2, "c": (operator.add, "a", "b")}, ["a", "b", "c"])


def test_pure_calls_of_equal_arguments_are_one_task():
    calls = []

    def work(x):
        calls.append(x)
        return x * 2

    pure = delayed(work, pure=True)
    assert pure(3).key == pure(3).key != pure(4).key
    assert dask.compute(pure(3), pure(3), pure(4)) == (6, 6, 8) and sorted(calls) == [3, 4]
    calls.clear()
    plain = delayed(work)
    assert plain(3).key != plain(3).key
    assert dask.compute(plain(3), plain(3)) == (6, 6) and calls == [3, 3]


@pytest.mark.parametrize("a,b", [
    ([1, 2.5, "x", None], [1, 2.5, "x", 0]), ({"k": (1, 2)}, {"k": (2, 1)}), (slice(1, 2), slice(1, 3)),
    (np.arange(4), np.arange(1, 5)), (np.float32(1), np.float64(1)), (1, True), (1, 1.0), ("1", 1),
    (inc, operator.add), (lambda x: x + 1, lambda x: x + 2), (len, sum), ({1, 2}, {1, 3}),
])  # fmt: skip
def test_tokens_tell_values_apart(a, b):
    assert dask.tokenize(a) == dask.tokenize(a) != dask.tokenize(b)
    f = delayed(lambda x: x, pure=True)
    assert f(a).key == f(a).key != f(b).key


def test_tokens_of_own_kinds():
    class Mine:
        def __init__(self, name):
            self.name = name

    from kasoku.compat.dask.base import normalize_token

    normalize_token.register(Mine)(lambda mine: mine.name)
    assert dask.tokenize(Mine("a")) == dask.tokenize(Mine("a")) != dask.tokenize(Mine("b"))


def test_operators_and_attributes_are_pure():
    a = delayed([1, 2, 3])
    total = a[0] + a[0]
    assert a[0].key == a[0].key in total.dask and a.key in total.dask and len(total.dask) == 3
    assert a.index.key == a.index.key and a.index(1).key != a.index(1).key
    assert a.index(2).compute() == 1 and getattr not in {getattr(v, "func", None) for v in a.index(2).dask.values()}


def test_purity_as_a_setting():
    f = delayed(inc)
    with dask.config.set(delayed_pure=True):
        assert f(1).key == f(1).key and delayed(1).key == delayed(1).key
        assert f(1, pure=False).key != f(1, pure=False).key
    assert f(1).key != f(1).key


def test_keys_begin_with_the_name_of_what_is_delayed_or_are_as_given():
    assert delayed(1).key.startswith("int-") and delayed(inc)(1).key.startswith("inc-")
    assert delayed(1, name="X").key == "X" and delayed(inc)(1, dask_key_name="y").key == "y"
    assert delayed(inc)(1, dask_key_name=("y", 0)).key == ("y", 0)


def test_collections_of_the_protocol():
    n = numbers()
    assert dask.is_dask_collection(n) and not dask.is_dask_collection(3) and not dask.is_dask_collection(Numbers)
    assert dask.compute(n, [n], 5) == ((1, 2, 3), [(1, 2, 3)], 5)
    assert delayed(sum)(n).compute() == 6 and delayed(len, pure=True)(n).key == delayed(len, pure=True)(n).key
    seen = []

    def get(graph, keys, **options):
        seen.append(set(graph))
        return [dask.get(graph, key) for key in keys]

    assert delayed(inc)(1).compute(scheduler=get) == 2 and len(seen) == 1


def test_delayed_of_a_graph_and_its_optimization():
    graph = {"a": 1, "b": (inc, "a"), "c": (inc, "b")}
    x = Delayed("b", graph)
    (smaller,) = dask.optimize(x)
    assert x.compute() == 2 and sorted(smaller.dask) == ["a", "b"] and smaller.compute() == 2
    with dask.annotate(place="here"):
        layered = HighLevelGraph.from_collections("layer", graph)
    with pytest.raises(ValueError, match="not in"):
        Delayed("b", layered)
    (smaller,) = dask.optimize(Delayed("b", layered, layer="layer"))
    assert next(iter(smaller.dask.layers.values())).annotations == {"place": "here"} and set(smaller.dask) == {"a", "b"}
    smaller.dask.validate()


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


def test_dataclasses_and_iterators_are_looked_into():
    one = delayed(inc)(0)
    assert delayed(lambda p: p)(Point(one, [one])).compute() == Point(1, [1])
    assert delayed(sum)(iter([one, one, 3])).compute() == 5
    assert delayed(list)(iter((1, 2))).compute() == [1, 2]

    class Own:
        def __init__(self, b):
            self.a = b

    own = dataclasses.dataclass(init=False)(type("Own", (), {"__annotations__": {"a": int}, "__init__": Own.__init__}))
    with pytest.raises(TypeError, match="custom __init__ is not supported"):
        delayed([own(one)])

    @dataclasses.dataclass
    class Late:
        a: object
        b: int = dataclasses.field(init=False, default=1)

    late = Late(one)
    late.b = 2
    with pytest.raises(ValueError, match="init=False"):
        delayed(late)


def test_pickles():
    for value in (delayed(divmod, nout=2, pure=True)(7, 2), delayed(3), delayed(3).real, delayed([delayed(1), 2])):
        again = pickle.loads(pickle.dumps(value))
        assert again.key == value.key and again.dask == value.dask and again.compute() == value.compute()
    assert len(pickle.loads(pickle.dumps(delayed(divmod, nout=2)(7, 2)))) == 2


def test_what_is_refused():
    x = delayed(1)
    with pytest.raises(TypeError, match="immutable"):
        x.name = 3
    with pytest.raises(AttributeError):
        x._hidden  # noqa: B018
    with pytest.raises(ValueError, match="nout"):
        delayed(inc, nout=True)
    with pytest.raises(ValueError, match="no scheduler 'slow'"):
        x.compute(scheduler="slow")
    with pytest.warns(UserWarning, match="visualise"):
        x.visualise()


def test_documentation_stays_the_functions():
    @delayed
    def f(x):
        """What f does."""

    assert f.__doc__ == "What f does." and "computed later" in Delayed.__doc__ and f.__name__ == "f"


def test_settings_hold_within_their_block():
    with dask.config.set({"array.chunk-size": "1MiB"}, scheduler="synchronous", num_workers=3):
        assert dask.config.get("array.chunk_size") == "1MiB"
        here = set(dask.compute(*[delayed(threading.get_ident)() for _ in range(8)]))
        assert len(here) == 1
    assert dask.config.get("scheduler", None) is None
    with pytest.raises(KeyError):
        dask.config.get("scheduler")


def test_persist():
    calls = []
    x = delayed(lambda: calls.append(1) or 5)()
    kept, (also, three) = dask.persist(x, [x + 1, 3])
    assert (kept.compute(), also.compute(), three) == (5, 6, 3) and len(calls) == 2
    assert kept.compute() == 5 and len(calls) == 2


def test_bags():
    from kasoku.compat.dask import bag as db

    b = db.from_sequence(range(10), npartitions=3)
    assert b.npartitions == 3 and b.compute() == list(range(10)) and dask.is_dask_collection(b)
    squares = b.map(lambda x, n: x**n, 2)
    assert squares.sum().compute() == 285 and squares.filter(lambda x: x % 2).compute() == [1, 9, 25, 49, 81]
    assert (b.count().compute(), b.max().compute(), b.min().compute(), b.mean().compute()) == (10, 9, 0, 4.5)
    assert b.var().compute() == np.var(range(10)) and b.fold(operator.add).compute() == 45
    assert b.take(2) == (0, 1) and b.take(6, npartitions=-1) == (0, 1, 2, 3, 4, 5)
    assert db.from_sequence([[1, 2], [3]]).flatten().compute() == [1, 2, 3]
    assert dict(db.from_sequence("abca").frequencies().compute()) == {"a": 2, "b": 1, "c": 1}
    assert db.from_sequence([3, 1, 3, 2]).distinct().compute() == [3, 1, 2] and b.topk(2).compute() == [9, 8]
    groups = {key: sorted(items) for key, items in b.groupby(lambda x: x % 2).compute()}
    assert groups == {0: [0, 2, 4, 6, 8], 1: [1, 3, 5, 7, 9]}
    assert dict(b.foldby(lambda x: x % 2, operator.add).compute()) == {0: 20, 1: 25}
    people = db.from_sequence([{"n": 1, "w": "x"}, {"n": 2}])
    assert people.pluck("n").compute() == [1, 2] and people.pluck("w", None).compute() == ["x", None]
    assert db.zip(b, squares).take(3) == ((0, 0), (1, 1), (2, 4)) and db.concat([b, b]).count().compute() == 20
    assert delayed(sum)(b).compute() == 45 and dask.compute(b, b.sum()) == (list(range(10)), 45)
    assert db.from_delayed([delayed(list)((1, 2)), delayed(list)((3,))]).compute() == [1, 2, 3]
    assert b.persist().sum().compute() == 45 and b.to_delayed()[0].compute() == [0, 1, 2, 3]
    with pytest.raises(AttributeError, match="to_nowhere"):
        b.to_nowhere("x")


# Collections of the real package, by the face's compute(), and by the package's own with the face's scheduler.
by_either = pytest.mark.parametrize("values", [
    lambda *given: dask.compute(*given),
    lambda *given: tuple(one.compute(scheduler=dask.threaded.get) for one in given),
], ids=["compute", "get"])  # fmt: skip


@by_either
def test_arrays_of_the_real_dask(values):
    array = pytest.importorskip("dask.array")
    plain = np.random.default_rng(0).random((40, 30))
    x = array.from_array(plain, chunks=(13, 7))
    for lazy, right in [(x @ x.T, plain @ plain.T), (x.mean(axis=0), plain.mean(axis=0)), (x.sum(), plain.sum()),
                        (x[3:20:3, [1, 5, 2]], plain[3:20:3, [1, 5, 2]]), (x[x > 0.5], plain[plain > 0.5]),
                        (x.rechunk((5, 30)), plain), (x.T.reshape(1200), plain.T.ravel()),
                        (x.cumsum(axis=0), plain.cumsum(axis=0)), (x.map_blocks(lambda b: b * 2), plain * 2),
                        (x.map_overlap(lambda b: b + 1, depth=1, boundary="reflect"), plain + 1),
                        (array.linalg.svd(x.rechunk((10, 30)))[1], np.linalg.svd(plain)[1]),
                        (array.from_delayed(delayed(np.ones)(5), (5,), float).sum(), 5)]:  # fmt: skip
        np.testing.assert_allclose(values(lazy)[0], right)
    total, row = values(x.sum(), x[1])
    np.testing.assert_allclose([total, row.sum()], [plain.sum(), plain[1].sum()])


@by_either
def test_bags_of_the_real_dask(values):
    bag = pytest.importorskip("dask.bag")
    b = bag.from_sequence(range(20), npartitions=4)
    for lazy, right in [(b.map(lambda x: x * 2), list(range(0, 40, 2))), (b.sum(), 190), (b.topk(2), [19, 18]),
                        (b.filter(lambda x: x % 2), list(range(1, 20, 2))), (b.map(lambda x: None), [None] * 20),
                        (b.foldby(lambda x: x % 2, operator.add), [(0, 90), (1, 100)]),
                        (bag.zip(b, b.map(str)), [(i, str(i)) for i in range(20)])]:  # fmt: skip
        assert values(lazy) == (right,)
    assert {k: len(v) for k, v in values(b.groupby(lambda x: x % 3))[0]} == {0: 7, 1: 7, 2: 6}


@by_either
def test_delayed_of_the_real_dask(values):
    real = pytest.importorskip("dask")
    nothing, add = real.delayed(lambda *given: None), real.delayed(operator.add)
    assert values(nothing(nothing()), add(1, add(2, 3))) == (None, 6)
    assert values(real.delayed(dict)(a=[add(1, 2), {"b": nothing()}])) == ({"a": [3, {"b": None}]},)
    who = contextvars.ContextVar("who", default="nobody")
    who.set("the caller")
    assert values(real.delayed(who.get)()) == ("the caller",)


@pytest.mark.filterwarnings("error")
def test_the_real_dask_and_the_face_in_one_graph():
    real = pytest.importorskip("dask")
    theirs, ours = real.delayed(operator.add)(1, 2), delayed(operator.add)(3, 4)
    assert delayed(operator.mul)(theirs, ours).compute() == 21
    assert real.delayed(operator.mul)(theirs, ours).compute(scheduler="sync") == 21
    assert dask.compute([theirs, {"ours": ours}]) == ([3, {"ours": 7}],)
    assert real.compute(theirs, ours, scheduler="sync") == (3, 7)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_tasks_see_the_callers_context_variables(scheduler):
    who = contextvars.ContextVar("who", default="nobody")

    @delayed
    def seen(*before):
        found = who.get()
        who.set("a task")
        return found

    who.set("the caller")
    first, second = seen(), seen()
    assert dask.compute(first, second, seen(first), scheduler=scheduler) == ("the caller",) * 3
    assert who.get() == "the caller"


def test_a_delayed_value_of_a_key_that_its_graph_has_not():
    with pytest.raises(KeyError, match="the graph has no key 'a'"):
        Delayed("a", {"b": 1})
    rebuild, args = Delayed(("a", 1), {("a", 1): 1}).__dask_postpersist__()
    assert rebuild({("b", 1): 2}, *args, rename={"a": "b"}).compute() == 2


def test_all_of_this_holds_where_dask_is_not_installed():
    hide = """
import functools, importlib.machinery, sys
find = importlib.machinery.PathFinder.find_spec
def hidden(name, path=None, target=None):
    return None if name.partition(".")[0] in ("dask", "distributed") else find(name, path, target)
importlib.machinery.PathFinder.find_spec = functools.partial(hidden)
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:], "-k", "not installed"]))
"""
    files = [str(pathlib.Path(__file__).with_name(f"test_dask_{of}.py")) for of in ("face", "graphs", "client")]
    done = subprocess.run([sys.executable, "-c", hide, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def test_modules_without_an_engine_are_dasks_own_where_it_is_installed():
    pytest.importorskip("dask")
    from kasoku.compat.dask.optimization import fuse
    from kasoku.compat.dask.order import order

    graph = {"a": 1, "b": (inc, "a"), "c": (inc, "b")}
    assert order(graph) == {"a": 0, "b": 1, "c": 2} and sys.modules["kasoku.compat.dask.order"].__name__.startswith(
        "kasoku."
    )
    fused, _ = fuse(graph, keys=["c"])
    assert dask.get(fused, "c") == 3 and len(fused) < 3
    bag = importlib.import_module("kasoku.compat.dask.bag").from_sequence(range(6), npartitions=3)
    from kasoku.compat.dask.diagnostics import Profiler

    with Profiler() as seen:  # its collections run by the face
        assert bag.map(inc).sum().compute() == 21
    assert seen.results


# ── graph_manipulation, and what Dask's own modules make of our values ────────────────────

needs_dask = pytest.mark.skipif(importlib.util.find_spec("dask") is None, reason="needs Dask's modules")


@needs_dask
@pytest.mark.parametrize("kind", ["delayed", "array"])
def test_clones_have_other_keys_and_the_same_values(kind):
    from kasoku.compat.dask import array, graph_manipulation

    calls = []
    first = delayed(lambda x: calls.append(x) or x + 1)(1) if kind == "delayed" else array.ones((4, 3), chunks=2) + 1
    value = delayed(inc)(first) if kind == "delayed" else (first * 2).sum(axis=0)
    want = 3 if kind == "delayed" else np.full(3, 16.0)
    copy = graph_manipulation.clone(value)
    assert not set(copy.__dask_graph__()) & set(value.__dask_graph__())
    assert np.array_equal(copy.compute(), want) and np.array_equal(value.compute(), want)
    part = graph_manipulation.clone(value, omit=first)
    assert set(part.__dask_graph__()) & set(value.__dask_graph__()) == set(first.__dask_graph__())
    assert np.array_equal(part.compute(), want)


@needs_dask
def test_bound_values_wait_for_what_they_are_bound_to():
    from kasoku.compat.dask import array, graph_manipulation

    order = []

    def note(x, word):
        order.append(word)
        time.sleep(0.01 * (word == "before"))
        return x

    before = delayed(note)(1, "before")
    assert graph_manipulation.bind(delayed(inc)(delayed(note)(1, "after")), before).compute() == 2
    assert order == ["before", "after"]
    bound = graph_manipulation.bind(array.ones(4, chunks=2), before).map_blocks(note, "after", dtype=float)
    order.clear()
    assert bound.compute().tolist() == [1, 1, 1, 1] and order == ["before", "after", "after"]


@needs_dask
def test_delayed_values_are_arguments_of_bags():
    from kasoku.compat.dask import bag

    numbers = bag.from_sequence(range(4), npartitions=2)
    assert numbers.map(lambda x, y: x + y, y=delayed(inc)(1)).compute() == [2, 3, 4, 5]
    assert numbers.map_partitions(lambda part, s: [x * s for x in part], delayed(3)).compute() == [0, 3, 6, 9]
    assert numbers.map(lambda x, y: x - y, numbers.sum()).compute() == [-6, -5, -4, -3]
    task, needs = unpack_collections([delayed(inc)(1), 5])
    assert [need.compute() for need in needs] == [2] and task({needs[0].key: 7}) == [7, 5]


def test_an_array_of_one_function():
    from kasoku.compat.dask.array.core import from_func

    x = from_func(lambda n: np.arange(n).reshape(2, -1), (2, 3), int, args=(6,))
    assert (x + 1).sum(axis=1).compute().tolist() == [6, 15]


def test_an_overlap_is_also_a_module():
    from kasoku.compat.dask import array

    assert array.overlap.overlap(array.ones((4, 4), chunks=2), depth=1, boundary=0).shape == (8, 8)


class Counted(dask.base.DaskMethodsMixin):
    """A collection that says when it is asked to make less of its graph."""

    def __init__(self, graph, keys, asked):
        self._graph, self._keys, self._asked = graph, keys, asked

    def __dask_graph__(self):
        return self._graph

    def __dask_keys__(self):
        return self._keys

    def __dask_tokenize__(self):
        return tuple(self._keys)

    def __dask_optimize__(graph, keys, **options):  # noqa: N805 - as Dask calls it, of all collections that have it
        asked.append(keys)
        return graph

    def __dask_postcompute__(self):
        return tuple, ()

    def __dask_postpersist__(self):
        return lambda graph, rename=None: Counted(graph, self._keys, self._asked), ()

    __dask_optimize__ = staticmethod(__dask_optimize__)


asked = []


def test_compute_asks_collections_to_make_less_of_their_graphs():
    graph = {"a": 1, "b": (inc, "a"), "c": (inc, "b")}
    one, other = Counted(graph, ["b"], asked), Counted(graph, ["c"], asked)
    asked.clear()
    assert dask.compute([one, {"k": other}], dask.delayed(3)) == ([(2,), {"k": (3,)}], 3)
    assert asked == [[["b"], ["c"]]]  # once, of both
    assert one.compute() == (2,) and one.persist().compute() == (2,) and len(asked) == 4
    assert one.compute(optimize_graph=False) == (2,) and len(asked) == 4
