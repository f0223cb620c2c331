"""Comprehensions, and functions inside compiled functions."""

import functools
import math

import numpy as np
import pytest

import kasoku as ks
from kasoku_testing.compiled import agrees

outside = 3


def test_comprehensions():
    def nested(n, k):
        a = [i + k for i in range(n) if i % 2]
        b = [(i, j) for i in range(n) for j in range(i) if i != j]
        c = [[i * j for j in range(i)] for i in range(n)]
        i = 99
        d = [math.sqrt(i * v) for i in range(n) for v in [1.0, 2.0]]
        return a, b, c, i, d

    def folds(x):
        return (
            sum(v * v for v in x),
            any(v > 2 for v in x),
            all(v > 0 for v in x),
            max(v for v in x),
            min([-v for v in x]),
        )

    def sources(n):
        pairs = [a + b for a, b in zip([1, 2], [3, 4])], [k * v for k, v in enumerate((5.0, 6.0))]
        return list(range(n)), sorted([3, 1, 2]), list((1, 2, 3)), list(np.arange(n) * 1.0), pairs

    agrees(nested, 4, 10)
    agrees(nested, 0, 1)
    agrees(folds, [1, 2, 3])
    agrees(sources, 3)
    agrees(lambda x: [x for x in x if x > 1], [1, 2, 3])
    agrees(lambda x: np.array([i * outside for i in x]), [1, 2, 3])


def test_inner_functions_see_the_values_of_the_call():
    def f(n):
        def add(x):
            return x + n

        def both(x, y=2):
            return add(x) * y + outside

        first = both(1)
        n = n + 10
        scale = lambda x, k=1: x * n + k  # noqa: E731
        return first, both(1), both(1, y=5), both(y=1, x=2), scale(2), scale(2, 3)

    agrees(f, 3)
    agrees(f, 1.5)


def test_defaults_of_inner_functions_may_be_negative(recwarn):
    def f(n):
        def g(p, q=-3, *, r=-2.5):
            return p * q + r

        return g(n) + g(n, 2) + g(n, r=1.0)

    assert ks.jit(f)(9) == f(9) and not recwarn.list


def test_inner_functions_call_themselves_and_each_other():
    def f(n):
        def even(k):
            return True if k == 0 else odd(k - 1)

        def odd(k):
            return False if k == 0 else even(k - 1)

        def deep(a):
            def inner(b):
                return a + b + n

            return inner(a) + inner(1)

        def fact(k):
            return 1 if k < 2 else k * fact(k - 1)

        return even(n), odd(n), deep(2), fact(n)

    agrees(f, 4)


@ks.njit
def doubled(x):
    return 2 * x


@ks.njit
def halved(x):
    return x / 2


@ks.njit
def iterated(f, x, n=3, *, g=halved):
    for _ in range(n):
        x = f(x) + g(x)
    return x


@ks.jit
def replaced(f, x):
    f = halved
    return f(x)


def test_compiled_functions_are_arguments(recwarn):
    assert iterated(doubled, 1.0) == iterated.py_func(doubled, 1.0) == 2.5**3
    assert iterated(halved, 1.0, n=2) == 1.0 and iterated(x=1.0, f=doubled, g=doubled, n=1) == 4.0
    np.testing.assert_array_equal(iterated(doubled, np.ones(3)), np.full(3, 2.5**3))
    assert [iterated(ks.njit(lambda x, k=k: k * x), 1.0, 1) for k in range(3)] == [0.5, 1.5, 2.5]
    assert not recwarn
    with pytest.raises(TypeError, match="undefined_name"):
        iterated(ks.njit(lambda x: undefined_name), 1.0)  # noqa: F821
    with pytest.warns(ks.Warning, match="replaced runs in the interpreter"):
        assert replaced(doubled, 3.0) == 1.5


