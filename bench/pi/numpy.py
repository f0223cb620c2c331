import numpy as np
from timing import best, report


def arrays(n):
    x, y = np.random.rand(n), np.random.rand(n)
    return 4 * np.count_nonzero(x * x + y * y < 1.0) / n


n = 10_000_000
report({"arrays float64, CPU": n / best(lambda: arrays(n), 3) / 1e6})
