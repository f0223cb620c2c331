"""Small programs for CuPy, as people write them, against the same in NumPy."""

import math

import numpy as np
import pytest


@pytest.fixture
def cp(device, monkeypatch):
    monkeypatch.setenv("KASOKU_DEVICE", device)
    from kasoku.compat import cupy

    return cupy


rng = np.random.default_rng(0)


def test_k_means(cp):
    centres = np.array([[0, 0], [5, 5], [0, 6]], np.float32)
    points = (centres[rng.integers(0, 3, 600)] + 0.3 * rng.standard_normal((600, 2))).astype(np.float32)

    def fit(xp, x, c):
        for _ in range(20):
            distances = xp.linalg.norm(x[:, None, :] - c[None, :, :], axis=2)
            label = xp.argmin(distances, axis=1)
            mask = label[:, None] == xp.arange(len(c))
            new = (mask[:, :, None] * x[:, None, :]).sum(axis=0) / mask.sum(axis=0)[:, None]
            if xp.allclose(new, c):
                break
            c = new
        return c, label

    start = points[[0, 1, 2]]
    for mine, expected in zip(fit(cp, cp.asarray(points), cp.asarray(start)), fit(np, points, start), strict=True):
        np.testing.assert_allclose(cp.asnumpy(mine), expected, rtol=1e-4, atol=1e-5)


def test_k_means_with_kernels(cp):
    x = rng.standard_normal((500, 3)).astype(np.float32)
    label = rng.integers(0, 4, 500).astype(np.int32)
    var = cp.ElementwiseKernel(
        "T x0, T x1, T c0, T c1", "T out", "out = (x0 - c0) * (x0 - c0) + (x1 - c1) * (x1 - c1)", "var_kernel"
    )
    np.testing.assert_allclose(var(cp.asarray(x[:, 0]), cp.asarray(x[:, 1]), 1.0, 2.0).get(), (x[:, 0] - 1) ** 2 + (x[:, 1] - 2) ** 2, rtol=1e-5)  # fmt: skip
    total = cp.ReductionKernel("T x, S mask", "T out", "mask ? x : 0", "a + b", "out = a", "0", "sum_kernel")
    count = cp.ReductionKernel("T mask", "float32 out", "mask ? 1.0 : 0.0", "a + b", "out = a", "0.0", "count_kernel")
    mask = cp.asarray(label)[:, None] == cp.arange(4)
    centres = total(cp.asarray(x)[:, None, :], mask[:, :, None], axis=0) / count(mask, axis=0).reshape(4, 1)
    np.testing.assert_allclose(centres.get(), [x[label == k].mean(axis=0) for k in range(4)], rtol=1e-4, atol=1e-5)


def test_gaussian_mixture(cp):
    x = np.concatenate([rng.normal(-2, 0.5, (300, 2)), rng.normal(2, 1.0, (300, 2))])

    def fit(xp, x):
        means, covs = x[xp.asarray([0, -1])], xp.ones((2, 2))
        weights = xp.full(2, 0.5)
        for _ in range(15):
            inv = 1 / xp.sqrt(covs)
            log_prob = (xp.sum((means * inv) ** 2, 1) - 2 * xp.dot(x, (means * inv**2).T) + xp.dot(x**2, (inv**2).T)) * -0.5  # fmt: skip
            weighted = log_prob - math.log(2 * math.pi) + xp.sum(xp.log(inv), axis=1) + xp.log(weights)
            top = weighted.max(axis=1, keepdims=True)
            norm = xp.log(xp.sum(xp.exp(weighted - top), axis=1, keepdims=True)) + top
            resp = xp.exp(weighted - norm)
            nk = resp.sum(axis=0)
            means = xp.dot(resp.T, x) / nk[:, None]
            covs = xp.dot(resp.T, x * x) / nk[:, None] - means**2 + 1e-6
            weights = nk / len(x)
        return means, covs, weights

    for mine, expected in zip(fit(cp, cp.asarray(x)), fit(np, x), strict=True):
        np.testing.assert_allclose(mine.get(), expected, rtol=1e-8)


