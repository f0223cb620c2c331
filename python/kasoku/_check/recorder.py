"""The record of who touched what, and of what is ordered: vector clocks over tasks that run one after another.

A location is an attribute, a global name, a closure cell, an item of a container, a container's content,
or bytes of an array. Two accesses to one location are a race if they come from different tasks, one of
them writes, neither task's clock covers the other, and they hold no lock in common (Lamport 1978; the
lock rule is Eraser's, Savage et al. 1997). An update is lost if a task reads under a lock and stores what it made of
that under the lock taken anew, and another may write in between (Flanagan and Qadeer 2003).
"""

from __future__ import annotations

import array
import contextlib
import functools
import heapq
import itertools
import re
import threading
from dataclasses import dataclass, field

import numpy as np

from .._core import Array, Finding

_WORD = re.compile(r"[^\W\d]\w*")
_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition)


@dataclass
class Access:
    task: int
    clock: dict  # task -> how far this task has seen it
    time: int  # of the own task
    writes: bool
    sections: frozenset  # (lock, how many were taken in this run before) of what is held
    locks: frozenset
    name: str
    file: str
    line: int
    view: object = None  # the array part that is meant
    number: int = 0  # in the run
    path: tuple = ()  # the calls that led here, and its own place


@dataclass
class Nesting:
    """A lock that is waited for while others are held."""

    task: int
    clock: dict
    time: int
    held: frozenset
    lock: int
    place: tuple
    decided: (
        frozenset  # (lock, another that was held when it was decided to take it) of those that it holds or waits for
    )


@dataclass
class Location:
    name: str
    accesses: list = field(default_factory=list)
    known: set = field(default_factory=set)  # what tells one access from another
    last_reads: dict = field(default_factory=dict)  # of each task
    updates: list = field(default_factory=list)  # (read, write) of one task, the lock released in between
    first: tuple = ()  # what was there when a lock was first held around it, if something waits for it
    told: dict = field(default_factory=dict)  # lock -> {task: its clock at the end of its last section that wrote this}
    guards: dict = field(default_factory=dict)  # lock -> what was done while it was held to keep this as it is


@dataclass
class Task:
    number: int
    label: str
    clock: dict = field(default_factory=dict)  # never changed in place: each access keeps the one of its time
    held: list = field(default_factory=list)  # (lock, its section)
    sections: frozenset = frozenset()
    locks: frozenset = frozenset()
    calls: list = field(default_factory=list)  # (place, what the arguments are made of) of the calls that it is in
    tests: list = field(default_factory=list)  # for each test of a wait that it is in: what was read under which locks
    waited: frozenset = frozenset()  # locks under which it has waited for something
    lent: dict = field(default_factory=dict)  # lock -> what comes before as long as it is held
    decided: frozenset = (
        frozenset()
    )  # (lock, another) that it took as the first of many, who hold the other to decide it
    guarded: dict = field(default_factory=dict)  # section -> locations that it waited for, and keeps as they are

    def step(self):
        self.clock = {**self.clock, self.number: self.clock.get(self.number, 0) + 1}

    def see(self, clock):
        self.clock = _later(self.clock, clock)


