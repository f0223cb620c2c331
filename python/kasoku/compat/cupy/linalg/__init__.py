"""cupy.linalg: the engine's (kasoku/linalg.py), whose names and arguments are NumPy's too."""

from kasoku.linalg import *  # noqa: F403

import numpy as _np
from kasoku import linalg as _linalg
from .._arrays import asarray as _asarray
from .._util import in_face as _in_face
from . import _util  # noqa: F401


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices, as kasoku.linalg.eigh; of halves in halves."""
    a = _asarray(a)
    if a.dtype != _np.float16:
        return _linalg.eigh(a, UPLO)
    w, v = _linalg.eigh(a.astype("float32"), UPLO)
    return w.astype(a.dtype), v.astype(a.dtype)


_in_face(globals())
