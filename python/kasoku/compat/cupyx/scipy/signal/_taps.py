"""Coefficients of filters without recursion, sequences of bits, and what windows add up to."""

import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from ...._face.kernels import kernel as _kernel
from ._forms import _row
from .windows import get_window as _get_window


def _checked_gains(numtaps, freq, gain, nfreqs, kind, nyquist):
    if len(freq) != len(gain):
        raise ValueError("freq and gain must be of same length.")
    if nfreqs is not None and numtaps >= nfreqs:
        raise ValueError(f"ntaps must be less than nfreqs, but firwin2 was called with ntaps={numtaps} and {nfreqs=}")
    if freq[0] != 0 or freq[-1] != nyquist:
        raise ValueError("freq must start with 0 and end with fs/2.")
    steps = _np.diff(freq)
    if (steps < 0).any():
        raise ValueError("The values in freq must be nondecreasing.")
    if ((steps[:-1] == 0) & (steps[1:] == 0)).any():
        raise ValueError("A value in freq must not occur more than twice.")
    if freq[1] == 0:
        raise ValueError("Value 0 must not be repeated in freq")
    if freq[-2] == nyquist:
        raise ValueError("Value fs/2 must not be repeated in freq")
    for kinds, at, where in (((2, 3), -1, "Nyquist frequency"), ((3, 4), 0, "zero frequency")):
        if kind in kinds and gain[at] != 0:
            raise ValueError(f"A Type {'I' * kind if kind < 4 else 'IV'} filter must have zero gain at the {where}.")