class Recorder:
    """Accesses of all tasks of one check. Not for concurrent use: tasks run one after another."""

    def __init__(self):
        self.locations: dict = {}
        self.keep: list = []  # what was touched stays alive, so that an id() means one object
        self.tasks: list[Task] = []
        self.current = self.new_task("main", None)
        self._own: dict = {}  # id -> (task, thing): made by the task and shown to nobody
        self.unseen: set = set()  # calls whose inside could not be watched
        self.nestings: dict = {}  # what each is about -> a Nesting
        self.extra: list = []  # findings that are no conflicts of two accesses
        self.last_place = ("", 0)
        self.turns = None  # of the program's threads
        self.numbers = itertools.count(1)
        self.touched: dict = {}  # section -> {key: whether it was written}
        self.awaited: set = set()  # names of what the program's loops wait for under a lock (waits.py)
        self._signals: dict = {}  # object -> what its last signal had seen

    # --- tasks and their order -------------------------------------------------------------------------------

    def new_task(self, label, parent):
        task = Task(len(self.tasks), label)
        if parent is not None:
            task.clock = parent.clock
            parent.step()
        task.clock = {**task.clock, task.number: 1}
        self.tasks.append(task)
        return task

    def join(self, task, into=None):
        """Orders everything that `task` did before everything that `into` does from now on."""
        into = into or self.current
        into.see(task.clock)
        into.step()

    def signal(self):
        """The clock of the current task: all that it has done and seen so far. For a follow()."""
        clock = self.current.clock
        self.current.step()
        return clock

    def follow(self, clock):
        self.current.see(clock)

    def sync_out(self, key):
        """The current task signals: what it did comes before what follows a sync_in() of `key`."""
        self.keep.append(key)
        self._signals[_identity(key)] = _later(self._signals.get(_identity(key), {}), self.signal())

    def sync_in(self, key):
        self.follow(self._signals.get(_identity(key), {}))

    def run_as(self, task, call):
        before, self.current = self.current, task
        try:
            return call()
        finally:
            self.current = before

    # --- accesses --------------------------------------------------------------------------------------------

    def touch(self, key, writes, name, place, keep, view=None, sources=()):
        """`sources`: places whose loads and calls what it writes is made of."""
        self.last_place = place
        task = self.current
        location = self.locations.get(key) or self.locations.setdefault(key, Location(name))
        time = task.clock[task.number]
        if writes and location.guards:  # had this come first, they would have waited
            for lock in task.locks & location.guards.keys():
                task.see(location.guards[lock])
        clock = functools.reduce(_later, task.lent.values(), task.clock)
        access = Access(task.number, clock, time, writes, task.sections, task.locks, name, *place, view)
        access.path = (*task.calls, (place,))
        for section in task.sections:
            things = self.touched.setdefault(section, {})
            things[key] = things.get(key, False) or writes
        if task.locks and self._is_awaited(key, name):
            location.first = location.first or (_value_of(key, keep),)
            for test in task.tests:
                test.append((location, key, keep, task.locks))
        part = _part(view)
        read = location.last_reads.get((task.number, part))
        is_update = writes and read is not None and bool(read.locks and access.locks)
        is_update = is_update and not read.sections & access.sections and _parting(read, access) in sources
        same = (task.number, time, writes, task.locks, place, part, is_update)
        if not writes:
            location.last_reads[task.number, part] = access
        if same in location.known:  # it says nothing new
            return
        location.known.add(same)
        self.keep.append(keep)
        access.number = next(self.numbers)
        location.accesses.append(access)
        if is_update:
            location.updates.append((read, access))

    # --- waits that the program wrote itself -------------------------------------------------------------------

    def _is_awaited(self, key, name):
        return bool(self.awaited) and key[0] != "array" and not self.awaited.isdisjoint(_WORD.findall(name))

    def begin_test(self):
        self.current.tests.append([])
        return self.current.tests[-1]

    def end_test(self, test, is_over):
        """A test that ends a wait is over: what others wrote under its lock, and did before, comes before what follows.
        Where the value is the one that was there at first, the wait keeps two apart rather than one behind the other; that
        orders them only if the other one waits too, or as long as the lock is held."""
        task = self.current
        while task.tests and task.tests.pop() is not test:  # one that an exception ended
            pass
        if not is_over:
            return
        for location, key, keep, locks in test:
            is_first = location.first == (_value_of(key, keep),)
            for lock in locks:
                for other, clock in location.told.get(lock, {}).items():
                    if not is_first or lock in self.tasks[other].waited:
                        task.see(clock)
                    elif lock in task.locks:
                        task.lent[lock] = _later(task.lent.get(lock, {}), clock)
                task.waited |= {lock}
            for section in task.sections:
                if section[0] in locks:
                    task.guarded.setdefault(section, []).append(location)

    def _tell(self, section, task):
        """At the end of a section that wrote what others wait for, or waited itself."""
        for location in task.guarded.pop(section, ()):
            location.guards[section[0]] = _later(location.guards.get(section[0], {}), self.signal())
        written = [key for key, is_written in self.touched.get(section, {}).items() if is_written]
        written = [self.locations[key] for key in written if self._is_awaited(key, self.locations[key].name)]
        if written:
            clock = self.signal()
            for location in written:
                location.told.setdefault(section[0], {})[self.current.number] = clock

    @contextlib.contextmanager
    def inside(self, place, sources):
        """A call at `place` whose arguments are made of `sources`."""
        calls = self.current.calls
        calls.append((place, sources))
        try:
            yield
        finally:
            calls.pop()

    def array(self, array, writes, name, place, is_ours=False, sources=()):
        """Bytes of `array`, filed under the array that owns them; of ours, any two views may meet."""
        if not isinstance(array, np.ndarray):
            self.keep.append(array)
            array, is_ours = view_of(array), True
            if array is None:
                return
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if self._is_own(owner):
            return
        key = ("array", "ours" if is_ours else id(owner))
        self.touch(key, writes, name, place, (owner, array), array, sources)

    def content(self, thing, writes, name, place, index=None, only_builtin=False, sources=()):
        """The content of a container: all of it, or the item at `index`."""
        if is_array(thing):
            if not only_builtin:
                self.array(thing, writes, name, place, sources=sources)
        elif isinstance(thing, (list, dict, set, bytearray, array.array)) and not self._is_own(thing):
            view = None if index is None else ("item", repr(index))
            self.touch(("content", id(thing)), writes, name, place, thing, view, sources)

    def own(self, thing):
        """The current task has just made it: what it does there comes before what others do when it is shown to them, and
        the place where they find it says whether that is ordered."""
        self._own[id(thing)] = (self.current, thing)

    def disown(self, thing):
        self._own.pop(id(thing), None)

    def _is_own(self, thing):
        task, _ = self._own.get(id(thing), (None, None))
        if task is not None and task is not self.current:
            self.disown(thing)
        return task is self.current

    def call_of_others(self, function, args, kwargs, given, place):
        """Calls what cannot be watched inside; `given` (name, thing) shows by its content what was written."""
        for name, thing in given:
            self.content(thing, False, name, place, only_builtin=True)
        before = [content_of(thing) for _, thing in given]
        result = function(*args, **kwargs)
        for (name, thing), old in zip(given, before):
            is_changed = old is not None and content_of(thing) != old
            if is_array(thing):
                self.array(thing, is_changed, name, place)
            elif is_changed:
                self.content(thing, True, name, place)
        return result

    def acquire(self, lock, *args, is_decided=False, **kwargs):
        """Takes the lock, as its own acquire() would; others go on while it is held."""
        blocking = args[0] if args else kwargs.get("blocking", True)
        timeout = args[1] if len(args) > 1 else kwargs.get("timeout", -1)
        if self.turns is not None:
            self.turns.pause()
        if not blocking:
            taken = lock.acquire(False)
        elif self.turns is None:
            taken = lock.acquire()
        else:
            taken = self.turns.until(lambda: lock.acquire(False), timeout >= 0)
        if taken:
            if is_decided:
                self.current.decided |= {(_lock_of(lock), other) for other in self.current.locks}
            if blocking and timeout < 0:
                self._nest(lock)
            self.hold(lock)
        return taken

    def _nest(self, lock):
        task = self.current
        held, lock = task.locks, _lock_of(lock)
        key = (task.number, task.clock[task.number], held, lock, self.last_place)
        if held and lock not in held and key not in self.nestings:
            self.nestings[key] = Nesting(
                task.number, dict(task.clock), key[1], held, lock, self.last_place, task.decided
            )

    def release(self, lock):
        self.drop(lock)
        lock.release()

    def hold(self, lock):
        self.keep.append(lock)
        self.sync_in(lock)
        lock = _lock_of(lock)
        before = next((section for section in self.current.held if section[0] == lock), None)
        self._set_held([*self.current.held, before or (lock, next(self.numbers))])

    def drop(self, lock):
        """One that another task took is handed over: what its giver did comes before what the next one does that takes it."""
        number = _lock_of(lock)
        holder = next(
            (task for task in (self.current, *self.tasks) if any(one == number for one, _ in task.held)), None
        )
        if holder is None:
            return
        place = max(place for place, (one, _) in enumerate(holder.held) if one == number)
        section, rest = holder.held[place], holder.held[:place] + holder.held[place + 1 :]
        if section not in rest:
            holder.lent.pop(number, None)
            self._tell(section, holder)
        if holder is not self.current:
            self.sync_out(lock)
        self._set_held(rest, holder)

    def _set_held(self, held, task=None):
        task = task or self.current
        task.held, task.sections, task.locks = held, frozenset(held), frozenset(lock for lock, _ in held)

    # --- verdict ---------------------------------------------------------------------------------------------

    def findings(self, kind_of_array="race"):
        found, seen = list(self.extra), set()
        if not found:
            found += self._circles()
        for key, location in self.locations.items():
            kind = kind_of_array if key[0] in ("array", "content") else "race"
            of_task = None
            for earlier, later in _conflicts(location.accesses):
                of_task = of_task or _by_task(location.accesses)
                mark = (kind, key[0], later.file, later.line, earlier.line)
                if mark in seen or _is_decided(of_task, earlier, later):
                    continue
                seen.add(mark)
                found.append(self._finding(kind, earlier, later))
        if not found:
            found += self._lost_updates()
        return found

    def _lost_updates(self):
        """What a task stores is made of what it read before it let go of the lock, and another may write in between.
        Only where the two sections have to do with nothing else that others change: a version that is compared or a
        turn that is awaited may keep others away."""
        found, seen = [], set()
        writers = {}  # of each location
        for key, location in self.locations.items():
            writers[key] = {access.task for access in location.accesses if access.writes}
        for key, location in self.locations.items():
            for read, write in location.updates:
                mark = (read.file, read.line, write.line)
                if mark in seen or not self._is_alone(key, read, write, writers):
                    continue
                for other in location.accesses:
                    if other.writes and other.task != read.task and _comes_between(other, read, write):
                        seen.add(mark)
                        found.append(self._lost_update(read, write, other))
                        break
        return found

    def _is_alone(self, key, read, write, writers):
        def is_others(thing):
            return thing != key and writers[thing] - {read.task}

        first = [self.touched[section] for section in read.sections]
        return not any(any(things.values()) or any(map(is_others, things)) for things in first) and not any(
            is_others(thing) for section in write.sections for thing in self.touched[section]
        )

    def _lost_update(self, read, write, other):
        text = (
            f"{self.tasks[read.task].label} writes {write.name}{_at(write.line)} from what it read{_at(read.line)}, and in "
            f"between {self.tasks[other.task].label} may write it{_at(other.line)}: hold the lock from the read to the write"
        )
        return Finding("race", write.name, write.file, write.line, read.line, text)

    def _circles(self):
        """Tasks of which each may hold the lock that the next one waits for (Havelund 2000): no matter who was first
        in this run. A lock that two of them hold keeps them apart."""
        found, seen, holding = [], set(), {}
        for nesting in self.nestings.values():
            for lock in nesting.held:
                holding.setdefault(lock, []).append(nesting)

        def extend(path):
            if path[-1].lock in path[0].held:
                mark = frozenset(nesting.place for nesting in path)
                if mark not in seen:
                    seen.add(mark)
                    found.append(self._circle(path))
                return
            for nesting in holding.get(path[-1].lock, ()):
                if nesting.task > path[0].task and len(path) < 8:
                    if not any(
                        n.task == nesting.task
                        or n.held & nesting.held
                        or _is_ordered(n, nesting)
                        or _is_shared(n, nesting)
                        for n in path
                    ):
                        extend([*path, nesting])

        for nesting in self.nestings.values():
            extend([nesting])
        return found

    def _circle(self, path):
        waits = ", ".join(f"{self.tasks[n.task].label}{_at(n.place[1])}" for n in path)
        text = f"{waits} may each hold a lock that the next one waits for: take locks in one order everywhere"
        return Finding("deadlock", "locks", path[0].place[0], path[0].place[1], path[1].place[1], text)

    def _finding(self, kind, a, b):
        verb = {True: "writes", False: "reads"}
        writer, reader = (a, b) if a.writes else (b, a)
        first, second = self.tasks[writer.task].label, self.tasks[reader.task].label
        if kind == "mutation":
            text = (
                f"{first} changes {writer.name} in place{_at(writer.line)}, and {second} {verb[reader.writes]} "
                f"the same memory{_at(reader.line)} with nothing to order them; return a new array instead"
            )
        else:
            text = (
                f"{first} writes {writer.name}{_at(writer.line)} while {second} may {verb[reader.writes][:-1]} it"
                f"{_at(reader.line)}; nothing orders the two: hold one lock around both, or keep it local"
            )
        return Finding(kind, writer.name, b.file, writer.line, reader.line, text)


