"""Polynomials through points: by weights of the points (barycentric), and in Newton's form (Krogh)."""

import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from ._pieces import _floats

__all__ = ["BarycentricInterpolator", "KroghInterpolator", "barycentric_interpolate", "krogh_interpolate"]


class _Through:
    """A polynomial through points along an axis of values."""

    def _keep(self, xi, yi, axis):
        if yi.ndim == 0:
            yi = yi[None]
        self._y_axis = axis % yi.ndim
        if yi.shape[self._y_axis] != xi.size:
            raise ValueError("x and y arrays must be equal in length along interpolation axis.")
        yi = _ks.moveaxis(yi, self._y_axis, 0)
        self._y_extra_shape = yi.shape[1:]
        return yi.reshape(xi.size, -1)

    def _shaped(self, y, shape, before=()):
        y = y.reshape((*before, *shape, *self._y_extra_shape))
        if not self._y_axis or not shape:
            return y
        n, m, more = len(before), len(shape), self._y_axis
        return y.transpose([*range(n), *range(n + m, n + m + more), *range(n, n + m), *range(n + m + more, y.ndim)])

    def __call__(self, x):
        x = _asarray(x)
        return self._shaped(self._evaluate(x.reshape(-1)), x.shape)


class BarycentricInterpolator(_Through):
    """A polynomial through points, as a mean of their values with weights."""

    def __init__(self, xi, yi=None, axis=0):
        self.xi, self._axis = _floats(xi), axis
        self.n = self.xi.size
        self.set_yi(yi)
        self._weigh(4 / (self.xi.max() - self.xi.min()))

    def _weigh(self, scale):
        self._scale = scale
        away = (self.xi[:, None] - self.xi) * scale
        self.wi = 1 / _ks.where(_ks.eye(self.n, dtype=bool, device=self.xi.device), 1, away).prod(axis=1)

    def set_yi(self, yi, axis=None):
        """Other values at the points."""
        self._axis = self._axis if axis is None else axis
        self.yi = None if yi is None else self._keep(self.xi, _floats(yi), self._axis)

    def add_xi(self, xi, yi=None):
        """More points."""
        xi = _floats(xi)
        if (yi is None) != (self.yi is None):
            raise ValueError("No previous yi value to update!" if self.yi is None else "No update to yi provided!")
        if yi is not None:
            yi = _ks.moveaxis(_floats(yi), self._y_axis, 0).reshape(xi.size, -1)
            self.yi = _ks.concatenate((self.yi, yi))
        self.xi = _ks.concatenate((self.xi, xi))
        self.n = self.xi.size
        self._weigh(self._scale)

    def _evaluate(self, x):
        if self.yi is None:
            raise ValueError("y values must be specified")
        away = x[:, None] - self.xi
        is_point = away == 0
        weights = self.wi / _ks.where(is_point, 1, away)
        y = (weights.astype(self.yi.dtype) @ self.yi) / weights.sum(axis=1)[:, None]
        return _ks.where(is_point.any(1)[:, None], self.yi[_ks.argmax(is_point, axis=1)], y)


class KroghInterpolator(_Through):
    """A polynomial through points; where one is there several times, through its derivatives too."""

    def __init__(self, xi, yi, axis=0):
        self.xi = _asarray(xi)
        self.yi = y = self._keep(self.xi, _floats(yi), axis)
        self.n, x = self.xi.size, self.xi.numpy()
        self.c = [y[0]]
        column = [None] * self.n
        for k in range(1, self.n):
            same = 0
            while same < k and x[k - same - 1] == x[k]:
                same += 1
            column[0] = y[k] / _math.factorial(same)
            for i in range(k - same):
                if x[i] == x[k]:
                    raise ValueError("Elements of `xi` can't be equal.")
                column[i + 1] = ((column[i + 1] if same else self.c[i]) - column[i]) / (x[i] - x[k])
            self.c.append(column[k - same])

    def _derivatives(self, x, count):
        """The values and derivatives of the polynomial, by Horner's scheme of all of them at once."""
        made = [_ks.zeros((x.size, self.yi.shape[1]), self.yi.dtype, device=self.yi.device)] * count
        for k in range(self.n - 1, -1, -1):
            away = _floats(x - self.xi[k])[:, None]
            made = [made[0] * away + self.c[k], *(made[d] * away + made[d - 1] for d in range(1, count))]
        return [part * _math.factorial(d) for d, part in enumerate(made)]

    def _evaluate(self, x):
        # The products of distances are of the places' own precision, as SciPy's are.
        x = x if x.dtype.kind in "fc" else x.astype("float64")
        product, y = _ks.ones_like(x), self.c[0]
        for k in range(1, self.n):
            product = product * (x - self.xi[k - 1])
            y = y + product[:, None] * self.c[k]
        return _ks.broadcast_to(y, (x.size, self.yi.shape[1])).copy()

    def derivatives(self, x, der=None):
        """The value and the derivatives up to an order, n of them if nothing is said."""
        x, der = _asarray(x), self.n if der is None else der
        parts = self._derivatives(x.reshape(-1), min(der, self.n))
        parts += [_ks.zeros_like(parts[0])] * (der - len(parts))
        return self._shaped(_ks.stack(parts), x.shape, (der,))

    def derivative(self, x, der=1):
        """The derivative of an order."""
        return self.derivatives(x, der + 1)[der]


@_here
def barycentric_interpolate(xi, yi, x, axis=0):
    """The values of the polynomial through points."""
    return BarycentricInterpolator(xi, yi, axis=axis)(x)


@_here
def krogh_interpolate(xi, yi, x, der=0, axis=0):
    """The values, or derivatives, of the polynomial through points."""
    P = KroghInterpolator(xi, yi, axis=axis)
    if _np.isscalar(der):
        return P(x) if der == 0 else P.derivative(x, der=der)
    return P.derivatives(x, der=max(der) + 1)[_np.asarray(der)]
