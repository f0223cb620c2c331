"""Functions of whole signals: other lengths, trends, peaks, and signals by formulas."""

import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray, floats as _floats
from ....cupy._table import _here
from ...._face.table import plain as _plain
from .windows import get_window as _get_window


def _by_frequencies(window, n, device):
    """A window as an array, by the frequencies of a transform."""
    if callable(window):
        return window(_ks.fft.fftfreq(n, device=device))
    if isinstance(window, (_ks.Array, _np.ndarray)):
        if window.shape != (n,):
            raise ValueError(f"window must have the same length as data: {n}, not {window.shape}")
        return _asarray(window)
    with _ks.default_device(device):
        return _ks.fft.ifftshift(_get_window(window, n))


def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """As many elements in the same time, by Fourier transforms; `window`: weights of the frequencies; domain "freq": x is a
    transform."""
    if domain not in ("time", "freq"):
        raise ValueError(f"Acceptable domain flags are 'time' or 'freq', not domain={domain}")
    x = _ks.moveaxis(_asarray(x), axis, -1)
    n, is_complex = x.shape[-1], x.dtype.kind == "c"
    least = min(n, num)
    half = least // 2
    there = x if domain == "freq" else _ks.fft.fft(x) if is_complex else _ks.fft.rfft(x)
    if window is not None:
        weights = _by_frequencies(window, n, x.device)
        if not is_complex:  # of a frequency and of its opposite
            weights = ((weights + _ks.roll(_ks.flip(weights), 1)) / 2)[: n // 2 + 1]
        there = there * weights
    made = _ks.zeros((*x.shape[:-1], num if is_complex else num // 2 + 1), there.dtype, device=x.device)
    made[..., : half + 1] = there[..., : half + 1]
    if is_complex and least > 2:
        made[..., half + 1 - least or num :] = there[..., half + 1 - least or n :]
    if least % 2 == 0 and n != num:  # the frequency in the middle counts for two
        if not is_complex:
            made[..., half] *= 2 if num < n else 0.5
        elif num < n:
            made[..., half] += there[..., n - half]
        else:
            made[..., half] *= 0.5
            made[..., num - half] = made[..., half]
    y = (_ks.fft.ifft(made) if is_complex else _ks.fft.irfft(made, num)) * (num / n)
    y = _ks.moveaxis(y, -1, axis)
    if t is None:
        return y
    t = _asarray(t)
    return y, _ks.arange(num, device=t.device) * (t[1] - t[0]) * n / num + t[0]


def _forward(n, device):
    """Weights of n frequencies: those above 0 count twice, those below not at all, the others once."""
    k = _ks.arange(n, device=device)
    return _ks.where((k == 0) | (2 * k == n), 1, _ks.where(2 * k < n, 2, 0))


def hilbert(x, N=None, axis=-1):
    """The analytic signal, whose imaginary part is the Hilbert transform."""
    x = _asarray(x)
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    weights = _forward(n, x.device).astype(x.dtype if x.dtype.kind == "f" else "float64")
    return _ks.moveaxis(_ks.fft.ifft(_ks.moveaxis(_ks.fft.fft(x, n, axis), axis, -1) * weights), -1, axis)


def hilbert2(x, N=None):
    """The analytic signal of a matrix: frequencies above 0 in both directions."""
    x = _asarray(x)
    if x.ndim < 2:
        raise ValueError("x must be at least 2-D.")
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")
    lengths = x.shape[:2] if N is None else (N, N) if isinstance(N, int) else tuple(N)
    if len(lengths) != 2 or min(lengths) <= 0:
        raise ValueError("When given as a tuple, N must hold exactly two positive integers")
    rows, columns = (_forward(n, x.device).astype("float64") for n in lengths)
    weights = (rows[:, None] * columns).reshape(*lengths, *(1,) * (x.ndim - 2))
    return _ks.fft.ifft2(_ks.fft.fft2(x, lengths, axes=(0, 1)) * weights, axes=(0, 1))


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """Without its mean, or without the lines that fit it between breaks."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = _floats(data)
    if type[0] == "c":
        return data - data.mean(axis=axis, keepdims=True)
    x = _ks.moveaxis(data, axis, -1)
    ends = sorted({0, x.shape[-1], *([bp] if _ks.isscalar(bp) else [int(k) for k in bp])})
    if ends[-1] > x.shape[-1]:
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    parts = []
    for first, last in zip(ends, ends[1:]):
        part, t = x[..., first:last], _ks.arange(last - first, dtype="float64", device=x.device)
        t = (t - t.mean()).astype(part.real.dtype)
        slope = (part * t).sum(axis=-1, keepdims=True) / _ks.maximum((t * t).sum(), 1)
        parts.append(part - part.mean(axis=-1, keepdims=True) - slope * t)
    return _ks.ascontiguousarray(_ks.moveaxis(_ks.concatenate(parts, -1), -1, axis))


def argrelextrema(data, comparator, axis=0, order=1, mode="clip"):
    """Where elements compare with all of so many on both sides."""
    if order != int(order) or order < 1:
        raise ValueError("Order must be an int >= 1")
    data = _asarray(data)
    at, holds = _ks.arange(data.shape[axis], device=data.device), _ks.ones_like(data, dtype=bool)
    for step in range(1, order + 1):
        for moved in (at + step, at - step):
            moved = _ks.remainder(moved, at.size) if mode == "wrap" else _ks.clip(moved, 0, at.size - 1)
            holds = holds & comparator(data, _ks.take(data, moved, axis))
    return _ks.nonzero(holds)


def _turns(t, width):
    t, width = (_asarray(x).astype("float64") for x in (t, width))
    return _ks.remainder(t, 2 * _math.pi), width


def _sawtooth(t, width=1):
    turn, width = _turns(t, width)
    rise = turn / (_math.pi * _ks.where(width == 0, 1, width)) - 1
    fall = (_math.pi * (width + 1) - turn) / (_math.pi * _ks.where(width == 1, 1, 1 - width))
    return _ks.where((width < 0) | (width > 1), _ks.nan, _ks.where(turn < width * 2 * _math.pi, rise, fall))


def _square(t, duty=0.5):
    turn, duty = _turns(t, duty)
    return _ks.where((duty < 0) | (duty > 1), _ks.nan, _ks.where(turn < duty * 2 * _math.pi, 1.0, -1.0))


def _chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True):
    t = _asarray(t).astype("float64")
    pi2 = 2 * _math.pi
    if method in ("linear", "lin", "li"):
        phase = pi2 * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t)
    elif method in ("quadratic", "quad", "q"):
        bend = (f1 - f0) / t1**2
        phase = pi2 * (f0 * t + bend * t**3 / 3) if vertex_zero else pi2 * (f1 * t + bend * ((t1 - t) ** 3 - t1**3) / 3)
    elif method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign.")
        rate = _math.log(f1 / f0) / t1
        phase = pi2 * f0 * (t if rate == 0 else _ks.expm1(rate * t) / rate)
    elif method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        pole = -f1 * t1 / (f0 - f1) if f0 != f1 else None
        phase = pi2 * f0 * t if pole is None else pi2 * (-pole * f0) * _ks.log(abs(1 - t / pole))
    else:
        raise ValueError(
            f"method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a value of {method!r} was given."
        )
    return _ks.cos(phase + _math.pi / 180 * phi)


def _unit_impulse(shape, idx=None, dtype=float):
    made = _ks.zeros(shape, dtype)
    middle = tuple(n // 2 for n in made.shape)
    made[middle if isinstance(idx, str) else tuple(idx) if _np.iterable(idx) else (idx or 0,) * made.ndim] = 1
    return made


_plain(globals(), {
    "argrelmax": (lambda data, axis=0, order=1, mode="clip": argrelextrema(data, _ks.greater, axis, order, mode), "Where elements are greater than so many on both sides."),
    "argrelmin": (lambda data, axis=0, order=1, mode="clip": argrelextrema(data, _ks.less, axis, order, mode), "Where elements are less than so many on both sides."),
    "chirp": (_chirp, "A cosine whose frequency goes from f0 to f1 in the time t1."),
    "sawtooth": (_sawtooth, "Lines from -1 to 1 and back, with the period 2 pi."),
    "square": (_square, "1 and -1 in turn, with the period 2 pi."),
    "unit_impulse": (_here(_unit_impulse), "Zeros with a 1 at a place."),
})  # fmt: skip
