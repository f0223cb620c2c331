"""Signals: convolution, interpolation, windows, phases; counts."""

import math

import numpy as np

from .engine import call, few, reaches


def convolve(a, v, mode="full"):
    if a.size == 0 or v.size == 0:
        raise ValueError("a cannot be empty")
    if reaches(a.size * v.size >= 16 * few):
        return call("convolve", a * v, a, v, mode)
    out = np.zeros(a.size + v.size - 1, (a * v).dtype)
    for i in range(a.size):
        for j in range(v.size):
            out[i + j] += a[i] * v[j]
    if mode == "full":
        return out
    short, long = min(a.size, v.size), max(a.size, v.size)
    if mode == "same":
        start = (short - 1) // 2
        return out[start : start + long].copy()
    if mode == "valid":
        return out[short - 1 : long].copy()
    raise ValueError("mode must be one of 'full', 'same', or 'valid'")


def correlate(a, v, mode="valid"):
    if a.size > 0 and v.size > 0 and reaches(a.size * v.size >= 16 * few):
        return call("correlate", a * v, a, v, mode)
    turned = convolve(a, np.conj(v[::-1]), "full")
    if mode == "full":
        return turned
    short, long = min(a.size, v.size), max(a.size, v.size)
    if mode == "valid":
        return turned[short - 1 : long].copy()
    if mode == "same":
        start = (short - 1) // 2 if a.size >= v.size else short // 2
        return turned[start : start + long].copy()
    raise ValueError("mode must be one of 'full', 'same', or 'valid'")


def _place_right(a, v):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if not v < a[middle]:
            low = middle + 1
        else:
            high = middle
    return low


def _interval(x, v, guess):
    """The index of the interval of x that holds v, -1 before x. Searches around the last one as NumPy does, which
    matters where x is not sorted.
    """
    n = x.size
    if v > x[n - 1]:
        return n
    if v < x[0]:
        return -1
    if n <= 4:
        k = 1
        while k < n and v >= x[k]:
            k += 1
        return k - 1
    g = max(min(guess, n - 3), 1)
    low, high = 0, n
    if v < x[g]:
        if not v < x[g - 1]:
            return g - 1
        high = g - 1
        if g > 8 and v >= x[g - 8]:
            low = g - 8
    else:
        if v < x[g + 1]:
            return g
        if v < x[g + 2]:
            return g + 1
        low = g + 2
        if g < n - 9 and v < x[g + 8]:
            high = g + 8
    while low < high:
        middle = low + (high - low) // 2
        if v >= x[middle]:
            low = middle + 1
        else:
            high = middle
    return low - 1


def _between(v, xp, fp, k):
    if k == -1:
        return fp[0] * 1.0
    if k >= xp.size - 1 or xp[k] == v:
        return fp[min(k, xp.size - 1)] * 1.0
    slope = np.divide(fp[k + 1] * 1.0 - fp[k], xp[k + 1] * 1.0 - xp[k])
    here = slope * (v - xp[k]) + fp[k]
    if here != here:  # from the other end, as NumPy does
        here = slope * (v - xp[k + 1]) + fp[k + 1]
        if here != here and fp[k] == fp[k + 1]:
            here = fp[k] * 1.0
    return here


def interp(x, xp, fp, left=None, right=None, period=None):
    if period is not None:
        return _periodic(x, xp, fp, abs(period))
    if left is not None or right is not None:
        return _bounded(x, xp, fp, left, right)
    if not isinstance(x, (int, float)) and reaches(x.size >= 16 * few):
        return call("interp", np.empty(x.shape, np.result_type(fp, np.float64)), x, xp, fp, None, None)
    return _interp(x, xp, fp)


def _periodic(x, xp, fp, period):
    at = xp % period
    order = np.argsort(at)
    at, values = at[order], fp[order]
    last = at.size - 1
    around, heights = np.empty(at.size + 2), np.empty(at.size + 2, fp.dtype)
    around[1:-1] = at
    heights[1:-1] = values
    around[0], heights[0] = at[last] - period, values[last]
    around[last + 2], heights[last + 2] = at[0] + period, values[0]
    return interp(x % period, around, heights)


def _bounded(x, xp, fp, left, right):
    first = fp[0] * 1.0 if left is None else left * 1.0
    last = fp[fp.size - 1] * 1.0 if right is None else right * 1.0
    inside = interp(x, xp, fp)
    if isinstance(x, (int, float)):
        return first if x < xp[0] else last if x > xp[xp.size - 1] else inside
    return np.where(x < xp[0], first, np.where(x > xp[xp.size - 1], last, inside))


