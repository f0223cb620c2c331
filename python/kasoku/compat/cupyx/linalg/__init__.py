"""cupyx.linalg: inverses of matrices that have a Cholesky factor."""

import kasoku as _ks


def invh(a):
    """The inverse of a positive definite matrix, of which the lower triangle is read."""
    inverse = _ks.linalg.inv(_ks.linalg.cholesky(a))
    return _ks.conjugate(inverse.mT) @ inverse
