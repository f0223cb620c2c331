"""Members of Enums of integers in compiled code: they count as numbers do, and stay who they are."""

import enum
import warnings

import pytest

import kasoku as ks


class Suit(enum.IntEnum):
    CLUBS = 1
    HEARTS = 2


class Gear(enum.IntEnum):
    FIRST = 1
    SECOND = 2


class Mode(enum.IntFlag):
    READ = 1
    WRITE = 2


class Light(enum.Enum):
    RED = 1
    GREEN = 2


class Odd(enum.IntEnum):
    ONE = 1

    def __add__(self, other):
        return "sum"


def is_other_enum():
    return Suit.CLUBS is Gear.FIRST, Suit.CLUBS is not Gear.FIRST, Suit.CLUBS is Suit.CLUBS, Suit.CLUBS == Gear.FIRST


def is_same(a, b):
    return a is b, a is not b, a == b


def itself(a):
    return a


def constant():
    return Suit.HEARTS


def chosen(n):
    return Suit.CLUBS if n > 0 else Suit.HEARTS


def chosen_by_statement(n):
    x = Suit.CLUBS
    if n > 0:
        x = Suit.HEARTS
    return x


def light(n):
    return Light.RED if n > 0 else Light.GREEN


def member_or_number(a, n):
    return a if n > 0 else n


def in_containers(a):
    return (a, 2), [a, a], {a: 1}, {1: a}


def larger(a, b):
    return max(a, b), min(a, b)


def arithmetic(a):
    return a + 1, -a, +a, abs(a), a * a, int(a), ~Suit.CLUBS, Suit.CLUBS | 4, sum([a, a]), round(a), a < 2


def flags(a):
    return a & Mode.WRITE, a | Mode.READ, a ^ Mode.READ, a | 4, a << 1, bool(a & Mode.WRITE)


def without(a):
    return a & ~Mode.READ


def found(a, n):
    for i in range(n):
        if i == a:
            return a
    return None


def own_operator(a):
    return a + 1


def truth(a, b):
    return a or b, a and b


CASES = [
    (is_other_enum,),
    *((is_same, a, b) for a in (Suit.CLUBS, Mode.READ) for b in (Suit.CLUBS, Gear.FIRST, Mode.READ, 1)),
    *((itself, a) for a in (Suit.CLUBS, Mode.READ, Mode.READ | Mode.WRITE, Light.RED, Odd.ONE, (Suit.CLUBS, 2), [Gear.FIRST])),
    (constant,),
    *((f, n) for f in (chosen, chosen_by_statement, light) for n in (0, 1)),
    *((member_or_number, Suit.CLUBS, n) for n in (0, 1)),
    *((f, a) for f in (in_containers, arithmetic) for a in (Suit.HEARTS, 3)),
    *((larger, Suit.CLUBS, b) for b in (Suit.HEARTS, Gear.SECOND, 5)),
    *((f, a) for f in (flags, without) for a in (Mode.READ, Mode.READ | Mode.WRITE)),
    *((found, Suit.HEARTS, n) for n in (0, 5)),
    (own_operator, Odd.ONE),
    (truth, Suit.CLUBS, Suit.HEARTS),
    (truth, Suit.CLUBS, 7),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}{case[1:]}")
def test_members_are_what_the_interpreter_gives(case):
    function, *arguments = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of it runs in the interpreter
        ours = ks.jit(function)(*arguments)
    assert repr(ours) == repr(function(*arguments))


@pytest.mark.parametrize("function", [chosen, chosen_by_statement])
def test_members_chosen_at_run_time_are_compiled(function):
    assert ks.njit(function)(1) is function(1)


def test_a_function_that_has_a_form_for_numbers_keeps_it_beside_members_that_have_none():
    compiled = ks.jit(member_or_number)
    with pytest.warns(ks.errors.Warning):
        assert compiled(Suit.CLUBS, 0) == 0
    assert compiled(5, 1) == 5 and len(compiled.signatures) == 1
