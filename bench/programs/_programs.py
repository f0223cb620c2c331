"""Programs of arrays as NPBench and PolyBench have them, each a function of the module that is `np` in it."""

import numpy
from timing import best


def jacobi_1d(np, a, b, steps):
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return a, b


def jacobi_2d(np, a, b, steps):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a, b


def heat_3d(np, a, b, steps):
    def spread(to, x):
        c = x[1:-1, 1:-1, 1:-1]
        to[1:-1, 1:-1, 1:-1] = (
            c
            + 0.125 * (x[2:, 1:-1, 1:-1] - 2 * c + x[:-2, 1:-1, 1:-1])
            + 0.125 * (x[1:-1, 2:, 1:-1] - 2 * c + x[1:-1, :-2, 1:-1])
            + 0.125 * (x[1:-1, 1:-1, 2:] - 2 * c + x[1:-1, 1:-1, :-2])
        )

    for _ in range(steps):
        spread(b, a)
        spread(a, b)
    return a, b


def fdtd_2d(np, ex, ey, hz, steps):
    for t in range(steps):
        ey[0, :] = t
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def cavity_flow(np, u, v, p, steps):
    dx = dy = 2 / (u.shape[0] - 1)
    dt, rho, nu = 0.0005, 1.0, 0.1
    for _ in range(steps):
        east, west, north, south = u[1:-1, 2:], u[1:-1, :-2], u[2:, 1:-1], u[:-2, 1:-1]
        du, dv = (east - west) / (2 * dx), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
        cross = (north - south) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
        b = rho * ((du + dv) / dt - du * du - 2 * cross - dv * dv)
        for _ in range(5):
            old = p.copy()
            p[1:-1, 1:-1] = ((old[1:-1, 2:] + old[1:-1, :-2]) * dy**2 + (old[2:, 1:-1] + old[:-2, 1:-1]) * dx**2) / (
                2 * (dx**2 + dy**2)
            ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        un, vn = u.copy(), v.copy()
        for w, wn, slope in ((u, un, p[1:-1, 2:] - p[1:-1, :-2]), (v, vn, p[2:, 1:-1] - p[:-2, 1:-1])):
            c = wn[1:-1, 1:-1]
            w[1:-1, 1:-1] = (
                c
                - un[1:-1, 1:-1] * dt / dx * (c - wn[1:-1, :-2])
                - vn[1:-1, 1:-1] * dt / dy * (c - wn[:-2, 1:-1])
                - dt / (2 * rho * dx) * slope
                + nu * dt / dx**2 * (wn[1:-1, 2:] - 4 * c + wn[1:-1, :-2] + wn[2:, 1:-1] + wn[:-2, 1:-1])
            )
        u[0, :] = u[:, 0] = u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = v[-1, :] = v[:, 0] = v[:, -1] = 0
    return u, v, p


def nbody(np, place, mass, speed, steps):
    for _ in range(steps):
        apart = place[None, :, :] - place[:, None, :]
        inverse = ((apart**2).sum(axis=2) + 0.01) ** -1.5
        speed += 0.01 * (apart * (inverse * mass)[:, :, None]).sum(axis=1)
        place += 0.01 * speed
    return place, speed, 0.5 * (mass * (speed**2).sum(axis=1)).sum()


def mandelbrot(np, x, y, rounds):
    c = x + y[:, None] * 1j
    z, n = np.zeros_like(c), np.zeros(c.shape, dtype=np.int64)
    for k in range(rounds):
        inside = np.abs(z) < 2
        n[inside] = k
        z[inside] = z[inside] ** 2 + c[inside]
    return n


def softmax(np, x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def conv2d(np, images, weights):
    k = weights.shape[0]
    h, w = images.shape[1] - k + 1, images.shape[2] - k + 1
    out = np.zeros((images.shape[0], h, w, weights.shape[3]), dtype=images.dtype)
    for i in range(h):
        for j in range(w):
            out[:, i, j, :] = np.sum(images[:, i : i + k, j : j + k, :, None] * weights[None], axis=(1, 2, 3))
    return out


def convolved(np, x, weights):
    """As a product for each place of the kernel."""
    k = weights.shape[0]
    h, w = x.shape[1] - k + 1, x.shape[2] - k + 1
    return sum(x[:, i : i + h, j : j + w, :] @ weights[i, j] for i in range(k) for j in range(k))


def lenet(np, x, w1, w2, w3, bias):
    def pooled(y):
        return np.max(y.reshape(y.shape[0], y.shape[1] // 2, 2, y.shape[2] // 2, 2, y.shape[3]), axis=(2, 4))

    x = pooled(np.maximum(convolved(np, x, w1), 0))
    x = pooled(np.maximum(convolved(np, x, w2), 0))
    return np.maximum(x.reshape(x.shape[0], -1) @ w3 + bias, 0)


def resnet(np, x, w1, w2, w3):
    def normal(y):
        return (y - np.mean(y, axis=0, keepdims=True)) / np.sqrt(np.std(y, axis=0, keepdims=True) + 1e-5)

    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, w1.shape[3]), dtype=x.dtype)
    padded[:, 1:-1, 1:-1, :] = np.maximum(normal(x @ w1[0, 0]), 0)
    y = np.maximum(normal(convolved(np, padded, w2)), 0)
    return np.maximum(normal(y @ w3[0, 0]) + x, 0)


def mlp(np, x, w1, b1, w2, b2):
    return softmax(np, np.maximum(x @ w1 + b1, 0) @ w2 + b2)


def hdiff(np, field, coefficient):
    n, m = coefficient.shape[0], coefficient.shape[1]
    lap = 4 * field[1 : n + 3, 1 : m + 3] - (
        field[2 : n + 4, 1 : m + 3] + field[:-2, 1 : m + 3] + field[1 : n + 3, 2 : m + 4] + field[1 : n + 3, :-2]
    )
    across = lap[1:, 1 : m + 1] - lap[:-1, 1 : m + 1]
    flux_x = np.where(across * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0, across)
    along = lap[1 : n + 1, 1:] - lap[1 : n + 1, :-1]
    flux_y = np.where(along * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0, along)
    return field[2 : n + 2, 2 : m + 2] - coefficient * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])


