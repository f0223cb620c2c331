"""Dask's delayed under its own names: keys, graphs, collections, settings."""

import asyncio
import concurrent.futures
import contextlib
import contextvars
import dataclasses
import functools
import importlib.util
import io
import multiprocessing
import operator
import os
import pickle
import subprocess
import sys
import threading
import traceback
import time
from collections import namedtuple
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import kasoku as ks
from kasoku._delayed import specification
from kasoku.compat import dask
from kasoku.compat.dask._task_spec import Alias, List, Task, TaskRef, fuse_linear_task_spec
from kasoku.compat.dask.delayed import Delayed, delayed, to_task_dask, unpack_collections
from kasoku.compat.dask.highlevelgraph import HighLevelGraph


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


def test_graphs_are_dictionaries_of_tasks():
    Task, DataNode = specification().Task, specification().DataNode  # Dask's own, where other tests have loaded it
    f = delayed(operator.add, pure=True)
    assert dict(f(1, 2).dask) == {f(1, 2).key: Task(f(1, 2).key, operator.add, 1, 2)}
    assert dict(f.dask) == {f.key: DataNode(f.key, operator.add)}
    a = delayed(1, name="a")
    pair = namedtuple("pair", "x y")
    for value, made in [([a, (a, 3)], [7, (7, 3)]), ({"k": a}, {"k": 7}), (slice(a, None), slice(7, None)),
                        (pair(a, 2), pair(7, 2)), (a, 7)]:  # fmt: skip
        with pytest.warns(UserWarning, match="deprecated"):
            task, graph = to_task_dask(value)
        assert dask.get({"a": 7, "t": task}, "t") == made and graph == {"a": DataNode("a", 1)}
    g = delayed(lambda x, k: x + k)(a, k=delayed(2, name="b"))
    assert dask.get(dict(g.dask), g.key) == 3 and g.dask.dependencies[g.key] == {"a", "b"}
    looks_like_a_task = delayed((inc, 1))
    assert looks_like_a_task.compute() == (inc, 1)
    assert dask.get(dict(looks_like_a_task.dask), looks_like_a_task.key) == (inc, 1)


@pytest.mark.parametrize("get", [dask.get, dask.threaded.get, dask.multiprocessing.get])
def test_get_runs_graphs(get):
    graph = {"x": 1, "y": (inc, "x"), "z": (sum, ["x", "y", (inc, (inc, "y"))]), ("t", 0): "z", "n": [1, "y"]}
    assert get(graph, "z") == 7 and get(graph, ["z", ["x", ("t", 0)]]) == (7, (1, 7)) and get(graph, "n") == [1, 2]
    with pytest.raises(KeyError, match="no key"):
        get(graph, "w")
    with pytest.raises(RuntimeError, match="Cycle detected in Dask: x->y->x"):
        get({"x": (inc, "y"), "y": (inc, "x")}, "x")
    with pytest.raises(ValueError, match="Missing dependency w for dependents"):
        get({"x": Task("x", inc, TaskRef("w"))}, "x")
    chain = {("n", 0): 0, **{("n", i): (inc, ("n", i - 1)) for i in range(1, 30_000)}}
    assert get(chain, ("n", 29_999)) == 29_999


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


def test_a_scheduler_of_the_settings_may_call_dask_s_own():
    seen = []

    def own(graph, keys, **options):
        seen.append(len(seen))
        return dask.threaded.get(graph, keys, **options)

    with dask.config.set(scheduler=own):
        assert delayed(inc)(1).compute() == 2 and dask.compute(delayed(inc)(2), delayed(inc)(3)) == (3, 4)
    assert seen == [0, 1]
    with dask.config.set(num_workers=1):
        assert len(set(dask.threaded.get({i: (threading.get_ident,) for i in range(8)}, list(range(8))))) == 1


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


def test_progress_bar():
    from kasoku.compat.dask.diagnostics import ProgressBar

    out = io.StringIO()
    with ProgressBar(out=out) as bar:
        assert delayed(sum)([delayed(inc)(i) for i in range(20)]).compute() == 210
    assert "[########################################] | 100% Completed" in out.getvalue() and bar.last_duration > 0
    before = out.getvalue()
    delayed(inc)(1).compute()
    assert out.getvalue() == before


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


