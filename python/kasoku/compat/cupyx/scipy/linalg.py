"""cupyx.scipy.linalg: what the engine's solutions give, with SciPy's arguments."""

import math as _math

import kasoku as _ks
from kasoku._core import _linalg

from ...cupy._arrays import asarray as _asarray
from ...cupy._table import _here
from ..._face.compositions import block_diagonal as _block_diagonal, solve_triangle as _solve_triangle
from ..._face.compositions import diagonals as _diagonals, matrix_exp as expm  # noqa: F401
from ..._face.kernels import kernel as _kernel
from ..._face.table import plain as _plain


def _finite(is_asked, *arrays):
    if is_asked and not all(bool(_ks.isfinite(a).all()) for a in arrays):
        raise ValueError("array must not contain infs or NaNs")


def _blocks(*arrs):
    arrays = [_ks.asarray(a) for a in arrs] or [_ks.zeros((1, 0))]
    return _block_diagonal(arrays, _ks.result_type(*arrays))


def _by_places(c, r, of):
    """The matrix of(column, row, i, j) of so many rows and columns."""
    c, r = (_ks.ravel(_ks.asarray(x)) for x in (c, r))
    return of(c, r, _ks.arange(c.size, device=c.device)[:, None], _ks.arange(r.size, device=c.device))


_exchange = _kernel("raw int32 pivots, int64 n", "raw int64 order", """
      for (int k = 0; k < n; k++) order[k] = k;
      for (int k = 0; k < n; k++) {
        const long long kept = order[k];
        order[k] = order[pivots[k]];
        order[pivots[k]] = kept;
      }""", "order_of_exchanges")  # fmt: skip


def _order_of(pivots):
    """Where the rows stand after those exchanges."""
    order = _ks.empty(pivots.size, "int64", pivots.device)
    if pivots.size:
        _exchange(pivots, pivots.size, order, size=1)
    return order


def lu_factor(a, overwrite_a=False, check_finite=True):
    """L, without its diagonal of ones, and U in one matrix, and with which row each row was exchanged."""
    a = _asarray(a)
    if a.ndim != 2:
        raise ValueError("expected matrix")
    _finite(check_finite, a)
    n, m = a.shape
    most = max(n, m)
    # Rows and columns of zeros take no part in the choice of pivots.
    a = a.astype(_ks.result_type(a, "float32"))
    factors, pivots = _linalg._lu(_ks.pad(a, ((0, most - n), (0, most - m))))
    return factors[:n, :m], pivots[: min(n, m)]


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """P, L and U with a = P L U, or P L and U: L has ones on its diagonal, P changes the places of rows."""
    factors, pivots = lu_factor(a, check_finite=check_finite)
    n, k = factors.shape[0], pivots.size
    order = _order_of(_ks.concatenate((pivots, _ks.arange(k, n, dtype="int32", device=pivots.device))))
    one = _ks.eye(n, k, dtype=factors.dtype, device=factors.device)
    low, high = _ks.tril(factors[:, :k], -1) + one, _ks.triu(factors[:k])
    if permute_l:
        return low[_ks.argsort(order)], high
    p = _ks.eye(n, dtype=_ks.real(low).dtype, device=factors.device)[:, order] if n else _ks.real(low[:, :0])
    return p, low, high


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """x with a x = b, of what lu_factor gives; trans 1: of a's transpose, 2: of the conjugated one."""
    (factors, pivots), b = lu_and_piv, _asarray(b)
    if factors.shape[0] != b.shape[0]:
        raise ValueError("incompatible dimensions.")
    _finite(check_finite, b)
    order = _order_of(pivots)
    if trans == 0:
        return _solve_triangle(factors, _solve_triangle(factors, b[order], False, True), True)
    y = _solve_triangle(factors, b, True, False, trans == 1, trans == 2)
    return _solve_triangle(factors, y, False, True, trans == 1, trans == 2)[_ks.argsort(order)]


def _companion(a):
    a = _ks.atleast_1d(a)
    if a.ndim != 1:
        raise ValueError("`a` must be one-dimensional.")
    if a.size < 2:
        raise ValueError("The length of `a` must be at least 2.")
    first = -a[1:] / (1.0 * a[0])
    return _ks.concatenate((first[None], _ks.eye(a.size - 2, a.size - 1, dtype=first.dtype, device=a.device)))


