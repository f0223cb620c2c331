"""More cases for test_check_cases: Python threads, futures, and what hands things on between them."""

import concurrent.futures
import functools
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from check_cases import Box, run, threads

# ── futures ───────────────────────────────────────────────────────────────────────────────


def bump(box):
    box.n += 1
    return box.n


@threads()
def a_call_after_the_result_of_another():
    box = Box()
    with ThreadPoolExecutor(2) as pool:
        pool.submit(bump, box).result()
        pool.submit(bump, box).result()


@threads("race")
def a_call_before_the_result_of_another():
    box = Box()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(bump, box)
        second = pool.submit(bump, box)
        first.result(), second.result()


@threads()
def waited_for_all():
    box = Box()
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(bump, box)]
        concurrent.futures.wait(futures)
        box.n += 1


@threads()
def as_they_are_done():
    out = {}

    def put(k):
        out[k] = k

    with ThreadPoolExecutor(2) as pool:
        for future in concurrent.futures.as_completed([pool.submit(put, k) for k in range(3)]):
            future.result()
        return sum(out.values())


@threads("race")
def read_while_they_run():
    out = {}

    def put(k):
        out[k] = k

    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(put, k) for k in range(3)]
        n = sum(out.values())
    return n, futures


@threads()
def read_after_the_pool():
    out = {}

    def put(k):
        out[k] = k

    with ThreadPoolExecutor(2) as pool:
        pool.map(put, range(3))
    return sum(out.values())


@threads()
def a_future_that_waits_for_another():
    box = Box()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(bump, box)

        def then():
            first.result()
            return bump(box)

        return pool.submit(then).result()


@threads()
def a_pool_of_one():
    box = Box()
    with ThreadPoolExecutor(1) as pool:
        for _ in range(3):
            pool.submit(bump, box)
    return box.n


@threads()
def what_a_call_is_followed_by():
    box = Box()
    with ThreadPoolExecutor(2) as pool:
        future = pool.submit(bump, box)
        future.add_done_callback(lambda done: bump(box))


@threads("race")
def what_two_calls_are_followed_by():
    box = Box()
    with ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            pool.submit(len, ()).add_done_callback(lambda done: bump(box))


# ── locks and what hands things on ────────────────────────────────────────────────────────


@threads()
def a_thread_that_joins_another():
    box = Box()
    first = threading.Thread(target=bump, args=(box,))
    first.start()

    def then():
        first.join()
        bump(box)

    second = threading.Thread(target=then)
    second.start()
    second.join()
    return box.n


@threads("race")
def two_locks_for_one_thing():
    box, other = Box(), threading.Lock()

    def one():
        with box.lock:
            box.n += 1

    def two():
        with other:
            box.n += 1

    run(one, two)


@threads()
def a_lock_that_is_tried():
    box = Box()

    def work():
        if box.lock.acquire(blocking=False):
            try:
                box.n += 1
            finally:
                box.lock.release()

    run(work, work)


@threads("race")
def a_lock_that_is_tried_in_vain():
    box = Box()

    def work():
        taken = box.lock.acquire(timeout=0.01)
        box.n += 1
        if taken:
            box.lock.release()

    def hold():
        box.lock.acquire()
        box.n += 1

    run(hold, work)


@threads()
def a_lock_for_each_item():
    values, locks = [0, 0], [threading.Lock(), threading.Lock()]

    def add(k):
        with locks[k]:
            values[k] += 1

    run(*(functools.partial(add, k) for k in (0, 1, 0, 1)))


@threads("race")
def a_lock_for_each_thread():
    values, locks = [0, 0], [threading.Lock() for _ in range(4)]

    def add(k):
        with locks[k]:
            values[k % 2] += 1

    run(*(functools.partial(add, k) for k in range(4)))


def synchronised(method):
    @functools.wraps(method)
    def locked(self, *args):
        with self.lock:
            return method(self, *args)

    return locked


class Counter(Box):
    @synchronised
    def add(self):
        self.n += 1

    @property
    def now(self):
        return self.n


