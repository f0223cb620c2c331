"""Linear systems of continuous and of discrete time. What a system is are a few numbers, so the host changes one form into
another; what it makes of a signal is computed where that lies."""

import math as _math

import numpy as _np

import kasoku as _ks

from ....cupy._arrays import asarray as _asarray
from ....cupy._table import _here, rows_here as _rows_here
from ...._face.compositions import matrix_exp as _matrix_exp
from ...._face.kernels import kernel as _kernel
from ._forms import _normal, _polynomials, _roots_of, _row, _shown

_steps = _kernel("raw T A, raw T B, raw T C, raw T u, int64 states, int64 inputs, int64 n", "raw T x", """
      for (long long t = 1; t < n; t++)
        for (int k = 0; k < states; k++) {
          T sum = T(0);
          for (int j = 0; j < states; j++) sum += x[(t - 1) * states + j] * A[j * states + k];
          for (int j = 0; j < inputs; j++) sum += u[(t - 1) * inputs + j] * B[j * states + k] + u[t * inputs + j] * C[j * states + k];
          x[t * states + k] = sum;
        }""", "linear_system")  # fmt: skip


def _states(first, A, B, C, u):
    """x[t] = x[t - 1] A + u[t - 1] B + u[t] C, from the first one on; one thread takes the steps."""
    n = u.shape[0]
    kind = _np.result_type(*(m.dtype for m in (first, A, B, C, u)), float)
    x = _ks.zeros((n, len(A)), kind, device=u.device)
    if x.size:
        x[0] = _ks.asarray(first.astype(kind), device=u.device)
        A, B, C = (_ks.asarray(_np.ascontiguousarray(m, kind), device=u.device) for m in (A, B, C))
        _steps(A, B, C, _ks.ascontiguousarray(u.astype(kind)), len(A), u.shape[1], n, x, size=1)
    return x


def _output(x, u, C, D):
    """C x + D u of states and inputs that are rows."""
    C, D = (_ks.asarray(_np.ascontiguousarray(m.T), device=x.device).astype(x.dtype) for m in (C, D))
    return x @ C + u.astype(x.dtype) @ D


def _exp(a):
    return _matrix_exp(_ks.array(a)).numpy()


# ── forms ─────────────────────────────────────────────────────────────────────────────────────


def _matrix(a):
    a = _np.zeros((0, 0)) if a is None else _np.atleast_2d(_row(a))
    if a.ndim != 2:
        raise ValueError("Expected 2-D arrays")
    return a


def _four(A=None, B=None, C=None, D=None):
    """All four matrices, of sizes that fit; those that are not there are zeros."""
    if A is None and (B is None or C is None) and (B is None and C is None or D is None and (B is None or C is None)):
        raise ValueError("Not enough information on the system.")
    given = A is not None, B is not None, C is not None, D is not None
    A, B, C, D = map(_matrix, (A, B, C, D))

    def length(*sizes):
        known = [of.shape[axis] for of, axis, is_given in sizes if is_given]
        if not known:
            raise ValueError("Not enough information on the system.")
        return known[0]

    n = length((A, 0, given[0]), (B, 0, given[1]), (C, 1, given[2]))
    inputs = length((B, 1, given[1]), (D, 1, given[3]))
    outputs = length((C, 0, given[2]), (D, 0, given[3]))
    shapes = (n, n), (n, inputs), (outputs, n), (outputs, inputs)
    made = []
    for matrix, shape, is_given in zip((A, B, C, D), shapes, given):
        matrix = matrix if is_given else _np.zeros(shape)
        if matrix.shape != shape:
            raise ValueError("The input arrays have incompatible shapes.")
        made.append(matrix)
    return tuple(made)


def _matrices_of(b, a):
    """The four matrices of a transfer function."""
    b, a = _normal(b, a)
    b = _np.atleast_2d(b)
    if b.shape[1] > len(a):
        raise ValueError("Improper transfer function. `num` is longer than `den`.")
    b = _np.hstack((_np.zeros((len(b), len(a) - b.shape[1]), b.dtype), b))
    D = b[:, :1]
    n = len(a) - 1
    if n == 0:
        return _np.zeros((1, 1)), _np.zeros((1, D.shape[1])), _np.zeros((len(D), 1)), D
    A = _np.vstack((-a[1:], _np.eye(n - 1, n)))
    return A, _np.eye(n, 1), b[:, 1:] - _np.outer(b[:, 0], a[1:]), D


def _transfer_of(A, B, C, D, input=0):
    """The polynomials of a system, of one of its inputs."""
    A, B, C, D = _four(A, B, C, D)
    if input >= D.shape[1]:
        raise ValueError("System does not have the input specified.")
    B, D = B[:, input : input + 1], D[:, input : input + 1]
    if D.size == 0 and C.size == 0:
        return _np.ravel(D), _np.ones(0 if A.size == 0 else 1)
    a = _np.atleast_1d(_np.poly(A)) if A.size else _np.ones(1)
    kind = _np.result_type(A.dtype, B.dtype, C.dtype, D.dtype, float)
    b = _np.stack([_np.poly(A - B @ C[k : k + 1]) + (D[k] - 1) * a for k in range(len(C))]) if len(A) else D.copy()
    return b.astype(_np.result_type(kind, b.dtype)), a


