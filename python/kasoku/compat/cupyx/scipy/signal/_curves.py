"""B-splines of signals and of images: filters there and back along an axis, and what their coefficients are at any place."""

import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray, floats as _floats
from ....cupy._table import _here, rows_here as _rows_here
from .. import ndimage as _ndimage
from ._recursions import lfilter as _lfilter


def _flipped(x):
    return _ks.flip(x, -1)


def _terms(z, n, precision):
    """How many elements at the beginning count, if a weight below the precision is none; all if precision is None."""
    if precision is None:
        return n
    count = next((k for k in range(1, n + 1) if abs(z) ** (2 * k) <= precision**2), n + 1)
    if count >= n:
        raise ValueError("Sum to find symmetric boundary conditions did not converge.")
    return count


def _there_and_back(x, z, gain, precision=None):
    """gain / ((1 - z / s) (1 - z s)) along the last axis, whose elements come again in the opposite order beyond the ends."""
    n = x.shape[-1]
    kind = _ks.result_type(x.dtype, "float32") if x.dtype.kind in "fc" else _np.dtype("float64")
    kind = kind if not isinstance(z, complex) else _ks.result_type(kind, "complex64")
    x = x.astype(kind)
    count = _terms(z, n, precision)
    weights = _ks.asarray(_np.power(z, _np.arange(1, count + 1)).astype(kind), device=x.device)
    first = x[..., :1] + (x[..., :count] * weights).sum(-1, keepdims=True)
    one, recursion = _ks.ones(1, kind, device=x.device), _ks.asarray(_np.array([1, -z], kind), device=x.device)
    there = _ks.concatenate((first, _lfilter(one, recursion, x[..., 1:], zi=first)[0]), -1) if n > 1 else first
    last = there[..., -1:] * (-gain / (z - 1))
    back = _lfilter(one, recursion, _flipped(there[..., :-1]) * gain, zi=last)[0] if n > 1 else there[..., :0]
    return _flipped(_ks.concatenate((last, back), -1)).astype(kind)


def _responses(rho, omega):
    """What a filter of two poles gives after an impulse, there alone, and there and back."""
    gain = 1 - 2 * rho * _math.cos(omega) + rho * rho
    sine = _math.sin(omega)

    def there(k):
        wave = (k + 1) * (_np.sign(_math.cos(omega)) ** k) if abs(sine) < 1e-12 else _np.sin(omega * (k + 1)) / sine
        return gain * rho**k * wave

    def both(k):
        k = abs(k)
        c = gain**2 * (1 + rho**2) / (1 - rho**2) / (1 - 2 * rho**2 * _math.cos(2 * omega) + rho**4)
        slope = (1 - rho**2) / (1 + rho**2)
        if abs(sine) < 1e-12:
            sign = _np.sign(_math.cos(omega))
            return c * (rho * sign) ** k * (1 + slope * k)
        return c * rho**k * (_np.cos(omega * k) + slope / _math.tan(omega) * _np.sin(omega * k))

    return gain, there, both


def _two_there_and_back(x, rho, omega, exchanged=False):
    """The same with two poles, rho e^(± i omega). SciPy's cspline1d has the first two elements exchanged where the second is made."""
    n = x.shape[-1]
    kind = _ks.result_type(x.dtype, "float32") if x.dtype.kind in "fc" else _np.dtype("float64")
    x = x.astype(kind)
    gain, there, both = _responses(rho, omega)
    k = _np.arange(n)
    weigh = lambda w, of: (of * _ks.asarray(w.astype(kind), device=x.device)).sum(-1, keepdims=True)
    first = there(0) * x[..., :1] + weigh(there(k + 1), x)
    now, before = (0, 1) if exchanged else (1, 0)
    second = there(0) * x[..., now : now + 1] + there(1) * x[..., before : before + 1] + weigh(there(k + 2), x)
    b = _ks.asarray(_np.array([gain], kind), device=x.device)
    a = _ks.asarray(_np.array([1, -2 * rho * _math.cos(omega), rho * rho], kind), device=x.device)
    begin = _ks.concatenate((first, second), -1)
    ahead = _ks.concatenate((begin, _lfilter(b, a, x[..., 2:], zi=begin)[0]), -1)
    turned = _flipped(x)
    end = _ks.concatenate((weigh(both(k) + both(k + 1), turned), weigh(both(k - 1) + both(k + 2), turned)), -1)
    back = _lfilter(b, a, _flipped(ahead[..., :-2]), zi=end)[0]
    return _flipped(_ks.concatenate((end, back), -1)).astype(kind)


def _rows(x):
    x = _asarray(x)
    if x.ndim not in (1, 2):
        raise ValueError("Input must be 1D or 2D")
    return x


@_here
def symiirorder1(input, c0, z1, precision=-1.0):
    """A filter of one pole z1 there and back: c0 / ((1 - z1 / z) (1 - z1 z))."""
    x, z1 = _rows(input), complex(z1) if isinstance(z1, complex) else float(z1)
    if abs(z1) >= 1:
        raise ValueError("|z1| must be less than 1.0")
    if not 0 < precision <= 1:
        precision = 1e-6 if x.dtype.char in "fF" else 1e-11
    return _there_and_back(x, z1, complex(c0) if isinstance(c0, complex) else float(c0), float(precision))


