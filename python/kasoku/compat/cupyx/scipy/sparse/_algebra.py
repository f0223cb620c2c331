"""What operators make of sparse matrices: by rows, or by coordinates."""

import operator as _operator

import numpy as _np

from .... import cupy as _cupy
from ...._face.table import each as _each, methods as _methods
from . import _parts
from ._given import formats as _formats, is_number as _is_number, is_dense as _is_dense
from ._parts import dtype_of as _dtype_of


class Algebra:
    """Operators of a matrix of any format, and methods that are the same."""

    def _products(self, x):
        """The product with an array of one or two axes."""
        if x.ndim > 2 or x.shape[:1] != self.shape[1:]:
            raise ValueError(f"dimension mismatch: {self.shape} @ {x.shape}")
        rows = self.tocsr()
        y = _parts.row_products(rows.data, rows.indices, rows.indptr, x.reshape(x.shape[0], -1))
        return y.reshape(-1) if x.ndim == 1 else y

    def _product(self, other):
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"dimension mismatch: {self.shape} @ {other.shape}")
        a, b = self.tocsr(), other.tocsr()
        indptr, indices, data = _parts.product((a.indptr, a.indices, a.data), (b.indptr, b.indices, b.data))
        result = _formats["csr"]((data, indices, indptr), shape=(a.shape[0], b.shape[1]))
        return result.asformat(self.format if self.format in ("csr", "csc") else "csr")

    def dot(self, other):
        if _is_number(other):
            return self._with_data(self.data * other)
        return self @ other

    def __matmul__(self, other):
        if isinstance(other, Algebra):
            return self._product(other)
        if _is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._products(_cupy.asarray(other)) if _is_dense(other) else NotImplemented

    def __rmatmul__(self, other):
        if _is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        if not _is_dense(other):
            return NotImplemented
        other = _cupy.asarray(other)
        return self.transpose()._products(other.T).T

    def _scaled(self, number):
        data = self.data * (number if not isinstance(number, _np.ndarray) else number.item())
        return self._with_data(data.astype(_dtype_of(data.dtype)))

    def __truediv__(self, other):
        if _is_number(other):
            return self._with_data(self.data / other)
        if isinstance(other, Algebra):
            return self.toarray() / other.toarray()
        return self.multiply(1 / _cupy.asarray(other)) if _is_dense(other) else NotImplemented

    def __pow__(self, other):
        if self.shape[0] != self.shape[1]:
            raise TypeError(f"matrix is not square: {self.shape}")
        if not isinstance(other, (int, _np.integer)) or other < 0:
            raise ValueError("exponent must be an integer >= 0")
        from ._construct import identity

        result, square = None, self
        while other:
            if other & 1:
                result = square if result is None else result @ square
            other >>= 1
            square = square @ square if other else square
        return identity(self.shape[0], self.dtype, self.format) if result is None else result.copy()

    def _beside(self, other, joined):
        """Joined with another matrix, with an array, or with 0."""
        if _is_number(other):
            if other == 0:
                return joined(self, None)
            raise NotImplementedError("adding a nonzero scalar to a sparse matrix is not supported")
        if isinstance(other, Algebra):
            if self.shape != other.shape:
                raise ValueError(f"inconsistent shapes: {self.shape} and {other.shape}")
            return joined(self, other)
        return joined(self.toarray(), _cupy.asarray(other)) if _is_dense(other) else NotImplemented

    def _pairs(self, other):
        """The places where one of two matrices has an element, and both matrices' elements there: a function that makes the
        matrix of values at them, and the two rows of elements."""
        form = self.format if self.format in ("csr", "csc") else "csr"
        a, b = (x.asformat(form) for x in (self, other))
        pairs = _parts.line_pairs(*((x.indptr, x.indices, x.data) for x in (a, b)))
        if pairs is None:
            a, b = (x.copy() for x in (a, b))
            a.sum_duplicates()
            b.sum_duplicates()
            pairs = _parts.line_pairs(*((x.indptr, x.indices, x.data) for x in (a, b)))
        indptr, indices, x, y = pairs
        return lambda data: type(a)((data, indices, indptr), shape=self.shape), x, y

    def _added(self, other, sign):
        if other is None:
            return self.copy()
        of, x, y = self._pairs(other)
        dtype = _np.result_type(self.dtype, other.dtype)
        x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
        return of(x + y if sign > 0 or dtype.kind == "b" else x - y)

    def _by_element(self, other, operation):
        """An operation that makes 0 of two zeros, of two matrices."""
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes: {self.shape} and {other.shape}")
        of, x, y = self._pairs(other)
        result = of(operation(x, y))
        result.eliminate_zeros()
        return result

    def multiply(self, other):
        """The products of elements; what has one row or column goes along the other's."""
        if _is_number(other):
            return self._scaled(other)
        if isinstance(other, Algebra):
            if self.shape == other.shape:
                return self._by_element(other, _operator.mul)
            if other.shape[0] == 1 or other.shape[1] == 1:
                return self.multiply(other.toarray())
            if self.shape[0] == 1 or self.shape[1] == 1:
                return other.multiply(self.toarray())
            raise ValueError(f"inconsistent shapes: {self.shape} and {other.shape}")
        other = _cupy.atleast_2d(_cupy.asarray(other))
        shape = _np.broadcast_shapes(self.shape, other.shape)
        if shape != self.shape:
            return _formats["csr"](self.toarray() * other)
        row, column, data = self._triples()
        data = data * _cupy.broadcast_to(other, shape)[row, column]
        return _formats["coo"]((data, (row, column)), shape=shape).tocsr()

    def _extreme(self, other, operation):
        if isinstance(other, Algebra):
            return self._by_element(other, operation)
        if _is_number(other) and float(operation(_cupy.zeros((), self.dtype), other)) == 0:
            return _formats["csr"](self._with_data(operation(self.data, other)))
        result = operation(self.toarray(), other if _is_number(other) else _cupy.asarray(other))
        return _formats["csr"](result) if _is_number(other) else result

    def _compared(self, other, operation):
        if isinstance(other, Algebra):
            if self.shape != other.shape:
                return operation is _operator.ne
            if not operation(0, 0):
                return self._by_element(other, operation)
            return _formats["csr"](operation(self.toarray(), other.toarray()))
        if _is_number(other):
            if operation(0, other):
                return _formats["csr"](operation(self.toarray(), other))
            rows = self.tocsr()
            result = rows._with_data(operation(rows.data, other))
            result.eliminate_zeros()
            return result
        return operation(self.toarray(), _cupy.asarray(other)) if _is_dense(other) else NotImplemented


