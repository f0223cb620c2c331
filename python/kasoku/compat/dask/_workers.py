"""Workers of a cluster that are threads of this process: the places where tasks run, and secede(), with which a task that waits
for others leaves its thread's place to them."""

import contextlib
import itertools
import os
import queue
import threading

import kasoku as ks

_here = threading.local()


class Worker:
    """Some of a cluster's threads: what a task is told by get_worker()."""

    def __init__(self, number, threads):
        self.name = self.id = number
        self.address, self.nthreads, self.pid = f"threads/{number}", threads, os.getpid()

    __repr__ = lambda self: f"<Worker {self.address!r}, threads={self.nthreads}>"


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

    threads = property(lambda self: sum(pool._max_workers for pool in self._pools))

    def grow(self, threads):
        """Grows to so many threads in all. New ones begin with the calls that wait."""
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
        before = getattr(_here, "places", None), getattr(_here, "stand_ins", [])  # of a task that waits on this thread
        _here.places, _here.stand_ins = self, []
        try:
            call()
        finally:
            while _here.stand_ins:
                rejoin()
            _here.places, _here.stand_ins = before

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


class Closing:
    """An object that is closed at the end of a `with`."""

    def wait_for_workers(self, n_workers=None, timeout=None):
        """They are there: threads start with their cluster."""

    __enter__, __exit__ = (lambda self: self), (lambda self, *_: self.close() and None)


class LocalCluster(Closing):
    """A cluster of so many workers with so many threads each: that many threads of this process."""

    def __init__(self, n_workers=None, threads_per_worker=None, **ignored):
        self.n_workers, self.threads_per_worker = int(n_workers or 1), threads_per_worker
        threads = n_workers and self.n_workers * (threads_per_worker or 1) or threads_per_worker
        self._pool = ks.Pool(threads)
        self.threads_per_worker = threads_per_worker or max(1, self._pool._max_workers // self.n_workers)
        self._places = Places(self._pool, self.threads_per_worker)
        self._datasets = {}
        self.dashboard_link = ""

    @property
    def workers(self):
        """Each by its number."""
        return {k: Worker(k, self.threads_per_worker) for k in range(self.n_workers)}

    scheduler = property(lambda self: _Scheduler(self))
    scheduler_info = property(lambda self: {
        "type": "Scheduler", "address": "threads",
        "workers": {w.address: {"name": w.name, "nthreads": w.nthreads} for w in self.workers.values()},
    })  # fmt: skip

    def get_client(self):
        from .distributed import Client

        return Client(self)

    def scale(self, n=None, **ignored):
        """Threads for so many workers; there are never fewer than before."""
        if n is not None and n > self.n_workers:
            self.n_workers = n
            self._places.grow(n * self.threads_per_worker)

    def adapt(self, minimum=0, maximum=None, **ignored):
        self.scale(minimum)

    def close(self, timeout=None):
        self._places.close()

    __repr__ = lambda self: (
        f"<LocalCluster: threads of this process, workers={self.n_workers}, threads={self._places.threads}>"
    )


class _Scheduler:
    """What a program looks up: the workers by their addresses."""

    def __init__(self, cluster):
        self.address, self.workers = "threads", {w.address: w for w in cluster.workers.values()}
