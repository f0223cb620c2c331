"""More or fewer elements in the same time, by filters; transforms at any frequencies."""

import cmath as _cmath
import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from ...._face.kernels import kernel as _kernel
from ._designs import cheby1 as _cheby1
from ._filters import firwin as _firwin
from ._recursions import sosfilt as _sosfilt, sosfiltfilt as _sosfiltfilt

_taps = _kernel("raw T x, raw T h, int64 n, int64 taps, int64 up, int64 down, int64 length", "T y", """
      const long long row = i / length, t = i % length * down;
      T all = T(0);
      for (long long k = t % up; k < taps && k <= t; k += up) {
        const long long j = (t - k) / up;
        if (j < n) all += h[k] * x[row * n + j];
      }
      y = all;""", "signal_upfirdn")  # fmt: skip


def _length(taps, n, up, down):
    return ((n - 1) * up + taps - 1) // down + 1


def upfirdn(h, x, up=1, down=1, axis=-1, mode=None, cval=0):
    """Each element followed by up - 1 zeros, filtered by h, and of that each down-th element."""
    if mode not in (None, "constant") or cval != 0:
        raise NotImplementedError("upfirdn goes on with zeros beyond the ends: mode='constant', cval=0")
    h, x = _asarray(h), _asarray(x)
    up, down = int(up), int(down)
    if h.ndim != 1 or h.size == 0:
        raise ValueError("h must be 1-D with non-zero length")
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    dtype = _np.result_type(h.dtype, x.dtype, "float32")
    rows = _ks.moveaxis(x, axis, -1).astype(dtype).copy()
    length = _length(h.size, rows.shape[-1], up, down)
    y = _ks.empty((*rows.shape[:-1], length), dtype, device=x.device)
    if y.size:
        _taps(rows, h.astype(dtype).copy(), rows.shape[-1], h.size, up, down, length, y)
    return _ks.moveaxis(y, -1, axis)


_middles = {"mean": _ks.mean, "median": _ks.median, "minimum": _ks.min, "maximum": _ks.max}


