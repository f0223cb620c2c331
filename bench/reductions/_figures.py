"""Reductions of float32 arrays, for whoever has NumPy's names. A reduction reads each element once: its limit is the
memory's bandwidth, on an H100 3.0 and on an H200 4.4 TB/s of what a plain copy reads and writes."""

import contextlib

from timing import best, warm

CPU, CUDA = (1 << 24, 4096), (1 << 28, 16384)


def figures(x, synchronize, place, at_once=contextlib.nullcontext):
    """figure -> GB/s, or TB/s on a GPU; x is one axis of random numbers whose length is a square. In `at_once()` what nobody
    reads is computed too."""
    side = round(len(x) ** 0.5)
    square = x.reshape(side, side)
    scale = 1e12 if place == "cuda" else 1e9
    times = 20 if place == "cuda" else 1

    def rate(call):
        def several():
            for _ in range(times):
                call()
            synchronize()

        with at_once():
            warm(several)  # a GPU that had nothing to do has slow clocks
            return 4 * len(x) * times / best(several, 7) / scale

    found = {
        "sum": rate(lambda: x.sum()),
        "sum along axis 0": rate(lambda: square.sum(0)),
        "sum along axis 1": rate(lambda: square.sum(1)),
        "max along axis 0": rate(lambda: amax(square, 0)),
        "standard deviation of rows": rate(lambda: square.std(1)),
        "argmax of rows": rate(lambda: square.argmax(1)),
        "sum of neighbours in pairs": rate(lambda: x.reshape(-1, 2).sum(1)),
    }
    few = x[:10]
    float(few.sum())

    def many():
        for _ in range(100):
            float(few.sum())

    found["float(x.sum()) of 10"] = best(many, 20) / 100 * 1e6
    return {f"{name}, {place}": value for name, value in found.items()}


def amax(x, axis):
    return x.amax(axis) if hasattr(x, "amax") else x.max(axis)
