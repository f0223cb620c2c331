"""cupyx.scipy.signal.windows: weights that fall off to both ends, on the current device."""

import math as _math

import kasoku as _ks

from ....cupy._table import _here
from ....cupy._util import in_face as _in_face
from ...._face.table import plain as _plain


def _window(of):
    """A window by of(place, count, …), where the places are 0 to count - 1; without `sym` the last of one more is left out."""

    def window(M, *args, sym=True):
        if M != int(M) or M < 0:
            raise ValueError("Window length M must be a non-negative integer")
        if M <= 1:
            return _ks.ones(int(M))
        n = int(M) + (not sym)
        return of(_ks.arange(n, dtype="float64"), n, *args)[: int(M)]

    return _here(window)


def _cosines(k, n, a):
    """Sums of cosines with the coefficients `a`."""
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


def _tukey(k, n, alpha):
    if alpha <= 0:
        return _ks.ones(n)
    edge = alpha * (n - 1) / 2
    x = _ks.minimum(k, n - 1 - k)
    w = 0.5 * (1 + _ks.cos(_math.pi * (x / edge - 1)))
    return _ks.where(x < (int(edge) + 1 if alpha < 1 else n), w, 1)


def _exponential(k, n, center, tau):
    return _ks.exp(-abs(k - ((n - 1) / 2 if center is None else center)) / tau)


def _taylorless(name):
    return lambda k, n, beta: _ks.i0(beta * _ks.sqrt(1 - (_centred(k, n) / ((n - 1) / 2)) ** 2)) / _ks.i0(beta)


_of = {name: _window(of) for name, of in {
    "barthann": lambda k, n: 0.62 - 0.48 * abs(k / (n - 1) - 0.5) + 0.38 * _ks.cos(2 * _math.pi * (k / (n - 1) - 0.5)),
    "bartlett": lambda k, n: 1 - abs(2 * k / (n - 1) - 1),
    "bohman": _bohman,
    "boxcar": lambda k, n: _ks.ones(n),
    "cosine": lambda k, n: _ks.sin(_math.pi / n * (k + 0.5)),
    "exponential": _exponential,
    "gaussian": lambda k, n, std: _ks.exp(-0.5 * (_centred(k, n) / std) ** 2),
    "general_cosine": lambda k, n, a: _cosines(k, n, a),
    "general_gaussian": lambda k, n, p, sig: _ks.exp(-0.5 * abs(_centred(k, n) / sig) ** (2 * p)),
    "kaiser": _taylorless("kaiser"),
    "parzen": _parzen,
    "triang": lambda k, n: 1 - abs(_centred(k, n)) * 2 / (n + n % 2 * 1) if n % 2 else 1 - abs(_centred(k, n)) * 2 / n,
    "tukey": _tukey,
}.items()}  # fmt: skip
_sums = {
    "blackman": (0.42, 0.50, 0.08), "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168), "hamming": (0.54, 0.46), "hann": (0.5, 0.5),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
}  # fmt: skip


def _exponentials(M, center=None, tau=1.0, sym=True):
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    return _of["exponential"](M, center, tau, sym=sym)


_plain(globals(), {
    **{name: (lambda M, sym=True, name=name: _of[name](M, sym=sym), f"The window {name}.") for name in "barthann bartlett bohman boxcar cosine parzen triang".split()},
    **{name: (lambda M, sym=True, a=a: _of["general_cosine"](M, a, sym=sym), f"The window {name}, a sum of cosines.") for name, a in _sums.items()},
    "exponential": (_exponentials, "A window that falls by powers of e."),
    "gaussian": (lambda M, std, sym=True: _of["gaussian"](M, std, sym=sym), "A bell."),
    "general_cosine": (lambda M, a, sym=True: _of["general_cosine"](M, a, sym=sym), "A sum of cosines."),
    "general_gaussian": (lambda M, p, sig, sym=True: _of["general_gaussian"](M, p, sig, sym=sym), "A bell of another power."),
    "general_hamming": (lambda M, alpha, sym=True: _of["general_cosine"](M, (alpha, 1 - alpha), sym=sym), "A cosine above a plateau."),
    "kaiser": (lambda M, beta, sym=True: _of["kaiser"](M, beta, sym=sym), "Kaiser's window, of Bessel functions."),
    "tukey": (lambda M, alpha=0.5, sym=True: _of["tukey"](M, alpha, sym=sym), "Ones between two halves of a cosine."),
}, hanning="hann")  # fmt: skip
_other = {"box": "boxcar", "ones": "boxcar", "rect": "boxcar", "rectangular": "boxcar", "hanning": "hann", "gauss": "gaussian", "black": "blackman",
          "blk": "blackman", "hamm": "hamming", "han": "hann", "bart": "bartlett", "tri": "triang", "triangle": "triang", "tuk": "tukey"}  # fmt: skip


def get_window(window, Nx, fftbins=True):
    """A window by its name, or a tuple of its name and parameters; a number is Kaiser's beta. Periodic if `fftbins`."""
    name, *parameters = window if isinstance(window, tuple) else (window,)
    if not isinstance(name, str):
        name, parameters = "kaiser", [float(name)]
    made = globals().get(_other.get(name, name)) if not name.startswith("_") and name != "get_window" else None
    if made is None:
        raise ValueError(f"Unknown window type: {name!r}")
    return made(Nx, *parameters, sym=not fftbins)


_in_face(globals())
del globals()["hanning"]
