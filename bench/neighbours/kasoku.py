import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _neighbours import long, measured, short  # noqa: E402


def programs():
    import kasoku as ks
    import numpy as np

    ks.default_device("cpu")

    @ks.njit(parallel=True)
    def loop(x, y):
        for i in ks.prange(x.size):
            y[i] = np.sqrt(x[i]) + 0.5 * x[i] * x[i]

    x, y = np.random.rand(long), np.empty(long)
    a, w = (ks.array(np.random.rand(*shape).astype("f")) for shape in ((64, 1000), (1000, 100)))

    def statements():
        """As a tutorial's network has them: products, what is above 0, a loss."""
        h = ks.maximum(a @ w, 0)
        return float(((h @ w.T - a) ** 2).sum())

    return {
        "loop": lambda: loop(x, y),
        "short loop": lambda: loop(x[:short], y[:short]),
        "statements over arrays": statements,
    }


measured(__file__, "KASOKU_NUM_THREADS", programs)
