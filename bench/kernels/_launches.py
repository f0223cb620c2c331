"""The launches of _kernels.cu, see cuda_text.measure()."""

import numpy as np
from _sizes import (  # noqa: F401
    a, b, bins, bodies, check, data, matrix, most, n, options, points, price, side, square, strike, weights, width,
    work, x, y, years,
)  # fmt: skip

constants = {"weights": weights}
product, vector, force, line = np.empty_like(a), np.empty_like(x[:side]), np.empty_like(points), np.empty_like(x)
call, put, image = np.empty_like(price), np.empty_like(price), np.zeros((width, width), np.int32)
out, counts = np.empty_like(square), np.zeros(bins, np.uint32)
i32 = np.int32
blocks = lambda items: (-(-items // 256),)  # noqa: E731
table = {
    "matmul, naive": ("matmul", (matrix // 16, matrix // 16), (16, 16), (a, b, product, i32(matrix)), 2),
    "matrix times vector, a row a thread": (
        "matvec", (side // 64,), (64,), (square, x, vector, i32(side), i32(side)), 2,
    ),
    "n-body, all pairs": ("nbody", (bodies // 128,), (128,), (points, force, i32(bodies)), 1),
    "Black-Scholes": ("black_scholes", blocks(options), (256,), (price, strike, years, call, put, i32(options)), 3),
    "Mandelbrot": ("mandelbrot", (width // 32, width // 8), (32, 8), (image, i32(width), i32(width), i32(most)), 0),
    "5-point stencil": ("five_points", (side // 32, side // 8), (32, 8), (square, out, i32(side), i32(side)), 1),
    "saxpy, float4": ("saxpy4", blocks(n // 4), (256,), (i32(n // 4), np.float32(0.5), x, y), 3),
    "histogram, global atomics": ("histogram", blocks(len(data)), (256,), (data, counts, i32(len(data))), 1),
    "convolution, __constant__ weights": ("convolution", blocks(n - 16), (256,), (x, line, i32(n - 16)), 1),
    "x along the slow axis": (
        "slow_axis", (side // 16, side // 16), (16, 16), (square, square, out, i32(side), i32(side)), 2,
    ),
}  # fmt: skip