def test_conjugate_gradient(cp):
    m = rng.random((60, 60))
    a, b = cp.asarray(m @ m.T + 60 * np.eye(60)), cp.asarray(rng.random(60))
    x = cp.zeros_like(b)
    r = b - cp.dot(a, x)
    p = r
    for _ in range(100):
        before = cp.inner(r, r)
        ap = cp.dot(a, p)
        alpha = before / cp.inner(p, ap)
        x = x + alpha * p
        r = r - alpha * ap
        if cp.linalg.norm(r) < 1e-10:
            break
        p = r + cp.inner(r, r) / before * p
    np.testing.assert_allclose(x.get(), np.linalg.solve(a.get(), b.get()), rtol=1e-7)


def black_scholes(xp, s, k, t, rate, vol, cdf):
    root = xp.sqrt(t)
    d1 = (xp.log(s / k) + (rate + vol * vol / 2) * t) / (vol * root)
    d2 = d1 - vol * root
    discount = xp.exp(-rate * t)
    call = s * cdf(d1) - k * discount * cdf(d2)
    return call, call + k * discount - s


def test_black_scholes(cp):
    s, k, t = rng.uniform(5, 30, 1000), rng.uniform(1, 100, 1000), rng.uniform(0.25, 10, 1000)
    normal = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))

    def polynomial(x):
        k = 1 / (1 + 0.2316419 * abs(x))
        w = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        c = 1 / math.sqrt(2 * math.pi) * cp.exp(-x * x / 2) * w
        return cp.where(x > 0, 1 - c, c)

    expected = black_scholes(np, s, k, t, 0.02, 0.3, normal)
    arrays = [cp.asarray(v) for v in (s, k, t)]
    for mine, value in zip(black_scholes(cp, *arrays, 0.02, 0.3, polynomial), expected, strict=True):
        np.testing.assert_allclose(mine.get(), value, atol=1e-4)

    @cp.fuse()
    def discounted(k, t):
        return k * cp.exp(-0.02 * t)

    np.testing.assert_allclose(discounted(*arrays[1:]).get(), k * np.exp(-0.02 * t))
    kernel = cp.ElementwiseKernel(
        "T s, T x, T t, T r, T v", "T call, T put",
        """
        const T root = sqrt(t), d1 = (log(s / x) + (r + v * v / 2) * t) / (v * root), d2 = d1 - v * root;
        const T c1 = normcdf(d1), c2 = normcdf(d2), e = exp(-r * t);
        call = s * c1 - x * e * c2;
        put = x * e * (1 - c2) - s * (1 - c1);
        """, "black_scholes_kernel",
    )  # fmt: skip
    for mine, value in zip(kernel(*arrays, 0.02, 0.3), expected, strict=True):
        np.testing.assert_allclose(mine.get(), value, atol=1e-10)


def test_monte_carlo_option(cp):
    cp.random.seed(0)
    samples = cp.random.normal(size=400_000)
    s, strike, years, rate, vol = 10.0, 9.0, 1.0, 0.02, 0.3
    end = s * cp.exp((rate - vol**2 / 2) * years + vol * math.sqrt(years) * samples)
    price = math.exp(-rate * years) * cp.maximum(end - strike, 0).mean()
    expected = black_scholes(np, s, strike, years, rate, vol, lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))[0]
    assert abs(float(price) - expected) < 0.02
    x, y = cp.random.random(200_000), cp.random.random(200_000)
    assert abs(float(4 * cp.count_nonzero(x**2 + y**2 < 1) / x.size) - math.pi) < 0.02


def test_heat_in_a_plate(cp):
    def run(xp):
        u = xp.zeros((32, 32))
        u[0, :] = 100
        for _ in range(50):
            u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * (
                u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
            )
        return u

    np.testing.assert_allclose(run(cp).get(), run(np), rtol=1e-12)


