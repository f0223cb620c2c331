import os
import shutil
import sys

from timing import compile_cpp, skip

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _neighbours import long, measured, short  # noqa: E402

if not shutil.which("g++"):
    skip("g++ is not installed")


def programs():
    import ctypes

    import numpy as np

    library = ctypes.CDLL(
        compile_cpp(os.path.join(os.path.dirname(os.path.abspath(__file__)), "loop.cpp"), "-fno-math-errno")
    )
    library.loop.argtypes = [np.ctypeslib.ndpointer(np.float64)] * 2 + [ctypes.c_int64]
    x, y = np.random.rand(long), np.empty(long)
    return {"loop": lambda: library.loop(x, y, long), "short loop": lambda: library.loop(x, y, short)}


measured(__file__, "OMP_NUM_THREADS", programs)
