import os
import sys

import kasoku as ks
import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import CPU, CUDA, names, rate
from timing import report


def expression(x, y):
    return ks.eval(ks.sin(x) * ks.exp(-x) + ks.sqrt(x * y))


found = {}
with ks.default_device("cpu"):
    for n in CPU:
        x, y = (ks.random.rand(n, dtype="float32") for _ in range(2))
        ks.eval(x, y)
        found[names(n)] = rate(expression, x, y) / 1e9
        x, y = ks.asarray(np.asarray(x)), ks.asarray(np.asarray(y))
        found[names(n) + ", shared with NumPy"] = rate(expression, x, y) / 1e9
if ks.has_device("cuda"):
    with ks.default_device("cuda"):
        x, y = (ks.random.rand(CUDA, dtype="float32") for _ in range(2))
        ks.eval(x, y)
        found["sin exp sqrt, cuda"] = rate(expression, x, y, ks.synchronize, 10) / 1e12
        try:
            import torch

            x, y = (ks.from_dlpack(torch.rand(CUDA, device="cuda")) for _ in range(2))
            found["sin exp sqrt, imported, cuda"] = rate(expression, x, y, ks.synchronize, 10) / 1e12
        except ImportError:
            pass
report(found)
