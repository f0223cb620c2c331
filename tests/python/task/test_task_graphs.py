"""Graphs against plain evaluation, what goes wrong in one of very many tasks, and compiled functions as tasks."""

import contextvars
import gc
import pickle
import random
import re
import subprocess
import sys
import threading
import time
import traceback
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kasoku as ks
from kasoku import _task_spec, delayed


def combine(*values, scale=1):
    return scale * sum(values) % 1_000_003


@ks.njit
def compiled_pair(a, b):
    return (3 * a + b) % 1_000_003


@ks.njit
def compiled_loop(a, n):
    for k in range(n % 50):
        a = (a * 7 + k) % 1_000_003
    return a


def nested(values, more):
    return (sum(values) + sum(more.values())) % 1_000_003


calls = {  # how a node is made of the nodes before it, and the same with values
    "combine": lambda f, x, y: f(combine)(x, y, x),
    "by name": lambda f, x, y: f(combine)(x, scale=y),
    "compiled": lambda f, x, y: f(compiled_pair)(x, y),
    "compiled loop": lambda f, x, y: f(compiled_loop)(x, y),
    "constant": lambda f, x, y: f(compiled_pair)(x, 5),
    "nested": lambda f, x, y: f(nested)([x, y, 1], {"a": y}),
    "operator": lambda f, x, y: x * 2 + y,
}


@st.composite
def recipes(draw):
    """Kinds of nodes, and for each the two before it that it reads."""
    n = draw(st.integers(1, 40))
    steps = []
    for k in range(2, n + 2):
        steps.append((draw(st.sampled_from(sorted(calls))), draw(st.integers(0, k - 1)), draw(st.integers(0, k - 1))))
    return steps


def built(steps, f, first):
    nodes = list(first)
    for kind, left, right in steps:
        nodes.append(calls[kind](f, nodes[left], nodes[right]))
    return nodes


@settings(deadline=None, max_examples=100)
@given(recipes(), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 5), st.randoms())
def test_a_graph_gives_what_its_calls_give_in_order(steps, a, b, workers, rng):
    want = built(steps, lambda function: function, (a, b))
    nodes = built(steps, delayed, (delayed(a), delayed(b)))
    chosen = [rng.randrange(len(nodes)) for _ in range(4)]
    assert ks.compute(*[nodes[k] for k in chosen], workers=workers) == tuple(want[k] for k in chosen)
    assert ks.compute(*nodes, workers=workers) == tuple(want)


def test_each_of_very_many_tasks_runs_once():
    seen = []
    n = 30_000
    assert ks.compute(*[delayed(seen.append)(k) for k in range(n)]) == (None,) * n
    assert sorted(seen) == list(range(n))


@pytest.mark.parametrize("workers", [1, 2, 16])
def test_an_exception_in_one_of_very_many_tasks_is_the_callers_and_names_the_task(workers):
    def fails(k):
        if k == 54_321:
            raise LookupError("this one")
        return k

    tasks = [delayed(fails)(k) for k in range(100_000)]
    with pytest.raises(LookupError, match="this one") as caught:
        ks.compute(*tasks, workers=workers)
    told = "".join(traceback.format_exception(caught.value))
    assert f"in the task {tasks[54_321].key}" in told and "raise LookupError" in told
    assert ks.compute(*tasks[:10], workers=workers) == tuple(range(10))


def test_a_compiled_function_that_fails_in_a_task_says_line_and_task():
    @ks.njit
    def item(x, k):
        return x // k

    tasks = [delayed(item)(7, k) for k in (1, 2, 0, 3)]
    with pytest.raises(ZeroDivisionError) as caught:
        ks.compute(*[delayed(item)(7, 1) for _ in range(100)], *tasks, workers=1)
    told = "".join(traceback.format_exception(caught.value))
    assert f"in the task {tasks[2].key}" in told
    assert re.search(r"at   \S*test_task_graphs.py:\d+, in item    return x // k", told)


