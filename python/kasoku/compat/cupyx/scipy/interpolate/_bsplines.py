"""B-splines: their values, derivatives and integrals, and those that go through points or near them."""

import operator as _operator

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from ...._face.kernels import kernel as _kernel
from .. import sparse as _sparse
from ._pieces import _along, _floats, _solved

__all__ = ["BSpline", "make_interp_spline", "make_lsq_spline", "splantider", "splder"]

_most = 31  # the degree for which the kernel below has room

# De Boor's scheme: coefficients of the interval, first of the derivative, then of one lower degree after the other.
_values = _kernel("raw float64 t, raw T c, raw float64 x, int64 k, int64 n, int64 width, int64 nu, bool goes_on", "T y", """
      const double v = x[i / width];
      if (v != v || (!goes_on && (v < t[k] || v > t[n]))) { y = T(nan("")); return; }
      if (nu > k) { y = T(0); return; }
      long long low = k, high = n - 1;
      while (low < high) {
        const long long middle = (low + high) / 2;
        if (t[middle + 1] > v) high = middle; else low = middle + 1;
      }
      T d[32];
      for (int j = 0; j <= k; j++) d[j] = c[(low - k + j) * width + i % width];
      for (int r = 1; r <= k; r++)
        for (int j = k; j >= r; j--) {
          const double from = t[low - k + j], to = t[low + 1 + j - r];
          if (r <= nu) { d[j] = to == from ? T(0) : T(k - r + 1) * (d[j] - d[j - 1]) / T(to - from); continue; }
          const double share = to == from ? 0 : (v - from) / (to - from);
          d[j] = T(1 - share) * d[j - 1] + T(share) * d[j];
        }
      y = d[k];""", "b_spline")  # fmt: skip


def _evaluated(t, c, k, x, nu=0, goes_on=True):
    """The values, or derivatives, at a row of places: a row for each."""
    if k > _most:
        raise NotImplementedError(f"B-splines are of degrees up to {_most}, not {k}")
    y = _ks.zeros_like(c, shape=(x.size, *c.shape[1:]))
    if y.size:
        width, n = y.size // x.size, t.size - k - 1
        _values(t, _ks.ascontiguousarray(c), _ks.ascontiguousarray(x), k, n, width, nu, bool(goes_on), y)
    return y


def _basis(t, k, x, nu=0, goes_on=True):
    """What each B-spline is at each place, as a matrix."""
    return _evaluated(t, _ks.eye(t.size - k - 1, device=x.device), k, x, nu, goes_on)


def _knots(t):
    t = _asarray(t)
    if t.dtype.kind == "c":
        raise TypeError("Knots are real numbers")
    return _ks.ascontiguousarray(t.astype("float64"))


