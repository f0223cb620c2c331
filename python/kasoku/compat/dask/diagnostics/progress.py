"""dask.diagnostics.progress: ProgressBar."""

import contextlib
import sys
import time

from kasoku import _task

from ..utils import format_time


class ProgressBar:
    """Shows how many tasks are done while compute() runs: as a context manager, or by register()."""

    def __init__(self, minimum=0, width=40, dt=0.1, out=None):
        self._minimum, self._width, self._dt, self._out = minimum, width, dt, out
        self.last_duration = 0

    def register(self):
        _task.progress_bars.append(self)

    def unregister(self):
        if self in _task.progress_bars:
            _task.progress_bars.remove(self)

    def __enter__(self):
        self.register()
        return self

    def __exit__(self, *error):
        self.unregister()

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
        file.write(f"\r[{bar:<{self._width}}] | {share:.0%} Completed | {format_time(passed)}")
        file.flush()

    def _file(self):
        return self._out or sys.stdout