def _sum(sign, of_arrays):
    def joined(a, b):
        return a._added(b, sign) if isinstance(a, Algebra) else of_arrays(a, b)

    return lambda self, other: self._beside(other, joined)


_methods(Algebra, {
    "__mul__": lambda self, other: self._scaled(other) if _is_number(other) else self @ other,
    "__rmul__": lambda self, other: self._scaled(other) if _is_number(other) else self.__rmatmul__(other),
    "__neg__": lambda self: self._with_data(-self.data),
    "__abs__": lambda self: self._with_data(abs(self.data)),
    "__pos__": lambda self: self.copy(),
    "__add__": _sum(1, _operator.add),
    "__radd__": _sum(1, _operator.add),
    "__sub__": _sum(-1, _operator.sub),
    "__rsub__": lambda self, other: self._beside(other, lambda a, b: -a if isinstance(a, Algebra) else b - a),
    "__rtruediv__": lambda self, other: NotImplemented,
    "power": lambda self, n, dtype=None: self._with_data((self.data if dtype is None else self.data.astype(dtype)) ** n),
    "maximum": lambda self, other: self._extreme(other, _cupy.maximum),
    "minimum": lambda self, other: self._extreme(other, _cupy.minimum),
} | _each(_operator, "__eq__ __ne__ __lt__ __gt__ __le__ __ge__", lambda of: lambda self, other: self._compared(other, of)))  # fmt: skip
