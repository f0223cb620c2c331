"""Delayed values, graphs of tasks, and a pool: the Python faces of kasoku/task."""

from __future__ import annotations

import concurrent.futures
import contextvars
import functools
import shutil
import subprocess
import threading
import types

from . import _core
from ._core import Delayed


def delayed(obj=None, name=None, pure=None, nout=None, traverse=True):
    """Wraps a function, or a value, so that calling it makes a task instead of running it.

    obj: a function (also as a decorator), or any value. nout: how many values the function's calls
    return, so that they can be unpacked. traverse: look for Delayed values inside lists, tuples, dicts
    and sets. Returns a Delayed; `.compute()` runs its graph on the pool.
    """
    if obj is None:
        return functools.partial(delayed, name=name, pure=pure, nout=nout, traverse=traverse)
    return _core._delayed(obj, name, pure, nout, traverse)


defaults = contextvars.ContextVar("kasoku compute options", default={})  # what compute() is not told otherwise


def _workers(scheduler=None, num_workers=None, workers=None):
    settings = defaults.get()
    if scheduler is None and not (workers or num_workers):
        scheduler, num_workers = settings.get("scheduler"), settings.get("num_workers")
    if scheduler in ("synchronous", "sync", "single-threaded"):
        return 1
    if scheduler is not None and not isinstance(scheduler, str):
        workers = workers or getattr(scheduler, "_max_workers", None)
    return workers or num_workers or 0


def compute(*args, scheduler=None, num_workers=None, workers=None, progress=False, **ignored):
    """Runs the graphs of all `args` together and returns a tuple of their values.

    args: Delayed values, or lists, tuples, dicts and sets that hold some; anything else comes back as
    it is. workers (num_workers): at most so many tasks at once, 0 for as many as the pool has;
    scheduler="synchronous" is one. progress: show a bar on a terminal, or a function of (done, all).
    An exception in a task ends the run and is raised here.
    """
    roots = [arg if isinstance(arg, Delayed) else _core._delayed(arg, None, None, None, True) for arg in args]
    count = _workers(scheduler, num_workers, workers)
    if progress and not callable(progress):
        from rich.progress import Progress

        with Progress(transient=True) as bar:
            task = bar.add_task("tasks")
            return tuple(
                _core._compute(roots, count, lambda done, total: bar.update(task, completed=done, total=total))
            )
    return tuple(_core._compute(roots, count, progress or None))


def visualize(*args, filename="kasoku", format=None, times=False, workers=0, **ignored):
    """Draws the graph of `args` with Graphviz, or in plain layers if it is not installed; returns the file's name.

    filename: with or without ending (.svg, .png, .pdf, .dot); format: the ending if the name has none
    (default svg). times=True runs the graph first and writes each task's time into its box. Without
    Graphviz' `dot` only .svg and .dot can be made; others raise RuntimeError.
    """
    roots = [arg if isinstance(arg, Delayed) else _core._delayed(arg, None, None, None, True) for arg in args]
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

    max_workers: how many calls run at once; default as many as KASOKU_NUM_THREADS says.
    """

    def __init__(self, max_workers=None):
        if max_workers is not None and max_workers < 1:
            raise ValueError(f"Pool: max_workers is at least 1, not {max_workers}")
        self._core = _core._PoolCore(max_workers or 0)
        self._max_workers = self._core.workers
        self._pending = set()
        self._lock = threading.Lock()
        self._is_shut = False

    def submit(self, fn, /, *args, **kwargs):
        """Starts fn(*args, **kwargs) on a thread of the pool: a concurrent.futures.Future."""
        future = concurrent.futures.Future()
        with self._lock:
            if self._is_shut:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._pending.add(future)
        future.add_done_callback(self._forget)
        self._core.submit(future, fn, args, kwargs)
        return future

    def _forget(self, future):
        with self._lock:
            self._pending.discard(future)

    def shutdown(self, wait=True, *, cancel_futures=False):
        """Takes no more work; waits for what runs, and with cancel_futures drops what has not begun."""
        with self._lock:
            self._is_shut = True
            pending = list(self._pending)
        if cancel_futures:
            for future in pending:
                future.cancel()
        if wait:
            concurrent.futures.wait(pending)


def _method_compute(self, **options):
    return compute(self, **options)[0]


def _method_visualize(self, filename="kasoku", format=None, **options):
    """Draws the graph of this value; options as kasoku.visualize."""
    return visualize(self, filename=filename, format=format, **options)


def _bound(self, instance, owner=None):
    """A delayed function in a class is a method."""
    return self if instance is None else types.MethodType(self, instance)


Delayed.__get__ = _bound
Delayed.compute = _method_compute
Delayed.compute.__doc__ = "Runs the graph of this value on the pool and returns it; options as kasoku.compute."
Delayed.visualize = _method_visualize


def _method_persist(self, **options):
    """Runs the graph of this value and gives a Delayed that holds it."""
    return delayed(self.compute(**options))


Delayed.persist = _method_persist
