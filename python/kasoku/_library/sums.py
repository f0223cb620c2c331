"""Sums and what goes along an axis."""

import numpy as np

from . import calls
from .axes import axis_of
from .engine import call, reaches
from .shapes import swapaxes


def along(reduce, a, axis):
    """A reduction whose axis is known at run time."""
    if a.ndim == 1:
        if axis == 0 or axis == -1:
            return reduce(a)
    elif a.ndim == 2:
        if axis == 0 or axis == -2:
            return reduce(a, 0)
        if axis == 1 or axis == -1:
            return reduce(a, 1)
    elif a.ndim == 3:
        if axis == 0 or axis == -3:
            return reduce(a, 0)
        if axis == 1 or axis == -2:
            return reduce(a, 1)
        if axis == 2 or axis == -1:
            return reduce(a, 2)
    else:
        return a.reduction_along_an_axis_of_more()  # which compiled code does not have, and says so
    raise ValueError("axis is out of bounds")


def by_rows(reduce, a, axis):
    """A reduction of each row, where there is none along an axis."""
    if axis is None:
        return reduce(a)
    if a.ndim == 1:
        if axis != 0 and axis != -1:
            raise ValueError("axis is out of bounds")
        return reduce(a)
    if a.ndim == 2:
        if axis == 0 or axis == -2:
            return _of_rows(reduce, a.T)
        if axis == 1 or axis == -1:
            return _of_rows(reduce, a)
        raise ValueError("axis is out of bounds")
    n, m, k = a.shape
    if axis == 0 or axis == -3:
        out = np.empty((m, k), reduce(a[0, 0]).dtype)
        for i in range(m):
            for j in range(k):
                out[i, j] = reduce(a[:, i, j])
        return out
    if axis == 1 or axis == -2:
        out = np.empty((n, k), reduce(a[0, 0]).dtype)
        for i in range(n):
            for j in range(k):
                out[i, j] = reduce(a[i, :, j])
        return out
    if axis != 2 and axis != -1:
        raise ValueError("axis is out of bounds")
    out = np.empty((n, m), reduce(a[0, 0]).dtype)
    for i in range(n):
        for j in range(m):
            out[i, j] = reduce(a[i, j])
    return out


def _of_rows(reduce, rows):
    out = np.empty(rows.shape[0], reduce(rows[0]).dtype)
    for i in range(rows.shape[0]):
        out[i] = reduce(rows[i])
    return out


def in_dtype(reduce, a, axis=None, dtype=None):
    """A sum or a product that is computed and given in another dtype."""
    x = a.astype(dtype)
    return x.dtype.type(reduce(x) if axis is None else along(reduce, x, axis))


def mean_in_dtype(a, axis=None, dtype=None):
    total = in_dtype(np.sum, a, axis, dtype)
    return total.dtype.type(np.divide(total, a.size if axis is None else a.shape[axis]))


def into(function, x, out):
    """A ufunc with an array for the result."""
    out[:] = function(x)
    return out


def into_2(function, x, y, out):
    out[:] = function(x, y)
    return out


def sum_from(a, start):
    if isinstance(a, (int, float, complex)):
        raise TypeError("a number is not iterable")
    return sum(a) + start


def reduced(function, sequence, initial=None):
    if initial is None:
        if len(sequence) == 0:
            raise TypeError("reduce() of empty iterable with no initial value")
        total = sequence[0]
        for i in range(1, len(sequence)):
            total = function(total, sequence[i])
        return total
    total = initial
    for item in sequence:
        total = function(total, item)
    return total


def cumulative_sum(x, axis=None, dtype=None, include_initial=False):
    if include_initial:
        return _from(cumsum(x, axis, dtype), 0, axis)
    return cumsum(x, axis, dtype)


def cumulative_prod(x, axis=None, dtype=None, include_initial=False):
    if include_initial:
        return _from(cumprod(x, axis, dtype), 1, axis)
    return cumprod(x, axis, dtype)


def _from(x, first, axis):
    """The array with a number put before its elements along the axis."""
    return calls.insert(x, 0, x.dtype.type(first), 0 if axis is None else axis)


def add_accumulate(a, axis=0):
    return cumsum(a, axis)


def multiply_accumulate(a, axis=0):
    return cumprod(a, axis)


def maximum_accumulate(a, axis=0):
    return _running("cummax", np.maximum, a, axis, a.dtype)


def minimum_accumulate(a, axis=0):
    return _running("cummin", np.minimum, a, axis, a.dtype)


def accumulate(join, a, axis=0):
    """The scan of a ufunc for which the engine has no row."""
    if a.ndim == 1:
        return _running_loop(join, a, axis, join(a[0], a[0]).dtype)
    if a.ndim == 2:
        return _running_loop(join, a, axis, join(a[0, 0], a[0, 0]).dtype)
    return a.accumulate_of_more_axes()  # which compiled code does not have, and says so


def cumsum(a, axis=None, dtype=None):
    if dtype is None:
        return _running("cumsum", np.add, a, axis, a.sum().dtype)
    return _running("cumsum", np.add, a.astype(dtype), axis, a.astype(dtype).dtype)


def cumprod(a, axis=None, dtype=None):
    if dtype is None:
        return _running("cumprod", np.multiply, a, axis, a.prod().dtype)
    return _running("cumprod", np.multiply, a.astype(dtype), axis, a.astype(dtype).dtype)


def _running(name, join, a, axis, dtype):
    """Each element joined with what comes before it."""
    if axis is None:
        return _running(name, join, a.ravel(), 0, dtype)
    at = axis_of(axis, a.ndim)
    if a.ndim > 2:
        return call(name, a.astype(dtype), a.astype(dtype), at)
    if reaches(a.size > 4096):
        return call(name, a.astype(dtype), a.astype(dtype), at)
    return _running_loop(join, a, at, dtype)


