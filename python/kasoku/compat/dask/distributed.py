"""dask.distributed: a Client whose workers are threads of this process. With a scheduler's address it is the Client of the
package `distributed`, if that is installed."""

import asyncio
import concurrent.futures
import contextlib
import contextvars
import functools
import sys
import threading
import weakref

import kasoku as ks

from kasoku._delayed import _scheduler
from kasoku._guests import AfterImport
from kasoku._task import client_of, clients

from . import base
from .tokenize import tokenize
from ._coordination import (  # noqa: F401
    Event, Lock, Places, Queue, Semaphore, Variable, Worker, get_worker, rejoin, secede, worker_client,
)  # fmt: skip

FIRST_COMPLETED, ALL_COMPLETED = concurrent.futures.FIRST_COMPLETED, concurrent.futures.ALL_COMPLETED
TimeoutError = concurrent.futures.TimeoutError  # noqa: A001


_is_in_sync = contextvars.ContextVar("is_in_sync", default=False)  # within a coroutine that Client.sync() runs


class Future:
    """A call's result, there or to come."""

    def __init__(self, future, key, again=None, is_asynchronous=False):
        self._future, self.key, self._again, self._is_asynchronous = future, key, again, is_asynchronous

    @property
    def status(self):
        f = self._future
        if not f.done():
            return "pending"
        return "cancelled" if f.cancelled() else "error" if f.exception() else "finished"

    def result(self, timeout=None):
        """The value; of an asynchronous Client something to be awaited."""
        return self._awaited(timeout) if self._is_asynchronous else self._future.result(timeout)

    def __kasoku_value__(self):
        """The value, for a task that needs it: also of an asynchronous Client."""
        return self._future.result()

    def exception(self, timeout=None):
        return self._future.exception(timeout)

    def traceback(self, timeout=None):
        """Where the call failed; None, if it did not."""
        error = self.exception(timeout)
        return None if error is None else error.__traceback__

    @property
    def type(self):
        """The class of the value, if it is there."""
        return type(self._future.result()) if self.status == "finished" else None

    def release(self):
        """A value goes with its last future."""

    async def _awaited(self, timeout=None):
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._future)), timeout)

    def __await__(self):
        return self._awaited().__await__()

    def retry(self):
        """Calls again what gave no value."""
        if self._again is None:
            raise ks.errors.ValueError(f"dask.distributed: {self.key} is no call and cannot be tried again")
        if self.status in ("error", "cancelled"):
            self._future = self._again()._future

    def __dask_tokenize__(self):
        return self.key

    def done(self):
        return self._future.done()

    def cancelled(self):
        return self._future.cancelled()

    def cancel(self, **ignored):
        """Nobody gets the value any more; what runs already runs to its end."""
        if self._future.done():
            self._future = concurrent.futures.Future()  # whoever has another of this call keeps it
        if not self._future.done() and self._future.cancel():
            self._future.set_running_or_notify_cancel()  # tells who waits

    def add_done_callback(self, fn):
        self._future.add_done_callback(lambda _: fn(self))

    def __repr__(self):
        return f"<Future: {self.status}, key: {self.key}>"


def _give(future, call, retries=0):
    """The call's value, or its error, to a future, unless it was cancelled meanwhile."""
    while not future.cancelled():
        give = future.set_result
        try:
            value = call()
        except BaseException as error:
            if retries and isinstance(error, Exception):
                retries -= 1
                continue
            give, value = future.set_exception, error
        with contextlib.suppress(concurrent.futures.InvalidStateError):
            give(value)
        return


class Actor:
    """An object that stays with its worker: calls of its methods are futures, and run one after the other."""

    def __init__(self, value):
        self._value, self._calls = value, concurrent.futures.ThreadPoolExecutor(1)

    def __getattr__(self, name):
        found = getattr(self._value, name)
        if not callable(found):
            return found

        def call(*args, **kwargs):
            future = concurrent.futures.Future()
            self._calls.submit(_give, future, lambda: found(*_gathered(args), **_gathered(kwargs)))
            return Future(future, name)

        return call

    def __repr__(self):
        return f"<Actor: {type(self._value).__name__}>"


def _gathered(value):
    """The value with results in the place of futures, in lists and dictionaries too."""
    if isinstance(value, Future):
        return value._future.result()
    if type(value) in (list, tuple, set):
        return type(value)(_gathered(v) for v in value)
    if isinstance(value, dict):
        return {k: _gathered(v) for k, v in value.items()}
    return value


def _cluster():
    """The package distributed, if the latest open Client is one of it."""
    return None if client_of(None) is None else sys.modules["distributed"]


