"""What compiled code decides by the types of its arguments: texts, dtypes, Enum members, classes, axes, tuples' items."""

import enum
from collections import namedtuple

import kasoku as ks
import numpy as np
import pytest
from kasoku.compat.numba import literal_unroll


class Kind(enum.Enum):
    A = 1
    B = 2


Point = namedtuple("Point", "x y")
NAME = "cube"


def agree(function, *args):
    got, want = ks.njit(function)(*args), function(*args)
    assert type(got) is type(want.item() if isinstance(want, np.generic) else want)
    np.testing.assert_array_equal(got, want)


def power(x, mode):
    if mode == "square":
        return x * x
    elif mode in ("cube", "third"):
        return x**3
    return -x


@pytest.mark.parametrize("mode", ["square", "cube", "third", "", "else", "größe"])
def test_texts_decide_branches(mode):
    agree(power, 3.0, mode)
    agree(lambda x, mode=mode: power(x, mode), 2)
    agree(lambda x: power(x, NAME) + power(x, mode="square"), 2)


def test_texts_as_values():
    agree(lambda s: len(s), "größe")
    agree(lambda s: s + "x" == "abx", "ab")
    agree(lambda s: "b" in s, "abc")
    agree(lambda s: s not in ("a", "b"), "c")
    agree(lambda: float("inf") + float("-2.5e3"))
    agree(lambda: int("12"))
    with pytest.raises(ks._jit.TypingError, match="no number"):
        ks.njit(lambda: float("0x10"))()


def test_a_function_is_compiled_for_so_many_texts():
    f = ks.njit(power)
    with pytest.raises(ks._jit.TypingError, match="more than 64 different texts"):
        for i in range(70):
            f(1.0, f"mode {i}")
    assert f(2.0, "mode 1") == -2.0
    with pytest.warns(ks._jit.InterpretedWarning):
        g = ks.jit(power)
        assert [g(float(i), f"mode {i}") for i in range(70)] == [-float(i) for i in range(70)]


def test_dtypes_as_arguments():
    make = ks.njit(lambda n, dtype: np.zeros(n, dtype))
    for dtype in (np.float32, np.dtype("int16"), np.bool_):
        assert make(3, dtype).dtype == dtype


def test_enum_members():
    def by_member(k, x):
        if k == Kind.A:
            return x
        return -x

    for k in Kind:
        agree(by_member, k, 2.0)
        agree(lambda k: k is Kind.B, k)
        agree(lambda k: k != Kind.B, k)
    agree(lambda: Kind.B.value)
    with pytest.raises(ks._jit.TypingError, match="cannot be returned"):
        ks.njit(lambda k: k)(Kind.A)


def test_what_is_known_as_a_type_alone_comes_back_in_no_result():
    for made in (
        lambda k: (k, 1),
        lambda k: (1, (2, k)),
        lambda k: (np.float32, 1),
        lambda k: [k, Kind.A],
        lambda k: [(k, 1)],
        lambda k: [1, "a"],
        lambda k: (1, [2, "b"]),
        lambda k: [None, None],
    ):
        with pytest.raises(ks._jit.TypingError, match="cannot be returned"):
            ks.njit(made)(Kind.B)
        with pytest.warns(ks._jit.InterpretedWarning):
            got = ks.jit(made)(Kind.B)
        assert got == made(Kind.B) and type(got) is type(made(Kind.B))


def test_numbers_of_axes_and_classes_decide_branches():
    def corner(x):
        if isinstance(x, (int, float)):
            return x
        if x.ndim == 1:
            return x[0]
        else:
            return x[0, 0]

    for x in (3, 2.5, np.arange(3.0) + 1, np.arange(4.0).reshape(2, 2) + 5):
        agree(corner, x)

    def kind(x):
        if isinstance(x, bool):
            return 0
        if isinstance(x, np.ndarray):
            return 1
        return 2 if isinstance(x, tuple) else 3 if isinstance(x, (float, np.floating)) else 4

    for x in (True, np.ones(2), (1, 2), 2.5, 7, 1j):
        agree(kind, x)


