"""Loops over generator functions in compiled code are what Python's are, however they are left."""

import numpy as np
import pytest

import kasoku as ks
from kasoku_testing.compiled import agrees


@ks.jit
def count(start=0, step=1):
    n = start
    while True:
        yield n
        n += step


def pairs(n):
    for i in range(n):
        for j in range(i):
            if j == 3:
                continue
            if i * j > 50:
                return
            yield i, j


def signed(x):
    for each in x:
        if each % 2 == 0:
            yield each
        else:
            yield -each


def chained(x, y):
    yield from x
    yield from signed(y)


def refusing(n):
    for i in range(n):
        if i > 2:
            raise KeyError("more than two")
        yield i


def test_a_generator_without_an_end_is_left():
    def below(n):
        step, total = 100, 0
        for x in count(2, step=3):
            if x > n:
                break
            if x % 2:
                continue
            total += x
        return total, step

    def found(n):
        for x in count():
            if x == n:
                return x * 10
            if x > 5:
                break
        else:
            return -2
        return -1

    for n in (0, 3, 10):
        agrees(below, n)
        agrees(found, n)


def test_jumps_of_loops_inside_stay_theirs():
    def f(n):
        total = 0
        for i, j in pairs(n):
            if (i + j) % 2:
                continue
            for k in range(5):
                if k == 2:
                    continue
                if k > i:
                    break
                total += k * j
            else:
                total += 100
            for m in count(j):
                if m > j + 2:
                    break
                total += m
        else:
            total += 1_000_000
        return total

    for n in (0, 4, 20):
        agrees(f, n)


def test_several_yields_and_what_takes_all():
    def listed(x, y):
        out = []
        for i, each in enumerate(chained(x, y), 5):
            if each == -3:
                continue
            out.append((i, each))
        return out

    def folded(x):
        return sum(signed(x)), max(signed(x)), any(signed(x)), sorted(signed(x)), [v + 1 for v in signed(x) if v > 0]

    agrees(listed, [1, 2], [3, 4, 5])
    agrees(folded, [4, 1, 3])


def test_exceptions_go_the_ways_of_python():
    def raised_inside(n):
        total = 0
        try:
            for x in refusing(n):
                total += x
        except KeyError:
            return -total
        return total

    def raised_around(n):
        total = 0
        for x in count():
            try:
                if x > n:
                    break
                if x == 2:
                    continue
                total += 10 // x
            except ZeroDivisionError:
                total += 1000
        return total

    def uncaught(n):
        for x in count():
            if x > n:
                raise ValueError("too many")

    agrees(raised_inside, 3)
    agrees(raised_inside, 5)
    agrees(raised_around, 4)
    agrees(uncaught, 2)


def test_iterations_of_prange_run_over_generators():
    @ks.njit(parallel=True)
    def f(n):
        out = np.zeros(n)
        for k in ks.prange(n):
            for x in count(k):
                if x > k + 5:
                    break
                out[k] += x
        return out

    np.testing.assert_array_equal(f(100), [sum(range(k, k + 6)) for k in range(100)])


def test_arrays_that_it_yields_and_arrays_on_a_device(place):
    def halves(x):
        for i in range(1, len(x)):
            yield x[:i], x[i:]

    @ks.jit
    def f(x):
        total = 0.0
        for left, right in halves(x):
            total += left.sum() * right.sum()
        return total

    x = np.arange(6.0)
    with place:
        assert place.get(f(place.put(x))) == sum(x[:i].sum() * x[i:].sum() for i in range(1, 6))


def test_divisions_of_a_generator_are_its_own():
    @ks.jit(error_model="numpy")
    def inverses(n):
        for i in range(n):
            yield 1.0 / i

    def f(n):
        return sum(inverses(n))

    with pytest.raises(ks._jit.TypingError, match="what a for loop runs over"):
        ks.njit(f)(3)
    assert ks.njit(error_model="numpy")(f)(3) == np.inf


def test_what_has_no_compiled_form_is_said():
    def itself(n):
        if n:
            yield n
            yield from itself(n - 1)

    def over_itself(n):
        return sum(itself(n))

    def by_hand(n):
        steps = count(n)
        return next(steps)

    for function, what in ((over_itself, "a generator that runs over itself"), (by_hand, "what a for loop runs over")):
        with pytest.raises(ks._jit.TypingError, match=what):
            ks.njit(function)(3)
    assert ks.jit(over_itself)(3) == 6


FOLDS = [
    lambda x: sum(v * 2 for v in x),
    lambda x: sum((v for v in x if v > 1), 10),
    lambda x: sum(signed(x), start=3),
    lambda x: any(6 // v > 2 for v in x),
    lambda x: all(6 // v > 2 for v in signed(x)),
    lambda x: any(v > 100 for v in count(x[0])),
    lambda x: min(v * v - 3 * v for v in x),
    lambda x: max((v for v in x if v > 100), default=-1),
    lambda x: min(v for v in x if v > 100),
    lambda x: max(x, key=lambda v: -v),
    lambda x: min(((v % 2, v) for v in x), key=lambda pair: pair[0]),
    lambda x: sum(sum(a * b for b in x) for a in x if any(b == a + 1 for b in x)),
    lambda x: min([v for v in x if v > 100], default=7),
]


@pytest.mark.parametrize("f", FOLDS)
@pytest.mark.parametrize("x", [[1, 2, 3], [3, 0, 0], [0, 1], [5, 4]])
def test_what_joins_a_generator_ends_where_python_does(f, x):
    agrees(f, x)


def test_what_joins_a_generator_makes_no_list():
    joined = ks.njit(lambda n: sum(i for i in range(n)))
    listed = ks.njit(lambda n: sum([i for i in range(n)]))
    assert joined(10) == listed(10) == 45
    has_list = ["ks_append(" in "".join(f.inspect_text().values()) for f in (joined, listed)]
    assert has_list == [False, True]