_changed = _rows_here(globals(), {
    "abcd_normalize": (lambda A=None, B=None, C=None, D=None: _shown(*_four(A, B, C, D)),
        "The matrices of a system, all of two axes; those that are not given are zeros."),
    "tf2ss": (lambda num, den: _shown(*_matrices_of(num, den)), "The matrices of a system of two polynomials."),
    "ss2tf": (lambda A, B, C, D, input=0: _shown(*_transfer_of(A, B, C, D, input)), "The polynomials of a system of matrices."),
    "zpk2ss": (lambda z, p, k: _shown(*_matrices_of(*_polynomials(z, p, k))), "The matrices of a system of zeros, poles and gain."),
    "ss2zpk": (lambda A, B, C, D, input=0: _shown(*_roots_of(*_transfer_of(A, B, C, D, input))),
        "Zeros, poles and gain of a system of matrices."),
})  # fmt: skip


@_here
def cont2discrete(system, dt, method="zoh", alpha=None):
    """A system of continuous time as one of steps dt."""
    if hasattr(system, "to_discrete"):
        return system.to_discrete(dt=dt, method=method, alpha=alpha)
    if len(system) == 2:
        return (*_changed.ss2tf(*cont2discrete(_matrices_of(*system), dt, method, alpha)[:4]), dt)
    if len(system) == 3:
        return (*_changed.ss2zpk(*cont2discrete(_changed.zpk2ss(*system), dt, method, alpha)[:4]), dt)
    if len(system) != 4:
        raise ValueError("First argument must either be a tuple of 2 (tf), 3 (zpk), or 4 (ss) arrays, or a lti object.")
    return (*_shown(*_discrete(*map(_matrix, system), float(dt), method, alpha)), dt)


def _discrete(a, b, c, d, dt, method, alpha):
    n, m = b.shape
    alpha = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0, "backward_diff": 1.0}.get(method, alpha)
    if method in ("gbt", "bilinear", "tustin", "euler", "forward_diff", "backward_diff"):
        if alpha is None:
            raise ValueError("Alpha parameter must be specified for the generalized bilinear transform (gbt) method")
        if not 0 <= alpha <= 1:
            raise ValueError("Alpha parameter must be within the interval [0,1] for the gbt method")
        later = _np.eye(n) - alpha * dt * a
        ad, bd = _np.linalg.solve(later, _np.eye(n) + (1 - alpha) * dt * a), _np.linalg.solve(later, dt * b)
        return ad, bd, _np.linalg.solve(later.T, c.T).T, d + alpha * (c @ bd)
    if method == "zoh":
        whole = _exp(_np.block([[a * dt, b * dt], [_np.zeros((m, n + m))]]))
        return whole[:n, :n], whole[:n, n:], c, d
    if method == "foh":
        ad, held, rising = _ramps(a, b, dt)
        return ad, held - rising + ad @ rising, c, d + c @ rising
    if method == "impulse":
        if not _np.allclose(d, 0):
            raise ValueError("Impulse method is only applicable to strictly proper systems")
        ad = _exp(a * dt)
        return ad, ad @ b * dt, c, c @ b * dt
    raise ValueError(f"Unknown transformation method '{method}'")


def _ramps(a, b, dt):
    """What a step makes of the states, of an input that stays, and of one that rises by 1."""
    n, m = b.shape
    upper = _np.hstack((a * dt, b * dt, _np.zeros((n, m))))
    whole = _exp(_np.vstack((upper, _np.hstack((_np.zeros((m, n + m)), _np.eye(m))), _np.zeros((m, n + 2 * m)))))
    return whole[:n, :n], whole[:n, n : n + m], whole[:n, n + m :]


# ── what a system makes of a signal ───────────────────────────────────────────────────────────


def _of_kind(system, kind, other, name):
    """The system as an object of the kind."""
    from ._models import dlti, lti

    kinds = {"lti": lti, "dlti": dlti}
    if isinstance(system, kinds[other]):
        word = "continuous" if kind == "lti" else "discrete"
        raise AttributeError(f"{name} can only be used with {word}-time systems.")
    if isinstance(system, kinds[kind]):
        return system
    return lti(*system) if kind == "lti" else dlti(*system[:-1], dt=system[-1])


