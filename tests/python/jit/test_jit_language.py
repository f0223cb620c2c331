"""Rules of Python's language and library in compiled functions: its value, or an exception of its class."""

import cmath
import collections
import enum
import linecache
import math

import numpy as np
import pytest

import kasoku as ks
from kasoku_testing.compiled import agrees

pytestmark = pytest.mark.filterwarnings("ignore::kasoku._jit.InterpretedWarning")


def outcome(function, args):
    try:
        return function(*args)
    except Exception as error:
        return next(c for c in type(error).__mro__ if c.__module__ == "builtins")


def agree(function, *args):
    """Compiled: the interpreter may not run it."""
    got, want = outcome(ks.njit(function), args), outcome(function, args)
    assert got == want and (isinstance(want, type) or type(got) is type(want))


def rest(a, b=2, *more, c=10):
    return a, b, len(more), c, more


@pytest.mark.parametrize(
    "args", [(1,), (1, 5), (1, 5, 6), (1, 5, 6.5, 7), (1, 5, (6, 7)), (1, 5, np.arange(3.0).sum())]
)
@pytest.mark.parametrize("named", [{}, {"c": 0}])
def test_what_is_given_beyond_the_names_is_a_tuple(args, named):
    made = ks.njit(rest)
    got, want = made(*args, **named), rest(*args, **named)
    assert got == want and made.signatures


def test_compiled_calls_give_and_spread_the_rest():
    many = ks.njit(lambda a, b=2, *more, c=10: a + 10 * b + 100 * len(more) + 1000 * c)

    def calls(x, *args):
        def inside(a, *b):
            return a + len(b)

        spread = many(x, *args) + many(x, x, *args)
        return spread, many(x), many(x, 1, 2, 3, c=4), many(b=3, a=x), inside(x) + inside(x, 1, 2)

    made = ks.njit(calls)
    assert made(1, 7, 8, 9) == calls(1, 7, 8, 9) and made.signatures


def test_a_loop_over_an_empty_tuple_has_no_turns():
    def f(x, *rest):
        total = 0.0
        for r in rest:
            if r > 3:
                break
            total += r
        else:
            total += 0.5
        return x + total

    for args in [(1.0,), (1.0, 2.0), (1.0, 2.0, 9.0, 4.0)]:
        assert ks.njit(f)(*args) == f(*args)


def test_a_function_is_given_beside_the_rest():
    line = ks.njit(lambda x, *p: p[0] * x + p[1])

    @ks.njit
    def apply(function, x, *args):
        return function(x, *args)

    @ks.njit(parallel=True)
    def side_by_side(function, xs, args):
        out = np.empty_like(xs)
        for i in ks.prange(xs.size):
            out[i] = function(xs[i], *args)
        return out

    assert apply(line, 3.0, 2.0, 1.0) == 7
    assert side_by_side(line, np.arange(3.0), (2.0, 1)).tolist() == [1, 3, 5]


def test_the_rest_of_a_declared_signature_is_a_tuple():
    made = ks.njit("float64(float64, int64, float64)")(lambda a, *more: a + more[0] * more[1])
    assert made(1, 2, 3) == 7.0


def order(a, b):
    return a < b, a <= b, a > b, a >= b, a == b, a != b


@pytest.mark.parametrize("a, b", [("a", "b"), ("b", "a"), ("a", "a"), ("a", "ab"), ("", "a"), ("z", "é"), ("Z", "a")])
def test_texts_have_an_order(a, b):
    agree(order, a, b)


def test_what_has_no_order_is_a_type_error():
    for function, args in [
        (order, ("12", None)),
        (order, (None, None)),
        (lambda a, b: max(a, b), (1j, 2j)),
        (order, (1j, 1j)),
    ]:
        with pytest.warns(Warning, match="has no meaning"), pytest.raises(TypeError):
            ks.jit(function)(*args)


@pytest.mark.parametrize("count", [-3, -1, 0, 1, 5, np.int8(-1)])
def test_a_shift_by_less_than_nothing(count):
    agree(lambda a, b: a << b, 12, int(count))
    agree(lambda a, b: a >> b, -12, int(count))


NUMBERS = (1, 2, 3)


