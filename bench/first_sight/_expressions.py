"""A hundred different expressions over ten elements, each met for the first time."""

import itertools
import time

UNARY = ("sin", "exp", "sqrt", "log", "cos")
BINARY = ("add", "subtract", "multiply", "maximum")


def expressions(lib):
    for first, second, join in itertools.product(UNARY, UNARY, BINARY):
        f, g, h = (getattr(lib, name) for name in (first, second, join))
        yield lambda x, y, f=f, g=g, h=h: h(f(x), g(y)) * 2 + x


def measure(lib, x, y, value):
    """Milliseconds for all; value(z) is z's first element as a number. One expression is met before."""
    value(lib.tan(x) - y)
    start = time.perf_counter()
    for expression in expressions(lib):
        value(expression(x, y))
    return (time.perf_counter() - start) * 1e3
