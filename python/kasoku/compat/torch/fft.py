"""torch.fft: the engine's, where the tensors lie; float32 gives complex64."""

import kasoku as ks

from . import _types
from ._engine import by_engine
from ._tensor import Tensor
from ._types import as_dtype, engine_device


def _transform(name):
    function = getattr(ks.fft, name)

    @by_engine
    def f(x, n=None, dim=-1, norm=None):
        return function(x, n, dim, norm)

    f.__name__ = name
    return f


def _transform_n(name, dims):
    function = getattr(ks.fft, name)

    @by_engine
    def f(x, s=None, dim=dims, norm=None):
        return function(x, s, dim, norm)

    f.__name__ = name
    return f


fft, ifft, rfft, irfft, hfft, ihfft = map(_transform, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fft2, ifft2, rfft2, irfft2 = (_transform_n(name, (-2, -1)) for name in ("fft2", "ifft2", "rfft2", "irfft2"))
fftn, ifftn, rfftn, irfftn = (_transform_n(name, None) for name in ("fftn", "ifftn", "rfftn", "irfftn"))


def _shift(name):
    function = getattr(ks.fft, name)

    def f(x, dim=None):
        return Tensor(function(x._a, dim))

    f.__name__ = name
    return f


fftshift, ifftshift = _shift("fftshift"), _shift("ifftshift")


def _frequencies(name):
    function = getattr(ks.fft, name)

    def f(n, d=1.0, *, dtype=None, device=None, **ignored):
        kind = _types.default_float if dtype is None else as_dtype(dtype)
        return Tensor(function(n, d, engine_device(device)).astype(kind.numpy))

    f.__name__ = name
    return f


fftfreq, rfftfreq = _frequencies("fftfreq"), _frequencies("rfftfreq")
