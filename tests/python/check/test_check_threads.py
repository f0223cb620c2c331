"""check on plain Python functions and delayed graphs: every verdict is known beforehand."""

import contextlib
import queue
import select
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kasoku as ks
from kasoku import delayed


class Total:
    n = 0


lock = threading.Lock()
counter = 0
table = {}
vector = np.arange(50)


def kinds(findings):
    return [(f.kind, f.array) for f in findings]


def count(v):
    for _ in v:
        Total.n += 1


def test_an_attribute_that_all_tasks_add_to():
    found = ks.check(count, vector, threads=2)
    assert kinds(found) == [("race", "Total.n")]
    line = count.__code__.co_firstlineno + 2
    assert found[0].line == line and f":{line}: " in str(found[0])


def test_a_random_draw_in_front_hides_nothing():
    def rng_count(size):
        for _ in np.random.rand(size):
            Total.n += 1

    assert kinds(ks.check(rng_count, 50, threads=2)) == [("race", "Total.n")]


def test_a_lock_orders():
    def locked():
        with lock:
            Total.n += 1

    def by_hand():
        lock.acquire()
        try:
            Total.n += 1
        finally:
            lock.release()

    assert ks.check(locked, threads=3) == [] and ks.check(by_hand, threads=3) == []


def test_two_different_locks_do_not():
    other = threading.Lock()
    turn = []

    def work():
        turn.append(1)
        with lock if len(turn) % 2 else other:
            Total.n += 1

    assert ("race", "Total.n") in kinds(ks.check(work, threads=2))


def test_local_variables_are_clean():
    def local(v):
        n = 0
        for _ in v:
            n += 1
        return n

    assert ks.check(local, vector, threads=8) == []


def test_globals_items_and_called_functions():
    def add():
        global counter
        counter += 1

    def item(k):
        table[k] = table.get(k, 0) + 1

    def outer():
        add()

    assert kinds(ks.check(add, threads=2)) == [("race", "counter")]
    assert (
        kinds(ks.check(item, 1, threads=2)) == [("race", "table[1]")]
        or kinds(ks.check(item, 1, threads=2))[0][0] == "race"
    )
    assert kinds(ks.check(outer, threads=2)) == [("race", "counter")]


def test_arrays_by_the_bytes_that_are_touched():
    def first_half(x):
        x[:25] = 1

    def both(x):
        x[:30] = 1
        return x[20:].sum()

    assert kinds(ks.check(first_half, vector.copy(), threads=2)) == [("race", "x")]
    assert "race" in {f.kind for f in ks.check(both, vector.copy(), threads=2)}
    assert (vector == np.arange(50)).all()


def test_reading_together_is_clean():
    assert ks.check(lambda x: x[3] + x.sum() + np.sqrt(x).mean(), vector, threads=4) == []


def test_functions_of_c_that_write():
    def sort(x):
        x.sort()

    def into(x):
        np.add(x, 1, out=x)

    assert kinds(ks.check(sort, vector[::-1].copy(), threads=2)) == [("race", "x")]
    assert "race" in {f.kind for f in ks.check(into, vector.copy(), threads=2)}


def test_thread_local_data_is_nobody_elses():
    own = threading.local()

    def work():
        own.n = 1
        own.n += 1

    assert ks.check(work, threads=2) == []


def test_threads_that_the_function_starts():
    def apart():
        out = [0, 0]

        def work(k):
            out[k] = k

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return sum(out)

    def together():
        total = 0

        def work(k):
            nonlocal total
            total += k

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return total

    def read_too_early():
        out = [0]
        thread = threading.Thread(target=lambda: out.append(1))
        thread.start()
        n = len(out)
        thread.join()
        return n

    assert ks.check(apart) == []
    assert kinds(ks.check(together)) == [("race", "total")]
    assert "race" in {f.kind for f in ks.check(read_too_early)}


