"""Sums and what goes along an axis."""

import numpy as np


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


def in_dtype(reduce, a, dtype):
    return reduce(a.astype(dtype))


def into(function, x, out):
    """A ufunc with an array for the result."""
    out[:] = function(x)
    return out


def into_2(function, x, y, out):
    out[:] = function(x, y)
    return out


def sum_from(a, start):
    return sum(a) + start


def cumsum(a, axis=None):
    if axis is not None and (axis < -a.ndim or axis >= a.ndim):
        raise ValueError("axis is out of bounds")
    if a.ndim == 2 and axis is not None:
        out = np.empty(a.shape, a.sum().dtype)
        rows = out.T if axis == 0 or axis == -2 else out[:, :]
        source = a.T if axis == 0 or axis == -2 else a[:, :]
        for i in range(source.shape[0]):
            rows[i, :] = cumsum(source[i])
        return out
    if a.ndim > 2 and axis is not None:
        return a.cumsum_along_an_axis_of_more()
    x = a.ravel()
    out = np.empty(x.size, a.sum().dtype)
    total = a.sum().dtype.type(0)
    for i in range(x.size):
        total += x[i]
        out[i] = total
    return out


def cumprod(a):
    x = a.ravel()
    out = np.empty(x.size, a.prod().dtype)
    total = a.prod().dtype.type(1)
    for i in range(x.size):
        total *= x[i]
        out[i] = total
    return out


def diff(a, n=1):
    if n < 0:
        raise ValueError("diff(): order must be non-negative")
    if n == 1:
        return a[..., 1:] - a[..., :-1]
    out = a.copy()
    for _ in range(n):
        out = out[..., 1:] - out[..., :-1]
    return out


def ediff1d(ary):
    x = ary.ravel()
    return x[1:] - x[:-1]


def nansum(a):
    x = a.ravel()
    total = a.sum().dtype.type(0)
    for i in range(x.size):
        if x[i] == x[i]:
            total += x[i]
    return total


def nanprod(a):
    x = a.ravel()
    total = a.prod().dtype.type(1)
    for i in range(x.size):
        if x[i] == x[i]:
            total *= x[i]
    return total


def nanmean(a):
    x = a.ravel()
    total, n = 0.0, 0
    for i in range(x.size):
        if x[i] == x[i]:
            total += x[i]
            n += 1
    if n == 0:
        return np.nan
    return total / n


def nanvar(a):
    x = a.ravel()
    mean, total, n = nanmean(a), 0.0, 0
    for i in range(x.size):
        if x[i] == x[i]:
            total += (x[i] - mean) ** 2
            n += 1
    if n == 0:
        return np.nan
    return total / n


def nanstd(a):
    return np.sqrt(nanvar(a))


def nancumsum(a):
    return cumsum(np.where(a == a, a, a.dtype.type(0)))


def nancumprod(a):
    return cumprod(np.where(a == a, a, a.dtype.type(1)))


def nanmax(a):
    x = a.ravel()
    if x.size == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    best = x[0]
    for i in range(x.size):
        if x[i] > best or best != best:
            best = x[i]
    return best


def nanmin(a):
    x = a.ravel()
    if x.size == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    best = x[0]
    for i in range(x.size):
        if x[i] < best or best != best:
            best = x[i]
    return best


def ptp(a):
    return a.max() - a.min()


def average(a, weights=None):
    if weights is None:
        return a.mean()
    if a.shape != weights.shape:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    total = weights.sum() * 1.0
    if total == 0.0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (a * weights).sum() / total


def _observations(m, rowvar):
    if m.ndim == 1:
        return m[None, :]
    return m if rowvar else m.T


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    if y is not None:
        if m.ndim == 1 and y.ndim == 1:
            both = np.empty((2, m.size))
            both[0] = m
            both[1] = y
            return _covariance(both, bias, ddof)
        x, z = _observations(m, rowvar), _observations(y, rowvar)
        all_of_them = np.empty((x.shape[0] + z.shape[0], x.shape[1]))
        all_of_them[: x.shape[0], :] = x
        all_of_them[x.shape[0] :, :] = z
        return _covariance(all_of_them, bias, ddof)
    if m.ndim == 1:
        return _covariance(m[None, :], bias, ddof)[0, 0]
    return _covariance(_observations(m, rowvar), bias, ddof)


def _covariance(x, bias, ddof):
    n, count = x.shape
    less = 0 if bias else 1
    if ddof is not None:
        less = ddof
    centred = np.empty((n, count))
    for i in range(n):
        centred[i, :] = x[i] - x[i].mean()
    out = np.empty((n, n))
    for i in range(n):
        for j in range(i, n):
            total = 0.0
            for k in range(count):
                total += centred[i, k] * centred[j, k]
            value = np.divide(total, count - less) if count != less else np.nan
            out[i, j] = value
            out[j, i] = value
    return out


def corrcoef(x, y=None, rowvar=True):
    c = cov(x, y, rowvar)
    if x.ndim == 1 and y is None:
        return 1.0
    return _correlation(c)


def _correlation(c):
    n = c.shape[0]
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            scale = np.sqrt(c[i, i]) * np.sqrt(c[j, j])
            value = c[i, j] / scale if scale != 0.0 else np.nan
            out[i, j] = min(max(value, -1.0), 1.0) if value == value else value
    return out


def trapezoid(y, x=None, dx=1.0):
    total = 0.0
    for i in range(1, y.size):
        step = dx if x is None else x[i] - x[i - 1]
        total += step * (y[i] + y[i - 1]) / 2.0
    return total


def add_reduce(a):
    return a.sum(axis=0)


def multiply_reduce(a):
    return a.prod(axis=0)


def maximum_reduce(a):
    return a.max(axis=0)


def minimum_reduce(a):
    return a.min(axis=0)