def test_loops_over_tuples_of_several_types():
    def total(t):
        s = 0.0
        for x in t:
            if isinstance(x, np.ndarray):
                s += x.sum()
            else:
                s += x
        else:
            s += 0.5
        return s

    agree(total, (1, 2.5, np.ones(3), np.ones((2, 2), np.float32)))
    agree(total, (1, 2))

    def first_large(t):
        for x in t:
            if x > 1:
                return x * 2.0
        return 0.0

    agree(first_large, (1, 2.5, 3))
    agree(first_large, (1, True))

    def leaves(t):
        for x in t:
            if x.size > 2:
                break
        return 1

    agree(leaves, (np.ones(3), np.ones((2, 2))))


def test_what_an_assignment_makes_unknown_is_not_decided():
    def f(x, mode):
        for _ in range(2):
            if mode is None:
                x = x + 1
            else:
                x = x + 2
        y = x
        if y is None:
            return 0
        x = 7
        return x + y

    agree(f, 1, None)
    agree(f, 1, 2)

    def ndim_of_what_changed(x):
        if x.ndim == 2:
            x = x[0]
        return x[0]

    agree(ndim_of_what_changed, np.arange(3.0))

    def condition(x):
        n = 0
        while (0 if x is None else x) < 3:
            x = 5
            n += 1
            if n > 10:
                return -1
        return n

    agree(condition, None)

    def tuple_of_the_loop(t):
        total = 0.0
        for x in literal_unroll(t):
            total += x
            t = (7, 7.5, False)
        return total

    agree(tuple_of_the_loop, (1, 2.5, True))


def test_loops_over_tuples_of_several_types_that_the_function_makes():
    def kept(x):
        t = (x, x.reshape(2, 2), x > 2)
        n = 0
        for a in literal_unroll(t):
            n += 10 * a.ndim + a.size
        return n

    def written(x):
        sizes = []
        for a in (x[1:], x.reshape(2, 2)):
            sizes.append(a.size)
        return 10 * sum(sizes) + a.ndim

    def assigned_in_the_loop(x):
        t = (x, x.reshape(2, 2))
        n = 0
        for a in t:
            n = 10 * n + a.ndim
            t = (x.reshape(2, 2), x)
        return n

    def in_one_another(x):
        n = 0
        for pair in ((x, x.reshape(2, 2), x > 2), (x[:2], x.reshape(1, 2, 2))):
            for a in pair:
                n = 10 * n + a.ndim
        return n

    def called(t):
        n = 0
        for a in t:
            n = 10 * n + a.ndim
        return n

    def of_calls(x):
        return called((x, x.reshape(2, 2))) + called((x.reshape(2, 2), x, x.reshape(4, 1, 1)))

    for function in (kept, written, assigned_in_the_loop, in_one_another, of_calls):
        agree(function, np.arange(4.0))


def test_loops_over_tuples_of_several_types_that_are_left():
    def found(t, limit):
        for x in t:
            if x is None:
                continue
            if x > limit:
                break
        else:
            return -1.0
        return x

    def in_loops(x):
        n = 0
        for i in range(4):
            for a in (x, x.reshape(2, 2), x.reshape(1, 2, 2)):
                if a.ndim == i:
                    continue
                while True:
                    n += 1
                    break
                for k in range(3):
                    if k == 1:
                        continue
                    n += k
                if i == 2:
                    break
                n = 3 * n + 1
            else:
                n += 100
            if i == 3:
                break
        return n

    def counted(n):
        for i in range(n):
            yield i

    def beside_a_generator(t):
        total = 0
        for x in t:
            for i in counted(5):
                if i == 3:
                    break
                if i == 1:
                    continue
                total += i * int(x)
            if total > 5:
                break
        return total

    for t in ((1, 2.5, 3), (1, None, 7.5), (9.0, 1)):
        agree(found, t, 2)
    agree(in_loops, np.arange(4.0))
    agree(beside_a_generator, (1, 2.5, 7))


