"""Discrete Fourier transforms, with NumPy's names and arguments: `ks.fft.fft(x)`.

They are computed where the array lies: by DUCC0 on a CPU, on all cores, and by cuFFT on a GPU. float32 and complex64
stay what they are, all other numbers are computed in float64. A length below 1 is a ValueError.

>>> ks.fft.rfft([1, 0, 0, 0])
array([1.+0.j, 1.+0.j, 1.+0.j])
"""

from ._core import _fft

globals().update((name, value) for name, value in vars(_fft).items() if not name.startswith("_"))

__all__ = sorted(name for name in globals() if not name.startswith("_"))
