"""Partial fractions. A filter is a few numbers, so the host takes it apart and puts it together."""

import numpy as _np

import kasoku as _ks

from ....cupy._table import rows_here as _rows_here
from ._forms import _row

_means = {"max": _np.max, "maximum": _np.max, "min": _np.min, "minimum": _np.min, "avg": _np.mean, "mean": _np.mean}


def _mean_of(rtype):
    if rtype not in _means:
        raise ValueError("`rtype` must be one of {'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}")
    return _means[rtype]


def _met(p, tol, rtype):
    """Roots that are near one another as one, and of how many each is."""
    mean, found, counts, is_free = _mean_of(rtype), [], [], _np.ones(len(p), bool)
    for k in range(len(p)):
        if is_free[k]:
            near = is_free & (abs(p - p[k]) <= tol)
            is_free &= ~near
            found.append(mean(p[near]))
            counts.append(int(near.sum()))
    return _np.array(found), _np.array(counts, int)


def _runs(p, tol, rtype):
    """The same of roots that stand side by side."""
    mean, found, counts, begin = _mean_of(rtype), [], [], 0
    for k in range(1, len(p) + 1):
        if k == len(p) or abs(p[k] - p[begin]) > tol:
            found.append(mean(p[begin:k]))
            counts.append(k - begin)
            begin = k
    return _np.array(found), _np.array(counts, int)


def _product(roots, counts):
    made = _np.array([1])
    for root, count in zip(roots, counts):
        for _ in range(count):
            made = _np.polymul(made, [1, -root])
    return made


def _without(roots, counts, k, count=0):
    """The product of all roots, of which the k-th is there `count` times."""
    return _product(roots, [count if j == k else n for j, n in enumerate(counts)])


def _residues(roots, counts, above):
    """What stands above each power of each root."""
    above, made = above.astype(_np.result_type(roots.dtype, above.dtype, float)), []
    for k, (root, count) in enumerate(zip(roots, counts)):
        below, part, block = _without(roots, counts, k), above, []
        if count == 1:
            block = [_np.polyval(part, root) / _np.polyval(below, root)]
        else:
            factor = _np.array([1, -root])
            rest, last = _np.polydiv(below, factor)
            for _ in range(count):
                part, left = _np.polydiv(part, factor)
                block.insert(0, left[0] / last[0])
                part = _np.polysub(part, block[0] * rest)
        made += block
    return _np.array(made)


def _taken_apart(b, a, tol, rtype, ends):
    """Residues, roots, what is left, and the powers of the roots; `ends`: "f" for powers of s, "b" for those of 1 / z."""
    b, a = (_np.trim_zeros(_np.atleast_1d(_row(c)), ends) for c in (b, a))
    if a.size == 0:
        raise ValueError("Denominator `a` is zero.")
    if a[0] == 0:
        raise ValueError("First coefficient of determinant `a` must be non-zero.")
    poles = _np.roots(a)
    if b.size == 0:
        return _np.zeros(poles.shape), poles[_np.argsort(abs(poles))], _np.zeros(0)
    is_turned = ends == "b"
    b, lead = (b[::-1], a[::-1]) if is_turned else (b, a)
    whole, b = _np.polydiv(b, lead) if len(b) >= len(lead) else (_np.zeros(0), b)
    roots, counts = _met(poles, tol, rtype)
    order = _np.argsort(abs(roots))
    roots, counts = roots[order], counts[order]
    r, p = _residues(1 / roots if is_turned else roots, counts, b) / lead[0], _np.repeat(roots, counts)
    if is_turned:
        r = r * (-p) ** _np.concatenate([_np.arange(1, n + 1) for n in counts] or [_np.zeros(0)])
    return r, p, whole[::-1] if is_turned else whole


def _put_together(r, p, k, tol, rtype, is_turned):
    r, p = _np.atleast_1d(_row(r)), _np.atleast_1d(_row(p))
    k = _np.trim_zeros(_np.atleast_1d(_row(k)), "b" if is_turned else "f")
    roots, counts = _runs(p, tol, rtype)
    below, turn = _product(roots, counts), slice(None, None, -1 if is_turned else 1)
    above = _np.polymul(k[turn], below[turn]) if len(k) else 0
    at = iter(r)
    for j, count in enumerate(counts):
        for power in range(1, count + 1):
            above = _np.polyadd(above, next(at) * _without(roots, counts, j, count - power)[turn])
    return _as_given(_np.atleast_1d(above)[turn], below)


def _as_given(*parts):
    return tuple(_ks.array(part.copy()) for part in parts)


_rows_here(globals(), {
    "unique_roots": (lambda p, tol=1e-3, rtype="min": _as_given(*_met(_np.atleast_1d(_row(p)), tol, rtype)),
        "Roots that are no further than `tol` from one another as one, and how many each is."),
    "residue": (lambda b, a, tol=1e-3, rtype="avg": _as_given(*_taken_apart(b, a, tol, rtype, "f")),
        "Residues, poles and what is left of b(s) / a(s)."),
    "residuez": (lambda b, a, tol=1e-3, rtype="avg": _as_given(*_taken_apart(b, a, tol, rtype, "b")),
        "Residues, poles and what is left of b(1 / z) / a(1 / z)."),
    "invres": (lambda r, p, k, tol=1e-3, rtype="avg": _put_together(r, p, k, tol, rtype, False),
        "The polynomials of residues and poles."),
    "invresz": (lambda r, p, k, tol=1e-3, rtype="avg": _put_together(r, p, k, tol, rtype, True),
        "The polynomials in 1 / z of residues and poles."),
})  # fmt: skip
