"""Cases for test_check_cases of updates that are lost although each access holds the lock, beside protocols that look alike
and are right; and of what threads call that has no text."""

import array
import dataclasses
import functools
import multiprocessing.pool
import queue
import threading

import numpy as np
from check_cases import Box, run, threads

lock, other = threading.Lock(), threading.Lock()


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.balance = 0

    def read(self):
        with self.lock:
            return self.balance

    def store(self, amount):
        with self.lock:
            self.balance = amount

    def add(self, amount):
        with self.lock:
            self.balance += amount


def twice(*kinds):
    """Two threads that do the same with a box of the case's own, and with an account."""

    def register(function):
        def case():
            box, account = Box(), Account()
            work = functools.partial(function, box, account)
            run(work, work)

        case.__name__ = function.__name__
        return threads(*kinds)(case)

    return register


# ── lost ──────────────────────────────────────────────────────────────────────────────────


@twice("race")
def read_under_a_lock_and_stored_under_it_later(box, account):
    with lock:
        n = box.n
    with lock:
        box.n = n + 1


@twice("race")
def read_and_stored_by_methods_that_lock(box, account):
    amount = account.read()
    account.store(amount + 1)


@twice("race")
def read_and_stored_by_methods_on_one_line(box, account):
    account.store(account.read() + 1)


@twice("race")
def changed_on_the_way_by_branches_and_loops(box, account):
    lock.acquire()
    n = box.n
    lock.release()
    if n > 3:
        n += 1
    for i in range(3):
        n += i
    lock.acquire()
    box.n = n
    lock.release()


@threads("race")
def an_element_stored_under_the_lock_later():
    x = np.zeros(3)

    def work():
        with lock:
            first = x[1]
        with lock:
            x[1] = first + 1

    run(work, work)


@threads("race")
def an_item_stored_under_the_lock_later():
    counts = {"a": 0}

    def work():
        with lock:
            n = counts["a"]
        with lock:
            counts["a"] = n + 1

    run(work, work)


@threads("race")
def a_condition_lets_go_while_it_waits():
    box, condition = Box(), threading.Condition()

    def work():
        with condition:
            n = box.n
            condition.wait(0.1)
            box.n = n + 1

    run(work, work)


@twice("race")
def the_locks_around_both_are_two(box, account):
    with box.again, lock:
        n = box.n
    with lock:
        box.n = n + 1


# ── right ─────────────────────────────────────────────────────────────────────────────────


@twice()
def stored_is_something_else(box, account):
    with lock:
        box.n  # noqa: B018
    with lock:
        box.n = 3


@twice()
def read_again_before_it_is_stored(box, account):
    with lock:
        n = box.n
    with lock:
        if box.n == n:
            box.n = n + 1


@twice()
def a_lock_around_both(box, account):
    with box.lock:
        with lock:
            n = box.n
        with lock:
            box.n = n + 1


@twice()
def a_version_that_is_compared(box, account):
    with lock:
        n, version = box.n, box.made
    with lock:
        if box.made is version:
            box.n, box.made = n + 1, object()


@twice()
def whoever_is_busy_keeps_others_away(box, account):
    with lock:
        if box.made:
            return
        box.made = True
        n = box.n
    with lock:
        box.n = n + 1
        box.made = False


@twice()
def made_by_each_and_kept_from_the_last(box, account):
    with lock:
        made = box.made
    if made is None:
        made = object()
    with lock:
        box.made = made


@twice()
def added_and_read(box, account):
    account.add(1)
    n = account.read()
    account.add(n)


@threads()
def only_one_of_them_writes():
    box = Box()

    def grow():
        with lock:
            n = box.n
        with lock:
            box.n = n + 1

    def look():
        with lock:
            return box.n

    run(grow, look, look)


@threads()
def their_turns_alternate():
    box, condition = Box(), threading.Condition()
    box.made = 0

    def work(mine):
        with condition:
            while box.made != mine:
                condition.wait()
            n = box.n
        with condition:
            box.n, box.made = n + 1, 1 - mine
            condition.notify_all()

    run(lambda: work(0), lambda: work(1))


