"""Products, factors and solutions of matrices, by rows, columns and elements."""


def gemm(np, alpha, beta, c, a, b):
    c[:] = alpha * a @ b + beta * c
    return c


def k2mm(np, alpha, beta, a, b, c, d):
    d[:] = alpha * a @ b @ c + beta * d
    return d


def k3mm(np, a, b, c, d):
    return a @ b @ c @ d


def atax(np, a, x):
    return (a @ x) @ a


def bicg(np, a, p, r):
    return r @ a, a @ p


def mvt(np, x1, x2, y1, y2, a):
    x1 += a @ y1
    x2 += y2 @ a
    return x1, x2


def gemver(np, alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x
    return a, w, x


def gesummv(np, alpha, beta, a, b, x):
    return alpha * a @ x + beta * b @ x


def doitgen(np, a, c4):
    r, q, p = a.shape
    a[:] = np.reshape(np.reshape(a, (r, q, 1, p)) @ c4, (r, q, p))
    return a


def symm(np, alpha, beta, c, a, b):
    sums = np.empty(c.shape[1], dtype=c.dtype)
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            sums[j] = b[:i, j] @ a[i, :i]
        c[i] += alpha * b[i] * a[i, i] + alpha * sums
    return c


def syrk(np, alpha, beta, c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return c


def syr2k(np, alpha, beta, c, a, b):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * alpha * b[i, k] + b[: i + 1, k] * alpha * a[i, k]
    return c


def trmm(np, alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha
    return b


def trisolv(np, lower, x, b):
    for i in range(len(x)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def cholesky(np, a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return a


def cholesky2(np, a):
    a[:] = np.linalg.cholesky(a) + np.triu(a, k=1)
    return a


def lu(np, a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def ludcmp(np, a, b):
    lu(np, a)
    x, y = np.zeros_like(b), np.zeros_like(b)
    for i in range(len(b)):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(len(b) - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return a, x, y


def gramschmidt(np, a):
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return a, q, r


def durbin(np, r):
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def covariance(np, data):
    n, m = data.shape
    data -= np.mean(data, axis=0)
    found = np.zeros((m, m), dtype=data.dtype)
    for i in range(m):
        found[i:, i] = found[i, i:] = data[:, i] @ data[:, i:] / (n - 1.0)
    return found


def covariance2(np, data):
    return np.cov(np.transpose(data))


def correlation(np, data):
    n, m = data.shape
    mean, spread = np.mean(data, axis=0), np.std(data, axis=0)
    spread[spread <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float(n)) * spread
    found = np.eye(m, dtype=data.dtype)
    for i in range(m - 1):
        found[i + 1 :, i] = found[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
    return found


def spmv(np, rows, columns, values, x):
    y = np.empty(rows.size - 1, values.dtype)
    for i in range(rows.size - 1):
        place = columns[rows[i] : rows[i + 1]]
        y[i] = values[rows[i] : rows[i + 1]] @ x[place]
    return y


def contour_integral(np, slabs, hamiltonian, points, y):
    size, n = y.shape
    p0, p1 = (np.zeros((size, n), dtype=np.complex128) for _ in range(2))
    for z in points:
        t = np.zeros((size, size), dtype=np.complex128)
        for k in range(slabs + 1):
            t += np.power(z, slabs / 2 - k) * hamiltonian[k]
        x = np.linalg.inv(t) if size == n else np.linalg.solve(t, y)
        if abs(z) < 1.0:
            x = -x
        p0 += x
        p1 += z * x
    return p0, p1


def scattering_self_energies(np, neighbours, dh, g, d, sigma):
    n_k, n_e, n_a = g.shape[:3]
    n_q, n_w, _, n_b, n_3d = d.shape[:5]
    for k in range(n_k):
        for e in range(n_e):
            for q in range(n_q):
                for w in range(min(n_w, e + 1)):
                    for i in range(n_3d):
                        for j in range(n_3d):
                            for a in range(n_a):
                                for b in range(n_b):
                                    left = g[k, e - w, neighbours[a, b]] @ dh[a, b, i]
                                    right = dh[a, b, j] * d[q, w, a, b, i, j]
                                    sigma[k, e, a] += left @ right
    return sigma
