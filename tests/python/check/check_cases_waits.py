"""More cases for test_check_cases: threads that wait for each other by what they write under a lock."""

import functools
import threading
import time

from check_cases import Box, run, threads


class HeldWriters:
    """A lock of readers and writers; a writer holds the condition while it writes."""

    def __init__(self):
        self.changed = threading.Condition()
        self.n_readers = 0

    def read(self, work):
        with self.changed:
            self.n_readers += 1
        work()
        with self.changed:
            self.n_readers -= 1
            if not self.n_readers:
                self.changed.notify_all()

    def write(self, work):
        with self.changed:
            while self.n_readers > 0:
                self.changed.wait()
            work()


class ToldWriters:
    """One whose writer says that it writes."""

    def __init__(self):
        self.changed = threading.Condition()
        self.n_readers, self.is_written = 0, False

    def begin_read(self):
        with self.changed:
            while self.is_written:
                self.changed.wait()
            self.n_readers += 1

    def begin_write(self):
        with self.changed:
            while self.is_written or self.n_readers:
                self.changed.wait()
            self.is_written = True

    def read(self, work):
        self.begin_read()
        work()
        with self.changed:
            self.n_readers -= 1
            self.changed.notify_all()

    def write(self, work):
        self.begin_write()
        work()
        with self.changed:
            self.is_written = False
            self.changed.notify_all()


class ToldWritersByPredicates(ToldWriters):
    def is_free(self):
        return not self.is_written

    def begin_read(self):
        with self.changed:
            self.changed.wait_for(self.is_free)
            self.n_readers += 1

    def begin_write(self):
        with self.changed:
            self.changed.wait_for(lambda: self.is_free() and not self.n_readers)
            self.is_written = True


class ReadersThatDoNotLook(ToldWriters):
    def begin_read(self):
        with self.changed:
            self.n_readers += 1


class WritersThatDoNotLook(ToldWriters):
    def begin_write(self):
        with self.changed:
            while self.is_written:
                self.changed.wait()
            self.is_written = True


class HeldWritersThatDoNotLook(HeldWriters):
    def write(self, work):
        with self.changed:
            work()


def readers_and_writers(make, order):
    lock, box, seen = make(), Box(), [0] * 4

    def look(i):
        seen[i] = box.n

    def change():
        box.n += 1

    def reader(i):
        lock.read(functools.partial(look, i))

    run(
        *(
            functools.partial(reader, i) if who == "r" else functools.partial(lock.write, change)
            for i, who in enumerate(order)
        )
    )


for make, kinds in (
    (HeldWriters, ()), (ToldWriters, ()), (ToldWritersByPredicates, ()), (ReadersThatDoNotLook, ("race",)),
    (WritersThatDoNotLook, ("race",)), (HeldWritersThatDoNotLook, ("race",)),
):  # fmt: skip
    for order in ("rwrw", "wrwr", "rw"):
        case = functools.partial(readers_and_writers, make, order)
        case.__name__ = f"{make.__name__}_{order}"
        threads(*kinds)(case)


@threads("race")
def writers_that_read():
    lock, box = ToldWriters(), Box()

    def change():
        box.n += 1

    run(*[functools.partial(lock.read, change)] * 2)


class Latch:
    def __init__(self, n):
        self.n, self.changed = n, threading.Condition()

    def count_down(self):
        with self.changed:
            self.n -= 1
            if not self.n:
                self.changed.notify_all()

    def wait(self):
        with self.changed:
            while self.n > 0:
                self.changed.wait()


def latched(waits_first, counts_before):
    latch, parts, sums = Latch(2), [0, 0], []

    def work(i):
        if counts_before:
            latch.count_down()
        parts[i] = i
        if not counts_before:
            latch.count_down()

    def total():
        latch.wait()
        sums.append(sum(parts))

    works = [functools.partial(work, i) for i in range(2)]
    run(*([total, *works] if waits_first else [*works, total]))


for waits_first in (False, True):
    for counts_before in (False, True):
        case = functools.partial(latched, waits_first, counts_before)
        case.__name__ = f"a_latch_{'waits' if waits_first else 'is_open'}{'_counted_too_soon' if counts_before else ''}"
        threads(*(["race"] if counts_before else []))(case)


@threads()
def a_flag_polled_under_a_lock():
    lock, box, state, seen = threading.Lock(), Box(), {"ready": False}, []

    def give():
        box.n = 5
        with lock:
            state["ready"] = True

    def take():
        while True:
            with lock:
                if state["ready"]:
                    break
            time.sleep(0)
        seen.append(box.n)

    run(give, take)


@threads("race")
def a_flag_polled_without_its_lock():
    box, seen = Box(), []
    box.ready = False

    def give():
        box.n = 5
        box.ready = True

    def take():
        while not box.ready:
            time.sleep(0)
        seen.append(box.n)

    run(give, take)


def handed_over(changes_after):
    changed, waiting, done = threading.Condition(), [], []

    def give():
        for i in range(5):
            item = {"n": 0}
            item["n"] = i
            with changed:
                while len(waiting) >= 2:
                    changed.wait()
                waiting.append(item)
                changed.notify_all()
            if changes_after:
                item["n"] = -1

    def take():
        for _ in range(5):
            with changed:
                while not waiting:
                    changed.wait()
                item = waiting.pop(0)
                changed.notify_all()
            item["n"] += 1
            done.append(item["n"])

    run(give, take)


@threads()
def items_of_a_bounded_list():
    handed_over(changes_after=False)


@threads("race")
def items_that_are_changed_when_they_are_gone():
    handed_over(changes_after=True)


def given_back(does_first):
    lock, box = threading.Lock(), Box()
    lock.acquire()

    def give():
        if does_first:
            box.n = 1
        lock.release()
        if not does_first:
            box.n = 1

    def take():
        lock.acquire()
        box.n += 1

    run(give, take)


@threads()
def a_lock_that_another_gives_back():
    given_back(does_first=True)


@threads("race")
def a_lock_that_another_gives_back_too_soon():
    given_back(does_first=False)


@threads("race")
def a_counter_beside_a_wait():
    changed, box, state = threading.Condition(), Box(), {"turns": 0}

    def work():
        box.n += 1
        with changed:
            state["turns"] += 1
            changed.notify_all()

    def wait():
        with changed:
            while state["turns"] < 1:
                changed.wait()

    run(work, work, wait)
