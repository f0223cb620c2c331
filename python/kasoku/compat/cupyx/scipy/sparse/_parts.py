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

# What a line of either matrix has, each place once; -1 where a line's places do not rise.
_union_counts = _kernel("raw int32 a_ptr, raw int32 a_at, raw int32 b_ptr, raw int32 b_at", "int32 count", """
      int p = a_ptr[i], q = b_ptr[i], found = 0;
      const int a_end = a_ptr[i + 1], b_end = b_ptr[i + 1];
      bool rises = true;
      for (int k = p + 1; k < a_end; k++) rises &= a_at[k - 1] < a_at[k];
      for (int k = q + 1; k < b_end; k++) rises &= b_at[k - 1] < b_at[k];
      for (; p < a_end && q < b_end; found++) {
        const int from_a = a_at[p], from_b = b_at[q];
        p += from_a <= from_b;
        q += from_b <= from_a;
      }
      count = rises ? found + (a_end - p) + (b_end - q) : -1;""", "sparse_union_counts")  # fmt: skip

_unions = _kernel("raw int32 a_ptr, raw int32 a_at, raw A a, raw int32 b_ptr, raw int32 b_at, raw B b, raw int32 begins",
    "raw int32 at, raw A x, raw B y", """
      int p = a_ptr[i], q = b_ptr[i];
      const int a_end = a_ptr[i + 1], b_end = b_ptr[i + 1];
      for (int k = begins[i]; k < begins[i + 1]; k++) {
        const bool in_a = p < a_end && (q >= b_end || a_at[p] <= b_at[q]);
        const bool in_b = q < b_end && (p >= a_end || b_at[q] <= a_at[p]);
        at[k] = in_a ? a_at[p] : b_at[q];
        x[k] = in_a ? a[p] : A(0);
        y[k] = in_b ? b[q] : B(0);
        p += in_a;
        q += in_b;
      }""", "sparse_unions")  # fmt: skip


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


def line_pairs(a, b):
    """Two matrices' elements (indptr, indices, data) side by side: pointers and indices of the places where one of them has
    an element, and both matrices' elements there. None where a line of one is not in order, or has a place twice."""
    (a_ptr, a_at, a_data), (b_ptr, b_at, b_data) = a, b
    counts = _cupy.empty(a_ptr.size - 1, "int32")
    if counts.size:
        _union_counts(a_ptr, a_at, b_ptr, b_at, counts)
        if int(counts.min()) < 0:
            return None
    indptr = _cupy.concatenate([_cupy.zeros(1, "int32"), _cupy.cumsum(counts, dtype="int32")])
    n = int(indptr[-1])
    indices, x, y = _cupy.empty(n, "int32"), _cupy.empty(n, a_data.dtype), _cupy.empty(n, b_data.dtype)
    if n:
        _unions(a_ptr, a_at, a_data, b_ptr, b_at, b_data, indptr, indices, x, y, size=counts.size)
    return indptr, indices, x, y
