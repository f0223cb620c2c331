"""cupyx.scipy.signal: convolutions, filters and waves of arrays, where they lie."""

import functools as _functools
import math as _math

import kasoku as _ks

from .. import ndimage as _ndimage
from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from ....cupy._util import in_face as _in_face
from ...._face.table import plain as _plain
from . import windows
from .windows import get_window


def _operands(in1, in2):
    a, b = _asarray(in1), _asarray(in2)
    if a.ndim != b.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    kind = _ks.result_type(a, b)
    return a.astype(kind, copy=False), b.astype(kind, copy=False)


def _cut(full, a, b, mode, axes=None):
    """Of the whole convolution what the mode keeps."""
    axes = range(a.ndim) if axes is None else axes
    if mode == "full":
        return full
    if mode not in ("same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if mode == "valid" and not (
        all(a.shape[k] >= b.shape[k] for k in axes) or all(a.shape[k] <= b.shape[k] for k in axes)
    ):
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    index = [slice(None)] * a.ndim
    for k in axes:
        n = a.shape[k] if mode == "same" else abs(a.shape[k] - b.shape[k]) + 1
        first = (full.shape[k] - n) // 2
        index[k] = slice(first, first + n)
    return full[tuple(index)]


def _directly(a, b):
    """The whole convolution by sums of windows."""
    if a.ndim == 1:
        return _ks.convolve(a, b)
    if a.size < b.size:
        a, b = b, a
    if any(n < m for n, m in zip(a.shape, b.shape)):
        a = (
            _ks.pad(a, [(0, max(m - n, 0)) for n, m in zip(a.shape, b.shape)]),
            tuple(n + m - 1 for n, m in zip(a.shape, b.shape)),
        )
        a, shape = a
    else:
        shape = tuple(n + m - 1 for n, m in zip(a.shape, b.shape))
    padded = _ks.pad(a, [(m - 1, m - 1) for m in b.shape])
    seen = _ks.lib.stride_tricks.sliding_window_view(padded, b.shape)
    return (seen * _ks.flip(b)).sum(axis=tuple(range(-b.ndim, 0)), dtype=a.dtype)[tuple(map(slice, shape))]


def _by_transforms(a, b, axes):
    shape = [a.shape[k] + b.shape[k] - 1 for k in axes]
    is_complex = a.dtype.kind == "c"
    there, back = (_ks.fft.fftn, _ks.fft.ifftn) if is_complex else (_ks.fft.rfftn, _ks.fft.irfftn)
    return back(there(a, shape, axes) * there(b, shape, axes), shape, axes)


def fftconvolve(in1, in2, mode="full", axes=None):
    """The convolution by Fourier transforms."""
    a, b = _asarray(in1), _asarray(in2)
    if a.ndim == b.ndim == 0:
        return a * b
    a, b = _operands(a, b)
    if not a.size or not b.size:
        return _ks.empty(0, device=a.device)
    axes = list(range(a.ndim)) if axes is None else [k % a.ndim for k in ([axes] if _ks.isscalar(axes) else axes)]
    if any(a.shape[k] != b.shape[k] and 1 not in (a.shape[k], b.shape[k]) for k in range(a.ndim) if k not in axes):
        raise ValueError(f"incompatible shapes for in1 and in2: {a.shape} and {b.shape}")
    kind = a.dtype if a.dtype.kind in "fc" and a.dtype != "float16" else _ks.dtype("float64")
    return _cut(_by_transforms(a.astype(kind, copy=False), b.astype(kind, copy=False), axes), a, b, mode, axes)


def choose_conv_method(in1, in2, mode="full", measure=False):
    """Which way convolve() goes: "direct" of integers and where one operand is small, else "fft"."""
    a, b = _asarray(in1), _asarray(in2)
    return "direct" if a.dtype.kind in "iub" and b.dtype.kind in "iub" or min(a.size, b.size) <= 128 else "fft"


