"""dask.diagnostics.progress: ProgressBar."""

import contextlib
import sys
import time

from .._installed import rest_of
from ..callbacks import Callback
from ..utils import format_time as _format_time

__getattr__ = rest_of("diagnostics.progress")


class _Watched(tuple):
    """A bar's five functions; runs that nobody else looks at call the bar itself."""


class ProgressBar(Callback):
    """Shows how many tasks are done while compute() runs: as a context manager, or by register()."""

    def __init__(self, minimum=0, width=40, dt=0.1, out=None):
        self._minimum, self._width, self._dt, self._out = minimum, width, dt, out
        self.last_duration = 0
        self._running = None
        self._functions = _Watched((self._begin, None, None, self._one_more, self._end))
        self._functions.bar = self

    _callback = property(lambda self: self._functions)

    def _begin(self, dsk):
        self._running = self.run()
        self._running.__enter__()

    def _one_more(self, key, value, dsk, state, worker):
        done = len(state["finished"])
        self(done, done + sum(len(state[name]) for name in ("ready", "waiting", "running")))

    def _end(self, dsk, state, is_broken):
        if not is_broken:
            self(1, 1)
        self._running.__exit__(None, None, None)
        self._running = None

    @contextlib.contextmanager
    def run(self):
        """Around one compute()."""
        self._began, self._drawn, self._is_full = time.perf_counter(), 0, False
        try:
            yield
        finally:
            self.last_duration = time.perf_counter() - self._began
            if self._drawn:
                self._file().write("\n")

    def __call__(self, done, total):
        now = time.perf_counter()
        passed = now - self._began
        if passed < self._minimum or self._is_full or (done < total and now - self._drawn < self._dt):
            return
        self._drawn, self._is_full = now, done >= total
        share = done / total if total else 1
        bar = "#" * int(self._width * share)
        file = self._file()
        file.write(f"\r[{bar:<{self._width}}] | {share:.0%} Completed | {_format_time(passed)}")
        file.flush()

    _file = lambda self: self._out or sys.stdout
