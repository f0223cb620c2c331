"""dask.distributed on threads of this process: clients, futures, workers."""

import asyncio
import concurrent.futures
import operator
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest
from dask_calls import inc
from kasoku.compat import dask
from kasoku.compat.dask.delayed import delayed

import kasoku as ks


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


calls = []


def noted(x, y=0):
    calls.append((x, y))
    return x + y


def sometimes():
    calls.append(1)
    if len(calls) < 3:
        raise ValueError("not yet")
    return 7


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


def test_what_tasks_keep_at_their_worker_stays_and_plugins_set_it_up():
    from kasoku.compat.dask import distributed

    class Sets(distributed.WorkerPlugin):
        name = "sets"

        def setup(self, worker):
            worker.table = {"a": worker.name}

        def teardown(self, worker):
            del worker.table

    with distributed.Client(n_workers=2, threads_per_worker=1) as client:
        assert {told["status"] for told in client.register_plugin(Sets()).values()} == {"OK"}
        client.cluster.scale(3)
        names = client.gather(
            [client.submit(lambda: distributed.get_worker().table["a"], pure=False) for _ in range(20)]
        )
        assert set(names) <= {0, 1, 2}
        assert client.run(lambda dask_worker: dask_worker.table["a"]) == {f"threads/{k}": k for k in range(3)}
        client.unregister_worker_plugin("sets")
        assert not any(client.run(lambda dask_worker: hasattr(dask_worker, "table")).values())
        with pytest.raises(ValueError, match="no plugin 'sets'"):
            client.unregister_worker_plugin("sets")
        with pytest.raises(ks.errors.UnsupportedError, match="no plugin of workers"):
            client.register_plugin(object())


def test_a_client_tells_names_events_and_sizes(tmp_path):
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2) as client:
        client.set_metadata("a", 1)
        client.set_metadata(["x", "y"], 2)
        assert client.get_metadata("a") == 1 and client.get_metadata(["x"]) == {"y": 2}
        assert client.get_metadata("none", default=5) == 5
        with pytest.raises(KeyError):
            client.get_metadata("none")
        heard = []
        client.subscribe_topic("times", heard.append)
        client.log_event("times", {"s": 1})
        client.submit(lambda: distributed.get_worker().log_event(["times", "more"], 2), pure=False).result()
        assert [m for _, m in client.get_events("times")] == [m for _, m in heard] == [{"s": 1}, 2]
        assert [m for _, m in client.get_events()["more"]] == [2]
        client.unsubscribe_topic("times")
        assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.workers)) == 2
        made = client.map(inc, range(4))
        distributed.wait(made)
        assert list(client.nbytes()) == ["inc"] and set(client.nbytes(summary=False)) == {f.key for f in made}
        assert distributed.Future(made[2].key, client).result() == 3 and made[0].client is client
        assert client.get({"a": 1, "b": (inc, "a")}, ["a", "b"], sync=False)[1].result() == 2
        (tmp_path / "uploaded_there.py").write_text("value = 7\n")
        client.upload_file(str(tmp_path / "uploaded_there.py"))
        try:
            assert client.submit(lambda: __import__("uploaded_there").value).result() == 7
        finally:
            sys.path.remove(str(tmp_path))
        other = distributed.Client(n_workers=1)
        assert distributed.get_client() is other
        with client.as_current():
            assert distributed.Client.current() is client
        assert distributed.get_client() is other
        other.close()


def test_a_restart_cancels_what_waits():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=1, threads_per_worker=1) as client:
        go, begun = threading.Event(), threading.Event()
        running = client.submit(lambda: begun.set() or go.wait(10), pure=False)
        begun.wait(10)
        waiting = client.submit(inc, 1)
        client.restart()
        go.set()
        assert waiting.cancelled() and running.cancelled()
        with pytest.raises(distributed.CancelledError):
            waiting.result()
        assert client.submit(inc, 1).result() == 2


def test_several_locks_are_held_together_and_tasks_ask_to_be_called_again():
    from kasoku.compat.dask import distributed

    first, second = distributed.MultiLock(["a", "b"]), distributed.MultiLock(["b", "c"])
    assert first.acquire() and first.locked()
    assert not second.acquire(timeout=0.05) and not second.locked()
    assert second.acquire(num_locks=1)  # c is free
    second.release()
    first.release()
    with second:
        assert not first.acquire(blocking=False)
    with pytest.raises(RuntimeError):
        second.release()

    async def held():
        async with distributed.Lock("held there") as lock:
            return lock.locked()

    assert asyncio.run(held())
    with distributed.Client(n_workers=1) as client:
        calls = []

        def third():
            calls.append(1)
            if len(calls) < 3:
                raise distributed.Reschedule
            return len(calls)

        assert client.submit(third).result() == 3


def test_futures_as_they_come_may_fail_or_be_too_late():
    from kasoku.compat.dask import distributed

    with distributed.Client(n_workers=2, threads_per_worker=1) as client:
        calls = [client.submit(inc, 1), client.submit(operator.truediv, 1, 0)]
        came = distributed.as_completed(calls, with_results=True, raise_errors=False)
        assert {type(value) for _, value in came} == {int, tuple}
        go = threading.Event()
        with pytest.raises(distributed.TimeoutError):
            next(distributed.as_completed([client.submit(go.wait)], timeout=0.05))
        go.set()
        came = distributed.as_completed(calls)
        assert came.has_ready() and came.next().done()
        came.clear()
        assert came.is_empty()


def test_modules_of_the_package_distributed_have_its_names():
    from kasoku.compat import distributed

    assert distributed.client.Future is distributed.Future and distributed.worker.get_worker is distributed.get_worker
    assert distributed.deploy.local.LocalCluster is distributed.LocalCluster
    assert distributed.diagnostics.progressbar.progress is distributed.progress
    assert distributed.utils.parse_bytes("1 kB") == 1000 and distributed.metrics.time() > 0
