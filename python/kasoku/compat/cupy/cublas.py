"""cupy.cublas: the routines of BLAS under their own names, as what the engine computes of arrays. Vectors and matrices that
a routine changes are written in place; alpha, beta and results may be arrays of no axes, NumPy's too."""

import numpy as _np

import kasoku as _ks

from .._face.table import plain as _plain
from ._arrays import empty as _empty, stored as _stored

# By BLAS's letters and cuBLAS's numbers
_turns = {
    (0, "N", "n"): lambda a: a,
    (1, "T", "t"): lambda a: a.T,
    (2, "C", "c", "H", "h"): lambda a: _ks.conjugate(a.T),
}


def _turn(a, trans):
    """The matrix as `trans` says: itself, its transpose or the conjugated one."""
    for words, turned in _turns.items():
        if trans in words:
            return turned(a)
    raise TypeError(f"a matrix is turned by N, T or H, not by {trans!r}")


def _real(x):
    """A vector that no routine of complex numbers of that name takes."""
    if x.dtype.kind == "c":
        raise TypeError(f"cublas has no such routine of {x.dtype}: the ones that end in u and c do")
    return x


def _one_norm(x):
    return _ks.abs(x) if x.dtype.kind != "c" else _ks.abs(x.real) + _ks.abs(x.imag)


def _number(value, like):
    """alpha and beta in the dtype of what they multiply."""
    return value if isinstance(value, _ks.Array) else _np.asarray(value).astype(like.dtype)[()]


def _scaled(product, alpha, beta=None, c=None):
    """alpha * product + beta * c."""
    result = _number(alpha, product) * product
    return result if c is None else result + _number(beta, c) * c


def _result(value, out):
    """The number, where `out` has it: an array of no axes, NumPy's too."""
    if isinstance(out, _np.ndarray):
        out[...] = value.get()
        return out
    return _stored(value, out)


def _added(matrix, product, alpha):
    matrix[...] = _scaled(product, alpha) + matrix


def _gemm(product, out, alpha, beta):
    if out is None:
        return _stored(_scaled(product, alpha), _empty(product.shape, product.dtype, "F"))
    return _stored(_scaled(product, alpha, beta, out), out)


def _triangle(value, kept, lower):
    """One triangle of a matrix beside the other of another."""
    return _ks.tril(value) + _ks.triu(kept, 1) if lower else _ks.triu(value) + _ks.tril(kept, -1)


def _of_band(a, k, lower):
    """The symmetric matrix of which a band is stored by diagonals."""
    n = a.shape[1]
    row, column = _ks.arange(n, device=a.device)[:, None], _ks.arange(n, device=a.device)
    first, second = _ks.minimum(row, column), _ks.maximum(row, column)
    at = (second - first, first) if lower else (k + first - second, second)
    return _ks.where(second - first <= k, a[_ks.clip(at[0], 0, k), at[1]], 0)


def _diagonal(a, x, incx):
    """What a diagonal matrix has: elements of x at a distance, from the other end if it is negative."""
    x = x.ravel()
    return x if incx == 1 else x[0] if incx == 0 else x[::incx]


_limit = {"gesv": 256}
_plain(globals(), {
    "iamax": (lambda x, out=None: _result((_ks.argmax(_one_norm(x)) + 1).astype("int32"), out), "Which element has the largest |real| + |imaginary|, from 1."),
    "iamin": (lambda x, out=None: _result((_ks.argmin(_one_norm(x)) + 1).astype("int32"), out), "Which element has the smallest |real| + |imaginary|, from 1."),
    "asum": (lambda x, out=None: _result(_ks.sum(_one_norm(x)), out), "The sum of |real| + |imaginary|."),
    "nrm2": (lambda x, out=None: _result(_ks.linalg.norm(x), out), "The Euclidean length."),
    "dot": (lambda x, y, out=None: _result(_real(x) @ _real(y), out), "The product of two real vectors."),
    "dotu": (lambda x, y, out=None: _result(x @ y, out), "The product of two vectors."),
    "dotc": (lambda x, y, out=None: _result(_ks.conjugate(x) @ y, out), "The product of two vectors, the first one conjugated."),
    "axpy": (lambda a, x, y: _added(y, x, a), "y += a * x"),
    "scal": (lambda a, x: _stored(_scaled(x, a), x), "x *= a"),
    "gemv": (lambda transa, alpha, a, x, beta, y: _stored(_scaled(_turn(a, transa) @ x, alpha, beta, y), y), "y = alpha * op(a) @ x + beta * y"),
    "sbmv": (lambda k, alpha, a, x, beta, y, lower=False: _stored(_scaled(_of_band(a, k, lower) @ x, alpha, beta, y), y), "y = alpha * a @ x + beta * y, of a symmetric matrix a, of which a holds k + 1 diagonals as rows."),
    "ger": (lambda alpha, x, y, a: _added(a, _ks.outer(_real(x), _real(y)), alpha), "a += alpha * outer(x, y), of real vectors"),
    "geru": (lambda alpha, x, y, a: _added(a, _ks.outer(x, y), alpha), "a += alpha * outer(x, y)"),
    "gerc": (lambda alpha, x, y, a: _added(a, _ks.outer(x, _ks.conjugate(y)), alpha), "a += alpha * outer(x, conjugate(y))"),
    "gemm": (lambda transa, transb, a, b, out=None, alpha=1.0, beta=0.0: _gemm(_turn(a, transa) @ _turn(b, transb), out, alpha, beta), "alpha * op(a) @ op(b) + beta * out"),
    "geam": (lambda transa, transb, alpha, a, beta, b, out=None: _stored(_scaled(_turn(a, transa), alpha, beta, _turn(b, transb)), out), "alpha * op(a) + beta * op(b)"),
    "dgmm": (lambda side, a, x, out=None, incx=1: _stored(
        _diagonal(a, x, incx)[..., None] * a if side in (0, "L", "l") else a * _diagonal(a, x, incx), out), "diag(x) @ a, or a @ diag(x) on the side R."),
    "syrk": (lambda trans, a, out=None, alpha=1.0, beta=0.0, lower=False: _syrk(_turn(a, trans), out, alpha, beta, lower), "One triangle of alpha * op(a) @ op(a).T + beta * out."),
    "batched_gesv": (lambda a, b: _ks.linalg.solve(a, b[..., None] if b.ndim == a.ndim - 1 else b).reshape(b.shape), "x with a @ x = b, of stacks of matrices."),
    "get_batched_gesv_limit": (lambda: _limit["gesv"],
        "Up to which size CuPy solves stacks of systems by cuBLAS. Here it is remembered alone."),
    "set_batched_gesv_limit": (lambda limit: _limit.update(gesv=limit),
        "Remembered; stacks of systems of any size are solved by the engine."),
})  # fmt: skip


def _syrk(a, out, alpha, beta, lower):
    product = a @ a.T
    if out is None:
        return _triangle(_scaled(product, alpha), _ks.zeros_like(product), lower)
    return _stored(_triangle(_scaled(product, alpha, beta, out), out, lower), out)