@threads()
def a_token_that_is_handed_on():
    box, token = Box(), queue.Queue()

    def first():
        with lock:
            n = box.n
        with lock:
            box.n = n + 1
        token.put(None)

    def second():
        token.get()
        with lock:
            n = box.n
        with lock:
            box.n = n + 1

    run(first, second)


# ── what has no text, and what reads nothing ──────────────────────────────────────────────


@threads("race")
def a_list_sorts_while_it_grows():
    items = [3, 1, 2]
    run(items.sort, lambda: items.append(4))


@threads()
def a_list_sorts_before_it_grows():
    items = [3, 1, 2]
    run(items.sort)
    items.append(4)


total = Box()


def add_to_total(n):
    total.n += n


@threads("race")
def a_function_whose_argument_is_given():
    run(functools.partial(add_to_total, 1), functools.partial(add_to_total, 2))


@threads()
def a_semaphore_that_is_tried():
    box, semaphore = Box(), threading.Semaphore(1)

    def work():
        if semaphore.acquire(blocking=False):
            box.n += 1
            semaphore.release()

    run(work, work)


@threads("race")
def a_semaphore_that_two_may_have():
    box, semaphore = Box(), threading.Semaphore(2)

    def work():
        if semaphore.acquire(blocking=False):
            box.n += 1
            semaphore.release()

    run(work, work)


@threads()
def the_length_is_no_element():
    x = np.zeros(8)

    def work(k):
        for i in range(k, len(x), 2):
            x[i] += 1

    run(lambda: work(0), lambda: work(1))


@threads()
def who_waits_for_a_while_goes_on():
    condition = threading.Condition()

    def work():
        with condition:
            condition.wait(0.1)

    run(work, work)


@threads()
def a_variable_that_is_called_as_an_attribute():
    box = Box()

    def work():
        n = 0
        for _ in range(3):
            n += 1
        with box.lock:
            box.n += n

    run(work, work)


@threads("race")
def a_list_is_asked_whether_it_is_empty():
    items = [1]

    def work():
        if items:
            items.pop()

    run(work, work)


@threads()
def a_list_is_asked_under_the_lock():
    items = [1]

    def work():
        with lock:
            return items.pop() if items and not other.locked() else None

    run(work, work)


@threads("race")
def a_pool_of_multiprocessings_threads():
    box = Box()

    def add(n):
        box.n += n

    with multiprocessing.pool.ThreadPool(2) as pool:
        pool.map(add, range(4))


@threads()
def a_pool_of_multiprocessings_threads_whose_calls_lie_apart():
    x = np.zeros(4)

    def store(k, value=1.0):
        x[k] = value
        return k

    pool = multiprocessing.pool.ThreadPool(2)
    assert pool.map(store, range(2)) == [0, 1] and pool.apply(store, (2,)) == 2
    assert pool.starmap(store, [(0, 2.0), (1, 3.0)]) == [0, 1] and list(pool.imap(store, [2])) == [2]
    last = pool.apply_async(store, (3,), {"value": 5.0})
    pool.close()
    pool.join()
    assert last.ready() and last.get() == 3 and x.tolist() == [2.0, 3.0, 1.0, 5.0]


# ── classes that a function makes ─────────────────────────────────────────────────────────


@threads("race")
def read_and_stored_by_methods_of_a_class_made_there():
    class Purse:
        def __init__(self):
            self.lock, self.coins = threading.Lock(), 0

        def read(self):
            with self.lock:
                return self.coins

        def store(self, coins):
            with self.lock:
                self.coins = coins

    purse = Purse()

    def add():
        purse.store(purse.read() + 1)

    run(add, add)


@threads()
def a_dataclass_made_there():
    @dataclasses.dataclass
    class Purse:
        coins: int = 0
        lock: object = dataclasses.field(default_factory=threading.Lock)

        def add(self):
            with self.lock:
                self.coins += 1

    purse = Purse(coins=3)
    run(purse.add, purse.add)
    assert purse.coins == 5


@threads("race")
def a_row_of_the_array_module():
    row = array.array("i", [0])

    def add():
        row[0] += 1

    run(add, add)
