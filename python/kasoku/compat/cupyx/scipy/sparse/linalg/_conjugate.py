"""lobpcg: eigenvalues at an end of a Hermitian matrix by blocks of conjugate directions."""

import warnings as _warnings

import numpy as _np

from ..... import cupy as _cupy
from ._operators import aslinearoperator as _aslinearoperator

__all__ = ["lobpcg"]


def lobpcg(A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0, retLambdaHistory=False,
           retResidualNormsHistory=False):  # fmt: skip
    """The largest (or smallest) eigenvalues of `A x = w B x` and their vectors, from the columns of X on, which are at right angles
    to those of Y. M is near to the inverse of A. Each step looks for the best vectors among those that are there, what `M` makes
    of their residuals, and the directions of the step before (Knyazev, 2001)."""
    x = _cupy.array(X)
    if x.ndim != 2:
        raise ValueError(f"expected rank-2 array for argument X, but it has {x.ndim} axes")
    n, k = x.shape
    if k > n:
        raise ValueError(f"X column dimension exceeds the row dimension: {k} > {n}")
    if x.dtype.char not in "fdFD":
        x = x.astype("float64")
    A, B, M = (None if op is None else _applied(op) for op in (A, B, M))
    given = None if Y is None else _beside(_cupy.asarray(Y).astype(x.dtype), B)
    tol = _np.finfo(x.dtype).eps ** 0.5 * n if tol is None else tol
    maxiter = 20 if maxiter is None else maxiter

    x = _orthonormal(_at_right_angles(x, given), B)
    if x.shape[1] < k:
        raise ValueError("Linearly dependent initial approximations")
    ax, bx = A(x), x if B is None else B(x)
    values, mixed = _np.linalg.eigh(_inner(x, ax))
    at = _np.argsort(-values if largest else values)
    values, (x, ax, bx) = values[at], _mixed((x, ax, bx), mixed[:, at])
    values_then, norms_then, directions = [], [], None
    for step in range(maxiter + 1):
        residuals = ax - bx * _cupy.asarray(values.astype(x.real.dtype))
        norms = _np.asarray(_cupy.linalg.norm(residuals, axis=0).get())
        values_then.append(_cupy.asarray(values))
        norms_then.append(_cupy.asarray(norms))
        active = _np.flatnonzero(norms > tol)
        if verbosityLevel > 0:
            print(f"iteration {step}: {active.size} of {k} vectors go on, eigenvalues {values}, residual norms {norms}")
        if active.size == 0 or step == maxiter:
            break
        w = residuals[:, active]
        w = _at_right_angles(w if M is None else M(w), given)
        w = _orthonormal(w - x @ (bx.conj().T @ w), B)
        if w.shape[1] == 0:
            break
        parts = [(x, ax, bx), (w, A(w), w if B is None else B(w))]
        if directions:
            parts.append([part[:, active] for part in directions])
        s, sa, sb = (_cupy.concatenate(each, 1) for each in zip(*parts))
        found = _best(_inner(s, sa), _inner(s, sb), k, largest)
        if found is None:
            break
        values, mixed = found
        directions = _mixed((s[:, k:], sa[:, k:], sb[:, k:]), mixed[k:])
        x, ax, bx = (old + new for old, new in zip(_mixed((s[:, :k], sa[:, :k], sb[:, :k]), mixed[:k]), directions))
        sizes = _cupy.linalg.norm(directions[0], axis=0)
        directions = [part / _cupy.where(sizes == 0, 1, sizes) for part in directions]
    if active.size:
        _warnings.warn(f"Exited at iteration {step} with residual norms {norms}, not all below {tol}", UserWarning, 2)
    result = (_cupy.asarray(values.astype(x.real.dtype)), x)
    result += (values_then,) if retLambdaHistory else ()
    return result + ((norms_then,) if retResidualNormsHistory else ())


def _applied(op):
    """An operator as a function of several columns."""
    return op if callable(op) and not hasattr(op, "shape") else _aslinearoperator(op).matmat


def _inner(a, b):
    """The numbers `a^H b` on the host, Hermitian to the last digit."""
    found = (a.conj().T @ b).get()
    return (found + found.conj().T) / 2


def _mixed(parts, numbers):
    return [part @ _cupy.asarray(numbers.astype(part.dtype)) for part in parts]


def _orthonormal(x, B):
    """Columns that span what those of x do, at right angles by B; fewer where some depend on others."""
    sizes = _cupy.linalg.norm(x, axis=0)
    x = x / _cupy.where(sizes == 0, 1, sizes)
    for _ in range(2):  # the second time takes away what rounding left
        sizes, vectors = _np.linalg.eigh(_inner(x, x if B is None else B(x)))
        kept = sizes > _np.finfo(x.dtype).eps * max(sizes.max(initial=0), 0) * len(sizes)
        (x,) = _mixed((x,), vectors[:, kept] / _np.sqrt(sizes[kept]))
    return x


def _beside(Y, B):
    """Constraints: orthonormal columns, and what B makes of them."""
    Y = _orthonormal(Y, B)
    return Y, Y if B is None else B(Y)


def _at_right_angles(x, given):
    return x if given is None else x - given[0] @ (given[1].conj().T @ x)


def _best(a, b, k, largest):
    """The k best values of `a v = w b v` and their vectors; None where rounding left fewer directions."""
    scale = 1 / _np.sqrt(abs(_np.diagonal(b)))
    sizes, vectors = _np.linalg.eigh(b * scale * scale[:, None])
    kept = sizes > _np.finfo(b.dtype).eps * sizes.max() * len(sizes)
    if kept.sum() < k:
        return None
    to = scale[:, None] * vectors[:, kept] / _np.sqrt(sizes[kept])
    inner = to.conj().T @ a @ to
    values, vectors = _np.linalg.eigh((inner + inner.conj().T) / 2)
    at = _np.argsort(-values if largest else values)[:k]
    return values[at], to @ vectors[:, at]