def _of_cluster(function):
    """While the latest open Client is one of the package distributed, that package's function of the name."""

    @functools.wraps(function)
    def call(*args, **options):
        cluster = _cluster()
        return (getattr(cluster, function.__name__) if cluster else function)(*args, **options)

    return call


@_of_cluster
def futures_of(value):
    """The futures in a value: those behind persisted collections, and those in lists and dictionaries."""
    if isinstance(value, Future):
        return [value]
    if base.is_dask_collection(value):
        tasks = value.__dask_graph__().values()
        return list(
            dict.fromkeys(part for task in tasks if type(task) is tuple for part in task if isinstance(part, Future))
        )
    if isinstance(value, dict):
        value = value.values()
    return [f for v in value for f in futures_of(v)] if isinstance(value, (list, tuple, set, type({}.values()))) else []


class _Closing:
    """What is closed where a `with` ends."""

    def wait_for_workers(self, n_workers=None, timeout=None):
        """They are there: threads start with their cluster."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class LocalCluster(_Closing):
    """So many workers, of so many threads each: that many threads of this process."""

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

    @property
    def scheduler(self):
        return _Scheduler(self)

    @property
    def scheduler_info(self):
        return {
            "type": "Scheduler", "address": "threads",
            "workers": {w.address: {"name": w.name, "nthreads": w.nthreads} for w in self.workers.values()},
        }  # fmt: skip

    def get_client(self):
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

    def __repr__(self):
        return f"<LocalCluster: threads of this process, workers={self.n_workers}, threads={self._places.threads}>"


class _Scheduler:
    """What a program looks up: the workers by their addresses."""

    def __init__(self, cluster):
        self.address, self.workers = "threads", {w.address: w for w in cluster.workers.values()}


def _client_of_cluster(*args, **options):
    try:
        import distributed
    except ImportError:
        raise ks.errors.UnsupportedError(
            f"dask.distributed: a Client of {(*args, *options.values())[0]!r} needs the package distributed, which is not "
            "installed\n  fix  pip install distributed, or Client() without an address for threads of this process"
        ) from None
    client = distributed.Client(*args, **options)
    clients.append(client)
    return client


def _serve_joblib():
    """joblib's backend "dask" is the engine's while a Client of threads is the latest, else the package's own."""
    from joblib.parallel import BACKENDS

    from kasoku.joblib import KasokuBackend

    if clients and isinstance(clients[-1], Client):
        BACKENDS["dask"] = KasokuBackend
    elif BACKENDS.get("dask") is KasokuBackend:
        del BACKENDS["dask"]


AfterImport("joblib", lambda module: clients and _serve_joblib())  # a program may import it when a Client is open


