"""Diagonals and triangles."""

import numpy as np

from ..._layout import shadow
from ._array import At, Each, made
from ._chunks import numpys, ours
from ._create import tri
from ._elementwise import elementwise
from ._table import functions as f
from ._whole import whole


def _triangle(m, k, keeps_lower):
    mask, zero = tri(*m.shape[-2:], k=k, dtype=np.bool_, chunks=m.chunks[-2:]), m.dtype.type(0)
    return elementwise("where", mask, m, zero) if keeps_lower else elementwise("where", mask, zero, m)


def _places_in(n, k, m, chunks, lower):
    mask = tri(n, m, k if lower else k - 1, np.bool_, chunks)
    return f.nonzero(mask if lower else elementwise("logical_not", mask))


def _places_of(arr, k, lower):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return _places_in(arr.shape[0], k, arr.shape[1], arr.chunks, lower)


f.rows("array", {
    "tril": lambda m, k=0: _triangle(m, k, True), "triu": lambda m, k=0: _triangle(m, k - 1, False),
    "tril_indices_from": lambda arr, k=0: _places_of(arr, k, True),
    "triu_indices_from": lambda arr, k=0: _places_of(arr, k, False),
    "trace": lambda a, offset=0, axis1=0, axis2=1, dtype=None: f.diagonal(a, offset, axis1, axis2).sum(
        axis=-1, dtype=dtype),
})  # fmt: skip
f.rows("plain", {
    "tril_indices": lambda n, k=0, m=None, chunks="auto": _places_in(n, k, m, chunks, True),
    "triu_indices": lambda n, k=0, m=None, chunks="auto": _places_in(n, k, m, chunks, False),
})  # fmt: skip


def _diagonal_block(x, shape, row, column):
    return ours(np.diag(numpys(x)) if row == column else np.zeros(shape, x.dtype))


@f.row("array")
def diag(v, k=0):
    if v.ndim == 2:
        return f.diagonal(v, k)
    if v.ndim != 1:
        raise (
            ValueError("Array must be 1d or 2d only") if v.ndim else TypeError("v must be a dask array or numpy array")
        )
    chunks, (row, column) = v.chunks * 2, (Each(range(v.npartitions), axis) for axis in (0, 1))
    found = made("diag", chunks, v.dtype, (_diagonal_block, At(v, [0]), Each(chunks), row, column))
    return f.pad(found, ((max(0, -k), max(0, k)), (max(0, k), max(0, -k)))) if k else found


@f.row("array")
def diagonal(a, offset=0, axis1=0, axis2=1):
    told = {"offset": offset, "axis1": axis1, "axis2": axis2}
    shown = np.diagonal(shadow(a.shape, (0,) * a.ndim), **told)  # NumPy says which shape it has
    return whole(shown.shape, a.dtype, np.diagonal, a, **told)
