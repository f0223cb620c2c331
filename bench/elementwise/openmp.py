import ctypes
import os
import shutil

import numpy as np
from timing import best, compile_cpp, report, skip

if not shutil.which("g++"):
    skip("g++ is not installed")
library = ctypes.CDLL(compile_cpp(os.path.join(os.path.dirname(__file__), "openmp.cpp")))
n, nx, ny, small = 1 << 24, 4096, 4096, 1 << 14
x, y, z = (np.ones(n, np.float32) for _ in range(3))
px, py, pz = (ctypes.c_void_p(v.ctypes.data) for v in (x, y, z))
a = ctypes.c_float(0.5)


def rate(f, elements, repeats=15, number=1):
    f()
    return 3 * 4 * elements / best(f, repeats, number) / 1e9


axpy = rate(lambda: library.axpy(n, a, px, py), n)
report(
    {
        "y = a * x + y, guarded": axpy,
        "y = a * x + y, grid-stride": axpy,
        "c = a + b, two-dimensional": rate(lambda: library.add_2d(nx, ny, pz, px, py), n),
        "in cache, y = a * x + y": rate(lambda: library.axpy(small, a, px, py), small, 15, 200),
    }
)
