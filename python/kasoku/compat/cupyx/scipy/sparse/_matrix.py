"""The formats: rows, columns, coordinates and diagonals. What they compute goes by rows or by coordinates."""

import operator as _operator

import numpy as _np

import kasoku as _ks

from .... import cupy as _cupy
from ...._face.table import bound as _bound, plain as _plain
from . import _parts
from ._base import must_have_no_axes as _must_have_no_axes, spmatrix
from ._given import SparseEfficiencyWarning, SparseWarning  # noqa: F401
from ._given import formats as _formats, given_dtype as _given_dtype, is_dense as _is_dense, is_scipys as _is_scipys
from ._given import is_shape as _is_shape, shape_of as _shape_of
from ._parts import in_order as _in_order, lines as _lines, pointers as _pointers

__all__ = """spmatrix coo_matrix csr_matrix csc_matrix dia_matrix issparse isspmatrix isspmatrix_coo isspmatrix_csr
    isspmatrix_csc isspmatrix_dia SparseWarning SparseEfficiencyWarning""".split()


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


class _Lines(spmatrix):
    """Rows or columns, one after the other: their elements, the places of these along the line, and where each line begins."""

    _major = 0  # the axis whose lines are kept

    def __init__(self, arg1, shape=None, dtype=None, copy=False):
        if isinstance(arg1, spmatrix) or _is_scipys(arg1):
            arg1 = arg1.asformat(self.format)
            parts, found = (arg1.data, arg1.indices, arg1.indptr), arg1.shape
        elif _is_shape(arg1):
            found = _shape_of(arg1)
            counts = (0, dtype or "float64"), (0, "int32"), (found[self._major] + 1, "int32")
            parts = [_cupy.zeros(n, kind) for n, kind in counts]
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

    check_format = lambda self, full_check=True: None  # that is done when a matrix is made

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

    sort_indices = lambda self: self._ordered(False)

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
        _must_have_no_axes(axes)
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
        if rows.ndim != 1 or columns.ndim != 1 or any(isinstance(one, (slice, int)) for one in (row, column)):
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


class csc_matrix(_Lines):
    """Columns, one after the other: of an array, a matrix, `(data, (row, col))`, `(data, indices, indptr)` or a shape."""

    format, _major = "csc", 1

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

    def transpose(self, axes=None, copy=False):
        return self.tocoo().transpose(axes).todia()


def issparse(x):
    """Whether it is a sparse matrix of this package."""
    return isinstance(x, spmatrix)


isspmatrix = issparse
_plain(globals(), {f"isspmatrix_{name}": (_bound(lambda x, *, cls: isinstance(x, cls), cls=cls), f"Whether it is a {name}_matrix.")
                   for name, cls in _formats.items()})  # fmt: skip
