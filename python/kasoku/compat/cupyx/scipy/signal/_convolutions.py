"""Convolutions and correlations: sums of windows, or products of Fourier transforms."""

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here
from ...._face.table import plain as _plain


def _operands(in1, in2):
    a, b = _asarray(in1), _asarray(in2)
    if a.ndim != b.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    kind = _ks.result_type(a, b)
    return a.astype(kind, copy=False), b.astype(kind, copy=False)


def _cut(full, a, b, mode, axes=None):
    """The part of the whole convolution that the mode keeps."""
    axes = range(a.ndim) if axes is None or mode == "same" else axes
    if mode == "full":
        return full
    if mode not in ("same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if mode == "valid" and len({a.shape[k] > b.shape[k] for k in axes if a.shape[k] != b.shape[k]}) > 1:
        raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")
    index = [slice(None)] * a.ndim
    for k in axes:
        n = a.shape[k] if mode == "same" else abs(a.shape[k] - b.shape[k]) + 1
        first = (full.shape[k] - n) // 2
        index[k] = slice(first, first + n)
    return _ks.ascontiguousarray(full[tuple(index)])


def _directly(a, b):
    """The whole convolution by sums of windows."""
    if a.ndim == 1:
        return _ks.convolve(a, b)
    if a.size < b.size:
        a, b = b, a
    shape = tuple(n + m - 1 for n, m in zip(a.shape, b.shape))
    if any(n < m for n, m in zip(a.shape, b.shape)):
        a = _ks.pad(a, [(0, max(m - n, 0)) for n, m in zip(a.shape, b.shape)])
    return _summed(a, b, "constant")[tuple(map(slice, shape))]


def _summed(a, b, ends, **more):
    """Sums of windows, with what numpy.pad has by that name beyond the ends of the first."""
    if a.dtype in ("bool", "float16"):
        raise ValueError(f"unsupported type in SciPy: {a.dtype}")
    padded = _ks.pad(a, [(m - 1, m - 1) for m in b.shape], ends, **more)
    seen = _ks.lib.stride_tricks.sliding_window_view(padded, b.shape)
    return (seen * _ks.flip(b)).sum(axis=tuple(range(-b.ndim, 0)), dtype=a.dtype)


# What stands beyond the ends, by SciPy's names and numpy.pad's.
_ends = {"fill": "constant", "pad": "constant", "circular": "wrap", "wrap": "wrap",
         "symmetric": "symmetric", "symm": "symmetric"}  # fmt: skip


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
    kind = _ks.promote_types(a.dtype, "float32") if a.dtype.kind in "fc" else _ks.dtype("float64")
    return _cut(_by_transforms(a.astype(kind, copy=False), b.astype(kind, copy=False), axes), a, b, mode, axes)


def choose_conv_method(in1, in2, mode="full", measure=False):
    """Which way convolve() goes: "direct" of integers and where one operand is small, else "fft"."""
    a, b = _asarray(in1), _asarray(in2)
    if a.ndim != b.ndim:
        raise NotImplementedError("in1 and in2 should have the same dimensionality")
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


def _mirrored(in2):
    turned = _ks.flip(_asarray(in2))
    return _ks.conjugate(turned) if turned.dtype.kind == "c" else turned


def _lags(in1_len, in2_len, mode="full"):
    lags = _ks.arange(-in2_len + 1, in1_len)
    if mode == "same":
        first = lags.size // 2 - in1_len // 2
        return lags[first : first + in1_len]
    if mode == "valid":
        return _ks.arange(in1_len - in2_len + 1) if in1_len >= in2_len else _ks.arange(in1_len - in2_len, 1)
    return _cut(lags, None, None, mode, ())


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two matrices, with what stands beyond the ends of the first: a value, or the matrix again."""
    a, b = _operands(in1, in2)
    if a.ndim != 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    if boundary not in _ends:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    if mode == "valid" and all(n <= m for n, m in zip(a.shape, b.shape)):
        a, b = b, a
    more = {"constant_values": fillvalue} if _ends[boundary] == "constant" else {}
    return _cut(_summed(a, b, _ends[boundary], **more), a, b, mode)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The correlation of two matrices, with what stands beyond the ends of the first."""
    a, b = _asarray(in1), _mirrored(in2)
    if mode != "same":
        return convolve2d(a, b, mode, boundary, fillvalue)
    # The middle of a window of an even length is the place behind that of a convolution.
    full = convolve2d(a, b, "full", boundary, fillvalue)
    return _ks.ascontiguousarray(full[tuple(slice(m // 2, m // 2 + n) for n, m in zip(a.shape, b.shape))])


_plain(globals(), {
    "correlate": (lambda in1, in2, mode="full", method="auto": convolve(in1, _mirrored(in2), mode, method),
        "The correlation: sums of products of one operand and the conjugates of the other one, moved."),
    "correlation_lags": (_here(_lags), "By how many places the second operand is moved in each element of correlate()."),
    "oaconvolve": (lambda in1, in2, mode="full", axes=None: fftconvolve(in1, in2, mode, axes), "The convolution, as fftconvolve() has it."),
})  # fmt: skip