def test_a_client_of_this_machine():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2, threads_per_worker=2) as client:
        assert client.ncores() == {"threads/0": 2, "threads/1": 2} and distributed.get_client() is client
        squares = client.map(lambda x: x * x, range(20))
        total = client.submit(sum, squares)  # waits for futures in a list
        assert client.gather(squares) == [x * x for x in range(20)]
        assert total.result() == client.submit(operator.add, total, 0).result() == sum(x * x for x in range(20))
        assert sorted(f.result() for f in distributed.as_completed(squares)) == client.gather(squares)
        done, rest = distributed.wait([total])
        assert done == {total} and not rest and total.status == "finished" and total.done()
        lazy = dask.delayed(operator.add)(1, 2)
        assert client.compute(lazy).result() == 3 and client.compute([lazy, lazy], sync=True) == [3, 3]
        assert client.persist(lazy).compute() == 3
        data = client.scatter([1, 2, 3])
        assert client.submit(operator.mul, data[1], 5).result() == 10
        wrong = client.submit(operator.truediv, 1, 0)
        with pytest.raises(ZeroDivisionError):
            client.submit(operator.add, wrong, 1).result()
        assert wrong.status == "error" and isinstance(wrong.exception(), ZeroDivisionError)
    with pytest.raises(ValueError, match="No global client"):
        distributed.get_client()


def test_calls_take_what_is_for_workers_and_the_scheduler():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2) as client:
        assert (
            client.submit(pow, 2, 3, resources={"GPU": 1}, allow_other_workers=True, fifo_timeout="1 s").result() == 8
        )
        assert client.gather(client.map(abs, [-1, 2], batch_size=1, resources={"GPU": 1})) == [1, 2]


def test_calls_are_tried_again_cancelled_and_left_out():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2, threads_per_worker=1) as client:
        calls = []

        def third():
            calls.append(1)
            return 10 // (len(calls) // 3)

        assert client.submit(third, retries=5).result() == 10 and len(calls) == 3
        calls.clear()
        with pytest.raises(ZeroDivisionError):
            client.submit(third, retries=1).result()
        assert len(calls) == 2
        go = threading.Event()
        running = client.submit(go.wait)
        later = client.submit(lambda value: value, running)
        running.cancel()
        assert running.cancelled() and running.status == "cancelled" and running.done()
        with pytest.raises(distributed.concurrent.futures.CancelledError):
            running.result()
        assert distributed.wait([running]).done == {running}
        with pytest.raises(distributed.concurrent.futures.CancelledError):
            later.result()
        go.set()
        wrong = client.submit(operator.truediv, 1, 0)
        good = client.map(abs, [-1, 2])
        assert client.gather([wrong, *good, running], errors="skip") == [1, 2]
        named = client.scatter({"a": 1, "b": [2]})
        assert client.gather(named) == {"a": 1, "b": [2]}
        assert client.get({"x": 1, "y": (operator.add, "x", 1)}, ["y", "x"]) == [2, 1]
        batches = list(distributed.as_completed(good, with_results=True).batches())
        assert sorted(value for batch in batches for _, value in batch) == [1, 2] and all(batches)
        assert list(distributed.as_completed([]).batches()) == []


class Tally:
    def __init__(self, start=0):
        self.n = start

    def add(self, k):
        before, self.n = self.n, self.n + k
        return before

    def fail(self):
        raise KeyError("no")


def test_actors_stay_and_run_one_call_after_the_other():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2, threads_per_worker=2) as client:
        tally = client.submit(Tally, 5, actor=True).result()
        futures = [tally.add(1) for _ in range(50)]
        assert client.gather(futures) == list(range(5, 55)) and tally.n == 55
        assert tally.add(client.submit(abs, -3)).result() == 55 and tally.n == 58
        with pytest.raises(KeyError):
            tally.fail().result()
        with pytest.raises(AttributeError):
            tally.nothing
        assert client.submit(lambda actor: actor.add(2).result(), tally).result() == 58  # in a task


def test_joblib_finds_the_client():
    joblib = pytest.importorskip("joblib")
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2, threads_per_worker=1):
        with joblib.parallel_config(backend="dask"):
            found = joblib.Parallel()(joblib.delayed(lambda k: (k, threading.get_ident()))(k) for k in range(20))
    assert [k for k, _ in found] == list(range(20)) and threading.get_ident() not in {thread for _, thread in found}
    assert "dask" not in joblib.parallel.BACKENDS


