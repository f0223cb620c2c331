"""Loops whose indices are data, as plain Python functions, with arguments for each."""

import copy

import numpy as np
from timing import best

prange = range  # a competitor puts its own here


def histogram(count, bins):
    for i in range(len(bins)):
        count[bins[i]] += 1


def gather(y, x, index):
    for i in range(len(index)):
        y[i] = x[index[i]]


def scatter(y, x, index):
    for i in range(len(index)):
        y[index[i]] = x[i]


def look_up(y, table, row, column):
    for i in range(len(row)):
        y[i] = table[row[i], column[i]]


def bytes_table(y, x, table):
    for i in range(len(x)):
        y[i] = table[x[i]]


def sparse_product(y, start, column, value, x):
    for i in range(len(y)):
        s = 0.0
        for k in range(start[i], start[i + 1]):
            s += value[k] * x[column[k]]
        y[i] = s


def binary_search(y, a, x):
    for i in range(len(x)):
        low, high = 0, len(a)
        while low < high:
            middle = (low + high) // 2
            if a[middle] < x[i]:
                low = middle + 1
            else:
                high = middle
        y[i] = low


def sieve(is_prime):
    n = len(is_prime)
    i = 2
    while i * i < n:
        if is_prime[i]:
            for j in range(i * i, n, i):
                is_prime[j] = False
        i += 1


def walk(following, steps):
    at = 0
    for _ in range(steps):
        at = following[at]
    return at


def offsets(y, x, offset, weight):
    for i in range(8, len(x) - 8):
        s = 0.0
        for k in range(len(offset)):
            s += weight[k] * x[i + offset[k]]
        y[i] = s


def insertion_sort(a, x, width):
    for i in range(len(x)):
        a[i] = x[i]
    for first in range(0, len(a) - width + 1, width):
        for i in range(first + 1, first + width):
            v = a[i]
            j = i - 1
            while j >= first and a[j] > v:
                a[j + 1] = a[j]
                j -= 1
            a[j + 1] = v


def torus(new, old):
    n, m = old.shape
    for i in range(n):
        for j in range(m):
            new[i, j] = old[(i - 1) % n, j] + old[(i + 1) % n, j] + old[i, (j - 1) % m] + old[i, (j + 1) % m]


def parallel_gather(y, x, index):
    for i in prange(len(index)):
        y[i] = x[index[i]]


def parallel_sparse(y, start, column, value, x):
    for i in prange(len(y)):
        s = 0.0
        for k in range(start[i], start[i + 1]):
            s += value[k] * x[column[k]]
        y[i] = s


def cases(n):
    """name -> (function, elements, arguments)"""
    rng = np.random.default_rng(1)
    small, few, side = 1 << 12, n // 16, int(n**0.5)
    x, y, index = rng.random(n), np.zeros(n), rng.integers(0, small, n)
    part, start, square = x[:small].copy(), np.arange(0, n + 1, 16), rng.random((side, side))
    bytes_, steps = (x * 255).astype(np.uint8), np.array([-8, -3, -1, 0, 1, 2, 5, 8])
    sparse = (np.zeros(few), start, index, x, part)
    return {
        "histogram": (histogram, n, (np.zeros(small, np.int64), index)),
        "gather": (gather, n, (y, part, index)),
        "gather, int32": (gather, n, (y, part, index.astype(np.int32))),
        "scatter": (scatter, n, (y[:small].copy(), x, index)),
        "table of two axes": (look_up, n, (y, rng.random((64, 64)), index >> 6, index & 63)),
        "table of bytes": (bytes_table, n, (bytes_.copy(), bytes_, np.arange(255, -1, -1).astype(np.uint8))),
        "sparse matrix": (sparse_product, n, sparse),
        "binary search": (binary_search, few, (np.zeros(few, np.int64), np.sort(part), x[:few].copy())),
        "sieve": (sieve, n, (np.ones(n, np.bool_),)),
        "walk": (walk, n, (np.roll(rng.permutation(small), 1), n)),
        "stencil of offsets": (offsets, few, (y[:few].copy(), x[:few].copy(), steps, rng.random(8))),
        "insertion sort": (insertion_sort, n, (y, x, 16)),
        "torus": (torus, side * side, (np.zeros((side, side)), square)),
        "gather, prange": (parallel_gather, n, (y, part, index)),
        "sparse matrix, prange": (parallel_sparse, n, sparse),
    }


def figures(compiled):
    """Millions of elements a second of what `compiled(function, name)` makes; results are compared with Python's.
    Rounds over all of them: what disturbs the machine for a second meets no one alone."""
    calls, seconds = {}, {}
    for (name, (function, _, few)), (_, elements, many) in zip(cases(1 << 12).items(), cases(1 << 18).values()):
        f = compiled(function, name)
        mine, python = copy.deepcopy(few), copy.deepcopy(few)
        assert f(*mine) == function(*python), name
        for a, b in zip(mine, python):
            np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=name)
        arguments = copy.deepcopy(many)
        f(*arguments)
        calls[name] = lambda f=f, arguments=arguments: f(*arguments), elements
    for _ in range(300):
        for name, (call, _) in calls.items():
            seconds[name] = min(best(call, 2), seconds.get(name, 1e9))
    return {name: elements / seconds[name] / 1e6 for name, (_, elements) in calls.items()}
