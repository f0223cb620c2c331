import importlib.util
import random

from timing import best, report, skip

if importlib.util.find_spec("numba") is None:
    skip("numba is not installed")
from numba import njit, prange


@njit
def serial(n):
    count = 0
    for _ in range(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            count += 1
    return 4 * count / n


@njit(parallel=True)
def parallel(n):
    count = 0
    for _ in prange(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            count += 1
    return 4 * count / n


def rate(pi, n):
    pi(1000)  # compiles
    return n / best(lambda: pi(n), 5) / 1e6


report({"loop, one core": rate(serial, 20_000_000), "loop, all cores": rate(parallel, 50_000_000)})