def test_loops_over_tuples_of_several_types_where_they_are_parallel_or_end_by_finally():
    def each(x, n):
        out = np.zeros(n)
        for i in ks.prange(n):
            for _a in (x, x.reshape(2, 2), 2.5):
                if i == 1:
                    break
                if i == 2:
                    continue
                out[i] += 1
        return out

    agree(each, np.arange(4.0), 5)

    def left(x):
        n = 0
        for a in (x, x.reshape(2, 2)):
            try:
                if a.ndim == 2:
                    break
            finally:
                n += 1
        return n

    with pytest.raises(ks._jit.TypingError, match="left through finally"):
        ks.njit(left)(np.ones(4))
    with pytest.warns(ks.Warning, match="interpreter"):
        assert ks.jit(left)(np.ones(4)) == 2


def test_dtypes_that_are_called():
    def made(n):
        x = np.zeros(n, dtype=np.dtype("int8"))
        x[0] = 100
        x += x
        y = x.astype(np.dtype(np.float32))
        return y.sum() + (x.dtype == np.dtype("i1")) + np.arange(n, dtype=np.dtype("f8")).sum()

    agree(made, 3)
    with pytest.raises(TypeError):
        ks.njit(lambda: np.zeros(3, np.dtype("none such")))()


def test_any_all_and_sum_of_a_tuple():
    def asked(t):
        return any(t), all(t), any((t[0], 0)), all([1, t[1]])

    for t in ((0, 0.0), (1, 0.5), (0, 2.0), (False, 3), ((1,), 0), ("", "a"), (None, 1)):
        agree(asked, t)
    agree(lambda: (any(()), all(())))
    with pytest.raises(ks._jit.TypingError, match="has no meaning"):
        ks.njit(lambda x: sum((x, x)))(np.ones(2))
    with pytest.raises(ks._jit.TypingError, match="has no meaning"):
        ks.njit(lambda x: any((x, x)))(np.ones(2))


def test_a_dtype_may_equal_a_text():
    def f(x):
        return 1 if x.dtype == "float64" else 0

    def g(x):
        return 1 if x.dtype in ("float32", "float64") else 0

    for function in (f, g):
        with pytest.raises(ks._jit.TypingError):  # not decided, and no other branch silently taken
            agree(function, np.ones(3))


def test_a_text_that_no_integer_of_64_bits_holds():
    whole = ks.njit(lambda text: int(text))
    with pytest.raises(OverflowError, match="64 bits"):
        whole("99999999999999999999")
    assert whole("-9223372036854775807") == -9223372036854775807


def test_slices_and_order_of_tuples():
    for text in ("t[1:]", "t[:2]", "t[::-1]", "t[-2:]", "t[5:]", "t[2:0:-1]"):
        f = eval(f"lambda t: len({text})")
        assert f((1, 2.5, 3)) == len(eval(text, {"t": (1, 2.5, 3)}))
    agree(lambda t: t[1:][0] + t[::-1][0], (1, 2.5, 3))
    agree(lambda x: np.zeros(x.shape[1:]).size, np.ones((2, 3)))
    for a, b in [
        ((1, 2), (1, 3)),
        ((1, 2), (1, 2)),
        ((2, 1.5), (2, 1)),
        ((1, 2), (1, 2, 0)),
        ((), (1,)),
        ((np.nan,), (1.0,)),
    ]:
        agree(lambda a, b: (a < b, a <= b, a > b, a >= b), a, b)


def test_named_tuples_made_in_compiled_code():
    def f(x):
        p = Point(x, y=x * 2.5)
        return p.x + p.y + p[1]

    agree(f, 3)
    with pytest.raises(ks._jit.TypingError, match="cannot be returned"):
        ks.njit(lambda x: [Point(x, x)])(1)


def test_reversed_map_filter():
    agree(lambda n: [i for i in reversed(range(n))], 4)
    agree(lambda n: [i for i in reversed(range(2, n))], 6)
    agree(lambda x: [v for v in reversed(x)], [1, 2, 3])

    def mapped(x):
        return [v for v in map(lambda v: v * 2, x)]

    def filtered(x):
        return list(filter(lambda v: v > 1, x))

    agree(mapped, [1.0, 2.0])
    agree(filtered, [1.0, 2.0, 3.0])
    agree(lambda x: sum(x, 10), [1, 2])
    agree(lambda a: pow(a, 5, 7), 3)


