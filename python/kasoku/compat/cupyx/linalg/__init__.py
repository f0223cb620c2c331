"""cupyx.linalg: inverses of matrices that have a Cholesky factor."""

import kasoku as _ks

from ...cupy._util import in_face as _in_face


def invh(a):
    """The inverse of a positive definite matrix, of which the lower triangle is read."""
    inverse = _ks.linalg.inv(_ks.linalg.cholesky(a))
    return _ks.conjugate(inverse.mT) @ inverse


_in_face(globals())
