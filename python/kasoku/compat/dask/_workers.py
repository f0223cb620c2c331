"""Workers of a cluster that are threads of this process: the places where tasks run, and secede(), with which a task that waits
for others leaves its thread's place to them."""

import contextlib
import itertools
import os
import queue
import threading
import time

import kasoku as ks

_here, _numbers = threading.local(), itertools.count()


class Worker:
    """Some of a cluster's threads: what a task is told by get_worker(). Tasks keep what they share as attributes of it."""

    def __init__(self, number, threads, events):
        self.name = self.id = number
        self.address, self.nthreads, self.pid = f"threads/{number}", threads, os.getpid()
        self.plugins, self.log_event = {}, events.tell

    __repr__ = lambda self: f"<Worker {self.address!r}, threads={self.nthreads}>"


def get_worker():
    """The worker whose thread the calling task runs on. Elsewhere ValueError."""
    places = getattr(_here, "places", None)
    if places is None:
        raise ValueError("No worker found")
    if getattr(_here, "owner", None) is not places:
        _here.owner, _here.number = places, next(places.numbers)
    count = max(1, places.threads // places.threads_per_worker)
    return places.worker(_here.number // places.threads_per_worker % count)


class Places:
    """A pool's threads, and those that stand in for tasks that wait; whoever is free takes the call that came first."""

    def __init__(self, pool, threads_per_worker=1):
        self._pools, self._calls = [pool], queue.SimpleQueue()
        self.threads_per_worker, self.numbers = threads_per_worker, itertools.count()
        self._workers, self._naming, self.events = {}, threading.Lock(), Events()

    def worker(self, number):
        """The worker of that number: one object, for whoever asks."""
        with self._naming:
            return self._workers.setdefault(number, Worker(number, self.threads_per_worker, self.events))

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

    def __init__(self, n_workers=None, threads_per_worker=None, name=None, **ignored):
        self.n_workers, self.threads_per_worker = int(n_workers or 1), threads_per_worker
        threads = n_workers and self.n_workers * (threads_per_worker or 1) or threads_per_worker
        self._pool = ks.Pool(threads)
        self.threads_per_worker = threads_per_worker or max(1, self._pool._max_workers // self.n_workers)
        self._places = Places(self._pool, self.threads_per_worker)
        self._datasets, self._metadata, self._plugins = {}, {}, {}
        self._events = self._places.events
        self.name, self.dashboard_link = f"threads-{next(_numbers)}" if name is None else name, ""

    @property
    def workers(self):
        """Each by its number."""
        return {k: self._places.worker(k) for k in range(self.n_workers)}

    scheduler = property(lambda self: _Scheduler(self))
    scheduler_address = property(lambda self: self.scheduler.address)
    scheduler_info = property(lambda self: {
        "type": "Scheduler", "id": self.name, "address": "threads", "services": {}, "n_workers": self.n_workers,
        "total_threads": self._places.threads,
        "workers": {
            w.address: {"type": "Worker", "id": w.id, "host": "threads", "name": w.name, "nthreads": w.nthreads, "status": "running"}
            for w in self.workers.values()
        },
    })  # fmt: skip

    def get_logs(self, **ignored):
        """Threads of this process write where this process writes."""
        return {}

    def get_client(self):
        from .distributed import Client

        return Client(self)

    def scale(self, n=None, **ignored):
        """Threads for so many workers; there are never fewer than before."""
        if n is not None and n > self.n_workers:
            before, self.n_workers = self.n_workers, n
            self._places.grow(n * self.threads_per_worker)
            for plugin in self._plugins.values():
                for number in range(before, n):
                    plugin.setup(self.workers[number])

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


class Events:
    """What tasks and clients tell one another by topics."""

    def __init__(self):
        self._told, self._listeners, self._lock = {}, {}, threading.Lock()

    def tell(self, topics, message):
        event = time.time(), message
        for topic in [topics] if isinstance(topics, str) else topics:
            with self._lock:
                self._told.setdefault(topic, []).append(event)
            if (listener := self._listeners.get(topic)) is not None:
                listener(event)

    def told(self, topic=None):
        """What was told of a topic, with its times; of all topics without one."""
        told = {name: tuple(events) for name, events in self._told.items()}
        return told if topic is None else told.get(topic, ())

    def listen(self, topic, listener):
        self._listeners[topic] = listener

    def leave(self, topic):
        if self._listeners.pop(topic, None) is None:
            raise ValueError(f"nobody listens to the topic {topic!r}")


class WorkerPlugin:
    """What a Client gives to every worker by register_plugin(): setup() is called with each, teardown() when it goes."""

    def setup(self, worker):
        """Called with a worker before its next task."""

    def teardown(self, worker):
        """Called with a worker when the plugin is taken back."""
