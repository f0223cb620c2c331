"""The launches of _kernels.cu, for whoever runs CUDA text: kernel(grid, block, args)."""

import os

import numpy as np
from _sizes import a, b, bytes_, check, data, matrix, n, side, square, work, x
from timing import best

text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_kernels.cu")).read()


def figures(get_function, to_device, to_host, synchronize, suffix="", launches_in_a_row=1):
    """figure + suffix -> rate, of kernels by name on arrays made by to_device. A GPU is given
    several launches before it is waited for: the kernels are compared, not the waiting."""
    dx, ds, da, db, dd = map(to_device, (x, square, a, b, data))
    out, sums, dst, dc, bins = map(
        to_device,
        (
            np.empty_like(x),
            np.empty(n // 256, np.float32),
            np.empty_like(square),
            np.empty_like(a),
            np.zeros(256, np.uint32),
        ),
    )
    m32, n32, s32, b32 = np.int32(matrix), np.int32(n), np.int32(side), np.int32(bytes_)
    launches = {
        "reduction, tree": ("reduce_tree", (n // 256,), (256,), (dx, sums), sums),
        "reduction, shuffle": ("reduce_shuffle", (n // 256,), (256,), (dx, sums), sums),
        "matmul, 16 x 16 tiles": (
            "matmul",
            (matrix // 16, matrix // 16),
            (16, 16),
            (da, db, dc, m32),
            dc,
        ),
        "transpose, 32 x 32 tiles": (
            "transpose",
            (side // 32, side // 32),
            (32, 8),
            (ds, dst, s32),
            dst,
        ),
        "stencil, shared memory": ("stencil", (n // 256,), (256,), (dx, out, n32), out),
        "scan, blocks of 512": ("scan", (n // 512,), (512,), (dx, out), out),
        "histogram, shared bins": ("histogram", (128,), (256,), (dd, bins, b32), bins),
    }
    result = {}
    for figure, (name, grid, block, args, output) in launches.items():
        kernel = get_function(name)
        kernel(grid, block, args)
        synchronize()
        check(figure, to_host(output))

        def once():
            for _ in range(launches_in_a_row):
                kernel(grid, block, args)
            synchronize()

        best(once, 20)  # a GPU raises its clock with work
        result[figure + suffix] = work[figure] * launches_in_a_row / best(once, 9)
    return result