def _at(line):
    """The place of an access; functions of a library have no line."""
    return f" (line {line})" if line else ""


def _is_ordered(a, b):
    return b.clock.get(a.task, 0) >= a.time or a.clock.get(b.task, 0) >= b.time


def _is_shared(a, b):
    """Whether both took the lock that one waits for as the first of many, under the lock that the other waits for: who finds
    one that holds it does not take it."""
    return any((one.lock, other.lock) in a.decided & b.decided for one, other in ((a, b), (b, a)))


def _parting(read, write):
    """The place of the read in the innermost call that contains both accesses: its own, or that of a call there."""
    for one, other in zip(read.path, write.path):
        if one is not other:
            break
    return one[0]


def _later(a, b):
    """The clock that has seen what both have."""
    if a is b:
        return a
    return {**a, **{number: time for number, time in b.items() if time > a.get(number, 0)}}


def _conflicts(accesses):
    """Pairs of tasks' accesses, one of them a write, that nothing orders and no lock keeps apart, as they came."""
    if not any(access.writes for access in accesses) or len({access.task for access in accesses}) < 2:
        return []
    buckets = {}
    for access in accesses:
        buckets.setdefault(_part(access.view), []).append(access)
    pairs = []
    for one, other in _meetings(buckets):
        pairs += _unordered(one, () if one is other else other)
    return sorted(pairs, key=lambda pair: (pair[1].number, pair[0].number))