def test_executors_are_joined_by_result():
    def apart(x):
        def fill(lo, hi):
            x[lo:hi] = 1

        with ThreadPoolExecutor(2) as pool:
            for future in [pool.submit(fill, 0, 25), pool.submit(fill, 25, 50)]:
                future.result()
        return x.sum()

    def overlapping(x):
        def fill(lo, hi):
            x[lo:hi] = 1

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(fill, [0, 24], [25, 50]))

    assert ks.check(apart, vector.copy()) == []
    assert kinds(ks.check(overlapping, vector.copy())) == [("race", "x")]


def add_in_place(x):
    x += 1
    return x.sum()


def add_out_of_place(x):
    return (x + 1).sum()


def test_a_delayed_task_that_changes_its_input():
    shared = np.zeros(100)
    total = delayed(sum)
    bad = total([delayed(add_in_place)(shared) for _ in range(2)])
    found = ks.check(bad)
    assert ("mutation", "x") in kinds(found) and "add_in_place" in str(found[0])
    assert (shared == 0).all()
    assert ks.check(total([delayed(add_out_of_place)(shared) for _ in range(2)])) == []


def test_tasks_in_a_chain_may_change_what_they_hand_on():
    def grow(x):
        x += 1
        return x

    assert ks.check(delayed(grow)(delayed(grow)(delayed(np.zeros)(3)))) == []


def test_an_error_in_a_thread_is_shown_as_without_the_check(monkeypatch):
    shown = []
    monkeypatch.setattr(threading, "excepthook", lambda args: shown.append((args.exc_type, args.thread)))

    def program():
        thread = threading.Thread(target=lambda: [][3])
        thread.start()
        thread.join()

    assert ks.check(program) == []
    assert [error for error, _ in shown] == [IndexError] and isinstance(shown[0][1], threading.Thread)


def test_a_deadlock_that_did_not_happen_names_both_places():
    a, b = threading.Lock(), threading.Lock()

    def one():
        with a:
            with b:
                pass

    def other():
        with b, a:
            pass

    def program():
        threads = [threading.Thread(target=one), threading.Thread(target=other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    (found,) = ks.check(program)
    lines = one.__code__.co_firstlineno + 2, other.__code__.co_firstlineno + 1
    assert found.kind == "deadlock" and all(f"(line {line})" in found.text for line in lines), found


def test_threads_that_wait_for_ever_end_quietly(monkeypatch):
    raised, threads, begun = [], [], threading.Event()
    monkeypatch.setattr(sys, "unraisablehook", raised.append)

    def work(other):
        begun.wait()
        threads[other].join()

    def program():
        threads[:] = [threading.Thread(target=work, args=(other,)) for other in (1, 0)]
        for thread in threads:
            thread.start()
        begun.set()
        for thread in threads:
            thread.join()

    (found,) = ks.check(program)
    assert found.kind == "deadlock"
    time.sleep(0.1)  # in which they end
    assert not raised


def test_a_thread_from_before_goes_on():
    asked, answered, is_over = queue.Queue(), queue.Queue(), threading.Event()

    def answer():
        while not is_over.is_set():
            with contextlib.suppress(queue.Empty):
                answered.put(asked.get_nowait())
            select.select([], [], [], 0.001)

    def program():
        for i in range(3):
            asked.put(i)
        select.select([], [], [], 0.1)  # the other thread's turn; a check does not wait in time.sleep()

    thread = threading.Thread(target=answer)
    thread.start()
    assert not ks.check(program)
    is_over.set()
    thread.join(10)
    assert answered.qsize() == 3


def factorial(n):
    if n == 0:
        Total.n += 1
        return 1
    return n * factorial(n - 1)


def test_a_function_that_calls_itself():
    assert kinds(ks.check(factorial, 4, threads=2)) == [("race", "Total.n")]


def test_what_cannot_be_checked_says_so():
    with pytest.raises(TypeError, match="cannot look inside an object of type int"):
        ks.check(3)
    with pytest.raises(TypeError, match="no Python source"):
        ks.check(len, [1], threads=2)


def test_a_graph_inside_of_a_program_is_said_to_be_unwatched():
    def program():
        return ks.compute(ks.delayed(abs)(-1)), ks.delayed(abs)(-2).compute()

    found = ks.check(program)
    assert not found and found.unseen == ["tasks of a graph (give check the Delayed value)"]
    assert ks.delayed(abs)(-3).compute() == 3
