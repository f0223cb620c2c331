"""What NumPy and math have and compiled code lacks, in Python that is compiled along with its caller.

Each function is of the compiled language itself: it is read, typed and lowered like the user's. A result's dtype is
that of an expression (`a.sum().dtype`), which is known when compiling and never computed.
"""

import math

import numpy as np


def cumsum(a):
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


def diff(a):
    return a[..., 1:] - a[..., :-1]


def flatnonzero(a):
    x = a.ravel()
    out = np.empty(np.count_nonzero(x), np.int64)
    n = 0
    for i in range(x.size):
        if x[i] != 0:
            out[n] = i
            n += 1
    return out


def sort(a):
    out = a.copy()
    sort_in_place(out)
    return out


def sort_in_place(a):
    """Heapsort; NaN goes to the end, as NumPy has it."""
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


def argsort(a):
    """Merge sort, so that equal elements keep their order."""
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


def unique(a):
    x = sort(a.ravel())
    n = 0
    for i in range(x.size):
        if i == 0 or x[i] != x[n - 1]:
            x[n] = x[i]
            n += 1
    return x[:n].copy()


def median(a):
    x = sort(a.ravel())
    n = x.size
    if n == 0:
        return np.nan
    if x[n - 1] != x[n - 1]:
        return np.nan
    if n % 2:
        return x[n // 2] * 1.0
    return (x[n // 2 - 1] + x[n // 2]) / 2


def searchsorted(a, v, side="left"):
    out = np.empty(v.shape, np.int64)
    flat, values = out.ravel(), v.ravel()
    for i in range(values.size):
        flat[i] = _place(a, values[i], side)
    return out


def _is_before(x, y):
    """NaN comes last."""
    return x < y or (y != y and x == x)


def _place(a, v, side):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if _is_before(a[middle], v) if side == "left" else not _is_before(v, a[middle]):
            low = middle + 1
        else:
            high = middle
    return low


def bincount(a):
    size = 0
    for i in range(a.size):
        if a[i] < 0:
            raise ValueError("bincount: the first argument must be non-negative")
        size = max(size, a[i] + 1)
    out = np.zeros(size, np.int64)
    for i in range(a.size):
        out[a[i]] += 1
    return out


def histogram(a, bins=10):
    x = a.ravel()
    low, high = 0.0, 1.0
    if x.size > 0:
        low, high = x.min() * 1.0, x.max() * 1.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins, np.int64)
    for i in range(x.size):
        k = int((x[i] - low) / (high - low) * bins)
        k = min(max(k, 0), bins - 1)
        if k > 0 and x[i] < edges[k]:
            k -= 1
        elif k < bins - 1 and x[i] >= edges[k + 1]:
            k += 1
        counts[k] += 1
    return counts, edges


def interp(x, xp, fp):
    out = np.empty(x.shape, np.float64)
    flat, values = out.ravel(), x.ravel()
    n = xp.size
    for i in range(values.size):
        v = values[i]
        if v <= xp[0]:
            flat[i] = fp[0]
        elif v >= xp[n - 1]:
            flat[i] = fp[n - 1]
        elif v != v:
            flat[i] = np.nan
        else:
            k = _place(xp, v, "right") - 1
            slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
            here = slope * (v - xp[k]) + fp[k]
            if here != here:  # from the other end, as NumPy does
                here = slope * (v - xp[k + 1]) + fp[k + 1]
                if here != here and fp[k] == fp[k + 1]:
                    here = fp[k]
            flat[i] = here
    return out


def trace(a):
    total = a.sum().dtype.type(0)
    for i in range(min(a.shape[0], a.shape[1])):
        total += a[i, i]
    return total


def outer(a, b):
    x, y = a.ravel(), b.ravel()
    out = np.empty((x.size, y.size), (x[0] * y[0]).dtype)
    for i in range(x.size):
        for j in range(y.size):
            out[i, j] = x[i] * y[j]
    return out


def eye(N, M=None, k=0):  # noqa: N803
    width = N if M is None else M
    out = np.zeros((N, width))
    for i in range(N):
        if 0 <= i + k < width:
            out[i, i + k] = 1.0
    return out


def identity(n):
    return eye(n)


def diag(v):
    out = np.zeros((v.size, v.size), v.dtype)
    for i in range(v.size):
        out[i, i] = v[i]
    return out


def nansum(a):
    x = a.ravel()
    total = a.sum().dtype.type(0)
    for i in range(x.size):
        if x[i] == x[i]:
            total += x[i]
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


def nanmax(a):
    x = a.ravel()
    best = x[0]
    for i in range(x.size):
        if x[i] > best or best != best:
            best = x[i]
    return best


def nanmin(a):
    x = a.ravel()
    best = x[0]
    for i in range(x.size):
        if x[i] < best or best != best:
            best = x[i]
    return best


def ptp(a):
    return a.max() - a.min()


def convolve(a, v):
    out = np.zeros(a.size + v.size - 1, (a[0] * v[0]).dtype)
    for i in range(a.size):
        for j in range(v.size):
            out[i + j] += a[i] * v[j]
    return out


def roll(a, shift):
    x = a.ravel()
    out = np.empty(a.shape, a.dtype)
    flat = out.ravel()
    for i in range(x.size):
        flat[(i + shift) % x.size] = x[i]
    return out


def repeat(a, repeats):
    x = a.ravel()
    out = np.empty(x.size * repeats, a.dtype)
    for i in range(x.size):
        for k in range(repeats):
            out[i * repeats + k] = x[i]
    return out


def shape(a):
    return a.shape


def size(a):
    return a.size


def ndim(a):
    return a.ndim


def array_equal(a, b):
    if a.shape != b.shape:
        return False
    return (a == b).all()


def allclose(a, b, rtol=1e-05, atol=1e-08):
    return (np.abs(a - b) <= atol + rtol * np.abs(b)).all()


def norm(a):
    x = a.ravel()
    total = 0.0
    for i in range(x.size):
        total += abs(x[i]) ** 2
    return math.sqrt(total)


def cross(a, b):
    out = np.empty(3, (a[0] * b[0]).dtype)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out


def gcd(a, b):
    x, y = abs(a), abs(b)
    while y != 0:
        x, y = y, x % y
    return x


def factorial(n):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    product = 1
    for i in range(2, n + 1):
        product *= i
    return product


def comb(n, k):
    if k < 0 or n < 0:
        raise ValueError("comb() takes no negative values")
    if k > n:
        return 0
    k = min(k, n - k)
    product = 1
    for i in range(1, k + 1):
        product = product * (n - k + i) // i
    return product


def isqrt(n):
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = int(math.sqrt(n))  # quotients are compared: squares may leave 64 bits
    while root > 0 and root > n // root:
        root -= 1
    while root + 1 <= n // (root + 1):
        root += 1
    return root


def modf(x):
    whole = np.trunc(x * 1.0)
    if math.isinf(x):
        return math.copysign(0.0, x), whole
    return math.copysign(x - whole, x), whole


def isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


_functions = {
    np: (cumsum, cumprod, diff, flatnonzero, sort, argsort, unique, median, searchsorted, bincount, histogram, interp,
         trace, outer, eye, identity, diag, nansum, nanmean, nanmax, nanmin, ptp, convolve, roll, repeat, shape, size,
         ndim, array_equal, allclose, cross),
    np.linalg: (norm,),
    math: (gcd, factorial, comb, isqrt, modf, isclose),
}  # fmt: skip
_by_object = {getattr(home, f.__name__): f for home, all_of_it in _functions.items() for f in all_of_it}
_methods = {"cumsum": cumsum, "cumprod": cumprod, "sort": sort_in_place, "argsort": argsort, "repeat": repeat,
            "trace": trace, "ptp": ptp, "searchsorted": searchsorted}  # fmt: skip


def function(object):
    """The function that stands for this one, or None."""
    try:
        return _by_object.get(object)
    except TypeError:  # not hashable
        return None


def method(name):
    """The function that stands for this method of arrays, or None."""
    return _methods.get(name)
