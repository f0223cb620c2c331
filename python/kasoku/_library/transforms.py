"""numpy.fft: by the engine alone."""

import numpy as np

from .engine import call


def _complex(a):
    """An array of the complex numbers that a transform gives; a type, never computed."""
    return a * np.complex64(1j) if a.dtype == np.float32 else a * 1j


def _real(a):
    return np.abs(_complex(a))


def fft(a, n=None, axis=-1, norm=None):
    return call("fft", _complex(a), a, n, axis, norm)


def ifft(a, n=None, axis=-1, norm=None):
    return call("ifft", _complex(a), a, n, axis, norm)


def rfft(a, n=None, axis=-1, norm=None):
    return call("rfft", _complex(a), a, n, axis, norm)


def irfft(a, n=None, axis=-1, norm=None):
    return call("irfft", _real(a), a, n, axis, norm)


def fft2(a, s=None, axes=(-2, -1), norm=None):
    return call("fft", _complex(a), a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return call("ifft", _complex(a), a, s, axes, norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return call("rfft", _complex(a), a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return call("irfft", _real(a), a, s, axes, norm)


def fftn(a, s=None, axes=None, norm=None):
    return call("fft", _complex(a), a, s, axes, norm)


def ifftn(a, s=None, axes=None, norm=None):
    return call("ifft", _complex(a), a, s, axes, norm)


def rfftn(a, s=None, axes=None, norm=None):
    return call("rfft", _complex(a), a, s, axes, norm)


def irfftn(a, s=None, axes=None, norm=None):
    return call("irfft", _real(a), a, s, axes, norm)


def ihfft(a, n=None, axis=-1):
    return np.conj(call("rfft", _complex(a), a, n, axis, "forward"))


def fftshift(x, axes=None):
    return call("fftshift", x, x, axes, False)


def ifftshift(x, axes=None):
    return call("fftshift", x, x, axes, True)


def fftfreq(n, d=1.0):
    k = np.arange(n)
    return np.where(k < (n + 1) // 2, k, k - n) / (n * d)


def rfftfreq(n, d=1.0):
    return np.arange(n // 2 + 1) / (n * d)


def hfft(a, n=None, axis=-1):
    return call("irfft", _real(a), np.conj(a), n, axis, "forward")