@_here
def firwin2(numtaps, freq, gain, nfreqs=None, window="hamming", antisymmetric=False, fs=None):
    """The coefficients of a filter by a window, whose gain goes in lines from frequency to frequency."""
    fs = 2.0 if fs is None else float(fs)
    nyquist, freq, gain = fs / 2, _row(freq).astype(float), _row(gain)
    kind = (2 if antisymmetric else 0) + (2 - numtaps % 2)
    _checked_gains(numtaps, freq, gain, nfreqs, kind, nyquist)
    nfreqs = 1 + 2 ** _math.ceil(_math.log2(numtaps)) if nfreqs is None else nfreqs
    twice = _np.flatnonzero(_np.diff(freq) == 0)
    if len(twice):
        little = _np.finfo(float).eps * nyquist
        freq[twice] -= little
        freq[twice + 1] += little
        if (_np.diff(freq) <= 0).any():
            raise ValueError(
                "freq cannot contain numbers that are too close (within eps * (fs/2)) to a repeated value."
            )
    x = _ks.linspace(0.0, nyquist, nfreqs)
    turn = -(numtaps - 1) / 2 * _math.pi / nyquist * x + (_math.pi / 2 if kind > 2 else 0)
    there = _ks.interp(x, _ks.array(freq), _ks.array(gain)) * (_ks.cos(turn) + 1j * _ks.sin(turn))
    made = _ks.fft.irfft(there)[:numtaps]
    made = made * (1 if window is None else _get_window(window, numtaps, fftbins=False))
    if kind == 3:
        made[numtaps // 2] = 0
    return made


@_here
def firls(numtaps, bands, desired, weight=None, fs=None):
    """The coefficients of a filter whose squares of errors in the bands are least."""
    numtaps, nyquist = int(numtaps), (2.0 if fs is None else float(fs)) / 2
    if numtaps % 2 == 0 or numtaps < 1:
        raise ValueError("numtaps must be odd and >= 1")
    bands = _row(bands).ravel() / nyquist
    if len(bands) % 2:
        raise ValueError("bands must contain frequency pairs.")
    bands, desired = bands.reshape(-1, 2), _row(desired).ravel().astype(float)
    if bands.size != desired.size:
        raise ValueError(
            "desired must have one entry per frequency, got {} gains for {}".format(desired.size, bands.size)
        )
    desired = desired.reshape(-1, 2)
    if (_np.diff(bands) <= 0).any() or (_np.diff(bands[:, 0]) < 0).any():
        raise ValueError("bands must be monotonically nondecreasing and have width > 0.")
    if (bands[:-1, 1] > bands[1:, 0]).any():
        raise ValueError("bands must not overlap.")
    if (desired < 0).any():
        raise ValueError("desired must be non-negative.")
    weight = _np.ones(len(desired)) if weight is None else _row(weight).ravel()
    if len(weight) != len(desired):
        raise ValueError(f"weight must be the same size as the number of band pairs ({len(bands)}).")
    if (weight < 0).any():
        raise ValueError("weight must be non-negative.")
    half = (numtaps - 1) // 2
    n = _np.arange(numtaps)[:, None, None]
    q = (_np.diff(bands * _np.sinc(bands * n), axis=2)[:, :, 0]) @ weight
    k = _np.arange(half + 1)
    matrix = q[abs(k[:, None] - k)] + q[k[:, None] + k]
    n = n[: half + 1]
    slope = _np.diff(desired, axis=1) / _np.diff(bands, axis=1)
    start = desired[:, :1] - bands[:, :1] * slope
    b = bands * (slope * bands + start) * _np.sinc(bands * n)
    b[0] -= slope * bands * bands / 2
    b[1:] += slope * _np.cos(n[1:] * _math.pi * bands) / (_math.pi * n[1:]) ** 2
    b = _np.diff(b, axis=2)[:, :, 0] @ weight
    try:
        a = _np.linalg.solve(matrix, b)
    except _np.linalg.LinAlgError:
        a = _np.linalg.lstsq(matrix, b, rcond=None)[0]
    return _ks.array(_np.concatenate((a[:0:-1], [2 * a[0]], a[1:])))


@_here
def minimum_phase(h, method="homomorphic", n_fft=None, *, half=True):
    """The filter without recursion that has the gains of another, or their roots, and delays least."""
    h = _asarray(h)
    if h.dtype.kind == "c":
        raise ValueError("Complex filters not supported")
    if h.ndim != 1 or h.size <= 2:
        raise ValueError("h must be 1-D and at least 2 samples long")
    if method not in ("homomorphic", "hilbert"):
        raise ValueError(f"method must be 'homomorphic' or 'hilbert', got {method!r}")
    if method == "hilbert" and not half:
        raise ValueError("`half=False` is only supported when `method='homomorphic'`")
    n, middle = h.size, h.size // 2
    n_fft = 2 ** _math.ceil(_math.log2(2 * (n - 1) / 0.01)) if n_fft is None else int(n_fft)
    if n_fft < n:
        raise ValueError(f"n_fft must be at least len(h)=={n}")
    there = _ks.fft.fft(h, n_fft)
    k = _ks.arange(n_fft, device=h.device)
    if method == "hilbert":
        turn = 2 * _math.pi * middle / n_fft * k
        gains = (there * (_ks.cos(turn) + 1j * _ks.sin(turn))).real
        above, below = gains.max() - 1, -gains.min()
        gains = (
            _ks.sqrt((gains + below) * (4 / (_ks.sqrt(1 + above + below) + _ks.sqrt(1 - above + below)) ** 2)) + 1e-10
        )
        sign = _ks.where((k == 0) | (k == n_fft // 2), 0, _ks.where(k < n_fft // 2, 1, -1))
        cepstrum = _ks.fft.ifft(_ks.log(gains)).real
        made = _ks.fft.ifft(gains * _ks.exp(_ks.fft.fft(sign * cepstrum))).real
    else:
        gains = abs(there)
        gains = gains + 1e-7 * _ks.where(gains > 0, gains, _ks.inf).min()
        cepstrum = _ks.fft.ifft(_ks.log(gains) * (0.5 if half else 1.0)).real
        once = (k == 0) | ((k == n_fft // 2) if n_fft % 2 else False)
        weights = _ks.where(once, 1, _ks.where(k < n_fft // 2, 2, 0))
        made = _ks.fft.ifft(_ks.exp(_ks.fft.fft(cepstrum * weights))).real
    return made[: middle + n % 2 if half else n]


@_here
def gammatone(freq, ftype, order=None, numtaps=None, fs=None):
    """A filter as the ear has it, around a frequency."""
    freq, fs, kind = float(freq), 2.0 if fs is None else float(fs), ftype.lower()
    if not 0 < freq < fs / 2:
        raise ValueError(f"The frequency must be between 0 and {fs / 2} (nyquist), but given {freq}.")
    if kind not in ("fir", "iir"):
        raise ValueError("ftype must be either fir or iir.")
    width = 2 * _math.pi * 1.019 * (freq / 9.26449 + 24.7)
    if kind == "fir":
        order = 4 if order is None else int(order)
        if not 0 < order <= 24:
            raise ValueError("Invalid order: order must be > 0 and <= 24.")
        t = _np.arange(max(int(fs * 0.015), 15) if numtaps is None else int(numtaps)) / fs
        b = t ** (order - 1) * _np.exp(-width * t) * _np.cos(2 * _math.pi * freq * t)
        return _ks.array(b * (2 * width**order / _math.factorial(order - 1) / fs)), _ks.array([1.0])
    step, angle = 1 / fs, 2 * _math.pi * freq / fs
    wave, decay = _np.exp(1j * angle), _math.exp(-width / fs)
    gain = 1
    for root in (-_math.sqrt(3 - 2**1.5), _math.sqrt(3 - 2**1.5), -_math.sqrt(3 + 2**1.5), _math.sqrt(3 + 2**1.5)):
        gain *= -2 * wave**2 * step + 2 * decay * wave * step * (_math.cos(angle) + root * _math.sin(angle))
    gain = abs(gain / (-2 * decay**2 - 2 * wave**2 + 2 * (1 + wave**2) * decay) ** 4)
    b = [(-1) ** k * _math.comb(4, k) * step**4 * _math.cos(k * angle) * decay**k / gain for k in range(5)]
    section, a = [1, -2 * decay * _math.cos(angle), decay**2], _np.ones(1)
    for _ in range(4):
        a = _np.polymul(a, section)
    return _ks.array(b), _ks.array(a)


# Which bits, beside the first, make a register of so many bits take all its states.
_all_states = {
    2: [1], 3: [2], 4: [3], 5: [3], 6: [5], 7: [6], 8: [7, 6, 1], 9: [5], 10: [7], 11: [9], 12: [11, 10, 4], 13: [12, 11, 8],
    14: [13, 12, 2], 15: [14], 16: [15, 13, 4], 17: [14], 18: [11], 19: [18, 17, 14], 20: [17], 21: [19], 22: [21], 23: [18],
    24: [23, 22, 17], 25: [22], 26: [25, 24, 20], 27: [26, 25, 22], 28: [25], 29: [27], 30: [29, 28, 7], 31: [28], 32: [31, 30, 10],
}  # fmt: skip

_register = _kernel("raw int8 taps, int64 count, int64 bits, int64 length", "raw int8 state, raw int8 out", """
      long long at = 0;
      for (long long k = 0; k < length; k++) {
        signed char bit = state[at];
        out[k] = bit;
        for (int j = 0; j < count; j++) bit ^= state[(taps[j] + at) % bits];
        state[at] = bit;
        at = (at + 1) % bits;
      }""", "shift_register")  # fmt: skip


@_here
def max_len_seq(nbits, state=None, length=None, taps=None):
    """The bits of a shift register that takes all its states, and the state behind them; one thread takes the steps."""
    if taps is None:
        if nbits not in _all_states:
            raise ValueError(f"nbits must be between {min(_all_states)} and {max(_all_states)} if taps is None")
        taps = _all_states[nbits]
    taps = _np.unique(_row(taps))[::-1].astype("int8")
    if taps.size < 1 or (taps < 0).any() or (taps > nbits).any():
        raise ValueError("taps must be non-empty with values between zero and nbits (inclusive)")
    length = 2**nbits - 1 if length is None else int(length)
    if length < 0:
        raise ValueError("length must be greater than or equal to 0")
    state = _ks.ones(nbits, "int8") if state is None else _asarray(state).astype(bool).astype("int8")
    if state.ndim != 1 or state.size != nbits:
        raise ValueError("state must be a 1-D array of size nbits")
    if not bool(state.any()):
        raise ValueError("state must not be all zeros")
    out = _ks.zeros(length, "int8", device=state.device)
    if length:
        _register(_ks.asarray(taps, device=state.device), len(taps), nbits, length, state, out, size=1)
    return out, _ks.roll(state, -(length % nbits))


def _sums(window, nperseg, noverlap, power):
    """What the windows of all segments, to a power, add up to at each place of a step."""
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    if noverlap < 0:
        raise ValueError("noverlap must be a nonnegative integer")
    nperseg, step = int(nperseg), int(nperseg) - int(noverlap)
    w = _get_window(window, nperseg) if isinstance(window, (str, tuple)) else _asarray(window)
    if w.ndim != 1:
        raise ValueError("window must be 1-D")
    if w.size != nperseg:
        raise ValueError("window must have length of nperseg")
    return _ks.pad(w**power, (0, -nperseg % step)).reshape(-1, step).sum(0)


@_here
def check_COLA(window, nperseg, noverlap, tol=1e-10):
    """Whether windows that overlap so add up to the same everywhere."""
    sums = _sums(window, nperseg, noverlap, 1)
    return bool(abs(sums - _ks.median(sums)).max() < tol)


@_here
def check_NOLA(window, nperseg, noverlap, tol=1e-10):
    """Whether the squares of windows that overlap so add up to more than nothing everywhere."""
    return bool(_sums(window, nperseg, noverlap, 2).min() > tol)
