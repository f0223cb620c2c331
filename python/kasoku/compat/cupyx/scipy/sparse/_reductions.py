"""What sparse matrices are reduced to, along an axis or as a whole."""

import numpy as _np

from .... import cupy as _cupy
from ...._face.table import bound as _bound, methods as _methods
from ....cupy._arrays import stored as _stored
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
        return _stored(self.sum(axis, "float64" if self.dtype == bool and dtype is None else dtype) / n, out)

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

    def nonzero(self):
        row, column, data = _in_order(*self._triples(), self.shape[1])
        kept = _cupy.flatnonzero(data != 0)
        return row[kept], column[kept]


def _extreme(self, axis=None, out=None, *, explicit=False, name):
    """The greatest or least element, zeros that are not kept among them unless `explicit`; of rows or columns a matrix."""
    return self._line_extreme(axis, explicit, getattr(_cupy, name + "imum"), name)


def _place(self, axis=None, out=None, *, name):
    at = getattr(self.toarray(), name)(axis)
    return at if axis is None else _cupy.expand_dims(at, _axis_of(axis))


_methods(Reductions, {
    "max": _bound(_extreme, name="max"), "min": _bound(_extreme, name="min"),
    "argmax": _bound(_place, name="argmax"), "argmin": _bound(_place, name="argmin"),
    "trace": lambda self, offset=0: self.diagonal(offset).sum(),
})  # fmt: skip
