"""Elliptic filters, and the elliptic functions of a few numbers that they are made of."""

import cmath as _cmath
import math as _math

import numpy as _np


def _mean(a, b):
    """The arithmetic-geometric mean."""
    for _ in range(40):  # it doubles its digits each time; the smallest b has 10 halvings before
        a, b = (a + b) / 2, _math.sqrt(a * b)
    return a


def _quarter(m, rest=None):
    """The complete elliptic integral of the parameter m; `rest`: 1 - m, where that is known better."""
    return _math.pi / 2 / _mean(1.0, _math.sqrt(1 - m if rest is None else rest))


def _jacobi(u, m):
    """sn, cn and dn of the parameter m."""
    a, c, b, steps = 1.0, _math.sqrt(m), _math.sqrt(1 - m), []
    while abs(c) > 1e-16 and len(steps) < 60:
        a, c, b = (a + b) / 2, (a - b) / 2, _math.sqrt(a * b)
        steps.append((a, c))
    angle = 2.0 ** len(steps) * a * u
    for a, c in reversed(steps):
        angle = (angle + _math.asin(c / a * _math.sin(angle))) / 2
    sn = _math.sin(angle)
    return sn, _math.cos(angle), _math.sqrt(1 - m * sn * sn)


def _inverse_sc(w, m):
    """The u whose sn / cn, of the parameter 1 - m, is w: the inverse sn of i w, of the parameter m, is i u."""
    moduli = [_math.sqrt(m)]
    while moduli[-1] > 1e-17 and len(moduli) < 12:
        below = moduli[-1] ** 2 / (1 + _math.sqrt((1 - moduli[-1]) * (1 + moduli[-1]))) ** 2
        moduli.append(below)
    value, quarter = 1j * w, _math.pi / 2
    for k, below in zip(moduli, moduli[1:]):
        value = 2 * value / ((1 + below) * (1 + _cmath.sqrt(1 - (k * value) ** 2)))
        quarter *= 1 + below
    return (quarter * 2 / _math.pi * _cmath.asin(value)).imag


def _degree(n, m1):
    """The parameter m for which K'(m) / K(m) is an n-th of that of m1, by the nome."""
    nome = _math.exp(-_math.pi * _quarter(1 - m1, m1) / _quarter(m1) / n)
    above = sum(nome ** (k * (k + 1)) for k in range(8))
    below = 1 + 2 * sum(nome ** (k * k) for k in range(1, 9))
    return 16 * nome * (above / below) ** 4


def ellipap(N, rp, rs):
    """Zeros, poles and gain of the elliptic low pass of the edge 1."""
    if N == 0:
        return _np.zeros(0), _np.zeros(0), 10 ** (-rp / 20)
    ripple = _math.expm1(0.1 * rp * _math.log(10))
    if N == 1:
        k = _math.sqrt(1 / ripple)
        return _np.zeros(0, complex), -_np.array([k], complex), k
    share = ripple / _math.expm1(0.1 * rs * _math.log(10))
    if share >= 1 or share <= 0:
        raise ValueError("Cannot design a filter with given rp and rs specifications.")
    m = _degree(N, share)
    quarter = _quarter(m)
    parts = _np.array([_jacobi(j * quarter / N, m) for j in range(1 - N % 2, N, 2)])
    s, c, d = parts.T
    z = 1j / (_math.sqrt(m) * s[abs(s) > 2e-16])
    sv, cv, dv = _jacobi(quarter * _inverse_sc(1 / _math.sqrt(ripple), share) / (N * _quarter(share)), 1 - m)
    p = -(c * d * sv * cv + 1j * s * dv) / (1 - (d * sv) ** 2)
    two = p[abs(p.imag) > 2e-16 * _math.sqrt((p * p.conj()).sum().real)] if N % 2 else p
    z, p = _np.concatenate((z, z.conj())), _np.concatenate((p, two.conj()))
    gain = (_np.prod(-p) / _np.prod(-z)).real
    return z, p, gain / (1 if N % 2 else _math.sqrt(1 + ripple))
