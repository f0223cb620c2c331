"""The launches of _kernels.cu, see cuda_text.measure()."""

import numpy as np
from _sizes import (  # noqa: F401
    a,
    b,
    bins,
    bytes_,
    check,
    data,
    matrix,
    n,
    out,
    product,
    side,
    square,
    sums,
    turned,
    work,
    x,
)

constants = {}
tiles = lambda size, tile: (size // tile, size // tile)  # noqa: E731
table = {
    "reduction, tree": ("reduce_tree", (n // 256,), (256,), (x, sums), 1),
    "reduction, shuffle": ("reduce_shuffle", (n // 256,), (256,), (x, sums), 1),
    "matmul, 16 x 16 tiles": ("matmul", tiles(matrix, 16), (16, 16), (a, b, product, np.int32(matrix)), 2),
    "transpose, 32 x 32 tiles": ("transpose", tiles(side, 32), (32, 8), (square, turned, np.int32(side)), 1),
    "stencil, shared memory": ("stencil", (n // 256,), (256,), (x, out, np.int32(n)), 1),
    "scan, blocks of 512": ("scan", (n // 512,), (512,), (x, out), 1),
    "histogram, shared bins": ("histogram", (128,), (256,), (data, bins, np.int32(bytes_)), 1),
}
