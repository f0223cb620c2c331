"""Filters as polynomials, as roots, and as sections of second order. They are a few numbers, so the host computes them."""

import math as _math
import warnings as _warnings

import numpy as _np

import kasoku as _ks

from ....cupy._table import _here, rows_here as _rows_here
from ._designs import _bilinear as _to_samples, _real_poly, _sections, _to_one, _to_two


def _row(x):
    return _np.atleast_1d(x.numpy() if isinstance(x, _ks.Array) else _np.asarray(x))


class BadCoefficients(UserWarning):
    """Coefficients in front of the numerator are next to nothing."""


def _normal(b, a):
    b, a = _np.atleast_2d(_row(b)), _row(a)
    if a.ndim != 1:
        raise ValueError("Denominator polynomial must be rank-1 array.")
    if b.ndim > 2:
        raise ValueError("Numerator polynomial must be rank-1 or rank-2 array.")
    if not a.any():
        raise ValueError("Denominator must have at least on nonzero element.")
    a = _np.trim_zeros(a.astype(_np.result_type(a.dtype, float)), "f")
    b, a = b / a[0], a / a[0]
    is_little = _np.isclose(b, 0, atol=1e-14).all(axis=0)
    first = int(_np.argmin(is_little)) if not is_little.all() else b.shape[1] - 1
    if first > 0:
        if (b[:, :first] != 0).any():
            _warnings.warn(
                "Badly conditioned filter coefficients (numerator): the results may be meaningless", BadCoefficients, 2
            )
        b = b[:, first:]
    return (b[0] if len(b) == 1 else b), a


def _shown(*parts):
    """What the host computed, its arrays on the device."""
    return tuple(_ks.array(part) if isinstance(part, _np.ndarray) else part for part in parts)


@_here
def normalize(b, a):
    """Both polynomials divided by the first coefficient of a; zeros in front of b are left out."""
    return _shown(*_normal(b, a))


def _roots_of(b, a):
    b, a = _normal(b, a)
    return _np.roots(b), _np.roots(a), b[0]


@_here
def tf2zpk(b, a):
    """Zeros, poles and gain of a filter of two polynomials."""
    return _shown(*_roots_of(b, a))


def _polynomials(z, p, k):
    z, k = _row(z), _row(k)
    if z.ndim > 1:
        return _np.stack([gain * _real_poly(one) for one, gain in zip(z, _np.broadcast_to(k, len(z)))]), _real_poly(
            _row(p)
        )
    return k[0] * _real_poly(z), _real_poly(_row(p))


@_here
def zpk2tf(z, p, k):
    """The polynomials of a filter of zeros, poles and gain."""
    return _shown(*_polynomials(z, p, k))


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
    return _shown(b, a)


@_here
def sos2zpk(sos):
    """Zeros, poles and gain of a filter of sections, two of each for each section."""
    sos = _sections_of(sos)
    z, p, k = _np.zeros(2 * len(sos), complex), _np.zeros(2 * len(sos), complex), 1.0
    for at, section in zip(range(0, len(z), 2), sos):
        zeros, poles, gain = _roots_of(section[:3], section[3:])
        z[at : at + len(zeros)], p[at : at + len(poles)] = zeros, poles
        k *= gain
    return _shown(z, p, k)


@_here
def bilinear(b, a, fs=1.0):
    """From a filter of continuous time to one of samples: s becomes 2 fs (z - 1) / (z + 1)."""
    return _moved(b, a, [2 * fs, -2 * fs], [1, 1])


@_here
def bilinear_zpk(z, p, k, fs):
    """The same of zeros, poles and gain."""
    z, p, k = _row(z), _row(p), complex(_row(k)[0])
    # _bilinear() is for two samples a second: frequencies are counted by that.
    share = 2 / fs
    return _shown(*_to_samples(z * share, p * share, k.real * share ** (len(p) - len(z))))


def _moved(b, a, above, below):
    """The polynomials of a filter in which s is above(s) / below(s), both lists of coefficients."""
    b, a = _row(b).astype(complex if _np.iscomplexobj(b) else float), _row(a)
    degree = max(len(b), len(a)) - 1
    powers = [[_np.ones(1)], [_np.ones(1)]]
    for of, by in zip(powers, (above, below)):
        for _ in range(degree):
            of.append(_np.polymul(of[-1], by))

    def of(c):
        total = _np.zeros(1)
        for k, one in enumerate(c[::-1]):
            total = _np.polyadd(total, one * _np.polymul(powers[0][k], powers[1][degree - k]))
        return total

    return normalize(of(b), of(a))


def _moved_roots(of, band):
    return lambda z, p, k, *edges: _shown(*of(_row(z), _row(p), _row(k)[0], band, *map(float, edges)))