def test_joblib_that_is_imported_later_finds_the_client():
    pytest.importorskip("joblib")
    text = """
from kasoku.compat.dask import distributed
with distributed.Client(n_workers=2, threads_per_worker=1) as client:
    import joblib
    with joblib.parallel_config(backend="dask"):
        assert joblib.Parallel()(joblib.delayed(pow)(k, 2) for k in range(5)) == [0, 1, 4, 9, 16]
    assert client.get({"a": 1, "b": (str, "a")}, ["a", ["b"]]) == [1, ["1"]]
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_a_task_prints_and_warns_of_is_seen(capsys):
    from kasoku.compat.dask import distributed

    def task(x):
        distributed.print("task", x, sep="-")
        distributed.warn(f"so {x}")
        return x

    with distributed.Client(processes=False) as client, pytest.warns(UserWarning, match="so 3"):
        assert client.submit(task, 3).result() == 3
    assert capsys.readouterr().out == "task-3\n"


def test_none_is_a_value():
    nothing = delayed(lambda *args: None)
    assert nothing(nothing()).compute() is None and dask.compute([nothing(), 1]) == ([None, 1],)
    graph = {"a": (lambda: None,), "b": (list, ["a", "a"]), "c": None, "d": "a", "e": ["a", "c"]}
    assert dask.get(graph, ["a", "b", "c", "d", "e"]) == (None, [None, None], None, None, [None, None])
    assert dask.get(graph, "a") is None and delayed(None).compute() is None and nothing().persist().compute() is None


class Node:
    """A task as dask._task_spec writes it: its keys, and a call with their values."""

    def __init__(self, key, func, *args):
        self.key, self.func, self.args = key, func, args

    @property
    def dependencies(self):
        return frozenset(arg.key for arg in self.args if isinstance(arg, Node))

    def substitute(self, keys, key=None):
        return self

    def __call__(self, values=()):
        return self.func(*(values[arg.key] if isinstance(arg, Node) else arg for arg in self.args))


def test_tasks_that_are_objects_are_called_with_their_inputs():
    a = Node(("x", 0), list, (1, 2))
    b = Node(("x", 1), lambda x, n: [*x, n], a, 3)
    graph = {a.key: a, b.key: b, "sum": (sum, b.key), "nested": (len, Node(None, sorted, b)), "same": a}
    numbers = Numbers(graph, [["sum", "nested"], ("x", 1), "same"])
    assert dask.compute(numbers) == (([6, 3], [1, 2, 3], [1, 2]),)
    assert dask.get(graph, [("x", 0), "sum"]) == ([1, 2], 6)
    with pytest.raises(ValueError, match="Missing dependency"):
        dask.get({"b": b}, "b")


class Reference:
    """A key in the place of a value, as dask._task_spec writes it."""

    __slots__ = ("key",)

    def __init__(self, key):
        self.key = key

    def substitute(self, keys, key=None):
        return self


def test_keys_that_are_marked_as_such():
    graph = {"a": 5, "b": Reference("a"), "c": (sum, [Reference("b"), (inc, Reference("a"))])}
    assert dask.get(graph, ["b", "c"]) == (5, 11)
    with pytest.raises(KeyError, match="gone"):
        dask.get({"b": Reference("gone")}, "b")


def test_an_object_that_has_every_attribute_is_a_value():
    class Any:
        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            return Any()

    one = Any()
    assert delayed(one).key.startswith("Any-") and delayed(one).compute() is one
    assert delayed(functools.partial(inc, 1))().key.startswith("inc-")


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


def test_a_client_runs_and_persists_collections_of_the_real_dask():
    array = pytest.importorskip("dask.array")
    from kasoku.compat.dask import distributed

    meet, go = threading.Barrier(8), threading.Event()

    def met(block):
        meet.wait(20)
        return block

    def waited(block):
        go.wait(20)
        return block + 1

    with distributed.Client(threads_per_worker=8) as client:
        eight = array.arange(8, chunks=1).map_blocks(met, dtype=int, meta=np.empty(0, int))
        assert dask.compute(eight)[0].tolist() == list(range(8))  # each waits for the seven others
        assert eight.compute(scheduler=dask.threaded.get).tolist() == list(range(8))
        kept = client.persist(array.arange(8, chunks=4).map_blocks(waited, dtype=int, meta=np.empty(0, int)))
        assert [f.status for f in distributed.futures_of(kept)] == ["pending"]
        go.set()
        assert dask.compute(kept.sum()) == (36,) and kept.sum().compute(scheduler="sync") == 36
        assert client.compute(kept.max()).result() == 8


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


def test_a_clients_threads_run_what_is_computed():
    from kasoku.compat.dask import distributed

    meet = threading.Barrier(8)
    meeting = [delayed(meet.wait)(20) for _ in range(8)]
    with distributed.Client(threads_per_worker=8):
        assert sorted(dask.compute(*meeting)) == list(range(8))  # each waits for the seven others
        assert dask.compute(*[delayed(threading.active_count)() for _ in range(2)], scheduler="synchronous")


def test_a_client_persists_at_once():
    from kasoku.compat.dask import distributed

    go = threading.Event()
    x = delayed(go.wait)(20)
    with distributed.Client(threads_per_worker=2) as client:
        begin = time.monotonic()
        kept, again = client.persist(x), dask.persist(x)[0]
        more = dask.delayed(str)(kept)
        assert time.monotonic() - begin < 10
        futures = distributed.futures_of([kept, again])
        assert [f.status for f in futures] == ["pending"] * 2
        go.set()
        assert more.compute() == "True" and again.compute() is True
        distributed.wait(kept)
        assert {f.status for f in futures} == {"finished"}
        import kasoku.compat.dask.bag as db

        assert client.persist(db.from_sequence(range(10), npartitions=3)).sum().compute() == 45
        wrong = client.persist(delayed(operator.truediv)(1, 0))
        with pytest.raises(ZeroDivisionError):
            wrong.compute()
    assert delayed(operator.add)(1, 2).persist().compute() == 3


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
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[1], "-k", "not installed"]))
"""
    done = subprocess.run([sys.executable, "-c", hide, __file__], capture_output=True, text=True)
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