@pytest.mark.parametrize("at", [0, 2, -1, True, 3, -4, 1.5, 1.0])
def test_an_index_of_a_tuple_is_an_integer(at):
    assert outcome(ks.jit(lambda i: NUMBERS[i]), (at,)) == outcome(lambda i: NUMBERS[i], (at,))


@pytest.mark.parametrize("base", [0, 1, 5, -5, 6, 2**40 + 1])
@pytest.mark.parametrize("modulus", [1, 17, -17, 12, 2**61 - 1, 0])
@pytest.mark.parametrize("exponent", [-1, -3, 0, 7])
def test_powers_with_a_modulus(base, exponent, modulus):
    agree(lambda x, n, m: pow(x, n, m), base, exponent, modulus)


def factorial(n):
    return math.factorial(n)


def comb(n, k):
    return math.comb(n, k)


def perm(n, k):
    return math.perm(n, k)


def lcm(a, b):
    return math.lcm(a, b)


def gcd(a, b):
    return math.gcd(a, b)


def prod(a, b):
    return math.prod((a, b, 2))


@pytest.mark.parametrize(
    "function, args",
    [(factorial, (20,)), (factorial, (21,)), (factorial, (-1,)), (factorial, (2.0,)), (comb, (61, 30)), (comb, (68, 34)),
     (comb, (3.0, 1)), (perm, (20, 19)), (perm, (30, 20)), (lcm, (2**40, 3**20)), (lcm, (2**40, 3**30)), (lcm, (0, 5)),
     (gcd, (-(2**63), 2**40)), (gcd, (-(2**63), 0)), (gcd, (1.0, 2)), (prod, (2**31, 2**30)), (prod, (2**32, 2**30)),
     (prod, (0.5, 3))],
)  # fmt: skip
def test_functions_of_the_library_do_not_wrap(function, args):
    got, want = outcome(ks.njit(function), args), outcome(function, args)
    is_larger = isinstance(want, int) and not -(2**63) <= want < 2**63
    assert got is OverflowError if is_larger else got == want


def kind(x):
    if np.issubdtype(x.dtype, np.floating):
        return 1
    return 2 if np.issubdtype(x.dtype, np.integer) or np.issubdtype(x.dtype, "c16") else 3


@pytest.mark.parametrize("dtype", "f2 f4 f8 i1 u8 ? c8 c16".split())
def test_abstract_types_of_numpy(dtype):
    if dtype != "f2":
        agree(kind, np.zeros(3, dtype))
    interpreted = ks.jit(lambda x: isinstance(x[0], np.floating) + 2 * (x.dtype == np.floating))
    assert interpreted(np.zeros(3, dtype)) == interpreted.py_func(np.zeros(3, dtype))


def test_classes_that_are_asked_for():
    agree(lambda x: isinstance(x, (int, float)), 1.5)
    agree(lambda x: isinstance(x, int | str), "a")
    agree(lambda x: (isinstance(x, bool), isinstance(x, object)), True)
    for asked in (25, "int"):
        assert outcome(ks.jit(lambda x, asked=asked: isinstance(x, asked)), (1,)) is TypeError


def test_an_array_has_no_truth():
    for function in (lambda x: 1 if x else 2, lambda x: not x, lambda x: x and 1, lambda x: bool(x)):
        assert outcome(ks.jit(function), (np.arange(3),)) is ValueError


def test_identity_is_more_than_equality():
    agree(lambda x: (x is True, x is not True, x is None), 1)
    agree(lambda x: (x is True, x is not True, x is None), True)
    made = ks.jit(lambda a, b: a is b)
    assert not made((1, 2), (1, 3)) and not made((1,), ())


def test_arguments_that_go_by_name():
    def scaled(x, *, by=2):
        return x * by

    agree(lambda x: scaled(x) + scaled(x, by=3), 5)
    for _ in range(2):  # also where types are inferred in several rounds
        total = ks.njit(lambda n: sum([scaled(i, by=n) for i in range(n)]))
        assert total(4) == 24
    assert outcome(ks.jit(lambda x: scaled(x, 3)), (5,)) is TypeError


@pytest.mark.parametrize("args", [(), (3.0,), (3.0, 4), (1.0, 2.0, 2), (-5,)])
def test_hypot_takes_any_number(args):
    functions = [
        lambda: math.hypot(),
        lambda a: math.hypot(a),
        lambda a, b: math.hypot(a, b),
        lambda a, b, c: math.hypot(a, b, c),
    ]
    assert ks.jit(functions[len(args)])(*args) == math.hypot(*args)


