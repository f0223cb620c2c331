"""cupyx.scipy.fftpack: the engine's transforms with the arguments of SciPy's older module. Of real numbers it gives real
ones: the first value, then real and imaginary parts side by side."""

import kasoku as _ks

from ...cupy._arrays import asarray as _asarray
from ..._face.compositions import paired as _paired
from ..._face.table import each as _each, plain as _plain
from .fft import _must_fit, get_fft_plan  # noqa: F401


def _real(x, n=None, axis=-1, overwrite_x=False, plan=None):
    x = _asarray(x)
    n = x.shape[axis] if n is None else n
    y = _ks.moveaxis(_ks.fft.rfft(x, n, axis), axis, -1)
    parts = _ks.stack((y.real, y.imag), -1).reshape(*y.shape[:-1], -1)
    return _ks.moveaxis(_ks.concatenate((parts[..., :1], parts[..., 2 : n + 1]), -1), -1, axis)


def _inverse(x, n=None, axis=-1, overwrite_x=False, plan=None):
    x = _ks.moveaxis(_asarray(x), axis, -1)
    if x.dtype not in ("float32", "float64"):
        x = x.astype("float32" if x.dtype == "float16" else "float64")
    n = x.shape[-1] if n is None else n
    x = _ks.pad(x[..., :n], [(0, 0)] * (x.ndim - 1) + [(0, max(n - x.shape[-1], 0) + 1 - n % 2)])
    parts = _ks.concatenate((x[..., :1], _ks.zeros_like(x[..., :1]), x[..., 1:]), -1).reshape(*x.shape[:-1], -1, 2)
    return _ks.moveaxis(_ks.fft.irfft(_paired(parts[..., 0], parts[..., 1]), n), -1, axis)


_plain(globals(), {
    "rfft": _real, "irfft": _inverse, **_each(_ks.fft, "fft ifft", lambda of: lambda x, n=None, axis=-1, overwrite_x=False, plan=None: (
        _must_fit(plan, x, n, axis, "C2C") or of(x, n, axis))),
    **_each(_ks.fft, "fft2 ifft2", lambda of: lambda x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None: (
        _must_fit(plan, x, shape, axes, "C2C") or of(x, shape, axes))),
    **_each(_ks.fft, "fftn ifftn", lambda of: lambda x, shape=None, axes=None, overwrite_x=False, plan=None: (
        _must_fit(plan, x, shape, axes, "C2C") or of(x, shape, axes))),
})  # fmt: skip
