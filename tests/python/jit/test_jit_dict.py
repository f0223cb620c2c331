"""Dicts and sets in compiled code against plain Python: what they hold, in which order, what they raise."""

import math

import numpy as np
import pytest

import kasoku as ks
from kasoku_testing.compiled import agrees, same


def counts(n, m):
    seen = {}
    for i in range(n):
        k = (i * 7919) % m
        if k in seen:
            seen[k] += 1
        else:
            seen[k] = 1
    return seen


@pytest.mark.parametrize("n", [0, 1, 5, 6, 1000])
@pytest.mark.parametrize("m", [1, 3, 997])
def test_counts_and_growth(n, m):
    agrees(counts, n, m)


def methods(d, k):
    e = d.copy()
    a = d.get(k, -1), k in d, k not in d, len(d), bool(d)
    d[k] = 5
    b = d.setdefault(k, 9), d.setdefault(k + 100, 9), d.pop(k), d.pop(k, 77)
    d.update(e)
    d[k + 1] = 3
    del d[k + 1]
    return a, b, list(d), list(d.keys()), list(d.values()), list(d.items()), d == e, d != e, d is e, sum(d.values()), e


@pytest.mark.parametrize("d", [{1: 2}, {3: 4, -1: 5, 2**62: 6}, {k: k * k for k in range(100)}], ids=len)
@pytest.mark.parametrize("k", [1, -1, 50, 2**40])
def test_what_python_has(d, k):
    agrees(methods, d, k)


def test_keys_of_every_kind():
    def by_float(x):
        d = {}
        for v in x:
            d[v] = d.get(v, 0) + 1
        return d, list(d)

    def by_pair(n):
        d = {}
        for i in range(n):
            d[i % 3, i % 2] = i
        total = 0
        for (a, b), v in d.items():
            total += a * 100 + b * 10 + v
        return d, total, (1, 1) in d, d[2, 0], d.get((9, 9), -1)

    def by_bool(x):
        return {v > 0: v for v in x}

    def by_complex(x):
        d = {complex(v, -v): v for v in x}
        return d, d[complex(x[0], -x[0])]

    def mixed_tuple(n):
        return {(i, i * 0.5, i > 2): i for i in range(n)}

    agrees(by_float, np.array([0.0, -0.0, 1.5, 1.5, -1.5, math.inf, -math.inf, 1e300, 5e-324]))
    agrees(by_float, np.array([1, 2, 2], np.float32))
    agrees(by_float, np.array([1, 2, 2, -5], np.int32))
    agrees(by_float, np.array([1, 2, 2, 2**64 - 1], np.uint64))
    agrees(by_pair, 12)
    agrees(by_bool, [1.5, -2.0, 3.0])
    agrees(by_complex, [1.0, 2.0, -0.5])
    agrees(mixed_tuple, 10)


def test_nan_is_never_found_and_zero_keeps_its_first_sign():
    @ks.njit
    def f(x):
        d = {}
        for v in x:
            d[v] = 1.0
        return len(d), x[0] in d

    nan = math.nan
    assert f(np.array([nan, nan, nan])) == (3, False)

    def zeros():
        d = {-0.0: 1}
        d[0.0] = 2
        return [math.copysign(1.0, k) for k in d], len(d), d[0.0]

    agrees(zeros)


def test_missing_keys_are_named():
    agrees(lambda d: d[5], {1: 2})
    agrees(lambda d, k: d[k], {1.5: 2}, 2.5)
    agrees(lambda d, k: d[k], {(1, 2): 2}, (2, 1))
    agrees(lambda d, k: d[k], {(1, 0.5, True): 2}, (2, 1.25, False))
    agrees(lambda d: d.pop(5), {1: 2})
    agrees(lambda s: s.remove(7), {1, 2})
    agrees(lambda s, k: s.remove(k), {True}, False)

    def drained(s):
        s.clear()
        return s.pop()

    agrees(drained, {1})
    agrees(lambda: {1: 2}.popitem()[0] + len({1: 2}))

    def empties(n):
        d = {n: n}
        d.popitem()
        return d.popitem()

    agrees(empties, 1)

    def adds(d):
        d[2] += 1

    agrees(adds, {1: 1})

    def deletes(d):
        del d[3]

    agrees(deletes, {1: 1})
    with pytest.raises(KeyError) as raised:
        ks.njit(adds)({1: 1})
    assert "test_jit_dict.py" in raised.value.__notes__[0]


