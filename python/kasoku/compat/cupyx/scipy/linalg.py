"""cupyx.scipy.linalg: what the engine's solutions give, with SciPy's arguments."""

import sys as _sys

import kasoku as _ks

from ... import Face as _Face
from ..._face.compositions import triangle as _triangle


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=False):
    """x with a x = b, where one triangle of a is read; trans 1 ("T"): of its transpose, 2 ("C"): of the conjugated one."""
    a = _triangle(a, not lower, unit_diagonal)
    return _ks.linalg.solve({0: a, "N": a}.get(trans, a.mT if trans in (1, "T") else _ks.conjugate(a.mT)), b)


_sys.modules[__name__].__class__ = _Face
