import random

import kasoku as ks
import numpy as np
from timing import best, report


def serial(n):
    count = 0
    for _ in range(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            count += 1
    return 4 * count / n


@ks.jit
def parallel(n):
    count = 0
    for _ in ks.prange(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            count += 1
    return 4 * count / n


@ks.jit
def offloaded(n, where):
    count = 0
    for _ in ks.prange(n):
        x, y = np.float32(random.random()), np.float32(random.random())
        if x * x + y * y < np.float32(1):
            count += 1
    where[0] = count


def on_gpu(n):
    offloaded(n, where)
    return 4 * int(where[0]) / n


def arrays(dtype):
    def pi(n):
        x, y = ks.random.rand(n, dtype=dtype), ks.random.rand(n, dtype=dtype)
        return 4 * int(ks.count_nonzero(x * x + y * y < 1.0)) / n

    return pi


def rate(pi, n):
    pi(n)  # compiles, and wakes the processor up
    return n / best(lambda: pi(n), 5) / 1e6


ks.default_device("cpu")
figures = {
    "loop, one core": rate(ks.jit(serial), 20_000_000),
    "loop, all cores": rate(parallel, 50_000_000),
    "arrays float64, CPU": rate(arrays("float64"), 20_000_000),
    "arrays float32, CPU": rate(arrays("float32"), 20_000_000),
}
if ks.has_device("cuda"):
    ks.default_device("cuda")
    for dtype in ("float32", "float64"):
        figures[f"arrays {dtype}, cuda"] = rate(arrays(dtype), 1_000_000_000)
    where = ks.zeros(1, dtype="int64")
    figures["loop, float32, cuda"] = rate(on_gpu, 1_000_000_000)
report(figures)