def test_complex_numbers_stay_compiled():
    def f(z):
        return z * z + z / (z + 2j) - np.square(z) * (1 / z)

    assert abs(ks.njit(f)(1.5 - 2j) - f(1.5 - 2j)) < 1e-14
    x = np.array([1 + 2j, 3 - 1j])
    np.testing.assert_allclose(ks.njit(lambda x: (x * x / (x + 1)).sum())(x), (x * x / (x + 1)).sum())


def test_loops_over_tuples_of_several_ranks_take_each_item():
    """Statements of the body, and what is decided in them, leave the items that follow as they are."""
    one, two = np.array([1.0, 2.0]), np.array([[3.0, 4.0], [5.0, 6.0]])

    def differing(t, first):
        k = 0
        for x in t:
            k += x.shape != first.shape
        return k

    def ranks(t):
        k = 0
        for x in t:
            n = x.ndim
            if n == 2:
                k = k * 10 + len(x.shape)
            else:
                k = k * 10 + n
        return k

    for t in ((one, two), (two, one), (one, two, one), (one, two.astype(np.int32), 3 * two)):
        assert ks.jit(differing)(t, one) == differing(t, one)
        assert ks.jit(ranks)(t) == ranks(t)


@pytest.mark.parametrize("name", ["vstack", "column_stack", "hstack", "concatenate", "stack"])
def test_joins_of_arrays_of_several_ranks(name):
    one, two = np.array([1.0, 2.0]), np.array([[3.0, 4.0], [5.0, 6.0]])
    join = getattr(np, name)

    def joined(a, b):
        return join((a, b))

    for a, b in ((one, two), (two, one)):
        if name in ("vstack", "column_stack"):
            np.testing.assert_array_equal(ks.jit(joined)(a, b), joined(a, b))
            continue
        with pytest.raises(ValueError, match="same"):
            ks.jit(joined)(a, b)


def of_list(n):
    values = [1, 2, n]
    if isinstance(values, list):
        return len(values)
    return values + 1  # has no meaning for a list


def of_number(n):
    half = n * 0.5
    if isinstance(half, int):
        return half.missing
    both = (n, half)
    return both[0] + both[1] if isinstance(both, tuple) else both.missing


def of_axes(x):
    y = np.asarray(x)
    if isinstance(y, np.ndarray) and y.ndim == 2:
        return y[0, 1]
    return y[0]


def of_dict_in_a_loop(n):
    total = 0
    for _ in range(n):
        table = {1: n}
        if isinstance(table, dict):
            total += table[1]
        else:
            total += table.missing
    return total


def of_several(x):
    total = 0.0
    for item in (1, x, 2.5):
        held = (item, item)
        if isinstance(held, tuple):
            total += held[1]
        else:
            total += held
    return total


def as_value(x):
    values = [1, 2]
    return (
        isinstance(values, list),
        isinstance(values, (tuple, list)),
        isinstance(x, str),
        isinstance({1: 2}, dict),
        isinstance({x}, list),
    )


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (of_list, 3),
        (of_number, 3),
        (of_axes, np.arange(4.0).reshape(2, 2)),
        (of_axes, np.arange(4.0) + 7),
        (of_dict_in_a_loop, 4),
        (of_several, 2),
        (as_value, 1.0),
    ],
)
def test_the_class_of_a_local_variable_decides_a_branch(function, argument):
    agree(function, argument)


def test_branches_of_a_generator_are_decided_each_for_itself():
    def parts(n):
        for k in range(n):
            pair, row = (k, k), [k]
            if isinstance(pair, tuple):
                yield 1
            if isinstance(row, tuple):
                yield 100

    @ks.jit
    def total(n):
        s = 0
        for value in parts(n):
            s += value
        return s

    assert total(3) == 3
