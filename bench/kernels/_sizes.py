"""Sizes and inputs that all competitors use, and the check of their results."""

import numpy as np

side, matrix, bodies, options, width, most, bins, n = 4096, 1024, 1 << 13, 1 << 20, 1024, 256, 4096, 1 << 24
rng = np.random.default_rng(1)
random = lambda *shape: rng.random(shape, dtype=np.float32)  # noqa: E731
a, b, square, x, y = random(matrix, matrix), random(matrix, matrix), random(side, side), random(n), random(n)
points = random(bodies, 4)
price, strike, years = 5 + 25 * random(options), 1 + 99 * random(options), 0.25 + 9.75 * random(options)
data = rng.integers(0, bins, n // 4, dtype=np.int32)
weights = random(17)
work = {  # figure -> amount of operations, bytes or elements, in the unit of the table
    "matmul, naive": 2 * matrix**3 / 1e9,
    "matrix times vector, a row a thread": 4 * side**2 / 1e9,
    "n-body, all pairs": bodies**2 / 1e9,
    "Black-Scholes": options / 1e6,
    "Mandelbrot": width**2 / 1e6,
    "5-point stencil": 8 * side**2 / 1e9,
    "saxpy, float4": 12 * n / 1e9,
    "histogram, global atomics": len(data) / 1e6,
    "convolution, __constant__ weights": 8 * n / 1e9,
    "x along the slow axis": 12 * side**2 / 1e9,
}


def wanted(figure):
    """What the outputs must hold, as a list of arrays; None where the outputs accumulate."""
    if figure.startswith("matmul"):
        return [a @ b]
    if figure.startswith("matrix"):
        return [square @ x[:side]]
    if figure.startswith("n-body"):
        some = points[:64]
        d = points[None, :, :3].astype(np.float64) - some[:, None, :3]
        return [np.sum(d * (points[:, 3] / (np.sum(d * d, 2) + 1e-3) ** 1.5)[..., None], 1)]
    if figure.startswith("5"):
        i = square.astype(np.float64)
        inside = 0.5 * i[1:-1, 1:-1] + 0.125 * (i[1:-1, :-2] + i[1:-1, 2:] + i[:-2, 1:-1] + i[2:, 1:-1])
        return [np.pad(inside, 1)]
    if figure.startswith("conv"):
        return [np.convolve(x, weights[::-1], "valid")]
    if figure.startswith("x along"):
        return [square + 2 * square]
    return None


def check(figure, got):
    """Raises if a competitor's result is wrong: speed of wrong results is no figure."""
    want = wanted(figure)
    if want is not None:
        (want,) = want
        got = got.reshape(-1, 4)[:64, :3] if figure.startswith("n-body") else got.ravel()[: want.size]
        np.testing.assert_allclose(got.reshape(want.shape), want, rtol=2e-3, atol=1e-4, err_msg=figure)
    elif figure.startswith("hist"):
        counts = np.bincount(data, minlength=bins)
        assert (got % counts == 0).all() and got.any(), figure
    elif figure.startswith("Black"):
        assert np.isfinite(got).all() and abs(got.mean() - 2.99) < 0.05, (figure, got.mean())
    elif figure.startswith("Mandel"):
        assert got.max() == most and 0.1 < (got == most).mean() < 0.4, figure
    else:
        assert np.isfinite(got).all(), figure
