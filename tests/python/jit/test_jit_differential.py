"""Random small programs, compiled and interpreted: same numbers, same exceptions."""

import linecache
import math
import os
import random

import kasoku as ks
import numpy as np
import pytest

many = int(os.environ.get("KASOKU_TEST_PROGRAMS", "12"))


class Program:
    """A function of two integers, two floats and an array, made of what compiled code should know."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ints, self.floats = ["a", "b"], ["x", "y"]
        self.depth = 0
        body = self.block(4, 1)
        results = ", ".join([*self.ints, *self.floats, "v.sum()"])
        self.text = f"def f(a, b, x, y, v):\n{body}    return {results}\n"

    def pick(self, *choices):
        return self.random.choice(choices)

    def integer(self, depth=2):
        if depth == 0 or self.random.random() < 0.2:
            return self.pick(*self.ints, str(self.random.randint(-9, 9)), "len(v)", "v.shape[0]")
        one, other = self.integer(depth - 1), self.integer(depth - 1)
        return self.pick(
            lambda: f"({one} {self.pick('+', '-')} {other})",
            lambda: f"(({one} & 4095) * ({other} & 4095))",
            lambda: f"({one} {self.pick('//', '%')} {other})",
            lambda: f"({one} {self.pick('&', '|', '^')} {other})",
            lambda: f"({one} >> ({other} & 7))",
            lambda: f"(({one} & 1023) << ({other} & 7))",
            lambda: f"(-{one})",
            lambda: f"(~{one})",
            lambda: f"abs({one})",
            lambda: f"{self.pick('min', 'max')}({one}, {other})",
            lambda: f"({one} if {self.condition(0)} else {other})",
            lambda: f"int({self.small(depth)})",
            lambda: f"round({self.small(depth)})",
            lambda: f"math.floor({self.small(depth)})",
            lambda: f"divmod({one}, {other})[{self.pick(0, 1, -1)}]",
            lambda: f"(({one} % 5) ** ({other} & 3))",
        )()

    def small(self, depth):
        return f"max(-1e6, min(1e6, {self.floating(depth - 1)}))"

    def floating(self, depth=2):
        if depth == 0 or self.random.random() < 0.2:
            return self.pick(
                *self.floats, f"{self.random.uniform(-4, 4):.3f}", f"v[{self.integer(0)} % len(v)]", "v[-1]"
            )
        one, other = self.floating(depth - 1), self.floating(depth - 1)
        return self.pick(
            lambda: f"({one} {self.pick('+', '-', '*')} {other})",
            lambda: f"({one} {self.pick('/', '//', '%')} {other})",
            lambda: f"({one} + {self.integer(depth - 1)})",
            lambda: f"({self.integer(depth - 1)} / {other})",
            lambda: f"abs({one})",
            lambda: f"math.sqrt(abs({one}))",
            lambda: f"math.fabs({one})",
            lambda: f"np.floor({one})",
            lambda: f"np.maximum({one}, {other})",
            lambda: f"math.copysign({one}, {other})",
            lambda: f"{self.pick('min', 'max')}({one}, {other})",
            lambda: f"({one} if {self.condition(0)} else {other})",
            lambda: f"float({self.integer(depth - 1)})",
            lambda: f"({one} ** 2)",
        )()

    def condition(self, depth=1):
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        choices = [
            lambda: f"({self.integer(depth)} {compare} {self.integer(depth)})",
            lambda: f"({self.floating(depth)} {compare} {self.floating(depth)})",
            lambda: f"({self.integer(0)} < {self.integer(0)} <= {self.integer(0)})",
            lambda: f"({self.integer(0)} in (1, 2, {self.integer(0)}))",
        ]
        if depth:
            choices += [
                lambda: f"({self.condition(depth - 1)} {self.pick('and', 'or')} {self.condition(depth - 1)})",
                lambda: f"(not {self.condition(depth - 1)})",
            ]
        return self.pick(*choices)()

    def block(self, n, indent):
        return "".join(self.statement(indent) for _ in range(self.random.randint(1, n)))

    def statement(self, indent):
        space = "    " * indent
        kinds = ["int", "float", "augment", "store", "swap", "slice"]
        if indent < 3:
            kinds += ["if", "for", "while", "enumerate", "zip"]
        kind = self.pick(*kinds)
        if kind == "int":
            return f"{space}{self.pick(*self.ints)} = {self.integer()}\n"
        if kind == "float":
            return f"{space}{self.pick(*self.floats)} = {self.floating()}\n"
        if kind == "augment":
            if self.random.random() < 0.5:
                return f"{space}{self.pick(*self.ints)} {self.pick('+=', '-=', '^=', '|=')} {self.integer(1)}\n"
            return f"{space}{self.pick(*self.floats)} {self.pick('+=', '-=', '*=')} {self.floating(1)}\n"
        if kind == "store":
            return f"{space}v[{self.integer(1)} % len(v)] {self.pick('=', '+=', '-=')} {self.floating(1)}\n"
        if kind == "swap":
            return f"{space}a, b = b, a\n"
        if kind == "slice":
            start = self.random.randint(-3, 3)
            return f"{space}v[{start}:] = {self.floating(1)}\n"
        if kind == "if":
            rest = f"{space}else:\n{self.block(2, indent + 1)}" if self.random.random() < 0.5 else ""
            return f"{space}if {self.condition()}:\n{self.block(2, indent + 1)}{rest}"
        self.depth += 1
        i = f"i{self.depth}"
        body = self.block(2, indent + 1)
        inner = space + "    "
        if kind == "for":
            leave = f"{inner}if {self.condition(0)}:\n{inner}    {self.pick('break', 'continue')}\n"
            rest = f"{space}else:\n{self.block(1, indent + 1)}" if self.random.random() < 0.3 else ""
            bounds = self.pick("5", "1, 6", "6, 0, -2", "a & 7", "-3, 3")
            return f"{space}for {i} in range({bounds}):\n{inner}a += {i}\n{leave}{body}{rest}"
        if kind == "while":
            return f"{space}{i} = 0\n{space}while {i} < 6 and {self.condition(0)}:\n{inner}{i} += 1\n{body}"
        if kind == "enumerate":
            return f"{space}for {i}, e{i} in enumerate(v):\n{inner}x += e{i} * {i}\n{body}"
        return f"{space}for e{i}, d{i} in zip(v, range(4)):\n{inner}y += e{i} - d{i}\n{body}"

    def function(self, name):
        linecache.cache[name] = (len(self.text), None, self.text.splitlines(True), name)
        space = {"math": math, "np": np}
        exec(compile(self.text, name, "exec"), space)
        return space["f"]


def run(function, arguments):
    """The results, or what was raised; None if an integer left 64 bits on the way."""
    try:
        return [x.item() if isinstance(x, np.generic) else x for x in function(*arguments)]
    except ZeroDivisionError:
        return "ZeroDivisionError"
    except (OverflowError, ValueError):
        return None


def values(seed):
    source = random.Random(seed)
    array = np.array([source.uniform(-3, 3) for _ in range(source.randint(1, 6))])
    return source.randint(-50, 50), source.randint(-50, 50), source.uniform(-5, 5), source.uniform(-5, 5), array


@pytest.mark.parametrize("seed", range(many))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_random_program(seed):
    program = Program(seed)
    function = program.function(f"<program {seed}>")
    compiled = ks.jit(function, parallel=bool(seed % 2))
    for k in range(4):
        # The interpreter gets Python's numbers out of the array too: its own division by zero raises.
        a, b, x, y, v = values(1000 * seed + k)
        plain, ours = Floats(v.tolist()), v.copy()
        want = run(function, (a, b, x, y, plain))
        if want is None or (isinstance(want, list) and any(isinstance(n, int) and abs(n) >= 2**63 for n in want)):
            continue
        got = run(compiled, (a, b, x, y, ours))
        if isinstance(want, str):
            assert got == want, program.text
            continue
        assert isinstance(got, list), (got, program.text)
        for one, other in zip(got, want, strict=True):
            assert isinstance(one, float) == isinstance(other, float), (got, want, program.text)
            same = one == other or (one != one and other != other)
            assert same or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9), (got, want, program.text)


class Floats(list):
    """A list with what the programs ask of an array."""

    @property
    def shape(self):
        return (len(self),)

    def sum(self):
        return math.fsum(self)

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            value = [value] * len(range(*index.indices(len(self))))
        super().__setitem__(index, value)
