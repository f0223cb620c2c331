"""What is measured, by name: (function of a module with NumPy's names, arguments of NumPy)."""

import numpy as np
from timing import best, warm


def programs():
    rng = np.random.default_rng(0)
    of = lambda *shape: rng.standard_normal(shape)  # noqa: E731
    small = of(10000, 16, 16) + 16 * np.eye(16)
    positive = small @ np.swapaxes(small, -1, -2)
    return {
        "solve 1000": ("solve", of(1000, 1000), of(1000)),
        "inv 1000": ("inv", of(1000, 1000)),
        "det 500": ("det", of(500, 500)),
        "cholesky 1000": ("cholesky", (lambda x: x @ x.T + 1000 * np.eye(1000))(of(1000, 1000))),
        "qr 500": ("qr", of(500, 500)),
        "svd 500": ("svd", of(500, 500)),
        "eigh 500": ("eigh", (lambda x: x + x.T)(of(500, 500))),
        "eig 200": ("eig", of(200, 200)),
        "lstsq 1000 x 100": ("lstsq", of(1000, 100), of(1000)),
        "solve 10000 of 16": ("solve", small, of(10000, 16, 1)),
        "inv 10000 of 16": ("inv", small),
        "cholesky 10000 of 16": ("cholesky", positive),
        "eigh 10000 of 16": ("eigh", positive),
        "svd 10000 of 16": ("svd", small),
        "qr 10000 of 16": ("qr", small),
        "matmul 1000": ("matmul", of(1000, 1000), of(1000, 1000)),
        "matmul 10000 of 16": ("matmul", small, small),
    }


def times(functions, arrays, wait=lambda: None):
    """Milliseconds of each program."""
    figures = {}
    for name, (function, *arguments) in programs().items():
        f = functions(function)
        if f is None:
            continue
        given = [arrays(x) for x in arguments]

        def run(f=f, given=given):
            f(*given)
            wait()

        warm(run)
        figures[name] = best(run, 7) * 1e3
    return figures
