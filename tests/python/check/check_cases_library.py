"""More cases for test_check_cases: what Python's library hands from thread to thread — event loops, pools, weak references, caches."""

import asyncio
import collections
import concurrent.futures
import contextvars
import functools
import itertools
import threading
import weakref

import kasoku as ks
import numpy as np
from check_cases import case
from check_cases_handed import side_by_side


class Box:
    def __init__(self):
        self.x = 0


@case()
def a_loop_that_awaits_each_thread():
    data = np.zeros(4)

    def fill(i):
        data[:] += i

    async def main():
        for i in range(3):
            await asyncio.get_running_loop().run_in_executor(None, fill, i)

    return ks.check(lambda: asyncio.run(main()))


@case("race")
def a_loop_that_awaits_two_threads_at_once():
    data = np.zeros(4)

    def fill(i):
        data[:] = i

    async def main():
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(None, fill, i) for i in range(2)))

    return ks.check(lambda: asyncio.run(main()))


@case()
def coroutines_of_one_thread():
    box = Box()

    async def more():
        for _ in range(3):
            x = box.x
            await asyncio.sleep(0)
            box.x = x + 1

    async def main():
        await asyncio.gather(more(), more())

    return ks.check(lambda: asyncio.run(main()))


@case()
def a_thread_that_calls_the_loop_back():
    box = Box()

    def more():
        box.x += 1

    async def main():
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def work():
            loop.call_soon_threadsafe(more)
            loop.call_soon_threadsafe(done.set)

        thread = threading.Thread(target=work)
        thread.start()
        more()
        await done.wait()
        thread.join()

    return ks.check(lambda: asyncio.run(main()))


@case("race")
def a_thread_that_does_it_itself():
    box = Box()

    def more():
        box.x += 1

    async def main():
        thread = threading.Thread(target=more)
        thread.start()
        more()
        await asyncio.to_thread(thread.join)

    return ks.check(lambda: asyncio.run(main()))


@case()
def coroutines_from_a_thread():
    box = Box()

    async def more():
        box.x += 1

    def main():
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        for _ in range(2):
            asyncio.run_coroutine_threadsafe(more(), loop).result()
        box.x += 1
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    return ks.check(main)


@case()
def what_each_thread_keeps_itself():
    local, total, door = threading.local(), Box(), threading.Lock()

    def work():
        local.rows = []
        for i in range(3):
            local.rows.append(i)
        with door:
            total.x += sum(local.rows)

    return ks.check(lambda: side_by_side(work, work))


@case("race")
def a_cache_by_hand():
    cache = {}

    def value(k):
        if k not in cache:
            cache[k] = k * k
        return cache[k]

    return ks.check(lambda: side_by_side(lambda: value(3), lambda: value(3)))


@case()
def a_cache_of_the_library():
    @functools.lru_cache(None)
    def value(k):
        return k * k

    return ks.check(lambda: side_by_side(lambda: value(3), lambda: value(3)))


@case()
def a_locked_check_before_making():
    box, door = Box(), threading.Lock()
    box.made = None

    def made():
        with door:
            if box.made is None:
                box.made = [1]
        return box.made[0]

    def work():
        with door:
            pass
        return made()

    return ks.check(lambda: side_by_side(work, work))


@case("race")
def a_check_made_before_the_lock_too():
    box, door = Box(), threading.Lock()
    box.made = None

    def made():
        if box.made is None:
            with door:
                if box.made is None:
                    box.made = [1]
        return box.made

    return ks.check(lambda: side_by_side(made, made))


@case("race")
def a_generator_of_two_threads():
    box = Box()

    def rows():
        for _ in range(4):
            box.x += 1
            yield box.x

    door = threading.Lock()

    def main():
        one = rows()

        def work():
            with door:
                next(one)

        def beside():
            box.x += 1

        side_by_side(work, beside)

    return ks.check(main)


@case()
def a_generator_behind_a_lock():
    box = Box()

    def rows():
        for _ in range(8):
            box.x += 1
            yield box.x

    one, door = rows(), threading.Lock()

    def work():
        for _ in range(3):
            with door:
                next(one)

    return ks.check(lambda: side_by_side(work, work))


