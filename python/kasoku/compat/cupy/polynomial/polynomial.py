"""cupy.polynomial.polynomial: what is computed of power series."""

import numpy as np

import kasoku as ks

from .. import _arrays
from . import polyutils as _utils


def polyvander(x, deg):
    """The powers 0 … deg of each element, along a new last axis."""
    deg = _utils.whole(deg, "degree")
    x = _arrays.array(x, ndmin=1, copy=False)
    x = x.astype(np.result_type(x.dtype, float) if x.dtype.kind not in "fc" else x.dtype, copy=False)
    powers = ks.arange(deg + 1, device=x.device).astype(x.dtype).reshape(-1, *(1,) * x.ndim)
    return ks.moveaxis(ks.power(x, powers), 0, -1)


def polycompanion(c):
    """The matrix whose eigenvalues are the roots."""
    (c,) = _utils.as_series([c])
    n = c.size - 1
    if n < 1:
        raise ValueError("Series must have maximum degree of at least 1.")
    matrix = ks.eye(n, k=-1, dtype=c.dtype, device=c.device)
    matrix[:, -1] -= c[:-1] / c[-1]
    return matrix


def polyval(x, c, tensor=True):
    """The values at points of a series, by Horner's rule; of several series along the first axis of `c`."""
    x, c = _arrays.asarray(x), _arrays.array(c, ndmin=1, copy=False)
    if c.dtype.kind not in "fc":
        c = c.astype(float)
    if tensor and x.ndim:
        c = c.reshape(c.shape + (1,) * x.ndim)
    value = c[-1] + x * 0
    for k in range(c.shape[0] - 2, -1, -1):
        value = c[k] + value * x
    return value


def polyvalfromroots(x, r, tensor=True):
    """The product of x - r over the roots along the first axis of `r`."""
    x, r = _arrays.asarray(x), _arrays.array(r, ndmin=1, copy=False)
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    elif x.ndim >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return ks.prod(x - r, axis=0)


def polyroots(c):
    """The roots of a series, in order."""
    (c,) = _utils.as_series([c])
    if c.size < 3:
        return -c[:-1] / c[1:]
    return ks.sort(ks.linalg.eigvals(polycompanion(c)))
