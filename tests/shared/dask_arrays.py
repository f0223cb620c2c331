"""Arrays in chunks beside NumPy's, of which tests of dask.array ask."""

import numpy as np
from kasoku.compat.dask import array as da

rng = np.random.default_rng(1)
a, b = rng.standard_normal((60, 40)), rng.standard_normal((60, 40))
x, y = da.from_array(a, chunks=(20, 25)), da.from_array(b, chunks=(30, 20))
an = np.where(a > 1, np.nan, a)
xn = da.from_array(an, chunks=(20, 25))
v = rng.standard_normal(50)
w = da.from_array(v, chunks=13)


def setm(x, i, val):
    x = x.copy()
    x[i] = val
    return x
