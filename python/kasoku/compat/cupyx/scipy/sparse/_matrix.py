"""The formats: rows, columns, coordinates and diagonals. What they compute goes by rows or by coordinates."""

import numbers as _numbers
import operator as _operator

import numpy as _np

import kasoku as _ks

from .... import cupy as _cupy
from . import _parts
from ._parts import dtype_of as _dtype_of, in_order as _in_order, lines as _lines, pointers as _pointers

__all__ = """spmatrix coo_matrix csr_matrix csc_matrix dia_matrix issparse isspmatrix isspmatrix_coo isspmatrix_csr
    isspmatrix_csc isspmatrix_dia SparseWarning SparseEfficiencyWarning""".split()


class SparseWarning(Warning):
    """What is said of sparse matrices."""


class SparseEfficiencyWarning(SparseWarning):
    """What would be faster in another format."""


def _is_number(x):
    return isinstance(x, (_numbers.Number, _np.generic)) or (isinstance(x, (_ks.Array, _np.ndarray)) and x.ndim == 0)


def _is_scipys(x):
    return type(x).__module__.startswith("scipy.sparse")


def _is_dense(x):
    return isinstance(x, (_ks.Array, _np.ndarray, list))


def _shape_of(shape):
    if not (isinstance(shape, tuple) and len(shape) == 2):
        raise ValueError(f"a sparse matrix has two lengths, not {shape!r}")
    shape = tuple(_operator.index(n) for n in shape)
    if min(shape) < 0:
        raise ValueError("invalid shape")
    return shape


def _is_shape(x):
    return isinstance(x, tuple) and len(x) == 2 and all(isinstance(n, (int, _np.integer)) for n in x)


