import ctypes
import os
import shutil
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import _sizes as s
from _sizes import bins, bodies, check, matrix, most, n, options, side, width, work
from timing import best, compile_cpp, report, skip, warm_rounds

if not shutil.which("g++"):
    skip("g++ is not installed")
library = ctypes.CDLL(compile_cpp(os.path.join(os.path.dirname(os.path.abspath(__file__)), "by_hand.cpp")))
new = np.zeros
c, v, force = new(s.a.shape, np.float32), new(side, np.float32), new(s.points.shape, np.float32)
call, put, image = new(options, np.float32), new(options, np.float32), new((width, width), np.int32)
out, counts, long = new(s.square.shape, np.float32), new(bins, np.uint32), new(n, np.float32)
half = ctypes.c_float(0.5)
calls = {
    "matmul, naive": ("matmul", (s.a, s.b, c, matrix), c),
    "matrix times vector, a row a thread": ("matvec", (s.square, s.x, v, side, side), v),
    "n-body, all pairs": ("nbody", (s.points, force, bodies), force),
    "Black-Scholes": ("black_scholes", (s.price, s.strike, s.years, call, put, options), call),
    "Mandelbrot": ("mandelbrot", (image, width, width, most), image),
    "5-point stencil": ("five_points", (s.square, out, side, side), out),
    "saxpy, float4": ("saxpy", (n, half, s.x, s.y), s.y),
    "histogram, global atomics": ("histogram", (s.data, counts, len(s.data)), counts),
    "convolution, __constant__ weights": ("convolution", (s.x, s.weights, long, n - 16), long),
    "x along the slow axis": ("rows", (s.square, s.square, out, side, side), out),
}
figures = {}
for figure, (name, args, output) in calls.items():
    function = getattr(library, name)
    passed = [ctypes.c_void_p(arg.ctypes.data) if isinstance(arg, np.ndarray) else arg for arg in args]

    def once(function=function, passed=passed):
        function(*passed)

    once()
    check(figure, output)
    figures[figure] = work[figure] / best(once, warm_rounds)
report(figures)
