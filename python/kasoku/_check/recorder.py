"""Who touched what, and what is ordered: vector clocks over tasks that run one after another.

A location is an attribute, a global name, a closure cell, an item of a container, a container's content,
or bytes of an array. Two accesses to one location are a race if they come from different tasks, one of
them writes, neither task's clock covers the other, and they hold no lock in common (Lamport 1978; the
lock rule is Eraser's, Savage et al. 1997).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np

from .._core import Array, Finding

_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition)


@dataclass
class Access:
    task: int
    clock: dict  # task -> how far this task has seen it
    time: int  # of the own task
    writes: bool
    locks: frozenset
    name: str
    file: str
    line: int
    view: object = None  # the array part that is meant


@dataclass
class Nesting:
    """A lock that is waited for while others are held."""

    task: int
    clock: dict
    time: int
    held: frozenset
    lock: int
    place: tuple


@dataclass
class Location:
    name: str
    accesses: list = field(default_factory=list)


@dataclass
class Task:
    number: int
    label: str
    clock: dict = field(default_factory=dict)
    held: list = field(default_factory=list)


class Recorder:
    """Accesses of all tasks of one check. Not for concurrent use: tasks run one after another."""

    def __init__(self):
        self.locations: dict = {}
        self.keep: list = []  # what was touched stays alive, so that an id() means one object
        self.tasks: list[Task] = []
        self.current = self.new_task("main", None)
        self.unseen: set = set()  # calls whose inside could not be watched
        self.nestings: dict = {}  # what each is about -> a Nesting
        self.extra: list = []  # findings that are no conflicts of two accesses
        self.last_place = ("", 0)
        self.turns = None  # of the program's threads
        self._signals: dict = {}  # object -> what its last signal had seen

    # --- tasks and their order -------------------------------------------------------------------------------

    def new_task(self, label, parent):
        task = Task(len(self.tasks), label)
        if parent is not None:
            task.clock.update(parent.clock)
            parent.clock[parent.number] = parent.clock.get(parent.number, 0) + 1
        task.clock[task.number] = 1
        self.tasks.append(task)
        return task

    def join(self, task, into=None):
        """What `task` did comes before what `into` does from now on."""
        into = into or self.current
        for number, time in task.clock.items():
            into.clock[number] = max(into.clock.get(number, 0), time)
        into.clock[into.number] = into.clock.get(into.number, 0) + 1

    def signal(self):
        """What the current task has done and seen so far, for a follow()."""
        clock = dict(self.current.clock)
        self.current.clock[self.current.number] += 1
        return clock

    def follow(self, clock):
        for number, time in clock.items():
            self.current.clock[number] = max(self.current.clock.get(number, 0), time)

    def sync_out(self, key):
        """The current task signals: what it did comes before what follows a sync_in() of `key`."""
        seen = self._signals.setdefault(_identity(key), {})
        self.keep.append(key)
        for number, time in self.signal().items():
            seen[number] = max(seen.get(number, 0), time)

    def sync_in(self, key):
        self.follow(self._signals.get(_identity(key), {}))

    def run_as(self, task, call):
        before, self.current = self.current, task
        try:
            return call()
        finally:
            self.current = before

    # --- accesses --------------------------------------------------------------------------------------------

    def touch(self, key, writes, name, place, keep, view=None):
        self.keep.append(keep)
        self.last_place = place
        task = self.current
        location = self.locations.setdefault(key, Location(name))
        locks = frozenset(_lock_of(lock) for lock in task.held)
        for old in location.accesses:  # the same access again says nothing new
            if (
                old.task == task.number and old.writes == writes and old.locks == locks
                and (old.file, old.line) == place and old.time == task.clock[task.number] and (old.view is view or (isinstance(view, tuple) and old.view == view))
            ):  # fmt: skip
                return
        location.accesses.append(
            Access(task.number, dict(task.clock), task.clock[task.number], writes, locks, name, *place, view)
        )

    def array(self, array, writes, name, place, is_ours=False):
        """Bytes of `array`, filed under the array that owns them; of ours, any two views may meet."""
        if not isinstance(array, np.ndarray):
            self.keep.append(array)
            array, is_ours = view_of(array), True
            if array is None:
                return
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        key = ("array", "ours" if is_ours else id(owner))
        self.touch(key, writes, name, place, (owner, array), array)

    def content(self, thing, writes, name, place, index=None, only_builtin=False):
        """What a container holds: all of it, or the item at `index`."""
        if is_array(thing):
            if not only_builtin:
                self.array(thing, writes, name, place)
        elif isinstance(thing, (list, dict, set, bytearray)):
            view = None if index is None else ("item", repr(index))
            self.touch(("content", id(thing)), writes, name, place, thing, view)

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

    def acquire(self, lock, *args, **kwargs):
        """Takes the lock, as its own acquire() would; others go on while it is held."""
        blocking = args[0] if args else kwargs.get("blocking", True)
        timeout = args[1] if len(args) > 1 else kwargs.get("timeout", -1)
        if not blocking:
            taken = lock.acquire(False)
        elif self.turns is None:
            taken = lock.acquire()
        else:
            taken = self.turns.until(lambda: lock.acquire(False), timeout >= 0)
        if taken:
            if blocking and timeout < 0:
                self._nest(lock)
            self.hold(lock)
        return taken

    def _nest(self, lock):
        task = self.current
        held, lock = frozenset(map(_lock_of, task.held)), _lock_of(lock)
        key = (task.number, task.clock[task.number], held, lock, self.last_place)
        if held and lock not in held and key not in self.nestings:
            self.nestings[key] = Nesting(task.number, dict(task.clock), key[1], held, lock, self.last_place)

    def release(self, lock):
        self.drop(lock)
        lock.release()

    def hold(self, lock):
        self.keep.append(lock)
        self.current.held.append(lock)

    def drop(self, lock):
        for place in reversed(range(len(self.current.held))):
            if self.current.held[place] is lock:
                del self.current.held[place]
                return

    # --- verdict ---------------------------------------------------------------------------------------------

    def findings(self, kind_of_array="race"):
        found, seen = list(self.extra), set()
        if not found:
            found += self._circles()
        for key, location in self.locations.items():
            accesses = location.accesses
            if not any(access.writes for access in accesses):
                continue
            for i, later in enumerate(accesses):
                for earlier in accesses[:i]:
                    if not self._conflict(earlier, later):
                        continue
                    kind = kind_of_array if key[0] in ("array", "content") else "race"
                    mark = (kind, key[0], later.file, later.line, earlier.line)
                    if mark in seen or _is_decided(accesses, earlier, later):
                        continue
                    seen.add(mark)
                    found.append(self._finding(kind, earlier, later))
        return found

    @staticmethod
    def _conflict(a, b):
        if a.task == b.task or not (a.writes or b.writes) or a.locks & b.locks:
            return False
        if _is_ordered(a, b):
            return False
        if isinstance(a.view, tuple) and isinstance(b.view, tuple) and a.view != b.view:
            return False
        if isinstance(a.view, np.ndarray) and isinstance(b.view, np.ndarray):
            return np.may_share_memory(a.view, b.view) and _overlap(a.view, b.view)
        return True

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
                        n.task == nesting.task or n.held & nesting.held or _is_ordered(n, nesting) for n in path
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
    """Where it stands; functions of a library have no line."""
    return f" (line {line})" if line else ""


def _is_ordered(a, b):
    return b.clock.get(a.task, 0) >= a.time or a.clock.get(b.task, 0) >= b.time


def _is_decided(accesses, a, b):
    """Whether the reader had looked under the writer's lock before, where the writer looked, and left it as it was (`if it
    is None: make it`): had it come first it would have written, and the other only read."""
    writer, reader = (a, b) if a.writes else (b, a)
    own = [access for access in accesses if access.task == reader.task]
    if not writer.locks or isinstance(writer.view, np.ndarray) or any(access.writes for access in own):
        return False
    at = next(place for place, access in enumerate(accesses) if access is writer)

    def looks(access):
        return not access.writes and access.locks & writer.locks and access.view == writer.view

    before = {(access.file, access.line) for access in accesses[:at] if access.task == writer.task and looks(access)}
    for access in accesses[at:]:
        if access is reader:
            return False
        if access.task == reader.task and looks(access) and (access.file, access.line) in before:
            return True
    return False


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


def _overlap(a, b):
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return True
