"""Equations, solved step by step."""

import numpy as _np

import kasoku as _ks

from ..... import cupy as _cupy
from ....._face.table import bound as _bound, plain as _plain
from ._operators import aslinearoperator as _aslinearoperator

__all__ = "cg cgs gmres minres bicgstab".split()


def _system(A, b, x0, M, maxiter, tol, atol, factor=10):
    A = _aslinearoperator(A)
    n = A.shape[0]
    if A.shape != (n, n):
        raise ValueError(f"expected square matrix (shape: {A.shape})")
    if b.shape not in ((n,), (n, 1)):
        raise ValueError(f"b has incompatible dimensions: {b.shape}")
    dtype = _np.dtype(A.dtype if A.dtype.char in "fdFD" else "float64")
    b = b.astype(dtype).ravel()
    x = _cupy.zeros(n, dtype) if x0 is None else x0.astype(dtype).ravel().copy()
    if x.size != n:
        raise ValueError("x0 has incompatible dimensions")
    M = None if M is None else _aslinearoperator(M)
    if M is not None and M.shape != A.shape:
        raise ValueError(f"matrix and preconditioner have different shapes: {A.shape}, {M.shape}")
    before = (lambda r: r.copy()) if M is None else M.matvec
    size = float(_norm(b))
    limit = max(tol * size, tol if atol is None and size == 0 else atol or 0.0)
    return A, b, x, before, factor * n if maxiter is None else maxiter, limit


def _norm(r):
    return _ks.linalg.norm(r)


def _told(callback, x):
    if callback is not None:
        callback(x)


class _Breakdown(Exception):
    """A product that the next step divides by is zero."""


def _divisor(product):
    if complex(product) == 0:
        raise _Breakdown
    return product


def _solved(A, b, x0=None, tol=1e-5, maxiter=None, M=None, callback=None, atol=None, *, rtol=None, steps):
    """What `steps` come to: a generator over (x, residual), which it takes on, of which each is one step. `rtol` is tol's newer name."""
    A, b, x, before, most, limit = _system(A, b, x0, M, maxiter, tol if rtol is None else rtol, atol)
    if not b.any():
        return b, 0  # a copy
    r = b - A.matvec(x)
    taken = steps(A.matvec, before, x, r, lambda r: float(_norm(r)) <= limit)
    try:
        for _ in range(most):
            if float(_norm(r)) <= limit:
                return x, 0
            x, r = next(taken)
            _told(callback, x)
    except _Breakdown:
        return x, -10
    return x, 0 if float(_norm(r)) <= limit else most


def _cg_steps(product, before, x, r, is_small):
    p, rho = None, None
    while True:
        z = before(r)
        old, rho = rho, _cupy.vdot(r, z)
        p = z if p is None else z + (rho / old) * p
        q = product(p)
        alpha = rho / _cupy.vdot(p, q)
        x, r = x + alpha * p, r - alpha * q
        yield x, r


def _cgs_steps(product, before, x, r, is_small):
    shadow, rho, p, q = r.copy(), None, None, None
    while True:
        old, rho = rho, _divisor(_cupy.vdot(shadow, r))
        if p is None:
            u = p = r
        else:
            beta = rho / old
            u = r + beta * q
            p = u + beta * (q + beta * p)
        v = product(before(p))
        alpha = rho / _cupy.vdot(shadow, v)
        q = u - alpha * v
        both = before(u + q)
        x, r = x + alpha * both, r - alpha * product(both)
        yield x, r


def _bicgstab_steps(product, before, x, r, is_small):
    shadow, rho, alpha, omega, p, v = r.copy(), None, None, None, None, None
    while True:
        old, rho = rho, _divisor(_cupy.vdot(shadow, r))
        p = r if p is None else r + (rho / old) * (alpha / omega) * (p - omega * v)
        turned = before(p)
        v = product(turned)
        alpha = rho / _cupy.vdot(shadow, v)
        x, r = x + alpha * turned, r - alpha * v
        if not is_small(r):  # else the second half of the step is nothing by nothing
            again = before(r)
            t = product(again)
            omega = _cupy.vdot(t, r) / _cupy.vdot(t, t)
            x, r = x + omega * again, r - omega * t
        yield x, r