class BSpline:
    """The sum of B-splines of the degree k over knots t, each times its coefficient."""

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        self.k = k = _operator.index(k)
        self.t, c = _knots(t), _floats(c)
        self.extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)
        n = self.t.size - k - 1
        if not -c.ndim <= axis < c.ndim:
            raise ValueError(f"axis {axis} is out of bounds for array of dimension {c.ndim}")
        self.axis = axis % c.ndim
        self.c = _ks.ascontiguousarray(_ks.moveaxis(c, self.axis, 0))
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if self.t.ndim != 1:
            raise ValueError("Knot vector must be one-dimensional.")
        if n < k + 1:
            raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}")
        if not bool(_ks.isfinite(self.t).all()):
            raise ValueError("Knots should not have nans or infs.")
        if bool((_ks.diff(self.t) < 0).any()):
            raise ValueError("Knots must be in a non-decreasing order.")
        if not bool(self.t[n] > self.t[k]):
            raise ValueError("Need at least two internal knots.")
        if self.c.shape[0] < n:
            raise ValueError("Knots, coefficients and degree are inconsistent.")

    @classmethod
    def construct_fast(cls, t, c, k, extrapolate=True, axis=0):
        """A spline of parts that are right."""
        made = object.__new__(cls)
        made.t, made.c, made.k, made.extrapolate, made.axis = t, c, k, extrapolate, axis
        return made

    tck = property(lambda self: (self.t, self.c, self.k))

    @classmethod
    def basis_element(cls, t, extrapolate=True):
        """The one B-spline of these knots."""
        t = _knots(t)
        k = t.size - 2
        before, after = _ks.broadcast_to(t[:1] - 1, (k,)), _ks.broadcast_to(t[-1:] + 1, (k,))
        c = _ks.zeros_like(t, shape=(3 * k + 2,))
        c[k] = 1.0
        return cls.construct_fast(_ks.concatenate((before, t, after)), c, k, extrapolate)

    @classmethod
    def design_matrix(cls, x, t, k, extrapolate=False):
        """What each B-spline is at each place, as a sparse matrix of rows."""
        x, t, k = _asarray(x).astype("float64"), _knots(t), _operator.index(k)
        extrapolate = extrapolate if extrapolate == "periodic" else bool(extrapolate)
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if t.ndim != 1 or bool((_ks.diff(t) < 0).any()):
            raise ValueError(f"Expect t to be a 1-D sorted array_like, but got t={t}.")
        if t.size < 2 * k + 2:
            raise ValueError(f"Length t is not enough for k={k}.")
        n = t.size - k - 1
        if extrapolate == "periodic":
            x, extrapolate = t[k] + (x - t[k]) % (t[n] - t[k]), False
        if not extrapolate and bool(((x < t[k]) | (x > t[n])).any()):
            raise ValueError(f"Out of bounds w/ x = {x}.")
        return _sparse.csr_matrix(_basis(t, k, x.reshape(-1)))

    def __call__(self, x, nu=0, extrapolate=None):
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        x = _asarray(x)
        shape, v = x.shape, x.astype("float64").reshape(-1)
        t, k = self.t, self.k
        if extrapolate == "periodic":
            n = t.size - k - 1
            v, extrapolate = t[k] + (v - t[k]) % (t[n] - t[k]), False
        y = _evaluated(t, _floats(self.c), k, v, nu, extrapolate).reshape(shape + self.c.shape[1:])
        if not self.axis:
            return y
        m = len(shape)
        return y.transpose([*range(m, m + self.axis), *range(m), *range(m + self.axis, y.ndim)])

    def _padded(self):
        missing = self.t.size - self.c.shape[0]
        return _ks.pad(self.c, [(0, max(missing, 0))] + [(0, 0)] * (self.c.ndim - 1))

    def derivative(self, nu=1):
        """The spline that is the derivative of order nu."""
        return self.construct_fast(*splder((self.t, self._padded(), self.k), nu), self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        """The spline that is the integral, nu times."""
        goes_on = False if self.extrapolate == "periodic" else self.extrapolate
        return self.construct_fast(*splantider((self.t, self._padded(), self.k), nu), goes_on, self.axis)

    def integrate(self, a, b, extrapolate=None):
        """The integral from a to b."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        t, k = self.t, self.k
        a, b, sign = (float(a), float(b), 1) if a <= b else (float(b), float(a), -1)
        first, last = float(t[k]), float(t[t.size - k - 1])
        if not extrapolate:
            a, b = max(a, first), min(b, last)
        whole = splantider((t, self._padded(), k), 1)

        def between(low, high):
            ends = _evaluated(*whole, _ks.array([low, high], device=t.device))
            return ends[1] - ends[0]

        if extrapolate != "periodic":
            return sign * between(a, b)
        period = last - first
        turns, left = divmod(b - a, period)
        total = turns * between(first, last)
        a = first + (a - first) % period
        b = a + left
        total = total + (between(a, b) if b <= last else between(a, last) + between(first, b - period))
        return sign * total


@_here
def splder(tck, n=1):
    """The knots, coefficients and degree of a spline's derivative of order n."""
    if n < 0:
        return splantider(tck, -n)
    t, c, k = tck
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {tck[2]!r})")
    for _ in range(n):
        steps = t[k + 1 : -1] - t[1 : -k - 1]
        c = (c[1 : -1 - k] - c[: -2 - k]) * k / _along(steps, c)
        c = _ks.pad(c, [(0, k)] + [(0, 0)] * (c.ndim - 1))
        t, k = t[1:-1], k - 1
    return t, c, k


