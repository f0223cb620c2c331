"""Locks, queues and variables by which tasks of a Client agree. All threads of this process know each by its name."""

import asyncio
import itertools
import queue
import threading

from .._face.table import forwarding
from .utils import parse_timedelta

_numbers = itertools.count()
_known, _known_lock = {}, threading.Lock()


class _Named:
    """What all of a name share is made by _make()."""

    def __init__(self, name=None, client=None):
        self.name = f"{type(self).__name__.lower()}-{next(_numbers)}" if name is None else name
        with _known_lock:
            self._own = _known.setdefault((type(self).__name__, self.name), self._make())

    __reduce__ = lambda self: (type(self), (self.name,))
    __repr__ = lambda self: f"<{type(self).__name__}: {self.name}>"


class _Held(_Named):
    __enter__ = lambda self: self.acquire() and self
    __exit__ = lambda self, *error: self.release() and None

    async def __aenter__(self):
        await asyncio.to_thread(self.acquire)
        return self

    async def __aexit__(self, *error):
        self.release()


class Lock(_Held):
    _make, release, locked = threading.Lock, forwarding("_own.release"), forwarding("_own.locked")

    def acquire(self, blocking=True, timeout=None):
        return self._own.acquire(bool(blocking), -1 if timeout is None or not blocking else parse_timedelta(timeout))


class MultiLock(_Held):
    """Locks of several names, held together; with num_locks= that many of them, whichever are free."""

    _free = threading.Condition()  # each looks at all of its names at once: none waits for another's second name
    _taken = set()

    def __init__(self, names=None, client=None):
        self.names, self._mine = list(names or ()), []

    def acquire(self, blocking=True, timeout=None, num_locks=None):
        wanted = len(self.names) if num_locks is None else num_locks
        free = lambda: [name for name in self.names if name not in self._taken]
        with self._free:
            if not self._free.wait_for(lambda: len(free()) >= wanted, parse_timedelta(timeout) if blocking else 0):
                return False
            self._mine = free()[:wanted]
            self._taken.update(self._mine)
            return True

    def release(self):
        if not self.locked():
            raise RuntimeError("the lock is not held")
        with self._free:
            self._taken.difference_update(self._mine)
            self._mine = []
            self._free.notify_all()

    locked = lambda self: bool(self._mine)
    __reduce__ = lambda self: (MultiLock, (self.names,))
    __repr__ = lambda self: f"<MultiLock: {self.names}>"


class Semaphore(_Held):
    def __init__(self, max_leases=1, name=None, **ignored):
        self.max_leases = max_leases
        super().__init__(name)

    _make = lambda self: threading.Semaphore(self.max_leases)

    def acquire(self, timeout=None):
        return self._own.acquire(timeout=parse_timedelta(timeout))

    def release(self):
        self._own.release()
        return True

    __reduce__ = lambda self: (Semaphore, (self.max_leases, self.name))


class Event(_Named):
    _make, set, clear, is_set = threading.Event, *map(forwarding, ("_own.set", "_own.clear", "_own.is_set"))

    def wait(self, timeout=None):
        return self._own.wait(parse_timedelta(timeout))


class Queue(_Named):
    qsize = forwarding("_own.qsize")

    def __init__(self, name=None, client=None, maxsize=0):
        self._make = lambda: queue.Queue(maxsize)
        super().__init__(name)

    def put(self, value, timeout=None, **ignored):
        """Waits while the queue is full; TimeoutError after `timeout` seconds."""
        try:
            self._own.put(value, timeout=parse_timedelta(timeout))
        except queue.Full:
            raise TimeoutError(f"the queue {self.name!r} was full for {timeout} s") from None

    def get(self, timeout=None, batch=False, **ignored):
        """The first value; with `batch` all that are there, or that many."""
        if batch is not False:
            n = self._own.qsize() if batch is True else batch
            return [self.get(timeout) for _ in range(n)]
        try:
            return self._own.get(timeout=parse_timedelta(timeout))
        except queue.Empty:
            raise TimeoutError(f"the queue {self.name!r} was empty for {timeout} s") from None


class _Cell:
    def __init__(self):
        self.values, self.changed = [], threading.Condition()


class Variable(_Named):
    _make = _Cell

    def set(self, value, **ignored):
        with self._own.changed:
            self._own.values = [value]
            self._own.changed.notify_all()

    def get(self, timeout=None, **ignored):
        """The value, as soon as there is one; TimeoutError after `timeout` seconds."""
        with self._own.changed:
            if not self._own.changed.wait_for(lambda: self._own.values, parse_timedelta(timeout)):
                raise TimeoutError(f"the variable {self.name!r} was not set within {timeout} s")
            return self._own.values[0]

    def delete(self):
        with self._own.changed:
            self._own.values = []
