"""Functions that several faces have under names of their own and that are compositions of functions of ks."""

import math

import numpy as np

import kasoku as ks
from kasoku._core import _linalg

from .special import special


def log_sum(x, axis=None, keepdims=False):
    """log(sum(exp(x))), without a power that is too large."""
    axis = None if axis == () else axis
    if not x.size:
        return ks.log(ks.exp(x).sum(axis=axis, keepdims=keepdims))
    top = x.max(axis=axis, keepdims=True)
    top = ks.where(ks.isfinite(top), top, 0)
    sums = ks.log(ks.exp(x - top).sum(axis=axis, keepdims=True)) + top
    return sums if keepdims else ks.squeeze(sums, axis)


def softmax(x, axis=-1):
    powers = ks.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def log_softmax(x, axis=-1):
    x = x - x.max(axis=axis, keepdims=True) if x.size else x
    return x - ks.log(ks.exp(x).sum(axis=axis, keepdims=True))


def below(x, of):
    """x where it is above 0, of(x) below."""
    return ks.where(x > 0, x, of(ks.minimum(x, 0)))


def xlogy(x, y):
    """x log y, and 0 where x is 0; one of them may be a number."""
    if not isinstance(y, ks.Array):
        y = ks.asarray(y, dtype=x.dtype, device=x.device)
    return ks.where((x == 0) & ~ks.isnan(y), 0, x * ks.log(y))


def gelu(x, by_tanh=False):
    if by_tanh:
        return 0.5 * x * (1 + ks.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + special("erf", x / math.sqrt(2)))


def selu(x):
    return 1.0507009873554805 * ks.where(x > 0, x, 1.6732632423543772 * ks.expm1(ks.minimum(x, 0)))


def paired(real, imag):
    """Complex numbers of their parts."""
    kind = "complex128" if real.dtype == "float64" else "complex64"
    return ks.stack((real, imag), -1).view(kind)[..., 0]


def diagonals(x, k=0):
    """The last axis as the k-th diagonals of matrices."""
    n, at = x.shape[-1] + abs(k), ks.arange(x.shape[-1], device=x.device)
    out = ks.zeros((*x.shape[:-1], n, n), x.dtype, x.device)
    out[..., at + max(-k, 0), at + max(k, 0)] = x
    return out


def block_diagonal(arrays, dtype=None):
    """Matrices along the diagonal of one, which is 0 elsewhere."""
    blocks = [ks.atleast_2d(a) for a in arrays]
    ends = np.cumsum([(0, 0), *(b.shape for b in blocks)], axis=0).tolist()
    out = ks.zeros(ends[-1], dtype or blocks[0].dtype, blocks[0].device)
    for (i, j), (k, m), b in zip(ends, ends[1:], blocks):
        out[i:k, j:m] = b
    return out


def along(axis, shape, device):
    """The places along an axis of a shape, which broadcast with it."""
    return ks.arange(shape[axis], device=device).reshape([-1 if k == axis else 1 for k in range(len(shape))])


def searched(edges, values, right):
    """The positions at which values would be inserted into sorted edges; if edges have rows, each row into its own."""
    if edges.ndim == 1:
        return ks.searchsorted(edges, values, "right" if right else "left")
    if values.shape[:-1] != edges.shape[:-1]:
        raise ks.errors.ValueError(f"edges and values have not as many rows: shapes {edges.shape} and {values.shape}")
    before = edges[..., None, :] <= values[..., None] if right else edges[..., None, :] < values[..., None]
    return ks.count_nonzero(before, axis=-1)


def triangle(a, upper, unit=False):
    """One triangle of a matrix, with ones on the diagonal if asked for."""
    a = _linalg._triangle(a, not upper)
    if not unit:
        return a
    one = ks.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    return a * (1 - one) + one


def solve_triangle(a, b, upper, unit=False, transposed=False, conjugated=False):
    """x with a x = b, where one triangle of a is read; of a's transpose, or of the conjugate of that."""
    a = triangle(a, upper, unit)
    a = a.mT if transposed or conjugated else a
    return ks.linalg.solve(ks.conjugate(a) if conjugated else a, b)


def matrix_exp(x):
    """The exponential of matrices, by scaling, a Taylor series of 18 terms and squaring."""
    largest = float(ks.absolute(x).sum(axis=-1).max(initial=0))
    times = max(0, math.ceil(math.log2(max(largest, 1e-300))) + 3)
    small = x / 2.0**times
    term = total = ks.broadcast_to(ks.eye(x.shape[-1], dtype=x.dtype, device=x.device), x.shape)
    for k in range(1, 19):
        term = term @ small / k
        total = total + term
    for _ in range(times):
        total = total @ total
    return total


def window(of, count, is_periodic, *args, **options):
    """A window of signals; a periodic one is that of a place more, without the last."""
    return of(count + bool(is_periodic), *args, **options)[:count]
