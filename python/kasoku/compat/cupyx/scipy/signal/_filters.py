"""Filters of the elements around each: ranks, means, polynomials, and the coefficients of bands."""

import math as _math
import operator as _operator

import numpy as _np

import kasoku as _ks

from .. import ndimage as _ndimage
from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from ...._face.table import plain as _plain
from ._convolutions import correlate as _correlate
from .windows import get_window as _get_window


def _sizes(size, ndim):
    """Lengths of windows along the axes, of 3 elements if nothing is said."""
    size = 3 if size is None else size
    return [size] * ndim if _ks.isscalar(size) else list(size)


def medfilt(volume, kernel_size=3):
    """The median around each element, with zeros beyond the ends."""
    volume = _ks.atleast_1d(_asarray(volume))
    sizes = _sizes(kernel_size, volume.ndim)
    if any(n % 2 != 1 for n in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    return _ndimage.median_filter(volume, sizes, mode="constant")


def medfilt2d(input, kernel_size=3):
    """The median around each element of a matrix, with zeros beyond the ends."""
    if (axes := _asarray(input).ndim) != 2:
        raise ValueError(f"medfilt2d filters matrices, not an array of {axes} axes")
    return medfilt(input, kernel_size)


def wiener(im, mysize=None, noise=None):
    """Wiener's filter: elements go to the mean around them where they vary no more than the noise."""
    im = _asarray(im)
    sizes = _sizes(mysize, im.ndim)
    wide = im.astype("complex128" if im.dtype.kind == "c" else "float64")
    ones, count = _ks.ones(sizes, wide.dtype, device=im.device), _math.prod(sizes)
    mean = _correlate(wide, ones, "same", "direct") / count
    var = _correlate(wide * wide, ones, "same", "direct") / count - mean * mean
    noise = var.mean() if noise is None else noise
    return _ks.where(var < noise, mean, (wide - mean) * (1 - noise / var) + mean)


def _polynomial(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    if polyorder >= window_length:
        raise ValueError("polyorder must be less than window_length.")
    half = window_length // 2
    pos = (half if window_length % 2 else half - 0.5) if pos is None else pos
    if not 0 <= pos < window_length:
        raise ValueError("pos must be nonnegative and less than window_length.")
    if use not in ("conv", "dot"):
        raise ValueError("`use` must be 'conv' or 'dot'")
    if deriv > polyorder:
        return _ks.zeros(window_length)
    x = _ks.arange(window_length, dtype="float64") - pos
    x = _ks.flip(x) if use == "conv" else x
    # Of powers of numbers up to 1, whose matrix is well behaved.
    powers = (x / window_length) ** _ks.arange(polyorder + 1)[:, None]
    return _ks.linalg.pinv(powers)[:, deriv] * (_math.factorial(deriv) / (delta * window_length) ** deriv)


def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """Polynomials that fit the elements around each, or derivatives of them."""
    x = _asarray(x)
    x, coefficients = x if x.dtype in ("float32", "float64") else x.astype("float64"), _functions.savgol_coeffs
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    n, half = x.shape[axis], window_length // 2
    if mode != "interp":
        return _ndimage.convolve1d(x, coefficients(window_length, polyorder, deriv, delta), axis, mode=mode, cval=cval)
    if window_length > n:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    y = _ndimage.convolve1d(x, coefficients(window_length, polyorder, deriv, delta), axis, mode="constant")
    y, x = _ks.moveaxis(y, axis, -1), _ks.moveaxis(x, axis, -1)
    for first, places in ((0, range(half)), (n - window_length, range(window_length - half, window_length))):
        if half:
            weights = _ks.stack([coefficients(window_length, polyorder, deriv, delta, k, "dot") for k in places])
            ends = x[..., first : first + window_length].astype("float64") @ weights.T
            y[..., first + places[0] : first + places[-1] + 1] = ends.astype(y.dtype)
    return _ks.moveaxis(y, -1, axis)


def kaiser_beta(a):
    """Kaiser's parameter for ripples that are so many decibels down."""
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21) ** 0.4 + 0.07886 * (a - 21) if a > 21 else 0.0


def kaiserord(ripple, width):
    """How many coefficients keep ripples so many decibels down beside an edge of a width, and Kaiser's parameter for them."""
    if abs(ripple) < 8:
        raise ValueError(f"Kaiser's formula is for ripples that are 8 decibels down at least, not {ripple}")
    count = (abs(ripple) - 7.95) / (2.285 * _math.pi * width) + 1
    return int(_math.ceil(count)), kaiser_beta(abs(ripple))


# Whether a kind of filter passes 0, and whether it has one edge
_passes = {"lowpass": (True, True), "bandstop": (True, False), "highpass": (False, True), "bandpass": (False, False)}


def _passes_zero(kind, edges):
    if not isinstance(kind, str):
        return bool(_operator.index(kind))
    if kind not in _passes:
        raise ValueError(f"pass_zero must be True, False or one of {', '.join(_passes)}, not {kind!r}")
    passes, has_one = _passes[kind]
    if has_one != (len(edges) == 1):
        raise ValueError(f"cutoff must have {'one element' if has_one else 'at least two elements'} for {kind}")
    return passes


def _by_window(numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=2):
    edges = [cutoff] if _ks.isscalar(cutoff) else list(cutoff)
    if any(_np.ndim(edge) for edge in edges):
        raise ValueError("The cutoff argument must be at most one-dimensional.")
    edges = [float(edge) * 2 / fs for edge in edges]
    if not edges or min(edges) <= 0 or max(edges) >= 1:
        raise ValueError("Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2.")
    if any(y <= x for x, y in zip(edges, edges[1:])):
        raise ValueError("Invalid cutoff frequencies: the frequencies must be strictly increasing.")
    pass_zero = _passes_zero(pass_zero, edges)
    if width is not None:
        window = ("kaiser", kaiser_beta(_functions.kaiser_atten(numtaps, float(width) * 2 / fs)))
    passes_end = bool(len(edges) % 2) ^ pass_zero
    if passes_end and numtaps % 2 == 0:
        raise ValueError(
            "A filter with an even number of coefficients must have zero response at the Nyquist frequency."
        )
    edges = [*([0.0] if pass_zero else []), *edges, *([1.0] if passes_end else [])]
    bands = list(zip(edges[::2], edges[1::2]))
    k = _ks.arange(numtaps, dtype="float64") - (numtaps - 1) / 2
    h = sum(high * _ks.sinc(high * k) - low * _ks.sinc(low * k) for low, high in bands)
    h = h * _get_window(window, numtaps, fftbins=False)
    if scale:
        low, high = bands[0]
        at = 0.0 if low == 0 else 1.0 if high == 1 else (low + high) / 2
        h = h / (h * _ks.cos(_math.pi * k * at)).sum()
    return h


_functions = _plain(globals(), {
    "order_filter": (lambda a, domain, rank: _ndimage.rank_filter(a, rank, footprint=domain, mode="constant"),
        "The element at a place of the sorted ones around each, with zeros beyond the ends."),
    "savgol_coeffs": (_here(_polynomial), "The weights by which a polynomial that fits a window has its value, or a derivative, at a place."),
    "kaiser_atten": (lambda numtaps, width: 2.285 * (numtaps - 1) * _math.pi * width + 7.95,
        "How many decibels down ripples are of so many coefficients beside an edge of a width."),
    "firwin": (_here(_by_window), "The coefficients of a filter by a window: bands pass whose edges are `cutoff`."),
})  # fmt: skip
