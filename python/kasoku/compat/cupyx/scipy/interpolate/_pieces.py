"""Piecewise polynomials through points, and values between those of a grid."""

import functools as _functools
import itertools as _itertools
import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray

__all__ = [
    "Akima1DInterpolator", "CubicHermiteSpline", "CubicSpline", "PPoly", "PchipInterpolator", "pchip", "RegularGridInterpolator", "interpn",
    "pchip_interpolate",
]  # fmt: skip


def _floats(x):
    x = _asarray(x)
    return x.astype("complex128" if x.dtype.kind == "c" else "float64", copy=False)


def _along(values, like):
    """A row of numbers in as many axes as `like` has."""
    return values.reshape((-1,) + (1,) * (like.ndim - 1))


def _polynomial(c, by):
    """The value at `by` of the polynomial whose coefficients are c, that of the highest power first (Horner's scheme)."""
    return _functools.reduce(lambda value, coefficient: value * by + coefficient, c[1:], c[0])


class _Pieces:
    """Polynomials between breakpoints, of which a subclass says what coefficients mean: the value of a piece, the coefficients
    of a derivative and those of an integral."""

    def __init__(self, c, x, extrapolate=None, axis=0):
        c, x = _floats(c), _floats(x)
        extrapolate = True if extrapolate is None else extrapolate
        self.extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)
        if c.ndim < 2:
            raise ValueError("Coefficients array must be at least 2-dimensional.")
        if not 0 <= axis < c.ndim - 1:
            raise ValueError(f"axis={axis} must be between 0 and {c.ndim - 1}")
        self.axis = axis
        if axis:
            c = _ks.moveaxis(_ks.moveaxis(c, axis + 1, 0), axis + 1, 0)
        if x.ndim != 1 or x.size < 2 or c.shape[1] != x.size - 1:
            raise ValueError(
                f"{c.shape[1]} polynomials need a row of {c.shape[1] + 1} breakpoints, not shape {x.shape}"
            )
        steps = _ks.diff(x)
        if not bool((steps >= 0).all() | (steps <= 0).all()):
            raise ValueError("`x` must be strictly increasing or decreasing.")
        self.c, self.x = _ks.ascontiguousarray(c), x

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None, axis=0):
        made = object.__new__(cls)
        made.c, made.x, made.axis, made.extrapolate = c, x, axis, True if extrapolate is None else extrapolate
        return made

    def __call__(self, x, nu=0, extrapolate=None):
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        given = _asarray(x)
        shape, v = given.shape, _floats(given).reshape(-1)
        first, last = self.x[0], self.x[-1]
        if extrapolate == "periodic":
            v, extrapolate = first + (v - first) % (last - first), False
        rises = bool(last >= first)
        found = _ks.searchsorted(self.x if rises else -self.x, v if rises else -v, side="right") - 1
        at = _ks.clip(found, 0, self.x.size - 2)
        result = self._value(v, at, nu)
        is_none = _ks.isnan(v) if extrapolate else ~((v >= _ks.minimum(first, last)) & (v <= _ks.maximum(first, last)))
        result = _ks.where(_along(is_none, result), _np.nan, result).reshape(shape + self.c.shape[2:])
        new = range(len(shape), len(shape) + self.axis)  # axes before the one of the points
        return _ks.moveaxis(result, new, range(self.axis)) if self.axis else result

    def derivative(self, nu=1):
        """The derivative of order nu, piecewise polynomials too."""
        if nu < 0:
            return self.antiderivative(-nu)
        return self._form.construct_fast(self._derived(nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        """The integral from the first breakpoint on, nu times."""
        if nu <= 0:
            return self.derivative(-nu)
        c, goes_on = self.c, False if self.extrapolate == "periodic" else self.extrapolate
        for _ in range(nu):
            c = self._integrated(c)
        return self._form.construct_fast(c, self.x, goes_on, self.axis)

    def integrate(self, a, b, extrapolate=None):
        """The integral from a to b."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        whole = self.antiderivative()
        if extrapolate != "periodic":
            return whole(b, extrapolate=extrapolate) - whole(a, extrapolate=extrapolate)
        first, last = float(self.x[0]), float(self.x[-1])
        period = last - first

        def until(v):
            turns = _math.floor((v - first) / period)
            return whole(v - turns * period, extrapolate=True) + turns * whole(last)

        return until(float(b)) - until(float(a))

    def extend(self, c, x):
        """More polynomials behind the last breakpoint or before the first one."""
        c, x = _floats(c), _floats(x)
        behind = bool((x[0] >= self.x[-1]) if self.x[-1] >= self.x[0] else (x[0] <= self.x[-1]))
        k = max(c.shape[0], self.c.shape[0])
        old, new = (self._raise_degree(a, k - a.shape[0]) for a in (self.c, c))
        self.c = _ks.concatenate((old, new) if behind else (new, old), axis=1)
        self.x = _ks.concatenate((self.x, x) if behind else (x, self.x))


class PPoly(_Pieces):
    """Polynomials between breakpoints x: `sum(c[m, i] * (v - x[i]) ** (k - m))` for v from x[i] to x[i + 1]."""

    def _value(self, v, at, nu):
        c = self._derived(nu)[:, at]
        return _polynomial(c, _along(v - self.x[at], c[0]))

    @staticmethod
    def _raise_degree(c, d):
        """The same polynomials with d more coefficients."""
        return _ks.concatenate((_ks.zeros_like(c, shape=(d, *c.shape[1:])), c)) if d else c

    def _derived(self, nu):
        if nu < 0:
            raise ValueError("Order of derivative cannot be negative")
        c = self.c
        for _ in range(nu):
            n = c.shape[0] - 1
            powers = _along(_ks.arange(n, 0, -1, device=c.device), c)
            c = c[:-1] * powers if n else _ks.zeros(c.shape, c.dtype, c.device)
        return c

    def _integrated(self, c):
        powers = _along(_ks.arange(c.shape[0], 0, -1, device=c.device).astype("float64"), c)
        c = _ks.concatenate((c / powers, _ks.zeros((1, *c.shape[1:]), c.dtype, c.device)))
        c[-1, 1:] = _ks.cumsum(_polynomial(c, _along(_ks.diff(self.x), c[0])), axis=0)[:-1]
        return c

    @classmethod
    def from_spline(cls, tck, extrapolate=None):
        """The polynomials of which a B-spline is made."""
        from ._bsplines import BSpline, _evaluated

        if isinstance(tck, BSpline):
            extrapolate = tck.extrapolate if extrapolate is None else extrapolate
            tck = tck.tck
        t, c, k = tck
        t, c = _floats(t), _floats(c)
        rows = [_evaluated(t, c, k, t[:-1], nu) / _math.factorial(nu) for nu in range(k, -1, -1)]
        return cls.construct_fast(_ks.stack(rows), t, extrapolate)

    @classmethod
    def from_bernstein_basis(cls, bp, extrapolate=None):
        """The same polynomials by powers."""
        from ._bernstein import BPoly

        if not isinstance(bp, BPoly):
            raise TypeError(f".from_bernstein_basis only accepts BPoly instances. Got {type(bp)} instead.")
        k, steps, rows = bp.c.shape[0] - 1, _along(_ks.diff(bp.x), bp.c[0]), []
        for power in range(k, -1, -1):  # of the place in the piece
            row = sum(
                (-1) ** (a + power) * _math.comb(k, a) * _math.comb(k - a, power - a) * bp.c[a]
                for a in range(power + 1)
            )
            rows.append(row / steps**power)
        return cls.construct_fast(
            _ks.stack(rows), bp.x, bp.extrapolate if extrapolate is None else extrapolate, bp.axis
        )


PPoly._form = PPoly


def _points(x, y, axis, least=2):
    """Points in rising order, and values whose first axis goes along them."""
    x, y = _floats(x), _floats(y)
    if x.dtype.kind == "c":
        raise ValueError("`x` must contain real values.")
    if x.ndim != 1 or x.size < least:
        raise ValueError(f"`x` must be 1-dimensional with at least {least} elements.")
    axis %= y.ndim
    if y.shape[axis] != x.size:
        raise ValueError("The length of `y` along `axis` doesn't match the length of `x`")
    if not bool(_ks.isfinite(x).all()) or not bool(_ks.isfinite(y).all()):
        raise ValueError("`x` and `y` must contain only finite values.")
    if not bool((_ks.diff(x) > 0).all()):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, _ks.moveaxis(y, axis, 0), axis


class CubicHermiteSpline(PPoly):
    """Cubic polynomials through points with given slopes."""

    def __init__(self, x, y, dydx, axis=0, extrapolate=None):
        x, y, axis = _points(x, y, axis)
        self._through(x, y, _ks.moveaxis(_floats(dydx), axis, 0), axis, extrapolate)

    def _through(self, x, y, slopes, axis, extrapolate):
        if slopes.shape != y.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
        steps = _along(_ks.diff(x), y)
        slope = _ks.diff(y, axis=0) / steps
        bend = (slopes[:-1] + slopes[1:] - 2 * slope) / steps
        c = _ks.stack((bend / steps, (slope - slopes[:-1]) / steps - bend, slopes[:-1], y[:-1]))
        self.c, self.x, self.axis = c, x, axis
        self.extrapolate = True if extrapolate is None else extrapolate


class PchipInterpolator(CubicHermiteSpline):
    """Cubic polynomials that rise and fall as the points do (Fritsch and Butland, 1984)."""

    def __init__(self, x, y, axis=0, extrapolate=None):
        x, y, axis = _points(x, y, axis)
        self._through(x, y, _monotone_slopes(x, y), axis, extrapolate)


def _monotone_slopes(x, y):
    h = _along(_ks.diff(x), y)
    m = _ks.diff(y, axis=0) / h
    if y.shape[0] == 2:
        return _ks.concatenate((m, m))
    is_flat = (_ks.sign(m[1:]) != _ks.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    inner = (w1 + w2) / (w1 / _ks.where(is_flat, 1, m[:-1]) + w2 / _ks.where(is_flat, 1, m[1:]))

    def end(h0, h1, m0, m1):
        d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
        far = (_ks.sign(m0) != _ks.sign(m1)) & (abs(d) > 3 * abs(m0))
        return _ks.where(_ks.sign(d) != _ks.sign(m0), 0, _ks.where(far, 3 * m0, d))

    ends = end(h[0], h[1], m[0], m[1])[None], end(h[-1], h[-2], m[-1], m[-2])[None]
    return _ks.concatenate((ends[0], _ks.where(is_flat, 0, inner), ends[1]))


class Akima1DInterpolator(CubicHermiteSpline):
    """Cubic polynomials whose slope at a point is a mean of the slopes around it (Akima, 1970)."""

    def __init__(self, x, y, axis=0):
        x, y, axis = _points(x, y, axis)
        m = _ks.diff(y, axis=0) / _along(_ks.diff(x), y)
        if x.size == 2:
            self._through(x, y, _ks.concatenate((m, m)), axis, False)
            return
        first, last = 2 * m[:1] - m[1:2], 2 * m[-1:] - m[-2:-1]
        m = _ks.concatenate((2 * first - m[:1], first, m, last, 2 * last - m[-1:]))
        change = abs(_ks.diff(m, axis=0))
        before, behind = change[:-2], change[2:]
        weight = before + behind
        is_even = ~(weight > 1e-9 * weight.max())
        mean = (behind * m[1:-2] + before * m[2:-1]) / _ks.where(is_even, 1, weight)
        self._through(x, y, _ks.where(is_even, 0.5 * (m[3:] + m[:-3]), mean), axis, False)


class CubicSpline(CubicHermiteSpline):
    """Cubic polynomials through points, whose second derivatives meet."""

    def __init__(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
        x, y, axis = _points(x, y, axis)
        kinds = [bc_type, bc_type] if isinstance(bc_type, str) else list(bc_type)
        if len(kinds) != 2:
            raise ValueError("`bc_type` must contain 2 elements to specify start and end conditions.")
        if "periodic" in kinds and kinds != ["periodic"] * 2:
            raise ValueError(
                "'periodic' `bc_type` is defined for both curve ends and cannot be used with other boundary conditions."
            )
        if kinds[0] == "periodic" and not bool(_ks.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15)):
            raise ValueError(
                "The first and last `y` point along axis must be identical (within machine precision) when bc_type='periodic'."
            )
        if extrapolate is None:
            extrapolate = "periodic" if kinds[0] == "periodic" else True
        self._through(x, y, _smooth_slopes(x, y, kinds), axis, extrapolate)


def _smooth_slopes(x, y, kinds):
    """Slopes at the points for which second derivatives meet, from a system of as many equations."""
    n, h = x.size, _np.diff(x.numpy())
    if n == 2:
        kinds = [(1, None) if kind in ("not-a-knot", "periodic") else kind for kind in kinds]
    if n == 3 and kinds == ["not-a-knot"] * 2:  # one parabola
        m = _ks.diff(y, axis=0) / _along(_ks.diff(x), y)
        bend = (m[1:] - m[:1]) / float(h.sum())
        return _ks.concatenate((m[:1] - bend * h[0], m[:1] + bend * h[0], m[1:] + bend * h[1]))
    system, steps = _np.zeros((n, n)), _along(_ks.diff(x), y)
    m = _ks.diff(y, axis=0) / steps
    right = _ks.zeros(y.shape, y.dtype, y.device)
    for i in range(1, n - 1):
        system[i, i - 1 : i + 2] = h[i], 2 * (h[i - 1] + h[i]), h[i - 1]
    right[1:-1] = 3 * (steps[1:] * m[:-1] + steps[:-1] * m[1:])
    if kinds[0] == "periodic" and n > 2:
        for at, share in ((0, 2 * (h[-1] + h[0])), (1, h[-1]), (-2, h[0])):  # of three points two are one
            system[0, at] += share
        right[0] = 3 * (h[0] * m[-1] + h[-1] * m[0])
        system[-1, [0, -1]] = 1, -1
        return _solved(system, right)
    for kind, at, near, own, its, beside in ((kinds[0], 0, 1, h[0], m[0], 1), (kinds[1], -1, -2, h[-1], m[-1], -2)):
        sign = 1 if at == 0 else -1
        kind = {"clamped": (1, 0.0), "natural": (2, 0.0)}.get(kind, kind) if isinstance(kind, str) else tuple(kind)
        if kind == "not-a-knot":
            other, d = h[beside], own + h[beside]
            system[at, [at, near]] = other, d
            right[at] = ((own + 2 * d) * other * its + own**2 * m[beside]) / d
        elif isinstance(kind, tuple) and kind[0] == 1:
            system[at, at] = 1
            right[at] = its if kind[1] is None else _asarray(kind[1])
        elif isinstance(kind, tuple) and kind[0] == 2:
            system[at, [at, near]] = 2, 1
            right[at] = 3 * its - sign * 0.5 * _asarray(kind[1]) * own
        else:
            raise ValueError(f"bc_type={kind!r} is not allowed.")
    return _solved(system, right)


def _solved(system, right):
    """x with system x = right, of any axes after the first. The factors of the whole matrix are taken: its diagonals are few,
    but so are the points of a spline."""
    flat = right.reshape(right.shape[0], -1)
    return _ks.linalg.solve(_asarray(system).astype(flat.dtype), flat).reshape(-1, *right.shape[1:])


pchip = PchipInterpolator


def pchip_interpolate(xi, yi, x, der=0, axis=0):
    """Values, or derivatives of order `der`, of a PchipInterpolator."""
    P = PchipInterpolator(xi, yi, axis)
    return P(x, der) if _np.isscalar(der) else [P(x, k) for k in der]


_degree_of = {"slinear": 1, "cubic": 3, "quintic": 5, "pchip": 3}
_degree_of |= {name + "_legacy": _degree_of[name] for name in ("slinear", "cubic", "quintic")}


def _risen(line, values, x, has_places):
    """What PchipInterpolator makes of the last axis of a grid at each place; `has_places`: the first axis is that of the places."""
    values = _ks.moveaxis(values, -1, 0)
    at = _ks.clip(_ks.searchsorted(line, x, side="right") - 1, 0, line.size - 2)
    c = PchipInterpolator(line, values).c
    c = c[:, at, _ks.arange(x.size, device=x.device)] if has_places else c[:, at]
    return _polynomial(c, _along(x - line[at], c[0]))


class RegularGridInterpolator:
    """Values between those on a grid of lines, `method` "linear", "nearest", or splines: "slinear", "cubic", "quintic", "pchip"."""

    def __init__(self, points, values, method="linear", bounds_error=True, fill_value=_np.nan):
        if method not in ("linear", "nearest", *_degree_of):
            raise ValueError(f"Method '{method}' is not defined")
        self.values, self.method, self.bounds_error, self.fill_value = _floats(values), method, bounds_error, fill_value
        if len(points) > self.values.ndim:
            raise ValueError(f"There are {len(points)} point arrays, but values has {self.values.ndim} dimensions")
        grid = []
        for k, line in enumerate(points):
            line = _floats(line)
            steps = _ks.diff(line)
            if not bool((steps > 0).all()):
                if not bool((steps < 0).all()):
                    raise ValueError(f"The points in dimension {k} must be strictly ascending or descending")
                line, self.values = _ks.flip(line), _ks.flip(self.values, k)
            if line.ndim != 1 or line.size != self.values.shape[k]:
                raise ValueError(f"There are {line.size} points and {self.values.shape[k]} values along dimension {k}")
            grid.append(line)
        self.grid = tuple(grid)
        self._must_have_points(method)

    def _must_have_points(self, method):
        for axis, line in enumerate(self.grid if method in _degree_of else ()):
            if line.size <= _degree_of[method]:
                raise ValueError(
                    f"There are {line.size} points in dimension {axis}, but method {method} requires at least {_degree_of[method] + 1} points per dimension."
                )

    def _by_splines(self, xi, method):
        if method != "pchip":
            from ._ndbspline import make_ndbspl

            return make_ndbspl(self.grid, self.values, _degree_of[method])(xi)
        n = len(self.grid)
        result = self.values.reshape(*self.values.shape[:n], -1)
        result = _ks.moveaxis(result, -1, 0)  # values of several kinds, the axes of the grid behind them
        for axis in range(n - 1, -1, -1):
            result = _risen(self.grid[axis], result, xi[:, axis], axis < n - 1)
        return result.reshape(-1, *self.values.shape[n:])

    def __call__(self, xi, method=None):
        method = self.method if method is None else method
        if method not in ("linear", "nearest", *_degree_of):
            raise ValueError(f"Method '{method}' is not defined")
        self._must_have_points(method)
        if isinstance(xi, tuple):
            xi = _ks.stack(_ks.broadcast_arrays(*map(_floats, xi)), -1)
        xi = _floats(xi)
        n = len(self.grid)
        xi = xi[:, None] if xi.ndim == 1 and n == 1 else xi
        if xi.shape[-1] != n:
            raise ValueError(
                f"The requested sample points xi have dimension {xi.shape[-1]} but this RegularGridInterpolator has dimension {n}"
            )
        shape, xi = xi.shape[:-1], xi.reshape(-1, n)
        is_outside, is_nan = _ks.zeros(xi.shape[0], bool, xi.device), _ks.isnan(xi).any(1)
        below, shares = [], []
        for k, line in enumerate(self.grid):
            v = xi[:, k]
            outside = (v < line[0]) | (v > line[-1])
            if self.bounds_error and bool(outside.any()):
                raise ValueError(f"One of the requested xi is out of bounds in dimension {k}")
            is_outside = is_outside | outside
            at = _ks.clip(_ks.searchsorted(line, v, side="right") - 1, 0, max(line.size - 2, 0))
            below.append(at)
            shares.append((v - line[at]) / (line[at + 1] - line[at]) if line.size > 1 else 0 * v)
        if method in _degree_of:
            result = self._by_splines(xi, method)
        elif method == "nearest":
            result = self.values[tuple(_ks.where(share <= 0.5, at, at + 1) for at, share in zip(below, shares))]
        else:
            result = 0
            for corner in _itertools.product((0, 1), repeat=n):
                weight = 1.0
                for up, share in zip(corner, shares):
                    weight = weight * (share if up else 1 - share)
                there = tuple(_ks.minimum(at + up, line.size - 1) for at, up, line in zip(below, corner, self.grid))
                values = self.values[there]
                result = result + values * _along(weight, values)
        if not self.bounds_error and self.fill_value is not None:
            result = _ks.where(_along(is_outside, result), self.fill_value, result)
        result = _ks.where(_along(is_nan, result), _np.nan, result)
        return result.reshape(shape + self.values.shape[n:])


def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=_np.nan):
    """Values between those on a grid, of a RegularGridInterpolator."""
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
