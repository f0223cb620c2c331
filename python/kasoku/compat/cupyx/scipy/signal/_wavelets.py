"""Waves that fall off to both sides, and transforms of signals by them."""

import math as _math

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import rows_here as _rows_here
from ._convolutions import convolve as _convolve

__all__ = "qmf morlet morlet2 ricker cwt".split()


def _centred(n):
    return _ks.arange(n, dtype="float64") - (n - 1) / 2


def _bell(x):
    return _ks.exp(-0.5 * x * x) * _math.pi**-0.25


def _ricker(points, a):
    squares = (_centred(points) / a) ** 2
    return 2 / (_math.sqrt(3 * a) * _math.pi**0.25) * (1 - squares) * _ks.exp(-0.5 * squares)


def _morlet(M, w=5.0, s=1.0, complete=True):
    x = _ks.linspace(-2 * _math.pi * s, 2 * _math.pi * s, M)
    return (_ks.exp(1j * w * x) - (_math.exp(-0.5 * w * w) if complete else 0)) * _bell(x)


def _morlet2(M, s, w=5):
    x = _centred(M) / s
    return _ks.exp(1j * w * x) * _bell(x) / _math.sqrt(s)


def qmf(hk):
    """The high pass that belongs to a low pass: its taps in the opposite order, every second one with the other sign."""
    taps = _ks.flip(_asarray(hk))
    return _ks.where(_ks.arange(taps.size, device=taps.device) % 2 == 0, taps, -taps)


def cwt(data, wavelet, widths):
    """A signal convolved with a wavelet of each width, wavelet(length, width): a row each."""
    data = _asarray(data)
    widths = [float(width) for width in _asarray(widths).tolist()]
    waves = [wavelet(int(min(10 * width, data.size)), width) for width in widths]
    rows = [_convolve(data, _ks.conjugate(_ks.flip(wave)), mode="same") for wave in waves]
    kind = "complex128" if any(row.dtype.kind == "c" for row in rows) else "float64"
    return _ks.stack([row.astype(kind, copy=False) for row in rows]) if rows else _ks.zeros((0, data.size))


_rows_here(globals(), {
    "ricker": (_ricker, "The second derivative of a bell of the width `a`, with the other sign: a Mexican hat."),
    "morlet": (_morlet, "A complex wave within a bell, over 4 pi s; `complete`: its mean is none."),
    "morlet2": (_morlet2, "A complex wave within a bell of the width s, for cwt()."),
})  # fmt: skip
