"""Filters as polynomials, as roots, and as sections of second order. They are a few numbers, so the host computes them."""

import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._table import _here
from ._designs import _bilinear as _to_samples, _real_poly, _sections


def _row(x):
    return _np.atleast_1d(x.numpy() if isinstance(x, _ks.Array) else _np.asarray(x))


def _normal(b, a):
    b, a = _row(b), _np.trim_zeros(_row(a).astype(_np.result_type(_row(a).dtype, float)), "f")
    if a.size == 0:
        raise ValueError("Denominator must have at least on nonzero element.")
    b = _np.trim_zeros(b / a[0], "f")
    return (b if b.size else _np.zeros(1)), a / a[0]


@_here
def normalize(b, a):
    """Both polynomials divided by the first coefficient of a; zeros in front of b are left out."""
    return tuple(_ks.array(c) for c in _normal(b, a))


def _roots_of(b, a):
    b, a = _normal(b, a)
    return _np.roots(b), _np.roots(a), b[0]


@_here
def tf2zpk(b, a):
    """Zeros, poles and gain of a filter of two polynomials."""
    z, p, k = _roots_of(b, a)
    return _ks.array(z), _ks.array(p), k


@_here
def zpk2tf(z, p, k):
    """The polynomials of a filter of zeros, poles and gain."""
    return _ks.array(_row(k)[0] * _real_poly(_row(z))), _ks.array(_real_poly(_row(p)))


@_here
def zpk2sos(z, p, k, pairing=None, *, analog=False):
    """The sections of a filter of zeros, poles and gain."""
    if analog:
        raise NotImplementedError("sections are of filters of samples: analog=False")
    return _ks.array(_sections(_row(z), _row(p), float(_row(k)[0].real), pairing))


@_here
def tf2sos(b, a, pairing=None, *, analog=False):
    """The sections of a filter of two polynomials."""
    return zpk2sos(*_roots_of(b, a), pairing=pairing, analog=analog)


def _sections_of(sos):
    sos = _np.atleast_2d(sos.numpy() if isinstance(sos, _ks.Array) else _np.asarray(sos))
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    return sos.astype(_np.result_type(sos.dtype, "float32"))


@_here
def sos2tf(sos):
    """The polynomials of a filter of sections."""
    b = a = _np.ones(1)
    for section in _sections_of(sos):
        b, a = _np.polymul(b, section[:3]), _np.polymul(a, section[3:])
    return _ks.array(b), _ks.array(a)


@_here
def sos2zpk(sos):
    """Zeros, poles and gain of a filter of sections, two of each for each section."""
    sos = _sections_of(sos)
    z, p, k = _np.zeros(2 * len(sos), complex), _np.zeros(2 * len(sos), complex), 1.0
    for at, section in zip(range(0, len(z), 2), sos):
        zeros, poles, gain = _roots_of(section[:3], section[3:])
        z[at : at + len(zeros)], p[at : at + len(poles)] = zeros, poles
        k *= gain
    return _ks.array(z), _ks.array(p), k


@_here
def bilinear(b, a, fs=1.0):
    """From a filter of continuous time to one of samples: s becomes 2 fs (z - 1) / (z + 1)."""
    b, a = _row(b), _row(a)
    degree = max(len(b), len(a)) - 1

    def moved(c):
        total = _np.zeros(degree + 1)
        for power, coefficient in enumerate(c[::-1]):
            part = _np.ones(1)
            for root in [1] * power + [-1] * (degree - power):
                part = _np.polymul(part, [1, -root])
            total = total + coefficient * (2 * fs) ** power * part
        return total

    return normalize(moved(b), moved(a))


@_here
def bilinear_zpk(z, p, k, fs):
    """The same of zeros, poles and gain."""
    z, p, k = _row(z), _row(p), complex(_row(k)[0])
    # _bilinear() is for two samples a second: frequencies are counted by that.
    share = 2 / fs
    z, p, k = _to_samples(z * share, p * share, k.real * share ** (len(p) - len(z)))
    return _ks.array(z), _ks.array(p), k


def _frequencies(w, whole, fs, default=512):
    if w is None or isinstance(w, (int, _np.integer)):
        n = default if w is None else int(w)
        turn = 2 * _math.pi if whole else _math.pi
        return _np.linspace(0, turn, n, endpoint=False)
    return 2 * _math.pi * _row(w) / fs


@_here
def freqz_zpk(z, p, k, worN=512, whole=False, fs=2 * _math.pi):
    """Frequencies, and what a filter of zeros, poles and gain makes of them."""
    w = _frequencies(worN, whole, fs)
    at = _np.exp(1j * w)[:, None]
    h = _row(k)[0] * _np.prod(at - _row(z), axis=1) / _np.prod(at - _row(p), axis=1)
    return _ks.array(w * (fs / (2 * _math.pi))), _ks.array(h)


@_here
def freqs_zpk(z, p, k, worN):
    """What a filter of continuous time makes of angular frequencies that are given."""
    w = _row(worN)
    at = (1j * w)[:, None]
    return _ks.array(w), _ks.array(_row(k)[0] * _np.prod(at - _row(z), axis=1) / _np.prod(at - _row(p), axis=1))


@_here
def freqs(b, a, worN):
    """What a filter of continuous time, of two polynomials, makes of angular frequencies that are given."""
    w = _row(worN)
    return _ks.array(w), _ks.array(_np.polyval(_row(b), 1j * w) / _np.polyval(_row(a), 1j * w))


@_here
def group_delay(system, w=512, whole=False, fs=2 * _math.pi):
    """Frequencies, and by how many samples a filter delays what is near each; 0 where it lets nothing pass."""
    w = _frequencies(w, whole, fs)
    b, a = map(_row, system)
    c = _np.convolve(b, a[::-1].conj())
    at = _np.exp(-1j * w)
    above, below = _np.polyval((c * _np.arange(c.size))[::-1], at), _np.polyval(c[::-1], at)
    is_nothing = abs(below) < 10 * _np.finfo(float).eps
    delay = _np.where(is_nothing, 0, (above / _np.where(is_nothing, 1, below)).real - len(a) + 1)
    return _ks.array(w * (fs / (2 * _math.pi))), _ks.array(delay)
