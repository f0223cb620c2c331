"""What tasks of a Client agree by: locks, queues and variables, each known by its name to all threads of this process; and
secede(), with which a task that waits for others leaves its thread's place to them."""

import contextlib
import itertools
import os
import queue
import threading

import kasoku as ks

from .utils import parse_timedelta

_numbers = itertools.count()
_known, _known_lock = {}, threading.Lock()


def _shared(kind, name, make):
    with _known_lock:
        return _known.setdefault((kind, name), make())


class _Named:
    def __init__(self, make, name):
        self.name = f"{type(self).__name__.lower()}-{next(_numbers)}" if name is None else name
        self._own = _shared(type(self).__name__, self.name, make)

    def __reduce__(self):
        return type(self), (self.name,)

    def __repr__(self):
        return f"<{type(self).__name__}: {self.name}>"


def _of_own(name):
    return lambda self: getattr(self._own, name)()


class Lock(_Named):
    release, locked = _of_own("release"), _of_own("locked")

    def __init__(self, name=None, client=None):
        super().__init__(threading.Lock, name)

    def acquire(self, blocking=True, timeout=None):
        return self._own.acquire(bool(blocking), -1 if timeout is None or not blocking else parse_timedelta(timeout))

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *error):
        self.release()


class Semaphore(_Named):
    def __init__(self, max_leases=1, name=None, **ignored):
        self.max_leases = max_leases
        super().__init__(lambda: threading.Semaphore(max_leases), name)

    def acquire(self, timeout=None):
        return self._own.acquire(timeout=parse_timedelta(timeout))

    def release(self):
        self._own.release()
        return True

    def __reduce__(self):
        return Semaphore, (self.max_leases, self.name)

    __enter__, __exit__ = Lock.__enter__, Lock.__exit__


class Event(_Named):
    set, clear, is_set = map(_of_own, ("set", "clear", "is_set"))

    def __init__(self, name=None, client=None):
        super().__init__(threading.Event, name)

    def wait(self, timeout=None):
        return self._own.wait(parse_timedelta(timeout))


class Queue(_Named):
    qsize = _of_own("qsize")

    def __init__(self, name=None, client=None, maxsize=0):
        super().__init__(lambda: queue.Queue(maxsize), name)

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
    def __init__(self, name=None, client=None):
        super().__init__(_Cell, name)

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


# ── threads' places ───────────────────────────────────────────────────────────────────────

_here = threading.local()


class Worker:
    """Some of a cluster's threads: what a task is told by get_worker()."""

    def __init__(self, number, threads):
        self.name = self.id = number
        self.address, self.nthreads, self.pid = f"threads/{number}", threads, os.getpid()

    def __repr__(self):
        return f"<Worker {self.address!r}, threads={self.nthreads}>"


def get_worker():
    """The worker whose thread the calling task runs on. Elsewhere ValueError."""
    places = getattr(_here, "places", None)
    if places is None:
        raise ValueError("No worker found")
    if getattr(_here, "owner", None) is not places:
        _here.owner, _here.number = places, next(places.numbers)
    count = max(1, places.threads // places.threads_per_worker)
    return Worker(_here.number // places.threads_per_worker % count, places.threads_per_worker)


class Places:
    """A pool's threads, and those that stand in for tasks that wait; whoever is free takes the call that came first."""

    def __init__(self, pool, threads_per_worker=1):
        self._pools, self._calls = [pool], queue.SimpleQueue()
        self.threads_per_worker, self.numbers = threads_per_worker, itertools.count()

    @property
    def threads(self):
        return sum(pool._max_workers for pool in self._pools)

    def grow(self, threads):
        """As many threads in all; they begin with the calls that wait."""
        if threads > self.threads:
            more = ks.Pool(threads - self.threads)
            self._pools.append(more)
            for _ in range(self._calls.qsize()):
                more.submit(self._take_one)

    def close(self):
        for pool in self._pools:
            pool.shutdown()

    def run(self, call):
        self._calls.put(call)
        for pool in self._pools:  # the first to come takes it
            pool.submit(self._take_one)

    def _take_one(self, timeout=0.0):
        try:
            call = self._calls.get(timeout > 0, timeout)
        except queue.Empty:  # another had it
            return
        before, _here.places, _here.stand_ins = getattr(_here, "places", None), self, []
        try:
            call()
        finally:
            while _here.stand_ins:
                rejoin()
            _here.places = before

    def stand_in(self, is_back):
        while not is_back.is_set():
            self._take_one(0.02)


def secede():
    """Within a task: while it waits, another thread does what its own would do. Elsewhere ValueError."""
    places = getattr(_here, "places", None)
    if places is None:
        raise ValueError("secede: this is no task of a Client")
    is_back = threading.Event()
    threading.Thread(target=places.stand_in, args=(is_back,), daemon=True).start()
    _here.stand_ins.append(is_back)


def rejoin():
    """The task goes on in its thread's place."""
    if getattr(_here, "stand_ins", None):
        _here.stand_ins.pop().set()


@contextlib.contextmanager
def worker_client(timeout=None, separate_thread=True):
    """The Client, within a task; what waits in here holds up no other task."""
    from .distributed import get_client

    if separate_thread:
        secede()
    try:
        yield get_client()
    finally:
        if separate_thread:
            rejoin()