class Client(_Closing):
    """Runs calls and delayed graphs on the threads of a LocalCluster."""

    def __new__(cls, address=None, **options):
        if isinstance(address, str) or "scheduler_file" in options:
            return _client_of_cluster(*([] if address is None else [address]), **options)
        return super().__new__(cls)

    def __init__(self, address=None, asynchronous=False, **options):
        self._owns, self.asynchronous = address is None, asynchronous
        self.cluster = LocalCluster(**options) if address is None else address
        self._pool, self._count = self.cluster._pool, 0
        self._running = weakref.WeakValueDictionary()  # key -> what its futures wait for
        self._naming = threading.Lock()
        self.dashboard_link = ""
        clients.append(self)
        if "joblib" in sys.modules:
            _serve_joblib()

    def submit(self, func, *args, key=None, pure=None, workers=None, retries=None, priority=0, actor=False, actors=False,
               **kwargs):  # fmt: skip
        """Starts func when the futures among its arguments are there. The call of a key that a living future has is that
        future's, and alike calls have one key unless pure=False. retries: how often it is called again after an error.
        actor: what it gives stays there, and is used through an Actor."""
        name = key or self._key(func, args, kwargs, pure is not False and not (actor or actors))
        options = dict(key=name, retries=retries, actor=actor or actors)

        def again():
            self._running.pop(name, None)
            return self.submit(func, *args, **options, **kwargs)

        future = concurrent.futures.Future()
        future.again = again
        with self._naming:  # tasks submit as well: of two alike calls at once one is the other's
            running = self._running.get(name)
            if running is not None and not running.cancelled():
                return Future(running, name, running.again, self.asynchronous)
            self._running[name] = future
        made = Future(future, name, again, self.asynchronous)
        waiting = {f._future for f in futures_of((args, kwargs))}

        def work():
            value = func(*_gathered(args), **_gathered(kwargs))
            return Actor(value) if options["actor"] else value

        def start():
            if not future.cancelled():
                self.cluster._places.run(lambda: _give(future, work, retries or 0))

        last = _Last(waiting, start)
        for f in waiting:
            f.add_done_callback(last)
        if not waiting:
            start()
        return made

    def _key(self, func, args, kwargs, is_pure):
        """The key of a call that was given none."""
        named = getattr(func, "__name__", "call")
        if is_pure:
            with contextlib.suppress(Exception):  # what has no name by its content is a call of its own
                return f"{named}-{tokenize(func, args, kwargs)}"
        self._count += 1
        return f"{named}-{self._count}"

    def _start(self, call, key):
        """A future of call(), on a thread of its own: it waits for tasks, which the pool's threads run."""
        future = concurrent.futures.Future()
        threading.Thread(target=contextvars.copy_context().run, args=(_give, future, call)).start()
        return Future(future, key, is_asynchronous=self.asynchronous)

    def sync(self, func, *args, asynchronous=None, callback_timeout=None, **kwargs):
        """The result of a coroutine function; of an asynchronous Client the coroutine."""
        made = func(*args, **kwargs)
        is_awaited = self.asynchronous if asynchronous is None else asynchronous
        return made if is_awaited else asyncio.run(_in_sync(made))

    def map(self, func, *iterables, key=None, pure=None, **kwargs):
        calls = [*zip(*iterables)]
        if isinstance(key, str):  # a prefix
            key = [f"{key}-{self._key(func, args, kwargs, pure is not False)}" for args in calls]
        keys = key or [None] * len(calls)
        return [self.submit(func, *args, key=k, pure=pure, **kwargs) for k, args in zip(keys, calls, strict=True)]

    def gather(self, futures, errors="raise", **ignored):
        """The values of futures, in lists and dictionaries too; of an asynchronous Client to be awaited. errors="skip":
        without those that have none."""
        if errors == "skip" and not self.asynchronous and not isinstance(futures, (Future, dict)):
            wait(futures)
            futures = [f for f in futures if f.status == "finished"]
        return _when_done(futures) if self.asynchronous or _is_in_sync.get() else _gathered(futures)

    def retry(self, futures):
        for future in futures_of(futures):
            future.retry()

    def compute(self, collections, sync=False, **options):
        """A future of each collection; with sync their values."""
        one = not isinstance(collections, (list, tuple, set))
        made = [
            self.submit(lambda c=c: base.compute(c, **options)[0], pure=False) if base.is_dask_collection(c) else c
            for c in ([collections] if one else collections)
        ]
        made = _gathered(made) if sync and not self.asynchronous else made
        return made[0] if one else made

    def get(self, dsk, keys, **ignored):
        """The values of keys of a graph, in lists as the keys are."""
        return _scheduler(dsk, keys)

    def persist(self, collections, **options):
        one = base.is_dask_collection(collections)
        kept = base.persist(*([collections] if one else collections), **options)
        return kept[0] if one else list(kept)

    def scatter(self, data, broadcast=False, **ignored):
        """Futures of the data; of an asynchronous Client to be awaited."""
        made = self._scattered(data)
        return _at_once(made) if self.asynchronous else made

    def _scattered(self, data):
        if type(data) is dict:
            return dict(zip(data, self._scattered(list(data.values()))))
        one = not isinstance(data, (list, tuple))
        made = [self.submit(lambda v=v: v, pure=False) for v in ([data] if one else data)]
        return made[0] if one else made

    # What a program looks up, and values under names.

    @property
    def status(self):
        return "running" if self in clients else "closed"

    def who_has(self, futures=None, **ignored):
        """The addresses of the workers that have each value: all threads have all of them."""
        keys = list(self._running) if futures is None else [f.key for f in futures_of(futures)]
        return {key: tuple(self.ncores()) for key in keys}

    def has_what(self, workers=None, **ignored):
        return {address: tuple(self._running) for address in self.ncores()}

    def get_executor(self, **ignored):
        return _Executor(self)

    def publish_dataset(self, *args, name=None, **words):
        """Collections under names, which every Client of the cluster finds."""
        named = {**({name: args[0]} if args and name is not None else {a.name: a for a in args}), **words}
        for key, value in named.items():
            if key in self.cluster._datasets:
                raise KeyError(f"Dataset {key} already exists")
            self.cluster._datasets[key] = value

    def unpublish_dataset(self, name, **ignored):
        self.cluster._datasets.pop(name)

    def list_datasets(self, **ignored):
        return sorted(self.cluster._datasets)

    def get_dataset(self, name, **ignored):
        if name not in self.cluster._datasets:
            raise KeyError(f"Dataset '{name}' not found")
        return self.cluster._datasets[name]

    def run(self, function, *args, **kwargs):
        return {"threads": function(*args, **kwargs)}

    def cancel(self, futures, **ignored):
        for f in futures_of(futures):
            f.cancel()

    def ncores(self):
        return {worker.address: worker.nthreads for worker in self.cluster.workers.values()}

    nthreads = ncores

    def scheduler_info(self, **ignored):
        return self.cluster.scheduler_info

    def close(self, timeout=None):
        if self in clients:
            clients.remove(self)
            if "joblib" in sys.modules:
                _serve_joblib()
        if self._owns:
            self.cluster.close()
        return _Done() if self.asynchronous else None

    shutdown = close

    async def _opened(self):
        return self

    def __await__(self):
        return self._opened().__await__()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<Client: threads of this process, threads={self.cluster._places.threads}>"