def _interp(x, xp, fp):
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if isinstance(x, (int, float)):
        return _interpolated(np.full(1, x * 1.0), xp, fp)[0]
    return _interpolated(x.ravel(), xp, fp).reshape(x.shape)


def _interpolated(x, xp, fp):
    out = np.empty(x.size, np.result_type(fp, np.float64))
    k = 0
    for i in range(x.size):
        v = x[i] * 1.0
        if xp.size == 1:
            out[i] = fp[0]
        elif v != v:
            out[i] = v
        else:
            k = _interval(xp, v, k)
            out[i] = _between(v, xp, fp, k)
    return out


def _window(M, a, b, c):  # noqa: N803
    out = np.ones(max(M, 0))
    if M > 1:
        for i in range(M):
            t = 2.0 * math.pi * i / (M - 1)
            out[i] = a + b * math.cos(t) + c * math.cos(2.0 * t)
    return out


def hamming(M):  # noqa: N803
    return _window(M, 0.54, -0.46, 0.0)


def hanning(M):  # noqa: N803
    return _window(M, 0.5, -0.5, 0.0)


def blackman(M):  # noqa: N803
    return _window(M, 0.42, -0.5, 0.08)


def bartlett(M):  # noqa: N803
    out = np.ones(max(M, 0))
    if M > 1:
        for i in range(M):
            out[i] = 2.0 * i / (M - 1) if 2 * i <= M - 1 else 2.0 - 2.0 * i / (M - 1)
    return out


def _bessel(x):
    """The modified Bessel function of order 0, by its series."""
    term, total, k = 1.0, 1.0, 0
    while term > 1e-17 * total:
        k += 1
        term *= (x / (2.0 * k)) ** 2
        total += term
    return total


def kaiser(M, beta):  # noqa: N803
    out = np.ones(max(M, 0))
    if M > 1:
        for i in range(M):
            at = 2.0 * i / (M - 1) - 1.0
            out[i] = _bessel(beta * math.sqrt(max(1.0 - at * at, 0.0))) / _bessel(beta * 1.0)
    return out


def _sinc(x):
    return math.sin(math.pi * x) / (math.pi * x) if x != 0 else 1.0


def sinc(x):
    if isinstance(x, (int, float)):
        return _sinc(x)
    out = np.empty(x.shape)
    flat, values = out.ravel(), x.ravel()
    for i in range(values.size):
        flat[i] = _sinc(values[i])
    return out


def polyval(p, x):
    total = x * p.dtype.type(0)
    for i in range(p.size):
        total = total * x + p[i]
    return total


def polynomial_value(x, c):
    """The number of the lowest power first."""
    value = c[-1] + x * 0
    for k in range(len(c) - 2, -1, -1):
        value = c[k] + value * x
    return value


def _without_last_zeros(c):
    n = len(c)
    while n > 1 and c[n - 1] == 0:
        n -= 1
    return c[:n]


def polynomial_sum(c1, c2):
    out = np.zeros(max(len(c1), len(c2)), (c1[:1] * 1.0 + c2[:1]).dtype)
    out[: len(c1)] += c1
    out[: len(c2)] += c2
    return _without_last_zeros(out)


def polynomial_difference(c1, c2):
    return polynomial_sum(c1, -c2)


def polynomial_product(c1, c2):
    return _without_last_zeros(np.convolve(c1 * 1.0, c2 * 1.0))


def unwrap(p):
    out = np.empty(p.size)
    turns = 0.0
    for i in range(p.size):
        if i > 0:
            step = p[i] * 1.0 - p[i - 1]
            near = (step + math.pi) % (2.0 * math.pi) - math.pi
            if near == -math.pi and step > 0:
                near = math.pi
            if abs(step) >= math.pi:
                turns += near - step
        out[i] = p[i] + turns
    return out


def angle(z, deg=False):
    if isinstance(z, (int, float, complex)):
        value = math.atan2(np.imag(z), np.real(z))
        return value * 180.0 / math.pi if deg else value
    if z.dtype in (np.complex64, np.complex128):
        turned = np.arctan2(np.imag(z), np.real(z))
    else:
        turned = np.arctan2(z.dtype.type(0), z)
    return turned * (180.0 / math.pi) if deg else turned


def isposinf(x):
    return np.isinf(x) & (x > 0)


def isneginf(x):
    return np.isinf(x) & (x < 0)


