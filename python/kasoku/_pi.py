"""π by Monte Carlo in every way that there is here: what `kasoku compare` runs without a file.

A file for `kasoku compare` looks like this one: functions of the number of samples, or APPROACHES
(name -> function) where the names are to be nicer; REFERENCE and SIGMA say what is right.
"""

import importlib
import importlib.util
import math
import os
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import kasoku as ks

REFERENCE = math.pi
SIGMA = math.sqrt(math.pi * (4 - math.pi))  # of four times one sample's hit or miss
CORES = len(os.sched_getaffinity(0))


def python_loop(n):
    count = 0
    for _ in range(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            count += 1
    return 4 * count / n


def parallel_loop(n):
    count = 0
    for _ in ks.prange(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            count += 1
    return 4 * count / n


def with_numpy(n):
    x, y = np.random.rand(n), np.random.rand(n)
    return 4 * np.count_nonzero(x * x + y * y < 1.0) / n


def with_arrays(n):
    x, y = ks.random.rand(n), ks.random.rand(n)
    return 4 * int(ks.count_nonzero(x * x + y * y < 1.0)) / n


def in_parts(pi, parts, map_):
    """The mean of `parts` estimates, made by a map of whatever kind."""
    return lambda n: sum(map_(pi, [max(n // parts, 1)] * parts)) / parts


jitted = ks.jit(python_loop)
delayed_mean = ks.delayed(lambda values: sum(values) / len(values))
delayed_pi = ks.delayed(jitted)
pool = ks.Pool(CORES)
threads = ThreadPoolExecutor(CORES)

APPROACHES = {
    "python": python_loop,
    "numpy": with_numpy,
    f"numpy, {CORES} threads": in_parts(with_numpy, CORES, threads.map),
    "kasoku jit": jitted,
    "kasoku jit, prange": ks.jit(parallel_loop),
    "kasoku array": with_arrays,
    "kasoku delayed, m=3": lambda n: delayed_mean([delayed_pi(max(n // 3, 1)) for _ in range(3)]).compute(),
    f"kasoku jit, pool of {CORES}": in_parts(jitted, CORES, pool.map),
}


# ── peers: the real packages, where they are installed ────────────────────────────────────


def numba(package):
    yield "numba njit", package.njit(nogil=True)(python_loop)
    names = {"prange": package.prange, "random": random}
    text = "def parallel(n):\n    count = 0\n    for _ in prange(n):\n"
    text += "        x, y = random.random(), random.random()\n"
    text += "        if x * x + y * y < 1.0:\n            count += 1\n    return 4 * count / n\n"
    exec(text, names)
    yield "numba njit, parallel", package.njit(parallel=True)(names["parallel"])


def cupy(package):
    def pi(n):
        x, y = package.random.rand(n), package.random.rand(n)
        return 4 * int(package.count_nonzero(x * x + y * y < 1.0)) / n

    pi(1)  # without a GPU it is installed and does not run
    yield "cupy", pi


def torch(package):
    for device in ["cpu"] + (["cuda"] if package.cuda.is_available() else []):

        def pi(n, device=device):
            x, y = package.rand(n, device=device), package.rand(n, device=device)
            return (4 * package.sum(x * x + y * y < 1.0) / n).item()

        yield f"torch on {device}", pi


def tensorflow(package):
    def pi(n):
        x, y = package.random.uniform([n]), package.random.uniform([n])
        return 4 * int(package.reduce_sum(package.cast(x * x + y * y < 1.0, package.int64))) / n

    yield "tensorflow", pi


def jax(package):
    key = [package.random.key(1)]

    @package.jit
    def count(x, y):
        return (x * x + y * y < 1.0).sum()

    def pi(n):
        key[0], a, b = package.random.split(key[0], 3)
        return 4 * int(count(package.random.uniform(a, (n,)), package.random.uniform(b, (n,)))) / n

    yield "jax", pi


def dask(package):
    delayed = importlib.import_module("dask").delayed
    mean = delayed(lambda values: sum(values) / len(values))
    yield (
        "dask delayed of numpy, m=3",
        lambda n: mean([delayed(with_numpy)(max(n // 3, 1)) for _ in range(3)]).compute(scheduler="threads"),
    )


for peer in (numba, cupy, torch, tensorflow, jax, dask):
    if importlib.util.find_spec(peer.__name__) is not None:
        try:
            APPROACHES.update(peer(importlib.import_module(peer.__name__)))
        except Exception:  # noqa: BLE001 - installed but not able to run here: it is not a peer then
            pass