@case()
def a_barrier_with_an_action():
    box, sums = Box(), np.zeros(2)

    def action():
        box.x = sums.sum()

    meet = threading.Barrier(2, action)

    def work(i):
        for k in range(3):
            sums[i] = k
            meet.wait()
            assert box.x == 2 * k
            meet.wait()

    return ks.check(lambda: side_by_side(lambda: work(0), lambda: work(1)))


@case()
def a_barrier_with_one_wait_less():
    box, sums = Box(), np.zeros(2)

    def action():
        box.x = sums.sum()

    meet = threading.Barrier(2, action)

    def work(i):
        for k in range(3):
            sums[i] = k
            meet.wait()
            box.x

    return ks.check(lambda: side_by_side(lambda: work(0), lambda: work(1)))


@case()
def a_place_for_each_by_a_counter():
    number, out = itertools.count(), np.zeros(8)

    def work():
        for _ in range(4):
            out[next(number)] = 1

    return ks.check(lambda: side_by_side(work, work))


def ring(n_free):
    """Of two places, of which so many count as free at first."""
    places, free, used, total = np.zeros(2), threading.Semaphore(n_free), threading.Semaphore(0), Box()

    def write():
        for i in range(6):
            free.acquire()
            places[i % 2] = i
            used.release()

    def read():
        for i in range(6):
            used.acquire()
            total.x += places[i % 2]
            free.release()

    return ks.check(lambda: side_by_side(write, read))


@case()
def a_ring_of_one_writer_and_one_reader():
    return ring(2)


@case("race")
def a_ring_with_a_place_too_many():
    return ring(3)


@case()
def a_condition_and_a_deque():
    items, change, seen = collections.deque(), threading.Condition(), Box()

    def put():
        for i in range(4):
            with change:
                items.append(i)
                change.notify()

    def take():
        for _ in range(4):
            with change:
                change.wait_for(lambda: items)
                seen.x += items.popleft()

    return ks.check(lambda: side_by_side(put, take))


@case("race")
def a_condition_whose_item_is_taken_outside():
    items, change, seen = [], threading.Condition(), Box()

    def put():
        for i in range(4):
            with change:
                items.append(i)
                change.notify()

    def take():
        for _ in range(4):
            with change:
                change.wait_for(lambda: items)
            seen.x += items.pop(0)

    return ks.check(lambda: side_by_side(put, take))


@case()
def futures_as_they_are_done():
    data = np.zeros((4, 8))

    def fill(i):
        data[i] = i

    def main():
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            rows = {pool.submit(fill, i): i for i in range(4)}
            for future in concurrent.futures.as_completed(rows):
                assert data[rows[future]].sum() == 8 * rows[future]

    return ks.check(main)


@case("race")
def a_row_that_is_read_before_it_is_done():
    data = np.zeros((4, 8))

    def fill(i):
        data[i] = i

    def main():
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            rows = [pool.submit(fill, i) for i in range(4)]
            rows[0].result()
            data.sum()

    return ks.check(main)


@case()
def a_last_reference_that_goes_in_a_thread():
    seen, door = Box(), threading.Lock()

    class Thing:
        pass

    def gone():
        with door:
            seen.x += 1

    def work():
        thing = Thing()
        weakref.finalize(thing, gone)
        del thing

    return ks.check(lambda: side_by_side(work, work))


@case()
def a_context_of_its_own():
    level, total = contextvars.ContextVar("level", default=0), np.zeros(2)

    def work(i):
        level.set(level.get() + i)
        total[i] = level.get()

    def main():
        side_by_side(*(functools.partial(contextvars.copy_context().run, work, i) for i in range(2)))

    return ks.check(main)


@case("race")
def timers_that_share_a_list():
    rows = [0]

    def more():
        rows[0] += 1

    def main():
        timers = [threading.Timer(0.001, more) for _ in range(2)]
        for timer in timers:
            timer.start()
        for timer in timers:
            timer.join()

    return ks.check(main)


@case()
def one_map_after_the_other():
    data = np.zeros(8)

    def fill(i):
        data[i] += i

    def main():
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(fill, range(8)))
            list(pool.map(fill, reversed(range(8))))
        return data.sum()

    return ks.check(main)


@case("race")
def one_map_beside_the_other():
    data = np.zeros(8)

    def fill(i):
        data[i] += i

    def main():
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            one, other = pool.map(fill, range(8)), pool.map(fill, reversed(range(8)))
            list(one), list(other)

    return ks.check(main)
