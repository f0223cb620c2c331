"""Windows of signals: rows of M float64, which lie on the default device. F. J. Harris, "On the use of windows for harmonic
analysis with the discrete Fourier transform" (1978) compares them."""

import numpy as np

from .. import _core
from .given import Array
from .elementwise import i0


def _places(M):
    return _core.arange(1 - M, M, 2, dtype="float64")


def _window(M, f):
    if type(M) is np.longdouble:
        raise NotImplementedError("windows of 80 bits are NumPy's")
    M = M if type(M) is int else float(M)  # 1 - M of an unsigned number is none below 0
    if M < 1:
        return _core.empty(0)
    if M == 1:
        return _core.ones(1)
    return f(_places(M), M - 1)


def bartlett(M) -> Array:
    """A triangle of M numbers (float64) that is 0 at both ends.

    >>> ks.bartlett(3)
    array([0., 1., 0.])
    """
    return _window(M, lambda n, last: _core.where(n <= 0, 1 + n / last, 1 - n / last))


def hanning(M) -> Array:
    """A raised cosine of M numbers (float64) that is 0 at both ends, von Hann's window.

    >>> ks.hanning(3)
    array([0., 1., 0.])
    """
    return _window(M, lambda n, last: 0.5 + 0.5 * _core.cos(np.pi * n / last))


def hamming(M) -> Array:
    """A raised cosine of M numbers (float64) that is 0.08 at both ends: 0.54 - 0.46 cos(2 pi n / (M - 1)).

    >>> ks.hamming(3)
    array([0.08, 1.  , 0.08])
    """
    return _window(M, lambda n, last: 0.54 + 0.46 * _core.cos(np.pi * n / last))


def blackman(M) -> Array:
    """A sum of three cosines, of M numbers (float64), near 0 at both ends: 0.42 - 0.5 cos(t) + 0.08 cos(2 t).

    >>> ks.blackman(3).round(3)
    array([-0.,  1., -0.])
    """
    return _window(
        M, lambda n, last: 0.42 + 0.5 * _core.cos(np.pi * n / last) + 0.08 * _core.cos(2.0 * np.pi * n / last)
    )


def kaiser(M, beta) -> Array:
    """A window of Kaiser's, of M numbers (float64): i0(beta * sqrt(1 - u * u)) / i0(beta) for u from -1 to 1.

    `beta` says how narrow it is: 0 is a rectangle, 5 is like hamming(), 8.6 like blackman().

    >>> ks.kaiser(3, 0.0)
    array([1., 1., 1.])
    """
    return _window(M, lambda n, last: i0(beta * _core.sqrt(_core.maximum(1 - (n / last) ** 2, 0.0))) / i0(float(beta)))
