"""Points, particles, paths, sequences and sums of bytes."""


def arc_distance(np, theta_1, phi_1, theta_2, phi_2):
    t = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(t), np.sqrt(1 - t))


def compute(np, x, y, a, b, c):
    return np.clip(x, 2, 10) * a + y * b + c


def go_fast(np, a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def azimint_naive(np, data, radius, bins):
    largest = radius.max()
    means = np.zeros(bins, dtype=np.float64)
    for i in range(bins):
        inner, outer = largest * i / bins, largest * (i + 1) / bins
        ring = np.logical_and(inner <= radius, radius < outer)
        means[i] = data[ring].mean()
    return means


def azimint_hist(np, data, radius, bins):
    counts = np.histogram(radius, bins)[0]
    return np.histogram(radius, bins, weights=data)[0] / counts


def crc16(np, data, polynomial=0x8408):
    crc = 0xFFFF
    for byte in data:
        rest = 0xFF & byte
        for _ in range(8):
            crc = (crc >> 1) ^ polynomial if (crc & 1) ^ (rest & 1) else crc >> 1
            rest >>= 1
    crc = ~crc & 0xFFFF
    return ((crc << 8) | ((crc >> 8) & 0xFF)) & 0xFFFF


def floyd_warshall(np, path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
    return path


def nussinov(np, sequence):
    n = len(sequence)
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
                pair = (1 if sequence[i] + sequence[j] == 3 else 0) if i < j - 1 else 0
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


def mandelbrot1(np, x0, x1, y0, y1, n_x, n_y, rounds, horizon):
    x, y = np.linspace(x0, x1, n_x, dtype=np.float64), np.linspace(y0, y1, n_y, dtype=np.float64)
    c = x + y[:, None] * 1j
    n, z = np.zeros(c.shape, dtype=np.int64), np.zeros(c.shape, dtype=np.complex128)
    for k in range(rounds):
        inside = np.less(abs(z), horizon)
        n[inside] = k
        z[inside] = z[inside] ** 2 + c[inside]
    n[n == rounds - 1] = 0
    return z, n


def mandelbrot2(np, x0, x1, y0, y1, n_x, n_y, rounds, horizon):
    """Those that are inside stay, others leave."""
    i, j = np.mgrid[0:n_x, 0:n_y]
    c = np.linspace(x0, x1, n_x)[i] + np.linspace(y0, y1, n_y)[j] * 1j
    counts, last = np.zeros(c.shape, dtype=np.int64), np.zeros(c.shape, dtype=np.complex128)
    i, j, c = np.reshape(i, n_x * n_y), np.reshape(j, n_x * n_y), np.reshape(c, n_x * n_y)
    z = np.zeros(c.shape, np.complex128)
    for k in range(rounds):
        if not len(z):
            break
        np.multiply(z, z, z)
        np.add(z, c, z)
        out = abs(z) > horizon
        counts[i[out], j[out]] = k + 1
        last[i[out], j[out]] = z[out]
        np.logical_not(out, out)
        z, i, j, c = z[out], i[out], j[out], c[out]
    return last.T, counts.T


def nbody(np, mass, place, speed, steps, dt, gravity, softening):
    def apart():
        x, y, z = place[:, 0:1], place[:, 1:2], place[:, 2:3]
        return x.T - x, y.T - y, z.T - z

    def pull():
        dx, dy, dz = apart()
        cubes = dx**2 + dy**2 + dz**2 + softening**2
        cubes[cubes > 0] = cubes[cubes > 0] ** (-1.5)
        return np.hstack([gravity * (d * cubes) @ mass for d in (dx, dy, dz)])

    def energies():
        dx, dy, dz = apart()
        inverse = np.sqrt(dx**2 + dy**2 + dz**2)
        inverse[inverse > 0] = 1.0 / inverse[inverse > 0]
        moving = 0.5 * np.sum(np.sum(mass * speed**2))
        return moving, gravity * np.sum(np.sum(np.triu(-(mass * mass.T) * inverse, 1)))

    kinetic, potential = np.ndarray(steps + 1, np.float64), np.ndarray(steps + 1, np.float64)
    speed -= np.mean(mass * speed, axis=0) / np.mean(mass)
    force = pull()
    kinetic[0], potential[0] = energies()
    for k in range(steps):
        speed += force * dt / 2.0
        place += speed * dt
        force = pull()
        speed += force * dt / 2.0
        kinetic[k + 1], potential[k + 1] = energies()
    return kinetic, potential


def stockham_fft(np, radix, stages, x, y):
    n = radix**stages
    rows, columns = np.mgrid[0:radix, 0:radix]
    small = np.exp(-2.0j * np.pi * rows * columns / radix)
    y[:] = x
    rows, columns = np.mgrid[0:radix, 0 : radix ** (stages - 1)]
    for k in range(stages):
        done, left = radix**k, radix ** (stages - k - 1)
        turned = np.transpose(np.reshape(y, (done, radix, left)), axes=(1, 0, 2))
        angles = -2.0j * np.pi / radix ** (k + 1) * rows[:, :done] * columns[:, :done]
        twiddles = np.repeat(np.reshape(np.exp(angles), (radix, done, 1)), left, axis=2)
        twisted = np.reshape(turned, (n,)) * np.reshape(twiddles, (n,))
        y[:] = np.reshape(small @ np.reshape(twisted, (radix, n // radix)), (n,))
    return y