def vadv(np, stage, wcon, position, tendency):
    k_max = position.shape[2]
    c, d, out = (np.zeros_like(position) for _ in range(3))
    for k in range(k_max):
        above = 0.25 * (wcon[1:, :, k] + wcon[:-1, :, k]) if k > 0 else 0 * position[:, :, 0]
        below = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1]) if k + 1 < k_max else 0 * position[:, :, 0]
        a, c_k = -0.5 * above, 0.5 * below
        b = 3 - a - c_k
        d_k = 3 * position[:, :, k] + tendency[:, :, k]
        if k > 0:
            d_k = d_k + above * (stage[:, :, k] - stage[:, :, k - 1]) * 0.5
            divided = 1 / (b - c[:, :, k - 1] * a)
            c[:, :, k] = c_k * divided
            d[:, :, k] = (d_k - d[:, :, k - 1] * a) * divided
        else:
            c[:, :, 0] = c_k / b
            d[:, :, 0] = d_k / b
    for k in range(k_max - 1, -1, -1):
        out[:, :, k] = d[:, :, k] - (c[:, :, k] * out[:, :, k + 1] if k + 1 < k_max else 0)
    return out


def go_fast(np, a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def azimint(np, data, radius, bins):
    largest = radius.max()
    means = np.zeros(bins)
    for i in range(bins):
        ring = np.logical_and(largest * i / bins <= radius, radius < largest * (i + 1) / bins)
        means[i] = data[ring].mean()
    return means


def spmv(np, rows, columns, values, x):
    y = np.zeros(len(rows) - 1)
    for i in range(len(rows) - 1):
        part = slice(int(rows[i]), int(rows[i + 1]))
        y[i] = values[part] @ x[columns[part]]
    return y


def crc16(np, data):
    crc = 0xFFFF
    for i in range(len(data)):
        crc ^= int(data[i])
        for _ in range(8):
            crc = crc >> 1 ^ 0x8408 if crc & 1 else crc >> 1
    return crc


def compute(np, x, y, a, b, c):
    return np.clip(x, 2, 10) * a + y * b + c


def arc_distance(np, theta_1, phi_1, theta_2, phi_2):
    t = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(t), np.sqrt(1 - t))


