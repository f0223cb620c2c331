"""Coefficients of recursive filters for bands of frequencies. They come from a few numbers of the program, so the host computes them."""

import math as _math

import kasoku as _ks
import numpy as _np

from ....cupy._table import rows_here as _rows_here
from ...._face.table import bound as _bound
from ._elliptic import ellipap as _ellipap


def _turns(N):
    return _np.exp(1j * _math.pi * _np.arange(-N + 1, N, 2) / (2 * N))


def _chebyshev(N, rp, rs):
    if rp is None:
        raise ValueError("passband ripple (rp) must be provided to design a Chebyshev I filter.")
    ripple = _math.sqrt(10 ** (0.1 * rp) - 1)
    mu = _math.asinh(1 / ripple) / N
    p = -_np.sinh(mu + 1j * _np.angle(_turns(N)))
    k = _np.prod(-p).real
    return _np.zeros(0), p, k / _math.sqrt(1 + ripple**2) if N % 2 == 0 else k


def _inverse_chebyshev(N, rp, rs):
    if rs is None:
        raise ValueError("stopband attenuation (rs) must be provided to design an Chebyshev II filter.")
    mu = _math.asinh(_math.sqrt(10 ** (0.1 * rs) - 1)) / N
    m = _np.arange(-N + 1, N, 2)
    z = -_np.conj(1j / _np.sin(m[m != 0] * _math.pi / (2 * N)))
    turns = -_turns(N)
    p = 1 / (_math.sinh(mu) * turns.real + 1j * _math.cosh(mu) * turns.imag)
    return z, p, (_np.prod(-p) / _np.prod(-z)).real


def _elliptic(N, rp, rs):
    if rp is None or rs is None:
        raise ValueError("Both rp and rs must be provided to design an elliptic filter.")
    return _ellipap(N, rp, rs)


_kinds = {
    "butter": lambda N, rp, rs: (_np.zeros(0), -_turns(N), 1.0),
    "cheby1": _chebyshev,
    "cheby2": _inverse_chebyshev,
    "ellip": _elliptic,
}
_kinds |= {"butterworth": _kinds["butter"], "chebyshevi": _chebyshev, "chebyshevii": _inverse_chebyshev}
_kinds |= {"cauer": _elliptic, "elliptic": _elliptic}
_bands = {"low": "lowpass", "lp": "lowpass", "l": "lowpass", "high": "highpass", "hp": "highpass", "h": "highpass",
          "band": "bandpass", "bp": "bandpass", "pass": "bandpass", "stop": "bandstop", "bs": "bandstop"}  # fmt: skip


def _twice(roots, w):
    root = _np.sqrt(roots.astype(complex) ** 2 - w**2)
    return _np.concatenate((roots + root, roots - root))


def _moved(z, p, k, band, edges):
    """A low pass with the edge 1, moved to a band."""
    if not band.startswith("band"):
        return _to_one(z, p, k, band, edges[0])
    return _to_two(z, p, k, band, _math.sqrt(edges[0] * edges[1]), edges[1] - edges[0])


def _to_one(z, p, k, band, edge):
    degree = len(p) - len(z)
    if band == "lowpass":
        return z * edge, p * edge, k * edge**degree
    return _np.append(edge / z, _np.zeros(degree)), edge / p, k * (_np.prod(-z) / _np.prod(-p)).real


def _to_two(z, p, k, band, middle, width):
    degree = len(p) - len(z)
    if band == "bandpass":
        z, p = (_twice(roots * (width / 2), middle) for roots in (z, p))
        return _np.append(z, _np.zeros(degree)), p, k * width**degree
    gain = k * (_np.prod(-z) / _np.prod(-p)).real
    z, p = (_twice(width / 2 / roots, middle) for roots in (z, p))
    return _np.concatenate((z, _np.full(degree, 1j * middle), _np.full(degree, -1j * middle))), p, gain


def _bilinear(z, p, k):
    """The bilinear transform of a filter, from continuous time to two samples a second."""
    moved = [(4 + roots) / (4 - roots) for roots in (z, p)]
    gain = k * (_np.prod(4 - z) / _np.prod(4 - p)).real
    return _np.append(moved[0], -_np.ones(len(p) - len(z))), moved[1], gain


def _real_poly(roots):
    c = _np.atleast_1d(_np.poly(roots))
    return c.real if _np.allclose(_np.sort_complex(roots), _np.sort_complex(_np.conj(roots))) else c