@pytest.mark.parametrize("t", [(1, (2, 3)), (1, (2, 4)), (1, (0, 9)), (2, (0, 0))])
def test_tuples_of_tuples_compare(t):
    def compared(t):
        u = (1, (2, 3))
        return t == u, t != u, t < u, t <= u, t > u, t >= u

    compiled = ks.njit(compared)
    assert compiled(t) == compared(t)


def test_tuples_of_two_signs_compare_as_numbers():
    compiled = ks.njit(lambda a, b: ((a,) == (b,), (a,) < (b,)))
    assert compiled(np.int64(-1), np.uint64(2**64 - 1)) == (False, True)


class Colour(enum.Enum):
    red = 1
    green = 2


def test_arguments_come_from_any_tuple_and_it_is_computed_once():
    def pair(counts):
        counts[0] += 1
        return 2.0, 5

    def power(x, n, by=1):
        return x**n * by

    def f(z, counts):
        return complex(*cmath.polar(z)), power(*pair(counts)), power(*(3.0, 2), 7), power(*(2.0,), *(3, 4))

    counts, seen = np.zeros(1, int), np.zeros(1, int)
    have, want = ks.njit(f)(1 + 2j, counts), f(1 + 2j, seen)
    np.testing.assert_allclose(have, want, rtol=1e-15)
    assert counts[0] == seen[0] == 1


def test_members_of_an_enum_by_their_names():
    def f(x):
        return Colour["red"] == Colour.red, Colour["red"] == Colour["green"], x

    assert ks.njit(f)(1) == f(1) == (True, False, 1)
    with pytest.raises(ks.errors.TypeError, match="no member 'blue'"):
        ks.njit(lambda x: Colour["blue"] == Colour.red)(1)


@pytest.mark.parametrize("r", [0.0, -0.0, 1.5, -2.0, math.inf, -math.inf])
@pytest.mark.parametrize("phi", [0.0, -0.0, 0.5, 2.0, -3.0])
def test_rect_is_that_of_cmath(r, phi):
    have, want = ks.njit(lambda r, phi: cmath.rect(r, phi))(r, phi), cmath.rect(r, phi)
    np.testing.assert_allclose([have.real, have.imag], [want.real, want.imag], rtol=1e-15)
    assert math.copysign(1, have.imag) == math.copysign(1, want.imag)


@pytest.mark.parametrize("phi", [math.inf, -math.inf, math.nan])
def test_rect_of_nothing_is_nothing_at_any_angle(phi):
    assert ks.njit(lambda r, phi: cmath.rect(r, phi))(0.0, phi) == 0
    assert math.isinf(ks.njit(lambda r, phi: cmath.rect(r, phi))(math.inf, math.nan).real)


Parameters = collections.namedtuple("Parameters", [f"p{i}" for i in range(30)])


Fit = collections.namedtuple("Fit", "slope history")
OtherFit = collections.namedtuple("OtherFit", "slope history")


def test_named_tuples_come_back_as_what_they_are():
    def fitted(n, other):
        inner = Fit(n, (1, 2))
        return OtherFit(n / 2, inner), Fit(slope=2, history=other)

    def itself(fit):
        return fit

    def several(n):
        return Fit(n, 1) if n else Fit(2, n)

    def of_rest(*rest):
        return rest

    def rest_of(n):
        return of_rest(n, 2)

    for made, arguments in (
        (fitted, (3, OtherFit(1, 2.5))),
        (itself, (Fit(1, 2),)),
        (several, (1,)),
        (several, (0,)),
        (rest_of, (1,)),
    ):
        agree(made, *arguments)
        got, want = ks.njit(made)(*arguments), made(*arguments)
        assert repr(got) == repr(want)

    def by_expression(n):
        return Fit(n, 1) if n > 1 else (n, 2)

    def by_variable(n):
        made = (n, 2)
        if n > 1:
            made = Fit(n, 1)
        return made

    def by_statement(n):
        if n > 1:
            return Fit(n, 1)
        return n, 2

    for mixed in (by_expression, by_variable, by_statement):
        assert [type(ks.jit(mixed)(n)) for n in (1, 2)] == [tuple, Fit]