@_here
def splantider(tck, n=1):
    """The knots, coefficients and degree of a spline's integral, n times."""
    if n < 0:
        return splder(tck, -n)
    t, c, k = tck
    for _ in range(n):
        steps = t[k + 1 :] - t[: -k - 1]
        c = _ks.cumsum(c[: -k - 1] * _along(steps, c), axis=0) / (k + 1)
        c = _ks.concatenate((_ks.zeros_like(c[:1]), c, *[c[-1:]] * (k + 2)))
        t, k = _ks.concatenate((t[:1], t, t[-1:])), k + 1
    return t, c, k


# ── splines through points ────────────────────────────────────────────────────────────────────


def _repeated(first, inner, last, k):
    return _ks.concatenate((_ks.broadcast_to(first, (k,)), inner, _ks.broadcast_to(last, (k,))))


def _usual_knots(x, k):
    if k % 2:
        inner, edge = x, (k + 1) // 2
    else:
        inner, edge = (x[1:] + x[:-1]) / 2, k // 2
    return _repeated(x[0], inner[edge : inner.size - edge], x[-1], k + 1)


def _periodic_knots(x, k):
    inner, n = x.numpy().copy(), x.size
    if k % 2 == 0:
        inner[1:-1] -= (inner[1:-1] - inner[:-2]) / 2
    steps, before, after = inner[1:] - inner[:-1], [inner[0]], [inner[-1]]
    for i in range(k):
        before.append(before[-1] - steps[-(i % (n - 1)) - 1])
        after.append(after[-1] + steps[i % (n - 1)])
    return _ks.array([*before[:0:-1], *inner.tolist(), *after[1:]], device=x.device)


def _conditions(kind, like):
    """Derivatives at an end as pairs of an order and a value."""
    if kind is None or isinstance(kind, str) and kind == "not-a-knot":
        return []
    if isinstance(kind, str):
        if kind not in ("clamped", "natural"):
            raise ValueError(f"Unknown boundary condition : {kind}")
        return [(1 if kind == "clamped" else 2, _ks.zeros(like.shape[1:], like.dtype, device=like.device))]
    try:
        return [(int(order), _asarray(value)) for order, value in kind]
    except TypeError:
        raise ValueError(
            "Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of (order, value)."
        ) from None


def _given_points(x, y, axis, check_finite):
    """Points in a row, and their values along the first axis."""
    x, y = _floats(x), _ks.moveaxis(_floats(y), axis, 0)
    if check_finite and not (bool(_ks.isfinite(x).all()) and bool(_ks.isfinite(y).all())):
        raise ValueError("array must not contain infs or NaNs")
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    steps = _ks.diff(x)
    if bool((steps == 0).any()):
        raise ValueError("Expect x to not have duplicates")
    if bool((steps < 0).any()):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    return x, y


def _given_ends(bc_type):
    """What is said of the two ends."""
    if bc_type is None or isinstance(bc_type, str):
        return bc_type, bc_type
    try:
        first, last = bc_type
    except (TypeError, ValueError):
        raise ValueError(f"Unknown boundary condition: {bc_type}") from None
    return first, last


def _fitting_knots(t, x, k):
    """Knots that are given, if a spline over them can go through the points."""
    t = _knots(t)
    if t.ndim != 1 or bool((_ks.diff(t) < 0).any()):
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if t.size < x.size + k + 1:
        raise ValueError(f"Got {t.size} knots, need at least {x.size + k + 1}.")
    if bool((x[0] < t[k]) | (x[-1] > t[t.size - k - 1])):
        raise ValueError(f"Out of bounds w/ x = {x}.")
    return t