def test_a_loop_over_what_changes():
    def grows(d):
        for k in d:
            d[k + 1000] = 1

    def shrinks(d):
        for k in d:
            del d[k]

    def writes(d):
        for k in d:
            d[k] = d[k] * 2
        return d

    def stops(d):
        for k in d:
            del d[k]
            break
        return list(d.items())

    def adds(s):
        for k in s:
            s.add(k + 1000)

    for function in (grows, shrinks, writes, stops):
        agrees(function, {1: 2})
        agrees(function, {1: 2, 3: 4, 5: 6})
    agrees(adds, {1})
    agrees(adds, {1, 2, 3})


def test_deletions_leave_the_order():
    def f(n):
        d = {}
        for i in range(n):
            d[i] = i
        for i in range(0, n, 3):
            del d[i]
        for i in range(0, n, 6):
            d[i] = -i
        total = 0
        for at, (k, v) in enumerate(d.items()):
            total += at * (k + v)
        pairs = [(a, b) for a, b in zip(d, range(n))]
        return d, total, pairs, list(d)

    agrees(f, 0)
    agrees(f, 50)
    agrees(f, 700)


def test_many_changes_with_colliding_keys():
    def f(n):
        d = {}
        for i in range(n):
            d[(i % 64) * 2**57] = i
            if i % 3 == 0 and i % 64 * 2**57 in d:
                d.pop((i % 64) * 2**57)
            if i % 5 == 0 and len(d) > 10:
                d.popitem()
        return d

    agrees(f, 10)
    agrees(f, 20000)

    def last(n):
        d = {}
        total = 0
        for i in range(n):
            d[i] = i
            k, v = d.popitem()
            total += k + v
        return total, len(d)

    agrees(last, 10000)


def test_values_that_own_memory():
    def arrays(n):
        d = {}
        for i in range(n):
            d[i % 5] = np.arange(i) * 1.0
        total = 0.0
        for k in d:
            total += d[k].sum()
        x = d.pop(0, np.zeros(1))
        return total, x, len(d)

    def lists(n):
        d = {}
        for i in range(n):
            if i % 4 not in d:
                d[i % 4] = [i]
            else:
                d[i % 4].append(i)
        e = d.get(9, [1, 2])
        return d, e

    def nested(n):
        d = {}
        for i in range(n):
            d[i] = {i * 10: i * 0.5}
        d[0][7] = 1.0
        return d, d[n - 1][(n - 1) * 10], len(d[0])

    def groups(d):
        for k in list(d):
            d[k].append(float(k))
            d[k] += [0.5]
        return d

    agrees(arrays, 1)
    agrees(arrays, 100)
    agrees(lists, 50)
    agrees(nested, 5)
    agrees(groups, {1: [1.0], 2: [2.0, 3.0]})
    agrees(lambda d: d[2].sum() + len(d), {1: np.ones(3), 2: np.arange(4.0)})


def test_one_dict_has_one_identity():
    def f(d, e):
        d[1] = 100
        e[2] = 200
        return d is e, len(d), d

    compiled = ks.njit(f)
    d = {0: 1}
    got = compiled(d, d)
    assert got[:2] == (True, 3) and got[2] is d and d == {0: 1, 1: 100, 2: 200}
    agrees(f, {0: 1}, {0: 1})


def test_comprehensions_and_displays():
    def f(n, x):
        a = {i: i * i for i in range(n) if i % 2}
        b = {i % 3 for i in range(n)}
        c = {1, 2, n}
        d = {1.5: n, 2.5: 3}
        e = {v for v in x}
        return a, b, c, d, e, set(x), set([n, n]), set(range(n)), sorted(set(x)), sorted(a), len(set(x))

    agrees(f, 7, np.array([3, 1, 3, 2]))
    agrees(f, 0, np.array([5]))


