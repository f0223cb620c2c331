"""cupyx.scipy.signal.windows: weights that fall off to both ends, on the current device.

A row of the table is a formula of k, which counts the n places from 0, and of what callers give besides.
"""

import functools as _functools
import inspect as _inspect
import math as _math

import kasoku as _ks

from ....cupy._table import _here
from ...._face.table import plain as _plain


def _window(of):
    """The window of a formula; without `sym` the last place of one more is left out."""
    M, sym = _inspect.signature(lambda M, sym=True: None).parameters.values()
    shown = _inspect.Signature([M, *[*_inspect.signature(of).parameters.values()][2:], sym])

    def window(*args, **kwargs):
        given = shown.bind(*args, **kwargs)
        given.apply_defaults()
        M, *others, sym = given.args
        if M != int(M) or M < 0:
            raise ValueError("Window length M must be a non-negative integer")
        if of is _exponential and sym and others[0] is not None:
            raise ValueError("If sym==True, center must be None.")
        if of is _kaiser_bessel_derived and not sym:
            raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
        if M <= 1:
            return _ks.ones(int(M))
        n = int(M) + (not sym)
        return of(_ks.arange(n, dtype="float64"), n, *others)[: int(M)]

    window.__signature__ = shown
    return _here(window)


def _cosines(k, n, a):
    turn = 2 * _math.pi * (k / (n - 1)) - _math.pi
    return sum(c * _ks.cos(i * turn) for i, c in enumerate(a[1:], 1)) + a[0]


def _centred(k, n):
    return k - (n - 1) / 2


def _bohman(k, n):
    x = abs(2 * k / (n - 1) - 1)
    w = (1 - x) * _ks.cos(_math.pi * x) + _ks.sin(_math.pi * x) / _math.pi
    return _ks.where((k == 0) | (k == n - 1), 0, w)


def _parzen(k, n):
    x = abs(_centred(k, n)) / (n / 2)
    return _ks.where(abs(_centred(k, n)) <= (n - 1) / 4, 1 - 6 * x**2 * (1 - x), 2 * (1 - x) ** 3)


def _tukey(k, n, alpha=0.5):
    if alpha <= 0:
        return _ks.ones(n)
    edge = alpha * (n - 1) / 2
    x = _ks.minimum(k, n - 1 - k)
    w = 0.5 * (1 + _ks.cos(_math.pi * (x / edge - 1)))
    return _ks.where(x < (int(edge) + 1 if alpha < 1 else n), w, 1)


def _exponential(k, n, center=None, tau=1.0):
    return _ks.exp(-abs(k - ((n - 1) / 2 if center is None else center)) / tau)