def test_a_delayed_value_is_no_condition():
    x = delayed(combine)(1)
    with pytest.raises(TypeError, match=r"a Delayed value has no truth yet\n  fix  call .compute\(\) first"):
        if x > 0:
            pass


def test_a_cycle_is_named():
    from kasoku.compat.dask.threaded import get

    graph = {"a": (combine, "b"), "b": (combine, "c", 1), "c": (combine, "a")}
    with pytest.raises(ValueError, match="the graph has a cycle through the key 'a'"):
        ks.Delayed("a", graph)
    with pytest.raises(RuntimeError, match="Cycle detected in Dask: a->b->c->a"):
        get(graph, "a")


@pytest.mark.parametrize("n, at", [(200, 0), (2000, 0), (2000, 1990)])
def test_a_task_that_waits_for_another_gets_it(n, at):
    """Whoever blocks, blocks its thread alone: what stands behind it in a queue is taken by others, also if so few small
    tasks are left that nobody else had been woken for them."""
    first, second = threading.Event(), threading.Event()

    def waits():
        second.set()
        return first.wait(20)

    def tells(k):
        if k == n - 5:
            assert second.wait(20)
            first.set()
        return True

    tasks = [delayed(tells)(k) for k in range(n)]
    tasks.insert(at, delayed(waits)())
    assert all(ks.compute(*tasks, workers=2))


def test_long_tasks_of_many_run_side_by_side():
    threads = set()

    def work():
        threads.add(threading.get_ident())
        time.sleep(0.002)

    ks.compute(*[delayed(work)() for _ in range(300)], workers=4)
    assert len(threads) == 4


def test_no_more_tasks_than_workers_run_at_once():
    running, most, lock = [0], [0], threading.Lock()

    def work():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.002)
        with lock:
            running[0] -= 1

    ks.compute(*[delayed(work)() for _ in range(60)], workers=3)
    assert most[0] == 3


def test_a_value_goes_with_its_last_reader():
    class Big:
        pass

    alive, seen = weakref.WeakSet(), []

    def make():
        big = Big()
        alive.add(big)
        return big

    def look(big, before=None):
        seen.append(len(alive))

    last = None
    for _ in range(50):
        last = delayed(look)(delayed(make)(), last)
    last.compute(workers=1)
    gc.collect()
    assert not alive and max(seen) <= 2


def test_what_is_deepest_runs_first():
    order = []

    def step(name, *before):
        order.append(name)

    chain = delayed(step)("chain 0")
    for k in range(1, 5):
        chain = delayed(step)(f"chain {k}", chain)
    short = [delayed(step)(f"short {k}") for k in range(5)]
    ks.compute(*short, chain, workers=1)
    assert order[0] == "chain 0"


def test_tasks_of_a_thread_share_its_locals():
    own = threading.local()

    def count():
        own.count = getattr(own, "count", 0) + 1
        return own.count

    assert ks.compute(*[delayed(count)() for _ in range(50)], workers=1) == tuple(range(1, 51))


offset = 1


@ks.njit
def plus_offset(a, before):
    return a + offset


def change_offset(value, *before):
    global offset
    offset = value
    return 0


def test_a_compiled_task_reads_what_the_tasks_before_it_changed():
    before, results = 0, []
    for value in (10, 20, 30, 40):
        changed = delayed(change_offset)(value, before)
        results += [delayed(plus_offset)(1, changed) for _ in range(3)]
        before = delayed(combine)(*results[-3:])
    assert ks.compute(*results, workers=2) == (11,) * 3 + (21,) * 3 + (31,) * 3 + (41,) * 3
    change_offset(5)
    assert delayed(plus_offset)(1, 0).compute() == 6