def test_game_of_life(cp):
    def run(xp, grid):
        for _ in range(10):
            n = sum(xp.roll(grid, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
            grid = ((n == 3) | ((grid == 1) & (n == 2))).astype(xp.int32)
        return grid

    start = rng.integers(0, 2, (20, 30)).astype(np.int32)
    np.testing.assert_array_equal(run(cp, cp.asarray(start)).get(), run(np, start))


def test_low_pass_and_histogram(cp):
    t = np.linspace(0, 1, 512, endpoint=False)
    signal = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 80 * t)
    spectrum = cp.fft.rfft(cp.asarray(signal))
    spectrum[cp.fft.rfftfreq(512, 1 / 512) > 20] = 0
    np.testing.assert_allclose(cp.fft.irfft(spectrum).get(), np.sin(2 * np.pi * 5 * t), atol=1e-12)
    image = rng.integers(0, 64, (40, 40)).astype(np.uint8)
    counts, edges = cp.histogram(cp.asarray(image), bins=256, range=(0, 256))
    cdf = cp.cumsum(counts)
    equal = (cdf[cp.asarray(image)] * 255 // cdf[-1]).astype(cp.uint8)
    host = np.cumsum(np.histogram(image, 256, (0, 256))[0])
    np.testing.assert_array_equal(equal.get(), (host[image] * 255 // host[-1]).astype(np.uint8))
    assert edges.shape == (257,)


def test_power_iteration_and_page_rank(cp):
    links = cp.asarray(rng.random((30, 30)) < 0.2).astype(cp.float64)
    links = cp.where(links.sum(axis=0) == 0, 1.0, links)
    p = 0.85 * links / links.sum(axis=0) + 0.15 / 30
    v = cp.full(30, 1 / 30)
    for _ in range(200):
        v = p @ v
    w, vectors = np.linalg.eig(p.get())
    best = vectors[:, np.argmax(w.real)].real
    np.testing.assert_allclose(v.get(), best / best.sum(), atol=1e-12)


def test_raw_mandelbrot_and_tiles(cp):
    mandelbrot = cp.RawKernel(r"""
    extern "C" __global__ void mandelbrot(int* out, int w, int h, int limit) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= w || y >= h) return;
        double cr = -2.0 + 3.0 * x / w, ci = -1.0 + 2.0 * y / h, zr = 0, zi = 0;
        int n = 0;
        while (n < limit && zr * zr + zi * zi <= 4) { double t = zr * zr - zi * zi + cr; zi = 2 * zr * zi + ci; zr = t; ++n; }
        out[y * w + x] = n;
    }""", "mandelbrot")  # fmt: skip
    out = cp.zeros((24, 36), dtype=cp.int32)
    mandelbrot((3, 2), (16, 16), (out, 36, 24, 50))
    assert out[12, 24] == 50 and out[0, 0] == 1 and 1 < int(out[12, 34]) < 50
    code = r"""
    template <typename T, int N> __global__ void product(const T* a, const T* b, T* c, int n) {
        __shared__ T s[N][N], t[N][N];
        int row = blockIdx.y * N + threadIdx.y, column = blockIdx.x * N + threadIdx.x;
        T sum = 0;
        for (int k = 0; k < n; k += N) {
            s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
            t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
            __syncthreads();
            for (int j = 0; j < N; ++j) sum += s[threadIdx.y][j] * t[j][threadIdx.x];
            __syncthreads();
        }
        c[row * n + column] = sum;
    }"""
    names = ["product<float, 16>", "product<double, 8>"]
    module = cp.RawModule(code=code, options=("-std=c++14",), name_expressions=names)
    for name, dtype, tile in zip(names, (np.float32, np.float64), (16, 8)):
        a, b = (rng.random((32, 32)).astype(dtype) for _ in range(2))
        c = cp.empty((32, 32), dtype)
        module.get_function(name)((32 // tile,) * 2, (tile, tile), (cp.asarray(a), cp.asarray(b), c, np.int32(32)))
        np.testing.assert_allclose(c.get(), a @ b, rtol=1e-5)


def test_the_users_guide(cp):
    def softplus(x):
        xp = cp.get_array_module(x)
        return xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x)))

    x = rng.standard_normal(50)
    assert cp.get_array_module(x) is np and cp.get_array_module(cp.asarray(x)) is cp
    np.testing.assert_allclose(cp.asnumpy(softplus(cp.asarray(x))), softplus(x), rtol=1e-12)
    with cp.cuda.Device(0):
        on = cp.array([1, 2, 3])
    assert on.device == cp.cuda.Device(0) and on.device.id == cp.cuda.get_device_id() == 0
    with on.device:
        assert cp.zeros(2).device == on.device
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        y = cp.arange(6).reshape(2, 3) * 2
        host = cp.asnumpy(y, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(host, np.arange(6).reshape(2, 3) * 2)
    squared = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    out = cp.empty((2, 5), dtype=cp.float32)
    squared(cp.arange(10, dtype=np.float32).reshape(2, 5), cp.arange(5, dtype=np.float32), out)
    np.testing.assert_array_equal(out.get(), [[0] * 5, [25] * 5])
    neighbour = cp.ElementwiseKernel("raw T x", "T y", "y = x[(i + 1) % _ind.size()] - x[i]", "neighbour")
    np.testing.assert_array_equal(neighbour(cp.arange(4.0), size=4).get(), [1, 1, 1, -3])
    l2 = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    np.testing.assert_allclose(l2(cp.arange(10, dtype=np.float32).reshape(2, 5), axis=1).get(), [5.477226, 15.9687195])


def test_a_shared_memory_sum_and_scatter(cp):
    kernel = cp.RawKernel(r"""
    extern "C" __global__ void sums(const float* x, float* out, int n) {
        extern __shared__ float s[];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        s[threadIdx.x] = i < n ? x[i] : 0.f;
        __syncthreads();
        for (int k = blockDim.x / 2; k > 0; k /= 2) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
        if (threadIdx.x == 0) atomicAdd(out, s[0]);
    }""", "sums")  # fmt: skip
    x = rng.random(1000).astype(np.float32)
    out = cp.zeros(1, cp.float32)
    kernel((8,), (128,), (cp.asarray(x), out, 1000), shared_mem=128 * 4)
    np.testing.assert_allclose(float(out[0]), x.sum(), rtol=1e-5)
    import kasoku.compat.cupyx as cupyx

    at, values = rng.integers(0, 10, 200), rng.random(200)
    mine, expected = cp.zeros(10), np.zeros(10)
    cupyx.scatter_add(mine, cp.asarray(at), cp.asarray(values))
    np.add.at(expected, at, values)
    np.testing.assert_allclose(mine.get(), expected, rtol=1e-12)
    np.testing.assert_allclose(cp.bincount(cp.asarray(at), cp.asarray(values), minlength=10).get(), expected)


def test_regression_and_distances(cp):
    x, true = rng.random((200, 3)), np.array([1.0, -2.0, 0.5])
    y = x @ true + 3
    design = cp.c_[cp.asarray(x), cp.ones(200)]
    solution, *_ = cp.linalg.lstsq(design, cp.asarray(y), rcond=None)
    np.testing.assert_allclose(solution.get(), [*true, 3], rtol=1e-9)
    u, s, vt = cp.linalg.svd(cp.asarray(x), full_matrices=False)
    np.testing.assert_allclose(((u * s) @ vt).get(), x, atol=1e-12)
    d = cp.sqrt(((design[:, None] - design[None]) ** 2).sum(-1))
    nearest = cp.argsort(d, axis=1)[:, 1:4]
    host = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    np.testing.assert_array_equal(nearest.get(), np.argsort(host, axis=1)[:, 1:4])
    values, counts = cp.unique(cp.asarray([3, 1, 3, 2, 1]), return_counts=True)
    assert values.tolist() == [1, 2, 3] and counts.tolist() == [2, 1, 2]