def test_operators_and_methods_of_sets_are_pythons():
    def f(a, b, k):
        c = a.copy()
        c.add(k)
        c.discard(k)
        c.discard(k)
        x = a | b, a & b, a - b, a ^ b
        y = a.union(b), a.intersection(b), a.difference(b), a.symmetric_difference(b)
        z = (
            a <= b,
            a < b,
            a >= b,
            a > b,
            a == b,
            a != b,
            a.isdisjoint(b),
            a.issubset(b),
            a.issuperset(b),
            c == a,
            c is a,
        )
        total = 0
        for k in a:
            total += k
        return x, y, z, total, sum(a), len(a), k in a, k not in a, bool(a), min(a), max(a)

    def changes(a, b):
        c, d, e, g = a.copy(), a.copy(), a.copy(), a.copy()
        c |= b
        d &= b
        e -= b
        g ^= b
        a.update(b)
        b.intersection_update(c)
        c.difference_update(d)
        d.symmetric_difference_update(e)
        a.remove(1)
        g -= g
        return a, b, c, d, e, g

    for a, b in [
        ({1, 2, 3}, {2, 3, 4}),
        ({1}, {1}),
        ({1, 5}, {7}),
        ({1, 2}, {1, 2, 3}),
        (set(range(300)), set(range(150, 500))),
    ]:
        agrees(f, a, b, 100)
        agrees(changes, a, b)
    agrees(f, {1.0, -2.5}, {1.0}, 0.5)
    agrees(lambda s: s.clear(), {1, 2})

    def drains(s):
        total = 0
        while s:
            total += s.pop()
        return total

    agrees(drains, {5, 6, 7, 1000})


def test_what_goes_between_functions():
    @ks.njit
    def fill(d, n):
        for i in range(n):
            d[i] = i * 0.5

    def f(n):
        d = {}
        fill(d, n)
        return d

    assert ks.njit(f)(4) == {0: 0.0, 1: 0.5, 2: 1.0, 3: 1.5}
    got = ks.njit(f)(0)
    assert got == {}


def test_what_python_prints(capsys):
    def f(d, s):
        print(d, s, len(d))
        d.clear()
        s.clear()
        print(d, s)

    f({1: 2.5, 3: -1.0}, {7})
    wanted = capsys.readouterr().out
    ks.njit(f)({1: 2.5, 3: -1.0}, {7})
    assert capsys.readouterr().out == wanted


def test_refusals_name_the_line():
    def mixed():
        d = {1: 1}
        d[2.5] = 2
        return d

    def asked(d, x):
        return x in d

    def shared(d, n):
        for i in ks.prange(n):
            d[i] = i

    def called(d, n):
        for i in ks.prange(n):
            put(d, i)

    def maybe(d):
        return [d.get(1), None]

    for function, arguments, words in [
        (mixed, (), "gets the key float64"),
        (asked, ({1: 1}, 1.5), "is asked for float64"),
        (shared, ({1: 1}, 100), "outside of the parallel loop"),
        (called, ({1: 1}, 100), "outside of the parallel loop"),
        (maybe, ({1: {2: 3}},), "if key in d"),
    ]:
        with pytest.raises(ks.TypingError if hasattr(ks, "TypingError") else TypeError) as raised:
            ks.njit(function)(*arguments)
        assert words in str(raised.value) and "test_jit_dict.py" in str(raised.value)


def put(d, i):
    d[i] = i


def test_lookups_in_a_parallel_loop():
    def f(d, keys, out):
        for i in ks.prange(len(keys)):
            k = keys[i]
            out[i] = d[k] if k in d else -1.0

    keys = np.arange(10000) % 700
    d = {k: k * 0.5 for k in range(0, 700, 2)}
    out, wanted = np.empty(len(keys)), np.empty(len(keys))
    ks.njit(f)(d, keys, out)
    f(d, keys, wanted)
    np.testing.assert_array_equal(out, wanted)


def test_one_function_takes_items_of_other_types_next():
    @ks.njit
    def first(x):
        return [item for item in x]

    for items in ([(1, 2)], [(1,)], [(1, 2, 3)], [1, 2], [1.5], [True], [(1.5, 2)], [3]):
        same(first(items), items)
        assert type(first(items)[0]) is type(items[0])
    for items in ({(1, 2)}, {(1,)}, {(1, 2, 3)}, {1}, {1.5}):
        assert set(first(items)) == items and type(first(items)[0]) is type(next(iter(items)))
    for items in ({1: (1, 2)}, {1: (1,)}, {1: 2}, {1: 2.5}, {(1,): 1}, {(1, 2): 1}):
        assert first(items) == list(items)


def test_subclasses_keep_their_meaning():
    from collections import defaultdict

    def f(d):
        d[1] += 1
        return d[1]

    d = defaultdict(int)
    with pytest.warns(Warning, match="interpreter"):
        assert ks.jit(f)(d) == 1
    assert d == {1: 1}


