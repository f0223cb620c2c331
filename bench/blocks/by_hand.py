import ctypes
import os
import shutil
import sys


sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _sizes import a, b, bins, bytes_, check, data, matrix, n, out, product, side, square, sums, turned, work, x
from timing import best, compile_cpp, report, skip, warm_rounds

if not shutil.which("g++"):
    skip("g++ is not installed")
library = ctypes.CDLL(compile_cpp(os.path.join(os.path.dirname(os.path.abspath(__file__)), "by_hand.cpp")))
pointer = lambda v: ctypes.c_void_p(v.ctypes.data)  # noqa: E731
long = ctypes.c_int64
calls = {
    "reduction, tree": (lambda: library.reduce(long(n // 256), pointer(x), pointer(sums)), sums),
    "reduction, shuffle": (lambda: library.reduce_warps(long(n // 256), pointer(x), pointer(sums)), sums),
    "matmul, 16 x 16 tiles": (lambda: library.matmul(pointer(a), pointer(b), pointer(product), matrix), product),
    "transpose, 32 x 32 tiles": (lambda: library.transpose(pointer(square), pointer(turned), side), turned),
    "stencil, shared memory": (lambda: library.stencil(pointer(x), pointer(out), long(n)), out),
    "scan, blocks of 512": (lambda: library.scan(long(n // 512), pointer(x), pointer(out)), out),
    "histogram, shared bins": (lambda: library.histogram(pointer(data), pointer(bins), long(bytes_)), bins),
}
figures = {}
for figure, (call, output) in calls.items():
    output[...] = 0
    call()
    check(figure, output)
    figures[figure] = work[figure] / best(call, warm_rounds)
report(figures)
