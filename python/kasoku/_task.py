"""Delayed values, graphs of tasks, and a pool: the Python faces of kasoku/task."""

from __future__ import annotations

import atexit
import concurrent.futures
import contextlib
import functools
import logging
import operator
import os
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures.thread import BrokenThreadPool
from typing import Any

from . import _core
from ._core import Delayed
from ._hints import check_words

_nothing = object()


def delayed(obj=_nothing, name=None, pure=None, nout=None, traverse=True) -> Any:
    """Wraps a function, or a value, so that calling it makes a task instead of running it.

    obj: a function (also as a decorator), or any value. nout: how many values the function's calls
    return, so that they can be unpacked. traverse: look for Delayed values inside lists, tuples, dicts
    and sets. Returns a Delayed; `.compute()` runs its graph on the pool.

    >>> total = ks.delayed(sum)([1, 2, 3])
    >>> (total + 1).compute()
    7
    """
    if obj is _nothing:
        return functools.partial(delayed, name=name, pure=pure, nout=nout, traverse=traverse)
    return _core._delayed(obj, name, pure, nout, traverse)


defaults = {}  # what compute() is not told otherwise; in the face of Dask the dictionary of dask.config
clients = []  # of dask.distributed, that are open: the latest one's threads, or its cluster, run what is not told otherwise
named_schedulers = {}  # get(graph, keys), that a program gave a name
observers = set()  # of dask.callbacks: five functions each; a progress bar, which the engine calls, has it as .bar
get_observed = None  # runs a graph for them, or on a program's own pool: the face's

_one_thread = ("synchronous", "sync", "single-threaded")
_many_threads = ("threads", "threading", "processes", "multiprocessing", "distributed")


def _workers(scheduler=None, num_workers=None, workers=None):
    if scheduler is None and not (workers or num_workers):
        scheduler, num_workers = defaults.get("scheduler"), defaults.get("num_workers")
    if isinstance(scheduler, str):
        if scheduler.lower() in _one_thread:
            return 1
        if scheduler.lower() not in _many_threads:
            names = ", ".join((*_one_thread, *_many_threads, "ray"))
            raise ValueError(f"compute: there is no scheduler {scheduler!r}\n  fix  one of {names}")
    elif scheduler is not None:
        workers = workers or getattr(scheduler, "_max_workers", None)
    pool = defaults.get("pool") or (getattr(clients[-1], "_pool", None) if clients and scheduler is None else None)
    return workers or num_workers or getattr(pool, "_max_workers", None) or 0


def _roots(args, traverse=True):
    return [arg if isinstance(arg, Delayed) else _core._delayed(arg, None, None, None, traverse) for arg in args]


def _told(scheduler):
    """The scheduler that a call names, or the setting, or the Client of a cluster that was opened last."""
    scheduler = defaults.get("scheduler") if scheduler is None else scheduler
    while scheduler is None and clients and getattr(clients[-1], "status", None) == "closed":
        clients.pop()
    if scheduler is None and clients and not hasattr(clients[-1], "_pool"):
        return clients[-1]
    return scheduler


def client_of(scheduler):
    """The Client of a cluster by which a value is to be computed, if one is."""
    scheduler = _told(scheduler)
    return (
        scheduler
        if scheduler is not None and hasattr(scheduler, "scheduler_info") and not hasattr(scheduler, "_pool")
        else None
    )


def _get_of(scheduler):
    """The function get(graph, keys) of an engine beyond this process, or that a program gives as the scheduler; None for
    one of ours."""
    scheduler = _told(scheduler)
    if isinstance(scheduler, str) and (named := named_schedulers.get(scheduler.lower())) is not None:
        return None if hasattr(named, "is_kasokus") else named
    if scheduler is not None:
        from . import _engines

        get = _engines.get_of(scheduler)
        if get is not None:
            return get
    is_get = callable(scheduler) and not hasattr(scheduler, "submit") and not hasattr(scheduler, "is_kasokus")
    return scheduler if is_get else None


ask_to_optimize = None  # of Dask's face: the arguments, with collections as their __dask_optimize__ makes them


# What compute() takes, and beside it what Dask's own schedulers take, which is without a meaning here.
_options = frozenset(
    """
    scheduler num_workers workers progress traverse optimize_graph pool cache callbacks chunksize
    rerun_exceptions_locally get_id dumps loads pack_exception raise_exception initializer func_loads func_dumps
    resources retries priority fifo_timeout actors allow_other_workers sync asynchronous direct restrictions
    loose_restrictions
    """.split()
)


def _takes_all(function) -> Callable[..., tuple[Any, ...]]:
    options = "scheduler=None, num_workers=None, workers=None, progress=False, traverse=True"
    return _core._compute_function(f"(*args, {options}, **ignored)", function)


