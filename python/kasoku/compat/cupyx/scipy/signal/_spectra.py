"""Spectra of parts of a signal: one by the other, or their means."""

import warnings as _warnings
from collections import namedtuple as _namedtuple

import kasoku as _ks
import numpy as _np

from ....cupy._arrays import asarray as _asarray
from ._recursions import _extended
from ._whole import detrend as _detrend
from .windows import get_window as _get_window


def _segments(window, nperseg, length, device):
    """The window's elements, and how many there are."""
    if isinstance(window, (str, tuple)):
        nperseg = 256 if nperseg is None else nperseg
        if nperseg > length:
            _warnings.warn(f"nperseg = {nperseg} is greater than input length = {length}, using {length}", stacklevel=4)
            nperseg = length
        with _ks.default_device(device):
            return _get_window(window, nperseg), nperseg
    window = _asarray(window)
    if window.ndim != 1:
        raise ValueError("window must be 1-D")
    if length < window.size:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and nperseg != window.size:
        raise ValueError("value specified for nperseg is different from length of window")
    return window, window.size


def _lengths(nperseg, noverlap, nfft):
    nfft = nperseg if nfft is None else int(nfft)
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    return noverlap, nfft


def _weight(window, fs, scaling):
    """By what a density, or a spectrum, is the square of a transform."""
    if scaling == "density":
        return 1 / (fs * (window * window).sum())
    if scaling == "spectrum":
        return 1 / window.sum() ** 2
    raise ValueError(f"Unknown scaling: {scaling!r}")


def _longer(x, more):
    """The array with so many zeros behind the last axis."""
    return _ks.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, more)]) if more else x


_ends = ["even", "odd", "constant", "zeros", None]


# How a signal is cut into parts, and what is made of these: SciPy's arguments of that name.
_Cut = _namedtuple("_Cut", "fs window nperseg noverlap nfft detrend return_onesided scaling")