def _running_loop(join, a, axis, dtype):
    out = np.empty(a.shape, dtype)
    if a.ndim == 1:
        for i in range(a.size):
            out[i] = dtype.type(a[i]) if i == 0 else join(out[i - 1], dtype.type(a[i]))
        return out
    source = a.T if axis == 0 else a[:, :]
    rows = out.T if axis == 0 else out[:, :]
    for i in range(source.shape[0]):
        rows[i, :] = _running_loop(join, source[i], 0, dtype)
    return out


def diff(a, n=1, axis=-1):
    if axis_of(axis, a.ndim) != a.ndim - 1:
        return call("diff", a - a if a.dtype != np.bool_ else a, a, n, axis)
    if n < 0:
        raise ValueError("diff(): order must be non-negative")
    if n == 1:
        return _steps(a)
    out = a.copy()
    for _ in range(n):
        out = _steps(out)
    return out


def _steps(a):
    if a.dtype == np.bool_:
        return a[..., 1:] != a[..., :-1]
    return a[..., 1:] - a[..., :-1]


def ediff1d(ary):
    x = ary.ravel()
    return x[1:] - x[:-1]


def _numbers_or(a, number):
    """The array with this number where it has NaN."""
    return np.where(a == a, a, a.dtype.type(number))


def nanmean(a):
    x = a.astype(a.mean().dtype)
    return x.dtype.type(np.divide(np.nansum(x), np.count_nonzero(x == x)))


def nanvar(a):
    x = a.astype(a.mean().dtype)
    away = np.abs(np.where(x == x, x - nanmean(x), x.dtype.type(0)))
    return away.dtype.type(np.divide((away * away).sum(), np.count_nonzero(x == x)))


def nanstd(a):
    return np.sqrt(nanvar(a))


def nancumsum(a, axis=None):
    return cumsum(_numbers_or(a, 0), axis)


def nancumprod(a, axis=None):
    return cumprod(_numbers_or(a, 1), axis)


def ptp(a):
    if a.dtype == np.bool_:
        return a.max(axis=0) - a.min(axis=0)  # which has no meaning, and says so
    return a.dtype.type(a.max() - a.min())


def average(a, axis=None, weights=None):
    if axis is not None and a.ndim > 1:
        return _average(a, axis, weights)
    if weights is None:
        return a.mean()
    if a.shape != weights.shape:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    total = weights.sum() * 1.0
    if total == 0.0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (a * total.dtype.type(1) * weights).sum() / total


def _average(a, axis, weights):
    if weights is None:
        return a.mean(axis=axis)
    if weights.ndim == a.ndim:
        return _weighted(a, axis, weights)
    at = axis_of(axis, a.ndim)
    if weights.shape[0] != a.shape[at]:
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    return _weighted(a, axis, swapaxes(swapaxes(np.ones(a.shape), at, -1) * weights, at, -1))


def _weighted(a, axis, weights):
    total = (weights * 1.0).sum(axis=axis)
    if np.any(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (a * weights).sum(axis=axis) / total


def _observations(m, rowvar):
    """Each variable a row."""
    if isinstance(m, (int, float, complex)) or m.ndim == 0:
        return np.broadcast_to(m, (1, 1))
    if m.ndim == 1:
        return m[None, :]
    return m if rowvar or m.shape[0] == 1 else m.T


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    if y is not None:
        both = np.concatenate((_observations(m, rowvar), _observations(y, rowvar)))
        return _covariance(both, bias, ddof)
    if isinstance(m, (int, float, complex)) or m.ndim < 2:
        return _covariance(_observations(m, rowvar), bias, ddof)[0, 0]
    return _covariance(m if rowvar else m.T, bias, ddof)


def _covariance(x, bias, ddof):
    less = 0 if bias else 1
    if ddof is not None:
        less = ddof
    x = x.astype(np.result_type(x, np.float64))
    away = x - x.mean(axis=1)[:, None]
    return _products(away) * np.divide(1.0, max(x.shape[1] - less, 0))


def _products(x):
    """The products of each row with each."""
    if x.dtype in (np.complex64, np.complex128):
        return np.dot(x, np.conj(x.T))
    return np.dot(x, x.T)


def corrcoef(x, y=None, rowvar=True):
    return _correlation(cov(x, y, rowvar))


def _correlation(c):
    if isinstance(c, (float, complex)):
        return np.divide(c, c)
    deviation = np.sqrt(np.abs(np.diag(c)))
    out = c / deviation[:, None] / deviation[None, :]
    _clip_parts(out)
    return out


def _clip_parts(z):
    if z.dtype == np.complex128:
        z.real[:, :] = np.clip(z.real, -1.0, 1.0)
        z.imag[:, :] = np.clip(z.imag, -1.0, 1.0)
    else:
        z[:, :] = np.clip(z, -1.0, 1.0)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    if axis_of(axis, y.ndim) != y.ndim - 1:
        return call("trapezoid", (y[0] * 1.0), y, x, dx, axis)
    if x is not None:
        return _areas(y, diff(x)).sum(axis=-1)
    return _areas(y, dx).sum(axis=-1)


def _areas(y, steps):
    return steps * (y[..., 1:] + y[..., :-1]) / 2.0


def add_reduce(a):
    return a.sum(axis=0)


def multiply_reduce(a):
    return a.prod(axis=0)


def maximum_reduce(a):
    return a.max(axis=0)


def minimum_reduce(a):
    return a.min(axis=0)
