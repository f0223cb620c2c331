import importlib.util
import os
import sys

from timing import skip

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _neighbours import long, measured, short  # noqa: E402

if not importlib.util.find_spec("numba"):
    skip("numba is not installed")


def programs():
    import numpy as np
    from numba import njit, prange

    @njit(parallel=True)
    def loop(x, y):
        for i in prange(x.size):
            y[i] = np.sqrt(x[i]) + 0.5 * x[i] * x[i]

    x, y = np.random.rand(long), np.empty(long)
    return {"loop": lambda: loop(x, y), "short loop": lambda: loop(x[:short], y[:short])}


measured(__file__, "NUMBA_NUM_THREADS", programs)
