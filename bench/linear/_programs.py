"""Programs of products of matrices as NPBench has them, and factors: NumPy in a function, of sizes that take milliseconds."""

import numpy as np
from timing import best


def gemm(alpha, beta, c, a, b):
    c[:] = alpha * a @ b + beta * c


def k2mm(alpha, beta, a, b, c, d):
    d[:] = alpha * a @ b @ c + beta * d


def k3mm(a, b, c, d):
    return a @ b @ c @ d


def atax(a, x):
    return (a @ x) @ a


def bicg(a, p, r):
    return r @ a, a @ p


def mvt(x1, x2, y1, y2, a):
    x1 += a @ y1
    x2 += y2 @ a


def solved(a, b):
    return np.linalg.solve(a, b)


def inverse(a):
    return np.linalg.inv(a)


def factors(a):
    return np.linalg.cholesky(a @ a.T + a.shape[0] * np.eye(a.shape[0]))


def eigen(a):
    return np.linalg.eigh(a + a.T)


def singular(a):
    return np.linalg.svd(a, False)


def small(a, n):
    """Products of matrices that no library is worth calling for."""
    x = a
    for _ in range(n):
        x = a @ x
    return x


def programs():
    """(name, function, arguments) each; the arguments are new."""
    rng = np.random.default_rng(0)
    of = lambda *shape: rng.random(shape) / shape[-1]  # noqa: E731
    return [
        ("gemm", gemm, (1.5, 1.2, of(600, 700), of(600, 800), of(800, 700))),
        ("k2mm", k2mm, (1.5, 1.2, of(500, 600), of(600, 700), of(700, 550), of(500, 550))),
        ("k3mm", k3mm, (of(500, 600), of(600, 550), of(550, 450), of(450, 500))),
        ("atax", atax, (of(2600, 2400), of(2400))),
        ("bicg", bicg, (of(2600, 2400), of(2400), of(2600))),
        ("mvt", mvt, (of(2500), of(2500), of(2500), of(2500), of(2500, 2500))),
        ("solve", solved, (rng.random((500, 500)), rng.random((500, 20)))),
        ("inv", inverse, (rng.random((400, 400)),)),
        ("cholesky", factors, (rng.random((500, 500)),)),
        ("eigh", eigen, (rng.random((200, 200)),)),
        ("svd", singular, (rng.random((200, 150)),)),
        ("4 x 4, 1000 products", small, (rng.random((4, 4)) / 3, 1000)),
        ("16 x 16, 1000 products", small, (rng.random((16, 16)) / 9, 1000)),
    ]


def times(compiled):
    """Milliseconds of each program."""
    figures = {}
    for name, function, arguments in programs():
        fast = compiled(function)
        fast(*arguments)  # compiles
        figures[name] = best(lambda fast=fast, arguments=arguments: fast(*arguments), 15) * 1e3
    return figures
