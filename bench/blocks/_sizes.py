"""Sizes, inputs and outputs that all competitors use, and the check of their results."""

import numpy as np

n, side, matrix, bytes_ = 1 << 24, 4096, 1024, 1 << 24
rng = np.random.default_rng(1)
x = rng.random(n, dtype=np.float32)
square = rng.random((side, side), dtype=np.float32)
a, b = rng.random((matrix, matrix), dtype=np.float32), rng.random((matrix, matrix), dtype=np.float32)
data = rng.integers(0, 256, bytes_, dtype=np.uint8)
out, sums, turned, product = np.empty_like(x), np.empty(n // 256, np.float32), np.empty_like(square), np.empty_like(a)
bins = np.zeros(256, np.uint32)
work = {  # figure -> amount of bytes, operations or elements, in units of 1e9
    "reduction, tree": 4 * n / 1e9,
    "reduction, shuffle": 4 * n / 1e9,
    "matmul, 16 x 16 tiles": 2 * matrix**3 / 1e9,
    "transpose, 32 x 32 tiles": 8 * side**2 / 1e9,
    "stencil, shared memory": 8 * n / 1e9,
    "scan, blocks of 512": 8 * n / 1e9,
    "histogram, shared bins": bytes_ / 1e9,
}


def check(figure, got):
    """Raises if a competitor's result is wrong: speed of wrong results is no figure."""
    if figure.startswith("reduction"):
        want = x.reshape(-1, 256).sum(1, dtype=np.float64)
    elif figure.startswith("matmul"):
        want = a @ b
    elif figure.startswith("transpose"):
        want = square.T
    elif figure.startswith("stencil"):
        want = np.convolve(x, np.ones(7, np.float32), "same")
    elif figure.startswith("scan"):
        want = np.cumsum(x.reshape(-1, 512), 1, dtype=np.float64).ravel()
    else:
        want = np.bincount(data, minlength=256)
    np.testing.assert_allclose(got.reshape(want.shape), want, rtol=2e-4, err_msg=figure)
