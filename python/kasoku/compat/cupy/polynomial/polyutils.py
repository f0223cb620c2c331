"""cupy.polynomial.polyutils: series of coefficients, without zeros at the end."""

import operator

import numpy as np

import kasoku as ks

from .. import _arrays


def _without_end(c, is_end):
    """The coefficients up to the last one that is no end; the first one at least."""
    kept = ks.flatnonzero(ks.logical_not(is_end))
    return c[: int(kept[-1]) + 1 if kept.size else 1]


def trimseq(seq):
    """The coefficients without zeros at the end."""
    if not isinstance(seq, ks.Array):
        raise TypeError(f"cupy.polynomial: a series is a cupy.ndarray, not a {type(seq).__name__}")
    if seq.ndim == 0:
        raise TypeError("cupy.polynomial: a series is a row, not a number")
    if seq.ndim > 1:
        raise ValueError(f"cupy.polynomial: a series has one axis, not {seq.ndim}")
    return seq if seq.size == 0 else _without_end(seq, seq == 0)


def as_series(alist, trim=True):
    """The arrays as series of one dtype, a float or complex one."""
    arrays = [_arrays.array(a, ndmin=1, copy=False) for a in alist]
    for a in arrays:
        if a.size == 0:
            raise ValueError("cupy.polynomial: a series has one coefficient at least")
        if a.ndim != 1:
            raise ValueError(f"cupy.polynomial: a series has one axis, not {a.ndim}")
        if a.dtype.kind == "b":
            raise ValueError("cupy.polynomial: coefficients are numbers, not bools")
    if trim:
        arrays = [trimseq(a) for a in arrays]
    dtype = np.result_type(*(a.dtype for a in arrays))
    if dtype.kind not in "fc":
        dtype = np.dtype(float)
    return [_arrays.array(a, dtype) for a in arrays]


def trimcoef(c, tol=0):
    """The coefficients without those at the end that are not above `tol`."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    (c,) = as_series([c], trim=False)
    small = abs(c) <= tol
    return c[:1] * 0 if bool(small.all()) else _without_end(c, small)


def whole(value, name):
    """An argument that is a whole number, not below 0."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if value < 0:
        raise ValueError(f"{name} must be non-negative")
    return value