def _convolution_matrix(a, n, mode="full"):
    a = _ks.ravel(_asarray(a))
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    if not a.size:
        raise ValueError("len(a) must be at least 1.")
    rows = {"full": a.size + n - 1, "same": max(a.size, n), "valid": max(a.size, n) - min(a.size, n) + 1}
    if mode not in rows:
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    # As numpy.convolve cuts the whole, whose rows these are.
    first = {"full": 0, "same": (min(a.size, n) - 1) // 2, "valid": min(a.size, n) - 1}[mode]
    at = _ks.arange(first, first + rows[mode], device=a.device)[:, None] - _ks.arange(n, device=a.device)
    return _ks.where((at >= 0) & (at < a.size), a[_ks.clip(at, 0, a.size - 1)], 0)


def _dft(n, scale=None):
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    k = _ks.arange(n)
    angles = (-2 * _math.pi / n) * (k[:, None] * k % n)
    return (_ks.cos(angles) + 1j * _ks.sin(angles)) / {None: 1, "n": n, "sqrtn": _math.sqrt(n)}[scale]


def _fiedler_companion(a):
    a = _ks.atleast_1d(a)
    if a.ndim != 1:
        raise ValueError("Input 'a' must be a 1-D array.")
    if a.size <= 1:
        return _ks.zeros((0,), a.dtype, a.device)
    if a.size == 2:
        return -(a[1] / a[0]).reshape(1, 1)
    a, n = a / a[0], a.size - 1
    c = _ks.zeros((n, n), a.dtype, a.device)
    for row, column, values in ((0, 1, -a[2::2]), (2, 1, -a[3::2]), (0, 2, 1), (3, 1, 1)):
        at = 2 * _ks.arange(max(0, (n + 1 - max(row, column)) // 2), device=a.device)  # every other place
        c[row + at, column + at] = values
    c[0, 0], c[1, 0] = -a[1], 1
    return c


def _hadamard(n, dtype=int):
    if n < 1 or n & (n - 1):
        raise ValueError("n must be an positive integer, and n must be a power of 2")
    k = _ks.arange(n)
    return (1 - 2 * (_ks.bitwise_count(k[:, None] & k).astype("int64") % 2)).astype(dtype)


def _helmert(n, full=False):
    k = _ks.arange(n, dtype="float64")
    rows = _ks.where(k[:, None] > k, 1.0, _ks.where(k[:, None] == k, -k, 0.0))
    rows = rows / _ks.sqrt(_ks.where(k == 0, 1, k * (k + 1)))[:, None]
    return _ks.concatenate((_ks.full((1, n), 1 / _math.sqrt(n)), rows[1:])) if full else rows[1:]


def _khatri_rao(a, b):
    a, b = _asarray(a), _asarray(b)
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    return (a[:, None] * b[None]).reshape(a.shape[0] * b.shape[0], a.shape[1])


def _leslie(f, s):
    f, s = _asarray(f), _asarray(s)
    if f.ndim != 1 or s.ndim != 1:
        raise ValueError("Input f and s must be 1-D arrays")
    if f.size != s.size + 1:
        raise ValueError("The length of s must be one less than the length of f")
    below = _diagonals(s.astype(_ks.result_type(f, s)), -1)
    below[0] = f
    return below


def _bandwidth(a):
    a = _asarray(a)
    if a.ndim != 2:
        raise ValueError("Input array must be a 2D NumPy array")
    off = _ks.arange(a.shape[0], device=a.device)[:, None] - _ks.arange(a.shape[1], device=a.device)
    off = _ks.where(a != 0, off, 0)
    return int(off.max(initial=0)), -int(off.min(initial=0))


_plain(globals(), {
    "solve_triangular": (lambda a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=False: (
        _finite(check_finite, a, b) or _solve_triangle(a, b, not lower, unit_diagonal, trans in (1, "T"), trans not in (0, "N", 1, "T"))),
        'x with a x = b, where one triangle of a is read; trans 1 ("T"): of its transpose, 2 ("C"): of the conjugated one.'),
    "block_diag": (_blocks, "Blocks along the diagonal of a matrix of zeros."),
    "toeplitz": (lambda c, r=None: _by_places(c, _ks.conjugate(c) if r is None else r, lambda c, r, i, j: (
        _ks.concatenate((_ks.flip(c[1:]), c[:1], r[1:]))[j - i + c.size - 1])),
        "A matrix whose diagonals are constant: its first column and its first row."),
    "circulant": (lambda c: _by_places(c, c, lambda c, r, i, j: c[(i - j) % c.size]), "A matrix whose columns are the first one turned."),
    "hankel": (lambda c, r=None: _by_places(c, _ks.zeros_like(c) if r is None else r, lambda c, r, i, j: (
        _ks.concatenate((c, r[1:]))[i + j])), "A matrix whose antidiagonals are constant: its first column and its last row."),
    "bandwidth": (_bandwidth, "How many diagonals below and above the main one are not all 0."),
    "companion": (_companion, "The matrix whose eigenvalues are the roots of a polynomial."),
    "convolution_matrix": (_convolution_matrix, "The matrix whose product with a vector of n elements is the convolution with `a`."),
    "dft": (_here(_dft), "The matrix of the discrete Fourier transform of n elements."),
    "fiedler": (lambda a: _ks.abs(_ks.atleast_1d(a)[:, None] - _ks.atleast_1d(a)), "The matrix of |a[i] - a[j]|."),
    "fiedler_companion": (_fiedler_companion, "A matrix of five diagonals whose eigenvalues are the roots of a polynomial."),
    "hadamard": (_here(_hadamard), "Hadamard's matrix of 1 and -1, whose rows are orthogonal."),
    "helmert": (_here(_helmert), "Helmert's matrix, with a first row of equal elements if `full`."),
    "hilbert": (_here(lambda n: 1.0 / (_ks.arange(1, n + 1)[:, None] + _ks.arange(n))), "Hilbert's matrix of 1 / (i + j + 1)."),
    "khatri_rao": (_khatri_rao, "The Kronecker products of columns."),
    "kron": lambda a, b: _ks.kron(a, b),
    "leslie": (_leslie, "Leslie's matrix of fecundities and of shares that survive."),
    "tri": (_here(lambda N, M=None, k=0, dtype=None: _ks.tri(N, M, k, dtype or float)), "Ones on a diagonal and below it."),
    "tril": lambda m, k=0: _ks.tril(m, k),
    "triu": lambda m, k=0: _ks.triu(m, k),
})  # fmt: skip
