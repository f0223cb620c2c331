"""Products of B-splines along several axes."""

import math as _math
import operator as _operator

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from .. import sparse as _sparse
from ._bsplines import _basis, _knots, make_interp_spline as _make_interp_spline
from ._pieces import _floats

__all__ = ["NdBSpline"]

_at_once = 10_000_000  # elements between one axis and the next


def _degrees(k, ndim):
    try:
        k = (_operator.index(k),) * ndim
    except TypeError:
        k = tuple(_operator.index(one) for one in k)
    if len(k) != ndim:
        raise ValueError(f"len(t) = {ndim} != len(k) = {len(k)}.")
    return k


class NdBSpline:
    """The sum of products of B-splines, one for each axis, each times its coefficient."""

    def __init__(self, t, c, k, *, extrapolate=None):
        self.t = tuple(map(_knots, t))
        self.k, self.c = _degrees(k, len(self.t)), _floats(c)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        if self.c.ndim < len(self.t):
            raise ValueError(f"Coefficients must be at least {len(self.t)}-dimensional.")
        for axis, (knots, degree) in enumerate(zip(self.t, self.k)):
            n = knots.size - degree - 1
            if degree < 0:
                raise ValueError("Spline degree cannot be negative.")
            if knots.ndim != 1:
                raise ValueError("Knot vector must be one-dimensional.")
            if n < degree + 1:
                raise ValueError(f"Need at least {2 * degree + 2} knots for degree {degree} in dimension {axis}.")
            if bool((_ks.diff(knots) < 0).any()):
                raise ValueError(f"Knots in dimension {axis} must be in a non-decreasing order.")
            if self.c.shape[axis] != n:
                raise ValueError(
                    f"Knots, coefficients and degree in dimension {axis} are inconsistent: got {self.c.shape[axis]} "
                    f"coefficients for {knots.size} knots, need at least {n} for k={degree}."
                )

    def __call__(self, xi, *, nu=None, extrapolate=None):
        ndim, extrapolate = len(self.t), self.extrapolate if extrapolate is None else bool(extrapolate)
        nu = (0,) * ndim if nu is None else tuple(int(one) for one in nu)
        if len(nu) != ndim:
            raise ValueError(f"invalid number of derivative orders nu = {nu} for ndim = {ndim}.")
        if min(nu) < 0:
            raise ValueError(f"derivatives must be positive, got nu = {nu}")
        xi = _points(xi)
        if xi.shape[-1] != ndim:
            raise ValueError(f"Shapes: xi.shape={xi.shape} and ndim={ndim}")
        shape, x, made = xi.shape[:-1], xi.reshape(-1, ndim), []
        step = max(1, _at_once // max(_math.prod(self.c.shape[1:]), 1))
        for begin in range(0, x.shape[0], step):
            part = x[begin : begin + step]
            basis = [_basis(t, k, part[:, d], nu[d], extrapolate) for d, (t, k) in enumerate(zip(self.t, self.k))]
            y = _ks.tensordot(basis[0].astype(self.c.dtype), self.c, 1)
            for of_axis in basis[1:]:
                y = (of_axis.reshape(of_axis.shape + (1,) * (y.ndim - 2)) * y).sum(1)
            made.append(y)
        y = _ks.concatenate(made) if made else _ks.zeros_like(self.c, shape=(0, *self.c.shape[ndim:]))
        return y.reshape(shape + self.c.shape[ndim:])

    @classmethod
    def design_matrix(cls, xvals, t, k, extrapolate=True):
        """What each product is at each place, as a sparse matrix of rows."""
        t = tuple(map(_knots, t))
        k, x = _degrees(k, len(t)), _points(xvals)
        if x.ndim != 2 or x.shape[1] != len(t):
            raise ValueError(f"Data and knots are inconsistent: len(t) = {len(t)} for ndim = {x.shape[-1]}.")
        made, last = _ks.ones_like(x, shape=(x.shape[0], 1)), 0
        for d, (knots, degree) in enumerate(zip(t, k)):
            n = knots.size - degree - 1
            made = (made[:, :, None] * _basis(knots, degree, x[:, d], 0, extrapolate)[:, None]).reshape(x.shape[0], -1)
            last = last * n + _ks.clip(_ks.searchsorted(knots, x[:, d], side="right") - 1, degree, n - 1)
        # As many columns as the places reach, which is what SciPy makes of it.
        return _sparse.csr_matrix(made[:, : int(last.max()) + 1 if x.shape[0] else 0])


def _points(xi):
    if isinstance(xi, (list, tuple)) and xi and isinstance(xi[0], (list, tuple)):
        xi = [_ks.stack([_asarray(v).astype("float64") for v in row]) for row in xi]
        return _ks.stack(xi)
    return _asarray(xi).astype("float64")


@_here
def make_ndbspl(points, values, k=3, *, solver=None, **solver_args):
    """The product of splines through values on a grid of lines."""
    values, k, knots = _floats(values), _degrees(k, len(points)), []
    for axis, (line, degree) in enumerate(zip(points, k)):
        line = _floats(line)
        if line.size <= degree:
            raise ValueError(
                f"There are {line.size} points in dimension {axis}, but order {degree} requires at least {degree + 1} points per dimension."
            )
        spline = _make_interp_spline(line, values, degree, axis=axis)
        knots.append(spline.t)
        values = _ks.moveaxis(spline.c, 0, axis)
    return NdBSpline(tuple(knots), values, k)
