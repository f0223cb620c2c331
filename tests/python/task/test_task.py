"""Delayed graphs and the pool, against the same work done in order."""

import concurrent.futures
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import kasoku as ks
from kasoku import delayed


def add(a, b=0):
    return a + b


@pytest.mark.parametrize("wrong, meant", [("num_worker", "num_workers"), ("shceduler", "scheduler")])
def test_a_misspelled_option_of_compute_is_told_what_was_meant(wrong, meant):
    task = delayed(add)(1, 2)
    for compute in (lambda **words: ks.compute(task, **words), task.compute):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{wrong}'; did you mean '{meant}'"):
            compute(**{wrong: 1})


def test_an_option_of_dasks_schedulers_is_taken_and_one_of_a_get_of_others_is_given_to_it():
    task, seen = delayed(add)(1, 2), {}
    assert task.compute(retries=3, optimize_graph=False, chunksize=6) == 3

    def get(graph, keys, **words):
        seen.update(words)
        return [7 for _ in keys]

    assert task.compute(scheduler=get, anything=5) == 7 and seen == {"anything": 5}


class Crowd:
    """A function that takes a while and knows the most calls of it that ran at once."""

    def __init__(self):
        self.running, self.most, self.lock = 0, 0, threading.Lock()

    def __call__(self):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(0.01)
        with self.lock:
            self.running -= 1


def test_a_call_is_a_task_until_compute():
    calls = []
    task = delayed(lambda v: calls.append(v) or v * 2)(21)
    assert not calls
    assert task.compute() == 42 and calls == [21]


def test_values_are_found_in_containers():
    x = delayed(add)(1, 2)
    got = delayed(lambda a, k=None: (a, k))([x, (x, {"k": x})], k={"y": x}).compute()
    assert got == ([3, (3, {"k": 3})], {"y": 3})


