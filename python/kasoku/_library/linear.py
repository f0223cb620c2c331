"""Linear algebra: by LAPACK, or by loops where there is none or a matrix is small.

The loops are factors by rows, and rotations until nothing is left to turn.
"""

import math

import numpy as np

from . import calls
from .axes import axis_of
from .engine import call as engine_call
from .engine import reaches
from .lapack import absent, call, worth_it


def _floats(a):
    """The array in a dtype that LAPACK computes in."""
    if a.dtype in (np.float32, np.float64, np.complex64, np.complex128):
        return a
    return a.astype(np.float64)


def _copy(a):
    x = _floats(a)
    f = np.empty(x.shape, x.dtype)
    f[:, :] = x
    return f


def norm(x, ord=None, axis=None, keepdims=False):
    if axis is not None or keepdims:
        return calls.norm(x, ord, axis, keepdims)
    if isinstance(ord, str):
        return calls.norm(x, ord, axis, keepdims)
    return _norm(x, ord)


def _norm(x, ord):
    if ord is None:
        flat = x.ravel()
        total = 0.0
        for i in range(flat.size):
            total += abs(flat[i]) ** 2
        return math.sqrt(total)
    if x.ndim == 1:
        if ord == np.inf:
            return np.abs(x).max() * 1.0 if x.size > 0 else 0.0
        if ord == -np.inf:
            return np.abs(x).min() * 1.0
        if ord == 0:
            return np.count_nonzero(x) * 1.0
        total = 0.0
        for i in range(x.size):
            total += abs(x[i]) ** float(ord)
        return total ** (1.0 / ord)
    if ord == np.inf or ord == -np.inf:
        sums = np.abs(_floats(x)).sum(axis=1)
    elif ord == 1 or ord == -1:
        sums = np.abs(_floats(x)).sum(axis=0)
    elif ord == 2 or ord == -2:
        sums = _singular_values(x)
    else:
        raise ValueError("Invalid norm order for matrices.")
    if ord > 0 and sums.size == 0:
        return 0.0
    return (sums.max() if ord > 0 else sums.min()) * 1.0


def _square(a):
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


def _factors(f):
    """Makes f L and U in one, with the largest of a column on top: (order of the rows, sign of the order)."""
    n = f.shape[0]
    order = np.arange(n)
    sign = 1
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(f[i, k]) > abs(f[best, k]):
                best = i
        if best != k:
            for j in range(n):
                f[k, j], f[best, j] = f[best, j], f[k, j]
            order[k], order[best] = order[best], order[k]
            sign = -sign
        if f[k, k] == 0:
            continue
        for i in range(k + 1, n):
            f[i, k] = f[i, k] / f[k, k]
            for j in range(k + 1, n):
                f[i, j] -= f[i, k] * f[k, j]
    return order, sign


def _library_factors(f, pivots):
    """LAPACK's factors of a large matrix: f gets those of its transpose, the result is the order of the rows. Else `absent`."""
    if f.shape[0] > worth_it:
        return call("getrf", f, pivots)
    return absent


def _want_regular(f):
    for k in range(f.shape[0]):
        if f[k, k] == 0:
            raise np.linalg.LinAlgError("Singular matrix")


