"""dask.distributed: a Client whose workers are threads of this process. With a scheduler's address it is the Client of the
package `distributed`, if that is installed."""

import asyncio
import concurrent.futures
import contextlib
import contextvars
import operator
import sys
import threading
import time
import uuid
import weakref
from builtins import print  # noqa: A004, F401  workers are threads here: what they print and warn of is seen by the client
from warnings import warn  # noqa: F401

import kasoku as ks

from kasoku._delayed import _scheduler
from kasoku._guests import AfterImport
from kasoku._task import clients

from .._face.table import methods as _methods
from . import base, config, utils  # noqa: F401
from ._coordination import Event, Lock, MultiLock, Queue, Semaphore, Variable  # noqa: F401
from ._distributed_modules import add_to as _add_modules
from ._futures import (  # noqa: F401
    ALL_COMPLETED, FIRST_COMPLETED, Actor, CancelledError, Future, KilledWorker, Reschedule, TimeoutError, as_completed,
    fire_and_forget, futures_of, gathered, give, progress, wait, when_done,
)  # fmt: skip
from ._managing import Managing
from ._workers import Closing, LocalCluster, Worker, WorkerPlugin, get_worker, rejoin, secede, worker_client  # noqa: F401
from .tokenize import tokenize

_is_in_sync = contextvars.ContextVar("is_in_sync", default=False)  # within a coroutine that Client.sync() runs


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


class Client(Closing, Managing):
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
        self.id, self.dashboard_link = f"Client-{uuid.uuid4()}", ""
        clients.append(self)
        if "joblib" in sys.modules:
            _serve_joblib()

    def submit(self, func, *args, key=None, pure=None, workers=None, retries=None, priority=0, actor=False, actors=False,
               resources=None, allow_other_workers=False, fifo_timeout="100 ms", **kwargs):  # fmt: skip
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
            value = func(*gathered(args), **gathered(kwargs))
            return Actor(value) if options["actor"] else value

        def start():
            if not future.cancelled():
                self.cluster._places.run(lambda: give(future, work, retries or 0))

        _after(iter(waiting), start)
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
        threading.Thread(target=contextvars.copy_context().run, args=(give, future, call)).start()
        return Future(future, key, is_asynchronous=self.asynchronous)

    def sync(self, func, *args, asynchronous=None, callback_timeout=None, **kwargs):
        """The result of a coroutine function; of an asynchronous Client the coroutine."""
        made = func(*args, **kwargs)
        is_awaited = self.asynchronous if asynchronous is None else asynchronous
        return made if is_awaited else asyncio.run(_in_sync(made))

    def map(self, func, *iterables, key=None, pure=None, batch_size=None, **kwargs):
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
        return when_done(futures) if self.asynchronous or _is_in_sync.get() else gathered(futures)

    def compute(self, collections, sync=False, **options):
        """A future of each collection; with sync their values."""
        one = not isinstance(collections, (list, tuple, set))
        made = [
            self.submit(lambda c=c: base.compute(c, **options)[0], pure=False) if base.is_dask_collection(c) else c
            for c in ([collections] if one else collections)
        ]
        made = gathered(made) if sync and not self.asynchronous else made
        return made[0] if one else made

    def persist(self, collections, **options):
        one = base.is_dask_collection(collections)
        kept = base.persist(*([collections] if one else collections), **options)
        return kept[0] if one else list(kept)

    def _futures(self, dsk, keys):
        if isinstance(keys, list):
            return [self._futures(dsk, key) for key in keys]
        return self.submit(lambda: _scheduler(dsk, keys), pure=False)

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

    status = property(lambda self: "running" if self in clients else "closed")

    def who_has(self, futures=None, **ignored):
        """The addresses of the workers that have each value: all threads have all of them."""
        keys = list(self._running) if futures is None else [f.key for f in futures_of(futures)]
        return {key: tuple(self.ncores()) for key in keys}

    def close(self, timeout=None):
        if self in clients:
            clients.remove(self)
            if "joblib" in sys.modules:
                _serve_joblib()
        if self._owns:
            self.cluster.close()
        return _Done() if self.asynchronous else None

    shutdown = close

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()


_methods(Client, {
    "get": (lambda self, dsk, keys, sync=True, **ignored: _scheduler(dsk, keys) if sync else self._futures(dsk, keys),
        "The values of keys of a graph, in lists as the keys are; sync=False: a future of each."),
    "has_what": lambda self, workers=None, **ignored: {address: tuple(self._running) for address in self.ncores()},
    **{name: lambda self: {worker.address: worker.nthreads for worker in self.cluster.workers.values()} for name in ("ncores", "nthreads")},
    "retry": lambda self, futures: [future.retry() for future in futures_of(futures)] and None,
    "cancel": lambda self, futures, **ignored: [future.cancel() for future in futures_of(futures)] and None,
    "unpublish_dataset": lambda self, name, **ignored: operator.delitem(self.cluster._datasets, name),
    "get_executor": lambda self, **ignored: _Executor(self),
    "list_datasets": lambda self, **ignored: sorted(self.cluster._datasets),
    "register_worker_callbacks": lambda self, setup=None: setup and self.run(setup),
    "scheduler_info": lambda self, **ignored: self.cluster.scheduler_info,
    "__await__": lambda self: self.__aenter__().__await__(),
    "__repr__": lambda self: f"<Client: threads of this process, threads={self.cluster._places.threads}>",
})  # fmt: skip


class _Executor(concurrent.futures.Executor):
    """A Client as one; what it gives are futures of the standard library's."""

    def __init__(self, client):
        self._client = client

    def submit(self, fn, /, *args, **kwargs):
        return self._client.submit(fn, *args, pure=False, **kwargs)._future


async def _at_once(value):
    return value


class _Done:
    """A value that is already there and may be awaited."""

    __await__ = lambda self: iter(())


async def _in_sync(awaitable):
    _is_in_sync.set(True)
    return await awaitable


def _after(futures, call):
    """Calls when all the futures are done that an iterator has left."""
    for future in futures:
        if not future.done():
            return future.add_done_callback(lambda _: _after(futures, call))
    call()


def get_client(**ignored):
    return Client.current()


default_client = get_client


def performance_report(*_, **__):
    raise ks.errors.UnsupportedError("dask.distributed.performance_report: there is no dashboard; use ks.profile()")


_add_modules(sys.modules[__name__], utils, time)
