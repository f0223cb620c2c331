import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures
from timing import report


def made(n, dtype):
    if dtype == "bfloat16":
        return None
    x, y = ((np.random.default_rng(k).random(n) * 3).astype(dtype) for k in range(2))
    return lambda: x + y


report(figures(made, lambda: None, "cpu"))
