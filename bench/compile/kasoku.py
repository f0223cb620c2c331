"""Each figure is the time of the first launch of a text that was never seen."""

import os
import sys
import time

from timing import fresh_cache, in_new_process, median, report

fresh_cache()

plus_one = """
import time, sys, kasoku as ks
x = ks.zeros(10, dtype="int32", device="cpu"); y = ks.zeros(10, dtype="int32", device="cpu")
def one(k):
    t = time.perf_counter()
    f = ks.ElementwiseKernel("int *x, int *y", f"y[i] = x[i] + {k}", "plus_one")
    f(x, y)
    return time.perf_counter() - t
"""
first = median([in_new_process(plus_one + f"print(one({k}))") for k in range(1, 6)])
cached = median([in_new_process(plus_one + f"print(one({k}))") for k in range(1, 6)])

import kasoku as ks  # noqa: E402

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _text import text  # noqa: E402

x = ks.zeros(10, dtype="int32", device="cpu")
y = ks.zeros(10, dtype="int32", device="cpu")


def elementwise(k):
    start = time.perf_counter()
    ks.ElementwiseKernel("int *x, int *y", f"y[i] = x[i] + {k}", "plus_one")(x, y)
    return time.perf_counter() - start


def raw(k, a, b, c):
    start = time.perf_counter()
    f = ks.RawModule(code=text % k).get_function("add_two_array_2d")
    f((1, 1), (16, 16), (5, 2, a, b, c))
    return time.perf_counter() - start


def warm(device):
    arrays = [ks.zeros(10, dtype="float32", device=device) for _ in range(3)]
    with ks.default_device(device):
        raw(100, *arrays)
        return median([raw(101 + k, *arrays) for k in range(9)])


elementwise(100)
figures = {
    "first compile of a process": first * 1e3,
    "plus_one, warm process": median([elementwise(101 + k) for k in range(9)]) * 1e3,
    "add_two_array_2d, warm process": warm("cpu") * 1e3,
    "from the disk cache": cached * 1e3,
}
if ks.has_device("cuda"):
    figures["add_two_array_2d, cuda"] = warm("cuda") * 1e3
report(figures)
