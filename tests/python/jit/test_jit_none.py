"""Variables of compiled functions that are None or a value, which is known at run time alone: what Python gives, or raises."""

import numpy as np
import pytest

import kasoku as ks

x = np.arange(6.0)


def last_third(n):
    found = None
    for i in range(n):
        if i % 3 == 2:
            found = i
    return -1 if found is None else found + 1


def largest(a):
    most = None
    for value in a:
        if most is None or value > most:
            most = value
    return most


def counted_up(n):
    total = None
    for i in range(n):
        if total is None:
            total = 0
        total += i
    return total, n


def tail(a, value):
    rest = None
    for i in range(len(a)):
        if a[i] == value:
            rest = a[i:].copy()
    if rest is not None:
        rest = rest * 2
    return rest


def joined(n):
    all_ = None
    for i in range(n):
        row = np.ones(i + 1)
        all_ = row if all_ is None else np.concatenate((all_, row))
    return 0.0 if all_ is None else all_.sum() + all_[0]


def compared(n):
    before, count = None, 0
    for i in range(n):
        if before == i // 2:
            count += 1
        if before != 3:
            count += 10
        before = i // 2
    return count


def truth(n):
    value = None
    for i in range(n):
        value = i
    return (1 if value else 2), (3 if not value else 4), (value or 7) + 1


def caught(n):
    value = None
    for i in range(n):
        value = i
    try:
        return value + 1
    except TypeError:
        return -5


def uncaught(n):
    value = None
    for i in range(n):
        value = i
    return value * 2


def argument(n, start=None):
    total = 0.0
    for i in range(n):
        if start is None:
            start = i + 0.5
        total += start
    return total


def assigned_none(n, start):
    for i in range(n):
        if i == 1:
            start = None
        elif i == 3:
            start = 7
    return start


def array_argument(a):
    for _ in range(3):
        a = np.ones(3) if a is None else a + 1
    return a.sum()


@ks.njit
def place_of(a, value):
    for i in range(len(a)):
        if a[i] == value:
            return i
    return None


@ks.njit
def is_there(value):
    return value is not None


def called(a, value):
    at = place_of(a, value)
    there = is_there(at)
    if at is None:
        at = len(a) - 1
    return there, a[at]


def letters(text):
    found = None
    for letter in text:
        if letter in "xyz":
            found = letter
    return "none" if found is None else found + "!"


def pairs(a):
    first = None
    for i in range(len(a)):
        if a[i] > 2 and first is None:
            first = (i, a[i])
    if first is None:
        return 0.0
    i, value = first
    return i + value + first[0]


def swapped(n):
    a, b = None, 1
    for i in range(n):
        a, b = b, i
    return a, b


def left(n):
    made = None
    try:
        for i in range(n):
            made = np.zeros(i)
        return made
    finally:
        n = 0


def looked_up(d, key):
    found = d.get(key)
    if found is None:
        return -1.0
    return found * 2


def walrus(d, key):
    if (found := d.get(key)) is not None:
        return found
    return d.get(key)


def in_parallel(a):
    out = np.zeros(len(a))
    for i in ks.prange(len(a)):
        last = None
        for j in range(i):
            if a[j] > 1:
                last = a[j]
        out[i] = -1 if last is None else last
    return out


def agrees(function, *arguments):
    try:
        wanted = function(*arguments)
    except TypeError:
        with pytest.raises(TypeError):
            ks.njit(function)(*arguments)
        return
    got = ks.njit(function)(*arguments)
    assert (got is None) == (wanted is None)
    if wanted is not None:
        np.testing.assert_equal(got, wanted)


@pytest.mark.parametrize(
    "function, arguments",
    [
        (last_third, [(1,), (7,)]), (largest, [(x,), (x[:0],)]), (counted_up, [(0,), (1,), (5,)]), (tail, [(x, 3.0), (x, 9.0)]),
        (joined, [(0,), (3,)]), (compared, [(0,), (9,)]), (truth, [(0,), (1,), (5,)]), (caught, [(0,), (5,)]), (uncaught, [(0,), (5,)]),
        (argument, [(3,), (3, None), (3, 2.5)]), (assigned_none, [(1, 2), (2, 2), (5, 2), (1, None)]),
        (array_argument, [(x,), (None,)]), (called, [(x, 3.0), (x, 9.0)]), (letters, [("abc",), ("axb",)]), (pairs, [(x,), (x[:2],)]),
        (swapped, [(0,), (1,), (3,)]), (left, [(0,), (3,)]), (looked_up, [({1: 2, 3: 4}, 1), ({1: 2}, 7), ({"a": 2.5}, "b")]),
        (walrus, [({1: 2}, 1), ({1: 2}, 5)]), (in_parallel, [(x,)]),
    ],
    ids=lambda of: getattr(of, "__name__", ""),
)  # fmt: skip
def test_a_variable_is_none_or_a_value(function, arguments):
    for each in arguments:
        agrees(function, *each)


@pytest.mark.parametrize("function", [last_third, largest, tail, joined, pairs], ids=lambda f: f.__name__)
def test_on_a_device_too(function, place):
    arguments = {"last_third": (7,), "largest": (x,), "tail": (x, 3.0), "joined": (3,), "pairs": (x,)}[
        function.__name__
    ]
    with place:
        got = place.get(ks.njit(function)(*map(place.put, arguments)))
    np.testing.assert_equal(got, function(*arguments))


def test_the_value_of_an_array_goes_on_behind_a_prange_loop():
    def f(a):
        row = np.zeros(2)
        for i in ks.prange(len(a)):
            row = np.full(2, a[i])
        return row

    assert ks.njit(f)(x).tolist() == [5, 5]


def test_what_may_be_none_has_no_form_in_a_tuple_or_as_a_letter():
    def tuples(a):
        last = None
        for value in a:
            last = value
        both = (last, 1)
        return both[1]

    def shown(a):
        last = None
        for value in a:
            last = value
        return f"{last}"

    for function, words in ((tuples, "cannot hold"), (shown, "may be None")):
        with pytest.raises(ks._jit.TypingError, match=words):
            ks.njit(function)(x)