class _Executor(concurrent.futures.Executor):
    """A Client as one; what it gives are futures of the standard library's."""

    def __init__(self, client):
        self._client = client

    def submit(self, fn, /, *args, **kwargs):
        return self._client.submit(fn, *args, pure=False, **kwargs)._future


async def _at_once(value):
    return value


class _Done:
    """What is over already, and may be awaited."""

    def __await__(self):
        return iter(())


async def _when_done(value):
    if futures := futures_of(value):
        await asyncio.wait([asyncio.ensure_future(future._awaited()) for future in futures])
    return _gathered(value)


async def _in_sync(awaitable):
    _is_in_sync.set(True)
    return await awaitable


class _Last:
    """Calls once, when the last of several futures is done."""

    def __init__(self, futures, call):
        self._left, self._call, self._lock = len(futures), call, threading.Lock()

    def __call__(self, future):
        with self._lock:
            self._left -= 1
            is_last = self._left == 0
        if is_last:
            self._call()


def get_client(**ignored):
    if not clients:
        raise ValueError("No global client found and no address provided")
    return clients[-1]


default_client = get_client


@_of_cluster
def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    futures = {f._future: f for f in futures_of(fs)}
    if any(f._is_asynchronous for f in futures.values()):
        return _waited(futures, timeout, return_when)
    return _sorted(futures, return_when, concurrent.futures.wait(futures, timeout, return_when))


async def _waited(futures, timeout, return_when):
    waiting = {asyncio.shield(asyncio.wrap_future(future)): future for future in futures}
    done, rest = await asyncio.wait(waiting, timeout=timeout, return_when=return_when)
    for one in done:
        one.cancelled() or one.exception()  # seen
    return _sorted(futures, return_when, ({waiting[f] for f in done}, {waiting[f] for f in rest}))


def _sorted(futures, return_when, found):
    done, rest = found
    if rest and return_when == ALL_COMPLETED:
        raise TimeoutError
    return concurrent.futures._base.DoneAndNotDoneFutures({futures[f] for f in done}, {futures[f] for f in rest})


class as_completed:  # noqa: N801 - Dask's name
    """Futures in the order in which they come; more may be added."""

    def __new__(cls, *args, **options):
        return cluster.as_completed(*args, **options) if (cluster := _cluster()) else super().__new__(cls)

    def __init__(self, futures=(), with_results=False, **ignored):
        self._left, self._with_results = list(futures), with_results

    def add(self, future):
        self._left.append(future)

    def update(self, futures):
        self._left.extend(futures)

    def count(self):
        return len(self._left)

    def is_empty(self):
        return not self._left

    def __iter__(self):
        return self

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self._left:
            raise StopAsyncIteration
        await _waited({f._future: f for f in self._left}, None, FIRST_COMPLETED)
        return next(self)

    def __next__(self):
        if not self._left:
            raise StopIteration
        concurrent.futures.wait([f._future for f in self._left], return_when=FIRST_COMPLETED)
        at = next(i for i, f in enumerate(self._left) if f.done())
        future = self._left.pop(at)
        return (future, future._future.result()) if self._with_results else future

    def next_batch(self, block=True):
        """All that are there; at least one, if it may wait."""
        batch = [next(self)] if block and self._left else []
        while any(f.done() for f in self._left):
            batch.append(next(self))
        return batch

    def batches(self):
        """The futures in lists of those that are there."""
        while self._left:
            yield self.next_batch()


@_of_cluster
def progress(*futures, notebook=None, **ignored):
    """Waits, as it does in a terminal."""
    wait([f for f in futures])


@_of_cluster
def fire_and_forget(obj):
    """Futures of this process run anyway."""


def performance_report(*_, **__):
    raise ks.errors.UnsupportedError(
        "dask.distributed.performance_report: there is no dashboard; use kasoku's visualize()"
    )
