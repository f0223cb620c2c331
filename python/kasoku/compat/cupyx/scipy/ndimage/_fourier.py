"""Filters of transformed images: each element times a factor of its frequencies."""

import math as _math

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ...._face.table import plain as _plain
from .. import special as _special
from ._filters import _for_axes, _result


def _frequencies(a, n, axis):
    """Cycles per element along each axis; of one along which real numbers were transformed there is half of its n."""
    for at, length in enumerate(a.shape):
        is_half = n > 0 and at == axis % a.ndim
        along = (
            _ks.arange(length, dtype="f8", device=a.device) / n if is_half else _ks.fft.fftfreq(length, device=a.device)
        )
        yield along.reshape([-1 if k == at else 1 for k in range(a.ndim)])


def _filtered(input, by, n, axis, output, factor, is_complex=False):
    a = _asarray(input)
    if a.dtype.kind != "c" and (is_complex or a.dtype not in ("float32", "float64")):
        a = a.astype("complex128" if is_complex else "float64")
    by = _for_axes(by, a.ndim, "the parameter", float)
    return _result(a * factor([b * f for b, f in zip(by, _frequencies(a, n, axis))]), a, output)


def _ball(turns):
    """The transform of what is 1 within an ellipsoid and 0 outside, whose value at 0 is 1."""
    if len(turns) > 3:
        raise NotImplementedError("cupyx.scipy.ndimage.fourier_ellipsoid is for up to three axes")
    x = _math.pi * _ks.sqrt(sum(t * t for t in turns))
    y = _ks.where(x == 0, 1, x)
    of_axes = _ks.sin(y) / y, 2 * _special.j1(y) / y, 3 * (_ks.sin(y) - y * _ks.cos(y)) / y**3
    return _ks.where(x == 0, 1, of_axes[len(turns) - 1])


_plain(globals(), {
    "fourier_gaussian": (lambda input, sigma, n=-1, axis=-1, output=None: _filtered(
        input, sigma, n, axis, output, lambda turns: _ks.exp(-2 * _math.pi**2 * sum(t * t for t in turns))),
        "The transform of an image that is blurred by a bell."),
    "fourier_uniform": (lambda input, size, n=-1, axis=-1, output=None: _filtered(
        input, size, n, axis, output, lambda turns: _math.prod(map(_ks.sinc, turns))),
        "The transform of an image whose elements become means of boxes."),
    "fourier_ellipsoid": (lambda input, size, n=-1, axis=-1, output=None: _filtered(input, size, n, axis, output, _ball),
        "The transform of an image whose elements become means of ellipsoids."),
    "fourier_shift": (lambda input, shift, n=-1, axis=-1, output=None: _filtered(
        input, shift, n, axis, output, lambda turns: _ks.exp(-2j * _math.pi * sum(turns)), is_complex=True),
        "The transform of an image that is moved."),
})  # fmt: skip
