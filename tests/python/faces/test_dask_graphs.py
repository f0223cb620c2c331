"""Graphs as dictionaries and tasks, which schedulers run, and who looks on."""

import contextlib
import functools
import io
import multiprocessing
import operator
import os
import sys
import threading
from collections import namedtuple
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from dask_calls import Numbers, inc
from kasoku._delayed import specification
from kasoku.compat import dask
from kasoku.compat.dask._task_spec import Alias, List, Task, TaskRef, fuse_linear_task_spec
from kasoku.compat.dask.delayed import delayed, to_task_dask

import kasoku as ks


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


def test_progress_bar():
    from kasoku.compat.dask.diagnostics import ProgressBar

    out = io.StringIO()
    with ProgressBar(out=out) as bar:
        assert delayed(sum)([delayed(inc)(i) for i in range(20)]).compute() == 210
    assert "[########################################] | 100% Completed" in out.getvalue() and bar.last_duration > 0
    before = out.getvalue()
    delayed(inc)(1).compute()
    assert out.getvalue() == before


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


def test_arguments_that_share_keys_compute_them_once():
    from kasoku.compat.dask.array.core import from_func

    calls = []
    x = from_func(lambda: calls.append(1) or np.arange(3), (3,), int)
    assert delayed(lambda a, b, c: (a + b + c).tolist())(x + 1, b=x + 2, c=1).compute() == [4, 6, 8]
    assert delayed(sum)([x, x * 2]).compute().tolist() == [0, 3, 6] and len(calls) == 2


def test_numbers_and_texts_in_a_graphs_containers_are_keys_where_there_are_such():
    from kasoku.compat.dask._task_spec import convert_legacy_graph, execute_graph

    graph = {1: 10, "a": 5, ("b", 0): (abs, -3), "plain": [4, 5, "c"], "sum": (sum, [1, 2, "a"])}
    graph |= {"nested": [[1, 7], {"x": "a"}, (2, ("b", 0))], "set": {1, 8}, "all": (list, (map, abs, [-1, -2]))}
    values = execute_graph(convert_legacy_graph(graph))
    assert values["plain"] == [4, 5, "c"] and values["sum"] == 10 + 2 + 5 and values["set"] == {10, 8}
    assert values["nested"] == [[10, 7], {"x": 5}, (2, 3)] and values["all"] == [1, 2]


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


def test_who_looks_on_sees_what_is_needed_alone():
    from kasoku.compat.dask.diagnostics import Profiler

    graph = {"a": 1, "b": (inc, "a"), "c": (inc, "b"), "more": (inc, "c"), "apart": (inc, 5)}
    for get in (dask.get, dask.threaded.get):
        with Profiler() as seen:
            assert get(graph, "c") == 3
        assert sorted(one.key for one in seen.results) == ["b", "c"]


def test_containers_of_a_graph_are_what_their_function_gives():
    from kasoku import _task_spec as nodes

    made = nodes.Dict({"k": nodes.TaskRef("a")})
    again = nodes.Task("again", made.func, *made.args)  # as Dask's own modules take nodes apart
    assert again({"a": 5}) == made({"a": 5}) == {"k": 5}
    for kind, of in ((nodes.List, list), (nodes.Tuple, tuple), (nodes.Set, set)):
        made = kind(1, nodes.TaskRef("a"))
        assert nodes.Task("again", made.func, *made.args)({"a": 5}) == made({"a": 5}) == of([1, 5])