def _periodic_system(t, k, x, y):
    """The equations of a spline whose derivatives are the same at both ends."""
    meeting = [_basis(t, k, x[:1], nu) - _basis(t, k, x[-1:], nu) for nu in range(1, k)]
    zeros = _ks.zeros((len(meeting), *y.shape[1:]), y.dtype, device=y.device)
    return _ks.concatenate((*meeting, _basis(t, k, x))), _ks.concatenate((zeros, y))


def _system(t, k, x, y, left, right):
    """The equations of a spline with given derivatives, (order, value), at the ends."""
    missing = t.size - k - 1 - x.size
    if missing != len(left) + len(right):
        raise ValueError(
            f"The number of derivatives at boundaries does not match: expected {missing}, got {len(left)}+{len(right)}"
        )
    rows = lambda side, at: [_basis(t, k, at, nu) for nu, _ in side]
    given = lambda side: [_ks.broadcast_to(_floats(value), y.shape[1:])[None] for _, value in side]
    matrix = _ks.concatenate((*rows(left, x[:1]), _basis(t, k, x), *rows(right, x[-1:])))
    return matrix, _ks.concatenate((*given(left), y, *given(right)))


@_here
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """The spline of the degree k through points, with what `bc_type` says of its derivatives at the ends."""
    ends, is_periodic = _given_ends(bc_type), isinstance(bc_type, str) and bc_type == "periodic"
    k, axis = _operator.index(k), axis % _floats(y).ndim
    x, y = _given_points(x, y, axis, check_finite)
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if is_periodic and not bool(_ks.allclose(y[0], y[-1], atol=1e-15)):
        raise ValueError("First and last points does not match while periodic case expected")
    left, right = ([], []) if is_periodic else (_conditions(end, y) for end in ends)
    if k < 2 and t is None and not is_periodic:
        if left or right:
            raise ValueError(f"Too much info for k={k}: t and bc_type can only be None.")
        knots = _ks.concatenate((x, x[-1:])) if k == 0 else _ks.concatenate((x[:1], x, x[-1:]))
        return BSpline.construct_fast(knots, _ks.ascontiguousarray(y), k, axis=axis)
    if is_periodic and t is not None:
        raise NotImplementedError("For periodic case t is constructed automatically and can not be passed manually")
    if t is None and is_periodic:
        t = _periodic_knots(x, k)
    elif t is None:
        t = _repeated(x[0], x, x[-1], k) if left or right else _usual_knots(x, k)
    t = _fitting_knots(t, x, k)
    matrix, values = _periodic_system(t, k, x, y) if is_periodic else _system(t, k, x, y, left, right)
    count = t.size - k - 1
    c = _solved(matrix, values) if y.size else _ks.zeros((count, *y.shape[1:]), y.dtype, device=y.device)
    return BSpline.construct_fast(t, c, k, "periodic" if is_periodic and y.size else True, axis)


@_here
def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="qr"):
    """The spline of the degree k over knots t whose squares of distances to points are least."""
    x, y, t, k = _floats(x), _floats(y), _knots(t), _operator.index(k)
    w = _ks.ones_like(x) if w is None else _floats(w)
    axis = axis % y.ndim
    y = _ks.moveaxis(y, axis, 0)
    if x.ndim != 1 or bool((_ks.diff(x) < 0).any()):
        raise ValueError("Expect x to be a 1-D sorted array_like.")
    if x.size < k + 1:
        raise ValueError("Need more x points.")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t.ndim != 1 or bool((_ks.diff(t) < 0).any()):
        raise ValueError("Expect t to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if k > 0 and bool(((x < t[k]) | (x > t[t.size - k - 1])).any()):
        raise ValueError(f"Out of bounds w/ x = {x}.")
    if w.shape != x.shape:
        raise ValueError(f"Shapes of x {x.shape} and w {w.shape} are incompatible")
    right = (y * _along(w, y)).reshape(x.size, -1)
    matrix = (_basis(t, k, x) * w[:, None]).astype(right.dtype)
    c = _ks.linalg.lstsq(matrix, right, rcond=None)[0].reshape(-1, *y.shape[1:])
    return BSpline.construct_fast(t, c, k, axis=axis)
