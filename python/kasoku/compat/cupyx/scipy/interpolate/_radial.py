"""Sums of functions of the distance to points, which go through values at these."""

import itertools as _itertools
import math as _math
import warnings as _warnings

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ._pieces import _floats

__all__ = ["RBFInterpolator"]

_of_distance = {
    "linear": lambda r: -r,
    "thin_plate_spline": lambda r: _ks.where(r == 0, 0, r * r * _ks.log(_ks.where(r == 0, 1, r))),
    "cubic": lambda r: r * r * r,
    "quintic": lambda r: -(r**5),
    "multiquadric": lambda r: -_ks.sqrt(r * r + 1),
    "inverse_multiquadric": lambda r: 1 / _ks.sqrt(r * r + 1),
    "inverse_quadratic": lambda r: 1 / (r * r + 1),
    "gaussian": lambda r: _ks.exp(-r * r),
}
_of_any_scale = {"linear", "thin_plate_spline", "cubic", "quintic"}
_least_degree = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


def _powers(ndim, degree):
    """The exponents of all products of so many factors at most."""
    rows = [
        [factors.count(axis) for axis in range(ndim)]
        for d in range(degree + 1)
        for factors in _itertools.combinations_with_replacement(range(ndim), d)
    ]
    return _np.array(rows, "int64").reshape(len(rows), ndim)


def _products(x, powers):
    """Each product of the last axis' elements."""
    columns = [_math.prod((x[..., axis] ** int(n) for axis, n in enumerate(row) if n), start=_ks.ones(x.shape[:-1], device=x.device)) for row in powers]  # fmt: skip
    return _ks.stack(columns, -1) if columns else _ks.zeros((*x.shape[:-1], 0), device=x.device)


def _distances(x, y):
    away = x[..., :, None, :] - y[..., None, :, :]
    return _ks.sqrt((away * away).sum(-1))


class RBFInterpolator:
    """The sum of functions of the distance to the points y, and of a polynomial, that goes through the values d."""

    def __init__(self, y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None):
        y = _floats(y)
        if y.ndim != 2:
            raise ValueError("`y` must be a 2-dimensional array.")
        ny, ndim = y.shape
        d = _asarray(d)
        d = d.astype("complex128" if d.dtype.kind == "c" else "float64")
        if d.ndim == 0 or d.shape[0] != ny:
            raise ValueError(f"Expected the first axis of `d` to have length {ny}.")
        self.d_shape, self.d_dtype = d.shape[1:], d.dtype
        smoothing = _ks.broadcast_to(_floats(smoothing), (ny,)) if _np.ndim(smoothing) == 0 else _floats(smoothing)
        if smoothing.shape != (ny,):
            raise ValueError(f"Expected `smoothing` to be a scalar or have shape ({ny},).")
        kernel = kernel.lower()
        if kernel not in _of_distance:
            raise ValueError(f"`kernel` must be one of {set(_of_distance)}.")
        if epsilon is None and kernel not in _of_any_scale:
            raise ValueError(f"`epsilon` must be specified if `kernel` is not one of {_of_any_scale}.")
        least = _least_degree.get(kernel, -1)
        degree = max(least, 0) if degree is None else int(degree)
        if degree < -1:
            raise ValueError("`degree` must be at least -1.")
        if -1 < degree < least or degree == -1 < least:
            _warnings.warn(
                f"`degree` should not be below {least} when `kernel` is '{kernel}'. The interpolant may not be uniquely solvable.",
                UserWarning,
                2,
            )
        self.powers = _powers(ndim, degree)
        most = ny if neighbors is None else min(int(neighbors), ny)
        if len(self.powers) > most:
            raise ValueError(
                f"At least {len(self.powers)} data points are required when `degree` is {degree} and the number of dimensions is {ndim}."
            )
        self.y, self.d, self.smoothing, self.kernel = y, d.reshape(ny, -1), smoothing, kernel
        self.epsilon, self.neighbors = 1.0 if epsilon is None else float(epsilon), None if neighbors is None else most
        if neighbors is None:
            self._found = self._weights(y, self.d, smoothing)

    def _weights(self, y, d, smoothing):
        """What each function counts, and where the polynomial has its middle and its unit."""
        low, high = y.min(-2), y.max(-2)
        middle, unit = (low + high) / 2, (high - low) / 2
        unit = _ks.where(unit == 0, 1, unit)
        P = _products((y - middle[..., None, :]) / unit[..., None, :], self.powers)
        n, m = y.shape[-2], P.shape[-1]
        K = _of_distance[self.kernel](_distances(y * self.epsilon, y * self.epsilon))
        K = K + smoothing[..., None] * _ks.eye(n, device=y.device)
        zeros = _ks.zeros((*y.shape[:-2], m, m), device=y.device)
        upper, lower = _ks.concatenate((K, P), -1), _ks.concatenate((_ks.swapaxes(P, -1, -2), zeros), -1)
        matrix = _ks.concatenate((upper, lower), -2)
        right = _ks.concatenate((d, _ks.zeros((*d.shape[:-2], m, d.shape[-1]), d.dtype, device=d.device)), -2)
        return middle, unit, _ks.linalg.solve(matrix.astype(right.dtype), right)

    def _values(self, x, y, found):
        middle, unit, weights = found
        K = _of_distance[self.kernel](_distances(x * self.epsilon, y * self.epsilon))
        P = _products((x - middle[..., None, :]) / unit[..., None, :], self.powers)
        return _ks.concatenate((K, P), -1).astype(weights.dtype) @ weights

    def __call__(self, x):
        x = _floats(x)
        if x.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        n, ndim = x.shape
        if ndim != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        made = []
        # As many places at once as make matrices of some ten million elements.
        size = self.neighbors + len(self.powers) if self.neighbors else 1
        step = max(1, 10_000_000 // (size * size if self.neighbors else self.y.shape[0] + len(self.powers)))
        for begin in range(0, n, step):
            part = x[begin : begin + step]
            if self.neighbors is None:
                made.append(self._values(part, self.y, self._found))
                continue
            near = _ks.sort(_ks.argsort(_distances(part, self.y), axis=1)[:, : self.neighbors], axis=1)
            y = self.y[near]
            made.append(self._values(part[:, None], y, self._weights(y, self.d[near], self.smoothing[near]))[:, 0])
        y = _ks.concatenate(made) if made else _ks.zeros((0, self.d.shape[1]), self.d_dtype, device=x.device)
        return y.reshape(n, *self.d_shape)