def test_operators_items_and_attributes():
    x = delayed(add)(3, 4)
    assert (x + 1).compute() == 8 and (1 - x).compute() == -6 and (x // 2).compute() == 3
    assert (-x).compute() == -7 and (x > 5).compute() is True and (2**x).compute() == 128
    assert delayed([1, x, 3])[1].compute() == 7
    assert x.bit_length().compute() == 3
    assert delayed(np.arange)(6).reshape(2, 3).sum().compute() == 15


def test_a_shared_task_runs_once():
    calls = []
    x = delayed(lambda: calls.append(1) or 5)()
    assert delayed(sum)([x, x, x]).compute() == 15 and calls == [1]


def test_compute_takes_several_and_plain_values():
    assert ks.compute(delayed(add)(1), 7, [delayed(add)(2), 3]) == (1, 7, [2, 3])
    assert ks.compute() == ()


def test_an_exception_reaches_the_caller_and_stops_the_rest():
    late = []

    def boom():
        raise KeyError("no such thing")

    def after(value):
        late.append(value)

    with pytest.raises(KeyError, match="no such thing"):
        delayed(after)(delayed(boom)()).compute()
    assert not late


def test_nout_unpacks_and_lengths_are_known():
    a, b = delayed(divmod, nout=2)(17, 5)
    assert (a.compute(), b.compute()) == (3, 2)
    with pytest.raises(TypeError, match="nout=n"):
        list(delayed(divmod)(17, 5))


def test_what_delayed_values_refuse():
    x = delayed(add)(1)
    with pytest.raises(TypeError, match="no truth"):
        bool(x)
    with pytest.raises(TypeError, match="immutable"):
        x[0] = 1
    with pytest.raises(AttributeError):
        x._private  # noqa: B018
    with pytest.raises(ValueError, match="nout"):
        delayed(add, nout=-1)


def test_the_decorator_and_its_options():
    @delayed
    def one():
        return 1

    @delayed(nout=2)
    def two():
        return 1, 2

    a, b = two()
    assert one().compute() + b.compute() == 3


def test_a_chain_of_many_tasks_needs_no_deep_stack():
    x = delayed(0)
    step = delayed(add)
    for _ in range(20_000):
        x = step(x, 1)
    assert x.compute() == 20_000
    del x


def test_a_wide_graph_runs_every_task_once():
    square = delayed(lambda v: v * v)
    assert delayed(sum)([square(k) for k in range(3000)]).compute() == sum(k * k for k in range(3000))


def test_tasks_run_at_the_same_time():
    barrier = threading.Barrier(3, timeout=20)
    tasks = [delayed(lambda: barrier.wait() >= 0)() for _ in range(3)]
    assert ks.compute(*tasks, workers=3) == (True, True, True)


def test_workers_are_a_limit():
    work = Crowd()
    ks.compute(*[delayed(work)() for _ in range(8)], scheduler="synchronous")
    assert work.most == 1


def test_a_graph_inside_a_task():
    inner = lambda k: ks.compute(*[delayed(add)(k, j) for j in range(4)])  # noqa: E731
    assert ks.compute(*[delayed(inner)(k) for k in range(4)])[3] == (3, 4, 5, 6)


def test_progress_is_told_and_may_end_the_run():
    seen = []
    ks.compute(*[delayed(add)(k) for k in range(10)], progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (10, 10)


def test_visualize_draws_every_task(tmp_path):
    get = delayed(add)
    total = delayed(sum)([get(k) for k in range(3)])
    svg = total.visualize(filename=str(tmp_path / "graph.svg"))
    text = open(svg).read()
    assert text.count(">add<") == 3 and ">sum<" in text
    timed = open(total.visualize(filename=str(tmp_path / "timed"), times=True)).read()
    assert "µs" in timed or "ms" in timed
    dot = open(total.visualize(filename=str(tmp_path / "graph.dot"))).read()
    assert dot.count("->") == 3


def test_visualize_needs_no_graphviz(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    total = delayed(sum)([delayed(add)(k) for k in range(3)])
    text = open(total.visualize(filename=str(tmp_path / "plain.svg"))).read()
    assert text.count("<g>") == 4 and text.count(">add<") == 3 and text.count("marker-end") == 3
    with pytest.raises(RuntimeError, match="Graphviz is not installed"):
        total.visualize(filename=str(tmp_path / "plain.png"))


def test_pool_is_an_executor():
    with ks.Pool(4) as pool:
        assert list(pool.map(add, range(5), range(5))) == [0, 2, 4, 6, 8]
        future = pool.submit(int, "x")
        with pytest.raises(ValueError, match="invalid literal"):
            future.result(timeout=10)
        done, _ = concurrent.futures.wait([pool.submit(add, 1)], timeout=10)
        assert len(done) == 1
    with pytest.raises(RuntimeError, match="shutdown"):
        pool.submit(add, 1)


def test_pool_runs_as_many_as_it_says():
    barrier = threading.Barrier(6, timeout=20)
    with ks.Pool(6) as pool:
        assert sorted(pool.map(lambda _: barrier.wait(), range(6))) == list(range(6))


def test_pool_can_be_waited_for_by_its_own_tasks():
    with ks.Pool(2) as pool:
        assert pool.submit(lambda: pool.submit(add, 1, 1).result(timeout=10)).result(timeout=20) == 2


def test_delayed_values_are_found_in_slices_keys_and_named_tuples():
    import collections

    Pair = collections.namedtuple("Pair", "a b")
    two = delayed(add)(1, 1)
    assert delayed([1, 2, 3, 4])[:two].compute() == [1, 2]
    assert delayed(lambda d: d)({two: "x"}).compute() == {2: "x"}
    got = delayed(lambda p: p)(Pair(two, [two])).compute()
    assert got == Pair(2, [2]) and type(got) is Pair


def test_a_delayed_method():
    class Counter:
        start = 3

        @delayed
        def plus(self, n):
            return self.start + n

    assert Counter().plus(4).compute() == 7
    assert delayed(add).__name__ == "add" and delayed(add).__wrapped__ is add


def test_dasks_face_keeps_its_function_and_its_settings():
    from kasoku.compat import dask
    from kasoku.compat.dask.delayed import delayed as same

    assert dask.delayed is same and dask.threaded.get({"x": (add, 1, 2)}, "x") == 3
    work = Crowd()
    with dask.config.set(scheduler="synchronous"):
        dask.compute(*[dask.delayed(work)() for _ in range(4)])
    assert work.most == 1


def both_pools(f):
    """What f(the class of the pool) gives with the standard library's pool and with ours."""
    out = []
    for pool in (concurrent.futures.ThreadPoolExecutor, ks.Pool):
        try:
            out.append(f(pool))
        except BaseException as error:  # noqa: BLE001 - its type is what is compared
            out.append((type(error), str(error)))
    return out


def with_an_initializer(pool):
    seen = []
    with pool(1, "named", seen.append, (4,)) as threads:
        return (
            threads.submit(lambda: threading.current_thread().name).result(10),
            threads.submit(int, 2).result(10),
            seen,
        )


def with_one_that_fails(pool):
    threads = pool(1, initializer=lambda: 1 / 0)
    with pytest.raises(concurrent.futures.BrokenExecutor):
        threads.submit(int, 2).result(10)
    threads.submit(int, 3)


def shut_from_inside(pool):
    with pool(1) as threads:
        return threads.submit(lambda: threads.shutdown()).result(10)


def dropped_by_its_own_task(pool):
    held, go = [pool(1)], threading.Event()
    future = held[0].submit(lambda: (go.wait(10), held.clear())[1])
    go.set()
    return future.result(10)


def chunks_of_a_generator(pool):
    with pool(2) as threads:
        return list(threads.map(pow, (k for k in range(10)), [2] * 10, chunksize=3))


def cancelled_at_the_end(pool):
    threads, go = pool(1), threading.Event()
    first = threads.submit(go.wait, 10)
    rest = [threads.submit(int, k) for k in range(4)]
    while not first.running():
        pass
    threading.Timer(0.05, go.set).start()
    threads.shutdown(cancel_futures=True)
    return first.result(10), [each.cancelled() for each in rest], rest[0].cancel()


def asked_too_early(pool):
    with pool(1) as threads:
        return threads.submit(threading.Event().wait, 0.3).result(timeout=0.01)


def from_many_threads(pool):
    out = []
    with pool(3) as threads:
        clients = [
            threading.Thread(target=lambda k=k: out.extend(threads.map(add, range(50), [k] * 50))) for k in range(8)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    return sum(out)


@pytest.mark.parametrize(
    "f",
    [with_an_initializer, with_one_that_fails, shut_from_inside, dropped_by_its_own_task, chunks_of_a_generator,
     cancelled_at_the_end, asked_too_early, from_many_threads],
)  # fmt: skip
def test_a_pool_does_what_the_standard_librarys_does(f):
    theirs, ours = both_pools(f)
    assert ours == theirs


def test_what_a_pool_refuses():
    with pytest.raises(TypeError, match="max_workers is an integer, not '3'"):
        ks.Pool("3")
    with pytest.raises(ValueError, match="at least 1, not 0"):
        ks.Pool(0)
    with pytest.raises(TypeError, match="initializer must be a callable"):
        ks.Pool(1, initializer=3)


def program(text, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=60,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_what_was_submitted_is_done_before_the_interpreter_ends():
    done = program("""
        import kasoku as ks, time
        pool = ks.Pool(1)
        for k in range(3):
            pool.submit(lambda k=k: (time.sleep(0.1), print(k, flush=True)))
        print("main", flush=True)
    """)
    assert (done.returncode, done.stderr, done.stdout.split()) == (0, "", ["main", "0", "1", "2"])


def test_an_interrupt_ends_the_waiting_and_no_more():
    done = program("""
        import kasoku as ks, os, signal, threading, time
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            list(ks.Pool(2).map(time.sleep, [0.1] * 12))
        except KeyboardInterrupt:
            print("interrupted", ks.compute(ks.delayed(int)(3), None), flush=True)
    """)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "interrupted (3, None)\n")


def test_the_waiting_thread_runs_compiled_tasks_and_ends_as_it_began():
    """An interrupt ends the one that it is in, and the interpreter its thread."""
    done = program("""
        import kasoku as ks, linecache, os, signal, threading
        text = "def count(n, k):\\n    s = 0.0\\n    for i in range(n):\\n        s = s * 0.999 + i % 7\\n    return s + k\\n"
        linecache.cache["count.py"] = (len(text), None, text.splitlines(True), "count.py")
        exec(compile(text, "count.py", "exec"))
        call = ks.delayed(ks.njit(count))
        assert ks.compute(*[call(0, k) for k in range(1000)]) == tuple(float(k) for k in range(1000))
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            ks.compute(*[call(10**12, k) for k in range(1000)])
        except KeyboardInterrupt:
            print("interrupted", ks.compute(*[call(0, k) for k in range(300)])[-1], flush=True)
    """)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "interrupted 299.0\n")


def test_small_compiled_tasks_tell_progress_and_end_at_an_interrupt():
    done = program("""
        import kasoku as ks, linecache, os, signal, threading
        text = "def count(n, k):\\n    s = 0.0\\n    for i in range(n):\\n        s = s * 0.999 + i % 7\\n    return s + k\\n"
        linecache.cache["count.py"] = (len(text), None, text.splitlines(True), "count.py")
        exec(compile(text, "count.py", "exec"))
        call, told = ks.delayed(ks.njit(count)), []
        ks.compute(call(0, 1))
        tasks = [call(2000 * min(os.cpu_count(), 64), k) for k in range(200_000)]  # seconds of work, on all cores
        def tell(done, total):
            if done and not any(told):  # however late that is
                threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            told.append(done)
        try:
            ks.compute(*tasks, progress=tell)
        except KeyboardInterrupt:
            print("interrupted", 0 < told[-1] < len(tasks), told == sorted(told), flush=True)
    """)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "interrupted True True\n")


def test_a_pool_in_a_child_of_fork_has_threads_of_its_own():
    done = program("""
        import kasoku as ks, os, sys, warnings
        warnings.simplefilter("ignore")  # of Python 3.12: fork with threads
        pool = ks.Pool(2)
        assert list(pool.map(int, range(3))) == [0, 1, 2]
        if os.fork() == 0:
            assert list(pool.map(int, range(4))) == [0, 1, 2, 3]
            assert ks.compute(ks.delayed(int)(4)) == (4,)
            sys.exit(5)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    """)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "5\n")


@pytest.mark.parametrize("threads", ["1", "2"])
def test_graphs_in_tasks_need_no_more_threads_than_there_are(threads):
    done = program(
        """
        import kasoku as ks
        @ks.delayed
        def tree(n): return 1 if n == 0 else sum(ks.compute(tree(n - 1), tree(n - 1)))
        print(*ks.compute(tree(6), workers=1), *ks.compute(tree(6)))
        print(ks.Pool(1).submit(lambda: tree(4).compute()).result())
    """,
        KASOKU_NUM_THREADS=threads,
    )
    assert (done.returncode, done.stdout) == (0, "64 64\n16\n"), done.stderr


def test_containers_that_hold_themselves_or_are_too_deep_are_a_recursion_error():
    own, deep, pairs = [], [1], {}
    own.append(own)
    pairs["a"] = pairs
    for _ in range(100_000):
        deep = [deep]
    too_deep = "holds itself or is nested too deeply"
    for held in (own, deep, pairs):
        for look in (ks.compute, delayed, delayed(len), delayed(len, pure=True)):
            with pytest.raises(RecursionError, match=too_deep):
                look(held)
    from kasoku.compat.dask.threaded import get

    task = 1
    for _ in range(100_000):
        task = (abs, task)
    for graph, key in (({"a": (len, deep)}, "a"), ({"a": (len, own)}, "a"), ({"a": task}, "a"), ({"a": 1}, own)):
        with pytest.raises(RecursionError, match=too_deep):
            get(graph, key)


def test_a_chain_of_many_attributes_ends():
    x = delayed(3)
    for _ in range(200_000):
        x = x.real
    del x