def test_collections_that_share_keys_compute_them_once():
    ran = []

    class Pair:
        def __init__(self, *keys):
            self.keys = keys

        def __dask_graph__(self):
            return {"x": (ran.append, 1), "y": (lambda x: 2, "x"), "z": (lambda x: 3, "x")}

        def __dask_keys__(self):
            return list(self.keys)

        def __dask_postcompute__(self):
            return list, ()

        __dask_scheduler__ = staticmethod(dask.threaded.get)

    assert dask.compute(Pair("y"), [Pair("z", "y")]) == ([2], [[3, 2]]) and ran == [1]


@pytest.mark.parametrize("kind", ["executor", "pool"])
def test_a_pool_of_processes_runs_tasks(kind):
    pytest.importorskip("cloudpickle")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) if kind == "executor" else context.Pool(1) as pool:
        graph = {"a": (os.getpid,), "b": (lambda x: x, "a")}
        there = dask.threaded.get(graph, "b", pool=pool)
        assert there != os.getpid() and dask.threaded.get(graph, ["a"], pool=pool) == (there,)
        with pytest.raises(ZeroDivisionError):
            dask.threaded.get({"c": (lambda: 1 // 0,)}, "c", pool=pool)


def test_a_client_that_is_awaited():
    from kasoku.compat.dask import distributed

    async def main():
        async with distributed.Client(n_workers=2, asynchronous=True) as client:
            futures = client.map(inc, range(4))
            assert await futures[3] == 4 and await futures[0].result() == 1
            assert await client.gather({"k": futures}) == {"k": [1, 2, 3, 4]}
            assert await client.compute(delayed(inc)(5)) == 6
            assert await client.gather(await client.scatter([1, 2])) == [1, 2]
            kept = client.persist(delayed(inc)(1))
            assert await client.compute(delayed(inc)(kept)) == 3
            done, rest = await distributed.wait(futures)
            assert len(done) == 4 and not rest
            assert sorted([await future async for future in distributed.as_completed(futures)]) == [1, 2, 3, 4]
            with pytest.raises(ZeroDivisionError):
                await client.submit(lambda: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                await client.gather([client.submit(lambda: 1 // 0)])

        opened = await distributed.Client(asynchronous=True)
        assert await opened.submit(inc, 1) == 2
        await opened.close()

    asyncio.run(main())


def test_a_call_that_is_tried_again_and_a_coroutine_that_is_waited_for():
    from kasoku.compat.dask import distributed

    tries = []

    def fails_once():
        tries.append(1)
        return 5 // (len(tries) - 1)

    async def later(x):
        await asyncio.sleep(0)
        return x + 1

    with distributed.Client() as client:
        future = client.submit(fails_once)
        assert isinstance(future.exception(), ZeroDivisionError) and future.status == "error"
        future.retry()
        assert future.result() == 5 and len(tries) == 2
        client.retry([future])
        assert future.result() == 5 and len(tries) == 2
        assert client.sync(later, 1) == 2


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


def test_graphs_of_tuples_have_references_inside_of_containers():
    graph = {"x": 1, "y": (dict, [["a", "x"]]), "z": (list, [{"a": TaskRef("x")}, ("x", 2), "w"])}
    assert dask.get(graph, "z") == [{"a": 1}, (1, 2), "w"] and dask.get(graph, "y") == {"a": 1}


def test_chains_are_fused_below_what_joins():
    graph = {"a": Task("a", inc, 1), "b": Task("b", inc, 2), "c": Task("c", operator.add, TaskRef("a"), TaskRef("b")),
             "d": Task("d", inc, TaskRef("c")), "e": Task("e", inc, TaskRef("d"))}  # fmt: skip
    fused = fuse_linear_task_spec(graph, {"e"})
    assert set(fused) == {"a", "b", "c", "d-e", "e"} and dask.get(fused, "e") == 7
    assert List(Alias("a")).substitute({"a": ("x", 0)}) == List(Alias(("x", 0)))


def test_a_progress_bar_is_among_the_callbacks():
    from kasoku.compat.dask.diagnostics import Callback, ProgressBar

    graph = {"x": 1, "y": (inc, "x"), "z": (inc, "y")}
    for others in (False, True):  # alone the engine calls it; beside another, tasks are started one by one
        keys, out = [], io.StringIO()
        bar = ProgressBar(out=out)
        bar.register()
        try:
            assert Callback.active
            with (
                Callback(pretask=lambda key, *rest, keys=keys: keys.append(key)) if others else contextlib.nullcontext()
            ):
                assert dask.get(graph, "z") == 3
        finally:
            bar.unregister()
        assert not Callback.active and out.getvalue().count("100% Completed") == 1 and bar.last_duration > 0
        assert out.getvalue().startswith("\r[") and keys == ["y", "z"] * others


def test_an_array_of_one_function():
    from kasoku.compat.dask.array.core import from_func

    x = from_func(lambda n: np.arange(n).reshape(2, -1), (2, 3), int, args=(6,))
    assert (x + 1).sum(axis=1).compute().tolist() == [6, 15]


def test_arguments_that_share_keys_compute_them_once():
    from kasoku.compat.dask.array.core import from_func

    calls = []
    x = from_func(lambda: calls.append(1) or np.arange(3), (3,), int)
    assert delayed(lambda a, b, c: (a + b + c).tolist())(x + 1, b=x + 2, c=1).compute() == [4, 6, 8]
    assert delayed(sum)([x, x * 2]).compute().tolist() == [0, 3, 6] and len(calls) == 2


def test_tasks_of_a_client_agree_by_name():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=3) as client:
        total = [0]

        def count(k):
            with distributed.Lock("count"), distributed.Semaphore(2, "two"):
                before = total[0]
                time.sleep(0.001)
                total[0] = before + k
            distributed.Queue("counted").put(k)

        client.gather(client.map(count, range(20)))
        assert total[0] == sum(range(20)) and not distributed.Lock("count").locked()
        counted = distributed.Queue("counted")
        assert counted.qsize() == 20 and sorted(counted.get(batch=True)) == list(range(20))
        with pytest.raises(TimeoutError, match="the queue 'counted' was empty for 0.01 s"):
            counted.get(timeout=0.01)
        answer = client.submit(lambda: distributed.Variable("answer").get(timeout=5))
        distributed.Variable("answer").set(42)
        assert answer.result() == 42
        with pytest.raises(TimeoutError, match="was not set within 0.01 s"):
            distributed.Variable().get(timeout=0.01)
        started = distributed.Event("started")
        client.submit(lambda: distributed.Event("started").set())
        assert started.wait(5) and pickle.loads(pickle.dumps(started)).is_set()
        assert not distributed.Event().is_set()


def must_be_gone():
    """Threads that stood in for tasks."""
    for thread in threading.enumerate():
        if "stand_in" in thread.name:
            thread.join(timeout=10)
            assert not thread.is_alive()


def test_a_task_that_ran_while_another_waited_on_its_thread_leaves_the_others_place():
    import kasoku as ks
    from kasoku.compat.dask import _workers
    from kasoku.compat.dask.distributed import Client, worker_client

    def waits():
        with worker_client():
            meanwhile = _workers.Places(ks.Pool(1))
            meanwhile._calls.put(lambda: None)
            meanwhile._take_one()  # as a pool's thread does that waits for others' results

    with Client(n_workers=1) as client:
        client.submit(waits).result()
    must_be_gone()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["secede", "worker_client"])
def test_tasks_that_wait_for_others_give_their_place_to_them(how):
    """With one thread each of them would wait for what stands behind it."""
    from kasoku.compat.dask.distributed import Client, get_client, rejoin, secede, worker_client

    def fibonacci(n):
        if n < 2:
            return n
        if how == "worker_client":
            with worker_client() as client:
                return sum(client.gather([client.submit(fibonacci, n - 1), client.submit(fibonacci, n - 2)]))
        parts = [get_client().submit(fibonacci, n - k) for k in (1, 2)]
        secede()
        values = get_client().gather(parts)
        rejoin()
        return sum(values)

    with Client(n_workers=1) as client:
        assert client.submit(fibonacci, 6).result() == 8
    with pytest.raises(ValueError, match="this is no task of a Client"):
        secede()
    must_be_gone()


def test_alike_calls_of_several_threads_at_once_are_one_call():
    from kasoku.compat.dask.distributed import Client

    def make(k):
        return object()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads meet anywhere in submit()
    try:
        with Client(n_workers=2) as client, concurrent.futures.ThreadPoolExecutor(4) as threads:
            for k in range(200):
                meeting = threading.Barrier(4)

                def submit(k=k, meeting=meeting):
                    meeting.wait()
                    return client.submit(make, k)

                futures = [made.result() for made in [threads.submit(submit) for _ in range(4)]]
                assert len({future.result() for future in futures}) == 1
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_a_future_is_its_value_where_a_graph_needs_it(is_asynchronous):
    import kasoku.compat.dask as dask
    from kasoku.compat.dask import array, bag
    from kasoku.compat.dask.distributed import Client

    call = dask.delayed(lambda *args, **words: (args, words))
    with Client(n_workers=1, asynchronous=is_asynchronous) as client:
        three, ones = client.submit(lambda: 3), client.submit(np.ones, 4)
        assert call(three, [three, {"a": three}], b=three).compute() == ((3, [3, {"a": 3}]), {"b": 3})
        assert dask.delayed(three).compute() == 3
        assert array.from_delayed(ones, (4,), float).sum().compute() == 4
        assert array.zeros(2, chunks=1).map_blocks(lambda x, k: x + k, three, dtype=float).compute().tolist() == [3, 3]
        assert bag.from_delayed([client.submit(lambda: [1, 2])]).sum().compute() == 3
        assert dask.get({"x": (abs, three), "y": (sum, [three, "x"])}, "y") == 6
        with pytest.raises(ValueError, match="not there"):
            call(client.submit(_fails)).compute()


def _fails():
    raise ValueError("not there")


def test_numbers_and_texts_in_a_graphs_containers_are_keys_where_there_are_such():
    from kasoku.compat.dask._task_spec import convert_legacy_graph, execute_graph

    graph = {1: 10, "a": 5, ("b", 0): (abs, -3), "plain": [4, 5, "c"], "sum": (sum, [1, 2, "a"])}
    graph |= {"nested": [[1, 7], {"x": "a"}, (2, ("b", 0))], "set": {1, 8}, "all": (list, (map, abs, [-1, -2]))}
    values = execute_graph(convert_legacy_graph(graph))
    assert values["plain"] == [4, 5, "c"] and values["sum"] == 10 + 2 + 5 and values["set"] == {10, 8}
    assert values["nested"] == [[10, 7], {"x": 5}, (2, 3)] and values["all"] == [1, 2]


def test_an_overlap_is_also_a_module():
    from kasoku.compat.dask import array

    assert array.overlap.overlap(array.ones((4, 4), chunks=2), depth=1, boundary=0).shape == (8, 8)


def test_a_cluster_of_this_machine_says_who_its_workers_are_and_grows():
    from kasoku.compat.dask import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1) as cluster, cluster.get_client() as client:
        assert [w["nthreads"] for w in client.scheduler_info()["workers"].values()] == [1, 1]
        assert {w.pid for w in cluster.scheduler.workers.values()} == {os.getpid()} and list(cluster.workers) == [0, 1]
        both = threading.Barrier(2)
        names = client.gather(
            [client.submit(lambda: (both.wait(20), distributed.get_worker().name)[1]) for _ in range(2)]
        )
        assert sorted(names) == [0, 1]
        together = threading.Barrier(6)  # six at once need six threads
        waiting = [client.submit(together.wait, 20) for _ in range(6)]
        cluster.scale(6)
        assert sorted(client.gather(waiting)) == list(range(6)) and len(client.ncores()) == 6
        assert "workers=6, threads=6" in repr(cluster)
    with pytest.raises(ValueError, match="No worker"):
        distributed.get_worker()


def test_coroutines_of_a_client_await_what_it_gathers():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=1) as client:

        async def run():
            length = await client.submit(len, [1, 2, 3])
            return await client.gather(client.map(lambda x: x + 1, range(length)))

        assert client.sync(run) == [1, 2, 3]
        assert client.gather(client.map(lambda x: x + 1, range(3))) == [1, 2, 3]  # outside it is not awaited


def test_profilers_are_drawn_without_bokeh(tmp_path, monkeypatch):
    from kasoku.compat.dask.diagnostics import Profiler, ResourceProfiler, visualize

    from kasoku import errors

    monkeypatch.setitem(sys.modules, "bokeh", None)
    with Profiler() as profiler, ResourceProfiler() as resources:
        dask.delayed(sum)([dask.delayed(operator.add)(k, 1) for k in range(5)]).compute()
    visualize([profiler, resources], str(tmp_path / "profile.html"))
    page = (tmp_path / "profile.html").read_text()
    assert page.count('["task", "add"') == 5 and page.count('["task", "sum"') == 1
    with pytest.raises(errors.UnsupportedError, match="look at its results"):
        resources.visualize()


def test_graphs_are_looked_at_by_the_functions_of_core():
    from kasoku.compat.dask import core

    task = (operator.add, 1, (inc, "x"))
    assert list(core.preorder_traversal(task)) == [operator.add, 1, inc, "x"]
    assert core.subs(task, "x", 3) == (operator.add, 1, (inc, 3))
    assert core.subs((sum, ["x", ["x", 2]]), "x", "y") == (sum, ["y", ["y", 2]])
    assert core.getcycle({"a": (inc, "b"), "b": (inc, "c"), "c": (inc, "a")}, "a") == ["a", "b", "c", "a"]
    assert core.getcycle({"a": 1, "b": (inc, "a")}, ["a", "b"]) == [] and core.isdag({"a": 1, "b": (inc, "a")}, "b")
    for key in ("a", 1, 2.5, ("a", 0, ("b", 1))):
        core.validate_key(key)
    for wrong in ([1], ("a", [1]), {}, None, ("a", object())):
        with pytest.raises(TypeError, match="key"):
            core.validate_key(wrong)


def test_callbacks_see_each_task_once_in_the_order_in_which_it_runs():
    from kasoku.compat.dask.callbacks import Callback

    seen = []
    steps = Callback(
        start=lambda dsk: seen.append(("start", set(dsk))),
        start_state=lambda dsk, state: seen.append(("state", "waiting" in state)),
        pretask=lambda key, dsk, state: seen.append(("before", key)),
        posttask=lambda key, value, dsk, state, worker: seen.append(("after", key, value)),
        finish=lambda dsk, state, failed: seen.append(("finish", failed)),
    )
    graph = {"a": (inc, 1), "b": (inc, "a"), "c": (operator.add, "a", "b")}
    with steps:
        assert dask.threaded.get(graph, "c") == 5
    assert seen[0] == ("start", {"a", "b", "c"}) and seen[1] == ("state", True) and seen[-1] == ("finish", False)
    assert seen[2:-1] == [
        step for key, value in (("a", 2), ("b", 3), ("c", 5)) for step in (("before", key), ("after", key, value))
    ]
    seen.clear()
    assert dask.threaded.get(graph, "c") == 5 and seen == []  # only within the with
    steps.register()
    try:
        with pytest.raises(ZeroDivisionError):
            dask.threaded.get({"a": (operator.floordiv, 1, 0)}, "a")
    finally:
        steps.unregister()
    assert seen[-1] == ("finish", True)


def test_get_is_refused_as_dask_refuses_it_and_a_function_is_a_scheduler():
    with pytest.raises(TypeError, match=r"get= was removed from Dask[\s\S]*scheduler="):
        dask.compute(delayed(inc)(1), get=dask.threaded.get)
    asked = []

    def own(graph, keys, **options):
        asked.append(list(keys))
        return dask.get(graph, keys)

    assert dask.compute(delayed(inc)(1), scheduler=own) == (2,) and len(asked) == 1


def test_a_pool_of_threads_runs_the_tasks():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:
        names = dask.threaded.get(
            {k: (lambda: threading.current_thread().name,) for k in range(4)}, list(range(4)), pool=pool
        )
        assert type(names) is tuple and all(name.startswith("mine") for name in names)
        value = delayed(lambda: threading.current_thread().name)()
        assert value.compute(pool=pool).startswith("mine")
        with dask.config.set(pool=pool):
            assert value.compute().startswith("mine")
        assert value.compute(scheduler=pool).startswith("mine")
        with dask.config.set(scheduler=pool):
            assert value.compute().startswith("mine")
    with ks.Pool(2) as own:
        assert not value.compute(scheduler=own).startswith("mine")


calls = []


def noted(x, y=0):
    calls.append((x, y))
    return x + y


def sometimes():
    calls.append(1)
    if len(calls) < 3:
        raise ValueError("not yet")
    return 7


def test_who_looks_on_sees_what_is_needed_alone():
    from kasoku.compat.dask.diagnostics import Profiler

    graph = {"a": 1, "b": (inc, "a"), "c": (inc, "b"), "more": (inc, "c"), "apart": (inc, 5)}
    for get in (dask.get, dask.threaded.get):
        with Profiler() as seen:
            assert get(graph, "c") == 3
        assert sorted(one.key for one in seen.results) == ["b", "c"]


def test_what_a_client_says_of_futures_workers_and_datasets():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2, threads_per_worker=1) as client:
        assert client.status == "running"
        wrong, right = client.submit(lambda: 1 // 0), client.submit(inc, 1)
        assert "1 // 0" in "".join(traceback.format_tb(wrong.traceback()))
        assert right.result() == 2 and right.traceback() is None and right.type is int
        there = client.submit(inc, 2)
        assert there.result() == 3
        client.cancel(there)
        assert there.cancelled() and there.status == "cancelled"
        with pytest.raises(distributed.concurrent.futures.CancelledError):
            there.result()
        assert set(client.who_has([right])) == {right.key} and len(client.has_what()) == 2
        with client.get_executor() as executor:
            assert sorted(executor.map(inc, range(3))) == [1, 2, 3] and executor.submit(inc, 4).result() == 5
        value = delayed(inc)(7)
        client.publish_dataset(value=value)
        assert client.list_datasets() == ["value"] and client.get_dataset("value").compute() == 8
        with pytest.raises(KeyError, match="already exists"):
            client.publish_dataset(value=value)
        with distributed.Client(client.cluster) as other:
            other.unpublish_dataset("value")
        with pytest.raises(KeyError, match="not found"):
            client.get_dataset("value")
    assert client.status == "closed"


def test_a_client_calls_alike_calls_once():
    from kasoku.compat.dask import distributed

    calls.clear()
    with distributed.Client(n_workers=2, threads_per_worker=1) as client:
        a, b = client.submit(noted, 1, y=2), client.submit(noted, 1, y=2)
        assert a.key == b.key and client.gather([a, b]) == [3, 3] and calls == [(1, 2)]
        assert client.submit(noted, 1, y=3).result() == 4 and len(calls) == 2
        both = [client.submit(noted, 1, pure=False) for _ in range(2)]
        assert client.gather(both) == [1, 1] and len(calls) == 4
        named = [client.submit(noted, n, key="one") for n in range(3)]
        assert client.gather(named) == [0, 0, 0] and len(calls) == 5
        assert client.gather(client.map(noted, [5, 5, 6])) == [5, 5, 6] and len(calls) == 7
        assert [f.key for f in client.map(noted, [5, 6], key=["k5", "k6"])] == ["k5", "k6"]
        after = client.submit(noted, a), client.submit(noted, b)
        assert after[0].key == after[1].key and after[0].result() == 3
        del a, b, after  # what nobody holds is called again
        seen = len(calls)
        assert client.submit(noted, 1, y=2).result() == 3 and len(calls) == seen + 1


def test_a_call_that_failed_is_tried_again():
    from kasoku.compat.dask import distributed

    calls.clear()
    with distributed.Client(n_workers=1, threads_per_worker=1) as client:
        future = client.submit(sometimes)
        assert isinstance(future.exception(), ValueError)
        assert isinstance(client.submit(sometimes).exception(), ValueError) and len(calls) == 1
        future.retry()
        assert isinstance(future.exception(), ValueError) and len(calls) == 2
        future.retry()
        assert future.result() == 7


def test_distributed_is_the_module_of_dask():
    from kasoku.compat import distributed as package
    from kasoku.compat.dask import distributed

    assert package is distributed


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


def test_containers_of_a_graph_are_what_their_function_gives():
    from kasoku import _task_spec as nodes

    made = nodes.Dict({"k": nodes.TaskRef("a")})
    again = nodes.Task("again", made.func, *made.args)  # as Dask's own modules take nodes apart
    assert again({"a": 5}) == made({"a": 5}) == {"k": 5}
    for kind, of in ((nodes.List, list), (nodes.Tuple, tuple), (nodes.Set, set)):
        made = kind(1, nodes.TaskRef("a"))
        assert nodes.Task("again", made.func, *made.args)({"a": 5}) == made({"a": 5}) == of([1, 5])


def test_run_calls_a_function_for_each_worker():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=3, threads_per_worker=1) as client:
        addresses = list(client.ncores())
        assert client.run(pow, 2, 5) == dict.fromkeys(addresses, 32)
        assert client.run(lambda k, dask_worker=None: (k, dask_worker.address), 7) == {a: (7, a) for a in addresses}
        assert list(client.run(lambda: 1, workers=addresses[1:])) == addresses[1:]
        seen = []
        client.register_worker_callbacks(setup=lambda dask_worker: seen.append(dask_worker.address))
        assert seen == addresses
