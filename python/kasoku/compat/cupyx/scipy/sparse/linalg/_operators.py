"""What is known by its products with vectors."""

import numpy as _np

import kasoku as _ks

from ..... import cupy as _cupy
from .._matrix import spmatrix as _spmatrix

__all__ = ["LinearOperator", "aslinearoperator", "matrix_power", "norm"]


class LinearOperator:
    """Products with vectors, by functions: of `shape`, `matvec` and what else there is."""

    ndim = 2

    def __new__(cls, *args, **kwargs):
        return super().__new__(_OfFunctions if cls is LinearOperator else cls)

    def __init__(self, dtype, shape):
        self.dtype = None if dtype is None else _np.dtype(dtype)
        self.shape = tuple(shape)

    def _init_dtype(self):
        if self.dtype is None:
            self.dtype = self.matvec(_cupy.zeros(self.shape[-1])).dtype

    def _matvec(self, x):
        return self.matmat(x.reshape(-1, 1))

    def _matmat(self, X):
        return _cupy.stack([self.matvec(X[:, k]) for k in range(X.shape[1])], 1)

    def _adjoint(self):
        return _OfFunctions(self.shape[::-1], self.rmatvec, rmatvec=self.matvec, dtype=self.dtype)

    def _rmatvec(self, x):
        if type(self)._adjoint is LinearOperator._adjoint:
            raise NotImplementedError("rmatvec is not defined")
        return self.H.matvec(x)

    def matvec(self, x):
        self._must_fit(x, 1)
        return self._matvec(x).reshape((self.shape[0],) if x.ndim == 1 else (self.shape[0], 1))

    def rmatvec(self, x):
        self._must_fit(x, 0)
        return self._rmatvec(x).reshape((self.shape[1],) if x.ndim == 1 else (self.shape[1], 1))

    def matmat(self, X):
        if X.ndim != 2 or X.shape[0] != self.shape[1]:
            raise ValueError(f"dimension mismatch: {self.shape} @ {X.shape}")
        return self._matmat(X)

    def rmatmat(self, X):
        """The adjoint times the columns of X."""
        return self.H.matmat(X)

    def _must_fit(self, x, axis):
        n = self.shape[axis]
        if x.shape not in ((n,), (n, 1)):
            raise ValueError(f"dimension mismatch: a vector of {n} elements is needed, not {x.shape}")

    def dot(self, x):
        if isinstance(x, LinearOperator):
            back, dtype = lambda v: x.rmatvec(self.rmatvec(v)), _np.result_type(self.dtype, x.dtype)
            return _OfFunctions((self.shape[0], x.shape[1]), lambda v: self.matvec(x.matvec(v)), back, dtype=dtype)
        if _np.isscalar(x):
            back = lambda v: _np.conj(x) * self.rmatvec(v)
            return _OfFunctions(self.shape, lambda v: x * self.matvec(v), back, dtype=self.dtype)
        return self.matvec(x) if x.ndim == 1 or x.shape[1] == 1 else self.matmat(x)

    __call__ = __mul__ = __matmul__ = dot

    __rmul__ = lambda self, x: self.dot(x)
    __neg__ = lambda self: self.dot(-1)
    __sub__ = lambda self, other: self + -other

    def __add__(self, other):
        if not isinstance(other, LinearOperator):
            return NotImplemented
        back, dtype = lambda v: self.rmatvec(v) + other.rmatvec(v), _np.result_type(self.dtype, other.dtype)
        return _OfFunctions(self.shape, lambda v: self.matvec(v) + other.matvec(v), back, dtype=dtype)

    def adjoint(self):
        return self._adjoint()

    H = property(adjoint)

    def transpose(self):
        by, back = lambda v: self.rmatvec(v.conj()).conj(), lambda v: self.matvec(v.conj()).conj()
        return _OfFunctions(self.shape[::-1], by, back, dtype=self.dtype)

    T = property(transpose)


class _OfFunctions(LinearOperator):
    def __init__(self, shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
        super().__init__(dtype, shape)
        self._by, self._back, self._by_matrix = matvec, rmatvec, matmat
        self._init_dtype()

    def _matvec(self, x):
        return self._by(x)

    def _rmatvec(self, x):
        if self._back is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._back(x)

    def _matmat(self, X):
        return super()._matmat(X) if self._by_matrix is None else self._by_matrix(X)


class _OfMatrix(LinearOperator):
    def __init__(self, A):
        super().__init__(A.dtype, A.shape)
        self.A = A.tocsr() if isinstance(A, _spmatrix) else A
        self._back = None

    def _matvec(self, x):
        return self.A @ x

    _matmat = _matvec

    def _rmatvec(self, x):
        if self._back is None:
            self._back = self.A.conj().T.tocsr() if isinstance(self.A, _spmatrix) else self.A.conj().T
        return self._back @ x


def aslinearoperator(A):
    """A matrix, or what has `shape` and `matvec`, as a LinearOperator."""
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, (_spmatrix, _ks.Array)):
        return _OfMatrix(_cupy.atleast_2d(A) if isinstance(A, _ks.Array) else A)
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        return _OfFunctions(A.shape, A.matvec, getattr(A, "rmatvec", None), dtype=getattr(A, "dtype", None))
    raise TypeError(
        f"a linear operator is made of a matrix, or of what has shape and matvec, not of {type(A).__name__}"
    )


def matrix_power(A, power):
    """A sparse matrix times itself, so often."""
    if not isinstance(A, _spmatrix):
        raise TypeError(f"matrix_power takes a sparse matrix, not a {type(A).__name__}")
    if power < 0 or power != int(power):
        raise ValueError(f"exponent must be an integer of at least 0, not {power}")
    return A ** int(power)


def norm(x, ord=None, axis=None):
    """The norm of a sparse matrix, or those of its rows or columns."""
    if not isinstance(x, _spmatrix):
        raise TypeError(f"input is not sparse. use cupy.linalg.norm: {type(x)}")
    if axis is None and ord in (None, "fro", "f"):
        x = x.tocsr()
        x.sum_duplicates()
        return _cupy.sqrt((abs(x.data) ** 2).sum())
    if axis is None or (isinstance(axis, tuple) and len(axis) == 2):
        along = {1: 0, -1: 0, _np.inf: 1, -_np.inf: 1}.get(ord)
        if ord in (None, "fro", "f"):
            return norm(x)
        if along is None:
            raise NotImplementedError(f"this norm of a sparse matrix is not there: {ord}")
        sums = abs(x.tocsr()).sum(axis=along)
        return sums.max() if ord > 0 else sums.min()
    axis = axis[0] if isinstance(axis, tuple) else axis
    if not -2 <= axis < 2:
        raise ValueError(f"Invalid axis {axis} for an array with shape {x.shape}")
    size = abs(x.tocsr())
    if ord in (_np.inf, -_np.inf):
        return (size.max(axis) if ord > 0 else size.min(axis)).toarray().ravel()
    if ord == 0:
        return (size != 0).sum(axis).ravel()
    if ord == 1:
        return size.sum(axis).ravel()
    if ord in (2, None):
        return _cupy.sqrt(size.power(2).sum(axis)).ravel()
    return size.power(ord).sum(axis).ravel() ** (1 / ord)
