"""Linear algebra of small matrices: factors by rows, rotations until nothing is left to turn."""

import math

import numpy as np


def norm(x, ord=None):
    if ord is None:
        flat = x.ravel()
        total = 0.0
        for i in range(flat.size):
            total += abs(flat[i]) ** 2
        return math.sqrt(total)
    if x.ndim == 1:
        if ord == np.inf:
            return np.abs(x).max() * 1.0
        if ord == -np.inf:
            return np.abs(x).min() * 1.0
        if ord == 0:
            return np.count_nonzero(x) * 1.0
        total = 0.0
        for i in range(x.size):
            total += abs(x[i]) ** float(ord)
        return total ** (1.0 / ord)
    if ord == np.inf or ord == -np.inf:
        sums = np.abs(x).sum(axis=1)
    elif ord == 1 or ord == -1:
        sums = np.abs(x).sum(axis=0)
    elif ord == 2 or ord == -2:
        sums = _singular_values(x)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return (sums.max() if ord > 0 else sums.min()) * 1.0


def _square(a):
    if a.shape[0] != a.shape[1]:
        raise ValueError("Last 2 dimensions of the array must be square")


def _factors(a):
    """(L and U in one, order of the rows, sign of the order), with the largest of a column on top."""
    _square(a)
    n = a.shape[0]
    f = np.empty((n, n), np.result_type(a, np.float32))
    f[:, :] = a
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
    return f, order, sign


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
    f, order, _ = _factors(a)
    _want_regular(f)
    if b.shape[0] != a.shape[0]:
        raise ValueError("the shapes of a and b do not fit")
    x = np.empty(b.shape, np.result_type(a, b, np.float32))
    if b.ndim == 1:
        _solved(f, order, b, x)
    else:
        for j in range(b.shape[1]):
            _solved(f, order, b[:, j], x[:, j])
    return x


def inv(a):
    f, order, _ = _factors(a)
    _want_regular(f)
    n = a.shape[0]
    x, unit = np.empty((n, n), f.dtype), np.zeros(n, f.dtype)
    for j in range(n):
        unit[j] = 1
        _solved(f, order, unit, x[:, j])
        unit[j] = 0
    return x


def det(a):
    f, _, sign = _factors(a)
    product = f.sum().dtype.type(sign)
    for k in range(a.shape[0]):
        product *= f[k, k]
    return product


def slogdet(a):
    f, _, sign = _factors(a)
    side, logarithm = sign * 1.0, 0.0
    for k in range(a.shape[0]):
        if f[k, k] == 0:
            return 0.0, -np.inf
        if f[k, k] < 0:
            side = -side
        logarithm += math.log(abs(f[k, k]))
    return side, logarithm


def cholesky(a):
    _square(a)
    n = a.shape[0]
    out = np.zeros((n, n), np.result_type(a, np.float32))
    for i in range(n):
        for j in range(i + 1):
            rest = out.sum().dtype.type(a[i, j])
            for k in range(j):
                rest -= out[i, k] * out[j, k]
            if i > j:
                out[i, j] = rest / out[j, j]
            elif rest > 0:
                out[i, i] = math.sqrt(rest)
            else:
                raise np.linalg.LinAlgError("Matrix is not positive definite")
    return out


def matrix_power(a, n):
    _square(a)
    base = inv(a) if n < 0 else a * 1.0
    result = np.eye(a.shape[0])
    left = abs(n)
    while left > 0:
        if left % 2:
            result = result @ base
        base = base @ base
        left //= 2
    return result


def qr(a):
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
    """Jacobi's rotations of a symmetric matrix, whose lower half is read."""
    _square(a)
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
    w, _ = eigh(a)
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


def _singular_values(a):
    wide = a.shape[0] < a.shape[1]
    u, _ = _rotated(a.T if wide else a[:, :])
    return np.sort(_lengths(u))[::-1].copy()


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
    wide = a.shape[0] < a.shape[1]
    u, s, v = _thin_svd(a.T if wide else a[:, :])
    cut = rcond * (s[0] if s.size > 0 else 0.0)
    out = np.zeros((v.shape[0], u.shape[0]))
    for k in range(s.size):
        if s[k] > cut:
            for i in range(v.shape[0]):
                for j in range(u.shape[0]):
                    out[i, j] += v[i, k] * u[j, k] / s[k]
    return out.T.copy() if wide else out


def matrix_rank(A, tol=None):  # noqa: N803
    s = _singular_values(A)
    limit = s.max() * max(A.shape[0], A.shape[1]) * 2.220446049250313e-16 if tol is None else tol * 1.0
    return np.count_nonzero(s > limit)


def cond(x, p=None):
    if p is None:
        s = _singular_values(x)
        return s[0] / s[s.size - 1] if s[s.size - 1] != 0.0 else np.inf
    return norm(x, p) * norm(inv(x), p)


def trace(a, offset=0):
    total = a.sum().dtype.type(0)
    for i in range(max(min(a.shape[0] - max(-offset, 0), a.shape[1] - max(offset, 0)), 0)):
        total += a[i + max(-offset, 0), i + max(offset, 0)]
    return total


def outer(a, b):
    x, y = a.ravel(), b.ravel()
    return x[:, None] * y


def kron(a, b):
    n, m = a.shape
    k, j = b.shape
    out = np.empty((n * k, m * j), (a * b).dtype)
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