def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    """up / down as many elements in the same time, by a low pass of a window or of coefficients; `padtype` says what
    is beyond the ends: zeros ("constant"), or the mean, median, minimum or maximum."""
    x = _asarray(x)
    if up != int(up) or down != int(down):
        raise ValueError("up and down must be integers")
    if up < 1 or down < 1:
        raise ValueError("up and down must be >= 1")
    if padtype not in ("constant", *_middles) or cval:
        raise NotImplementedError("resample_poly has the padtypes constant (of 0), mean, median, minimum and maximum")
    shared = _math.gcd(int(up), int(down))
    up, down = int(up) // shared, int(down) // shared
    if up == down == 1:
        return x.copy()
    n = x.shape[axis]
    wanted = -(-n * up // down)
    if isinstance(window, (list, _np.ndarray, _ks.Array)):
        h = _asarray(window)
        if h.ndim > 1:
            raise ValueError("window must be 1-D")
        half = (h.size - 1) // 2
    else:
        half = 10 * max(up, down)
        h = _asarray(_firwin(2 * half + 1, 1 / max(up, down), window=window))
        h = h.astype(x.dtype) if x.dtype.char in "efFd" and x.dtype.kind == "f" else h
    # Zeros before the filter put its middle on an element that is kept; those behind it let the last one come out.
    before = down - half % down
    left_out = (half + before) // down
    after = 0
    while _length(h.size + before + after, n, up, down) < wanted + left_out:
        after += 1
    middle = _middles[padtype](x, axis=axis, keepdims=True) if padtype in _middles else 0
    y = upfirdn(_ks.pad(h * up, (before, after)), x - middle if padtype in _middles else x, up, down, axis)
    y = _ks.moveaxis(_ks.moveaxis(y, axis, -1)[..., left_out : left_out + wanted], -1, axis)
    return y + middle if padtype in _middles else y


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    """Each q-th element after a low pass: Chebyshev's ("iir"), or one of a Hamming window ("fir")."""
    x, q = _asarray(x), int(q)
    if ftype not in ("iir", "fir"):
        raise NotImplementedError("decimate has the filters 'iir' and 'fir'")
    if ftype == "fir":
        h = _firwin((20 * q if n is None else int(n)) + 1, 1.0 / q, window="hamming")
        if zero_phase:
            return resample_poly(x, 1, q, axis, window=_asarray(h))
        y = _ks.moveaxis(upfirdn(h, x, 1, q, axis), axis, -1)
        return _ks.moveaxis(y[..., : -(-x.shape[axis] // q)], -1, axis)
    sos = _cheby1(8 if n is None else int(n), 0.05, 0.8 / q, output="sos")
    y = (_sosfiltfilt if zero_phase else _sosfilt)(sos, x, axis=axis)
    return _ks.moveaxis(_ks.moveaxis(y, axis, -1)[..., ::q], -1, axis)


class CZT:
    """The z-transform of n numbers at m points: a, and each next one w⁻¹ times the one before; w: round the circle if it is None."""

    def __init__(self, n, m=None, w=None, a=1 + 0j):
        self.n, self.m = _points(n), _points(n if m is None else m)
        self.w, self.a = _np.exp(-2j * _math.pi / self.m) if w is None else w, a
        log = _cmath.log(complex(self.w))
        # The angle of w, in turns: whole ones are left out before they are multiplied by squares.
        self._growth, self._turn = log.real, -1 / self.m if w is None else log.imag / (2 * _math.pi)
        self._first = _cmath.log(complex(a))

    def _of_squares(self, k):
        """w ** (k² / 2)."""
        squares = k * k
        return _np.exp(self._growth * squares / 2 + 1j * _math.pi * (squares * self._turn % 2))

    def __call__(self, x, *, axis=-1):
        x = _asarray(x)
        if x.shape[axis] != self.n:
            raise ValueError(f"CZT defined for length {self.n}, not {x.shape[axis]}")
        n, m, first = self.n, self.m, self._first
        x = _ks.moveaxis(x, axis, -1)
        k = _np.arange(max(m, n), dtype=float)
        chirp = self._of_squares(k)
        length = 1 << (n + m - 2).bit_length() if n + m > 2 else 1
        begin = _np.exp(-first.real * k[:n] - 2j * _math.pi * (k[:n] * (first.imag / (2 * _math.pi)) % 1)) * chirp[:n]
        back = _np.fft.fft(1 / _np.concatenate([chirp[n - 1 : 0 : -1], chirp[:m]]), length)
        begin, back, chirp = (_ks.asarray(part, device=x.device) for part in (begin, back, chirp[:m]))
        y = _ks.fft.ifft(back * _ks.fft.fft(x * begin, length))[..., n - 1 : n + m - 1] * chirp
        return _ks.moveaxis(y, -1, axis)

    @_here
    def points(self):
        """The points of the plane."""
        return czt_points(self.m, self.w, self.a)


class ZoomFFT(CZT):
    """The Fourier transform of n numbers at m frequencies from fn[0], or 0, up to fn[1], or fn."""

    def __init__(self, n, fn, m=None, *, fs=2, endpoint=False):
        m = _points(n if m is None else m)
        ends = _np.atleast_1d(fn.numpy() if isinstance(fn, _ks.Array) else _np.asarray(fn, float))
        if ends.size > 2:
            raise ValueError("fn must be a scalar or 2-length sequence")
        self.f1, self.f2 = (0.0, float(ends[0])) if ends.size == 1 else map(float, ends)
        self.fs = fs
        turn, first = (self.f2 - self.f1) / (fs * ((m - 1) if endpoint else m)), self.f1 / fs
        super().__init__(n, m, _np.exp(-2j * _math.pi * turn), _np.exp(2j * _math.pi * first))
        self._growth, self._turn, self._first = 0.0, -turn, 2j * _math.pi * first


def _points(m):
    if not isinstance(m, (int, _np.integer)) or m < 1:
        raise ValueError(f"Invalid number of CZT output points: {m}")
    return int(m)


@_here
def czt_points(m, w=None, a=1 + 0j):
    """The points at which a z-transform has its values: a, and each next one w⁻¹ times the one before."""
    k, a = _np.arange(_points(m), dtype=float), 1.0 * a
    return _ks.array(a * (_np.exp(2j * _math.pi * k / m) if w is None else (1.0 * w) ** -k))


@_here
def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1):
    """The z-transform at m points: a, and each next one w⁻¹ times the one before."""
    x = _asarray(x)
    return CZT(x.shape[axis], m, w, a)(x, axis=axis)


@_here
def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    """The Fourier transform at m frequencies from fn[0], or 0, up to fn[1], or fn."""
    x = _asarray(x)
    return ZoomFFT(x.shape[axis], fn, m, fs=fs, endpoint=endpoint)(x, axis=axis)


def vectorstrength(events, period):
    """How much events keep to a period, from 0 to 1, and their phase; of each period, if there are several."""
    events, periods = _asarray(events), _asarray(period)
    if events.ndim > 1:
        raise ValueError("events cannot have dimensions more than 1")
    if periods.ndim > 1:
        raise ValueError("period cannot have dimensions more than 1")
    if bool((periods <= 0).any()):
        raise ValueError("periods must be positive")
    mean = _ks.exp(2j * _math.pi / periods.reshape(-1, 1) * events.reshape(1, -1)).mean(axis=1)
    strength, phase = abs(mean), _ks.angle(mean)
    return (strength, phase) if periods.ndim else (strength[0], phase[0])


def lombscargle(x, y, freqs, precenter=False, normalize=False):
    """The power of a signal, at any times x, at angular frequencies."""
    x, y, freqs = (_asarray(part).astype("float64") for part in (x, y, freqs))
    if not (x.ndim == y.ndim == freqs.ndim == 1):
        raise ValueError("x, y and freqs are rows")
    if x.shape != y.shape:
        raise ValueError("Input arrays do not have the same size.")
    y = y - y.mean() if precenter else y
    w = freqs[:, None]
    late = _ks.arctan2(_ks.sin(2 * w * x).sum(1), _ks.cos(2 * w * x).sum(1))[:, None] / 2
    c, s = _ks.cos(w * x - late), _ks.sin(w * x - late)
    power = 0.5 * ((y * c).sum(1) ** 2 / (c * c).sum(1) + (y * s).sum(1) ** 2 / (s * s).sum(1))
    return power * 2 / _ks.dot(y, y) if normalize else power


def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """A Gaussian pulse of a frequency and of a band width, as a share of it; of "cutoff" the time when it is tpr decibels low."""
    for said, number in ("Center frequency", fc), ("Fractional bandwidth", bw):
        if number < 0 or (said[0] == "F" and number == 0):
            raise ValueError(f"{said} ({number:.2f}) must be above 0")
    if bwr >= 0:
        raise ValueError(f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB")
    narrow = -((_math.pi * fc * bw) ** 2) / (4 * _math.log(10 ** (bwr / 20)))
    if isinstance(t, str):
        if t != "cutoff":
            raise ValueError("If `t` is a string, it must be 'cutoff'")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return _math.sqrt(-_math.log(10 ** (tpr / 20)) / narrow)
    t = _asarray(t)
    envelope = _ks.exp(-narrow * t * t)
    result = [envelope * _ks.cos(2 * _math.pi * fc * t)]
    result += [envelope * _ks.sin(2 * _math.pi * fc * t)] if retquad else []
    result += [envelope] if retenv else []
    return tuple(result) if len(result) > 1 else result[0]


def sweep_poly(t, poly, phi=0):
    """A cosine whose frequency at a time is the value of a polynomial."""
    c = getattr(poly, "coeffs", poly)
    c = _np.polyint(c.get() if isinstance(c, _ks.Array) else _np.asarray(c, float))
    t, phase = _asarray(t), 0.0
    for coefficient in c:
        phase = phase * t + float(coefficient)
    return _ks.cos(2 * _math.pi * phase + phi * _math.pi / 180)
