"""Grids whose points change with their neighbours."""


def jacobi_1d(np, steps, a, b):
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return a, b


def jacobi_2d(np, steps, a, b):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a, b


def heat_3d(np, steps, a, b):
    for _ in range(1, steps):
        for to, x in ((b, a), (a, b)):
            to[1:-1, 1:-1, 1:-1] = (
                0.125 * (x[2:, 1:-1, 1:-1] - 2.0 * x[1:-1, 1:-1, 1:-1] + x[:-2, 1:-1, 1:-1])
                + 0.125 * (x[1:-1, 2:, 1:-1] - 2.0 * x[1:-1, 1:-1, 1:-1] + x[1:-1, :-2, 1:-1])
                + 0.125 * (x[1:-1, 1:-1, 2:] - 2.0 * x[1:-1, 1:-1, 1:-1] + x[1:-1, 1:-1, :-2])
                + x[1:-1, 1:-1, 1:-1]
            )
    return a, b


def seidel_2d(np, steps, a):
    n = a.shape[0]
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            a[i, 1:-1] += (
                a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            )
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0
    return a


def fdtd_2d(np, ex, ey, hz, source):
    for t in range(len(source)):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def adi(np, steps, u):
    """Columns of u, then rows of it: tridiagonal systems, forwards and backwards."""
    n = u.shape[0]
    v, p, q = np.empty(u.shape, u.dtype), np.empty(u.shape, u.dtype), np.empty(u.shape, u.dtype)
    column, row = 2.0 * n * n / steps, 1.0 * n * n / steps
    a, b, d, e = -column / 2, 1 + column, -row / 2, 1 + row
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (-d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:] - a * q[1:-1, j - 1]) / (
                a * p[1:-1, j - 1] + b
            )
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -d / (d * p[1:-1, j - 1] + e)
            q[1:-1, j] = (-a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j] - d * q[1:-1, j - 1]) / (
                d * p[1:-1, j - 1] + e
            )
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return u


def source_of_pressure(b, rho, dt, u, v, dx, dy, wraps):
    """What moves the pressure: (columns in the middle), and the two at the ends where the channel wraps."""

    def at(middle, left, right):
        du = (u[1:-1, right] - u[1:-1, left]) / (2 * dx)
        dv = (v[2:, middle] - v[:-2, middle]) / (2 * dy)
        cross = (u[2:, middle] - u[:-2, middle]) / (2 * dy) * (v[1:-1, right] - v[1:-1, left]) / (2 * dx)
        b[1:-1, middle] = rho * (1 / dt * (du + dv) - du**2 - 2 * cross - dv**2)

    at(slice(1, -1), slice(None, -2), slice(2, None))
    if wraps:
        at(-1, -2, 0)
        at(0, -1, 1)


def relaxed_pressure(np, rounds, p, b, dx, dy, wraps):
    def at(middle, left, right):
        p[1:-1, middle] = (
            (old[1:-1, right] + old[1:-1, left]) * dy**2 + (old[2:, middle] + old[:-2, middle]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, middle]

    for _ in range(rounds):
        old = p.copy()
        at(slice(1, -1), slice(None, -2), slice(2, None))
        if wraps:
            at(-1, -2, 0)
            at(0, -1, 1)
            p[-1, :] = p[-2, :]
        else:
            p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        if not wraps:
            p[:, 0] = p[:, 1]
            p[-1, :] = 0


def moved(u, v, un, vn, p, dx, dy, dt, rho, nu, force, middle, left, right):
    """One step of both speeds in these columns."""
    slopes = (
        dt / (2 * rho * dx) * (p[1:-1, right] - p[1:-1, left]),
        dt / (2 * rho * dy) * (p[2:, middle] - p[:-2, middle]),
    )
    for w, wn, slope, push in ((u, un, slopes[0], force * dt), (v, vn, slopes[1], 0)):
        w[1:-1, middle] = (
            wn[1:-1, middle]
            - un[1:-1, middle] * dt / dx * (wn[1:-1, middle] - wn[1:-1, left])
            - vn[1:-1, middle] * dt / dy * (wn[1:-1, middle] - wn[:-2, middle])
            - slope
            + nu
            * (
                dt / dx**2 * (wn[1:-1, right] - 2 * wn[1:-1, middle] + wn[1:-1, left])
                + dt / dy**2 * (wn[2:, middle] - 2 * wn[1:-1, middle] + wn[:-2, middle])
            )
            + push
        )


def cavity_flow(np, steps, rounds, u, v, p, dt, rho, nu):
    b = np.zeros(u.shape)
    dx, dy = 2 / (u.shape[1] - 1), 2 / (u.shape[0] - 1)
    for _ in range(steps):
        un, vn = u.copy(), v.copy()
        source_of_pressure(b, rho, dt, u, v, dx, dy, False)
        relaxed_pressure(np, rounds, p, b, dx, dy, False)
        moved(u, v, un, vn, p, dx, dy, dt, rho, nu, 0, slice(1, -1), slice(None, -2), slice(2, None))
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0
    return u, v, p


def channel_flow(np, rounds, u, v, p, dt, rho, nu, force):
    b = np.zeros(u.shape)
    dx, dy = 2 / (u.shape[1] - 1), 2 / (u.shape[0] - 1)
    change, steps = 1.0, 0
    while change > 0.001:
        un, vn = u.copy(), v.copy()
        source_of_pressure(b, rho, dt, u, v, dx, dy, True)
        relaxed_pressure(np, rounds, p, b, dx, dy, True)
        for columns in ((slice(1, -1), slice(None, -2), slice(2, None)), (-1, -2, 0), (0, -1, 1)):
            moved(u, v, un, vn, p, dx, dy, dt, rho, nu, force, *columns)
        u[0, :] = 0
        u[-1, :] = 0
        v[0, :] = 0
        v[-1, :] = 0
        change = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return steps, u, v, p


def hdiff(np, field, out, coefficient):
    n, m = out.shape[0], out.shape[1]
    lap = 4.0 * field[1 : n + 3, 1 : m + 3] - (
        field[2 : n + 4, 1 : m + 3] + field[:-2, 1 : m + 3] + field[1 : n + 3, 2 : m + 4] + field[1 : n + 3, :-2]
    )
    across = lap[1:, 1 : m + 1] - lap[:-1, 1 : m + 1]
    flux_x = np.where(across * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0, across)
    along = lap[1 : n + 1, 1:] - lap[1 : n + 1, :-1]
    flux_y = np.where(along * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0, along)
    out[:] = field[2 : n + 2, 2 : m + 2] - coefficient * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])
    return out