@_here
def symiirorder2(input, r, omega, precision=-1.0):
    """A filter of the poles r e^(± i omega) there and back."""
    x, r = _rows(input), float(r)
    if r >= 1:
        raise ValueError("r must be less than 1.0")
    return _two_there_and_back(x, r, float(omega))


def _smoothing(lamb):
    """The poles of a cubic spline that smooths."""
    root = 24 * lamb * _math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + root
    omega = _math.atan2(_math.sqrt(144 * lamb - 1), _math.sqrt(xi))
    rho = (24 * lamb - 1 - _math.sqrt(xi)) / (24 * lamb)
    return rho * _math.sqrt((48 * lamb + root) / xi), omega


_cubic, _quadratic = _math.sqrt(3) - 2, 2 * _math.sqrt(2) - 3


def _cubic_of(x, lamb):
    if lamb > 1 / 144:
        return _two_there_and_back(x, *_smoothing(lamb))
    return _there_and_back(x, _cubic, -6 * _cubic)


@_here
def cspline1d(signal, lamb=0.0):
    """The coefficients of a cubic spline through a signal, or near it if `lamb` is not 0."""
    x = _floats(signal).astype("float64")
    if lamb != 0:
        return _two_there_and_back(x, *_smoothing(lamb), exchanged=True)
    return _cubic_of(x, 0) / (6 if x.size == 1 else 1)


@_here
def qspline1d(signal, lamb=0.0):
    """The coefficients of a quadratic spline through a signal."""
    if lamb != 0:
        raise ValueError("Smoothing quadratic splines not supported yet.")
    x = _floats(signal).astype("float64")
    return _there_and_back(x, _quadratic, -8 * _quadratic) / (8 if x.size == 1 else 1)


def _both_ways(x, along):
    x = _floats(x)
    if x.ndim != 2:
        raise ValueError("input must be 2D")
    return _ks.ascontiguousarray(along(along(x).T).T)


@_here
def qspline2d(signal, lamb=0.0, precision=-1.0):
    """The coefficients of a quadratic spline through an image."""
    if lamb > 0:
        raise ValueError("lambda must be negative or zero")
    return _both_ways(signal, lambda x: _there_and_back(x, _quadratic, -8 * _quadratic))


@_here
def sepfir2d(input, hrow, hcol):
    """An image filtered along its rows and along its columns, mirrored at its ends."""
    x, hrow, hcol = _asarray(input), _asarray(hrow), _asarray(hcol)
    if any(h.ndim != 1 or h.size % 2 == 0 for h in (hrow, hcol)):
        raise ValueError("hrow and hcol must be 1 dimensional and odd length")
    kind = _ks.result_type(x, "float32")
    for axis, h in ((1, hrow), (0, hcol)):
        x = _ndimage.convolve1d(x.astype(kind), h.astype(kind), axis, mode="reflect")
    return x.astype(kind)


@_here
def spline_filter(Iin, lmbda=5.0):
    """An image smoothed by a cubic spline."""
    x = _floats(Iin)
    h = _ks.array([1 / 6, 4 / 6, 1 / 6], x.real.dtype)
    return sepfir2d(_splines.cspline2d(x, lmbda), h, h).astype(x.dtype)


def _cubic_at(x):
    x = abs(x)
    return _ks.where(x < 1, 2 / 3 - x * x * (2 - x) / 2, _ks.where(x < 2, (2 - x) ** 3 / 6, 0))


def _quadratic_at(x):
    x = abs(x)
    return _ks.where(x < 0.5, 0.75 - x * x, _ks.where(x < 1.5, (x - 1.5) ** 2 / 2, 0))


def _value(cj, newx, dx, x0, reach, of):
    cj = _asarray(cj)
    x = (_asarray(newx).astype("float64") - x0) / dx
    n = cj.size
    if n > 1:  # beyond the ends elements come again in the opposite order
        x = (n - 1) - abs(x % (2 * (n - 1)) - (n - 1))
    first = _ks.floor(x - reach).astype("int64") + 1
    total = 0
    for k in range(int(2 * reach)):
        at = first + k
        total = total + cj[_ks.clip(at, 0, n - 1)] * of(x - at)
    return total


@_here
def gauss_spline(x, n):
    """The Gaussian curve that is near a B-spline of the order n."""
    square = (n + 1) / 12
    return 1 / _math.sqrt(2 * _math.pi * square) * _ks.exp(-(_asarray(x) ** 2) / 2 / square)


_splines = _rows_here(globals(), {
    "cspline2d": (lambda signal, lamb=0.0, precision=-1.0: _both_ways(signal, lambda x: _cubic_of(x, lamb)),
        "The coefficients of a cubic spline through an image, or near it if `lamb` is not 0."),
    "cspline1d_eval": (lambda cj, newx, dx=1.0, x0=0: _value(cj, newx, dx, x0, 2, _cubic_at),
        "The values of a cubic spline with the coefficients cj at x0, x0 + dx, …"),
    "qspline1d_eval": (lambda cj, newx, dx=1.0, x0=0: _value(cj, newx, dx, x0, 1.5, _quadratic_at),
        "The values of a quadratic spline with the coefficients cj at x0, x0 + dx, …"),
})  # fmt: skip
