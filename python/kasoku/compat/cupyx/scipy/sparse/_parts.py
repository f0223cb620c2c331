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

# The elements of a line by their places, and those of one place joined: runs of 16 by insertion, then merges, both stable.
_sort_lines = _kernel("raw int32 begins, bool join", "raw int32 at, raw T x, raw int32 other_at, raw T other, int32 count", """
      const int begin = begins[i], end = begins[i + 1];
      for (int run = begin; run < end; run += 16)
        for (int k = run + 1; k < end && k < run + 16; k++) {
          const int place = at[k];
          const T value = x[k];
          int j = k;
          for (; j > run && at[j - 1] > place; j--) { at[j] = at[j - 1]; x[j] = x[j - 1]; }
          at[j] = place;
          x[j] = value;
        }
      bool is_other = false;
      for (long long width = 16; width < end - begin; width *= 2, is_other = !is_other)
        for (long long run = begin; run < end; run += 2 * width) {
          const int middle = run + width < end ? int(run + width) : end;
          const int last = run + 2 * width < end ? int(run + 2 * width) : end;
          int p = int(run), q = middle;
          for (int k = p; k < last; k++) {
            const int from_p = is_other ? other_at[p < middle ? p : run] : at[p < middle ? p : run];
            const int from_q = is_other ? other_at[q < last ? q : run] : at[q < last ? q : run];
            const bool is_p = p < middle && (q >= last || from_p <= from_q);
            const int from = is_p ? p++ : q++;
            const int place = is_p ? from_p : from_q;
            if (is_other) { at[k] = place; x[k] = other[from]; }
            else { other_at[k] = place; other[k] = x[from]; }
          }
        }
      int to = begin;
      for (int k = begin; k < end; k++) {
        const int place = is_other ? other_at[k] : at[k];
        const T value = is_other ? other[k] : x[k];
        if (join && to > begin && at[to - 1] == place) x[to - 1] += value;
        else { at[to] = place; x[to++] = value; }
      }
      count = to - begin;""", "sparse_sort_lines")  # fmt: skip

_close_up = _kernel("raw int32 begins, raw int32 at, raw T x, raw int32 to", "raw int32 new_at, raw T new_x", """
      for (int k = to[i], from = begins[i]; k < to[i + 1]; k++, from++) { new_at[k] = at[from]; new_x[k] = x[from]; }""",
    "sparse_close_up")  # fmt: skip


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


def ends_of(counts):
    """Where lines of these lengths begin, and where the last one ends."""
    return _cupy.concatenate([_cupy.zeros(1, "int32"), _cupy.cumsum(counts, dtype="int32")])


def sorted_lines(indptr, indices, data, join=True):
    """Lines whose elements are in order; with `join` those of one place become one, which is their sum."""
    if not indices.size:
        return indptr, indices, data
    at, x = indices.copy(), data.copy()
    counts = _cupy.empty(indptr.size - 1, "int32")
    _sort_lines(indptr, join, at, x, _cupy.empty_like(at), _cupy.empty_like(x), counts)
    ends = ends_of(counts)
    n = int(ends[-1])
    if n == at.size:
        return indptr, at, x
    indices, data = _cupy.empty(n, "int32"), _cupy.empty(n, x.dtype)
    _close_up(indptr, at, x, ends, indices, data, size=counts.size)
    return ends, indices, data


def gathered_lines(major, minor, data, n):
    """Elements of any order as n lines in order: their pointers, places and values, those of one place joined."""
    order = _cupy.argsort(major, kind="stable")
    return sorted_lines(pointers(major[order], n), minor[order], data[order])


def chosen_lines(indptr, at):
    """Of lines that are chosen: their pointers, and the places of their elements."""
    counts = (indptr[1:] - indptr[:-1])[at]
    ends = _cupy.cumsum(counts.astype("int64"))
    begins = ends - counts
    total = int(ends[-1]) if ends.size else 0
    places = _cupy.arange(total, dtype="int64") + _cupy.repeat(indptr[:-1][at] - begins, counts)
    return _cupy.concatenate([_cupy.zeros(1, "int64"), ends]).astype("int32"), places


def product(a, b):
    """The product of two matrices of rows (indptr, indices, data), its rows in order."""
    (a_ptr, a_at, a_data), (b_ptr, b_at, b_data) = a, b
    counts = (b_ptr[1:] - b_ptr[:-1])[a_at]
    ends, places = chosen_lines(b_ptr, a_at)
    return sorted_lines(ends[a_ptr], b_at[places], _cupy.repeat(a_data, counts) * b_data[places])


def line_pairs(a, b):
    """Two matrices' elements (indptr, indices, data) side by side: pointers and indices of the places where one of them has
    an element, and both matrices' elements there. None where a line of one is not in order, or has a place twice."""
    (a_ptr, a_at, a_data), (b_ptr, b_at, b_data) = a, b
    counts = _cupy.empty(a_ptr.size - 1, "int32")
    if counts.size:
        _union_counts(a_ptr, a_at, b_ptr, b_at, counts)
        if int(counts.min()) < 0:
            return None
    indptr = ends_of(counts)
    n = int(indptr[-1])
    indices, x, y = _cupy.empty(n, "int32"), _cupy.empty(n, a_data.dtype), _cupy.empty(n, b_data.dtype)
    if n:
        _unions(a_ptr, a_at, a_data, b_ptr, b_at, b_data, indptr, indices, x, y, size=counts.size)
    return indptr, indices, x, y