@pytest.mark.parametrize("workers", [1, 4])
def test_compiled_tasks_of_every_kind_of_number(workers):
    @ks.njit
    def f(a, b):
        return a + b

    @ks.njit
    def less(a, b):
        return a < b

    @ks.njit
    def single(a):
        return np.float32(a) / 3

    @ks.njit
    def small(a):
        return np.int8(a)

    @ks.njit
    def nothing(a):
        pass

    given = [(1, 2), (1.5, 2), (True, 2), (2**62, 2**62), (1 + 2j, 1), (2**70, 1), (float("nan"), 1.0)]
    for function in (f, less):
        for arguments in given:
            if function is less and isinstance(arguments[0], complex):
                continue
            try:
                want = function(*arguments)
            except Exception as error:  # noqa: BLE001 - its type is what is compared
                with pytest.raises(type(error)):
                    ks.compute(*[delayed(function)(*arguments) for _ in range(3)], workers=workers)
                continue
            for got in ks.compute(*[delayed(function)(*arguments) for _ in range(20)], workers=workers):
                assert type(got) is type(want) and (got == want or got != got)
    for function in (single, small, nothing):
        want = function(-3)
        got = ks.compute(*[delayed(function)(-3) for _ in range(20)], workers=workers)
        assert all(type(value) is type(want) and value == want for value in got)
    both = ks.compute(*[delayed(f)(delayed(less)(k, 5), delayed(single)(k)) for k in range(30)], workers=workers)
    assert both == tuple(f(less(k, 5), single(k)) for k in range(30))


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_short_compiled_tasks_in_any_mixture(workers):
    @ks.njit
    def short(a, b):
        return a - 2 * b

    @ks.njit
    def loop(a, b):
        for _ in range(3):
            a = a - b
        return a

    def plain(*values):
        return values

    choice = random.Random(7)
    functions = [short] * 6 + [loop, plain]
    numbers = [3, -4, 2**40, 2.5, float("inf"), True, 2**70]
    given = [(choice.choice(functions), choice.choice(numbers[: choice.choice([1, 2, 2, 7])]), k) for k in range(3000)]
    given = [each for each in given if each[0] is plain or each[1] != 2**70]  # too long for compiled functions
    want = [function(a, b) for function, a, b in given]
    tasks = [delayed(function)(a, b) for function, a, b in given]
    for got in (ks.compute(*tasks, workers=workers), delayed(plain)(*tasks).compute(workers=workers)):
        assert [(type(value), value) for value in got] == [(type(value), value) for value in want]


def test_compiled_tasks_of_arrays():
    @ks.njit
    def total(x, k):
        return x.sum() * k

    @ks.njit
    def scaled(x, k):
        return x * k

    x = np.arange(100.0)
    assert ks.compute(*[delayed(total)(x, k) for k in range(20)]) == tuple(x.sum() * k for k in range(20))
    for k, got in enumerate(ks.compute(*[delayed(scaled)(x, k) for k in range(20)])):
        np.testing.assert_array_equal(got, x * k)


@pytest.mark.filterwarnings("ignore")
def test_a_compiled_function_that_is_interpreted_sees_the_callers_context():
    who = contextvars.ContextVar("who", default="nobody")

    @ks.jit(nopython=False)
    def asks(k):
        return [who.get(), {k: [k]}][0]

    who.set("the caller")
    try:
        asks(1)
    except Exception:  # noqa: BLE001
        pytest.skip("it has no form here at all")
    assert ks.compute(*[delayed(asks)(k) for k in range(5)]) == ("the caller",) * 5


