"""Means, spreads and sums along axes."""

from typing import Any

import numpy as np

from .. import _core
from .given import Array, axes_of, axis_of, given, is_complex, is_inexact, stored, together


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False, out=None) -> Array:
    """The sums of the elements up to each along an axis, which may be left out for a row; of integers in 64 bits.

    With `include_initial` a 0 stands in front, and the axis is longer by one. Raises ValueError where `axis` is missing.

    >>> ks.cumulative_sum(ks.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return stored(_cumulative(_core.cumsum, x, axis, dtype, include_initial, 0, "cumulative_sum"), out)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False, out=None) -> Array:
    """The products of the elements up to each along an axis, which may be left out for a row; of integers in 64 bits.

    With `include_initial` a 1 stands in front, and the axis is longer by one. Raises ValueError where `axis` is missing.

    >>> ks.cumulative_prod(ks.array([1, 2, 3]))
    array([1, 2, 6])
    """
    return stored(_cumulative(_core.cumprod, x, axis, dtype, include_initial, 1, "cumulative_prod"), out)


def _cumulative(scan, x, axis, dtype, include_initial, first, name):
    x = given(x)
    x = x if x.ndim else x.reshape(1)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"{name} of an array of {x.ndim} axes: axis= says along which")
        axis = 0
    axis = axis_of(axis, x.ndim)
    result = scan(x, axis, dtype)
    if not include_initial:
        return result
    shape = tuple(1 if d == axis else length for d, length in enumerate(x.shape))
    return _core.concatenate([_core.full(shape, first, result.dtype, x.device), result], axis)


def ptp(a, axis=None, out=None, keepdims=False) -> Array:
    """The greatest element less the least, over all or some axes.

    >>> ks.ptp(ks.array([3, 1, 7]))
    array(6)
    """
    x = given(a)
    return _core.subtract(x.max(axis=axis, keepdims=keepdims), x.min(axis=axis, keepdims=keepdims), out=out)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False) -> Any:
    """The mean over all or some axes, in which each element counts `weights` times.

    `weights` has the shape of `a`, or is a row along the one axis. With `returned`, also the sums of the weights. Raises
    ZeroDivisionError where these are 0, TypeError or ValueError for weights of another shape.

    >>> ks.average(ks.array([1.0, 4.0]), weights=[2, 1])
    array(2.)
    """
    x = given(a)
    if weights is None:
        result = x.mean(axis=axis, keepdims=keepdims)
        if not returned:
            return result
        return result, _core.full(result.shape, x.size / max(result.size, 1), result.dtype, x.device)
    x, w = together(x, weights)
    if w.shape != x.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = axes_of(axis, x.ndim)
        if w.shape != tuple(x.shape[d] for d in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        order = sorted(range(len(axes)), key=axes.__getitem__)
        shape = tuple(x.shape[d] if d in axes else 1 for d in range(x.ndim))
        w = _core.reshape(_core.transpose(w, order), shape)
    dtype = _core.result_type(x, w, *([] if is_inexact(x.dtype) else ["float64"]))
    total = _core.broadcast_to(w.astype(dtype), x.shape).sum(axis=axis, keepdims=keepdims)
    if bool((total == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = (x.astype(dtype) * w.astype(dtype)).sum(axis=axis, keepdims=keepdims) / total
    return (result, total) if returned else result


def _numbers(a, where):
    """The elements, and which of them count."""
    x = given(a)
    counts = ~_core.isnan(x) if is_inexact(x.dtype) else _core.ones(x.shape, dtype=bool, device=x.device)
    return x, counts if where is None or where is True else counts & given(where, x)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True) -> Array:
    """The mean of what is not NaN, over all or some axes; NaN where there is nothing else.

    >>> ks.nanmean(ks.array([1.0, ks.nan, 3.0]))
    array(2.)
    """
    x, counts = _numbers(a, where)
    return x.mean(axis=axis, dtype=dtype, out=out, keepdims=keepdims, where=counts)


def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None
) -> Array:
    """The variance of what is not NaN, over all or some axes; NaN where `ddof` leaves nothing. `mean`, with axes of length 1,
    is taken for the mean. Raises ValueError where both `ddof` and `correction` are given.

    >>> ks.nanvar(ks.array([1.0, ks.nan, 3.0]))
    array(1.)
    """
    if correction is not None:
        if ddof:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    x, counts = _numbers(a, where)
    n = counts.sum(axis=axis, keepdims=keepdims)
    if mean is None:
        result = x.var(axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=counts)
    else:
        squares = _core.square(abs(_core.subtract(x, mean)))
        result = squares.sum(axis=axis, dtype=dtype, keepdims=keepdims, where=counts) / (n - ddof)
    if is_inexact(x.dtype):
        result = _core.where(n - ddof > 0, result, _core.asarray(float("nan"), device=x.device).astype(result.dtype))
    return stored(result, out)


def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None
) -> Array:
    """The standard deviation of what is not NaN, over all or some axes: the square root of nanvar().

    >>> ks.nanstd(ks.array([1.0, ks.nan, 3.0]))
    array(1.)
    """
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return _core.sqrt(variance, out=out)


def _have_axes(name, *operands):
    for x, least, what in operands:
        if x.ndim < least:
            raise ValueError(f"{name}: {what} have {x.ndim} axes, and need at least {least}")


def matvec(x1, x2, /, out=None) -> Array:
    """Products of matrices (…, m, n) and vectors (…, n): (…, m).

    >>> ks.matvec(ks.eye(2), ks.array([1.0, 2.0]))
    array([1., 2.])
    """
    a, b = together(x1, x2)
    _have_axes("matvec", (a, 2, "the matrices"), (b, 1, "the vectors"))
    return stored(_core.matmul(a, _core.expand_dims(b, -1))[..., 0], out)


def vecmat(x1, x2, /, out=None) -> Array:
    """Products of vectors (…, m), conjugated, and matrices (…, m, n): (…, n).

    >>> ks.vecmat(ks.array([1.0, 2.0]), ks.eye(2))
    array([1., 2.])
    """
    a, b = together(x1, x2)
    _have_axes("vecmat", (a, 1, "the vectors"), (b, 2, "the matrices"))
    row = _core.conj(a) if is_complex(a.dtype) else a
    return stored(_core.matmul(_core.expand_dims(row, -2), b)[..., 0, :], out)


def einsum_path(subscripts, *operands, optimize="greedy") -> Any:
    """The order in which einsum() of these operands would best be computed, and a text about it. Shapes alone count.

    >>> ks.einsum_path("ij,jk->ik", ks.ones((2, 3)), ks.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """
    shape_of = lambda x: np.broadcast_to(np.empty(()), given(x).shape)
    if isinstance(subscripts, str):
        return np.einsum_path(subscripts, *map(shape_of, operands), optimize=optimize)
    pairs = [subscripts, *operands]  # each operand and its axes; what the result has may follow
    for i in range(0, len(pairs) - 1, 2):
        pairs[i] = shape_of(pairs[i])
    return np.einsum_path(*pairs, optimize=optimize)


def apply_over_axes(func, a, axes) -> Array:
    """What func(x, axis) gives for one axis after the other; axes that it removes come back with length 1.

    >>> ks.apply_over_axes(ks.sum, ks.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    x = given(a)
    ndim = x.ndim
    for axis in axes_of(axes, ndim):
        result = func(x, axis)
        x = result if result.ndim == x.ndim else _core.expand_dims(result, axis)
        if x.ndim != ndim:
            raise ValueError("function is not returning an array of the correct shape")
    return x