_rows_here(globals(), {
    "lp2lp": (lambda b, a, wo=1.0: _moved(b, a, [1 / float(wo), 0], [1]), "A low pass of the edge 1 as one of the edge wo."),
    "lp2hp": (lambda b, a, wo=1.0: _moved(b, a, [float(wo)], [1, 0]), "A low pass of the edge 1 as a high pass of the edge wo."),
    "lp2bp": (lambda b, a, wo=1.0, bw=1.0: _moved(b, a, [1, 0, float(wo) ** 2], [float(bw), 0]), "A low pass of the edge 1 as a band of the width bw around wo."),
    "lp2bs": (lambda b, a, wo=1.0, bw=1.0: _moved(b, a, [float(bw), 0], [1, 0, float(wo) ** 2]), "A low pass of the edge 1 as one that stops a band of the width bw around wo."),
    "lp2lp_zpk": (lambda z, p, k, wo=1.0: _moved_roots(_to_one, "lowpass")(z, p, k, wo), "lp2lp of zeros, poles and gain."),
    "lp2hp_zpk": (lambda z, p, k, wo=1.0: _moved_roots(_to_one, "highpass")(z, p, k, wo), "lp2hp of zeros, poles and gain."),
    "lp2bp_zpk": (lambda z, p, k, wo=1.0, bw=1.0: _moved_roots(_to_two, "bandpass")(z, p, k, wo, bw), "lp2bp of zeros, poles and gain."),
    "lp2bs_zpk": (lambda z, p, k, wo=1.0, bw=1.0: _moved_roots(_to_two, "bandstop")(z, p, k, wo, bw), "lp2bs of zeros, poles and gain."),
})  # fmt: skip


def _frequencies(w, whole, fs, default=512):
    if w is None or isinstance(w, (int, _np.integer)):
        n = default if w is None else int(w)
        turn = 2 * _math.pi if whole else _math.pi
        return _np.linspace(0, turn, n, endpoint=False)
    return 2 * _math.pi * _row(w) / fs


def _response(z, p, k, at):
    """What zeros, poles and gain make of a row of places in the plane."""
    at = at[:, None]
    return _row(k)[0] * _np.prod(at - _row(z), axis=1) / _np.prod(at - _row(p), axis=1)


@_here
def freqz_zpk(z, p, k, worN=512, whole=False, fs=2 * _math.pi):
    """Frequencies, and what a filter of zeros, poles and gain makes of them."""
    w = _frequencies(worN, whole, fs)
    return _shown(w * (fs / (2 * _math.pi)), _response(z, p, k, _np.exp(1j * w)))


def _between(zeros, poles, n):
    """So many angular frequencies, from below the least of what changes to above the greatest."""
    poles = poles + 0j if len(poles) else _np.array([-1000 + 0j])
    zeros = zeros + 0j
    at = _np.concatenate((poles[poles.imag >= 0], zeros[(abs(zeros) < 1e5) & (zeros.imag >= 0)]))
    at = at + (abs(at) < 1e-10)
    high = _np.around(_np.log10((3 * abs(at.real) + 1.5 * at.imag).max()) + 0.5)
    low = _np.around(_np.log10(0.1 * (abs(at.real) + 2 * at.imag).min()) - 0.5)
    return _np.logspace(low, high, n)


def _angular(w, zeros, poles):
    """Angular frequencies that are given, or as many as are asked for."""
    w = 200 if w is None else w.numpy() if isinstance(w, _ks.Array) else w
    is_count = _np.ndim(w) == 0 and not isinstance(w, complex)
    return _between(zeros, poles, int(w)) if is_count else _row(w)


@_here
def findfreqs(num, den, N, kind="ba"):
    """N angular frequencies between which a filter of continuous time changes."""
    if kind not in ("ba", "zp"):
        raise ValueError(f"input must be one of {{'ba', 'zp'}}, not {kind!r}")
    of = _np.roots if kind == "ba" else _np.asarray
    return _ks.array(_between(of(_row(num)), of(_row(den)), N))


@_here
def freqs_zpk(z, p, k, worN=200):
    """Angular frequencies, and what a filter of continuous time makes of them."""
    w = _angular(worN, _row(z), _row(p))
    return _shown(w, _response(z, p, k, 1j * w))


@_here
def freqs(b, a, worN=200, plot=None):
    """Angular frequencies, and what a filter of continuous time, of two polynomials, makes of them."""
    b, a = _row(b), _row(a)
    w = _angular(worN, _np.roots(b), _np.roots(a))
    w, h = _shown(w, _np.polyval(b, 1j * w) / _np.polyval(a, 1j * w))
    if plot is not None:
        plot(w, h)
    return w, h


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
