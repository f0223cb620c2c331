import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import CPU, names, rate
from timing import report

found = {}
for n in CPU:
    x, y = (np.random.default_rng(k).random(n, dtype=np.float32) for k in range(2))
    found[names(n)] = rate(lambda x, y: np.sin(x) * np.exp(-x) + np.sqrt(x * y), x, y) / 1e9
    found[names(n) + ", shared with NumPy"] = found[names(n)]
report(found)
