"""Elementary functions of arrays on one thread: 2^24 elements, results in new memory, as a program writes it."""

import numpy as np
from timing import best

n = 1 << 24
names = ["sin", "cos", "tan", "tanh", "sinh", "log1p", "expm1", "arcsin", "arctan", "cbrt", "cosh", "arccos", "exp", "log",
         "exp2", "log2", "log10", "arcsinh", "arccosh", "arctanh"]  # fmt: skip
quotients = ["floor_divide", "remainder"]
pairs = ["arctan2", "hypot", "power", *quotients]


def rates(function, to_array, finish=lambda y: y):
    """figure -> M elements/s; function(name) is the library's or None, finish computes what is pending."""
    figures = {}
    for dtype in ("float32", "float64"):
        g = np.random.default_rng(1)
        values = g.uniform(0.01, 0.99, n).astype(dtype), g.uniform(0.5, 3, n).astype(dtype)
        x, y = map(to_array, values)
        for name in names + pairs:
            f = function(name)
            if f is None:
                continue
            args = (x, y) if name in pairs else (y if name == "arccosh" else x,)
            call = lambda f=f, args=args: finish(f(*args))  # noqa: E731
            call()
            figures[f"{name}, {dtype}"] = n / best(call, 5) / 1e6
    for dtype in ("int32", "int64"):
        x, y = (to_array(np.random.default_rng(1).integers(1, high, n).astype(dtype)) for high in (1 << 30, 1000))
        for name in quotients:
            call = lambda f=function(name), x=x, y=y: finish(f(x, y))  # noqa: E731
            call()
            figures[f"{name}, {dtype}"] = n / best(call, 5) / 1e6
    return figures
