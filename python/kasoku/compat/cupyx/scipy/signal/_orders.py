"""How many poles a filter needs for what it shall let pass and stop. A few numbers say it, so the host computes them."""

import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._table import rows_here as _rows_here
from ._designs import _iirfilter
from ._elliptic import _quarter


def _depth(db):
    return 10 ** (0.1 * abs(db)) - 1


def _needed(kind, nat, gpass, gstop):
    """How many poles, not rounded, a low pass of this kind needs to stop from the frequency nat on."""
    share = _depth(gstop) / _depth(gpass)
    if kind == "butter":
        return _math.log10(share) / (2 * _math.log10(nat))
    share = _math.sqrt(share)
    if kind == "cheby":
        return _math.acosh(share) / _math.acosh(nat)
    m, m1 = 1 / nat**2, 1 / share**2
    return _quarter(m) * _quarter(1 - m1, m1) / (_quarter(1 - m, m) * _quarter(m1))


def _of_stop(passb, stopb):
    return abs(stopb * (passb[0] - passb[1]) / (stopb**2 - passb[0] * passb[1])).min()


def _objective(wp, ind, passb, stopb, gpass, gstop, type):
    """How many poles a filter that stops a band needs if the edge `ind` of what passes is wp."""
    kind = {"butter": "butter", "cheby": "cheby", "ellip": "ellip"}.get(type)
    if kind is None:
        raise ValueError(f"Incorrect type: {type}")
    passb, stopb = (_np.array(_rows(b), float) for b in (passb, stopb))
    passb[ind] = float(wp)
    return _needed(kind, _of_stop(passb, stopb), gpass, gstop)


def _rows(x):
    return _np.atleast_1d(x.numpy() if isinstance(x, _ks.Array) else _np.asarray(x, float))


def _least(f, low, high, near=1e-5):
    """Where a function is least between two places: steps by parabolas, or golden sections where these do not help (Brent)."""
    golden, tiny = (3 - _math.sqrt(5)) / 2, _math.sqrt(_np.finfo(float).eps)
    x = second = third = low + golden * (high - low)
    fx = f_second = f_third = f(x)
    step = before = 0.0
    for _ in range(500):
        middle = (low + high) / 2
        close = tiny * abs(x) + near / 3
        if abs(x - middle) <= 2 * close - (high - low) / 2:
            break
        by_parabola = False
        if abs(before) > close:
            r, q = (x - second) * (fx - f_third), (x - third) * (fx - f_second)
            p, q = (x - third) * q - (x - second) * r, 2 * (q - r)
            p, q, last, before = -p if q > 0 else p, abs(q), before, step
            by_parabola = abs(p) < abs(q * last / 2) and q * (low - x) < p < q * (high - x)
            if by_parabola:
                step = p / q
                if x + step - low < 2 * close or high - x - step < 2 * close:
                    step = close if middle >= x else -close
        if not by_parabola:
            before = low - x if x >= middle else high - x
            step = golden * before
        u = x + _math.copysign(max(abs(step), close), step)
        fu = f(u)
        if fu <= fx:
            low, high = (x, high) if u >= x else (low, x)
            third, f_third, second, f_second, x, fx = second, f_second, x, fx, u, fu
            continue
        low, high = (u, high) if u < x else (low, u)
        if fu <= f_second or second == x:
            third, f_third, second, f_second = second, f_second, u, fu
        elif fu <= f_third or third in (x, second):
            third, f_third = u, fu
    return x


def _order(kind, wp, ws, gpass, gstop, analog, fs):
    """The order, the edges that pass, the shape of the band and the frequency that counts, all of a filter of continuous time."""
    if gpass <= 0:
        raise ValueError("gpass should be larger than 0.0")
    if gstop <= 0:
        raise ValueError("gstop should be larger than 0.0")
    if gpass > gstop:
        raise ValueError("gpass should be smaller than gstop")
    wp, ws = _rows(wp).astype(float), _rows(ws).astype(float)
    if wp.shape != ws.shape or wp.ndim != 1 or wp.size > 2:
        raise ValueError("wp and ws must have one or two elements each, and the same number of elements")
    if fs is not None:
        if analog:
            raise ValueError("fs cannot be specified for an analog filter")
        wp, ws = 2 * wp / fs, 2 * ws / fs
    if min(wp.min(), ws.min()) <= 0:
        raise ValueError("Values for wp, ws must be greater than 0")
    if not analog:
        if max(wp.max(), ws.max()) >= 1:
            raise ValueError("Values for wp, ws must be less than 1 (or fs/2)")
        wp, ws = _np.tan(_math.pi * wp / 2), _np.tan(_math.pi * ws / 2)
    if len(wp) == 1:
        band = "lowpass" if wp[0] < ws[0] else "highpass"
        nat = ws[0] / wp[0] if band == "lowpass" else wp[0] / ws[0]
    else:
        band = "bandstop" if wp[0] < ws[0] else "bandpass"
        if band == "bandstop":
            if wp[0] >= ws[0] or ws[1] >= wp[1]:
                raise ValueError("Passband and stopband edges do not enclose one another")
            for ind, ends in ((0, (wp[0], ws[0] - 1e-12)), (1, (ws[1] + 1e-12, wp[1]))):
                wp[ind] = _least(lambda w, ind=ind: _objective(w, ind, wp, ws, gpass, gstop, kind), *ends)
            nat = _of_stop(wp, ws)
        else:
            nat = abs((ws**2 - wp[0] * wp[1]) / (ws * (wp[0] - wp[1]))).min()
    return int(_math.ceil(_needed(kind, nat, gpass, gstop))), wp, ws, band, nat