def _parts(x, y, cut, axis, is_psd=True, boundary=None, padded=False):
    """Frequencies, times, and the transforms of the parts of x, or what they make with those of y; times are the last axis."""
    fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling = cut
    is_one = y is x or y is None
    x = _asarray(x)
    y = x if is_one else _asarray(y)
    kind = _ks.result_type(x, y, "complex64")
    x, y = (_ks.moveaxis(each, axis, -1) for each in (x, y))
    if boundary not in _ends:
        raise ValueError(f"Unknown boundary option {boundary!r}, must be one of: {_ends}")
    if nperseg is not None and int(nperseg) < 1:
        raise ValueError("nperseg must be a positive integer")
    longest = max(x.shape[-1], y.shape[-1])
    window, nperseg = _segments(window, None if nperseg is None else int(nperseg), longest, x.device)
    noverlap, nfft = _lengths(nperseg, noverlap, nfft)
    step = nperseg - noverlap
    window = window.astype(_ks.zeros(0, kind).real.dtype)
    onesided = return_onesided and x.dtype.kind != "c" and y.dtype.kind != "c"

    def transformed(x):
        x = _longer(x, longest - x.shape[-1])
        if boundary is not None:
            x = _extended(x, nperseg // 2, boundary)
        if padded:
            x = _longer(x, -(x.shape[-1] - nperseg) % step % nperseg)
        length = x.shape[-1]
        parts = _ks.lib.stride_tricks.sliding_window_view(x, nperseg, -1)[..., ::step, :]
        if callable(detrend):
            parts = detrend(parts)
        elif detrend:
            parts = _detrend(_ks.ascontiguousarray(parts), -1, detrend)
        parts = parts * window
        return (_ks.fft.rfft(parts.real, nfft) if onesided else _ks.fft.fft(parts, nfft)).astype(kind), length

    weight = _weight(window, fs, scaling)
    found, length = transformed(x)
    if is_psd:
        other = found if is_one else transformed(y)[0]
        found = _ks.conj(found) * other * weight
        if onesided:
            found[..., 1 : None if nfft % 2 else -1] *= 2
        found = found.real if is_one else found
    else:
        found = found * _ks.sqrt(weight)
    found = found.astype(kind if found.dtype.kind == "c" else window.dtype)
    times = _ks.arange(nperseg / 2, length - nperseg / 2 + 1, step, device=x.device) / fs
    if boundary is not None:
        times = times - nperseg / 2 / fs
    frequencies = (_ks.fft.rfftfreq if onesided else _ks.fft.fftfreq)(nfft, 1 / fs, device=x.device)
    return frequencies, times, _ks.moveaxis(found, -1, axis - 1 if axis < 0 else axis)


def _middle(parts):
    """The median of the last axis, without what it makes of noise."""
    twice = 2 * _np.arange(1.0, (parts.shape[-1] - 1) // 2 + 1)
    bias = 1 + float((1 / (twice + 1) - 1 / twice).sum())
    if parts.dtype.kind == "c":
        return (_ks.median(parts.real, -1) + 1j * _ks.median(parts.imag, -1)) / bias
    return _ks.median(parts, -1) / bias


def csd(
    x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
    scaling="density", axis=-1, average="mean",
):  # fmt: skip
    """Welch's mean of what the spectra of two signals' parts have in common."""
    given = _asarray(x), _asarray(y)
    if not all(each.size for each in given):
        others = _np.broadcast_shapes(*(tuple(_np.delete(each.shape, axis)) for each in given))
        none = _ks.empty((*others, min(each.shape[axis] for each in given)), device=given[0].device)
        return (_ks.moveaxis(none, -1, axis),) * 2
    cut = _Cut(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling)
    frequencies, _, parts = _parts(x, y, cut, axis)
    if average not in ("mean", "median"):
        raise ValueError(f'average must be "median" or "mean", got {average}')
    return frequencies, _middle(parts) if average == "median" else parts.mean(-1)


def welch(
    x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
    scaling="density", axis=-1, average="mean",
):  # fmt: skip
    """Welch's mean of the spectra of a signal's parts."""
    return csd(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1
):
    """The spectrum of a whole signal."""
    x = _asarray(x)
    n = x.shape[axis]
    if nfft is not None and nfft < n:
        x = _ks.moveaxis(_ks.moveaxis(x, axis, -1)[..., :nfft], -1, axis)
        n, nfft = nfft, None
    window = "boxcar" if window is None else window
    return welch(x, fs, window, n, 0, nfft, detrend, return_onesided, scaling, axis)


def coherence(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1):
    """How much of two signals is common, by frequencies: from 0 to 1."""
    more = (fs, window, nperseg, noverlap, nfft, detrend)
    frequencies, both = csd(x, y, *more, axis=axis)
    return frequencies, abs(both) ** 2 / welch(x, *more, axis=axis)[1] / welch(y, *more, axis=axis)[1]


def spectrogram(
    x, fs=1.0, window=("tukey", 0.25), nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
    scaling="density", axis=-1, mode="psd",
):  # fmt: skip
    """The spectra of a signal's parts: frequencies, times, and the spectra over both."""
    modes = ["psd", "complex", "magnitude", "angle", "phase"]
    if mode not in modes:
        raise ValueError(f"unknown value for mode {mode}, must be one of {modes}")
    x = _asarray(x)
    window, nperseg = _segments(window, nperseg, x.shape[axis], x.device)
    noverlap = nperseg // 8 if noverlap is None else noverlap
    cut = _Cut(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling)
    frequencies, times, parts = _parts(x, x, cut, axis, mode == "psd")
    if mode == "magnitude":
        parts = abs(parts)
    elif mode in ("angle", "phase"):
        parts = _ks.angle(parts)
        parts = _ks.unwrap(parts, axis=axis - 1 if axis < 0 else axis) if mode == "phase" else parts
    return frequencies, times, parts


def stft(
    x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True,
    boundary="zeros", padded=True, axis=-1, scaling="spectrum",
):  # fmt: skip
    """The transforms of a signal's parts: frequencies, times, and the transforms over both; istft() goes back."""
    scaling = {"psd": "density"}.get(scaling, scaling)
    cut = _Cut(fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling)
    return _parts(x, x, cut, axis, False, boundary, padded)


def istft(
    Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True,
    time_axis=-1, freq_axis=-2, scaling="spectrum",
):  # fmt: skip
    """The times and the signal whose transforms stft() gave."""
    parts = _asarray(Zxx)
    time_axis, freq_axis = time_axis % parts.ndim, freq_axis % parts.ndim
    parts = _ks.moveaxis(parts, (freq_axis, time_axis), (-2, -1))
    most = 2 * (parts.shape[-2] - 1) if input_onesided else parts.shape[-2]
    nperseg = most if nperseg is None else int(nperseg)
    if nfft is None:
        nfft = most + 1 if input_onesided and nperseg == most + 1 else most
    noverlap, nfft = _lengths(nperseg, noverlap, nfft)
    step, count = nperseg - noverlap, parts.shape[-1]
    window = _segments(window, nperseg, nperseg, parts.device)[0]
    back = _ks.fft.irfft if input_onesided else _ks.fft.ifft
    pieces = back(parts, nfft, axis=-2)[..., :nperseg, :]
    window = window.astype(pieces.real.dtype)
    weight = _weight(window, fs, {"psd": "density"}.get(scaling, scaling))
    pieces = _ks.moveaxis(pieces, -1, -2) * (window / _ks.sqrt(weight))
    x = _ks.zeros((*pieces.shape[:-2], nperseg + (count - 1) * step), pieces.dtype, device=parts.device)
    weights = _ks.zeros(x.shape[-1], window.dtype, device=parts.device)
    for k in range(count):
        x[..., k * step : k * step + nperseg] += pieces[..., k, :]
        weights[k * step : k * step + nperseg] += window * window
    if boundary:
        kept = slice(nperseg // 2, x.shape[-1] - nperseg // 2)
        x, weights = x[..., kept], weights[kept]
    x = x / _ks.where(weights > 1e-10, weights, 1)
    times = _ks.arange(x.shape[-1], device=parts.device) / fs
    return times, _ks.moveaxis(x, -1, time_axis - (freq_axis < time_axis))
