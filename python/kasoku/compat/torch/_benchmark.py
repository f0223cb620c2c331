"""torch.utils.benchmark: the time of a statement."""

import math
import statistics
import timeit
from time import perf_counter

from . import _types
from .._face.table import modules


def _timer():
    """The time, when the current GPU has done what it was given."""
    if _types.cuda_is_available():
        from .cuda import synchronize

        synchronize()
    return perf_counter()


class Measurement:
    """The times of so many runs of a statement each."""

    def __init__(self, number_per_run, raw_times, title):
        self.number_per_run, self.raw_times, self.title = number_per_run, list(raw_times), title

    times = property(lambda self: [t / self.number_per_run for t in self.raw_times])
    mean = property(lambda self: statistics.fmean(self.times))
    median = property(lambda self: statistics.median(self.times))
    has_warnings = False

    @property
    def iqr(self):
        """How far apart a quarter and three quarters of the times are."""
        if len(self.times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    def __repr__(self):
        scale, unit = next(
            (s, u) for s, u in ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")) if self.median >= s or s == 1e-9
        )
        shown = f"{self.median / scale:.2f} {unit}"
        runs = f"{len(self.raw_times)} measurement{'s' * (len(self.raw_times) > 1)}, {self.number_per_run} runs per measurement"
        return f"<torch.utils.benchmark.utils.common.Measurement object>\n{self.title}\n  {shown}\n  {runs}"


class Timer:
    """Times a statement, as Python's timeit does; on a GPU its work is waited for."""

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=_timer, globals=None, label=None,  # noqa: A002
                 sub_label=None, description=None, env=None, num_threads=1, language="python"):  # fmt: skip
        self._title = f"{label or stmt}{f': {sub_label}' * bool(sub_label)}"
        self._threads = num_threads
        self._timer = timeit.Timer(stmt, setup, timer, dict(globals or {}))

    def _run(self, number):
        from . import get_num_threads, set_num_threads

        before = get_num_threads()
        set_num_threads(self._threads)
        try:
            return self._timer.timeit(number)
        finally:
            set_num_threads(before)

    def timeit(self, number=1_000_000):
        """The time of `number` runs, after a few that warm up."""
        self._run(max(int(number // 100), 2))
        return Measurement(number, [self._run(number)], self._title)

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Times of equal blocks of runs, for so many seconds in all."""
        self._run(2)
        number, taken = 1, 0.0
        while (taken := self._run(number)) < min_run_time / 1000 and number < 10**9:
            number *= 10
        return self._blocks(number, taken, min_run_time, callback, lambda times: False)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Times of blocks until their spread is `threshold` of the median."""
        first = self.blocked_autorange(callback, min_run_time)
        number, left = first.number_per_run, max_run_time - sum(first.raw_times)
        settled = lambda times: (
            len(times) > 3 and Measurement(number, times, "").iqr < threshold * statistics.median(times) / number
        )
        return self._blocks(number, first.median * number, left, callback, settled, first.raw_times)

    def _blocks(self, number, taken, seconds, callback, is_enough, before=()):
        times = list(before)
        for _ in range(max(1, math.ceil(seconds / max(taken, 1e-9)))):
            if is_enough(times):
                break
            times.append(self._run(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._title)


modules(__package__, {
    "utils.benchmark": ("the time of a statement.", {"Timer": Timer, "Measurement": Measurement, "timer": _timer}),
})  # fmt: skip