@_takes_all
def compute(
    args, /, scheduler=None, num_workers=None, workers=None, progress=False, traverse=True, **ignored
) -> tuple[Any, ...]:
    """Runs the graphs of all `args` together and returns a tuple of their values.

    args: Delayed values, collections of Dask's protocol, or lists, tuples, dicts and sets that hold
    some; anything else comes back as it is. workers (num_workers): at most so many tasks at once, 0 for
    as many as the pool has; scheduler="synchronous" is one. scheduler may also be a `distributed.Client`, whose
    cluster runs the graphs, "ray", or a function get(graph, keys) of Dask's specification. progress: a
    function of (done, all), or True for a bar on a terminal from the beginning; without it there is one after a
    second. Options of Dask's own schedulers (`retries`, `chunksize`) are taken and mean nothing here; any other is a
    TypeError, unless the scheduler is a function of others, which gets it. An exception in a task ends the run and is
    raised here.

    >>> square = ks.delayed(lambda x: x * x)
    >>> ks.compute(square(2), [square(3), 4])
    (4, [9, 4])
    """
    if "get" in ignored:
        raise TypeError("compute: get= was removed from Dask\n  fix  scheduler=, with the same function")
    if ask_to_optimize is not None and ignored.get("optimize_graph", True):
        args = ask_to_optimize(args, traverse)
    get = _get_of(scheduler)
    bars = [one.bar for one in observers if hasattr(one, "bar")]  # called with (done, all) beside compute()'s own
    is_observed = len(bars) < len(observers)
    told = _told(scheduler)
    has_pool = ignored.get("pool") or defaults.get("pool") or _is_others_pool(told)
    if get is None and ignored:  # a get of others may know any option
        check_words(ignored, _options, "compute")
    if get is None and get_observed and (is_observed or has_pool):
        get = functools.partial(get_observed, scheduler=told)
    if get is not None:
        roots = _roots(args, traverse)
        return tuple(get(_delayed.graph_of(roots), [root.key for root in roots], **ignored))
    if getattr(scheduler, "is_kasokus", False):
        scheduler = scheduler.is_kasokus
    count = _workers(scheduler, num_workers, workers)
    if callable(progress):
        bars.append(progress)
    elif _is_watched():
        bars.append(_Bar(0 if progress else 1))
    if not bars:
        return _core._compute(args, count, None, traverse)
    with contextlib.ExitStack() as stack:
        for bar in bars:
            stack.enter_context(getattr(bar, "run", contextlib.nullcontext)())
        report = bars[0] if len(bars) == 1 else lambda done, total: [bar(done, total) for bar in bars]
        return _core._compute(args, count, report, traverse)


def _is_others_pool(scheduler):
    return isinstance(scheduler, concurrent.futures.Executor) and not isinstance(scheduler, Pool)


def _is_watched():
    """Whether somebody sits before a terminal, and this is the run that he waits for and no task's."""
    return threading.current_thread() is threading.main_thread() and sys.stderr is not None and sys.stderr.isatty()


class _Bar:
    """A bar on the terminal, for a run that has lasted some seconds; gone when it ends."""

    def __init__(self, after):
        self._begin, self._bar = time.monotonic() + after, None

    def __call__(self, done, total):
        if self._bar is None:
            if time.monotonic() < self._begin:
                return
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("tasks", total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done)

    @contextlib.contextmanager
    def run(self):
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.stop()


def visualize(*args, filename="kasoku", format=None, times=False, workers=0, **ignored) -> Any:
    """Draws the graph of `args` with Graphviz, or in plain layers if it is not installed; returns the file's name.

    filename: with or without ending (.svg, .png, .pdf, .dot); format: the ending if the name has none
    (default svg). times=True runs the graph first, writes each task's time and the bytes of its value into its box, and
    draws the path that took longest in red. Without Graphviz' `dot` only .svg and .dot can be made; others raise
    RuntimeError.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = ks.visualize(ks.delayed(abs)(-1), filename=os.path.join(folder, "graph.svg"))
    >>> os.path.basename(name)
    'graph.svg'
    """
    roots = _roots(args)
    stem, dot, ending = str(filename).rpartition(".")
    if not dot or "/" in ending:
        stem, ending = str(filename), format or "svg"
    path = f"{stem}.{format or ending}"
    has_graphviz = shutil.which("dot") is not None
    if path.endswith(".dot") or (path.endswith(".svg") and not has_graphviz):
        text = _core._dot_text(roots, times, workers, path.endswith(".svg"))
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path
    if not has_graphviz:
        raise RuntimeError(
            "visualize: Graphviz is not installed\n  fix  apt install graphviz, or visualize(filename='graph.svg')"
        )
    text = _core._dot_text(roots, times, workers)
    subprocess.run(["dot", f"-T{path.rpartition('.')[2]}", "-o", path], input=text.encode(), check=True)
    return path