def test_a_typed_dict_of_texts_in_a_loop_of_the_interpreter():
    from kasoku.compat.numba import njit, typed, types

    @njit
    def words(text):
        counts = typed.Dict.empty(types.unicode_type, types.int64)
        for word in text.split():
            counts[f"{word!a}"[1:-1]] = counts.get(word, 0) + 1
        return counts

    with pytest.warns(ks.Warning, match="words runs in the interpreter"):
        assert words("a b a") == {"a": 2, "b": 1}


@pytest.mark.parametrize("kinds", ["text number", "number text", "text array", "number tuple of text"])
def test_a_typed_dict_that_is_given_with_texts_is_pythons(kinds):
    from kasoku.compat.numba import njit, typed, types

    text, number = types.unicode_type, types.float64
    key, value, items = {
        "text number": (text, number, {"a": 1.5, "b": 2.0}),
        "number text": (number, text, {1.5: "a", 2.0: "b"}),
        "text array": (text, number[:], {"a": np.arange(3.0), "b": np.ones(2)}),
        "number tuple of text": (number, types.Tuple((text, number)), {1.0: ("a", 2.0)}),
    }[kinds]

    def walk(d):
        n, last = 0, None
        for k, v in d.items():
            n, last = n + 1, (k, v)
        return n, last, [k for k in d], f"{n!a}"

    given = typed.Dict.empty(key, value)
    for k, v in items.items():
        given[k] = v
    with pytest.warns(ks._jit.InterpretedWarning):
        assert repr(njit(walk)(given)) == repr(walk(items))


def test_typed_dict_of_the_face():
    import kasoku.compat.numba as numba

    @numba.njit
    def f(d, n):
        for i in range(n):
            d[i] = i
        return len(d)

    d = numba.typed.Dict.empty(key_type=numba.types.int64, value_type=numba.types.float64)
    assert f(d, 3) == 3 and d == {0: 0.0, 1: 1.0, 2: 2.0} and all(type(v) is float for v in d.values())
    d[10] = 7
    assert type(d[10]) is float and f(d, 0) == 4

    @numba.njit
    def inside(n):
        d = numba.typed.Dict.empty(numba.types.int64, numba.types.float64)
        for i in range(n):
            d[i] = 1
        return d

    got = inside(2)
    assert got == {0: 1.0, 1: 1.0} and type(got[0]) is float


def test_a_typed_dict_holds_arrays():
    from kasoku.compat import numba

    @numba.njit
    def weighed(d):
        s = 0.0
        for k in d:
            s += d[k].sum() * k
        return s

    given = numba.typed.Dict.empty(numba.types.int64, numba.types.float64[:])
    given[1], given[2] = np.arange(3.0), np.ones(8)[::2]
    assert weighed(given) == 11.0
    assert weighed(dict(given)) == 11.0


def test_a_dict_of_pairs():
    def pairs(n, xs):
        return (
            dict([(i, i * i) for i in range(n)]),
            dict((i, 0.5 * i) for i in range(n)),
            dict(zip(range(n), xs)),
            dict(enumerate(xs)),
            dict([(1, 2), (3, 4)]),
        )

    agrees(pairs, 3, [1.5, 2.5, 3.5])


def test_a_typed_dict_of_texts_gets_texts():
    from kasoku.compat.numba import types
    from kasoku.compat.numba.typed import Dict

    @ks.njit
    def count(words):
        counts = Dict.empty(types.unicode_type, types.int64)
        for word in words:
            counts[word] = counts.get(word, 0) + 1
        return counts

    assert dict(count(["a", "bc", "a"])) == {"a": 2, "bc": 1}


def test_a_typed_set():
    from kasoku.compat.numba import types
    from kasoku.compat.numba.typed import Set

    words = Set.empty(types.unicode_type)
    for word in ("One", "Two", "Three"):
        words.add(word)

    @ks.njit
    def without(s, word):
        s.discard(word)
        return len(s)

    assert without(words, "Three") == 2 and words == {"One", "Two"}
    assert without(Set.empty(types.unicode_type), "a") == 0

    @ks.njit
    def filled(n):
        s = Set.empty(types.float64)
        for i in range(n):
            s.add(i % 3 * 1.0)
        return s

    found = filled(7)
    assert found == {0.0, 1.0, 2.0} and {type(x) for x in found} == {float}
    numbers = Set.empty(types.float64)
    numbers.add(1)
    assert type(next(iter(numbers.copy()))) is float