def vadv(np, result, stage, wind, position, tendency, step):
    """Tridiagonal systems along the last axis: forwards and backwards by layers."""
    beta = 0.5
    n, m, layers = position.shape
    c, d = np.ndarray((n, m, layers), position.dtype), np.ndarray((n, m, layers), position.dtype)
    above = below = None
    for k in range(layers):
        right = step * position[:, :, k] + tendency[:, :, k] + result[:, :, k]
        middle = step
        if k > 0:
            above = -0.25 * (wind[1:, :, k] + wind[:-1, :, k])
            a = above * beta
            right = right - above * beta * (stage[:, :, k - 1] - stage[:, :, k])
            middle = middle - a
        if k < layers - 1:
            below = 0.25 * (wind[1:, :, k + 1] + wind[:-1, :, k + 1])
            c_k = below * beta
            right = right - below * beta * (stage[:, :, k + 1] - stage[:, :, k])
            middle = middle - c_k
        if k == 0:
            divided = 1.0 / middle
            c[:, :, k] = c_k * divided
            d[:, :, k] = right * divided
        else:
            divided = 1.0 / (middle - c[:, :, k - 1] * a)
            if k < layers - 1:
                c[:, :, k] = c_k * divided
            d[:, :, k] = (right - d[:, :, k - 1] * a) * divided
    before = d[:, :, layers - 1]
    result[:, :, layers - 1] = step * (before - position[:, :, layers - 1])
    for k in range(layers - 2, -1, -1):
        before = d[:, :, k] - c[:, :, k] * before
        result[:, :, k] = step * (before - position[:, :, k])
    return result


def deriche(np, alpha, image):
    """A filter that looks both ways, along columns and then along rows."""
    falls = np.exp(-alpha)
    k = (1.0 - falls) ** 2 / (1.0 + alpha * falls - np.exp(2.0 * alpha))
    a1, a2, a3, a4 = k, k * falls * (alpha - 1.0), k * falls * (alpha + 1.0), -k * np.exp(-2.0 * alpha)
    b1, b2 = 2.0**-alpha, -np.exp(-2.0 * alpha)

    def filtered(x):
        there, back = np.empty_like(x), np.empty_like(x)
        there[:, 0] = a1 * x[:, 0]
        there[:, 1] = a1 * x[:, 1] + a2 * x[:, 0] + b1 * there[:, 0]
        for j in range(2, x.shape[1]):
            there[:, j] = a1 * x[:, j] + a2 * x[:, j - 1] + b1 * there[:, j - 1] + b2 * there[:, j - 2]
        back[:, -1] = 0.0
        back[:, -2] = a3 * x[:, -1]
        for j in range(x.shape[1] - 3, -1, -1):
            back[:, j] = a3 * x[:, j + 1] + a4 * x[:, j + 2] + b1 * back[:, j + 1] + b2 * back[:, j + 2]
        return there + back

    return filtered(filtered(image).T).T