class Pool(concurrent.futures.Executor):
    """Threads that run anything, shaped as concurrent.futures.Executor; loops inside them share one pool.

    max_workers: how many calls run at once; default as many as KASOKU_NUM_THREADS says. thread_name_prefix,
    initializer, initargs: as ThreadPoolExecutor has them. A child of fork() starts threads of its own.

    >>> with ks.Pool(2) as pool:
    ...     list(pool.map(abs, [-1, -2]))
    [1, 2]
    """

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None:
            try:
                max_workers = operator.index(max_workers)
            except TypeError:
                raise TypeError(f"Pool: max_workers is an integer, not {max_workers!r}") from None
            if max_workers < 1:
                raise ValueError(f"Pool: max_workers is at least 1, not {max_workers}")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._core = _core._PoolCore(max_workers or 0)
        self._max_workers = self._core.workers
        self._prefix, self._initializer, self._initargs = thread_name_prefix, initializer, initargs
        self._own = threading.local() if thread_name_prefix or initializer else None
        self._begun = 0
        self._broken = ""
        self._pid = os.getpid()
        _pools.add(self)
        self._pending = set()
        self._lock = threading.Lock()
        self._is_shut = False

    def submit(self, fn, /, *args, **kwargs):
        """Starts fn(*args, **kwargs) on a thread of the pool: a concurrent.futures.Future."""
        future = concurrent.futures.Future()
        with self._lock:
            self._check_open()
            self._pending.add(future)
        future.add_done_callback(self._forget)
        if self._own is not None:
            fn, args = self._run, (fn, *args)
        self._core.submit(_fulfil, future, fn, args, kwargs)
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        """fn of each, in order, as the built-in map gives them; calls begin at once, on the pool's threads.

        An exception is raised where its call's value is asked for, and ends the rest; TimeoutError after `timeout`
        seconds from now. chunksize: as Executor.map has it; calls are taken one by one.
        """
        rows = list(iterables[0] if len(iterables) == 1 else zip(*iterables))
        with self._lock:
            self._check_open()
            if self._own is not None:
                fn = functools.partial(self._run, fn)
            return self._core.map(fn, rows, len(iterables), timeout)

    def _check_open(self):
        if self._broken:
            raise BrokenThreadPool(self._broken)
        if self._pid != os.getpid():  # in a child of fork(): what was pending is the parent's
            self._pid, self._pending, self._begun = os.getpid(), set(), 0
        if self._is_shut:
            raise RuntimeError("cannot schedule new futures after shutdown")

    def _run(self, fn, /, *args, **kwargs):
        """A call on a thread that has a name or an initializer: that comes first, once."""
        if not hasattr(self._own, "number") and not self._broken:
            with self._lock:
                self._own.number, self._begun = self._begun, self._begun + 1
            if self._prefix:
                threading.current_thread().name = f"{self._prefix}_{self._own.number}"
            try:
                if self._initializer is not None:
                    self._initializer(*self._initargs)
            except BaseException:
                logging.getLogger("concurrent.futures").critical("Exception in initializer:", exc_info=True)
                self._broken = "A thread initializer failed, the thread pool is not usable anymore"
        if self._broken:
            raise BrokenThreadPool(self._broken)
        return fn(*args, **kwargs)

    def _forget(self, future):
        with self._lock:
            self._pending.discard(future)

    def shutdown(self, wait=True, *, cancel_futures=False):
        """Takes no more work; waits for what runs, and with cancel_futures drops what has not begun."""
        if wait and self._core.is_own_thread():
            raise RuntimeError("cannot join current thread")
        with self._lock:
            self._is_shut = True
            pending = list(self._pending) if self._pid == os.getpid() else []
        if cancel_futures:
            for future in pending:
                future.cancel()
            self._core.cancel_maps()
        if wait:
            concurrent.futures.wait(pending)
            self._core.wait_for_maps()
            self._core.end()


def _fulfil(future, fn, args, kwargs):
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = fn(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
        future = None  # it holds the error, which holds this frame
    else:
        future.set_result(result)


_pools = weakref.WeakSet()


@atexit.register
def _finish():
    """Waits, before the interpreter ends, until everything submitted is done, as ThreadPoolExecutor does."""
    for pool in list(_pools):
        pool.shutdown()


from . import _delayed  # noqa: F401 - the methods of Delayed