def _chebwin(k, n, at):
    """The transform of a Chebyshev polynomial, all of whose side lobes are `at` decibels below the main one."""
    order = n - 1
    x = _math.cosh(_math.acosh(10 ** (abs(at) / 20)) / order) * _ks.cos(_math.pi * k / n)
    beyond = _ks.cosh(order * _ks.arccosh(_ks.maximum(abs(x), 1)))
    p = _ks.where(
        x > 1, beyond, _ks.where(x < -1, (2 * (n % 2) - 1) * beyond, _ks.cos(order * _ks.arccos(_ks.clip(x, -1, 1))))
    )
    if n % 2 == 0:  # half a place further
        p = p * (_ks.cos(_math.pi / n * k) + 1j * _ks.sin(_math.pi / n * k))
    half = _ks.fft.fft(p).real[: n // 2 + 1]
    w = _ks.concatenate((_ks.flip(half[1:]), half[n % 2 == 0 :]))
    return w / w.max()


def _kaiser(k, n, beta):
    return _ks.i0(beta * _ks.sqrt(1 - (_centred(k, n) / ((n - 1) / 2)) ** 2)) / _ks.i0(beta)


def _kaiser_bessel_derived(k, n, beta):
    """Roots of the sums of Kaiser's window up to each place of the first half, and the same back."""
    if n % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    half = n // 2 + 1
    sums = _ks.cumsum(_kaiser(_ks.arange(half, dtype="float64"), half, beta))
    rise = _ks.sqrt(sums[:-1] / sums[-1])
    return _ks.concatenate((rise, _ks.flip(rise)))


def _taylor(k, n, nbar=4, sll=30, norm=True):
    """A constant and nbar - 1 cosines, for side lobes that begin `sll` decibels below the main one."""
    a2 = (_math.acosh(10 ** (sll / 20)) / _math.pi) ** 2
    s2 = nbar**2 / (a2 + (nbar - 0.5) ** 2)
    shares = []
    for m in range(1, nbar):
        over = _math.prod(1 - m**2 / s2 / (a2 + (i - 0.5) ** 2) for i in range(1, nbar))
        under = 2 * _math.prod(1 - m**2 / i**2 for i in range(1, nbar) if i != m)
        shares.append((-1) ** (m + 1) * over / under)
    w = 1 + 2 * sum(f * _ks.cos(2 * _math.pi * m * _centred(k, n) / n) for m, f in enumerate(shares, 1))
    return w / (1 + 2 * sum(shares)) if norm else w


_sums = {
    "blackman": (0.42, 0.50, 0.08), "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168), "hamming": (0.54, 0.46), "hann": (0.5, 0.5),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
}  # fmt: skip
_of = _plain(globals(), {name: (_window(of), said) for name, (of, said) in {
    **{name: (_functools.partial(lambda a, k, n: _cosines(k, n, a), a), "A sum of cosines.") for name, a in _sums.items()},
    "barthann": (lambda k, n: 0.62 - 0.48 * abs(k / (n - 1) - 0.5) + 0.38 * _ks.cos(2 * _math.pi * (k / (n - 1) - 0.5)), "A triangle and a cosine."),
    "bartlett": (lambda k, n: 1 - abs(2 * k / (n - 1) - 1), "A triangle that is 0 at both ends."),
    "bohman": (_bohman, "A cosine times itself, moved."),
    "boxcar": (lambda k, n: _ks.ones(n), "Ones."),
    "chebwin": (_chebwin, "Dolph's and Chebyshev's window: side lobes of one height."),
    "cosine": (lambda k, n: _ks.sin(_math.pi / n * (k + 0.5)), "Half a wave."),
    "exponential": (_exponential, "Powers of e."),
    "gaussian": (lambda k, n, std: _ks.exp(-0.5 * (_centred(k, n) / std) ** 2), "A bell."),
    "general_cosine": (_cosines, "A sum of cosines with the coefficients `a`."),
    "general_gaussian": (lambda k, n, p, sig: _ks.exp(-0.5 * abs(_centred(k, n) / sig) ** (2 * p)), "A bell of another power."),
    "general_hamming": (lambda k, n, alpha: _cosines(k, n, (alpha, 1 - alpha)), "A cosine above a plateau."),
    "kaiser": (_kaiser, "Kaiser's window, of Bessel functions."),
    "kaiser_bessel_derived": (_kaiser_bessel_derived, "A window whose squares and those half a length further add up to one."),
    "lanczos": (lambda k, n: _ks.sinc(2 * k / (n - 1) - 1), "The middle of sin(x) / x."),
    "parzen": (_parzen, "Four boxes, each smoothed by the next."),
    "taylor": (_taylor, "Taylor's window: side lobes of one height near the main one."),
    "triang": (lambda k, n: 1 - abs(_centred(k, n)) * 2 / (n + n % 2), "A triangle that is 0 beyond both ends."),
    "tukey": (_tukey, "Ones between two halves of a cosine."),
}.items()})  # fmt: skip
_other = {"box": "boxcar", "ones": "boxcar", "rect": "boxcar", "rectangular": "boxcar", "hanning": "hann", "gauss": "gaussian", "black": "blackman",
          "blk": "blackman", "hamm": "hamming", "han": "hann", "bart": "bartlett", "tri": "triang", "triangle": "triang", "tuk": "tukey"}  # fmt: skip


def get_window(window, Nx, fftbins=True):
    """A window by its name, or a tuple of its name and parameters; a number is Kaiser's beta. Periodic if `fftbins`."""
    name, *parameters = window if isinstance(window, tuple) else (window,)
    try:
        if not isinstance(name, str):
            name, parameters = "kaiser", [float(name)]
        return _of[_other.get(name, name)](Nx, *parameters, sym=not fftbins)
    except KeyError:
        raise ValueError(f"Unknown window type: {name!r}") from None
    except TypeError as error:  # a parameter is missing, or what was given names no window
        raise ValueError(f"{window!r} is no window: {error}") from None