def test_starred_arguments_are_items_of_a_tuple():
    @ks.njit
    def bell(x, middle, width=2.0):
        return math.exp(-(((x - middle) / width) ** 2))

    def integral(f, a, b, args=(), n=8):
        h = (b - a) / n
        total = f(a, *args)
        for i in range(1, n):
            total += f(a + i * h, *args)
        return total * h

    def none(args):
        return bell(1.0, 2.0, *args)

    integral_of = ks.njit(integral)
    assert integral_of(bell, 0.0, 1.0, (0.5,)) == integral(bell, 0.0, 1.0, (0.5,))
    assert integral_of(bell, 0.0, 1.0, (1, 3.0)) == integral(bell, 0.0, 1.0, (1, 3.0))
    assert ks.njit(none)(()) == bell(1.0, 2.0)
    assert ks.njit(lambda f, a: f(1.0, *a, 3.0))(bell, (0.5,)) == bell(1.0, 0.5, 3.0)
    assert ks.njit(lambda a: max(*a) + min(0, *a))((1, -2)) == -1
    with pytest.raises(TypeError, match="arguments are of a tuple, and this is int64"):
        ks.njit(none)(3)
    assert ks.njit(lambda x: max(*(x, x + 1)))(1) == 2


def test_inner_functions_in_loops_comprehensions_and_on_arrays():
    def f(a):
        n = a.size
        found = []

        def at(i):
            return a[i % n]

        def note(v):
            found.append(v * 2)

        for i in range(3 * n):
            note(at(i))
        return found, [at(i) + 1 for i in range(n)]

    agrees(f, np.arange(4.0))

    @ks.njit
    def parallel(a, k):
        def scaled(i):
            return a[i] * k

        out = np.empty_like(a)
        for i in ks.prange(a.size):
            out[i] = scaled(i)
        return out

    np.testing.assert_array_equal(parallel(np.arange(1000.0), 3), 3 * np.arange(1000.0))


def test_del():
    def f(x):
        y = len(x)
        z = y * 2
        del y
        del x[0]
        return x, z

    agrees(f, [1, 2, 3])


def test_what_cannot_be_known_says_so():
    @ks.njit
    def several(n):
        if n > 2:

            def f(x):
                return x

        else:

            def f(x):
                return -x

        return f(3)

    with pytest.raises(TypeError, match="'f' has several meanings"):
        several(1)

    @ks.njit
    def escapes(n):
        def f(x):
            return x + n

        return outer(f)

    with pytest.raises(TypeError, match="can only be called here"):
        escapes(1)


def outer(f):
    return f(1)


def test_inner_functions_of_kernels():
    from kasoku import cuda

    @cuda.jit
    def kernel(x, k):
        def twice(v):
            return 2 * v + k

        i = cuda.grid(1)
        if i < x.size:
            x[i] = twice(x[i])

    x = np.arange(100.0)
    kernel[4, 32](x, 1.0)
    np.testing.assert_array_equal(x, 2 * np.arange(100.0) + 1)


def test_a_lambda_is_passed_on_if_it_reads_nothing_around():
    def applied(n):
        def twice(f, x):
            return f(f(x))

        return twice(lambda v: v * v + outside, n), [twice(lambda v: v - 1, i) for i in range(n)]

    def reads(n):
        def once(f):
            return f(1)

        return once(lambda v: v + n)

    agrees(applied, 3)
    with pytest.raises(ks._jit.TypingError, match="a lambda reads variables of the function around it"):
        ks.njit(reads)(3)
    assert ks.jit(reads)(3) == 4


def test_reduce_folds_from_the_left():
    def folds(x, n):
        words = functools.reduce(lambda a, b: a + b, ["x", "y", "z"])
        return functools.reduce(lambda a, b: a - b, x), functools.reduce(lambda a, b: a * 2 + b, x, n), words

    agrees(folds, [5, 1, 2], 3)
    with pytest.raises(TypeError, match="empty"):
        ks.njit(lambda n: functools.reduce(max, [i for i in range(n)]))(0)
