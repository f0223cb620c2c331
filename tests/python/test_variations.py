"""Small programs of the π program's breadth, each in several shapes, against NumPy."""

import kasoku as ks
import numpy as np
import pytest

N = 4000
X = np.random.default_rng(1).random(N)
Y = np.random.default_rng(2).normal(size=N)
M = np.random.default_rng(3).random((40, 30))


def integral_loop(x, y, m):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i] * 3
    return total


def integral_prange(x, y, m):
    total = 0.0
    for i in ks.prange(x.size):
        total += x[i] * x[i] * 3
    return total


def walk_loop(x, y, m):
    place = 0.0
    farthest = 0.0
    for i in range(y.size):
        place += y[i]
        farthest = max(farthest, abs(place))
    return farthest


def squares_loop(x, y, m):
    total = 0.0
    for i in range(y.size):
        total += y[i] ** 2
    return total / y.size


def squares_prange(x, y, m):
    total = 0.0
    for i in ks.prange(y.size):
        total += y[i] ** 2
    return total / y.size


def nested_loop(x, y, m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += m[i, j] * (i + j)
    return total


def nested_prange(x, y, m):
    total = 0.0
    for i in ks.prange(m.shape[0]):
        for j in range(m.shape[1]):
            total += m[i, j] * (i + j)
    return total


def mask_loop(x, y, m):
    total = 0.0
    for i in range(x.size):
        if x[i] < 0.25 or y[i] > 1:
            total += x[i]
    return total


def mask_prange(x, y, m):
    total = 0.0
    for i in ks.prange(x.size):
        if x[i] < 0.25 or y[i] > 1:
            total += x[i]
    return total


def dot_loop(x, y, m):
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


def dot_prange(x, y, m):
    total = 0.0
    for i in ks.prange(x.size):
        total += x[i] * y[i]
    return total


def largest_loop(x, y, m):
    best = y[0]
    rises = 0
    for i in range(1, y.size):
        if y[i] > best:
            best = y[i]
            rises += 1
    return rises


def converged_loop(x, y, m):
    a = x[0] + 2
    r = a
    while abs(r * r - a) > 1e-13 * a:
        r = (r + a / r) / 2
    return r


def histogram_loop(x, y, m):
    bins = np.zeros(8, np.int64)
    for i in range(x.size):
        bins[int(x[i] * 8)] += 1
    return bins.max()


def count_loop(x, y, m):
    count = 0
    for i in range(x.size):
        if x[i] * x[i] + y[i] * y[i] < 1.0:
            count += 1
    return count


def count_prange(x, y, m):
    count = 0
    for i in ks.prange(x.size):
        if x[i] * x[i] + y[i] * y[i] < 1.0:
            count += 1
    return count


# name: NumPy's answer, array code or None, jitted shapes
variations = {
    "integral": (lambda x, y, m: (3 * x * x).sum(), lambda x, y, m: (3 * x * x).sum(), [integral_loop, integral_prange]),
    "walk": (lambda x, y, m: np.abs(y.cumsum()).max(), None, [walk_loop]),
    "mean of squares": (lambda x, y, m: (y**2).mean(), lambda x, y, m: (y**2).mean(), [squares_loop, squares_prange]),
    "nested": (
        lambda x, y, m: (m * np.add.outer(np.arange(40), np.arange(30))).sum(),
        lambda x, y, m: (m * (ks.arange(40)[:, None] + ks.arange(30)[None, :]).to_device(m.device)).sum(),
        [nested_loop, nested_prange],
    ),
    "mask": (
        lambda x, y, m: x[(x < 0.25) | (y > 1)].sum(),
        lambda x, y, m: ks.where((x < 0.25) | (y > 1), x, 0.0).sum(),
        [mask_loop, mask_prange],
    ),
    "dot": (lambda x, y, m: x @ y, lambda x, y, m: (x * y).sum(), [dot_loop, dot_prange]),
    "rises of the maximum": (lambda x, y, m: np.unique(np.maximum.accumulate(y)).size - 1, None, [largest_loop]),
    "until converged": (lambda x, y, m: np.sqrt(x[0] + 2), None, [converged_loop]),
    "histogram": (lambda x, y, m: np.histogram(x, 8, (0, 1))[0].max(), None, [histogram_loop]),
    "count": (
        lambda x, y, m: np.count_nonzero(x * x + y * y < 1),
        lambda x, y, m: ks.count_nonzero(x * x + y * y < 1),
        [count_loop, count_prange],
    ),
    "largest of a row's means": (lambda x, y, m: m.mean(axis=1).max(), lambda x, y, m: m.mean(axis=1).max(), []),
    "smallest column's sum": (lambda x, y, m: m.sum(axis=0).min(), lambda x, y, m: m.sum(axis=0).min(), []),
    "strided difference": (lambda x, y, m: (x[1::2] - x[::2]).sum(), lambda x, y, m: (x[1::2] - x[::2]).sum(), []),
    "logistic": (
        lambda x, y, m: (1 / (1 + np.exp(-y))).mean(),
        lambda x, y, m: (1 / (1 + ks.exp(-y))).mean(),
        [],
    ),
}


@pytest.mark.parametrize("name", [n for n, v in variations.items() if v[1]])
def test_as_array_code(name, device):
    want, arrays, _ = variations[name]
    got = arrays(*(ks.array(a, device=device) for a in (X, Y, M)))
    np.testing.assert_allclose(float(got), want(X, Y, M), rtol=1e-10)


loops = [(name, loop) for name, v in variations.items() for loop in v[2]]


@pytest.mark.parametrize("name, loop", loops, ids=lambda v: getattr(v, "__name__", ""))
def test_as_a_jitted_loop_and_delayed(name, loop):
    want = variations[name][0](X, Y, M)
    jitted = ks.jit(loop)
    np.testing.assert_allclose(jitted(X, Y, M), want, rtol=1e-10)
    both = ks.delayed(list)([ks.delayed(jitted)(X, Y, M) for _ in range(2)]).compute()
    np.testing.assert_allclose(both, [want] * 2, rtol=1e-10)
