"""Equations, solved at once."""

import numpy as _np

import kasoku as _ks

from ..... import cupy as _cupy
from ....._face.kernels import kernel as _kernel
from ....._face.table import plain as _plain
from .._matrix import spmatrix as _spmatrix

__all__ = "spsolve spsolve_triangular factorized splu spilu SuperLU lsqr lsmr MatrixRankWarning".split()


class MatrixRankWarning(UserWarning):
    """The matrix has no inverse."""


# Rows of a band matrix as they are in memory: of row r the columns r - below … r + above + below, the last ones for what exchanges of
# rows bring. One thread goes down the rows; a right side's columns are by its side.
_band_solve = _kernel("raw T band, raw T x, int64 n, int64 below, int64 above, int64 columns", "int32 is_singular", """
      const long long width = 2 * below + above + 1;
      is_singular = 0;
      for (long long k = 0; k < n; k++) {
        const long long end = k + below + 1 < n ? k + below + 1 : n, right = k + above + below + 1 < n ? k + above + below + 1 : n;
        long long pivot = k;
        double most = -1;
        for (long long r = k; r < end; r++) {
          const double size = abs(band[r * width + k - r + below]);
          if (size > most) { most = size; pivot = r; }
        }
        if (!(most > 0)) { is_singular = 1; continue; }
        if (pivot != k) {
          for (long long c = k; c < right; c++) {
            const T held = band[k * width + c - k + below];
            band[k * width + c - k + below] = band[pivot * width + c - pivot + below];
            band[pivot * width + c - pivot + below] = held;
          }
          for (long long c = 0; c < columns; c++) {
            const T held = x[k * columns + c];
            x[k * columns + c] = x[pivot * columns + c];
            x[pivot * columns + c] = held;
          }
        }
        for (long long r = k + 1; r < end; r++) {
          const T share = band[r * width + k - r + below] / band[k * width + below];
          if (share == T(0)) continue;
          T *const to = &band[r * width - r + below];
          const T *const from = &band[k * width - k + below];
          for (long long c = k; c < right; c++) to[c] -= share * from[c];
          for (long long c = 0; c < columns; c++) x[r * columns + c] -= share * x[k * columns + c];
        }
      }
      for (long long k = n - 1; k >= 0; k--) {
        const long long right = k + above + below + 1 < n ? k + above + below + 1 : n;
        for (long long c = 0; c < columns; c++) {
          T all = x[k * columns + c];
          for (long long j = k + 1; j < right; j++) all -= band[k * width + j - k + below] * x[j * columns + c];
          x[k * columns + c] = all / band[k * width + below];
        }
      }""", "sparse_band_solve")  # fmt: skip

_triangular_solve = _kernel("raw T data, raw int32 indices, raw int32 indptr, int64 n, int64 columns, int32 lower, int32 unit", "raw T x", """
      for (long long s = 0; s < n; s++) {
        const long long r = lower ? s : n - 1 - s;
        T all = x[r * columns + i], diagonal = T(1);
        for (int k = indptr[r]; k < indptr[r + 1]; k++) {
          const long long c = indices[k];
          if (c == r) { if (!unit) diagonal = data[k]; }
          else if (lower ? c < r : c > r) all -= data[k] * x[c * columns + i];
        }
        x[r * columns + i] = all / diagonal;
      }""", "sparse_triangular_solve")  # fmt: skip


def _square(A):
    if not isinstance(A, _spmatrix):
        raise TypeError("A must be cupyx.scipy.sparse.spmatrix")
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be a square matrix (A.shape: {A.shape})")
    return A.tocsr()


def spsolve(A, b):
    """x of A x = b: elimination within the band that A's elements take; where it is wide, of the whole matrix."""
    A = _square(A)
    n = A.shape[0]
    right = b.toarray() if isinstance(b, _spmatrix) else _cupy.asarray(b)
    if right.ndim not in (1, 2) or right.shape[0] != n:
        raise ValueError(f"b.shape[0] must be {n}, not {right.shape}")
    dtype = _np.result_type(A.dtype, right.dtype, "float32")
    row, column, data = A.astype(dtype)._triples()
    distance = column.astype("int64") - row
    below, above = (max(0, int(x.max())) if x.size else 0 for x in (-distance, distance))
    x = right.astype(dtype).reshape(n, -1).copy()
    width = 2 * below + above + 1
    if n and width < n // 4:
        band = _cupy.zeros((n, width), dtype)
        _cupy.add.at(band, (row, distance + below), data)
        is_singular = _cupy.zeros(1, "int32")
        _band_solve(band, x, n, below, above, x.shape[1], is_singular)
        if bool(is_singular[0]):
            _ks.errors._warn(MatrixRankWarning, "Matrix is exactly singular")
            x = _cupy.full_like(x, _np.nan)
    elif n:
        x = _cupy.linalg.solve(A.astype(dtype).toarray(), x)
    return x.reshape(right.shape)


def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    """x of A x = b for a triangle; what is on its other side is not read."""
    A = _square(A)
    b = _cupy.asarray(b)
    if b.ndim not in (1, 2) or b.shape[0] != A.shape[0]:
        raise ValueError(f"A and b have incompatible shapes: {A.shape}, {b.shape}")
    A.sum_duplicates()
    dtype = _np.result_type(A.dtype, b.dtype, "float32")
    x = b.astype(dtype).reshape(b.shape[0], -1).copy()
    if x.size:
        n, columns = x.shape
        rows = A.data.astype(dtype), A.indices, A.indptr
        _triangular_solve(*rows, n, columns, int(lower), int(unit_diagonal), x, size=columns)
    return x.reshape(b.shape)


class SuperLU:
    """A matrix whose equations are solved: `solve(rhs, trans="N")`."""

    def __init__(self, A):
        self._matrix = _square(A)
        self.shape, self.nnz = A.shape, A.nnz

    def solve(self, rhs, trans="N"):
        if trans not in ("N", "T", "H"):
            raise ValueError("trans must be 'N', 'T', or 'H'")
        matrix = self._matrix if trans == "N" else self._matrix.T if trans == "T" else self._matrix.getH()
        return spsolve(matrix, rhs)


_plain(globals(), {
    "splu": (lambda A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options=None: SuperLU(A),
        "What solves A's equations; each call eliminates."),
    "spilu": (lambda A, drop_tol=None, fill_factor=None, drop_rule=None, permc_spec=None, diag_pivot_thresh=None, relax=None,
        panel_size=None, options=None: SuperLU(A), "As splu(): nothing is dropped."),
    "factorized": (lambda A: SuperLU(A).solve, "The function that solves A's equations."),
})  # fmt: skip


def lsqr(A, b, **options):
    """The least squares of A x - b, of the whole matrix: x, why it ended, and how long it took, as SciPy has them."""
    x = _cupy.linalg.lstsq(A.toarray(), b, rcond=None)[0]
    left = _cupy.linalg.norm(b - A @ x)
    return x, 1, None, left, left, None, None, None, None, None


def lsmr(A, b, **options):
    """The least squares of A x - b, of the whole matrix."""
    x, *_ = lsqr(A, b)
    left = b - A @ x
    return x, 1, None, _cupy.linalg.norm(left), _cupy.linalg.norm(A.T @ left), None, None, _cupy.linalg.norm(x)
