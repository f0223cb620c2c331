"""Exceptions of compiled code are those that Python would raise: class and arguments."""

import threading

import kasoku as ks
import numpy as np
import pytest


class Own(Exception):
    def __init__(self, what, n=0):
        super().__init__(what)
        self.n = n


def raised(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def agree(function, *args):
    got, want = raised(ks.njit(function), *args), raised(function, *args)
    assert type(got) is type(want) and got.args == want.args and str(got) == str(want)
    assert any("test_jit_raise.py" in note for note in got.__notes__)
    return got


def constant(x):
    if x < 0:
        raise ValueError("negative")
    return x


def bare(x):
    raise ValueError


def several(x):
    raise ValueError("negative", x, x > 0)


def formatted(x):
    raise ValueError(f"negative {x}: {x * 2:.3f} at {x!r}")


def added(x):
    raise ValueError("bad value " + str(x) + " of %d" % x)


def own(x):
    raise Own("bad", n=x)


def lookup(x):
    a = np.zeros((2, 3))
    raise IndexError(f"{a.shape[1]} columns, {len(a)} rows, {x}")


def asserted(x):
    assert x > 0, f"x must be positive, not {x}"
    return x


@pytest.mark.parametrize("function", [constant, bare, several, formatted, added, own, lookup])
@pytest.mark.parametrize("x", [-1, -2.5])
def test_exceptions_are_pythons(function, x):
    agree(function, x)


def test_assertions_have_their_messages():
    error = raised(ks.njit(asserted), -2)
    assert type(error) is AssertionError and error.args == ("x must be positive, not -2",)
    assert ks.njit(asserted)(2) == 2


def test_own_attributes_texts_and_closures():
    assert agree(own, -3).n == -3
    limit = 10

    def outside(mode, x):
        if x > limit:
            raise Own(f"{mode}: {x} > {limit}")
        return x

    agree(outside, "size", 11)
    assert ks.njit(outside)("size", 3) == 3


def test_from_inner_functions_and_parallel_loops():
    def inner(x):
        if x == 3:
            raise Own(f"no {x}")
        return x

    def outer(n):
        s = 0
        for i in range(n):
            s += inner(i)
        return s

    agree(outer, 5)

    @ks.njit
    def loop(n):
        s = 0
        for i in ks.prange(n):
            if i == 500:
                raise Own(f"no {i}")
            s += i
        return s

    with pytest.raises(Own, match="no 500"):
        loop(1000)
    assert loop(100) == 4950


def test_what_no_exception_can_be_made_of():
    with pytest.raises(ks._jit.TypingError, match="cannot be a part of an exception"):
        ks.njit(_with_array)(np.ones(3))
    with pytest.raises(ks._jit.TypingError, match="up to three numbers"):
        ks.njit(_with_four)(1, 2, 3, 4)
    with pytest.raises(TypeError, match="BaseException"):
        ks.njit(_with_number)(1)


def _with_array(x):
    raise ValueError("bad", x)


def _with_four(a, b, c, d):
    raise ValueError(a, b, c, d)


def _with_number(x):
    raise np.sqrt(2.0)


def endless(n):
    if n == -1:
        return 0
    return endless(n + 1) + 1


def endless_tail(n):
    if n == -1:
        return 0
    return endless_tail(n + 1)


def endless_product(n):
    if n == -1:
        return 0
    return n * endless_product(n - 1)


def ping(n):
    x = np.ones(3)
    return pong(n) + x[0]


def pong(n):
    if n == -1:
        return 0
    return ping(n + 1)


endless, endless_tail, endless_product, ping, pong = map(ks.njit, (endless, endless_tail, endless_product, ping, pong))


@pytest.mark.parametrize("f", [endless, endless_tail, endless_product, ping, pong], ids=lambda f: f.__name__)
def test_a_recursion_without_an_end(f):
    with pytest.raises(
        RecursionError, match=r"(?s)maximum recursion depth exceeded.*test_jit_raise.py:\d+, in (\w+)    return"
    ):
        f(1 if f is not endless_product else 0.5)


def test_a_recursion_without_an_end_is_caught_and_ends_loops():
    @ks.njit
    def f(n):
        try:
            return endless(n)
        except RecursionError:
            return -1

    assert f(3) == -1

    @ks.njit
    def g(n):
        out = np.zeros(n)
        for i in ks.prange(n):
            out[i] = endless(i)
        return out

    with pytest.raises(RecursionError):
        g(100)


def test_a_deep_recursion_ends_by_itself():
    @ks.njit
    def depth(n):
        return 0 if n == 0 else depth(n - 1) + 1

    assert depth(20_000) == 20_000
    found = []

    def run():
        found.append(depth(1000))
        with pytest.raises(RecursionError):
            endless(0)
        found.append("ended")

    before = threading.stack_size(512 * 1024)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    threading.stack_size(before)
    assert found == [1000, "ended"]


def test_messages_are_pythons_and_the_line_is_a_note():
    @ks.njit
    def divide(a, b):
        assert b >= 0
        assert b < 9, "too large"
        return a // b

    for b, error, said in (
        (0, ZeroDivisionError, "division by zero"),
        (-1, AssertionError, ""),
        (9, AssertionError, "too large"),
    ):
        with pytest.raises(error) as caught:
            divide(1, b)
        assert str(caught.value) == said and "in divide" in caught.value.__notes__[0]
