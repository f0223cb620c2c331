"""What sparse matrices are reduced to, along an axis or as a whole."""

import numpy as _np

from .... import cupy as _cupy
from . import _parts
from ._given import axis_of as _axis_of, formats as _formats
from ._parts import in_order as _in_order


class Reductions:
    """Sums, extremes and the like of a matrix of any format."""

    def sum(self, axis=None, dtype=None, out=None):
        """The sum, or those of columns (axis=0, of one row) or rows (axis=1, of one column)."""
        if axis is None:
            result = self.data.sum(dtype=dtype)
        else:
            axis = _axis_of(axis)
            row, column, data = self._triples()
            result = _parts.sums_by_number(row if axis else column, data, self.shape[1 - axis])
            result = result.reshape((-1, 1) if axis else (1, -1))
            result = result.astype(dtype or (int if self.dtype == bool else self.dtype))
        if out is None:
            return result
        if out.shape != result.shape:
            raise ValueError(f"dimensions do not match: out has {out.shape}, the result {result.shape}")
        out[...] = result
        return out

    def mean(self, axis=None, dtype=None, out=None):
        n = self.shape[0] * self.shape[1] if axis is None else self.shape[_axis_of(axis)]
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
        axis = _axis_of(axis)
        row, column, data = _in_order(*self._triples(), self.shape[1])
        line, n = (row, self.shape[0]) if axis else (column, self.shape[1])
        counts = _cupy.bincount(line, minlength=n)
        first = -_np.inf if name == "max" else _np.inf
        result = _cupy.full(n, first, "float64" if data.dtype == bool else data.dtype)
        at.at(result, line, data.astype(result.dtype))
        full = counts == self.shape[axis] if not explicit else counts > 0
        result = _cupy.where(full, result, at(result, 0) if not explicit else 0).astype(self.dtype)
        return _formats["coo"](result.reshape((-1, 1) if axis else (1, -1)))

    def max(self, axis=None, out=None, *, explicit=False):
        """The greatest element, zeros that are not kept among them unless `explicit`; of rows or columns a matrix."""
        return self._line_extreme(axis, explicit, _cupy.maximum, "max")

    def min(self, axis=None, out=None, *, explicit=False):
        return self._line_extreme(axis, explicit, _cupy.minimum, "min")

    def argmax(self, axis=None, out=None):
        whole = self.toarray()
        return whole.argmax() if axis is None else _cupy.expand_dims(whole.argmax(axis), _axis_of(axis))

    def argmin(self, axis=None, out=None):
        whole = self.toarray()
        return whole.argmin() if axis is None else _cupy.expand_dims(whole.argmin(axis), _axis_of(axis))

    def nonzero(self):
        row, column, data = _in_order(*self._triples(), self.shape[1])
        kept = _cupy.flatnonzero(data != 0)
        return row[kept], column[kept]
