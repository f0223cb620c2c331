"""cupyx.linalg: inverses and solutions by Cholesky factors."""

import kasoku as _ks

from ..lapack import potrs as _potrs


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """x with a x = b, for a Cholesky factor of a and whether it is the lower one."""
    factor, lower = c_and_lower
    if check_finite and not bool(_ks.isfinite(factor).all() & _ks.isfinite(b).all()):
        raise ValueError("array must not contain infs or NaNs")
    return _potrs(factor, b, lower)


def invh(a):
    """The inverse of a positive definite matrix, of which the lower triangle is read."""
    inverse = _ks.linalg.inv(_ks.linalg.cholesky(a))
    return _ks.conjugate(inverse.mT) @ inverse
