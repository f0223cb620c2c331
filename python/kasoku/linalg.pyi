from typing import NamedTuple

from kasoku._core import Array
from kasoku.errors import LinAlgError as LinAlgError

"""What kasoku/linalg.py shows."""

import kasoku._core


def inv(a: object) -> kasoku._core.Array:
    """
    The inverses of square matrices (…, n, n). LinAlgError: one is singular, or not square.
    """

def det(a: object) -> kasoku._core.Array:
    """The determinants of square matrices (…, n, n)."""

def eigvals(a: object) -> kasoku._core.Array:
    """
    The eigenvalues (…, n) of square matrices, real where all of a real array are. LinAlgError: NaN or infinities, or no convergence.
    """

def svdvals(a: object) -> kasoku._core.Array:
    """
    The singular values (…, min(m, n)) of matrices (…, m, n), the largest first.
    """

def matrix_transpose(a: object) -> kasoku._core.Array:
    """A view with the last two axes swapped."""

def solve(a: object, b: object) -> kasoku._core.Array:
    """
    x with a x = b: a (…, n, n), b (n,) or (…, n, k). LinAlgError: a is singular, or not square.
    """

def slogdet(a: object) -> object:
    """
    Signs and logarithms of the absolute determinants of (…, n, n): no overflow where det has one.
    """

def cholesky(a: object, *, upper: bool = False) -> kasoku._core.Array:
    """
    L, lower triangular, with a = L L^H, of hermitian positive definite matrices (…, n, n); upper: U with a = U^H U. LinAlgError: one is not.
    """

def qr(a: object, mode: object = 'reduced') -> object:
    """
    Q, of orthonormal columns, and R, upper triangular, with a = Q R, of (…, m, n): reduced to k = min(m, n) columns and rows, or complete. mode r: only R; raw: LAPACK's reflectors and their scales.
    """

def svd(a: object, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> object:
    """
    U, S (the largest first) and V^H with a = U diag(S) V^H, of (…, m, n); U and V^H square or, without full_matrices, of min(m, n) columns and rows. LinAlgError: no convergence.
    """

def eig(a: object) -> object:
    """
    Eigenvalues (…, n) and right eigenvectors, the columns of (…, n, n), of square matrices; real where all of a real array are. LinAlgError: NaN or infinities, or no convergence.
    """

def eigh(a: object, UPLO: object = 'L') -> object:
    """
    Eigenvalues (…, n) in increasing order and eigenvectors, the columns of (…, n, n), of symmetric or hermitian matrices, of which one triangle is read.
    """

def eigvalsh(a: object, UPLO: object = 'L') -> kasoku._core.Array:
    """
    Eigenvalues (…, n) in increasing order of symmetric or hermitian matrices, of which one triangle is read.
    """

def lstsq(a: object, b: object, rcond: object | None = None) -> tuple:
    """
    (x, residuals, rank, s): the x of least norm that makes |b - a x| least, of a (m, n), b (m,) or (m, k); singular values below rcond times the largest count as 0.
    """

def pinv(a: object, rcond: object | None = None, hermitian: bool = False, *, rtol: object | None = None) -> kasoku._core.Array:
    """
    The pseudoinverses (…, n, m) of matrices (…, m, n); singular values up to rcond (1e-15) times the largest count as 0.
    """

def matrix_rank(A: object, tol: object | None = None, hermitian: bool = False, *, rtol: object | None = None) -> kasoku._core.Array:
    """
    How many singular values of each matrix are above tol, or rtol times the largest.
    """

def norm(x: object, ord: object | None = None, axis: object | None = None, keepdims: bool = False) -> kasoku._core.Array:
    """
    Norms of vectors (one axis) or matrices (two): ord a number, inf or -inf, of matrices also "fro" and "nuc"; without ord and axis of all elements as one vector.
    """

def vector_norm(x: object, *, axis: object | None = None, keepdims: bool = False, ord: object = 2) -> kasoku._core.Array:
    """Norms of vectors along axes, or of all elements."""

def matrix_norm(x: object, *, keepdims: bool = False, ord: object = 'fro') -> kasoku._core.Array:
    """Norms of the matrices of the last two axes."""

def cond(x: object, p: object | None = None) -> kasoku._core.Array:
    """
    Condition numbers of matrices in a norm: by singular values, or the norm times that of the inverse.
    """

def matrix_power(a: object, n: int) -> kasoku._core.Array:
    """Powers of square matrices; of negative n of their inverses."""

def multi_dot(arrays: object, *, out: object | None = None) -> object:
    """
    The product of several matrices, multiplied in the order that costs least; the first and the last may be vectors.
    """

def tensorsolve(a: object, b: object, axes: object | None = None) -> kasoku._core.Array:
    """x with tensordot(a, x, x.ndim) = b."""

def tensorinv(a: object, ind: int = 2) -> kasoku._core.Array:
    """The inverse of an array for tensordot(…, ind)."""

def outer(x1: object, x2: object) -> kasoku._core.Array:
    """Products of each element of one vector with each of another."""

def cross(x1: object, x2: object, *, axis: int = -1) -> kasoku._core.Array:
    """Cross products of vectors of three elements."""

def diagonal(x: object, *, offset: int = 0) -> kasoku._core.Array:
    """A read-only view of the diagonals of the last two axes."""

def trace(x: object, *, offset: int = 0, dtype: object | None = None) -> kasoku._core.Array:
    """Sums of the diagonals of the last two axes."""

def matmul(x1: object, x2: object) -> kasoku._core.Array:
    """Matrix product."""

def vecdot(x1: object, x2: object, *, axis: int = -1) -> kasoku._core.Array:
    """
    Sums of products of two arrays along an axis, the first one conjugated.
    """


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
