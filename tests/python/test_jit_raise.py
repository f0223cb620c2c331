"""Exceptions of compiled code are those that Python would raise: class and arguments."""

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