def _meetings(buckets):
    """Pairs of buckets whose parts have something in common; each with itself."""
    arrays = []
    for part, bucket in buckets.items():
        yield bucket, bucket
        if isinstance(bucket[0].view, np.ndarray):
            arrays.append((*_bounds(bucket[0].view), bucket))
        elif part is not None and None in buckets:
            yield bucket, buckets[None]
    arrays.sort(key=lambda each: each[0])
    open_until = []  # (end, place) of parts that reach further than the last start
    for place, (start, end, bucket) in enumerate(arrays):
        while open_until and open_until[0][0] <= start:
            heapq.heappop(open_until)
        for _, before in open_until:
            other = arrays[before][2]
            if (bucket[0].task != other[0].task or len(bucket) + len(other) > 2) and _overlap(
                bucket[0].view, other[0].view
            ):
                yield other, bucket
        heapq.heappush(open_until, (end, place))
    if None in buckets:
        for _, _, bucket in arrays:
            yield bucket, buckets[None]


def _unordered(accesses, others):
    """Of accesses to one part, or of those to it with those to another: of each task the last is the one that later ones
    know least, so that no other need be compared."""
    last = {}  # (writes, locks, place, whose) -> task -> access
    both = [(access, False) for access in accesses] + [(access, True) for access in others]
    for later, is_other in sorted(both, key=lambda each: each[0].number):
        for (writes, locks, _, _, was_other), of_task in last.items():
            if not (writes or later.writes) or locks & later.locks or (others and was_other == is_other):
                continue
            for task, earlier in of_task.items():
                if task != later.task and later.clock.get(task, 0) < earlier.time:
                    yield earlier, later
        kind = (later.writes, later.locks, later.file, later.line, is_other)
        last.setdefault(kind, {})[later.task] = later


