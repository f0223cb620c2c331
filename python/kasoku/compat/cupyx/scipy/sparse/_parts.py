"""What formats have in common below their classes: places of elements in order, joined where they are equal."""

import numpy as _np

from .... import cupy as _cupy
from ...._face.kernels import kernel as _kernel

_segment_sums = _kernel("raw T x, raw int64 ends", "T sum", """
      T all = T(0);
      for (long long k = i ? ends[i - 1] : 0; k < ends[i]; k++) all += x[k];
      sum = all;""", "sparse_segment_sums")  # fmt: skip

_row_products = _kernel("raw T data, raw int32 indices, raw int32 indptr, raw T x, int64 columns", "T y", """
      const long long row = i / columns, column = i % columns;
      T all = T(0);
      for (int k = indptr[row]; k < indptr[row + 1]; k++) all += data[k] * x[indices[k] * columns + column];
      y = all;""", "sparse_row_products")  # fmt: skip


def dtype_of(dtype):
    """A dtype that matrices can have, as CuPy has it."""
    dtype = _np.dtype(dtype)
    if dtype.char not in "?fdFD":
        raise ValueError("Only bool, float32, float64, complex64 and complex128 are supported")
    return dtype


def segment_sums(x, ends):
    """Sums of the elements between neighbouring ends, each in order."""
    result = _cupy.empty(ends.size, x.dtype)
    if ends.size:
        _segment_sums(_cupy.ascontiguousarray(x), ends.astype("int64"), result)
    return result


def row_products(data, indices, indptr, x):
    """Rows of elements at `indices` times a matrix whose rows lie one after the other."""
    dtype = _np.result_type(data.dtype, x.dtype)
    y = _cupy.empty((indptr.size - 1, x.shape[1]), dtype)
    if y.size:
        x = _cupy.ascontiguousarray(x.astype(dtype, copy=False))
        _row_products(data.astype(dtype, copy=False), indices, indptr, x, x.shape[1], y)
    return y


def sums_by_number(number, x, n):
    """Of the elements with each number from 0 to n - 1 the sum, in double precision."""
    if x.dtype.kind == "c":
        return sums_by_number(number, x.real, n) + 1j * sums_by_number(number, x.imag, n)
    return _cupy.bincount(number, x.astype("float64", copy=False), n) if number.size else _cupy.zeros(n)


def pointers(major, n):
    """Where each of n lines begins among sorted places, and where the last one ends."""
    return _cupy.searchsorted(major, _cupy.arange(n + 1, dtype=major.dtype)).astype("int32")


def lines(indptr):
    """Which line each element is in."""
    return _cupy.repeat(_cupy.arange(indptr.size - 1, dtype="int32"), indptr[1:] - indptr[:-1])


def in_order(major, minor, data, width, join=True):
    """Elements sorted by place; with `join` those of one place become one, which is their sum."""
    if major.size == 0:
        return major, minor, data
    keys = major.astype("int64") * width + minor
    order = _cupy.argsort(keys, kind="stable")
    keys, major, minor, data = keys[order], major[order], minor[order], data[order]
    if not join:
        return major, minor, data
    last = _cupy.flatnonzero(_cupy.concatenate([keys[1:] != keys[:-1], _cupy.ones(1, bool)]))
    if last.size == keys.size:
        return major, minor, data
    return major[last], minor[last], segment_sums(data, last + 1)


def chosen_lines(indptr, at):
    """Of lines that are chosen: their pointers, and the places of their elements."""
    counts = (indptr[1:] - indptr[:-1])[at]
    ends = _cupy.cumsum(counts.astype("int64"))
    begins = ends - counts
    total = int(ends[-1]) if ends.size else 0
    places = _cupy.arange(total, dtype="int64") + _cupy.repeat(indptr[:-1][at] - begins, counts)
    return _cupy.concatenate([_cupy.zeros(1, "int64"), ends]).astype("int32"), places


def product(a, b):
    """Rows (indptr, indices, data) of the product of two matrices of rows, elements of one place not yet joined."""
    (a_ptr, a_at, a_data), (b_ptr, b_at, b_data) = a, b
    counts = (b_ptr[1:] - b_ptr[:-1])[a_at]
    _, places = chosen_lines(b_ptr, a_at)
    rows = _cupy.repeat(lines(a_ptr), counts)
    return rows, b_at[places], _cupy.repeat(a_data, counts) * b_data[places]


def aligned(a, b, width):
    """Places where one of two matrices has an element, and both matrices' elements there; each has its places once."""
    keys = [row.astype("int64") * width + column for row, column, _ in (a, b)]
    places = _cupy.unique(_cupy.concatenate(keys))
    parts = []
    for key, (_, _, data) in zip(keys, (a, b)):
        part = _cupy.zeros(places.size, data.dtype)
        part[_cupy.searchsorted(places, key)] = data
        parts.append(part)
    return (places // max(width, 1)).astype("int32"), (places % max(width, 1)).astype("int32"), *parts