@_here
def lsim(system, U, T, X0=None, interp=True):
    """Times, output and states of a system of continuous time for an input."""
    A, B, C, D = _of_kind(system, "lti", "dlti", "lsim")._matrices()
    T = _ks.atleast_1d(_asarray(T))
    if T.ndim != 1:
        raise ValueError("T must be a rank-1 array.")
    n = T.size
    times = T[:2].numpy()
    first = _np.zeros(len(A)) if X0 is None else _np.broadcast_to(_np.squeeze(_row(X0)), len(A))
    if times[0] > 0:
        first = first @ _exp(A.T * float(times[0]))
    elif times[0] < 0:
        raise ValueError("Initial time must be nonnegative")
    is_silent = U is None or isinstance(U, (int, float)) and U == 0
    u = _ks.zeros((n, B.shape[1]), device=T.device) if is_silent else _ks.atleast_1d(_asarray(U))
    u = u[:, None] if u.ndim == 1 else u
    if u.shape[0] != n:
        raise ValueError("U must have the same number of rows as elements in T.")
    if u.shape[1] != B.shape[1]:
        raise ValueError("System does not define that many inputs.")
    dt = float(times[1] - times[0]) if n > 1 else 1.0
    if n > 1 and not bool(_ks.allclose(_ks.diff(T), dt)):
        raise ValueError("Time steps are not equally spaced.")
    if interp:
        after, held, rising = _ramps(A, B, dt)
        x = _states(first, after.T, (held - rising).T, rising.T, u)
    else:
        after, held, _, _ = _discrete(A, B, C, D, dt, "zoh", None)
        x = _states(first, after.T, held.T, _np.zeros(held.T.shape), u)
    return T, _ks.squeeze(_output(x, u, C, D)), _ks.squeeze(x)


def _times(A, n):
    """So many times, until what the system has at the beginning is gone."""
    slowest = abs(_np.linalg.eigvals(A).real).min() or 1.0
    return _ks.linspace(0, 7 / slowest, n)


@_here
def impulse(system, X0=None, T=None, N=None):
    """Times, and what a system of continuous time gives after an impulse."""
    system = _of_kind(system, "lti", "dlti", "impulse").to_ss()
    A, B, _, _ = system._matrices()
    first = _np.squeeze(B) if X0 is None else _np.squeeze(B + _np.reshape(_row(X0), (-1, 1)))
    T = _times(A, 100 if N is None else N) if T is None else T
    return lsim(system, 0.0, T, first, interp=False)[:2]


@_here
def step(system, X0=None, T=None, N=None):
    """Times, and what a system of continuous time gives after a step from 0 to 1."""
    system = _of_kind(system, "lti", "dlti", "step").to_ss()
    T = _times(system._matrices()[0], 100 if N is None else N) if T is None else _asarray(T)
    return lsim(system, _ks.ones_like(T, dtype=float), T, X0, interp=False)[:2]


@_here
def dlsim(system, u, t=None, x0=None):
    """Times and output, and of matrices the states too, of a system of discrete time for an input."""
    system = _of_kind(system, "dlti", "lti", "dlsim")
    A, B, C, D = system._matrices()
    dt = float(system.dt)
    u = _ks.atleast_1d(_asarray(u))
    u = u[:, None] if u.ndim == 1 else u
    if t is None:
        n = u.shape[0]
        last = (n - 1) * dt
    else:
        t = _ks.atleast_1d(_asarray(t))
        last = float(t[-1])
        n = int(_math.floor(last / dt)) + 1
    out = _ks.linspace(0.0, last, n, device=u.device)
    if t is not None:
        if last > float(out[-1]) + 1e-9 and t.size < 2:
            raise ValueError("u is not known at all times")
        u = _ks.stack([_ks.interp(out, t, u[:, k]) for k in range(u.shape[1])], 1)
    first = _np.zeros(len(A)) if x0 is None else _np.broadcast_to(_np.squeeze(_row(x0)), len(A))
    x = _states(first, A.T, B.T, _np.zeros(B.T.shape), u)
    y = _output(x, u, C, D)
    return (out, y, x) if system._is_of_matrices else (out, y)


def _to_each(system, t, n, x0, when, name):
    """The output for each input in turn, which is 1 at some times, where the others are 0."""
    system = _of_kind(system, "dlti", "lti", name)
    n = 100 if n is None else n
    t = _ks.linspace(0, n * float(system.dt), n, endpoint=False) if t is None else _ks.atleast_1d(_asarray(t))
    made = []
    for k in range(system.inputs):
        u = _ks.zeros((t.size, system.inputs), device=t.device)
        u[when, k] = 1.0
        made.append(dlsim(system, u, t=t, x0=x0))
    return made[-1][0], tuple(one[1] for one in made)


@_here
def dimpulse(system, x0=None, t=None, n=None):
    """Times, and for each input what a system of discrete time gives after an impulse."""

    return _to_each(system, t, n, x0, 0, "dimpulse")


@_here
def dstep(system, x0=None, t=None, n=None):
    """Times, and for each input what a system of discrete time gives after a step from 0 to 1."""

    return _to_each(system, t, n, x0, slice(None), "dstep")
