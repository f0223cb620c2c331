"""Piecewise polynomials in Bernstein's form, also from derivatives at the breakpoints."""

import math as _math

import numpy as _np

import kasoku as _ks

from ._pieces import PPoly, _along, _floats, _Pieces

__all__ = ["BPoly"]


class BPoly(_Pieces):
    """Polynomials between breakpoints x: `sum(c[a, i] * comb(k, a) * s**a * (1 - s)**(k - a))`, s from 0 at x[i] to 1 at x[i + 1]."""

    def _value(self, v, at, nu):
        c = self._derived(nu)[:, at]
        s = _along((v - self.x[at]) / (self.x[at + 1] - self.x[at]), c[0])
        while c.shape[0] > 1:  # de Casteljau's scheme
            c = c[:-1] * (1 - s) + c[1:] * s
        return c[0]

    @staticmethod
    def _raise_degree(c, d):
        """The same polynomials with d more coefficients."""
        k = c.shape[0] - 1
        if d == 0:
            return c
        rows = [
            sum(
                c[a] * (_math.comb(k, a) * _math.comb(d, j - a) / _math.comb(k + d, j))
                for a in range(max(0, j - d), min(k, j) + 1)
            )
            for j in range(k + d + 1)
        ]
        return _ks.stack(rows)

    def _derived(self, nu):
        c = self.c
        for _ in range(nu):
            k = c.shape[0] - 1
            c = k * _ks.diff(c, axis=0) / _along(_ks.diff(self.x), c[0]) if k else _ks.zeros_like(c)
        return c

    def _integrated(self, c):
        k = c.shape[0]
        whole = _ks.concatenate((_ks.zeros_like(c[:1]), _ks.cumsum(c, axis=0) / k)) * _along(_ks.diff(self.x), c[0])
        before = _ks.cumsum(whole[k], axis=0)
        return whole + _ks.concatenate((_ks.zeros_like(before[:1]), before[:-1]))

    @classmethod
    def from_power_basis(cls, pp, extrapolate=None):
        """The same polynomials in Bernstein's form."""
        if not isinstance(pp, PPoly):
            raise TypeError(f".from_power_basis only accepts PPoly instances. Got {type(pp)} instead.")
        k, steps = pp.c.shape[0] - 1, _along(_ks.diff(pp.x), pp.c[0])
        parts = [pp.c[k - power] * steps**power / _math.comb(k, power) for power in range(k + 1)]
        rows = [sum(_math.comb(j, power) * parts[power] for power in range(j + 1)) for j in range(k + 1)]
        extrapolate = pp.extrapolate if extrapolate is None else extrapolate
        return cls.construct_fast(_ks.stack(rows), pp.x, extrapolate, pp.axis)

    @classmethod
    def from_derivatives(cls, xi, yi, orders=None, extrapolate=None):
        """The polynomials that have values and derivatives yi[i] at the breakpoints xi[i]."""
        xi = _floats(xi)
        if xi.size != len(yi):
            raise ValueError("xi and yi need to have the same length")
        if bool((_ks.diff(xi) <= 0).any()):
            raise ValueError("x coordinates are not in increasing order")
        m, x = xi.size - 1, xi.tolist()
        try:
            most = max(len(yi[i]) + len(yi[i + 1]) for i in range(m))
        except TypeError:
            raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).") from None
        if orders is None or _np.ndim(orders) == 0:
            orders = [None if orders is None else int(orders)] * m
        given = [order for order in orders if order is not None]
        if any(order <= 0 for order in given):
            raise ValueError("Orders must be positive.")
        most, pieces = max([most, *given]), []
        for i, order in enumerate(orders):
            before, behind = yi[i], yi[i + 1]
            n1, n2 = len(before), len(behind)
            if order is not None:
                n1 = min((order + 1) // 2, n1)
                n2 = min(order + 1 - n1, n2)
                n1 = min(order + 1 - n2, n2)
                if n1 + n2 != order + 1 or n1 > len(before) or n2 > len(behind):
                    raise ValueError(
                        f"Point {x[i]:g} has {len(before)} derivatives, point {x[i + 1]:g} has {len(behind)} derivatives, "
                        f"but order {order} requested"
                    )
            c = cls._construct_from_derivatives(x[i], x[i + 1], before[:n1], behind[:n2])
            pieces.append(cls._raise_degree(c, most - c.shape[0]))
        return cls(_ks.stack(pieces, 1), xi, extrapolate)

    @staticmethod
    def _construct_from_derivatives(xa, xb, ya, yb):
        """The coefficients of one piece with derivatives at both ends."""
        ya, yb, width = _floats(ya), _floats(yb), float(xb) - float(xa)
        if ya.shape[1:] != yb.shape[1:]:
            raise ValueError(f"Shapes of ya {ya.shape} and yb {yb.shape} are incompatible")
        n = ya.shape[0] + yb.shape[0]
        part = lambda y, q: y[q] * (width**q / _math.prod(range(n - q, n)))
        first, last = [], []
        for q in range(ya.shape[0]):
            first.append(part(ya, q) - sum((-1) ** (j + q) * _math.comb(q, j) * first[j] for j in range(q)))
        for q in range(yb.shape[0]):  # counted from the end
            known = sum((-1) ** (j + 1) * _math.comb(q, j + 1) * last[q - j - 1] for j in range(q))
            last.append((-1) ** q * part(yb, q) - known)
        return _ks.stack([*first, *last[::-1]])


BPoly._form = BPoly
