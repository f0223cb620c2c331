"""π by every face, as the talk's programs write it. Run with samples and a number of threads, it runs the face that each
line of its input names, so many samples in each thread, and answers with a line."""

import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import kasoku as ks
from kasoku.compat import cupy as cp
from kasoku.compat import tensorflow as tf
from kasoku.compat import torch
from kasoku.compat.dask import delayed
from kasoku.compat.numba import njit


def arrays(n):
    x, y = ks.random.rand(n), ks.random.rand(n)
    return 4 * int(ks.count_nonzero(x * x + y * y < 1.0)) / n


@njit(nogil=True)
def loop(n):
    count = 0
    for _ in range(n):
        x, y = random.random(), random.random()
        if x * x + y * y < 1.0:
            count += 1
    return 4 * count / n


def cupy_pi(n):
    x, y = cp.random.rand(n), cp.random.rand(n)
    return 4 * int(cp.count_nonzero(x * x + y * y < 1.0)) / n


place = "cuda" if torch.cuda.is_available() and os.environ.get("KASOKU_DEVICE", "").startswith("cuda") else "cpu"


def torch_pi(n):
    x, y = torch.rand(n, device=place), torch.rand(n, device=place)
    return (4 * torch.sum(x * x + y * y < 1.0) / n).item()


def tf_pi(n):
    x, y = tf.random.uniform([n]), tf.random.uniform([n])
    return 4 * int(tf.reduce_sum(tf.cast(x * x + y * y < 1.0, tf.int64))) / n


@tf.function
def tf_graph(n):
    inside = tf.square(tf.random.uniform([n])) + tf.square(tf.random.uniform([n])) < 1.0
    return tf.reduce_sum(tf.cast(inside, tf.int64))


faces = {
    "arrays": arrays,
    "numba, nogil": loop,
    "cupy": cupy_pi,
    "torch": torch_pi,
    "tensorflow, eager": tf_pi,
    "tensorflow, function": lambda n: 4 * int(tf_graph(n)) / n,
}
mean = delayed(lambda values: sum(values) / len(values))


def delayed_pi(n, parts):
    return mean([delayed(loop)(n // parts) for _ in range(parts)]).compute(num_workers=parts)


def threads_pi(n, parts, pool):
    return sum(pool.map(loop, [n // parts] * parts)) / parts


if __name__ == "__main__":
    samples, count = int(float(sys.argv[1])), int(sys.argv[2])
    with ThreadPoolExecutor(count) as pool, ThreadPoolExecutor(3) as three:
        calls = {name: lambda pi=pi: list(pool.map(pi, [samples] * count)) for name, pi in faces.items()}
        calls["dask"] = lambda: delayed_pi(count * samples, count)
        calls["m=3, delayed"] = lambda: delayed_pi(3 * samples, 3)
        calls["m=3, threads"] = lambda: threads_pi(3 * samples, 3, three)
        print("ready", flush=True)
        for line in sys.stdin:
            calls[line.rstrip()]()
            print(flush=True)
