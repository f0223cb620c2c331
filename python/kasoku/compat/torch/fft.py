"""torch.fft, computed by NumPy on the host; float32 stays float32."""

import numpy as np

from ._host import on_host


def _transform(name):
    function = getattr(np.fft, name)

    def f(x, n=None, dim=-1, norm=None):
        return on_host(lambda a: function(a, n, dim, norm))(x)

    f.__name__ = name
    return f


def _transform_n(name, dims):
    function = getattr(np.fft, name)

    def f(x, s=None, dim=dims, norm=None):
        return on_host(lambda a: function(a, s, dim, norm))(x)

    f.__name__ = name
    return f


fft, ifft, rfft, irfft, hfft, ihfft = map(_transform, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fft2, ifft2, rfft2, irfft2 = (_transform_n(name, (-2, -1)) for name in ("fft2", "ifft2", "rfft2", "irfft2"))
fftn, ifftn = (_transform_n(name, None) for name in ("fftn", "ifftn"))


def fftshift(x, dim=None):
    return on_host(lambda a: np.fft.fftshift(a, dim))(x)


def ifftshift(x, dim=None):
    return on_host(lambda a: np.fft.ifftshift(a, dim))(x)


def fftfreq(n, d=1.0):
    return on_host(lambda: np.fft.fftfreq(n, d))()


def rfftfreq(n, d=1.0):
    return on_host(lambda: np.fft.rfftfreq(n, d))()
