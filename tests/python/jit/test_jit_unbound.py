"""Names that may have no value where they are read: UnboundLocalError as Python raises it, and no test where one is sure."""

import random

import numpy as np
import pytest

import kasoku as ks


def branch(x):
    if x > 0:
        y = 1
    return y


def of_a_loop(n):
    for i in range(n):
        last = i * 2
    return i, last


def deleted(x):
    y = x + 1
    if x > 2:
        del y
    return y


def deleted_parameter(x):
    if x < 3:
        del x
    return x


def caught(x):
    try:
        if x > 2:
            raise ValueError
        y = 1
    except ValueError:
        pass
    return y


def augmented(x):
    if x > 2:
        y = 1
    y += x
    return y


def of_a_name(x):
    y = 0
    try:
        if x > 2:
            z = 1
        y = z
    except UnboundLocalError:
        y = -1
    return y


def in_a_condition(x):
    if x > 0 and (y := x) > 2:
        pass
    return x < 0 or y


def of_an_array(x):
    if x > 2:
        y = np.ones(3)
    y += x
    return y.sum()


def before_its_assignment(x):
    if x > 2:
        return y  # noqa: F821
    y = 1
    return y


def between(x):
    first = 0
    for i in range(x):
        if i % 2:
            kept = i
        elif i:
            first += kept
    return first


def in_a_chain(x):
    while x < 3:
        if x == 1:
            y = 5
        x += 1
    else:
        z = y
    return z


cases = [branch, of_a_loop, deleted, deleted_parameter, caught, augmented, of_a_name, in_a_condition, of_an_array,
         before_its_assignment, between, in_a_chain]  # fmt: skip


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("f", cases, ids=lambda f: f.__name__)
def test_as_python_says(f):
    compiled = ks.njit(f)
    for x in (-1, 0, 1, 2, 3, 5):
        assert outcome(compiled, x) == outcome(f, x), x


def test_the_message_has_the_line():
    with pytest.raises(
        UnboundLocalError,
        match=r"(?s)cannot access local variable 'y' where .*test_jit_unbound.py:\d+, in branch    return y",
    ):
        ks.njit(branch)(-1)


def test_a_name_that_never_has_a_value():
    def f(x):
        del x
        return x  # noqa: F821

    with pytest.raises(UnboundLocalError):
        ks.njit(f)(1)

    def g(x):
        y += x  # noqa: F821
        return y  # noqa: F821

    with pytest.raises(UnboundLocalError):
        ks.jit(g)(1)


def sure(x, n):
    while True:
        y = x
        if n > 3:
            break
        n += 1
    if n > 2:
        z = 1
    elif n < -5:
        raise ValueError
    else:
        z = 2
    for i in range(3):
        w = i
    try:
        v = y // n
    except ZeroDivisionError:
        v = 0
    try:
        u = v
    finally:
        z += 1
    for t in (1, 2):
        z += t
    return y + z + w + v + u + i + t


def test_no_test_where_a_value_is_sure():
    f = ks.njit(sure)
    assert f(4, 2) == sure(4, 2)
    assert "has_" not in "".join(f.inspect_text().values())
    g = ks.njit(branch)
    assert g(1) == 1
    assert "has_y" in "".join(g.inspect_text().values())


def test_functions_inside():
    @ks.njit
    def f(x):
        if x > 2:
            y = 1
        return [y + i for i in range(x)]

    assert f(3) == [1, 2, 3]
    with pytest.raises(NameError):
        f(2)

    @ks.njit
    def g(x):
        def inner(k):
            return k * y

        if x > 2:
            y = 3
        return inner(x)

    assert g(3) == 9
    with pytest.raises(NameError):
        g(2)


def test_parallel_loops():
    @ks.njit
    def after(n):
        for i in ks.prange(n):
            last = i * 2
        return last + i

    assert after(1000) == 999 * 3
    with pytest.raises(UnboundLocalError):
        after(0)

    @ks.njit
    def inside(x):
        for i in ks.prange(x.size):
            if x[i] > 0:
                y = x[i]
            x[i] = y

    x = np.ones(1000)
    inside(x)
    with pytest.raises(UnboundLocalError):
        inside(-x)


class Writer:
    """Random functions of n whose variables a, b, c may have no value."""

    def __init__(self, seed):
        self.random, self.lines = random.Random(seed), ["def f(n):"]
        self.say(1, "if n > 99: a, b, c = n, n, n")
        self.block(1, 0, False)
        self.say(1, "return n, a + b * c")

    def say(self, indent, text):
        self.lines.append("    " * indent + text)

    def value(self):
        return self.random.choice(["n", "n + 1", "a", "b - 1", "c + n", "3"])

    def block(self, indent, depth, in_loop):
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth, in_loop)
        self.say(indent, "pass")

    def statement(self, indent, depth, in_loop):
        r = self.random
        kind = r.choice(["set", "set", "set", "augment", "del", "if", "for", "while", "try", "return", "jump"])
        name = r.choice("abc")
        if depth > 2 and kind in ("if", "for", "while", "try"):
            kind = "set"
        if kind == "set":
            self.say(indent, f"{name} = {self.value()}")
        elif kind == "augment":
            self.say(indent, f"{name} += {self.value()}")
        elif kind == "del" and r.random() < 0.3:
            self.say(indent, f"del {name}")
        elif kind == "if":
            self.say(indent, f"if n > {r.randint(-1, 4)}:")
            self.block(indent + 1, depth + 1, in_loop)
            if r.random() < 0.6:
                self.say(indent, "else:")
                self.block(indent + 1, depth + 1, in_loop)
        elif kind == "for":
            self.say(indent, f"for {name} in range({r.choice(['n', '2', 'n - 2'])}):")
            self.block(indent + 1, depth + 1, True)
            if r.random() < 0.3:
                self.say(indent, "else:")
                self.block(indent + 1, depth + 1, in_loop)
        elif kind == "while":
            self.say(indent, r.choice(["while n < 4:", "while True:"]))
            self.say(indent + 1, "n += 1")
            self.say(indent + 1, "if n > 5: break")
            self.block(indent + 1, depth + 1, True)
        elif kind == "try":
            self.say(indent, "try:")
            self.block(indent + 1, depth + 1, in_loop)
            self.say(indent + 1, f"if n > {r.randint(0, 4)}: raise ValueError")
            self.block(indent + 1, depth + 1, in_loop)
            if r.random() < 0.6:
                self.say(indent, f"except {r.choice(['ValueError', 'NameError', '(ValueError, UnboundLocalError)'])}:")
                self.block(indent + 1, depth + 1, in_loop)
            else:
                self.say(indent, "finally:")
                self.say(indent + 1, f"{name} = {self.value()}")
        elif kind == "return" and r.random() < 0.3:
            self.say(indent, f"return n, {self.value()}")
        elif kind == "jump" and in_loop:
            self.say(indent, f"if n > {r.randint(0, 4)}: {r.choice(['break', 'continue'])}")


@pytest.mark.parametrize("seed", range(24))
def test_random_functions(seed):
    text = "\n".join(Writer(seed).lines)
    space = {}
    exec(text, space)
    compiled = ks.njit(space["f"])
    for n in range(-1, 7):
        assert outcome(compiled, n) == outcome(space["f"], n), (n, text)
