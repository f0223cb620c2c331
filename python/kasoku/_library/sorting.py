"""Orders: sort, places in sorted arrays, sets, percentiles."""

import math

import numpy as np

from . import calls
from .axes import axis_of
from .engine import call, few, reaches


def sort(a, axis=-1):
    if axis is None:
        return sort(a.ravel())
    if a.dtype in (np.complex64, np.complex128):
        return call("sort", a, a, axis)
    if axis_of(axis, a.ndim) != a.ndim - 1:
        return call("sort", a, a, axis)
    if reaches(a.size >= few):
        return call("sort", a, a, -1)
    out = a.copy()
    if a.ndim == 1:
        _heapsort(out)
    else:
        rows = out.reshape(-1, a.shape[a.ndim - 1])
        for i in range(rows.shape[0]):
            _heapsort(rows[i])
    return out


def sort_in_place(a, axis=-1):
    a[...] = sort(a, axis)


def _heapsort(a):
    """Sorts in place; NaN goes to the end, as in NumPy."""
    n = a.size
    last = n
    i = 0
    while i < last:
        if a[i] != a[i]:
            last -= 1
            a[i], a[last] = a[last], a[i]
        else:
            i += 1
    start = last // 2
    end = last
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            a[end], a[0] = a[0], a[end]
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if not a[root] < a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child


def argsort(a, axis=-1, kind="quicksort"):
    """Equal elements keep their order."""
    if axis is None:
        return argsort(a.ravel())
    if a.ndim > 1 or a.dtype in (np.complex64, np.complex128):
        return call("argsort", _positions(a), a, axis)
    axis_of(axis, 1)
    if reaches(a.size >= few):
        return call("argsort", _positions(a), a, -1)
    return _mergesort(a)


def _positions(a):
    """An array of such a shape of int64; a type, never computed."""
    return np.empty(a.shape, np.int64)


def _mergesort(a):
    n = a.size
    order = np.arange(n)
    other = np.empty(n, np.int64)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                first = j >= high
                if not first and i < middle:
                    x, y = a[order[i]], a[order[j]]
                    first = x <= y or y != y
                if first:
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        order, other = other, order
        width *= 2
    return order


def partition_in_place(a, kth, axis=-1):
    a[...] = partition(a, kth, axis)


def partition(a, kth, axis=-1):
    _want_places(kth, a.size if axis is None else a.shape[axis_of(axis, a.ndim)])
    return sort(a, axis)


def argpartition(a, kth, axis=-1):
    _want_places(kth, a.size if axis is None else a.shape[axis_of(axis, a.ndim)])
    return argsort(a, axis)


def _want_places(kth, n):
    if isinstance(kth, int):
        if kth < -n or kth >= n:
            raise ValueError(f"kth(={kth}) out of bounds ({n})")
    else:
        for k in kth:
            _want_places(k, n)


def _places(a):
    """An array of one axis of int64; a type, never computed."""
    return np.empty(a.size, np.int64)


# np.unique with more results; which one a call means is known by its words.
def unique_index(ar, return_index=True):
    return call("unique", (ar.ravel(), _places(ar)), ar, True, False, False)


def unique_inverse(ar, return_inverse=True):
    return call("unique", (ar.ravel(), _positions(ar)), ar, False, True, False)


def unique_counts(ar, return_counts=True):
    return call("unique", (ar.ravel(), _places(ar)), ar, False, False, True)


def unique_index_inverse(ar, return_index=True, return_inverse=True):
    return call("unique", (ar.ravel(), _places(ar), _positions(ar)), ar, True, True, False)


def unique_index_counts(ar, return_index=True, return_counts=True):
    return call("unique", (ar.ravel(), _places(ar), _places(ar)), ar, True, False, True)


def unique_inverse_counts(ar, return_inverse=True, return_counts=True):
    return call("unique", (ar.ravel(), _positions(ar), _places(ar)), ar, False, True, True)


def unique_index_inverse_counts(ar, return_index=True, return_inverse=True, return_counts=True):
    return call("unique", (ar.ravel(), _places(ar), _positions(ar), _places(ar)), ar, True, True, True)