def test_long_tuples():
    def items(t):
        total = 0
        for x in t:
            total += x
        return total, len(t), t[17], t[-1], t == t, t < t, t[16:]

    def of_parameters(p, n):
        return p.p0 + p.p16 * n + p.p29, p.p29 > p.p3

    def as_key(n):
        t = (n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17.5)
        found = {t[:17]: n}
        return t, found[t[:17]]

    agree(items, tuple(range(20)))
    agree(items, tuple(i / 2 for i in range(50)))
    agree(of_parameters, Parameters(*range(15), *[i / 2 for i in range(15)]), 3)
    agree(as_key, 3)


MOST, LEAST = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    "start, stop, step",
    [(MOST - 5, MOST, 3), (0, MOST, 2**62), (LEAST, MOST, 2**62), (LEAST, MOST, MOST), (MOST - 2, MOST, 1), (LEAST + 5, LEAST, -3),
     (MOST, LEAST, LEAST), (MOST, LEAST, -(2**62)), (LEAST + 2, LEAST, -1), (MOST, 0, -MOST), (0, 10, 4), (10, -1, -4), (3, 3, 2)],
)  # fmt: skip
def test_a_range_ends_where_its_last_step_passes_64_bits(start, stop, step):
    def turns(start, stop, step, most):
        seen = [0]
        for i in range(start, stop, step):
            seen.append(i)
            if len(seen) > most:
                break
        return seen

    def turns_around_others(start, stop, step, most):
        seen = [0]
        for i in range(start, stop, step):
            for _ in range(most):
                if len(seen) > most:
                    return seen
            seen.append(i)
        return seen

    def kernel(seen, start, stop, step):
        for i in range(start, stop, step):
            if seen[0] == len(seen) - 1:
                break
            seen[0] += 1
            seen[seen[0]] = i

    agree(turns, start, stop, step, 8)
    agree(turns_around_others, start, stop, step, 8)
    written = f"def f(most):\n    seen = [0]\n    for i in range({start}, {stop}, {step}):\n        seen.append(i)\n        if len(seen) > most:\n            break\n    return seen\n"
    space = {}
    exec(written, space)
    agree(space["f"], 8)
    numbers = range(start, stop, step)
    assert ks.njit(lambda a, b, c: len(range(a, b, c)))(start, stop, step) == len(numbers)
    seen = np.zeros(10, np.int64)
    ks.cuda.jit(kernel)[1, 1](seen, start, stop, step)
    assert seen[: len(numbers) + 1].tolist() == [len(numbers), *numbers]


def test_a_range_that_has_more_turns_than_64_bits_count_is_left():
    def f(start, stop, step):
        total = 0
        for i in range(start, stop, step):
            total += 1
            if total == 5:
                return i
        return -1

    agree(f, LEAST, MOST, 2)
    agree(f, LEAST, MOST, 1)
    agree(f, MOST, LEAST, -1)


@ks.jit
def squared(x):
    return x * x


def shifted(x, by=3):
    return x + by


STEPS = (squared, shifted, math.sqrt)


def test_a_loop_over_functions_stands_there_for_each():
    def outside(x):
        total = 0.0
        for step in STEPS:
            total += step(x)
        return total

    def written(x):
        total = 0
        for step in (shifted, squared):
            for other in (squared, shifted):
                total = step(other(total + x))
        else:
            total += 1
        return total

    agree(outside, 4)
    agree(written, 2)


def test_an_item_of_equal_arrays_is_chosen_when_it_runs():
    def f(t, k):
        total = 0.0
        for i in range(len(t)):
            total += t[i].sum() + t[i][k] * len(t[-1 - i])
        return total

    arrays = np.arange(3.0), np.ones(4), np.arange(2.0)
    agree(lambda *args: float(f(*args)), arrays, 1)
    assert ks.njit(f)(arrays, 1) == f(arrays, 1)
    assert outcome(ks.njit(lambda t, k: t[k].sum()), (arrays, 3)) is IndexError


def test_a_number_is_no_text():
    def f(a, b):
        n = 0
        for k in range(3):
            if a == "x" or "1" == k:
                n += 1
            if b != k and k != b:
                n += 10
        return n, a == b, a != b

    agree(f, 1, "1")
    agree(f, 2.5, "x")
    agree(f, True, "")


def first_and_rest(x):
    a, *rest = x
    return a, sum(rest), len(rest)