def _is_complex(x):
    return isinstance(x, complex) if isinstance(x, (int, float, complex)) else x.dtype in (np.complex64, np.complex128)


def iscomplexobj(x):
    return _is_complex(x)


def isrealobj(x):
    return not _is_complex(x)


def isreal(x):
    return np.imag(x) == 0


def iscomplex(x):
    return np.imag(x) != 0


def isscalar(element):
    return isinstance(element, (int, float, complex, bool, str))


def roots(p):
    at = np.nonzero(p)[0]
    if at.size == 0:
        return np.empty(0, (p * 1.0).dtype)
    n = at[-1] - at[0]
    out = np.zeros(p.size - 1 - at[0], (p * 1.0).dtype)  # a root of 0 for each last number that is one
    if n > 0:
        companion = np.zeros((n, n), (p * 1.0).dtype)
        for k in range(n):
            companion[0, k] = -p[at[0] + 1 + k] / p[at[0]]
            if k > 0:
                companion[k, k - 1] = 1.0
        out[:n] = np.linalg.eigvals(companion)
    return out


def fix(x):
    return np.trunc(x)


def nan_to_num(x, copy=True, nan=0.0):
    big = 1.7976931348623157e308
    if isinstance(x, int):
        return x
    if isinstance(x, float):
        most = 3.4028234663852886e38 if x.dtype == np.float32 else big
        return x.dtype.type(nan if x != x else min(max(x, -most), most))
    out = np.empty(x.shape, x.dtype)
    flat, values = out.ravel(), x.ravel()
    for i in range(values.size):
        v = values[i]
        if v != v:
            flat[i] = nan
        elif v == np.inf or v == -np.inf:
            most = 3.4028234663852886e38 if x.dtype == np.float32 else big
            flat[i] = most if v > 0 else -most
        else:
            flat[i] = v
    if not copy:
        x[...] = out
        return x
    return out


def _is_close(a, b, rtol, atol, equal_nan):
    if a != a or b != b:
        return equal_nan and a != a and b != b
    if not np.isfinite(a) or not np.isfinite(b):
        return a == b
    y = b * 1.0  # the least integer has no magnitude among integers
    return abs(a - y) <= atol + rtol * abs(y)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _is_close(a, b, rtol, atol, equal_nan)
    if isinstance(a, (int, float)):
        out = np.empty(b.shape, np.bool_)
        flat, y = out.ravel(), b.ravel()
        for i in range(y.size):
            flat[i] = _is_close(a, y[i], rtol, atol, equal_nan)
        return out
    if isinstance(b, (int, float)):
        out = np.empty(a.shape, np.bool_)
        flat, x = out.ravel(), a.ravel()
        for i in range(x.size):
            flat[i] = _is_close(x[i], b, rtol, atol, equal_nan)
        return out
    if a.ndim == b.ndim:
        if a.shape == b.shape:
            return _are_close(a, b, rtol, atol, equal_nan)
    shape = (a != b).shape
    return _are_close(np.broadcast_to(a, shape), np.broadcast_to(b, shape), rtol, atol, equal_nan)


def _are_close(a, b, rtol, atol, equal_nan):
    out = np.empty(a.shape, np.bool_)
    flat, x, y = out.ravel(), a.ravel(), b.ravel()
    for i in range(x.size):
        flat[i] = _is_close(x[i], y[i], rtol, atol, equal_nan)
    return out


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return np.all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a, b):
    if a.shape != b.shape:
        return False
    return (a == b).all()


def logspace(start, stop, num=50):
    return 10.0 ** np.linspace(start, stop, num)


def geomspace(start, stop, num=50):
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    if isinstance(start, complex) or isinstance(stop, complex):
        return _geometric(complex(start), complex(stop), num)
    return _geometric(start * 1.0, stop * 1.0, num)


def _geometric(start, stop, num):
    sign = start / abs(start)  # turned so that it starts at a positive number
    first, last = start / sign, stop / sign
    out = logspace(np.log10(first), np.log10(last), num)
    if num > 0:
        out[0] = first
    if num > 1:
        out[num - 1] = last
    return out * sign


def flatnonzero(a):
    if reaches(a.size >= 16 * few):
        return call("flatnonzero", np.empty(a.size, np.int64), a)
    x = a.ravel()
    out = np.empty(np.count_nonzero(x), np.int64)
    n = 0
    for i in range(x.size):
        if x[i] != 0:
            out[n] = i
            n += 1
    return out


def nonzero(a):
    if a.ndim == 1:
        return (flatnonzero(a),)
    return _nonzero(a)