def convolve(in1, in2, mode="full", method="auto"):
    """The convolution: sums of products of one operand and the other one turned."""
    a, b = _asarray(in1), _asarray(in2)
    if a.ndim == b.ndim == 0:
        return a * b
    a, b = _operands(a, b)
    if not a.size or not b.size:
        return _ks.empty(0, a.dtype, a.device)
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    if (choose_conv_method(a, b) if method == "auto" else method) == "direct":
        return _cut(_directly(a, b), a, b, mode)
    result = fftconvolve(a, b, mode)
    return (_ks.rint(result) if a.dtype.kind in "iub" else result).astype(a.dtype, copy=False)


def correlate(in1, in2, mode="full", method="auto"):
    """The correlation: sums of products of one operand and the conjugates of the other one, moved."""
    return convolve(in1, _ks.conjugate(_ks.flip(_asarray(in2))), mode, method)


def correlation_lags(in1_len, in2_len, mode="full"):
    """By how many places the second operand is moved in each element of correlate()."""
    lags = _ks.arange(-in2_len + 1, in1_len)
    like = [_ks.empty(n, "int8") for n in (in1_len, in2_len)]
    if mode == "same":
        first = lags.size // 2 - in1_len // 2
        return lags[first : first + in1_len]
    return (
        _cut(lags, *like, mode)
        if mode != "valid"
        else (_ks.arange(in1_len - in2_len + 1) if in1_len >= in2_len else _ks.arange(in1_len - in2_len, 1))
    )


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two matrices, with what stands beyond the ends of the first: a value, or the matrix again."""
    a, b = _operands(in1, in2)
    if a.ndim != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    ends = {
        "fill": "constant",
        "pad": "constant",
        "wrap": "wrap",
        "circular": "wrap",
        "symm": "symmetric",
        "symmetric": "symmetric",
    }
    if boundary not in ends:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    if mode == "valid" and all(n <= m for n, m in zip(a.shape, b.shape)):
        a, b = b, a
    more = {"constant_values": fillvalue} if ends[boundary] == "constant" else {}
    padded = _ks.pad(a, [(m - 1, m - 1) for m in b.shape], ends[boundary], **more)
    seen = _ks.lib.stride_tricks.sliding_window_view(padded, b.shape)
    return _cut((seen * _ks.flip(b)).sum(axis=(-2, -1), dtype=a.dtype), a, b, mode)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The correlation of two matrices, with what stands beyond the ends of the first."""
    a, b = _asarray(in1), _ks.conjugate(_ks.flip(_asarray(in2)))
    if mode != "same":
        return convolve2d(a, b, mode, boundary, fillvalue)
    # The middle of a window of an even length is the place behind that of a convolution.
    full = convolve2d(a, b, "full", boundary, fillvalue)
    return full[tuple(slice(m // 2, m // 2 + n) for n, m in zip(a.shape, b.shape))]


def order_filter(a, domain, rank):
    """The element at a place of the sorted ones around each, with zeros beyond the ends."""
    return _ndimage.rank_filter(a, rank, footprint=domain, mode="constant")


def _odd(size, ndim):
    sizes = [size] * ndim if _ks.isscalar(size) else list(size)
    if any(n % 2 != 1 for n in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    return sizes


def medfilt(volume, kernel_size=3):
    """The median around each element, with zeros beyond the ends."""
    volume = _ks.atleast_1d(_asarray(volume))
    return _ndimage.median_filter(volume, _odd(3 if kernel_size is None else kernel_size, volume.ndim), mode="constant")


def medfilt2d(input, kernel_size=3):
    """The median around each element of a matrix, with zeros beyond the ends."""
    if _asarray(input).ndim != 2:
        raise ValueError(
            "object too deep for desired array"
            if _asarray(input).ndim > 2
            else "object of too small depth for desired array"
        )
    return medfilt(input, kernel_size)


def wiener(im, mysize=None, noise=None):
    """Wiener's filter: elements go to the mean around them where they vary no more than the noise."""
    im = _asarray(im)
    sizes = [
        3 if mysize is None else n for n in ([mysize] * im.ndim if mysize is None or _ks.isscalar(mysize) else mysize)
    ]
    wide = im if im.dtype.kind == "c" else im.astype("float64")
    ones, count = _ks.ones(sizes, wide.dtype, device=im.device), _math.prod(sizes)
    mean = correlate(wide, ones, "same", "direct") / count
    var = correlate(abs(wide) ** 2, ones, "same", "direct") / count - abs(mean) ** 2
    noise = var.mean() if noise is None else noise
    return _ks.where(var < noise, mean, (wide - mean) * (1 - noise / var) + mean)


@_functools.cache
def _recursion(kind, device):
    text = """
      for (long long k = 0; k < n; k++) {
        const T given = x[i * n + k], out = b[0] * given + (order ? z[i * order] : T(0));
        for (int j = 1; j < order; j++) z[i * order + j - 1] = z[i * order + j] + b[j] * given - a[j] * out;
        if (order) z[i * order + order - 1] = b[order] * given - a[order] * out;
        y[i * n + k] = out;
      }"""
    return _ks.ElementwiseKernel(
        "raw T b, raw T a, raw T x, int64 n, int32 order", "raw T z, raw T y", text, "recursive_filter", device=device
    )


def lfilter(b, a, x, axis=-1, zi=None):
    """What a recursive filter gives: a[0] y[n] = b[0] x[n] + b[1] x[n-1] + … - a[1] y[n-1] - …; a thread filters a row."""
    b, a, x = _ks.atleast_1d(_asarray(b)), _ks.atleast_1d(_asarray(a)), _asarray(x)
    kind = _ks.result_type(b, a, x, "float32", *(() if zi is None else (_asarray(zi),)))
    order = max(a.size, b.size) - 1
    b, a = (_ks.pad(c.astype(kind) / a[0].astype(kind), (0, order + 1 - c.size)) for c in (b, a))
    x = _ks.moveaxis(x.astype(kind), axis, -1)
    rows, n = x.shape[:-1], x.shape[-1]
    z = _ks.zeros((*rows, order), kind, device=x.device)
    if zi is not None:
        z[...] = _ks.moveaxis(_asarray(zi).astype(kind), axis, -1)
    y = _ks.empty(x.shape, kind, device=x.device)
    if y.size:
        z = z if z.size else _ks.zeros(1, kind, device=x.device)
        _recursion(kind, x.device)(b, a, _ks.ascontiguousarray(x), n, order, z, y, size=y.size // n)
    y = _ks.moveaxis(y, -1, axis)
    return y if zi is None else (y, _ks.moveaxis(z, -1, axis))


def lfilter_zi(b, a):
    """The state of a recursive filter that a constant 1 leaves as it is."""
    b, a = (_ks.atleast_1d(_asarray(c)).astype("float64") for c in (b, a))
    n = max(a.size, b.size)
    b, a = (_ks.pad(c / a[0], (0, n - c.size)) for c in (b, a))
    moved = _ks.eye(n - 1, device=b.device) - _ks.eye(n - 1, k=1, device=b.device)
    moved[:, 0] += a[1:]
    return _ks.linalg.solve(moved, b[1:] - a[1:] * b[0])


def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """A recursive filter there and back, so that nothing is moved in time."""
    if method != "pad":
        raise NotImplementedError(f"cupyx.scipy.signal.filtfilt is here by the method 'pad', not {method!r}")
    b, a, x = _ks.atleast_1d(_asarray(b)), _ks.atleast_1d(_asarray(a)), _ks.moveaxis(_asarray(x), axis, -1)
    if padtype not in ("odd", "even", "constant", None):
        raise ValueError(
            f"Unknown value {padtype!r} given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    edge = 0 if padtype is None else 3 * max(a.size, b.size) if padlen is None else padlen
    if x.shape[-1] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    before, after = _ks.flip(x[..., 1 : edge + 1], -1), _ks.flip(x[..., x.shape[-1] - edge - 1 : -1], -1)
    if padtype == "odd":
        before, after = 2 * x[..., :1] - before, 2 * x[..., -1:] - after
    elif padtype == "constant":
        before, after = (_ks.broadcast_to(end, before.shape) for end in (x[..., :1], x[..., -1:]))
    y = _ks.concatenate((before, x, after), -1) if edge else x
    state = lfilter_zi(b, a)
    for _ in range(2):
        y = _ks.flip(lfilter(b, a, y, zi=state * y[..., :1])[0], -1)
    return _ks.moveaxis(y[..., edge : edge + x.shape[-1]], -1, axis)


def sosfilt(sos, x, axis=-1, zi=None):
    """Recursive filters of second order, one after the other."""
    sos, x = _asarray(sos), _asarray(x)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    states = []
    for k in range(sos.shape[0]):
        done = lfilter(sos[k, :3], sos[k, 3:], x, axis, None if zi is None else _asarray(zi)[k])
        x, state = (done, None) if zi is None else done
        states.append(state)
    return x if zi is None else (x, _ks.stack(states))


def freqz(b, a=1, worN=512, whole=False, fs=2 * _math.pi, include_nyquist=False):
    """The frequencies, and what a recursive filter makes of them."""
    b, a = (_ks.atleast_1d(_asarray(c)) for c in (b, a))
    last = 2 * _math.pi if whole else _math.pi
    if _ks.isscalar(worN) or worN is None:
        w = _ks.linspace(
            0, last, 512 if worN is None else int(worN), endpoint=include_nyquist and not whole, device=b.device
        )
    else:
        w = _asarray(worN) * (2 * _math.pi / fs)
    z = _ks.cos(w) - 1j * _ks.sin(w)
    return w * (fs / (2 * _math.pi)), _ks.polyval(_ks.flip(b), z) / _ks.polyval(_ks.flip(a), z)


def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """As many elements in the same time, by Fourier transforms."""
    if window is not None or domain != "time":
        raise NotImplementedError("cupyx.scipy.signal.resample is here without a window, of the domain 'time'")
    x = _ks.moveaxis(_asarray(x), axis, -1)
    n, is_complex = x.shape[-1], x.dtype.kind == "c"
    least = min(n, num)
    half = least // 2
    there = _ks.fft.fft(x) if is_complex else _ks.fft.rfft(x)
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


def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    """The weights by which a polynomial that fits a window has its value, or a derivative, at a place."""
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
    x = x if x.dtype in ("float32", "float64") else x.astype("float64")
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    n, half = x.shape[axis], window_length // 2
    if mode != "interp":
        return _ndimage.convolve1d(x, savgol_coeffs(window_length, polyorder, deriv, delta), axis, mode=mode, cval=cval)
    if window_length > n:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    y = _ndimage.convolve1d(x, savgol_coeffs(window_length, polyorder, deriv, delta), axis, mode="constant")
    y, x = _ks.moveaxis(y, axis, -1), _ks.moveaxis(x, axis, -1)
    for first, places in ((0, range(half)), (n - window_length, range(window_length - half, window_length))):
        if half:
            weights = _ks.stack([savgol_coeffs(window_length, polyorder, deriv, delta, k, "dot") for k in places])
            ends = x[..., first : first + window_length].astype("float64") @ weights.T
            y[..., first + places[0] : first + places[-1] + 1] = ends.astype(y.dtype)
    return _ks.moveaxis(y, -1, axis)


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


def hilbert(x, N=None, axis=-1):
    """The analytic signal, whose imaginary part is the Hilbert transform."""
    x = _asarray(x)
    if x.dtype.kind == "c":
        raise ValueError("x must be real.")
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    k = _ks.arange(n, device=x.device)
    once = (k == 0) | (2 * k == n)
    weights = _ks.where(once, 1, _ks.where(2 * k < n, 2, 0)).astype(x.dtype if x.dtype.kind == "f" else "float64")
    return _ks.moveaxis(_ks.fft.ifft(_ks.moveaxis(_ks.fft.fft(x, n, axis), axis, -1) * weights), -1, axis)


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """Without its mean, or without the lines that fit it between breaks."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    data = _asarray(data)
    data = data if data.dtype.kind in "fc" else data.astype("float64")
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
    return _ks.moveaxis(_ks.concatenate(parts, -1), -1, axis)


def firwin(numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=2):
    """The coefficients of a filter by a window: bands pass whose edges are `cutoff`."""
    edges = [float(c) * 2 / fs for c in ([cutoff] if _ks.isscalar(cutoff) else cutoff)]
    if not edges or min(edges) <= 0 or max(edges) >= 1:
        raise ValueError("Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2.")
    if any(y <= x for x, y in zip(edges, edges[1:])):
        raise ValueError("Invalid cutoff frequencies: the frequencies must be strictly increasing.")
    if isinstance(pass_zero, str):
        pass_zero = {"bandstop": True, "lowpass": True, "bandpass": False, "highpass": False}[pass_zero]
    if width is not None:
        ripple = 2.285 * (numtaps - 1) * _math.pi * float(width) * 2 / fs + 7.95
        beta = (
            0.1102 * (ripple - 8.7)
            if ripple > 50
            else 0.5842 * (ripple - 21) ** 0.4 + 0.07886 * (ripple - 21)
            if ripple > 21
            else 0.0
        )
        window = ("kaiser", beta)
    passes_end = bool(len(edges) % 2) ^ bool(pass_zero)
    if passes_end and numtaps % 2 == 0:
        raise ValueError(
            "A filter with an even number of coefficients must have zero response at the Nyquist frequency."
        )
    edges = [*([0.0] if pass_zero else []), *edges, *([1.0] if passes_end else [])]
    bands = list(zip(edges[::2], edges[1::2]))
    k = _ks.arange(numtaps, dtype="float64") - (numtaps - 1) / 2
    h = sum(high * _ks.sinc(high * k) - low * _ks.sinc(low * k) for low, high in bands) * get_window(
        window, numtaps, fftbins=False
    )
    if scale:
        low, high = bands[0]
        at = 0.0 if low == 0 else 1.0 if high == 1 else (low + high) / 2
        h = h / (h * _ks.cos(_math.pi * k * at)).sum()
    return h


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
    made[(0,) * made.ndim if idx is None else middle if isinstance(idx, str) else idx] = 1
    return made


_plain(globals(), {
    "argrelmax": (lambda data, axis=0, order=1, mode="clip": argrelextrema(data, _ks.greater, axis, order, mode), "Where elements are greater than so many on both sides."),
    "argrelmin": (lambda data, axis=0, order=1, mode="clip": argrelextrema(data, _ks.less, axis, order, mode), "Where elements are less than so many on both sides."),
    "chirp": (_chirp, "A cosine whose frequency goes from f0 to f1 in the time t1."),
    "oaconvolve": (lambda in1, in2, mode="full", axes=None: fftconvolve(in1, in2, mode, axes), "The convolution, as fftconvolve() has it."),
    "sawtooth": (_sawtooth, "Lines from -1 to 1 and back, with the period 2 pi."),
    "square": (_square, "1 and -1 in turn, with the period 2 pi."),
    "unit_impulse": (_here(_unit_impulse), "Zeros with a 1 at a place."),
})  # fmt: skip
firwin, correlation_lags, savgol_coeffs = _here(firwin), _here(correlation_lags), _here(savgol_coeffs)
_in_face(globals())