def test_pool_map_is_the_standard_librarys_in_its_ways():
    def slow(k):
        time.sleep(random.random() * 1e-3)
        return k

    with ks.Pool(4) as pool:
        assert list(pool.map(slow, range(100))) == list(range(100))
        assert list(pool.map(pow, (2, 3), range(10**9))) == [1, 3]
        assert list(pool.map(slow, [])) == [] and list(pool.map(slow)) == []
        values = pool.map(lambda k: 1 // (k - 3), range(10))
        assert [next(values) for _ in range(3)] == [-1, -1, -1]
        with pytest.raises(ZeroDivisionError):
            next(values)
        assert list(values) == []  # an exception ends the values
        late = pool.map(time.sleep, [0, 5], timeout=0.2)
        assert next(late) is None
        with pytest.raises(TimeoutError):
            next(late)
        endless = pool.map(slow, range(10_000))
        assert next(endless) == 0
        endless.close()
        assert pool.submit(slow, 3).result(10) == 3
    with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
        pool.map(slow, [1])


def test_pool_map_gives_a_value_as_soon_as_it_is_there():
    go = threading.Event()
    with ks.Pool(1) as pool:
        values = pool.map(lambda k: k if k == 0 else go.wait(20), range(3))
        assert next(values) == 0
        go.set()
        assert list(values) == [True, True]


def test_a_pool_that_drops_what_has_not_begun_drops_calls_of_map():
    go, begun, done = threading.Event(), threading.Event(), []

    def work(k):
        begun.set()
        go.wait(20)
        done.append(k)

    pool = ks.Pool(1)
    pool.map(work, range(5))
    assert begun.wait(20)
    threading.Timer(0.05, go.set).start()
    pool.shutdown(cancel_futures=True)
    assert done == [0]


def test_other_threads_go_on_while_a_compiled_task_reads_an_array():
    def last_after_rounds(x, rounds):
        s = 0.0
        for k in range(rounds):
            for i in range(len(x) - 1):
                s += np.sin(x[i] + k)
        return s * 0 + x[len(x) - 1]

    compiled = ks.njit(last_after_rounds)
    x = np.arange(10_000.0)
    compiled(x, 1)

    def write():
        time.sleep(0.02)
        x[-1] = -1

    before = sys.getswitchinterval()
    sys.setswitchinterval(60)  # whoever has Python's lock keeps it
    thread = threading.Thread(target=write)
    try:
        thread.start()
        assert delayed(compiled)(x, 3000).compute() == -1
    finally:
        sys.setswitchinterval(before)
        thread.join()


def test_a_graph_is_shown_without_any_face():
    text = """
import pickle, sys
import kasoku as ks
x = ks.delayed(len)([ks.delayed(abs)(-2), 1])
graph = dict(x.__dask_graph__())
assert len(graph) == 2 and graph[x.key]({key: 2 for key in graph}) == 2
assert x.persist().compute() == 2 and pickle.loads(pickle.dumps(x)).compute() == 2
assert not [name for name in sys.modules if name.startswith(("kasoku.compat", "dask"))]
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_threads_that_call_a_function_first_at_once_agree(workers=4):
    """Its reading and compiling is for one thread at a time, also where Python has no lock."""
    for number in range(3):

        @ks.njit
        def doubled(x):
            return x * 2 + number  # noqa: B023 - called within this round

        @ks.njit
        def summed(x):
            return (x * 3).sum() + number  # noqa: B023

        results = ks.compute(*[delayed(doubled)(k % 2 and k or float(k)) for k in range(64)], workers=workers)
        assert list(results) == [2 * k + number for k in range(64)]
        gate, got = threading.Barrier(workers), []

        def call(summed=summed, gate=gate, got=got):
            gate.wait()
            got.append(float(summed(np.arange(4.0))))

        threads = [threading.Thread(target=call) for _ in range(workers)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert got == [18.0 + number] * workers


class _Noted(_task_spec.Task):
    __slots__ = ("note",)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", [_task_spec.Task, _Noted])
def test_nodes_with_named_arguments_are_pickled(protocol, kind):
    node = kind(
        "k", sorted, _task_spec.List(_task_spec.TaskRef("a"), 2), reverse=_task_spec.TaskRef("b"), _data_producer=True
    )
    if kind is _Noted:
        node.note = "kept"
    again = pickle.loads(pickle.dumps(node, protocol))
    assert type(again) is kind and again.key == "k" and again.dependencies == {"a", "b"} and again.data_producer
    assert again({"a": 1, "b": True}) == [2, 1] and getattr(again, "note", "kept") == "kept"