def unique(ar):
    if reaches(ar.size >= few):
        return call("unique", ar.ravel(), ar, False, False, False)
    x = sort(ar.ravel())
    n = 0
    for i in range(x.size):
        if i == 0 or (x[i] != x[n - 1] and (x[i] == x[i] or x[n - 1] == x[n - 1])):  # one NaN stands for all
            x[n] = x[i]
            n += 1
    return x[:n].copy()


def median(a, axis=None, keepdims=False):
    if keepdims:
        return call("median", a.astype(a.mean().dtype), a, axis, False, True)
    if axis is not None and a.ndim > 1:
        return call("median", a.mean(axis=axis), a, axis, False, False)
    return _middle(sort(a.ravel()), a.mean().dtype)


def _middle(x, dtype):
    n = x.size
    if n == 0 or x[n - 1] != x[n - 1]:
        return dtype.type(np.nan)
    if n % 2:
        return dtype.type(x[n // 2])
    return (dtype.type(x[n // 2 - 1]) + dtype.type(x[n // 2])) / dtype.type(2)


def _numbers(a):
    """The elements that are not NaN."""
    x = a.ravel()
    out = np.empty(x.size, a.dtype)
    n = 0
    for i in range(x.size):
        if x[i] == x[i]:
            out[n] = x[i]
            n += 1
    return out[:n]


def nanmedian(a):
    return median(_numbers(a))


def _quantile(x, q):
    """A quantile of a sorted array."""
    n = x.size
    if n == 0 or x[n - 1] != x[n - 1]:
        return np.nan
    at = q * (n - 1)
    low = int(math.floor(at))
    if low >= n - 1:
        return x[n - 1] * 1.0
    part, step = at - low, x[low + 1] * 1.0 - x[low]
    if part >= 0.5:  # from the nearer end, as NumPy does
        return x[low + 1] - step * (1 - part)
    return x[low] + step * part


def quantile(a, q, axis=None, method="linear", keepdims=False):
    if isinstance(q, (list, tuple)):
        return quantile(a, np.array(q), axis, method, keepdims)
    if axis is not None or method != "linear" or keepdims:
        return calls.quantiles(a, q, axis, method, keepdims, False)
    return _quantiles(sort(a.ravel()), q, 1.0)


def percentile(a, q, axis=None, method="linear", keepdims=False):
    if isinstance(q, (list, tuple)):
        return percentile(a, np.array(q), axis, method, keepdims)
    if axis is not None or method != "linear" or keepdims:
        return calls.quantiles(a, q / 100.0, axis, method, keepdims, False)
    return _quantiles(sort(a.ravel()), q, 100.0)


def nanquantile(a, q, axis=None, method="linear", keepdims=False):
    if isinstance(q, (list, tuple)):
        return nanquantile(a, np.array(q), axis, method, keepdims)
    if axis is not None or method != "linear" or keepdims:
        return calls.quantiles(a, q, axis, method, keepdims, True)
    return _quantiles(sort(_numbers(a)), q, 1.0)


def nanpercentile(a, q, axis=None, method="linear", keepdims=False):
    if isinstance(q, (list, tuple)):
        return nanpercentile(a, np.array(q), axis, method, keepdims)
    if axis is not None or method != "linear" or keepdims:
        return calls.quantiles(a, q / 100.0, axis, method, keepdims, True)
    return _quantiles(sort(_numbers(a)), q, 100.0)


def _share(q, whole):
    if not 0.0 <= q <= whole:
        if whole == 1.0:
            raise ValueError("Quantiles must be in the range [0, 1]")
        raise ValueError("Percentiles must be in the range [0, 100]")
    return q / whole


def _quantiles(x, q, whole):
    if isinstance(q, (int, float)):
        return _quantile(x, _share(q, whole))
    out = np.empty(len(q), np.float64)
    for i in range(len(q)):
        out[i] = _quantile(x, _share(q[i], whole))
    return out


def _is_before(x, y):
    """NaN comes last."""
    return x < y or (y != y and x == x)


def _place(a, v, side):
    if side != "left" and side != "right":
        raise ValueError("search side must be one of 'left' or 'right'")
    return _place_within(a, v, side, 0, len(a))


def _place_within(a, v, side, low, high):
    while low < high:
        middle = (low + high) // 2
        if _is_before(a[middle], v) if side == "left" else not _is_before(v, a[middle]):
            low = middle + 1
        else:
            high = middle
    return low


def searchsorted(a, v, side="left", sorter=None):
    if sorter is not None:
        return searchsorted(a[sorter], v, side)
    if isinstance(v, (list, tuple)):
        return searchsorted(a, np.array(v), side)
    if isinstance(v, (int, float)):
        return _place(a, v, side)
    if side != "left" and side != "right":
        raise ValueError("search side must be one of 'left' or 'right'")
    if reaches(v.size >= few):
        return call("searchsorted", _positions(v), a, v, side == "right")
    out = np.empty(v.shape, np.int64)
    flat, values = out.ravel(), v.ravel()
    low, high = 0, len(a)
    for i in range(values.size):
        v, before = values[i], values[max(i - 1, 0)]
        # From the place of the one before, as NumPy searches.
        if _is_before(before, v) if side == "left" else not _is_before(v, before):
            high = len(a)
        else:
            low, high = 0, min(high + 1, len(a))
        low = high = flat[i] = _place_within(a, v, side, low, high)
    return out


def bisect_left(a, x):
    return _place(a, x, "left")


def bisect_right(a, x):
    return _place(a, x, "right")


def digitize(x, bins, right=False):
    if isinstance(x, (int, float)):
        return digitize(np.full(1, x), bins, right)[0]
    values = x.ravel()
    out = np.empty(x.shape, np.int64)
    flat = out.ravel()
    n = bins.size
    falls = n > 1 and bins[0] > bins[n - 1]
    for i in range(n - 1):
        if (bins[i] < bins[i + 1] and falls) or (bins[i] > bins[i + 1] and not falls):
            raise ValueError("bins must be monotonically increasing or decreasing")
    if reaches(x.size >= few):
        return call("digitize", _positions(x), x, bins, right)
    for i in range(values.size):
        v = values[i]
        low, high = 0, n
        while low < high:
            middle = (low + high) // 2
            if falls:
                before = bins[middle] >= v if right else bins[middle] > v
            else:
                before = _is_before(bins[middle], v) if right else not _is_before(v, bins[middle])
            if before:
                low = middle + 1
            else:
                high = middle
        flat[i] = low
    return out


def _holds(x, v):
    """Whether the sorted array has it."""
    at = _place(x, v, "left")
    return at < x.size and x[at] == v


def isin(element, test_elements, assume_unique=False, invert=False):
    if isinstance(test_elements, (list, tuple)):
        return isin(element, np.array(test_elements), assume_unique, invert)
    if reaches(test_elements.size >= few):
        return call("isin", np.empty(element.shape, np.bool_), element, test_elements, invert)
    x, y = element.ravel(), sort(test_elements.ravel())
    out = np.empty(element.shape, np.bool_)
    flat = out.ravel()
    for i in range(x.size):
        flat[i] = _holds(y, x[i]) != invert
    return out


def in1d(ar1, ar2, assume_unique=False, invert=False):
    return isin(ar1.ravel(), ar2, assume_unique, invert)


def _chosen(x, y, wanted):
    """The elements of x that y has, or has not; both are sorted."""
    out = np.empty(x.size, x.dtype)
    n = 0
    for i in range(x.size):
        if _holds(y, x[i]) == wanted:
            out[n] = x[i]
            n += 1
    return out[:n].copy()


def _merged(x, y):
    out = np.empty(x.size + y.size, np.result_type(x, y))
    out[: x.size] = x
    out[x.size :] = y
    return out


def intersect1d(ar1, ar2):
    return _chosen(unique(_merged(ar1.ravel(), ar2.ravel())[: ar1.size]), unique(ar2), True)


def setdiff1d(ar1, ar2, assume_unique=False):
    return _chosen(ar1.ravel() if assume_unique else unique(ar1), sort(ar2.ravel()), False)


def union1d(ar1, ar2):
    return unique(_merged(ar1.ravel(), ar2.ravel()))


def setxor1d(ar1, ar2):
    x, y = unique(ar1), unique(ar2)
    return sort(_merged(_chosen(x, y, False), _chosen(y, x, False)))
