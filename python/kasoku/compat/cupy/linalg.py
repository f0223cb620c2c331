"""cupy.linalg: the engine's (kasoku/linalg.py), whose names and arguments are NumPy's too."""

from kasoku.linalg import *  # noqa: F403

import numpy as _np
from kasoku import linalg as _linalg

from .. import tests_of as _tests_of
from .._face.table import modules as _modules
from ._arrays import asarray as _asarray


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices, as kasoku.linalg.eigh; of halves in halves."""
    a = _asarray(a)
    if a.dtype != _np.float16:
        return _linalg.eigh(a, UPLO)
    w, v = _linalg.eigh(a.astype("float32"), UPLO)
    return w.astype(a.dtype), v.astype(a.dtype)


def lstsq(a, b, rcond=None):
    """Least squares of one matrix and one or several right sides, as kasoku.linalg.lstsq."""
    a, b = _asarray(a), _asarray(b)
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise _np.linalg.LinAlgError(
            f"lstsq takes a matrix and right sides of one or two axes, not {a.ndim} and {b.ndim}"
        )
    return _linalg.lstsq(a, b, rcond)


_modules(__name__, {"_util": ("helpers of shapes that tests import (kasoku_testing).",
    _tests_of(f"{__name__}._util", "cupy.internal"))})  # fmt: skip
