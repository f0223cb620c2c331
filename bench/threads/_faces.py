"""π by every face, as the talk's programs write it. Run with numbers of threads, it prints {face: {threads: samples a second}};
with none, it runs the face that each line of its input names."""

import json
import os
import random
import sys
import time
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


def fastest(call, seconds=1.0, least=5):
    call(), call()
    best, end, done = float("inf"), time.perf_counter() + seconds, 0
    while done < least or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        best, done = min(best, time.perf_counter() - begin), done + 1
    return best


def rates(samples, counts):
    """Each thread takes `samples`."""
    result = {name: {} for name in [*faces, "dask"]}
    for count in counts:
        with ThreadPoolExecutor(count) as pool:
            for name, pi in faces.items():
                result[name][count] = count * samples / fastest(lambda: list(pool.map(pi, [samples] * count)))
            result["dask"][count] = count * samples / fastest(lambda: delayed_pi(count * samples, count))
    return result


def m3(samples):
    """(delayed, three plain threads), seconds, taken in turns."""
    with ThreadPoolExecutor(3) as pool:
        both = [lambda: delayed_pi(samples, 3), lambda: threads_pi(samples, 3, pool)]
        best = [float("inf")] * 2
        for _ in range(60):
            for k, call in enumerate(both):
                begin = time.perf_counter()
                call()
                best[k] = min(best[k], time.perf_counter() - begin)
    return best


if __name__ == "__main__":
    samples, counts = int(float(sys.argv[1])), [int(count) for count in sys.argv[2:]]
    if not counts:
        faces["dask"] = lambda n: delayed_pi(n, 1)
        print(json.dumps(list(faces)), flush=True)
        for line in sys.stdin:
            faces[line.rstrip()](samples)
            print(flush=True)
        raise SystemExit
    print(json.dumps({"rates": rates(samples, counts), "m3": m3(3 * samples)}))