def _solved(f, order, b, x):
    n = f.shape[0]
    for i in range(n):
        x[i] = b[order[i]]
        for j in range(i):
            x[i] -= f[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= f[i, j] * x[j]
        x[i] = x[i] / f[i, i]


def solve(a, b):
    if a.ndim > 2 or b.ndim > 2:
        return engine_call("solve", _stacked(_floats(a), _floats(b)), a, b)
    if reaches(False):
        return engine_call("solve", _like(b, np.result_type(_floats(a), _floats(b))), a, b)
    return _solve(a, b)


def _like(a, dtype):
    """An array of such a shape; a type, never computed."""
    return np.empty(a.shape, dtype)


def _stacked(a, b):
    """An expression of the type that a stack of products has; it is never computed."""
    if b.ndim < a.ndim:
        return np.empty(a.shape, np.result_type(a, b))
    return np.empty(b.shape, np.result_type(a, b))


def _solve(a, b):
    _square(a)
    n = a.shape[0]
    if b.shape[0] != n:
        raise ValueError("the shapes of a and b do not fit")
    p, q = _floats(a), _floats(b)
    f, pivots = np.empty((n, n), np.result_type(p, q)), np.empty(n, np.int64)
    f[:, :] = p
    said = _library_factors(f, pivots)
    if said > 0:
        raise np.linalg.LinAlgError("Singular matrix")
    if b.ndim == 1:
        x = np.empty(n, f.dtype)
        if said == 0:
            x[:] = q
            call("getrs", f, pivots, x)
            return x
        order, _ = _factors(f)
        _want_regular(f)
        _solved(f, order, q, x)
        return x
    y = np.empty((n, b.shape[1]), f.dtype)
    if said == 0:
        columns = np.empty((b.shape[1], n), f.dtype)
        columns[:, :] = q.T
        call("getrs", f, pivots, columns)
        y[:, :] = columns.T
        return y
    order, _ = _factors(f)
    _want_regular(f)
    for j in range(b.shape[1]):
        _solved(f, order, q[:, j], y[:, j])
    return y


def inv(a):
    if a.ndim > 2 or reaches(False):
        return engine_call("inv", _floats(a), a)
    return _inv(a)


def _inv(a):
    _square(a)
    f = _copy(a)
    n = a.shape[0]
    pivots = np.empty(n, np.int64)
    said = _library_factors(f, pivots)
    if said > 0:
        raise np.linalg.LinAlgError("Singular matrix")
    if said == 0:
        call("getri", f, pivots)
        return f
    order, _ = _factors(f)
    _want_regular(f)
    x, unit = np.empty((n, n), f.dtype), np.zeros(n, f.dtype)
    for j in range(n):
        unit[j] = 1
        _solved(f, order, unit, x[:, j])
        unit[j] = 0
    return x


def _diagonal(a):
    """(a matrix whose diagonal has the determinant's factors, the sign that they lack)."""
    _square(a)
    f = _copy(a)
    n = a.shape[0]
    pivots = np.empty(n, np.int64)
    if _library_factors(f, pivots) == absent:
        _, sign = _factors(f)
        return f, sign
    sign = 1
    for k in range(n):
        if pivots[k] != k + 1:
            sign = -sign
    return f, sign


def det(a):
    if a.ndim > 2:
        return engine_call("det", _floats(a).sum(axis=-1).sum(axis=-1), a)
    if reaches(False):
        return engine_call("det", _floats(a).sum(), a)
    return _det(a)


def _det(a):
    f, sign = _diagonal(a)
    product = f.sum().dtype.type(sign)
    for k in range(a.shape[0]):
        product *= f[k, k]
    return product


def slogdet(a):
    f, sign = _diagonal(a)
    side, logarithm = f.sum().dtype.type(sign), 0.0
    for k in range(a.shape[0]):
        size = abs(f[k, k])
        if size == 0:
            return f.sum().dtype.type(0), -np.inf
        if f.dtype in (np.complex64, np.complex128):
            side *= f[k, k] / size
        elif np.real(f[k, k]) < 0:
            side = -side
        logarithm += math.log(size)
    return side, logarithm


def cholesky(a):
    if a.ndim > 2 or reaches(False):
        return engine_call("cholesky", _floats(a), a)
    return _cholesky(a)


def _cholesky(a):
    _square(a)
    n = a.shape[0]
    f = _copy(a)
    said = absent
    if n > worth_it:
        said = call("potrf", f)
    if said > 0:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    if said == 0:
        for i in range(n):
            f[i, i + 1 :] = 0
        return f
    out = np.zeros((n, n), f.dtype)
    for i in range(n):
        for j in range(i + 1):
            rest = f[i, j]
            for k in range(j):
                rest -= out[i, k] * np.conj(out[j, k])
            if i > j:
                out[i, j] = rest / out[j, j]
            elif np.real(rest) <= 0:
                raise np.linalg.LinAlgError("Matrix is not positive definite")
            else:
                out[i, i] = math.sqrt(np.real(rest))
    return out


def matrix_power(a, n):
    _square(a)
    base = inv(a) if n < 0 else _copy(a)
    if n == 0:
        return np.eye(a.shape[0]).astype(base.dtype)
    left = abs(n)
    while left % 2 == 0:
        base = base @ base
        left //= 2
    result = base
    left //= 2
    while left > 0:
        base = base @ base
        if left % 2:
            result = result @ base
        left //= 2
    return result


def qr(a, mode="reduced"):
    if mode == "r":
        return engine_call("qr_r", _floats(a), a)
    if mode != "reduced":
        return a.qr_in_this_mode()  # which compiled code does not have, and says so
    return _qr(a)


def _qr(a):
    if reaches(False):
        return engine_call("qr", (_floats(a), _floats(a)), a)
    m, n = a.shape
    count = min(m, n)
    f = _copy(a)
    t = np.empty(count, f.dtype)
    if call("gelqf", f, t) != absent:
        upper = np.zeros((count, n), f.dtype)
        for i in range(count):
            upper[i, i:] = f[i, i:]
        call("orglq", f, t)
        return f[:, :count].copy(), upper
    if f.dtype in (np.complex64, np.complex128):
        raise np.linalg.LinAlgError("qr of complex matrices needs LAPACK: pip install scipy-openblas64")
    q, r = _reflected(np.real(f).astype(np.float64))
    return q.astype(f.dtype), r.astype(f.dtype)


def _reflected(a):
    """Householder's reflections; the diagonal of R has LAPACK's signs."""
    m, n = a.shape
    count = min(m, n)
    r, q = np.empty((m, n)), np.eye(m)
    r[:, :] = a
    for k in range(count):
        length = 0.0
        for i in range(k, m):
            length += r[i, k] * r[i, k]
        length = math.sqrt(length)
        if length == 0 or k == m - 1:
            continue
        v = np.zeros(m)
        v[k:] = r[k:, k]
        v[k] += math.copysign(length, r[k, k])
        scale = 2.0 / (v @ v)
        for j in range(n):
            r[:, j] -= v * (scale * (v @ r[:, j]))
        for i in range(m):
            q[i, :] -= v * (scale * (v @ q[i, :]))
    for i in range(count):
        for j in range(min(i, n)):
            r[i, j] = 0.0
    return q[:, :count].copy(), r[:count, :].copy()


def _rotation(x):
    """(cosine, sine) of the smaller angle whose doubled cotangent is x."""
    t = math.copysign(1.0, x) / (abs(x) + math.hypot(x, 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    return c, t * c


def _turn_columns(a, p, q, c, d):
    for k in range(a.shape[0]):
        x, y = a[k, p], a[k, q]
        a[k, p] = c * x - d * y
        a[k, q] = d * x + c * y


def eigh(a):
    if reaches(False):
        return engine_call("eigh", (np.abs(_floats(a))[0], _floats(a)), a)
    _square(a)
    f = _copy(a)
    w = np.empty(a.shape[0], np.abs(f).dtype)
    said = call("heevd", f, w)
    if said == 0:
        return w, np.conj(f.T).copy()
    if said != absent:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    if f.dtype in (np.complex64, np.complex128):
        raise np.linalg.LinAlgError("eigh of complex matrices needs LAPACK: pip install scipy-openblas64")
    values, vectors = _turned(np.real(f))
    return values.astype(w.dtype), vectors.astype(f.dtype)


def _turned(a):
    """Jacobi's rotations of a symmetric matrix, whose lower half is read."""
    n = a.shape[0]
    s, v = np.empty((n, n)), np.eye(n)
    for i in range(n):
        for j in range(i + 1):
            s[i, j] = a[i, j]
            s[j, i] = a[i, j]
    for _ in range(60):
        off = 0.0
        for i in range(n):
            for j in range(i):
                off += abs(s[i, j])
        if off == 0.0 or off != off:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(s[p, q]) <= 1e-18 * math.sqrt(abs(s[p, p] * s[q, q])) or s[p, q] == 0.0:
                    s[p, q] = 0.0
                    s[q, p] = 0.0
                    continue
                c, d = _rotation((s[q, q] - s[p, p]) / (2.0 * s[p, q]))
                _turn_columns(s, p, q, c, d)
                _turn_columns(s.T, p, q, c, d)
                _turn_columns(v, p, q, c, d)
    values = np.empty(n)
    for i in range(n):
        values[i] = s[i, i]
    order = np.argsort(values)
    w, vectors = np.empty(n), np.empty((n, n))
    for k in range(n):
        w[k] = values[order[k]]
        vectors[:, k] = v[:, order[k]]
    return w, vectors


def eigvalsh(a):
    if reaches(False):
        return engine_call("eigvalsh", np.abs(_floats(a))[0], a)
    _square(a)
    f = _copy(a)
    w = np.empty(a.shape[0], np.abs(f).dtype)
    said = call("heevd_values", f, w)
    if said > 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    if said == absent:
        values, _ = eigh(a)
        return values
    return w


def _rotated(a):
    """(columns that are orthogonal, the rotation that made them so), of a matrix with no more columns than rows."""
    m, n = a.shape
    u, v = np.empty((m, n)), np.eye(n)
    u[:, :] = a
    for _ in range(60):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                alpha, beta, gamma = 0.0, 0.0, 0.0
                for k in range(m):
                    alpha += u[k, p] * u[k, p]
                    beta += u[k, q] * u[k, q]
                    gamma += u[k, p] * u[k, q]
                if gamma == 0.0 or abs(gamma) <= 1e-16 * math.sqrt(alpha * beta):
                    continue
                turned = True
                c, d = _rotation((beta - alpha) / (2.0 * gamma))
                _turn_columns(u, p, q, c, d)
                _turn_columns(v, p, q, c, d)
        if not turned:
            break
    return u, v


def _lengths(u):
    m, n = u.shape
    out = np.empty(n)
    for j in range(n):
        total = 0.0
        for i in range(m):
            total += u[i, j] * u[i, j]
        out[j] = math.sqrt(total)
    return out


def _eigen(a, v):
    """The values of any matrix, and vectors in the rows of v if it has any. Those of a real one have to be real."""
    f = np.empty(a.shape, v.dtype)
    f[:, :] = a.T
    n = a.shape[0]
    w, imaginary = np.empty(n, v.dtype), np.zeros(n, v.dtype)
    said = call("geev", f, w, imaginary, v)
    if said == absent:
        raise np.linalg.LinAlgError("eig needs LAPACK: pip install scipy-openblas64")
    if said != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    for k in range(n):
        if imaginary[k] != 0:
            raise ValueError("eig() argument must not cause a domain change: convert it to complex")
    return w


def eig(a):
    _square(a)
    if reaches(False):
        return engine_call("eig", (_floats(a)[0], _floats(a)), a)
    v = np.zeros(a.shape, (_floats(a)).dtype)
    w = _eigen(_floats(a), v)
    return w, v.T.copy()


def eigvals(a):
    _square(a)
    if reaches(False):
        return engine_call("eigvals", _floats(a)[0], a)
    return _eigen(_floats(a), np.zeros((0, a.shape[0]), (_floats(a)).dtype))


def _singular_values(a):
    if reaches(False):
        return engine_call("svdvals", np.abs(_floats(a))[0], a)
    f = _copy(a)
    s = np.empty(min(a.shape[0], a.shape[1]), np.abs(f).dtype)
    said = call("gesdd_values", f, s)
    if said == 0:
        return s
    if said != absent:
        raise np.linalg.LinAlgError("SVD did not converge")
    if f.dtype in (np.complex64, np.complex128):
        raise np.linalg.LinAlgError("singular values of complex matrices need LAPACK: pip install scipy-openblas64")
    x = np.real(f)
    wide = a.shape[0] < a.shape[1]
    u, _ = _rotated(x.T if wide else x[:, :])
    return np.sort(_lengths(u))[::-1].astype(s.dtype)


def svd(a, full_matrices=True, compute_uv=True):
    if not compute_uv:
        return calls.svdvals(a)
    return _svd(a, full_matrices)


def _svd(a, full_matrices):
    if reaches(False):
        return engine_call("svd", (_floats(a), np.abs(_floats(a))[0], _floats(a)), a, full_matrices)
    m, n = a.shape
    k = min(m, n)
    f = _copy(a)
    s = np.empty(k, np.abs(f).dtype)
    u = np.empty((m, m if full_matrices else k), f.dtype)
    vh = np.empty((n if full_matrices else k, n), f.dtype)
    said = call("gesdd", f, s, u, vh)
    if said == 0:
        return u, s, vh
    if said != absent:
        raise np.linalg.LinAlgError("SVD did not converge")
    if f.dtype in (np.complex64, np.complex128):
        raise np.linalg.LinAlgError("svd of complex matrices needs LAPACK: pip install scipy-openblas64")
    if full_matrices and m != n:
        raise np.linalg.LinAlgError("svd with full_matrices needs LAPACK: pip install scipy-openblas64")
    x = np.real(f)
    wide = m < n
    p, values, q = _thin_svd(x.T if wide else x[:, :])
    s[:] = values
    u[:, :] = q if wide else p
    vh[:, :] = p.T if wide else q.T
    return u, s, vh


def _thin_svd(a):
    """(u, s, v) with s falling, of a matrix with no more columns than rows."""
    m, n = a.shape
    turned, rotation = _rotated(a)
    lengths = _lengths(turned)
    order = np.argsort(-lengths)
    u, s, v = np.zeros((m, n)), np.empty(n), np.empty((n, n))
    for k in range(n):
        j = order[k]
        s[k] = lengths[j]
        v[:, k] = rotation[:, j]
        if lengths[j] > 0.0:
            u[:, k] = turned[:, j] / lengths[j]
    return u, s, v


def pinv(a, rcond=1e-15):
    u, s, vh = svd(a, False)
    cut = rcond * (s[0] if s.size > 0 else 0.0)
    for k in range(s.size):
        vh[k, :] = vh[k, :] * ((1 / s[k]) if s[k] > cut else 0.0)
    return np.conj(vh.T) @ np.conj(u.T)


def lstsq(a, b, rcond=None):
    """(x, sums of what is left over, rank, singular values)."""
    m, n = a.shape
    if b.shape[0] != m:
        raise np.linalg.LinAlgError("Incompatible dimensions")
    p, q = _floats(a), _floats(b)
    if reaches(False):
        return engine_call("lstsq", (q + p[0, 0], np.abs(p)[0], np.int64(1), np.abs(p)[0]), a, b, rcond)
    f = np.empty((n, m), np.result_type(p, q))
    f[:, :] = p.T
    s = np.empty(min(m, n), np.abs(f).dtype)
    limit, rank = np.empty(1, s.dtype), np.zeros(1, np.int64)
    limit[0] = _step(s) * max(m, n) if rcond is None else rcond
    y = np.zeros((1 if b.ndim == 1 else b.shape[1], max(m, n)), f.dtype)
    if b.ndim == 1:
        y[0, :m] = q
    else:
        y[:, :m] = q.T
    said = call("gelsd", f, y, s, limit, rank)
    if said == absent:
        raise np.linalg.LinAlgError("lstsq needs LAPACK: pip install scipy-openblas64")
    if said != 0:
        raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    left = np.zeros(y.shape[0] if rank[0] == n and m > n else 0, s.dtype)
    for k in range(left.size):
        for i in range(n, m):
            left[k] += abs(y[k, i]) ** 2
    if b.ndim == 1:
        return y[0, :n].copy(), left, rank[0], s
    return y[:, :n].T.copy(), left, rank[0], s


def _step(x):
    """The distance from 1 to the next number of a real array's dtype."""
    return 2.220446049250313e-16 if x.dtype == np.float64 else 1.1920928955078125e-07


def matrix_rank(A, tol=None):  # noqa: N803
    if A.ndim < 2:
        return 1 if np.any(A != 0) else 0
    s = _singular_values(A)
    if s.size == 0:
        return 0
    limit = s.max() * max(A.shape[0], A.shape[1]) * _step(s) if tol is None else tol * 1.0
    return np.count_nonzero(s > limit)


def cond(x, p=None):
    if x.size == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None:
        s = _singular_values(x)
        result = s[0] / s[s.size - 1] if s[s.size - 1] != 0.0 else np.inf
    elif slogdet(x)[0] == 0:
        result = np.inf
    else:
        result = norm(x, p) * norm(inv(x), p)
    return np.inf if result != result and not np.any(x != x) else result


def trace(a, offset=0, axis1=0, axis2=1):
    if a.ndim > 2:
        return calls.trace(a, offset, axis1, axis2)
    at = axis_of(axis1, 2)
    if at == axis_of(axis2, 2):
        raise ValueError("axis1 and axis2 cannot be the same")
    if at == 1:
        return _trace(a, -offset)
    return _trace(a, offset)


def _trace(a, offset):
    total = a.sum().dtype.type(0)
    for i in range(max(min(a.shape[0] - max(-offset, 0), a.shape[1] - max(offset, 0)), 0)):
        total += a[i + max(-offset, 0), i + max(offset, 0)]
    return total


def matmul(a, b):
    return a @ b


_refused = "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"


def _is_in_c_order(x):
    if x.ndim == 0:
        return True
    step = x.itemsize
    for axis in range(x.ndim - 1, -1, -1):
        if x.shape[axis] != 1 and x.strides[axis] != step and x.size > 0:
            return False
        step *= x.shape[axis]
    return True


def _stored(product, out):
    if out.ndim == product.ndim:
        if out.dtype == product.dtype:
            if _is_in_c_order(out):
                if out.shape != product.shape:
                    raise ValueError("output array has wrong dimensions")
                out[...] = product[()] if out.ndim == 0 else product
                return out
    if out.size >= 0:  # always: what never returns has no type
        raise ValueError(_refused)
    return out


def dot_into(a, b, out):
    if isinstance(a, (int, float, complex)) or isinstance(b, (int, float, complex)):
        return _stored(a * b, out)
    if a.ndim == 1 and b.ndim == 1:
        number = np.empty((), np.result_type(a, b))
        number[()] = np.dot(a, b)
        return _stored(number, out)
    return _stored(np.dot(a, b), out)


def outer(a, b):
    x, y = a.ravel(), b.ravel()
    return x[:, None] * y


def kron(a, b):
    if a.ndim == 1 and b.ndim == 1:
        return (a[:, None] * b).ravel()
    if a.ndim == 1:
        return _kron(a[None, :], b)
    if b.ndim == 1:
        return _kron(a, b[None, :])
    return _kron(a, b)


def _kron(a, b):
    n, m = a.shape
    k, j = b.shape
    out = np.empty((n * k, m * j), np.result_type(a, b))
    for r in range(n):
        for c in range(m):
            out[r * k : (r + 1) * k, c * j : (c + 1) * j] = a[r, c] * b
    return out


def vdot(a, b):
    if a.dtype in (np.complex64, np.complex128):
        return np.dot(np.conj(a.ravel()), b.ravel())
    return np.dot(a.ravel(), b.ravel())


def inner(a, b):
    if isinstance(a, (int, float, complex)) or isinstance(b, (int, float, complex)):
        return a * b
    if b.ndim == 1:
        return a @ b
    return a @ b.T


def cross(a, b):
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("incompatible dimensions for cross product (dimension must be 3)")
    if a.ndim == 2:
        rows = np.empty(a.shape, (a * b).dtype)
        for i in range(a.shape[0]):
            rows[i, :] = _cross(a[i], b[i])
        return rows
    return _cross(a, b)


def _cross(a, b):
    out = np.empty(3, (a * b).dtype)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out
