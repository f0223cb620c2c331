"""The launches of _kernels.cu, for whoever runs CUDA text: kernel(grid, block, args)."""

import os

import _sizes as s
import numpy as np
from _sizes import bins, bodies, check, matrix, most, n, options, side, width, work
from timing import best

text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_kernels.cu")).read()


def figures(get_function, to_device, to_host, synchronize):
    """figure -> rate, of kernels by name on arrays made by to_device."""
    i32, f32 = np.int32, np.float32
    a, b, square, x, y, points = map(to_device, (s.a, s.b, s.square, s.x, s.y, s.points))
    price, strike, years, data = map(to_device, (s.price, s.strike, s.years, s.data))
    new = lambda shape, dtype=f32: to_device(np.zeros(shape, dtype))  # noqa: E731
    c, v, force, call, put = new(s.a.shape), new(side), new(s.points.shape), new(options), new(options)
    image, out, counts, long = new((width, width), i32), new(s.square.shape), new(bins, np.uint32), new(n)
    blocks = lambda m, of: (m + of - 1) // of  # noqa: E731
    launches = {
        "matmul, naive": ("matmul", (matrix // 16, matrix // 16), (16, 16), (a, b, c, i32(matrix)), c),
        "matrix times vector, a row a thread": (
            "matvec",
            (side // 64,),
            (64,),
            (square, x, v, i32(side), i32(side)),
            v,
        ),
        "n-body, all pairs": ("nbody", (bodies // 128,), (128,), (points, force, i32(bodies)), force),
        "Black-Scholes": (
            "black_scholes",
            (options // 256,),
            (256,),
            (price, strike, years, call, put, i32(options)),
            call,
        ),
        "Mandelbrot": (
            "mandelbrot",
            (width // 32, width // 8),
            (32, 8),
            (image, i32(width), i32(width), i32(most)),
            image,
        ),
        "5-point stencil": (
            "five_points",
            (side // 32, side // 8),
            (32, 8),
            (square, out, i32(side), i32(side)),
            out,
        ),
        "saxpy, float4": ("saxpy4", (n // 1024,), (256,), (i32(n // 4), f32(0.5), x, y), y),
        "histogram, global atomics": (
            "histogram",
            (blocks(len(s.data), 256),),
            (256,),
            (data, counts, i32(len(s.data))),
            counts,
        ),
        "convolution, __constant__ weights": (
            "convolution",
            (blocks(n - 16, 256),),
            (256,),
            (x, long, i32(n - 16)),
            long,
        ),
        "x along the slow axis": (
            "slow_axis",
            (side // 16, side // 16),
            (16, 16),
            (square, square, out, i32(side), i32(side)),
            out,
        ),
    }
    result = {}
    for figure, (name, grid, block, args, output) in launches.items():
        kernel = get_function(name)
        kernel(grid, block, args)
        synchronize()
        check(figure, to_host(output))

        def once():
            kernel(grid, block, args)
            synchronize()

        result[figure] = work[figure] / best(once, 9)
    return result
