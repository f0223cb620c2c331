"""What kasoku/fft.py shows."""

import kasoku._core


def fft(a: object, n: object | None = None, axis: int = -1, norm: object | None = None, out: object | None = None) -> object:
    """The discrete Fourier transform along one axis."""

def ifft(a: object, n: object | None = None, axis: int = -1, norm: object | None = None, out: object | None = None) -> object:
    """The inverse of fft."""

def rfft(a: object, n: object | None = None, axis: int = -1, norm: object | None = None, out: object | None = None) -> object:
    """
    The transform of real numbers: n // 2 + 1 elements, from which the others follow.
    """

def irfft(a: object, n: object | None = None, axis: int = -1, norm: object | None = None, out: object | None = None) -> object:
    """
    The inverse of rfft: n real numbers, 2 (m - 1) of m where n is not given.
    """

def fft2(a: object, s: object | None = None, axes: object = (-2, -1), norm: object | None = None, out: object | None = None) -> object:
    """The discrete Fourier transform along two axes."""

def ifft2(a: object, s: object | None = None, axes: object = (-2, -1), norm: object | None = None, out: object | None = None) -> object:
    """The inverse of fft2."""

def rfft2(a: object, s: object | None = None, axes: object = (-2, -1), norm: object | None = None, out: object | None = None) -> object:
    """The transform of real numbers along two axes."""

def irfft2(a: object, s: object | None = None, axes: object = (-2, -1), norm: object | None = None, out: object | None = None) -> object:
    """The inverse of rfft2."""

def fftn(a: object, s: object | None = None, axes: object | None = None, norm: object | None = None, out: object | None = None) -> object:
    """The discrete Fourier transform along several axes, or all."""

def ifftn(a: object, s: object | None = None, axes: object | None = None, norm: object | None = None, out: object | None = None) -> object:
    """The inverse of fftn."""

def rfftn(a: object, s: object | None = None, axes: object | None = None, norm: object | None = None, out: object | None = None) -> object:
    """The transform of real numbers along several axes, or all."""

def irfftn(a: object, s: object | None = None, axes: object | None = None, norm: object | None = None, out: object | None = None) -> object:
    """The inverse of rfftn."""

def hfft(a: object, n: object | None = None, axis: int = -1, norm: object | None = None, out: object | None = None) -> object:
    """
    The transform of what is the conjugate of itself turned round, given by its first half: real numbers.
    """

def ihfft(a: object, n: object | None = None, axis: int = -1, norm: object | None = None, out: object | None = None) -> object:
    """The inverse of hfft."""

def fftfreq(n: int, d: float = 1.0, device: object | None = None) -> kasoku._core.Array:
    """
    The frequencies of fft's elements, in their order, in cycles per unit of the spacing d.
    """

def rfftfreq(n: int, d: float = 1.0, device: object | None = None) -> kasoku._core.Array:
    """The frequencies of rfft's elements, n // 2 + 1 of them."""

def fftshift(x: object, axes: object | None = None) -> kasoku._core.Array:
    """Moves frequency 0 to the middle of the axes."""

def ifftshift(x: object, axes: object | None = None) -> kasoku._core.Array:
    """The inverse of fftshift."""