def ends(x):
    a, *middle, (b, c) = (x[0], x[1], x[2], (x[0] + 1, 2.5))
    return a, middle, b, c


def nested(n):
    a, *middle, z = [i * 2 for i in range(n)]
    total = 0
    for k in middle:
        total += k
    return a, total, z


@pytest.mark.parametrize("x", [(1, 2, 3), (1.5, 2, 3), [4, 5, 6, 7]])
def test_a_star_takes_what_the_other_names_leave(x):
    agree(first_and_rest, x)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
def test_a_star_between_names(n):
    agree(nested, n)
    agree(ends, (n, 5, 7))


def numbered(n):
    match n:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case -3 as k:
            return k * 2
        case k if k > 100:
            return k
        case k if k % 2:
            r = k + 1
        case _:
            r = -1
    return r + k


def placed(x, y):
    match x, y:
        case 0, 0:
            return "origin"
        case 0, b:
            return "y" * b
        case (a, 0) if a < 3:
            return "x" * a
        case a, b if a == b:
            return "diagonal"
    return "elsewhere"


def stepped(commands):
    at = 0
    for command in commands:
        match command:
            case "up":
                at += 1
            case "down":
                at -= 1
            case "stop":
                break
            case _:
                continue
        at *= 2
    return at


def of_class(x):
    match x:
        case int():
            return 1
        case float():
            return 2
        case _:
            return 3


@pytest.mark.parametrize("n", [0, 1, 2, -3, 101, 7, 8])
def test_match_runs_the_first_case_that_fits(n):
    agree(numbered, n)


@pytest.mark.parametrize("point", [(0, 0), (0, 3), (2, 0), (5, 0), (5, 5), (2, 5)])
def test_match_takes_a_display_apart(point):
    agree(placed, *point)


def test_match_of_texts_and_of_classes():
    agree(stepped, ["up", "up", "other", "down", "up", "stop", "up"])
    for x in (1, 2.5, 1j):
        agree(of_class, x)


def test_names_that_mean_something_in_the_text_of_kernels_are_a_programs_own():
    names = """ks nullptr decltype noexcept static_cast const_cast dynamic_cast reinterpret_cast static_assert thread_local wchar_t char8_t
    char16_t char32_t concept requires consteval constinit co_await co_return co_yield typeid and_eq or_eq xor_eq not_eq double int new
    this template auto switch half self w a0 result NULL std dim3 float4 gamma y0""".split()
    lines = [
        f"def f({', '.join(names)}):",
        f"    total = {' + '.join(names)}",
        "    made = [ks + nullptr * i for i in range(3)]",
    ]
    for name in names:
        lines += [f"    for {name} in range(2):", f"        total += {name}"]
    lines.append("    return total, made")
    file = "<names of C++>"
    linecache.cache[file] = (1, None, [line + "\n" for line in lines], file)
    space = {}
    exec(compile("\n".join(lines), file, "exec"), space)
    agree(space["f"], *range(len(names)))


def test_parts_and_items_of_a_range():
    def f(a, b, c, k):
        r = range(a, b, c)
        return r.start, r.stop, r.step, len(r), r[k], r[-1]

    agrees(f, 2, 20, 3, 4)
    agrees(f, 20, 2, -3, -2)
    agrees(f, 2, 20, 3, 6)


@pytest.mark.parametrize("part", [slice(1, 4), slice(None), slice(None, None, -2), slice(-3, None), slice(2)])
def test_a_slice_is_an_argument(part):
    @ks.njit
    def f(x, part, n):
        return x[part] * n, x[part].size

    x = np.arange(7.0)
    for _ in range(2):
        mine, size = f(x, part, 2)
        np.testing.assert_array_equal(mine, x[part] * 2)
        assert size == len(x[part])

    @ks.njit
    def parts(of):
        return of.start is None, of.stop is None

    assert parts(part) == (part.start is None, part.stop is None)


def test_a_tuple_of_functions_is_an_argument():
    double, square = ks.njit(lambda x: 2 * x), ks.njit(lambda x: x * x)

    @ks.njit
    def f(functions, x):
        total = 0
        for each in functions:
            total += each(x)
        return total, functions[0](x), len(functions)

    assert f((double, square), 5) == (35, 10, 2)
    assert f((square, square, double), 5) == (60, 25, 3)
