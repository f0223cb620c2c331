"""Futures of calls on threads of this process, and waiting for them. While the latest open Client is one of the package
distributed, its functions do that."""

import asyncio
import concurrent.futures
import contextlib
import functools
import sys
import time

import kasoku as ks
from kasoku._task import client_of, clients

from .._face.table import forwarding, methods
from . import base
from .utils import parse_timedelta

FIRST_COMPLETED, ALL_COMPLETED = concurrent.futures.FIRST_COMPLETED, concurrent.futures.ALL_COMPLETED
TimeoutError = concurrent.futures.TimeoutError  # noqa: A001
CancelledError = concurrent.futures.CancelledError


class Reschedule(Exception):  # noqa: N818 - Dask's name
    """Raised by a task that wants to be called again."""


class KilledWorker(Exception):  # noqa: N818 - Dask's name
    """A task whose workers died; threads of this process do not."""


class Future:
    """A call's result, there or to come."""

    done, cancelled, exception = map(forwarding, ("_future.done", "_future.cancelled", "_future.exception"))

    def __new__(cls, future, *rest, **options):
        """Future(key), or Future(key, client), is that of a call that runs, or ran and is still somebody's."""
        return super().__new__(cls) if not isinstance(future, str) else _of_key(future, *rest, **options)

    def __init__(self, future, key=None, again=None, is_asynchronous=False):
        if isinstance(future, str):
            return
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

    def traceback(self, timeout=None):
        """Where the call failed; None, if it did not."""
        return getattr(self.exception(timeout), "__traceback__", None)

    client = property(lambda self: clients[-1] if clients else None)

    @property
    def type(self):
        """The class of the value, if it is there."""
        return type(self._future.result()) if self.status == "finished" else None

    def release(self):
        """A value goes with its last future."""

    async def _awaited(self, timeout=None):
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._future)), timeout)

    def retry(self):
        """Calls again what gave no value."""
        if self._again is None:
            raise ks.errors.ValueError(f"dask.distributed: {self.key} is no call and cannot be tried again")
        if self.status in ("error", "cancelled"):
            self._future = self._again()._future

    def cancel(self, **ignored):
        """Nobody gets the value any more; what runs already runs to its end."""
        if self._future.done():
            self._future = concurrent.futures.Future()  # whoever has another of this call keeps it
        if not self._future.done() and self._future.cancel():
            self._future.set_running_or_notify_cancel()  # tells who waits

    def add_done_callback(self, fn):
        self._future.add_done_callback(lambda _: fn(self))


methods(Future, {
    "__kasoku_value__": (lambda self: self._future.result(),
        "The value, for a task that needs it: also of an asynchronous Client."),
    "__await__": lambda self: self._awaited().__await__(),
    "__dask_tokenize__": lambda self: self.key,
    "__repr__": lambda self: f"<Future: {self.status}, key: {self.key}>",
})  # fmt: skip


def _of_key(key, client=None):
    client = client or (clients[-1] if clients else None)
    running = client and client._running.get(key)
    if running is None:
        raise ks.errors.ValueError(f"dask.distributed: no future of this process has the key {key!r}")
    return Future(running, key, running.again, client.asynchronous)


def give(future, call, retries=0):
    """The call's value, or its error, to a future, unless it was cancelled meanwhile."""
    while not future.cancelled():
        give = future.set_result
        try:
            value = call()
        except BaseException as error:
            if isinstance(error, Reschedule):
                continue
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
            self._calls.submit(give, future, lambda: found(*gathered(args), **gathered(kwargs)))
            return Future(future, name)

        return call

    __repr__ = lambda self: f"<Actor: {type(self._value).__name__}>"


def gathered(value):
    """The value with results in the place of futures, in lists and dictionaries too."""
    if isinstance(value, Future):
        return value._future.result()
    if type(value) in (list, tuple, set):
        return type(value)(gathered(v) for v in value)
    if isinstance(value, dict):
        return {k: gathered(v) for k, v in value.items()}
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
        parts = (part for task in tasks if type(task) is tuple for part in task)
        return list(dict.fromkeys(part for part in parts if isinstance(part, Future)))
    if isinstance(value, dict):
        value = value.values()
    return [f for v in value for f in futures_of(v)] if isinstance(value, (list, tuple, set, type({}.values()))) else []


# ── waiting ───────────────────────────────────────────────────────────────────────────────


async def when_done(value):
    if futures := futures_of(value):
        await asyncio.wait([asyncio.ensure_future(future._awaited()) for future in futures])
    return gathered(value)


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

    def __init__(self, futures=(), with_results=False, raise_errors=True, timeout=None, **ignored):
        """raise_errors=False: with results, a failed call's is (class, error, traceback). timeout: seconds for all of them."""
        self._left, self._with_results, self._raises = list(futures), with_results, raise_errors
        self._end = None if timeout is None else time.monotonic() + parse_timedelta(timeout)

    add, update, clear = map(forwarding, ("_left.append", "_left.extend", "_left.clear"))

    def _time_left(self):
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    async def __anext__(self):
        if not self._left:
            raise StopAsyncIteration
        await _waited({f._future: f for f in self._left}, self._time_left(), FIRST_COMPLETED)
        return next(self)

    def __next__(self):
        if not self._left:
            raise StopIteration
        concurrent.futures.wait([f._future for f in self._left], self._time_left(), FIRST_COMPLETED)
        at = next((i for i, f in enumerate(self._left) if f.done()), None)
        if at is None:
            raise TimeoutError("as_completed: its time is over before the futures are done")
        future = self._left.pop(at)
        if not self._with_results:
            return future
        if not self._raises and future.status == "error":
            error = future.exception()
            return future, (type(error), error, error.__traceback__)
        return future, future._future.result()

    next = __next__

    def next_batch(self, block=True):
        """All that are there; at least one, if it may wait."""
        batch = [next(self)] if block and self._left else []
        while self.has_ready():
            batch.append(next(self))
        return batch

    def batches(self):
        """The futures in lists of those that are there."""
        while self._left:
            yield self.next_batch()


methods(as_completed, {
    "count": lambda self: len(self._left),
    "is_empty": lambda self: not self._left,
    "has_ready": lambda self: any(f.done() for f in self._left),
    "__iter__": lambda self: self,
    "__aiter__": lambda self: self,
})  # fmt: skip


@_of_cluster
def progress(*futures, notebook=None, **ignored):
    """Waits, as it does in a terminal."""
    wait([f for f in futures])


@_of_cluster
def fire_and_forget(obj):
    """Futures of this process run anyway."""