def _comes_between(other, read, write):
    """Whether `other` may come after `read` and before `write`."""
    if any(lock in other.locks for lock, _ in read.sections & write.sections):
        return False
    if _is_ordered(other, read) or _is_ordered(other, write):
        return False
    if isinstance(other.view, np.ndarray) and isinstance(write.view, np.ndarray):
        return _overlap(other.view, write.view)
    return other.view is None or write.view is None or other.view == write.view


def _part(view):
    """A text that tells one part of a thing from another."""
    if not isinstance(view, np.ndarray):
        return view
    memory = view.__array_interface__
    return memory["data"][0], view.shape, view.strides, view.itemsize


def _bounds(view):
    """The first byte and the one after the last."""
    start = view.__array_interface__["data"][0]
    steps = [(length - 1) * stride for length, stride in zip(view.shape, view.strides)] if view.size else []
    return start + sum(s for s in steps if s < 0), start + sum(s for s in steps if s > 0) + view.itemsize


def _by_task(accesses):
    result = {}
    for access in accesses:
        result.setdefault(access.task, []).append(access)
    return result


def _is_decided(of_task, a, b):
    """Whether the reader had looked under the writer's lock before, where the writer looked, and left it as it was (`if it
    is None: make it`): had it come first it would have written, and the other only read."""
    writer, reader = (a, b) if a.writes else (b, a)
    own = of_task[reader.task]
    if not writer.locks or isinstance(writer.view, np.ndarray) or any(access.writes for access in own):
        return False

    def looks(access):
        return not access.writes and access.locks & writer.locks and access.view == writer.view

    before = {
        (access.file, access.line) for access in of_task[writer.task] if access.number < writer.number and looks(access)
    }
    return any(
        writer.number < access.number < reader.number and looks(access) and (access.file, access.line) in before
        for access in own
    )


