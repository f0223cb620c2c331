"""More cases for test_check_cases: what threads share without a word for it (generators, attributes by name), every form of
a store, locks taken in two orders, and what is decided once under a lock."""

import contextlib
import threading
import time

import numpy as np
from check_cases import Box, run, threads

# ── generators ────────────────────────────────────────────────────────────────────────────


@threads("race")
def a_generator_that_two_advance():
    squares = (i * i for i in range(10))
    run(lambda: next(squares), lambda: next(squares))


@threads("race")
def a_generator_that_two_loops_empty():
    squares, box = (i * i for i in range(10)), Box()

    def work():
        for _ in squares:
            box.lock

    run(work, work)


@threads("race")
def a_generator_that_a_function_empties():
    squares = (i * i for i in range(10))
    run(lambda: sum(squares), lambda: sum(squares))


@threads()
def a_generator_under_a_lock():
    squares, lock = (i * i for i in range(10)), threading.Lock()

    def work():
        with lock:
            return next(squares)

    run(work, work)


@threads()
def a_generator_for_each_thread():
    def work():
        return sum(i * i for i in range(10))

    run(work, work)


counted, guarded, lock = Box(), Box(), threading.Lock()


def counts_what_it_gives():
    for i in range(3):
        counted.n += 1
        yield i


@threads("race")
def the_inside_of_a_generator():
    def work():
        return list(counts_what_it_gives())

    run(work, work)


@contextlib.contextmanager
def guard():
    with lock:
        yield


@threads()
def a_lock_that_a_generator_holds():
    def work():
        with guard():
            guarded.n += 1

    run(work, work)


@threads()
def a_lock_on_a_stack():
    box = Box()

    def work():
        with contextlib.ExitStack() as stack:
            stack.enter_context(box.lock)
            box.n += 1

    run(work, work)


# ── every form of a store ─────────────────────────────────────────────────────────────────


@threads("race")
def what_is_left_of_a_tuple():
    box = Box()

    def work():
        _, *box.made = 1, 2, 3

    run(work, work)


@threads("race")
def the_variable_of_a_loop():
    box = Box()

    def work():
        for box.n in range(3):
            pass

    run(work, work)


@threads("race")
def the_variable_of_a_with():
    box = Box()

    def work():
        with contextlib.nullcontext(3) as box.n:
            pass

    run(work, work)


@threads("race")
def a_store_within_an_expression():
    total = 0

    def work():
        nonlocal total
        return (total := 7) + 1

    run(work, work)


@threads("race")
def an_attribute_that_goes():
    box = Box()

    def take():
        del box.n

    run(take, lambda: getattr(box, "n", None))


@threads("race")
def an_attribute_by_its_name():
    box = Box()

    def work(word="n"):
        setattr(box, word, getattr(box, word) + 1)

    run(work, work)


@threads()
def nested_parts_of_their_own():
    out = [0, 0]

    def work(k):
        (a, (b, *c)), d = (1, (2, 3, 4)), 5
        for x, (y, z) in [(1, (2, 3))]:
            out[k] = a + b + sum(c) + d + x + y + z
        with contextlib.nullcontext((1, 2)) as (p, q):
            out[k] += p + q
        box, word = Box(), "other"
        if not hasattr(box, "other") and (r := getattr(box, "other", 7)) == 7:
            setattr(box, word, r)
        out[k] += box.other
        delattr(box, word)
        out[k] += hasattr(box, "other")

    run(lambda: work(0), lambda: work(1))
    assert out == [31, 31]


@threads()
def rows_through_another_shape():
    x = np.zeros(10)

    def first():
        x[:5] += 1

    def second():
        x.reshape(2, 5)[1] += 1

    run(first, second)


@threads("race")
def a_shape_that_has_to_be_copied():
    x, out = np.zeros((4, 4)), Box()

    def write():
        x[0, 0] = 1

    def read():
        out.made = x.T.reshape(16)

    run(write, read)


# ── locks in two orders ───────────────────────────────────────────────────────────────────


def both(first, second):
    with first:
        with second:
            pass


@threads("deadlock")
def two_locks_in_two_orders():
    a, b = threading.Lock(), threading.Lock()
    run(lambda: both(a, b), lambda: both(b, a))


@threads("deadlock")
def philosophers():
    forks = [threading.Lock() for _ in range(3)]
    run(*(lambda k=k: both(forks[k], forks[(k + 1) % 3]) for k in range(3)))


@threads()
def philosophers_who_take_the_lower_first():
    forks = [threading.Lock() for _ in range(3)]
    run(*(lambda k=k: both(*(forks[i] for i in sorted((k, (k + 1) % 3)))) for k in range(3)))


@threads()
def two_orders_behind_a_third_lock():
    gate, a, b = threading.Lock(), threading.Lock(), threading.Lock()

    def work(first, second):
        with gate:
            both(first, second)

    run(lambda: work(a, b), lambda: work(b, a))


@threads()
def two_orders_one_after_the_other():
    a, b = threading.Lock(), threading.Lock()
    run(lambda: both(a, b))
    run(lambda: both(b, a))


@threads()
def a_second_lock_that_is_given_up():
    a, b = threading.Lock(), threading.Lock()

    def patient():
        with b:
            if a.acquire(timeout=1):
                a.release()

    run(lambda: both(a, b), patient)


# ── what is decided once ──────────────────────────────────────────────────────────────────


@threads()
def made_once_under_a_lock_and_read_behind_it():
    box = Box()

    def get():
        with box.lock:
            if box.made is None:
                box.made = [1]
        return box.made

    run(get, get)


@threads()
def an_item_made_once_under_a_lock():
    made, lock = {}, threading.Lock()

    def get():
        with lock:
            if 5 not in made:
                made[5] = [1]
        return made[5]

    run(get, get)


@threads("race")
def looked_at_first_without_the_lock():
    box = Box()

    def get():
        if box.made is None:
            with box.lock:
                if box.made is None:
                    box.made = [1]
        return box.made

    run(get, get)


@threads("race")
def counted_under_a_lock_and_read_behind_it():
    box = Box()

    def work():
        with box.lock:
            box.n += 1
        return box.n

    run(work, work)


@threads("race")
def read_under_the_lock_and_again_behind_it():
    box = Box()

    def write():
        with box.lock:
            box.n = 5

    def read():
        with box.lock:
            before = box.n
        return box.n - before

    run(write, read)


@threads()
def an_event_that_is_looked_at():
    box, event = Box(), threading.Event()

    def write():
        box.n = 1
        event.set()

    def read():
        while not event.is_set():
            time.sleep(0)
        box.n += 1

    run(write, read)


@threads("race")
def an_event_set_too_early():
    box, event = Box(), threading.Event()

    def write():
        event.set()
        box.n = 1

    def read():
        while not event.is_set():
            time.sleep(0)
        box.n += 1

    run(write, read)
