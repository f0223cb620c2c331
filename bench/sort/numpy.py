import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _figures import figures
from timing import report

rng = np.random.default_rng(1)


def make(shape, dtype):
    return (rng.random(shape) * (1 if dtype == "float32" else 2.0**62)).astype(dtype)


functions = {
    "sort": np.sort,
    "argsort": np.argsort,
    "unique": np.unique,
    "median": np.median,
    "top 10": lambda x: np.sort(x[np.argpartition(x, x.size - 10)[-10:]]),
}
report(figures("cpu", functions, make))