def _edges(w, analog, fs):
    w = w if analog else 2 / _math.pi * _np.arctan(w)
    w = w if fs is None else w * fs / 2
    return float(w[0]) if len(w) == 1 else _ks.array(w)


def _buttord(wp, ws, gpass, gstop, analog=False, fs=None):
    n, wp, ws, band, nat = _order("butter", wp, ws, gpass, gstop, analog, fs)
    if n == 0:
        n, w0 = 1, 1.0
    else:
        w0 = _depth(gpass) ** (-1 / (2 * n))
    if band == "lowpass":
        w = w0 * wp
    elif band == "highpass":
        w = wp / w0
    elif band == "bandstop":
        width = wp[1] - wp[0]
        root = _math.sqrt(width**2 + 4 * w0**2 * wp[0] * wp[1])
        w = _np.sort(abs(_np.array([width + root, width - root]) / (2 * w0)))
    else:
        at = _np.array([-w0, w0])
        w = _np.sort(abs(-at * (wp[1] - wp[0]) / 2 + _np.sqrt(at**2 / 4 * (wp[1] - wp[0]) ** 2 + wp[0] * wp[1])))
    return n, _edges(w, analog, fs)


def _cheb1ord(wp, ws, gpass, gstop, analog=False, fs=None):
    n, wp, *_ = _order("cheby", wp, ws, gpass, gstop, analog, fs)
    return n, _edges(wp, analog, fs)


def _cheb2ord(wp, ws, gpass, gstop, analog=False, fs=None):
    n, wp, ws, band, _ = _order("cheby", wp, ws, gpass, gstop, analog, fs)
    at = 1 / _math.cosh(_math.acosh(_math.sqrt(_depth(gstop) / _depth(gpass))) / n)
    if band == "lowpass":
        w = wp / at
    elif band == "highpass":
        w = wp * at
    else:
        share = at / 2 if band == "bandstop" else 1 / (2 * at)
        first = share * (wp[0] - wp[1]) + _math.sqrt((share * (wp[1] - wp[0])) ** 2 + wp[0] * wp[1])
        w = _np.array([first, wp[0] * wp[1] / first])
    return n, _edges(w, analog, fs)


def _ellipord(wp, ws, gpass, gstop, analog=False, fs=None):
    n, wp, *_ = _order("ellip", wp, ws, gpass, gstop, analog, fs)
    return n, _edges(wp, analog, fs)


_orders = {"butter": _buttord, "cheby1": _cheb1ord, "cheby2": _cheb2ord, "ellip": _ellipord}


def _iirdesign(wp, ws, gpass, gstop, analog=False, ftype="ellip", output="ba", fs=None):
    find = _orders.get(ftype.lower())
    if find is None:
        raise ValueError(f"Invalid IIR filter type: {ftype}")
    wp, ws = _rows(wp).astype(float), _rows(ws).astype(float)
    if wp.shape != ws.shape or wp.shape not in ((1,), (2,)):
        raise ValueError("wp and ws must have one or two elements each, and the same number of elements")
    if any(len(w) == 2 and w[0] >= w[1] for w in (wp, ws)):
        raise ValueError("Values of wp and ws must rise")
    if len(wp) == 2 and not (ws[0] < wp[0] and wp[1] < ws[1]) and not (wp[0] < ws[0] and ws[1] < wp[1]):
        raise ValueError("Passband must lie strictly inside stopband or vice versa")
    band = ("band" if len(wp) == 2 else "") + ("stop" if len(wp) == 2 and wp[0] < ws[0] else "pass")
    band = band if len(wp) == 2 else "lowpass" if wp[0] < ws[0] else "highpass"
    n, w = find(wp, ws, gpass, gstop, analog, fs)
    return _iirfilter(n, _rows(w), gpass, gstop, band, analog, ftype, output, fs)


_rows_here(globals(), {
    "buttord": (_buttord, "The order and the edges of Butterworth's filter that loses gpass decibels at wp at most, and gstop at ws at least."),
    "cheb1ord": (_cheb1ord, "The order and the edges of Chebyshev's filter for losses at edges."),
    "cheb2ord": (_cheb2ord, "The order and the edges of Chebyshev's inverse filter for losses at edges."),
    "ellipord": (_ellipord, "The order and the edges of the elliptic filter for losses at edges."),
    "iirdesign": (_iirdesign, "The recursive filter of the least order for losses at edges."),
    "band_stop_obj": (_objective, "How many poles, not rounded, a filter that stops a band needs if an edge of what passes is wp."),
})  # fmt: skip
