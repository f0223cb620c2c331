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

from .._core import Finding

_LOCKS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Semaphore)


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

    def run_as(self, task, call):
        before, self.current = self.current, task
        try:
            return call()
        finally:
            self.current = before

    # --- accesses --------------------------------------------------------------------------------------------

    def touch(self, key, writes, name, place, keep, view=None):
        self.keep.append(keep)
        task = self.current
        location = self.locations.setdefault(key, Location(name))
        locks = frozenset(id(lock) for lock in task.held)
        for old in location.accesses:  # the same access again says nothing new
            if (
                old.task == task.number and old.writes == writes and old.locks == locks
                and (old.file, old.line) == place and old.time == task.clock[task.number] and (old.view is view or (isinstance(view, tuple) and old.view == view))
            ):  # fmt: skip
                return
        location.accesses.append(
            Access(task.number, dict(task.clock), task.clock[task.number], writes, locks, name, *place, view)
        )

    def array(self, array, writes, name, place):
        """Bytes of `array` (a NumPy view), filed under the array that owns them."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        self.touch(("array", id(owner)), writes, name, place, (owner, array), array)

    def content(self, thing, writes, name, place, index=None, only_builtin=False):
        """What a container holds: all of it, or the item at `index`."""
        if isinstance(thing, np.ndarray):
            if not only_builtin:
                self.array(thing, writes, name, place)
        elif isinstance(thing, (list, dict, set, bytearray)):
            view = None if index is None else ("item", repr(index))
            self.touch(("content", id(thing)), writes, name, place, thing, view)

    def acquire(self, lock):
        if isinstance(lock, _LOCKS):
            self.keep.append(lock)
            self.current.held.append(lock)

    def release(self, lock):
        if isinstance(lock, _LOCKS) and lock in self.current.held:
            self.current.held.remove(lock)

    # --- verdict ---------------------------------------------------------------------------------------------

    def findings(self, kind_of_array="race"):
        found, seen = [], set()
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
                    if mark in seen:
                        continue
                    seen.add(mark)
                    found.append(self._finding(kind, earlier, later))
        return found

    @staticmethod
    def _conflict(a, b):
        if a.task == b.task or not (a.writes or b.writes) or a.locks & b.locks:
            return False
        if b.clock.get(a.task, 0) >= a.time or a.clock.get(b.task, 0) >= b.time:
            return False
        if isinstance(a.view, tuple) and isinstance(b.view, tuple) and a.view != b.view:
            return False
        if isinstance(a.view, np.ndarray) and isinstance(b.view, np.ndarray):
            return np.may_share_memory(a.view, b.view) and _overlap(a.view, b.view)
        return True

    def _finding(self, kind, a, b):
        verb = {True: "writes", False: "reads"}
        writer, reader = (a, b) if a.writes else (b, a)
        first, second = self.tasks[writer.task].label, self.tasks[reader.task].label
        if kind == "mutation":
            text = (
                f"{first} changes {writer.name} in place (line {writer.line}), and {second} {verb[reader.writes]} "
                f"the same memory (line {reader.line}) with nothing to order them; return a new array instead"
            )
        else:
            text = (
                f"{first} writes {writer.name} (line {writer.line}) while {second} may {verb[reader.writes][:-1]} it "
                f"(line {reader.line}); nothing orders the two: hold one lock around both, or keep it local"
            )
        return Finding(kind, writer.name, b.file, writer.line, reader.line, text)


def _overlap(a, b):
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return True
