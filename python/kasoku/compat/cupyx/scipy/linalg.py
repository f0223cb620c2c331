"""cupyx.scipy.linalg: what the engine's solutions give, with SciPy's arguments."""

import kasoku as _ks

from ...cupy._util import in_face as _in_face
from ..._face.compositions import block_diagonal as _block_diagonal, solve_triangle as _solve_triangle
from ..._face.compositions import matrix_exp as expm  # noqa: F401


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=False):
    """x with a x = b, where one triangle of a is read; trans 1 ("T"): of its transpose, 2 ("C"): of the conjugated one."""
    if check_finite and not (bool(_ks.isfinite(a).all()) and bool(_ks.isfinite(b).all())):
        raise ValueError("array must not contain infs or NaNs")
    return _solve_triangle(a, b, not lower, unit_diagonal, trans in (1, "T"), trans not in (0, "N", 1, "T"))


def block_diag(*arrs):
    """Blocks along the diagonal of a matrix of zeros."""
    arrays = [_ks.asarray(a) for a in arrs]
    return _block_diagonal(arrays, _ks.result_type(*arrays))


def toeplitz(c, r=None):
    """A matrix whose diagonals are constant: its first column and its first row."""
    c = _ks.ravel(_ks.asarray(c))
    r = _ks.conjugate(c) if r is None else _ks.ravel(_ks.asarray(r))
    values = _ks.concatenate((_ks.flip(c[1:]), c[:1], r[1:]))
    at = _ks.arange(r.size, device=c.device) - _ks.arange(c.size, device=c.device)[:, None]
    return values[at + c.size - 1]


def circulant(c):
    """A matrix whose columns are the first one turned."""
    c = _ks.ravel(_ks.asarray(c))
    at = _ks.arange(c.size, device=c.device)
    return c[(at[:, None] - at) % c.size]


def hankel(c, r=None):
    """A matrix whose antidiagonals are constant: its first column and its last row."""
    c = _ks.ravel(_ks.asarray(c))
    r = _ks.zeros_like(c) if r is None else _ks.ravel(_ks.asarray(r))
    values = _ks.concatenate((c, r[1:]))
    return values[_ks.arange(c.size, device=c.device)[:, None] + _ks.arange(r.size, device=c.device)]


_in_face(globals())