def _nonzero(a):
    at = np.empty(a.size, np.int64)  # a type, if the engine is called
    if a.ndim == 2 and reaches(a.size >= 16 * few):
        return call("nonzero", (at, at), a)
    if a.ndim == 3 and reaches(a.size >= 16 * few):
        return call("nonzero", (at, at, at), a)
    count = np.count_nonzero(a)
    rows, columns = np.empty(count, np.int64), np.empty(count, np.int64)
    n = 0
    if a.ndim == 2:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                if a[i, j] != 0:
                    rows[n], columns[n] = i, j
                    n += 1
        return rows, columns
    deep = np.empty(count, np.int64)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                if a[i, j, k] != 0:
                    rows[n], columns[n], deep[n] = i, j, k
                    n += 1
    return rows, columns, deep


def argwhere(a):
    places = nonzero(a)
    out = np.empty((places[0].size, a.ndim), np.int64)
    k = 0
    for axis in places:
        out[:, k] = axis
        k += 1
    return out


def bincount(x, weights=None, minlength=0):
    if reaches(x.size >= 16 * few):
        if weights is not None:
            return call("bincount", np.zeros(minlength), x, weights, minlength)
        return call("bincount", np.zeros(minlength, np.int64), x, None, minlength)
    return _bincount(x, weights, minlength)


def _bincount(x, weights, minlength):
    size = minlength
    for i in range(x.size):
        if x[i] < 0:
            raise ValueError("bincount: the first argument must be non-negative")
        size = max(size, x[i] + 1)
    if weights is None:
        out = np.zeros(size, np.int64)
        for i in range(x.size):
            out[x[i]] += 1
        return out
    if weights.size != x.size:
        raise ValueError("bincount(): weights and list don't have the same length")
    totals = np.zeros(size)
    for i in range(x.size):
        totals[x[i]] += weights[i]
    return totals


def _edges(a):
    """An array of the edges' dtype; a type, never computed."""
    return a.ravel() if a.dtype == np.float32 else np.linspace(0.0, 1.0, 2)


def histogram(a, bins=10, range=None, density=None, weights=None):  # noqa: A002
    if isinstance(bins, int) and bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if weights is not None:
        return _counted(np.empty(1, np.result_type(weights, np.float64)), a, bins, range, density, weights)
    if density:
        return _counted(np.empty(1), a, bins, range, density, None)
    if reaches(a.size >= few):
        return _counted(np.empty(1, np.int64), a, bins, range, False, None)
    return _histogram_of_few(a, bins, range)


def _counted(counts, a, bins, limits, density, weights):
    if not isinstance(bins, int):
        return call("histogram", (counts, bins), a, bins, weights, None, None, density)
    if limits is None:
        return call("histogram", (counts, _edges(a)), a, bins, weights, None, None, density)
    return call("histogram", (counts, _edges(a)), a, bins, weights, limits[0] * 1.0, limits[1] * 1.0, density)


def histogram2d(x, y, bins=10):
    like = (np.empty((1, 1)), np.empty(1), np.empty(1))
    if isinstance(bins, int):
        return call("histogram2d", like, x, y, bins, bins)
    return call("histogram2d", like, x, y, bins[0], bins[1])


def histogram_bin_edges(a, bins=10, range=None):  # noqa: A002
    counts, edges = histogram(a, bins, range)
    return edges


def _histogram_of_few(a, bins, limits):
    if isinstance(bins, int):
        return _histogram(a.ravel(), bins, limits)
    x = a.ravel()
    counts = np.zeros(bins.size - 1, np.int64)
    for v in x:
        if v >= bins[0] and v <= bins[bins.size - 1]:
            k = min(_place_right(bins, v) - 1, bins.size - 2)
            counts[k] += 1
    return counts, bins


def _histogram(x, bins, limits):
    low, high = 0.0, 1.0
    if limits is not None:
        low, high = limits[0] * 1.0, limits[1] * 1.0
    elif x.size > 0:
        low, high = x.min() * 1.0, x.max() * 1.0
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError("autodetected range is not finite")
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins + 1).astype(_edges(x).dtype)
    counts = np.zeros(bins, np.int64)
    for i in range(x.size):
        if x[i] >= low and x[i] <= high:
            k = int((x[i] - low) / (high - low) * bins)
            k = min(max(k, 0), bins - 1)
            if k > 0 and x[i] < edges[k]:
                k -= 1
            elif k < bins - 1 and x[i] >= edges[k + 1]:
                k += 1
            counts[k] += 1
    return counts, edges
