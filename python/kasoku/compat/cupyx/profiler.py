"""cupyx.profiler: how long calls take."""

import contextlib
import math
import time

import numpy as np

from ... import Array, eager, eval
from .._face.table import modules
from ..cupy import cuda


class _PerfCaseResult:
    """Seconds of each call: cpu_times until it returned, gpu_times until its work was done."""

    def __init__(self, name, ts, devices):
        self.name, self._ts, self._devices = name, ts, devices

    cpu_times = property(lambda self: self._ts[0])
    gpu_times = property(lambda self: self._ts[1:])

    def to_str(self, show_gpu=False):
        rows = [("CPU", self.cpu_times)]
        if show_gpu:
            rows += [(f"GPU-{d}", t) for d, t in zip(self._devices, self.gpu_times)]
        parts = [
            f"{kind}: {t.mean() * 1e6:9.3f} us" + (
                f"   +/- {t.std() * 1e6:6.3f} (min: {t.min() * 1e6:9.3f} / max: {t.max() * 1e6:9.3f}) us" if t.size > 1 else "")
            for kind, t in rows if t.size
        ]  # fmt: skip
        return f"{self.name:<20s}:    " + "     ".join(parts)

    __str__ = lambda self: self.to_str(show_gpu=True)

    __repr__ = __str__


def benchmark(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10,  # noqa: B006
              max_duration=math.inf, devices=None):  # fmt: skip
    """Calls func so often, after calls that are not counted. Each statement is computed where it stands, also one whose
    value nobody reads: what is measured is what CuPy would do."""
    if not callable(func):
        raise ValueError("`func` should be a callable object.")
    if not isinstance(args, tuple):
        raise ValueError("`args` should be of tuple type.")
    if not isinstance(kwargs, dict):
        raise ValueError("`kwargs` should be of dict type.")
    devices = (cuda.get_device_id(),) if devices is None else devices
    with eager():
        ts = _seconds(lambda: func(*args, **kwargs), n_repeat, n_warmup, max_duration)
    name = name or getattr(func, "__name__", None) or getattr(func, "name", None) or type(func).__name__
    return _PerfCaseResult(name, np.array([ts[0], *[ts[1]] * len(devices)]), devices)


def _computed(result):
    eval(*(a for a in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(a, Array)))


def _seconds(call, n_repeat, n_warmup, max_duration):
    """(seconds of the calls, seconds until their work was done)"""
    for _ in range(n_warmup):
        _computed(call())
    start, end = cuda.Event(), cuda.Event()
    cuda.synchronize()
    cpu, gpu, spent = [], [], 0
    for _ in range(n_repeat):
        start.record()
        before = time.perf_counter()
        result = call()
        cpu.append(time.perf_counter() - before)
        _computed(result)
        end.record()
        end.synchronize()
        gpu.append(cuda.get_elapsed_time(start, end) * 1e-3)
        spent += time.perf_counter() - before
        if spent > max_duration:
            break
    return cpu, gpu


class time_range(contextlib.ContextDecorator):
    """Marks a stretch of the program by cupy.cuda.nvtx, or the calls of a function, by its name if there is no other."""

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if not cuda.nvtx.available:
            raise RuntimeError("nvtx is not installed")
        if color_id is not None and argb_color is not None:
            raise ValueError("time_range takes a color_id or an argb_color, not both")
        self.message, self.color_id, self.argb_color, self.sync = message, color_id, argb_color, sync

    def __call__(self, function):
        if self.message is None:
            self.message = function.__name__
        return super().__call__(function)

    def __enter__(self):
        if self.argb_color is not None:
            cuda.nvtx.RangePushC(self.message, self.argb_color)
        else:
            cuda.nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        return self

    def __exit__(self, *_):
        if self.sync:
            cuda.synchronize()
        cuda.nvtx.RangePop()


@contextlib.contextmanager
def profile():
    """Calls cupy.cuda.runtime's profilerStart and profilerStop, which are accepted: no profiler is started."""
    cuda.runtime.profilerStart()
    try:
        yield
    finally:
        cuda.runtime.profilerStop()


modules(__name__, {"_time": ("what benchmark() gives, under the name of CuPy's inner module.", {
    "_PerfCaseResult": _PerfCaseResult, "benchmark": benchmark})})  # fmt: skip
