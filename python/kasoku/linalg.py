"""Linear algebra, with NumPy's names and arguments: `ks.linalg.solve(a, b)`.

The last two axes of an array are a matrix; axes before them make a stack of matrices. float32, float64, complex64 and
complex128 are computed as they are, integers and bools in float64. The work is done where the arrays lie: on a CPU by the
LAPACK of OpenBLAS or MKL, with a stack on all cores, and on a GPU by cuSOLVER and cuBLAS. A problem without a solution
raises `LinAlgError`, which is NumPy's too.

>>> ks.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0])
array([1., 2.])
"""

from typing import NamedTuple

from ._core import Array, _linalg
from ._core import tensordot as tensordot
from .errors import LinAlgError as LinAlgError

globals().update((name, value) for name, value in vars(_linalg).items() if not name.startswith("_"))


class EigResult(NamedTuple):
    """The result of eig: the columns of `eigenvectors` belong to the elements of `eigenvalues`."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """The result of eigh: eigenvalues in increasing order, and orthonormal columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """The result of qr: Q has orthonormal columns, R is upper triangular."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The result of slogdet: det is `sign * exp(logabsdet)`."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """The result of svd: the matrix is `U * S @ Vh`."""

    U: Array
    S: Array
    Vh: Array


__all__ = sorted(name for name in globals() if not name.startswith("_") and name not in ("Array", "NamedTuple"))
