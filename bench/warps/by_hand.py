import ctypes
import os
import shutil
import sys

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(here)
from _sizes import begins, check, columns, early, n, rows, segments, work, x, y
from timing import best, compile_cpp, report, skip, warm_rounds

if not shutil.which("g++"):
    skip("g++ is not installed")
# Mathematics as exact as a kernel's; vectors of exp come from glibc.
library = ctypes.CDLL(compile_cpp(os.path.join(here, "by_hand.cpp"), "-ffast-math"))
out, sums, of_segments = np.zeros_like(x), np.zeros(n // 256, np.float32), np.zeros(segments, np.float32)
count, product = np.zeros(1, np.uint32), np.zeros(1, np.float32)
p = lambda v: ctypes.c_void_p(v.ctypes.data)  # noqa: E731
long = ctypes.c_int64


def compact():
    count[0] = 0
    library.compact(long(n), p(x), p(out), p(count))


calls = {
    "scan by shuffles": (lambda: library.scan(long(n // 256), p(x), p(out)), out),
    "cub::BlockReduce": (lambda: library.sums(long(n // 256), p(x), p(sums)), sums),
    "compaction by ballots": (compact, out),
    "bitonic sort of 512": (lambda: library.bitonic(long(n // 512), p(x), p(out)), out),
    "softmax of rows, block each": (lambda: library.softmax(long(rows), columns, p(x), p(out)), out),
    "layer norm of rows, warp each": (lambda: library.layer_norm(long(rows), columns, p(x), p(out)), out),
    "sums of segments, warp each": (
        lambda: library.segments(long(segments), p(x), p(begins), p(of_segments)),
        of_segments,
    ),
    "dot product": (lambda: library.dot(long(n), p(x), p(y), p(product)), product),
    "return before a barrier": (lambda: library.pairs(long(early), p(x), p(out)), out),
    "shuffle of some lanes": (lambda: library.partly(long(n), p(x), p(out)), out),
}
figures = {}
for figure, (call, output) in calls.items():
    output[...] = 0
    call()
    check(figure, output)
    figures[figure] = work[figure] / best(call, warm_rounds)
report(figures)