class spmatrix:
    """A matrix that keeps some of its elements; the others are 0."""

    ndim = 2
    format = "und"
    _made_of_arrays = True  # get_array_module() gives cupy for it
    __array_priority__ = 101
    __array_ufunc__ = None
    __hash__ = None

    # ── what each format has ──
    def _triples(self):
        """Rows, columns and values of the kept elements."""
        raise NotImplementedError

    @classmethod
    def _of(cls, row, column, data, shape):
        """Made of elements, which are put in order and joined where they are at one place."""
        return coo_matrix((data, (row, column)), shape=shape).asformat(cls.format)

    def _with_data(self, data):
        """The same places with other values."""
        raise NotImplementedError

    @property
    def dtype(self):
        return self.data.dtype

    @property
    def size(self):
        return self.nnz

    @property
    def nnz(self):
        return self.getnnz()

    @property
    def device(self):
        return self.data.device

    def get_shape(self):
        return self._shape

    shape = property(lambda self: self.get_shape())
    T = property(lambda self: self.transpose())
    H = property(lambda self: self.getH())
    A = property(lambda self: self.toarray())
    real = property(lambda self: self._with_data(self.data.real.copy()))
    imag = property(lambda self: self._with_data(self.data.imag.copy()))

    def getnnz(self, axis=None):
        """How many elements are kept, of all or in each row (axis=1) or column (axis=0)."""
        if axis is None:
            return int(self.data.size)
        row, column, _ = self._triples()
        axis = _axis(axis)
        return _cupy.bincount(row if axis else column, minlength=self.shape[1 - axis]).astype("int32")

    def count_nonzero(self):
        return int((self.data != 0).sum())

    def getformat(self):
        return self.format

    def getmaxprint(self):
        return 50

    def __len__(self):
        raise TypeError("sparse matrix length is ambiguous; use getnnz()")

    def __bool__(self):
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().")

    def __str__(self):
        row, column, data = (x.get() for x in self._triples())
        return "\n".join(f"  {(int(i), int(j))}\t{x}" for i, j, x in zip(row, column, data))

    def __repr__(self):
        return f"<{self.shape[0]}x{self.shape[1]} sparse matrix of type '{self.dtype.type}'\n\twith {self.nnz} stored elements in {self.format} format>"

    # ── formats ──
    def asformat(self, format):
        if format is None or format == self.format:
            return self
        if format not in ("coo", "csr", "csc", "dia"):
            raise ValueError(f"no sparse matrix has the format {format!r}: coo, csr, csc or dia")
        return getattr(self, "to" + format)()

    def tocoo(self, copy=False):
        row, column, data = self._triples()
        return coo_matrix((data, (row, column)), shape=self.shape, copy=copy)

    def tocsr(self, copy=False):
        indptr, column, data = _parts.gathered_lines(*self._triples(), self.shape[0])
        return csr_matrix((data, column, indptr), shape=self.shape)

    def tocsc(self, copy=False):
        row, column, data = self._triples()
        indptr, row, data = _parts.gathered_lines(column, row, data, self.shape[1])
        return csc_matrix((data, row, indptr), shape=self.shape)

    def todia(self, copy=False):
        row, column, data = _in_order(*self._triples(), self.shape[1])
        offsets, number = _cupy.unique(column - row, return_inverse=True)
        diagonals = _cupy.zeros((offsets.size, int(column.max()) + 1 if column.size else 0), data.dtype)
        diagonals[number.ravel(), column] = data
        return dia_matrix((diagonals, offsets), shape=self.shape)

    def tobsr(self, blocksize=None, copy=False):
        raise NotImplementedError("there is no format of blocks; csr is near")

    def todok(self, copy=False):
        raise NotImplementedError("there is no format of dictionaries; coo is near")

    def tolil(self, copy=False):
        raise NotImplementedError("there is no format of lists; csr is near")

    def toarray(self, order=None, out=None):
        """The whole matrix, an array."""
        row, column, data = _in_order(*self._triples(), self.shape[1])
        result = _cupy.zeros(self.shape, self.dtype, order="C" if order is None else order)
        result[row, column] = data
        if out is None:
            return result
        out[...] = result
        return out

    todense = toarray

    def get(self, stream=None):
        """The matrix as SciPy's."""
        import scipy.sparse as sparse

        row, column, data = (x.get() for x in self._triples())
        return sparse.coo_matrix((data, (row, column)), shape=self.shape).asformat(self.format)

    def copy(self):
        return self._with_data(self.data.copy())

    def astype(self, t):
        return self._with_data(self.data.astype(_dtype_of(t)))

    def conj(self, copy=True):
        return self._with_data(self.data.conj()) if self.dtype.kind == "c" else self.copy() if copy else self

    conjugate = conj

    def getH(self):
        return self.transpose().conj()

    def transpose(self, axes=None, copy=False):
        if axes is not None:
            raise ValueError(
                "Sparse matrices do not support an 'axes' parameter because swapping dimensions is the only logical permutation."
            )
        row, column, data = self._triples()
        return coo_matrix((data, (column, row)), shape=self.shape[::-1], copy=copy)

    def reshape(self, *shape, order="C"):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if len(shape) != 2:
            raise ValueError("a sparse matrix has two lengths")
        size = self.shape[0] * self.shape[1]
        shape = tuple(size // -(shape[0] * shape[1]) if n == -1 else int(n) for n in shape)
        if shape[0] * shape[1] != size:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        row, column, data = self._triples()
        if order == "F":
            at = column.astype("int64") * self.shape[0] + row
            row, column = at % max(shape[0], 1), at // max(shape[0], 1)
        else:
            at = row.astype("int64") * self.shape[1] + column
            row, column = at // max(shape[1], 1), at % max(shape[1], 1)
        return self._of(row.astype("int32"), column.astype("int32"), data, shape)

    # ── algebra ──
    def _products(self, x):
        """The product with an array of one or two axes."""
        if x.shape[0] != self.shape[1] or x.ndim > 2:
            raise ValueError("dimension mismatch")
        rows = self.tocsr()
        y = _parts.row_products(rows.data, rows.indices, rows.indptr, x.reshape(x.shape[0], -1))
        return y.reshape(-1) if x.ndim == 1 else y

    def _product(self, other):
        if self.shape[1] != other.shape[0]:
            raise ValueError("dimension mismatch")
        a, b = self.tocsr(), other.tocsr()
        indptr, indices, data = _parts.product((a.indptr, a.indices, a.data), (b.indptr, b.indices, b.data))
        result = csr_matrix((data, indices, indptr), shape=(a.shape[0], b.shape[1]))
        return result.asformat(self.format if self.format in ("csr", "csc") else "csr")

    def dot(self, other):
        if _is_number(other):
            return self._with_data(self.data * other)
        return self @ other

    def __matmul__(self, other):
        if isinstance(other, spmatrix):
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

    def __mul__(self, other):
        if _is_number(other):
            return self._scaled(other)
        return self @ other

    def __rmul__(self, other):
        if _is_number(other):
            return self._scaled(other)
        return self.__rmatmul__(other)

    def _scaled(self, number):
        data = self.data * (number if not isinstance(number, _np.ndarray) else number.item())
        return self._with_data(data.astype(_dtype_of(data.dtype)))

    def __truediv__(self, other):
        if _is_number(other):
            data = self.data / other
            return self._with_data(data)
        if isinstance(other, spmatrix):
            return self.toarray() / other.toarray()
        return self.multiply(1 / _cupy.asarray(other)) if _is_dense(other) else NotImplemented

    def __rtruediv__(self, other):
        return NotImplemented

    def __neg__(self):
        return self._with_data(-self.data)

    def __abs__(self):
        return self._with_data(abs(self.data))

    def __pos__(self):
        return self.copy()

    def __pow__(self, other):
        if self.shape[0] != self.shape[1]:
            raise TypeError("matrix is not square")
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
        if isinstance(other, spmatrix):
            if self.shape != other.shape:
                raise ValueError("inconsistent shapes")
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

    def __add__(self, other):
        return self._beside(other, lambda a, b: a._added(b, 1) if isinstance(a, spmatrix) else a + b)

    __radd__ = __add__

    def __sub__(self, other):
        return self._beside(other, lambda a, b: a._added(b, -1) if isinstance(a, spmatrix) else a - b)

    def __rsub__(self, other):
        return self._beside(other, lambda a, b: -a if isinstance(a, spmatrix) else b - a)

    def _by_element(self, other, operation):
        """An operation that makes 0 of two zeros, of two matrices."""
        if self.shape != other.shape:
            raise ValueError("inconsistent shapes")
        of, x, y = self._pairs(other)
        result = of(operation(x, y))
        result.eliminate_zeros()
        return result

    def multiply(self, other):
        """The products of elements; what has one row or column goes along the other's."""
        if _is_number(other):
            return self._scaled(other)
        if isinstance(other, spmatrix):
            if self.shape == other.shape:
                return self._by_element(other, _operator.mul)
            if other.shape[0] == 1 or other.shape[1] == 1:
                return self.multiply(other.toarray())
            if self.shape[0] == 1 or self.shape[1] == 1:
                return other.multiply(self.toarray())
            raise ValueError("inconsistent shape")
        other = _cupy.atleast_2d(_cupy.asarray(other))
        shape = _np.broadcast_shapes(self.shape, other.shape)
        if shape != self.shape:
            return csr_matrix(self.toarray() * other)
        row, column, data = self._triples()
        data = data * _cupy.broadcast_to(other, shape)[row, column]
        return coo_matrix((data, (row, column)), shape=shape).tocsr()

    def maximum(self, other):
        return self._extreme(other, _cupy.maximum)

    def minimum(self, other):
        return self._extreme(other, _cupy.minimum)

    def _extreme(self, other, operation):
        if isinstance(other, spmatrix):
            return self._by_element(other, operation)
        if _is_number(other) and float(operation(_cupy.zeros((), self.dtype), other)) == 0:
            return csr_matrix(self._with_data(operation(self.data, other)))
        return (
            csr_matrix(operation(self.toarray(), other))
            if _is_number(other)
            else operation(self.toarray(), _cupy.asarray(other))
        )

    def _compared(self, other, operation):
        if isinstance(other, spmatrix):
            if self.shape != other.shape:
                return operation is _operator.ne
            if not operation(0, 0):
                return self._by_element(other, operation)
            return csr_matrix(operation(self.toarray(), other.toarray()))
        if _is_number(other):
            if operation(0, other):
                return csr_matrix(operation(self.toarray(), other))
            rows = self.tocsr()
            result = rows._with_data(operation(rows.data, other))
            result.eliminate_zeros()
            return result
        return operation(self.toarray(), _cupy.asarray(other)) if _is_dense(other) else NotImplemented

    def __eq__(self, other):
        return self._compared(other, _operator.eq)

    def __ne__(self, other):
        return self._compared(other, _operator.ne)

    def __lt__(self, other):
        return self._compared(other, _operator.lt)

    def __gt__(self, other):
        return self._compared(other, _operator.gt)

    def __le__(self, other):
        return self._compared(other, _operator.le)

    def __ge__(self, other):
        return self._compared(other, _operator.ge)

    def power(self, n, dtype=None):
        data = self.data if dtype is None else self.data.astype(dtype)
        return self._with_data(data**n)

    # ── reductions ──
    def sum(self, axis=None, dtype=None, out=None):
        """The sum, or those of columns (axis=0, of one row) or rows (axis=1, of one column)."""
        if axis is None:
            result = self.data.sum(dtype=dtype)
        else:
            axis = _axis(axis)
            row, column, data = self._triples()
            result = _parts.sums_by_number(row if axis else column, data, self.shape[1 - axis])
            result = result.reshape((-1, 1) if axis else (1, -1))
            result = result.astype(dtype or (int if self.dtype == bool else self.dtype))
        if out is None:
            return result
        if out.shape != result.shape:
            raise ValueError("dimensions do not match")
        out[...] = result
        return out

    def mean(self, axis=None, dtype=None, out=None):
        n = self.shape[0] * self.shape[1] if axis is None else self.shape[_axis(axis)]
        result = self.sum(axis, "float64" if self.dtype == bool and dtype is None else dtype) / n
        if out is None:
            return result
        out[...] = result
        return out

    def trace(self, offset=0):
        return self.diagonal(offset).sum()

    def diagonal(self, k=0):
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            raise ValueError("k exceeds matrix dimensions")
        row, column, data = self._triples()
        on = _cupy.flatnonzero(column.astype("int64") - row == k)
        at, _, data = _in_order(row[on], column[on], data[on], columns)
        result = _cupy.zeros(min(rows + min(k, 0), columns - max(k, 0)), self.dtype)
        result[at + min(k, 0)] = data
        return result

    def _line_extreme(self, axis, explicit, at, name):
        if axis is None:
            if 0 in self.shape:
                raise ValueError("zero-size array to reduction operation")
            if explicit or self.nnz == self.shape[0] * self.shape[1]:
                return getattr(self.data, name)()
            zero = _cupy.zeros((), self.dtype)
            return at(getattr(self.data, name)(), zero) if self.nnz else zero
        axis = _axis(axis)
        row, column, data = _in_order(*self._triples(), self.shape[1])
        line, n = (row, self.shape[0]) if axis else (column, self.shape[1])
        counts = _cupy.bincount(line, minlength=n)
        first = -_np.inf if name == "max" else _np.inf
        result = _cupy.full(n, first, "float64" if data.dtype == bool else data.dtype)
        at.at(result, line, data.astype(result.dtype))
        full = counts == self.shape[axis] if not explicit else counts > 0
        result = _cupy.where(full, result, at(result, 0) if not explicit else 0).astype(self.dtype)
        return coo_matrix(result.reshape((-1, 1) if axis else (1, -1)))

    def max(self, axis=None, out=None, *, explicit=False):
        """The greatest element, zeros that are not kept among them unless `explicit`; of rows or columns a matrix."""
        return self._line_extreme(axis, explicit, _cupy.maximum, "max")

    def min(self, axis=None, out=None, *, explicit=False):
        return self._line_extreme(axis, explicit, _cupy.minimum, "min")

    def argmax(self, axis=None, out=None):
        whole = self.toarray()
        return whole.argmax() if axis is None else _cupy.expand_dims(whole.argmax(axis), _axis(axis))

    def argmin(self, axis=None, out=None):
        whole = self.toarray()
        return whole.argmin() if axis is None else _cupy.expand_dims(whole.argmin(axis), _axis(axis))

    def nonzero(self):
        row, column, data = _in_order(*self._triples(), self.shape[1])
        kept = _cupy.flatnonzero(data != 0)
        return row[kept], column[kept]

    # ── parts ──
    def getrow(self, i):
        return self.tocsr()[i, :]

    def getcol(self, j):
        return self.tocsr()[:, j]

    def __getitem__(self, key):
        raise TypeError(f"a matrix in {self.format} format has no items: tocsr() has them")

    def __iter__(self):
        rows = self.tocsr()
        return (rows[i, :] for i in range(self.shape[0]))

    def setdiag(self, values, k=0):
        """Stores values on a diagonal."""
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            raise ValueError("k exceeds matrix dimensions")
        n = min(rows + min(k, 0), columns - max(k, 0))
        values = _cupy.asarray(values, dtype=self.dtype)
        values = _cupy.broadcast_to(values, (n,)) if values.ndim == 0 else values[:n]
        at = _cupy.arange(values.size, dtype="int32")
        self._store(at - min(k, 0), at + max(k, 0), values)

    def _store(self, row, column, values):
        """Elements in place of those that were there; of several for one place the last is kept."""
        width = self.shape[1]
        i, j, x = self._triples()
        count = i.size
        keys = _cupy.concatenate([i, row.astype("int32")]).astype("int64") * width + _cupy.concatenate(
            [j, column.astype("int32")]
        )
        data = _cupy.concatenate([x, values.astype(self.dtype)])
        # What is stored is the last of its place; kept elements that nothing is stored at are joined as they were.
        order = _cupy.argsort(keys, kind="stable")
        keys, data, is_new = keys[order], data[order], order >= count
        last = _cupy.concatenate([keys[1:] != keys[:-1], _cupy.ones(1, bool)]) if keys.size else _cupy.ones(0, bool)
        hidden = _cupy.isin(keys, keys[_cupy.flatnonzero(is_new & last)]) & ~(is_new & last)
        kept = _cupy.flatnonzero(~hidden)
        keys = keys[kept]
        self._become(
            self._of(
                (keys // max(width, 1)).astype("int32"), (keys % max(width, 1)).astype("int32"), data[kept], self.shape
            )
        )

    def _become(self, other):
        self.__dict__.update(other.__dict__)

    def toDlpack(self):
        raise TypeError("a sparse matrix is no array")


def _axis(axis):
    if axis not in (-2, -1, 0, 1):
        raise ValueError("invalid axis")
    return axis % 2


def _elementwise(name):
    def method(self):
        return self._with_data(getattr(_cupy, name)(self.data))

    method.__name__, method.__doc__ = name, f"{name} of the elements; it makes 0 of 0."
    return method


for _name in """arcsin arcsinh arctan arctanh ceil deg2rad expm1 floor log1p rad2deg rint sign sin sinh sqrt tan tanh
        trunc""".split():
    setattr(spmatrix, _name, _elementwise(_name))


def _given_dtype(data, dtype):
    return _dtype_of(data.dtype if dtype is None else dtype)


class coo_matrix(spmatrix):
    """Elements with their rows and columns: of an array, a matrix, `(data, (row, col))` or a shape."""

    format = "coo"

    def __init__(self, arg1, shape=None, dtype=None, copy=False):
        if _is_shape(arg1):
            nothing = _cupy.zeros(0, "int32")
            row, column, data, found = nothing, nothing, _cupy.zeros(0, dtype or "float64"), _shape_of(arg1)
        elif isinstance(arg1, spmatrix):
            (row, column, data), found = arg1._triples(), arg1.shape
        elif _is_scipys(arg1):
            arg1 = arg1.tocoo()
            row, column, data, found = arg1.row, arg1.col, arg1.data, arg1.shape
        elif isinstance(arg1, tuple) and len(arg1) == 2:
            try:
                data, (row, column) = arg1
            except (TypeError, ValueError):
                raise TypeError("invalid input format") from None
            found = shape
        elif _is_dense(arg1):
            dense = _cupy.atleast_2d(_cupy.asarray(arg1))
            if dense.ndim != 2:
                raise TypeError("expected dimension <= 2 array or matrix")
            (row, column), found = dense.nonzero(), dense.shape
            data = dense[row, column]
        else:
            raise TypeError("invalid input format")
        data = _cupy.array(data, copy=True) if copy else _cupy.asarray(data)
        self.data = data.astype(_given_dtype(data, dtype), copy=False)
        self.row, self.col = (
            _cupy.array(x, dtype="int32", copy=True) if copy else _cupy.asarray(x).astype("int32", copy=False)
            for x in (row, column)
        )
        if not (self.row.ndim == self.col.ndim == self.data.ndim == 1):
            raise ValueError("row, column, and data arrays must be 1-D")
        if not (self.row.size == self.col.size == self.data.size):
            raise ValueError("row, column, and data array must all be the same length")
        if shape is None and found is None:
            if self.row.size == 0:
                raise ValueError("cannot infer dimensions from zero sized index arrays")
            found = int(self.row.max()) + 1, int(self.col.max()) + 1
        self._shape = _shape_of(tuple(shape) if shape is not None else found)
        if self.data.size and shape is not None:
            for x, n, name in (self.row, self._shape[0], "row"), (self.col, self._shape[1], "column"):
                if int(x.max()) >= n:
                    raise ValueError(f"{name} index exceeds matrix dimensions")
                if int(x.min()) < 0:
                    raise ValueError(f"negative {name} index found")
        self.has_canonical_format = isinstance(arg1, (_ks.Array, _np.ndarray))

    def _triples(self):
        return self.row, self.col, self.data

    def _with_data(self, data):
        result = coo_matrix((data, (self.row.copy(), self.col.copy())), shape=self._shape)
        result.has_canonical_format = self.has_canonical_format
        return result

    def sum_duplicates(self):
        """Joins elements of one place, and puts all in order, by rows."""
        if not self.has_canonical_format:
            self.row, self.col, self.data = _in_order(self.row, self.col, self.data, self._shape[1])
            self.has_canonical_format = True

    def eliminate_zeros(self):
        kept = _cupy.flatnonzero(self.data != 0)
        self.row, self.col, self.data = self.row[kept], self.col[kept], self.data[kept]

    def tocoo(self, copy=False):
        return self.copy() if copy else self


class _Lines(spmatrix):
    """Rows or columns, one after the other: their elements, the places of these along the line, and where each line begins."""

    _major = 0  # the axis whose lines are kept

    def __init__(self, arg1, shape=None, dtype=None, copy=False):
        if isinstance(arg1, spmatrix) or _is_scipys(arg1):
            arg1 = arg1.asformat(self.format)
            parts, found = (arg1.data, arg1.indices, arg1.indptr), arg1.shape
        elif _is_shape(arg1):
            found = _shape_of(arg1)
            parts = (
                _cupy.zeros(0, dtype or "float64"),
                _cupy.zeros(0, "int32"),
                _cupy.zeros(found[self._major] + 1, "int32"),
            )
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            parts, found = arg1, None
        elif isinstance(arg1, tuple) and len(arg1) == 2 or _is_dense(arg1):
            if _is_dense(arg1) and _cupy.asarray(arg1).ndim > 2:
                raise TypeError("expected dimension <= 2 array or matrix")
            made = coo_matrix(arg1, shape=shape, dtype=dtype).asformat(self.format)
            parts, found = (made.data, made.indices, made.indptr), made.shape
        else:
            raise ValueError(f"Unsupported initializer format {type(arg1)}")
        data, indices, indptr = (_cupy.array(x) if copy else _cupy.asarray(x) for x in parts)
        self.data = data.astype(_given_dtype(data, dtype), copy=False)
        self.indices, self.indptr = (x.astype("int32", copy=False) for x in (indices, indptr))
        if not (data.ndim == indices.ndim == indptr.ndim == 1):
            raise ValueError("data, indices, and indptr should be 1-D")
        if data.size != indices.size:
            raise ValueError("indices and data should have the same size")
        if shape is None and found is None:
            lengths = indptr.size - 1, int(indices.max()) + 1 if indices.size else 0
            found = lengths if self._major == 0 else lengths[::-1]
        self._shape = _shape_of(tuple(shape) if shape is not None else found)
        if indptr.size != self._shape[self._major] + 1:
            raise ValueError(f"index pointer size ({indptr.size}) should be ({self._shape[self._major] + 1})")

    def _triples(self):
        lines = _lines(self.indptr)
        return (lines, self.indices, self.data) if self._major == 0 else (self.indices, lines, self.data)

    def _with_data(self, data):
        return type(self)((data, self.indices.copy(), self.indptr.copy()), shape=self._shape)

    def getnnz(self, axis=None):
        if axis is None:
            return int(self.indptr[-1])
        return super().getnnz(axis)

    def check_format(self, full_check=True):
        """That is done when a matrix is made."""

    # ── the order of elements ──
    def _is_in_order(self, strictly):
        if self.indices.size < 2:
            return True
        lines = _lines(self.indptr)
        rises = self.indices[1:] > self.indices[:-1] if strictly else self.indices[1:] >= self.indices[:-1]
        return bool((rises | (lines[1:] != lines[:-1])).all())

    has_sorted_indices = property(lambda self: self._is_in_order(False))
    has_canonical_format = property(lambda self: self._is_in_order(True), lambda self, value: None)

    def _ordered(self, join):
        self.indptr, self.indices, self.data = _parts.sorted_lines(self.indptr, self.indices, self.data, join)

    def sort_indices(self):
        self._ordered(False)

    def sorted_indices(self):
        result = self.copy()
        result.sort_indices()
        return result

    def sum_duplicates(self):
        if not self.has_canonical_format:
            self._ordered(True)

    def eliminate_zeros(self):
        kept = _cupy.flatnonzero(self.data != 0)
        lines = _lines(self.indptr)[kept]
        self.indices, self.data = self.indices[kept], self.data[kept]
        self.indptr = _pointers(lines, self._shape[self._major])

    def transpose(self, axes=None, copy=False):
        if axes is not None:
            raise ValueError(
                "Sparse matrices do not support an 'axes' parameter because swapping dimensions is the only logical permutation."
            )
        other = csc_matrix if self._major == 0 else csr_matrix
        return other((self.data, self.indices, self.indptr), shape=self._shape[::-1], copy=copy)

    # ── parts ──
    def _chosen(self, at):
        """Lines that are chosen, in the order of `at`."""
        indptr, places = _parts.chosen_lines(self.indptr, at)
        shape = (at.size, self._shape[1]) if self._major == 0 else (self._shape[0], at.size)
        return type(self)((self.data[places], self.indices[places], indptr), shape=shape)

    def __getitem__(self, key):
        row, column = _key(key)
        rows, columns = _places(row, self._shape[0]), _places(column, self._shape[1])
        if isinstance(rows, int) and isinstance(columns, int):
            i, j, x = self._triples()
            return x[_cupy.flatnonzero((i == rows) & (j == columns))].sum()
        if not isinstance(rows, (int, range)) and not isinstance(columns, (int, range)):
            if rows.ndim == 2 and columns.ndim == 2 and rows.shape[1] == 1 and columns.shape[0] == 1:
                rows, columns = rows.ravel(), columns.ravel()  # as numpy.ix_ gives them
            else:
                return self._elements(*_cupy.broadcast_arrays(rows, columns))
        result = self
        for axis, at in sorted(((0, rows), (1, columns)), key=lambda one: one[0] != self._major):
            if isinstance(at, range) and at == range(self._shape[axis]):
                continue
            if isinstance(at, int):
                at = range(at, at + 1)
            at = _cupy.arange(at.start, at.stop, at.step, dtype="int64") if isinstance(at, range) else at.ravel()
            result = result.asformat("csr" if axis == 0 else "csc")._chosen(at)
        return result.asformat(self.format)

    def _elements(self, rows, columns):
        width = self._shape[1]
        i, j, x = _in_order(*self._triples(), width)
        keys = i.astype("int64") * width + j
        wanted = rows.astype("int64").ravel() * width + columns.ravel()
        if keys.size == 0:
            return _cupy.zeros(rows.shape, self.dtype)
        at = _cupy.minimum(_cupy.searchsorted(keys, wanted), keys.size - 1)
        return _cupy.where(keys[at] == wanted, x[at], _cupy.zeros((), self.dtype)).reshape(rows.shape)

    def __setitem__(self, key, value):
        row, column = _key(key)
        rows, columns = (
            at if not isinstance(at, (int, range)) else _cupy.arange(*((at, at + 1) if isinstance(at, int) else (at.start, at.stop, at.step)), dtype="int64")
            for at in (_places(row, self._shape[0]), _places(column, self._shape[1]))
        )  # fmt: skip
        if not (
            rows.ndim == columns.ndim == 1
            and not isinstance(row, (slice, int))
            and not isinstance(column, (slice, int))
        ):
            rows, columns = (
                x if x.ndim == 2 else x.reshape(shape) for x, shape in ((rows, (-1, 1)), (columns, (1, -1)))
            )
        rows, columns = _cupy.broadcast_arrays(rows, columns)
        if isinstance(value, spmatrix):
            value = value.toarray()
        value = _cupy.broadcast_to(_cupy.asarray(value, dtype=self.dtype), rows.shape)
        self._store(rows.ravel(), columns.ravel(), value.ravel())


def _key(key):
    """The index of rows, and that of columns."""
    if isinstance(key, tuple):
        key = tuple(slice(None) if x is Ellipsis else x for x in key) + (slice(None),) * (2 - len(key))
        if len(key) != 2:
            raise IndexError("invalid number of indices")
        return key
    if key is Ellipsis:
        return slice(None), slice(None)
    if isinstance(key, spmatrix):
        return key.nonzero()
    if _is_dense(key) and getattr(key, "ndim", 1) == 2 and key.dtype == bool:
        return _cupy.asarray(key).nonzero()
    return key, slice(None)


def _places(key, n):
    """An index as a place, a range of them, or an array."""
    if isinstance(key, slice):
        return range(n)[key]
    if isinstance(key, (int, _np.integer)) or (isinstance(key, _ks.Array) and key.ndim == 0):
        place = _operator.index(key)
        if not -n <= place < n:
            raise IndexError(f"index ({place}) out of range")
        return place % n
    if not _is_dense(key):
        raise IndexError(f"a matrix has no index of {type(key).__name__}")
    at = _cupy.asarray(key)
    if at.dtype == bool:
        if at.size != n:
            raise IndexError("boolean index did not match shape of array")
        return _cupy.flatnonzero(at)
    at = at.astype("int64")
    if at.size and (int(at.max()) >= n or int(at.min()) < -n):
        raise IndexError(f"index ({int(at.max())}) out of range")
    return _cupy.where(at < 0, at + n, at)


class csr_matrix(_Lines):
    """Rows, one after the other: of an array, a matrix, `(data, (row, col))`, `(data, indices, indptr)` or a shape."""

    format, _major = "csr", 0

    def tocsr(self, copy=False):
        return self.copy() if copy else self


class csc_matrix(_Lines):
    """Columns, one after the other: of an array, a matrix, `(data, (row, col))`, `(data, indices, indptr)` or a shape."""

    format, _major = "csc", 1

    def tocsc(self, copy=False):
        return self.copy() if copy else self

    def _products(self, x):
        if x.ndim != 1 or x.size != self._shape[1]:
            return super()._products(x)
        data = self.data * _cupy.repeat(x, self.indptr[1:] - self.indptr[:-1])
        return _parts.sums_by_number(self.indices, data, self._shape[0]).astype(data.dtype)


class dia_matrix(spmatrix):
    """Diagonals, a row each, whose elements stand at their columns: of `(data, offsets)` with a shape, an array or a matrix."""

    format = "dia"

    def __init__(self, arg1, shape=None, dtype=None, copy=False):
        if _is_scipys(arg1):
            arg1 = arg1.todia()
            data, offsets, found = arg1.data, arg1.offsets, arg1.shape
        elif isinstance(arg1, tuple) and len(arg1) == 2 and not _is_shape(arg1):
            data, offsets, found = *arg1, shape
            if shape is None:
                raise ValueError("expected a shape argument")
        else:
            made = (coo_matrix(arg1, shape=shape, dtype=dtype) if not isinstance(arg1, dia_matrix) else arg1).todia()
            data, offsets, found = made.data, made.offsets, made.shape
        data = _cupy.atleast_2d(_cupy.array(data) if copy else _cupy.asarray(data))
        offsets = _cupy.atleast_1d(_cupy.array(offsets, dtype="int32"))
        self.data, self.offsets = data.astype(_given_dtype(data, dtype), copy=False), offsets
        if offsets.ndim != 1:
            raise ValueError("offsets array must have rank 1")
        if data.ndim != 2:
            raise ValueError("data array must have rank 2")
        if data.shape[0] != offsets.size:
            raise ValueError(
                f"number of diagonals ({data.shape[0]}) does not match the number of offsets ({offsets.size})"
            )
        if _cupy.unique(offsets).size != offsets.size:
            raise ValueError("offset array contains duplicate values")
        self._shape = _shape_of(tuple(shape) if shape is not None else found)

    def _triples(self):
        column = _cupy.broadcast_to(_cupy.arange(self.data.shape[1], dtype="int32"), self.data.shape)
        row = column - self.offsets[:, None]
        kept = _cupy.flatnonzero((row >= 0) & (row < self._shape[0]) & (column < self._shape[1]) & (self.data != 0))
        return row.ravel()[kept], column.ravel()[kept], self.data.ravel()[kept]

    def _with_data(self, data):
        return dia_matrix((data, self.offsets.copy()), shape=self._shape)

    def getnnz(self, axis=None):
        """How many places the diagonals have within the matrix."""
        if axis is not None:
            raise NotImplementedError("getnnz over an axis is not implemented for DIA format")
        rows, columns = self._shape
        lengths = _cupy.minimum(rows + _cupy.minimum(self.offsets, 0), columns - _cupy.maximum(self.offsets, 0))
        return int(_cupy.maximum(lengths, 0).sum())

    def todia(self, copy=False):
        return self.copy() if copy else self

    def transpose(self, axes=None, copy=False):
        return self.tocoo().transpose(axes).todia()


def issparse(x):
    """Whether it is a sparse matrix of this package."""
    return isinstance(x, spmatrix)


isspmatrix = issparse


def isspmatrix_coo(x):
    return isinstance(x, coo_matrix)


def isspmatrix_csr(x):
    return isinstance(x, csr_matrix)


def isspmatrix_csc(x):
    return isinstance(x, csc_matrix)


def isspmatrix_dia(x):
    return isinstance(x, dia_matrix)
