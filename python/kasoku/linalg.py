"""Linear algebra, with NumPy's names and arguments: `ks.linalg.solve(a, b)`.

Matrices are the last two axes, all before them a stack of them. float32, float64, complex64 and complex128 are computed
as they are, integers and bools in float64. The work is done where the arrays lie: by the LAPACK of OpenBLAS or MKL on a
CPU, a stack on all cores, and by cuSOLVER and cuBLAS on a GPU. What has no solution is a `LinAlgError`, which is
NumPy's too.
"""

from typing import NamedTuple

from ._core import Array, _linalg
from ._core import tensordot as tensordot
from .errors import LinAlgError as LinAlgError

globals().update((name, value) for name, value in vars(_linalg).items() if not name.startswith("_"))


class EigResult(NamedTuple):
    """What eig gives: the columns of `eigenvectors` belong to the elements of `eigenvalues`."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What eigh gives: values in increasing order, and orthonormal columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What qr gives: Q has orthonormal columns, R is upper triangular."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """What slogdet gives: det is `sign * exp(logabsdet)`."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """What svd gives: the matrix is `U * S @ Vh`."""

    U: Array
    S: Array
    Vh: Array


__all__ = sorted(name for name in globals() if not name.startswith("_") and name not in ("Array", "NamedTuple"))