def cholesky(np, a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
            a[i, j] /= a[j, j]
        a[i, i] -= a[i, :i] @ a[i, :i]
        a[i, i] = np.sqrt(a[i, i])
    return a


def lu(np, a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def gramschmidt(np, a):
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = q[:, k] @ a[:, j]
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


def floyd_warshall(np, path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, path[:, k, None] + path[None, k, :])
    return path


def nussinov(np, sequence):
    n = len(sequence)
    table = np.zeros((n, n), dtype=np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(
                table[i, j - 1], table[i + 1, j], table[i + 1, j - 1] + (sequence[i] + sequence[j] == 3 and i < j - 1)
            )
            if j - i > 1:
                table[i, j] = max(table[i, j], (table[i, i + 1 : j] + table[i + 2 : j + 1, j]).max())
    return table


def doitgen(np, a, c):
    for r in range(a.shape[0]):
        a[r] = a[r] @ c
    return a


def syrk(np, c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= 1.2
        for k in range(a.shape[1]):
            c[i, : i + 1] += 1.5 * a[i, k] * a[: i + 1, k]
    return c


def trmm(np, a, b):
    for i in range(b.shape[0]):
        b[i] = 1.5 * (b[i] + a[i + 1 :, i] @ b[i + 1 :])
    return b


def covariance(np, data):
    data -= data.mean(axis=0)
    return data.T @ data / (data.shape[0] - 1)


def correlation(np, data):
    spread = data.std(axis=0)
    spread[spread <= 0.1] = 1.0
    data -= data.mean(axis=0)
    data /= np.sqrt(data.shape[0]) * spread
    return data.T @ data


def gemver(np, a, u1, v1, u2, v2, x, y, z):
    a += u1[:, None] * v1 + u2[:, None] * v2
    x += 1.2 * (y @ a) + z
    return a, x, 1.5 * (a @ x)


def adi(np, u, steps):
    n = u.shape[0]
    v, p, q = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    for _ in range(steps):
        for to, x in ((v, u), (u, v)):
            to[0, 1:-1] = to[-1, 1:-1] = 1
            p[1:-1, 0], q[1:-1, 0] = 0, to[0, 1:-1]
            for j in range(1, n - 1):
                p[1:-1, j] = 0.5 / (2 - 0.5 * p[1:-1, j - 1])
                q[1:-1, j] = (0.5 * (x[j, :-2] + x[j, 2:]) + x[j, 1:-1] * 0.1 + 0.5 * q[1:-1, j - 1]) * p[1:-1, j]
            for j in range(n - 2, 0, -1):
                to[j, 1:-1] = p[1:-1, j] * to[j + 1, 1:-1] + q[1:-1, j]
    return u


def deriche(np, image):
    y1, y2 = np.zeros_like(image), np.zeros_like(image)
    a1, a2, b1, b2 = 0.1, -0.05, 1.2, -0.36
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = a1 * image[:, j + 1] + a2 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    return y1 + y2


def durbin(np, r):
    y = np.zeros_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + np.flip(r[:k]) @ y[:k]) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def programs(scale=1.0):
    """name -> (function, arguments, NumPy's and new); `scale` is of the lengths."""
    g = numpy.random.default_rng(0)
    of = lambda *shape: g.random([max(4, int(n * scale)) for n in shape])  # noqa: E731
    part = lambda *shape: g.random(shape)  # noqa: E731  # of lengths that stay
    n = max(8, int(80 * scale))
    spd = part(n, n) + n * numpy.eye(n)
    counts = g.integers(0, 30, max(8, int(2000 * scale)))
    rows = numpy.concatenate([[0], numpy.cumsum(counts)])
    h = max(8, int(128 * scale))
    return {
        "jacobi 1d": (jacobi_1d, of(4000), of(4000), 400),
        "jacobi 2d": (jacobi_2d, of(500, 500), of(500, 500), 20),
        "heat 3d": (heat_3d, of(60, 60, 60), of(60, 60, 60), 10),
        "fdtd 2d": (fdtd_2d, *part(3, h * 2, h * 2), 40),
        "cavity flow": (cavity_flow, *part(3, h // 2, h // 2), 30),
        "nbody": (nbody, part(h, 3), part(h), part(h, 3), 30),
        "mandelbrot": (mandelbrot, numpy.linspace(-2, 0.5, h * 2), numpy.linspace(-1.2, 1.2, h * 2), 30),
        "softmax": (softmax, of(64, 128, 128).astype("f4")),
        "conv2d": (conv2d, part(4, h // 4, h // 4, 3).astype("f4"), part(5, 5, 3, 8).astype("f4")),
        "lenet": (lenet, part(16, 28, 28, 1), part(5, 5, 1, 6), part(5, 5, 6, 16), part(256, 10), part(10)),
        "resnet": (resnet, part(4, 28, 28, 64), part(1, 1, 64, 16), part(3, 3, 16, 16), part(1, 1, 16, 64)),
        "mlp": (mlp, part(64, 300), part(300, 500), part(500), part(500, 100), part(100)),
        "hdiff": (hdiff, part(h + 4, h + 4, 40), part(h, h, 40)),
        "vadv": (vadv, part(h, h, 40), part(h + 1, h, 40), part(h, h, 40), part(h, h, 40)),
        "go fast": (go_fast, of(1000, 1000) if scale == 1 else part(50, 50)),
        "azimint": (azimint, of(200_000), of(200_000), 50),
        "spmv": (spmv, rows, g.integers(0, len(counts), rows[-1]), part(rows[-1]), part(len(counts))),
        "crc16": (crc16, g.integers(0, 256, 4000 if scale == 1 else 40).astype("u1")),
        "compute": (compute, g.integers(0, 1000, (h * 8, h * 8)), g.integers(0, 1000, (h * 8, h * 8)), 4, 3, 9),
        "arc distance": (arc_distance, *part(4, 500_000 if scale == 1 else 50)),
        "cholesky": (cholesky, spd @ spd.T),
        "lu": (lu, spd.copy()),
        "gramschmidt": (gramschmidt, part(n, n // 2)),
        "floyd warshall": (floyd_warshall, g.integers(1, 1000, (h, h)).astype("i4")),
        "nussinov": (nussinov, g.integers(0, 4, n // 2)),
        "doitgen": (doitgen, part(40, 50, 60), part(60, 60)),
        "syrk": (syrk, part(n, n), part(n, n)),
        "trmm": (trmm, part(h * 2, h * 2), part(h * 2, h * 2)),
        "covariance": (covariance, part(h * 4, h * 2)),
        "correlation": (correlation, part(h * 4, h * 2)),
        "gemver": (gemver, part(h * 6, h * 6), *part(7, h * 6)),
        "adi": (adi, part(h, h), 3),
        "deriche": (deriche, part(h * 4, h * 4)),
        "durbin": (durbin, part(h * 3) / (h * 3)),
    }


def run(np, function, arguments, finish):
    """On copies, because programs write to their arguments; what it gives is computed."""
    return finish(function(np, *(np.array(x) if isinstance(x, numpy.ndarray) else x for x in arguments)))


def times(np, finish):
    """Milliseconds of each program."""
    figures = {}
    with numpy.errstate(all="ignore"):
        for name, (function, *arguments) in programs().items():
            run(np, function, arguments, finish)  # compiles
            figures[name] = best(lambda f=function, a=arguments: run(np, f, a, finish), 5) * 1e3
    return figures