@threads()
def methods_under_a_decorator():
    counter = Counter()
    run(counter.add, counter.add)
    return counter.now


@threads("race")
def a_property_beside_them():
    counter = Counter()

    def look():
        return counter.now

    run(counter.add, look)


@threads()
def a_permit_that_hands_on():
    box, ready = Box(), threading.Semaphore(0)

    def make():
        box.n = 5
        ready.release()

    def take():
        ready.acquire()
        return box.n

    run(take, make)


@threads("race")
def changed_after_the_permit():
    box, ready = Box(), threading.Semaphore(0)

    def make():
        ready.release()
        box.n = 5

    def take():
        ready.acquire()
        return box.n

    run(take, make)


@threads()
def ping_pong_behind_two_barriers():
    a, b, barrier = np.zeros(4), np.zeros(4), threading.Barrier(2)

    def work(k):
        for _ in range(3):
            b[2 * k : 2 * k + 2] = a[::-1][2 * k : 2 * k + 2] + 1
            barrier.wait()
            a[2 * k : 2 * k + 2] = b[2 * k : 2 * k + 2]
            barrier.wait()

    run(lambda: work(0), lambda: work(1))


@threads("race")
def ping_pong_behind_one_barrier():
    a, b, barrier = np.zeros(4), np.zeros(4), threading.Barrier(2)

    def work(k):
        for _ in range(3):
            b[2 * k : 2 * k + 2] = a[::-1][2 * k : 2 * k + 2] + 1
            barrier.wait()
            a[2 * k : 2 * k + 2] = b[2 * k : 2 * k + 2]

    run(lambda: work(0), lambda: work(1))


@threads()
def a_condition_that_waits_for():
    box, condition = Box(), threading.Condition()

    def make():
        with condition:
            box.n = 3
            condition.notify_all()

    def take():
        with condition:
            condition.wait_for(lambda: box.n == 3)
            return box.n

    run(take, make)


@threads()
def work_that_is_reported_done():
    work, values = queue.Queue(), np.zeros(4)

    def serve():
        while (k := work.get()) is not None:
            values[k] += 1
            work.task_done()

    server = threading.Thread(target=serve)
    server.start()
    for k in range(4):
        work.put(k)
    work.join()
    n = values.sum()
    work.put(None)
    server.join()
    return n


@threads("race")
def work_that_is_not_waited_for():
    work, values = queue.Queue(), np.zeros(4)

    def serve():
        while (k := work.get()) is not None:
            values[k] += 1

    server = threading.Thread(target=serve)
    server.start()
    for k in range(4):
        work.put(k)
    n = values.sum()
    work.put(None)
    server.join()
    return n


@threads()
def a_thing_for_each_thread():
    own = threading.local()

    def work():
        own.n = 0
        own.n += 1

    run(work, work)


@threads("race")
def a_timer_that_is_not_waited_for():
    box = Box()
    timer = threading.Timer(0.01, bump, (box,))
    timer.start()
    box.n += 1
    timer.join()


@threads("race")
def looked_at_before_the_lock():
    cache, lock = {}, threading.Lock()

    def get(key):
        if key not in cache:
            with lock:
                if key not in cache:
                    cache[key] = [key]
        return cache[key]

    run(lambda: get(1), lambda: get(1))


# ── parts of arrays ───────────────────────────────────────────────────────────────────────


@threads()
def every_second_from_0_and_from_1():
    x = np.zeros(20)

    def add(k):
        x[k::2] += 1

    run(lambda: add(0), lambda: add(1))


@threads("race")
def every_second_and_every_third():
    x = np.zeros(20)

    def add(k):
        x[::k] += 1

    run(lambda: add(2), lambda: add(3))


@threads()
def rows_as_outputs():
    x = np.zeros((2, 9))

    def work(k):
        np.add(x[k], 1, out=x[k])

    run(lambda: work(0), lambda: work(1))


@threads("race")
def a_copy_into_what_another_reads():
    x = np.zeros(9)

    def write():
        np.copyto(x, 1)

    run(write, lambda: float(x.sum()))