_plain(globals(), {
    "cg": (_bound(_solved, steps=_cg_steps),
        "x of A x = b for a Hermitian matrix that is positive definite, and 0, or how many steps did not suffice."),
    "cgs": (_bound(_solved, steps=_cgs_steps),
        "x of A x = b by conjugate gradients squared, and 0, or how many steps did not suffice; -10 if one has no next."),
    "bicgstab": (_bound(_solved, steps=_bicgstab_steps),
        "x of A x = b by stabilised biconjugate gradients, and 0, or how many steps did not suffice; -10 if one has no next."),
})  # fmt: skip


def gmres(A, b, x0=None, tol=1e-5, restart=None, maxiter=None, M=None, callback=None, atol=None, callback_type=None, *,
          rtol=None):  # fmt: skip
    """x of A x = b with the least residual among powers of A, and 0, or how many steps did not suffice."""
    if callback_type not in (None, "x", "pr_norm"):
        raise ValueError(f"Unknown callback_type: {callback_type}")
    A, b, x, before, most, limit = _system(A, b, x0, M, maxiter, tol if rtol is None else rtol, atol)
    if not b.any():
        return b * 0, 0
    n, size = b.size, float(_norm(b))
    width = min(20 if restart is None else restart, n)
    done = 0
    while True:
        r = b - A.matvec(before(x) if done == 0 and x0 is None else x)
        left = float(_norm(r))
        if callback is not None and done and callback_type in (None, "pr_norm"):
            callback(left / size)
        if left <= limit or done >= most:
            return x, 0 if left <= limit else done
        basis, h = _cupy.zeros((n, width + 1), b.dtype), _np.zeros((width + 1, width), b.dtype)
        basis[:, 0] = r / left
        for k in range(width):
            w = A.matvec(before(basis[:, k]))
            for _ in range(2):  # once more: what was rounded away is left out too
                shares = basis[:, : k + 1].conj().T @ w
                w = w - basis[:, : k + 1] @ shares
                h[: k + 1, k] += shares.get()
            h[k + 1, k] = float(_norm(w))
            if abs(h[k + 1, k]) <= 1e-14 * abs(h[: k + 1, k]).max():
                break
            basis[:, k + 1] = w / h[k + 1, k].real
        k += 1
        y = _np.linalg.lstsq(h[: k + 1, :k], _np.eye(k + 1, 1, dtype=b.dtype)[:, 0] * left, rcond=None)[0]
        x = x + before(basis[:, :k] @ _cupy.asarray(y))
        done += k
        if callback is not None and callback_type == "x":
            callback(x)


def minres(A, b, x0=None, shift=0.0, tol=1e-5, maxiter=None, M=None, callback=None, check=False):
    """x of (A - shift) x = b for a Hermitian matrix, with the least residual, and 0, or how many steps did not suffice."""
    A, b, x, before, most, limit = _system(A, b, x0, M, maxiter, tol, None, factor=5)
    # Lanczos' vectors, and the factor R of their tridiagonal matrix as it grows.
    v_old, v = _cupy.zeros_like(b), b - A.matvec(x) + shift * x
    z = before(v)
    beta = float(_cupy.sqrt(_cupy.vdot(v, z).real))
    if beta == 0 or not b.any():
        return (x if b.any() else b * 0), 0
    eta, gamma_old, gamma, sigma_old, sigma = beta, 1.0, 1.0, 0.0, 0.0
    w_old = w = _cupy.zeros_like(b)
    beta_old = 1.0
    for step in range(most):
        q = z / beta
        av = A.matvec(q) - shift * q
        alpha = float(_cupy.vdot(q, av).real)
        v_new = av - (alpha / beta) * v - (beta / beta_old) * v_old if step else av - (alpha / beta) * v
        z = before(v_new)
        beta_new = float(_cupy.sqrt(abs(_cupy.vdot(v_new, z).real)))
        delta = gamma * alpha - gamma_old * sigma * beta
        rho = (delta * delta + beta_new * beta_new) ** 0.5
        second, third = sigma * alpha + gamma_old * gamma * beta, sigma_old * beta
        if rho == 0:
            break
        gamma_old, gamma, sigma_old, sigma = gamma, delta / rho, sigma, beta_new / rho
        w_old, w = w, (q - third * w_old - second * w) / rho
        x = x + gamma * eta * w
        eta = -sigma * eta
        v_old, v, beta_old, beta = v, v_new, beta, beta_new
        _told(callback, x)
        if float(_norm(b - A.matvec(x) + shift * x)) <= limit:
            return x, 0
        if beta == 0:
            break
    return x, 0 if float(_norm(b - A.matvec(x) + shift * x)) <= limit else most
