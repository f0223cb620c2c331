"""dask.diagnostics.profile: when each task ran, what the process used meanwhile, and what values were kept."""

import threading
from collections import namedtuple
from time import perf_counter as default_timer

from kasoku import errors, profile
from kasoku._profile import Event

from ..callbacks import Callback

TaskData = namedtuple("TaskData", ("key", "task", "start_time", "end_time", "worker_id"))
ResourceData = namedtuple("ResourceData", ("time", "mem", "cpu"))
CacheData = namedtuple("CacheData", ("key", "task", "metric", "cache_time", "free_time"))


def visualize(profilers, filename="profile.html", show=True, save=None, mode=None, **options):
    """Dask's own drawing of profilers' results, by bokeh. Without it a Profiler's tasks are a page as kasoku.profile() writes it."""
    try:
        import bokeh  # noqa: F401

        from .profile_visualize import visualize as drawn
    except ImportError:
        return _page(profilers if isinstance(profilers, (list, tuple)) else [profilers], filename)
    return drawn(profilers, filename, show, save, mode, **options)


def _page(profilers, filename):
    tasks = [row for profiler in profilers if isinstance(profiler, Profiler) for row in profiler.results]
    if not tasks:
        raise errors.UnsupportedError(
            "dask.diagnostics: what is not of a Profiler is drawn by Dask and bokeh, which are not installed\n"
            "  fix  look at its results"
        )
    begin = min(row.start_time for row in tasks)
    threads = {worker: k for k, worker in enumerate(dict.fromkeys(row.worker_id for row in tasks))}
    drawn = profile()
    event = lambda r: Event("task", _name_in(r.key), threads[r.worker_id], r.start_time - begin, r.end_time - begin, 0)
    drawn.events = list(map(event, tasks))
    drawn.save(filename)


def _name_in(key):
    text = str(key[0] if isinstance(key, tuple) else key)
    return text.rpartition("-")[0] or text


class _Noting(Callback):
    """What is noted is kept from one computation to the next while the profiler is entered."""

    def __enter__(self):
        self.clear()
        self.start_time = default_timer()
        return super().__enter__()

    def __exit__(self, *error):
        self.end_time = default_timer()
        super().__exit__(*error)

    def clear(self):
        self.results, self._kept = [], {}  # by key what is not noted yet

    __init__ = clear
    visualize = lambda self, **options: visualize(self, **options)


class Profiler(_Noting):
    """results: a TaskData for each task."""

    def _pretask(self, key, dsk, state):
        self._kept[key] = default_timer(), dsk[key]

    def _posttask(self, key, value, dsk, state, worker_id):
        began, task = self._kept.pop(key)
        self.results.append(TaskData(key, task, began, default_timer(), worker_id))


class ResourceProfiler(_Noting):
    """results: a ResourceData every `dt` seconds: MB of memory, and percent of a processor."""

    def __init__(self, dt=1):
        super().__init__()
        self._dt = dt
        self._thread = self._ends = None
        self._is_entered = False

    _is_running = lambda self: self._thread is not None and self._thread.is_alive()

    def _begin(self):
        if not self._is_running():
            self._ends = threading.Event()
            self._thread = threading.Thread(target=self._note, args=(self._ends,), daemon=True)
            self._thread.start()

    def close(self):
        if self._is_running():
            self._ends.set()
            self._thread.join()
        self._thread = None

    def _note(self, ends):
        import os

        page, ticks = os.sysconf("SC_PAGE_SIZE"), os.times()
        before = default_timer()
        while True:
            is_last = ends.wait(self._dt)
            now, times = default_timer(), os.times()
            used = times.user + times.system - ticks.user - ticks.system
            with open("/proc/self/statm") as file:
                memory = int(file.read().split()[1]) * page / 1e6
            self.results.append(ResourceData(now, memory, 100 * used / max(now - before, 1e-9)))
            before, ticks = now, times
            if is_last:
                return

    def __enter__(self):
        self._is_entered = True
        made = super().__enter__()
        self._begin()
        return made

    def __exit__(self, *error):
        self._is_entered = False
        self.close()
        super().__exit__(*error)

    def _start(self, dsk):
        self._begin()

    def _finish(self, dsk, state, errored):
        if not self._is_entered:
            self.close()


class CacheProfiler(_Noting):
    """results: a CacheData for each value, when it came and when it was let go; metric(value) is noted beside."""

    def __init__(self, metric=None, metric_name=None):
        super().__init__()
        self._metric = metric or (lambda value: 1)
        self._metric_name = metric_name or getattr(metric, "__name__", "count") if metric else metric_name or "count"

    def _posttask(self, key, value, dsk, state, worker_id):
        now = default_timer()
        self._kept[key] = self._metric(value), now
        self._let_go(state["released"] & self._kept.keys(), dsk, now)

    def _let_go(self, keys, dsk, now):
        for key in keys:
            metric, came = self._kept.pop(key)
            self.results.append(CacheData(key, dsk[key], metric, came, now))

    def _finish(self, dsk, state, errored):
        self._let_go(list(self._kept), dsk, default_timer())