def _pairs(roots):
    """One of each pair of conjugate roots, and the real ones, in order."""
    roots = _np.atleast_1d(roots).astype(complex)
    near = 100 * _np.finfo(float).eps
    roots = roots[_np.lexsort((abs(roots.imag), roots.real))]
    is_real = abs(roots.imag) <= near * abs(roots)
    real, rest = roots[is_real].real, roots[~is_real]
    up, down = rest[rest.imag > 0], rest[rest.imag < 0]
    if len(up) != len(down):
        raise ValueError("Array contains complex value with no matching conjugate.")
    begin = 0
    for end in range(1, len(up) + 1):
        if end == len(up) or up[end].real - up[end - 1].real > near * abs(up[end - 1]):
            for half in (up, down):
                half[begin:end] = half[begin:end][_np.argsort(abs(half[begin:end].imag), kind="stable")]
            begin = end
    return _np.concatenate(((up + down.conj()) / 2, real))


def _taken(roots, at):
    return roots[at], _np.delete(roots, at)


def _nearest(roots, to, which="any"):
    order = _np.argsort(abs(roots - to))
    if which != "any":
        order = order[_np.isreal(roots[order]) == (which == "real")]
    return order[0]


def _sections(z, p, k, pairing):
    """Sections of second order: to the poles nearest to the circle their nearest zeros, the worst last."""
    if pairing not in (None, "nearest", "keep_odd", "minimal"):
        raise ValueError(f"pairing must be one of ['nearest', 'keep_odd', 'minimal'], not {pairing}")
    if len(z) == len(p) == 0:
        return _np.array([[k, 0, 0, 1.0, 0, 0]])
    n = max(len(z), len(p))
    z, p = (_np.append(roots, _np.zeros(n - len(roots))) for roots in (z, p))
    if n % 2 and pairing in (None, "nearest"):
        z, p = _np.append(z, 0), _np.append(p, 0)
    z, p = _pairs(z), _pairs(p)
    sections = _np.zeros(((n + 1) // 2, 6))
    for section in sections[::-1]:
        first, p = _taken(p, _np.argmin(abs(1 - abs(p))))
        is_last_real = _np.isreal(first) and not _np.isreal(p).any()
        if is_last_real:
            zero, z = _taken(z, _nearest(z, first, "real"))
            zeros, poles = [zero, 0], [first, 0]
        else:
            if not _np.isreal(first):
                second = _np.conj(first)
            else:
                real = _np.flatnonzero(_np.isreal(p))
                second, p = _taken(p, real[_np.argmin(abs(1 - abs(p[real])))])
            one_is_real = _np.isreal(p).sum() == _np.isreal(z).sum() == 1
            only_real = not _np.isreal(first) and len(p) + 1 == len(z) and one_is_real
            poles, zeros = [first, second], []
            if len(z):
                zero, z = _taken(z, _nearest(z, first, "complex" if only_real else "any"))
                zeros = [zero, _np.conj(zero)] if not _np.isreal(zero) else [zero]
                if len(zeros) == 1 and len(z):
                    zero, z = _taken(z, _nearest(z, first, "real"))
                    zeros.append(zero)
        for at, roots in ((3, zeros), (6, poles)):
            c = _np.atleast_1d(_np.poly(roots)).real
            section[at - len(c) : at] = c
    sections[0, :3] *= k
    return sections


def _given(z, p, k, output):
    if output == "zpk":
        return _ks.array(z), _ks.array(p), k
    if output == "ba":
        return _ks.array(k * _real_poly(z)), _ks.array(_real_poly(p))
    if output == "sos":
        return _ks.array(_sections(z, p, k, None))
    raise ValueError(f"'{output}' is not a valid output form.")


def _iirfilter(N, Wn, rp=None, rs=None, btype="band", analog=False, ftype="butter", output="ba", fs=None):
    if fs is not None and analog:
        raise ValueError("fs cannot be specified for an analog filter")
    band = _bands.get(btype.lower(), btype.lower())
    if band not in _bands.values():
        raise ValueError(f"'{btype}' is an invalid bandtype for filter.")
    if ftype.lower() not in _kinds:
        raise NotImplementedError(f"cupyx.scipy.signal.iirfilter has {', '.join(_kinds)}, not {ftype!r}")
    edges = [float(w) * (2 / fs if fs else 1) for w in _np.atleast_1d(_np.asarray(Wn, float))]
    if min(edges) <= 0:
        raise ValueError("filter critical frequencies must be greater than 0")
    if not analog and max(edges) >= 1:
        upper = "1" if fs is None else f"fs/2 (fs={fs} -> fs/2={fs / 2})"
        raise ValueError(f"Digital filter critical frequencies must be 0 < Wn < {upper}")
    if len(edges) != (2 if band.startswith("band") else 1):
        numbers = "a two-element sequence [low, high]" if band.startswith("band") else "a single scalar"
        raise ValueError(f"Must specify {numbers} as critical frequency for {band}")
    if len(edges) == 2 and edges[0] >= edges[1]:
        raise ValueError("Wn[0] must be less than Wn[1]")
    if not analog:
        edges = [4 * _math.tan(_math.pi * w / 2) for w in edges]
    made = _moved(*_kinds[ftype.lower()](_order(N), rp, rs), band, edges)
    return _given(*(made if analog else _bilinear(*made)), output)


def _order(N):
    if N != int(N) or N < 1:
        raise ValueError(f"Filter order must be a whole number from 1, not {N}")
    return int(N)


def _at_one(w0, Q, fs=2.0, *, above):
    """The filter of one frequency, in a band of the quality Q: above(cosine of the frequency, gain) is its numerator."""
    w0, Q = 2 * float(w0) / fs, float(Q)
    if not 0 < w0 < 1:
        raise ValueError("w0 should be such that 0 < w0 < 1")
    cosine, gain = _math.cos(_math.pi * w0), 1 / (1 + _math.tan(_math.pi * w0 / Q / 2))
    return _ks.array(above(cosine, gain)), _ks.array([1, -2 * gain * cosine, 2 * gain - 1])


def _comb(w0, Q, ftype="notch", fs=2.0, *, pass_zero=False):
    w0, Q, fs = float(w0), float(Q), float(fs)
    ftype = ftype.lower()
    if not 0 < w0 < fs / 2:
        raise ValueError("w0 must be between 0 and fs / 2 (nyquist), but given w0={} and fs={}".format(w0, fs))
    if ftype not in ("notch", "peak"):
        raise ValueError("ftype must be either notch or peak.")
    n = round(fs / w0)
    if abs(w0 - fs / n) / fs > 1e-14:
        raise ValueError("fs must be divisible by w0.")
    w = 2 * _math.pi * w0 / fs
    # Of a peak where 0 passes, and of a notch where it does not, the elements that come back are taken away.
    beta, sign = _math.tan(n * w / Q / 4), -1 if (ftype == "notch") != pass_zero else 1
    level, rest = (1.0, 0.0) if ftype == "notch" else (0.0, 1.0)
    b, a = _np.zeros(n + 1), _np.zeros(n + 1)
    b[0], b[-1] = (level + rest * beta) / (1 + beta), sign * (level - rest * beta) / (1 + beta)
    a[0], a[-1] = 1, sign * (1 - beta) / (1 + beta)
    return _ks.array(b), _ks.array(a)


def _prototype(kind):
    def of(N, rp=None, rs=None):
        if N != int(N) or N < 0:
            raise ValueError("Filter order must be a nonnegative integer")
        z, p, k = _kinds[kind](int(N), rp, rs)
        return _ks.array(z), _ks.array(p), k

    return of


_rows_here(globals(), {
    "iirfilter": (_iirfilter, "A recursive filter for a band: Butterworth's, Chebyshev's, his inverse one, or an elliptic one."),
    "butter": (lambda N, Wn, btype="low", analog=False, output="ba", fs=None: _iirfilter(
        N, Wn, None, None, btype, analog, "butter", output, fs), "Butterworth's filter, as flat as can be where it lets pass."),
    "cheby1": (lambda N, rp, Wn, btype="low", analog=False, output="ba", fs=None: _iirfilter(
        N, Wn, rp, None, btype, analog, "cheby1", output, fs), "Chebyshev's filter, which ripples by rp decibels where it lets pass."),
    "cheby2": (lambda N, rs, Wn, btype="low", analog=False, output="ba", fs=None: _iirfilter(
        N, Wn, None, rs, btype, analog, "cheby2", output, fs), "Chebyshev's inverse filter, which ripples rs decibels down where it stops."),
    "ellip": (lambda N, rp, rs, Wn, btype="low", analog=False, output="ba", fs=None: _iirfilter(
        N, Wn, rp, rs, btype, analog, "ellip", output, fs), "The elliptic filter, which ripples in both bands and falls as fast as can be between."),
    "iircomb": (_comb, "Stops, or lets pass, a frequency and its multiples, in bands whose width is w0 / Q."),
    "buttap": (lambda N: _prototype("butter")(N), "Zeros, poles and gain of Butterworth's low pass of the edge 1."),
    "cheb1ap": (lambda N, rp: _prototype("cheby1")(N, rp), "Zeros, poles and gain of Chebyshev's low pass of the edge 1."),
    "cheb2ap": (lambda N, rs: _prototype("cheby2")(N, None, rs), "Zeros, poles and gain of Chebyshev's inverse low pass of the edge 1."),
    "ellipap": (lambda N, rp, rs: _prototype("ellip")(N, rp, rs), "Zeros, poles and gain of the elliptic low pass of the edge 1."),
    "iirnotch": (_bound(_at_one, above=lambda cosine, gain: [gain, -2 * gain * cosine, gain]),
        "Stops one frequency, in a band whose width is w0 / Q."),
    "iirpeak": (_bound(_at_one, above=lambda cosine, gain: [1 - gain, 0, gain - 1]),
        "Lets one frequency pass, in a band whose width is w0 / Q."),
})  # fmt: skip
