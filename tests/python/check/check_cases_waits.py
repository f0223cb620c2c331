"""More cases for test_check_cases: threads that wait for each other by what they write under a lock."""

import functools
import queue
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
    for order in ("rwrw", "wrwr"):
        case = functools.partial(readers_and_writers, make, order)
        case.__name__ = f"{make.__name__}_{order}"
        threads(*kinds)(case)


def by_the_first_reader(always_takes):
    counted, written, box, seen = threading.Lock(), threading.Lock(), Box(), [0] * 3

    def reader(i):
        with counted:
            box.made = (box.made or 0) + 1
            if box.made == 1:
                written.acquire()
        seen[i] = box.n
        with counted:
            box.made -= 1
            if box.made == 0:
                written.release()

    def nested(i):
        with counted:
            written.acquire()
        seen[i] = box.n
        with counted:
            written.release()

    def writer():
        with written:
            box.n += 1

    read = nested if always_takes else reader
    run(functools.partial(read, 0), writer, functools.partial(read, 1), writer)


@threads()
def the_first_reader_locks_for_all():
    by_the_first_reader(always_takes=False)


@threads("deadlock")
def each_reader_locks_and_counts():
    by_the_first_reader(always_takes=True)


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


class Meeting:
    """A barrier for two, again and again."""

    def __init__(self):
        self.here, self.times, self.changed = 0, 0, threading.Condition()

    def wait(self):
        with self.changed:
            times = self.times
            self.here += 1
            if self.here == 2:
                self.here = 0
                self.times += 1
                self.changed.notify_all()
            else:
                while times == self.times:
                    self.changed.wait()


class MeetingThatReturns(Meeting):
    def wait(self):
        with self.changed:
            times = self.times
            self.here += 1
            if self.here == 2:
                self.here = 0
                self.times += 1
                self.changed.notify_all()
                return
            self.changed.wait_for(lambda: times != self.times)


def met(make, is_met_twice):
    meeting, given, taken = make(), [0, 0], [0, 0]

    def work(i):
        given[i] = i + 1
        meeting.wait()
        taken[i] = given[1 - i]
        if is_met_twice:
            meeting.wait()
        given[i] = taken[i]

    run(*(functools.partial(work, i) for i in range(2)))


for make in (Meeting, MeetingThatReturns):
    for is_met_twice in (True, False):
        case = functools.partial(met, make, is_met_twice)
        case.__name__ = f"{make.__name__}_{'twice' if is_met_twice else 'once'}"
        threads(*([] if is_met_twice else ["race"]))(case)


@threads()
def made_once_under_a_lock():
    lock, box = threading.Lock(), Box()
    box.is_made = False

    def make():
        box.n = 5

    def look():
        with lock:
            if not box.is_made:
                make()
                box.is_made = True
        return box.n

    run(look, look)


@threads("race")
def decided_under_a_lock_and_made_behind_it():
    lock, box = threading.Lock(), Box()
    box.is_taken = False

    def look():
        is_first = False
        with lock:
            if not box.is_taken:
                box.is_taken = is_first = True
        if is_first:
            box.n = 5
        return box.n

    run(look, look)


class Permits:
    def __init__(self, n):
        self.n, self.changed = n, threading.Condition()

    def __enter__(self):
        with self.changed:
            while self.n == 0:
                self.changed.wait()
            self.n -= 1

    def __exit__(self, *error):
        with self.changed:
            self.n += 1
            self.changed.notify()


def permitted(n):
    permits, box = Permits(n), Box()

    def work():
        for _ in range(2):
            with permits:
                box.n += 1

    run(work, work)


@threads()
def one_permit_that_was_made():
    permitted(1)


@threads("race")
def two_permits_that_were_made():
    permitted(2)


# ── one that takes the work of all leaves none for another to race with ─────────────────────────────────────────


def workers(take, is_locked):
    lock, box = threading.Lock(), Box()

    def work():
        while (item := take(lock)) is not None:
            if is_locked:
                with lock:
                    box.n += item
            else:
                box.n += item

    run(work, work)


def from_a_list():
    items = list(range(10))

    def take(lock):
        with lock:
            return items.pop() if items else None

    return take


def from_a_queue():
    items = queue.Queue()
    for i in range(10):
        items.put(i)

    def take(lock):
        try:
            return items.get_nowait()
        except queue.Empty:
            return None

    return take


def from_a_counter():
    state = {"next": 0}

    def take(lock):
        with lock:
            state["next"] += 1
            return state["next"] if state["next"] < 10 else None

    return take


for make in (from_a_list, from_a_queue, from_a_counter):
    for is_locked in (True, False):

        def case(make=make, is_locked=is_locked):
            workers(make(), is_locked)

        case.__name__ = f"work_{make.__name__}{'' if is_locked else '_added_without_a_lock'}"
        threads(*([] if is_locked else ["race"]))(case)