def is_array(thing):
    return isinstance(unwrapped(thing), (np.ndarray, Array))


def unwrapped(thing):
    """The engine's array behind a face's tensor."""
    if isinstance(thing, (np.ndarray, Array)):
        return thing
    for name in ("_a", "_array"):
        try:
            found = object.__getattribute__(thing, name)
        except AttributeError:
            continue
        if isinstance(found, Array):
            return found
    return thing


def content_of(thing):
    """The bytes of an array that can be written, which things a container holds; None of others."""
    if isinstance(thing, (list, set, dict)):  # they are held, so that no other gets the id of one that is gone
        held = (*thing, *thing.values()) if isinstance(thing, dict) else tuple(thing)
        return tuple(map(id, held)), held
    view = view_of(thing)
    return view.tobytes() if view is not None and view.flags.writeable else None


def view_of(thing):
    """A NumPy array over the memory; None where there is no such view (on a GPU, opaque types)."""
    if isinstance(thing, np.ndarray):
        return thing
    array = unwrapped(thing)
    if not isinstance(array, Array) or array.device.kind != "cpu":
        return None
    try:
        return np.from_dlpack(array)  # the memory itself
    except Exception:  # noqa: BLE001 - a type that NumPy does not have
        return None


def _identity(key):
    return (id(key[0]), key[1]) if isinstance(key, tuple) else id(key)


def _lock_of(lock):
    """A condition is its lock."""
    return id(lock._lock) if isinstance(lock, threading.Condition) else id(lock)


def _value_of(key, keep):
    """What is at a place now: the value itself, or of a container which things it holds."""
    try:
        if key[0] == "attribute":
            return getattr(keep, key[2])
        if key[0] == "global":
            return keep[key[2]]
        if key[0] == "cell":
            return keep.cell_contents
    except (AttributeError, KeyError, ValueError):
        return None
    try:
        return content_of(keep)[0]
    except Exception:  # noqa: BLE001 - another kind of thing, or one that cannot be read now
        return None


def _overlap(a, b):
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return True
