"""Any program of array statements leaves in arrays what it leaves in NumPy's: views, slices, writes to what overlaps,
indices, casts, reductions, names that go, values that are read in between, memory that NumPy shows too."""

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import kasoku as ks
from kasoku import _core

DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
ERRORS = (TypeError, OverflowError, ValueError, IndexError, NameError)
NAMES = "abcdpqrstuvw"
MOST = 6000  # elements of an array


def exact(x):
    return x.dtype.kind in "biu"


def writable(x):
    return isinstance(x, np.ndarray) and x.ndim > 0 and x.flags.writeable


class Writer:
    """Writes statements that NumPy runs at once, so that each knows the shapes and dtypes that are there."""

    def __init__(self, any_of, shares):
        self.any, self.lines, self.names, self.hosts = any_of, [], {"xp": np, "np": np, "log": []}, set()
        a, b, c = self.any([(3, 2, 2), (5, 3, 2), (1, 4, 3), (4, 1, 2), (2, 0, 3), (37, 29, 3), (1030, 2, 2)])
        shapes = [(a,), (b, a), (c, b, a), (b, 1)]
        for name, shape in zip("abcd", shapes, strict=True):
            self.run(f"{name} = xp.array({self.values(shape)})")
        if shares:
            self.run(f"h = {self.values((b, a))}")
            self.run("s = xp.asarray(h)")
            self.run("t = xp.asarray(h[::-1, 1:])")
            self.hosts = {"h", "g"}
        for _ in range(5 + self.below(21)):
            if (line := self.statement()) is not None:
                self.run(line)

    def below(self, n):
        return self.any(range(n))

    def run(self, line):
        self.lines.append(line)
        with np.errstate(all="ignore"):
            try:
                exec(line, self.names)
            except ERRORS:
                pass

    def values(self, shape):
        size, dtype = int(np.prod(shape)), self.any(DTYPES)
        return f"(np.arange({size}) * 5 % 23 {'' if dtype[0] == 'u' else '- 7'}).astype({dtype!r}).reshape({shape})"

    def name(self, suits=lambda x: True):
        """One whose value suits, or none."""
        names = [name for name in NAMES if name in self.names and suits(self.names[name])]
        return self.any(names) if names else None

    def beside(self, x):
        """An operand that stretches with x: a name, a view of one, a number."""

        def stretches(y):
            try:
                return np.prod(np.broadcast_shapes(x.shape, y.shape)) <= MOST
            except ValueError:
                return False

        kind = self.below(8)
        if kind == 0:
            return self.number(x)
        name = self.name(stretches)
        if name is None:
            return self.number(x)
        if kind < 3 and self.names[name].ndim > 0:
            return f"{name}[::-1]"
        return name

    def number(self, x):
        return str(self.any([0, 1, 2, 3, -1] if exact(x) else [0.0, 1, 2.5, -0.5, -3, 0.25]))

    def operation(self, operators, x, other):
        """An operator; `//` goes by the array API, not by NumPy, where an operand is infinite (docs/differences.md)."""
        op = self.any(operators)
        are_finite = all(np.isfinite(y).all() for y in (x, eval(other, self.names)))
        return "-" if op == "//" and not are_finite else op

    def slice(self, n):
        part = lambda: self.any(["", *range(-n - 1, n + 2)])  # noqa: E731
        return f"{part()}:{part()}" + self.any(["", "", ":2", ":-1", ":-2"])

    def index(self, x):
        """A basic one."""
        entries = []
        for n in x.shape[: self.below(x.ndim + 1) + 1]:
            kind = self.below(6)
            entries.append(str(self.below(2 * n) - n) if kind == 0 and n else ":" if kind == 1 else self.slice(n))
        if self.below(6) == 0:
            entries.insert(self.below(len(entries) + 1), self.any(["...", "None"]))
        return ", ".join(entries) or "..."

    def positions(self, n):
        return str([self.below(2 * n) - n for _ in range(self.below(4) + 1)])

    def view(self, name):
        x = self.names[name]
        if not isinstance(x, np.ndarray):
            return name  # a value: here its views are values too
        axis = self.below(x.ndim) if x.ndim else 0
        return self.any(
            [
                f"{name}[{self.index(x)}]",
                f"{name}[{self.index(x)}]",
                f"{name}.T",
                f"{name}[None]",
                f"xp.swapaxes({name}, 0, {axis})",
                f"xp.flip({name})",
                f"xp.moveaxis({name}, {axis}, -1)",
                f"xp.expand_dims({name}, {axis})",
                f"xp.squeeze({name})",
                f"{name}.real",
                name,
            ]
        )

    def value(self, name):
        """A new value."""
        x = self.names[name]
        kind = self.below(10)
        if kind < 4:
            sign = self.any(["", "", "-", "abs", "~"] if x.dtype.kind == "i" else ["", "", "abs"])
            other = self.beside(x)
            op = self.operation(["+", "+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "==", ">="], x, other)
            return f"{sign}({name} {op} {other})"
        if kind == 4:
            unary = ["floor", "sign", "square", "isnan", "logical_not", "rint"] + ["sqrt"] * (not exact(x))
            return f"xp.{self.any(unary)}({name})"
        if kind == 5:
            binary = ["maximum", "minimum", "fmax", "not_equal", "logical_and", "copysign", "add"]
            return f"xp.{self.any(binary)}({name}, {self.beside(x)})"
        if kind == 6:
            # Without a sign: NumPy cuts a number off that an array does not hold.
            one, other = self.beside(x).lstrip("-"), self.beside(x).lstrip("-")
            return f"xp.where({name} > {self.number(x)}, {one}, {other})"
        if kind == 7:
            dtype = self.any(DTYPES)
            held = name if exact(x) or dtype[0] == "f" else f"xp.where(abs({name}) < 100, abs({name}), 7)"
            return f"{held}.astype({dtype!r})"
        if kind == 8:
            return f"xp.clip({name}, 0, {self.any([1, 3, 5])})"
        return self.any(
            [
                f"{name}.copy()",
                f"{name}.flatten()",
                f"{name}.reshape(-1)[::-1].copy()",
                f"xp.roll({name}, {self.below(7) - 3})",
                f"xp.concatenate([{name}, {name}])",
                f"xp.stack([{name}, {name}], -1)",
                f"xp.zeros_like({name})",
                f"xp.arange({self.below(9)})",
                f"xp.broadcast_to({name}, (2, *{name}.shape)).copy()",
                f"{name} * {name}[::-1] + {name}",
            ]
        )

    def reduced(self, name):
        x = self.names[name]
        names = ["max", "min", "any", "all", "argmax", "argmin", "count_nonzero"] + ["sum", "prod", "sum"] * exact(x)
        reduction = self.any(names)
        axis = self.any([None, *range(-x.ndim, x.ndim)])
        keep = ", keepdims=True" if self.below(3) == 0 else ""
        part = self.any([name, f"({name} * 2)", f"{name}[::-1]", f"{name}.T"])
        where = ""
        if reduction in ("sum", "prod", "any", "all") and part == name and self.below(3) == 0:
            where = f", where={name} > 0"
        return f"xp.{reduction}({part}, axis={axis}{keep}{where})"

    def write(self, name):
        x = self.names[name]
        index = self.index(x)  # with an axis: an element takes no array of one element from NumPy 2.5 on
        part = f"{name}[{index}]" if ":" in index or "..." in index else f"{name}[{index}, ...]"
        held = self.names_for_store(x)
        kind = self.below(10)
        if kind < 2:
            other = self.beside(x)
            op = self.operation(["+", "-", "*", "//", "%", "&", "|"] + ["/"] * (not exact(x)), x, other)
            return f"{self.any([name, part])} {op}= {other}"
        if kind == 2:
            return f"{part} {self.any('+-*')}= {part}[::-1]"
        if kind == 3:
            return f"{part} = {held}"
        if kind == 4:
            return f"{name}[...] = {self.any([held, f'{name}.T', f'{name}[::-1]', f'{name} + 1', f'xp.flip({name})'])}"
        if kind == 5:
            return f"{name}[{name} > {self.number(x)}] {self.any(['', '+', '*'])}= {self.number(x)}"
        if kind == 6 and len(x):
            return f"{name}[{self.positions(len(x))}] {self.any(['', '+'])}= {self.any([self.number(x), held])}"
        if kind == 7:
            where = self.any(["", f", where={name} > 0"])
            return f"xp.{self.any(['add', 'maximum', 'multiply'])}({name}[::-1], {self.beside(x)}, out={name}{where})"
        if kind == 8:
            return f"{name}[1:] {self.any(['', '+', '-'])}= {name}[:-1]" + self.any(["", " * 2", "[::-1]"])
        return f"{name}.fill({self.number(x)})"

    def names_for_store(self, x):
        """What x may be given: integers get no floats, which NumPy leaves undefined where they do not fit, and no NumPy
        scalars, which NumPy refuses there."""
        name = self.name(lambda y: x.dtype.kind == "f" or (exact(y) and isinstance(y, np.ndarray)))
        return name if name and self.below(3) else self.number(x)

    def statement(self):
        new, name, to = self.any("pqruvw"), self.name(), self.name(writable)
        kind = self.below(16)
        if kind < 3:
            return f"{new} = {self.view(name)}"
        if kind < 7:
            return f"{new} = {self.value(name)}"
        if kind < 9:
            return f"{new} = {self.reduced(name)}"
        if kind < 13 and to:
            return self.write(to)
        if kind == 13:
            x = self.names[name]
            if x.ndim and len(x):
                return f"{new} = {name}[{self.any([self.positions(len(x)), f'{name} > 0', f'{name}[:1] > 0'])}]"
            return f"log.append({name}.tolist())"
        if kind == 14:
            return self.any(
                [
                    f"log.append({name}.tolist())",
                    f"log.append(float(xp.max({name})))",
                    f"if bool(xp.any({name} > 1)): {new} = {self.value(name)}",
                    f"{new}, {name} = {name}, {self.value(name)}",
                    f"del {self.any(['p', 'q', 'u', name])}" if len(self.names) > 10 else f"log.append({name}.shape)",
                ]
            )
        if not self.hosts:
            return None
        host = self.any(sorted(name for name in self.hosts if name in self.names))
        return self.any(
            [
                f"{host} += 1",
                f"{host}[1:] = {host}[:-1]",
                f"{host}[...] = {self.below(3)}",
                f"log.append({host}.tolist())",
                f"g = np.asarray({to}, copy=False)" if to else None,
                f"{new} = xp.asarray({host}[::2])",
            ]
        )


@st.composite
def programs(draw, shares=False):
    return "\n".join(Writer(lambda options: draw(st.sampled_from(options)), shares).lines)


def left_by(xp, text, in_function):
    """What the names hold after the program, and what it read; of a statement that raises, that it did."""
    names = {"xp": xp, "np": np, "log": []}
    guarded = "\n".join(f"try:\n  {line}\nexcept ERRORS:\n  log.append('raised')" for line in text.split("\n"))
    with np.errstate(all="ignore"):
        if in_function:  # Python's instructions are others there
            body = "\n".join("  " + line for line in guarded.split("\n"))
            exec(f"def program(xp, np, log, ERRORS):\n{body}\n  return locals()", names)
            names = names["program"](xp, np, names["log"], ERRORS)
        else:
            names["ERRORS"] = ERRORS
            exec(guarded, names)
    return {name: np.array(names[name]) for name in [*NAMES, "h", "g"] if name in names}, names["log"]


def check(text, is_eager, at_once, in_function):
    want, wanted_log = left_by(np, text, in_function)
    before = _core._few_at_once(at_once)
    try:
        with ks.eager(is_eager):
            got, log = left_by(ks, text, in_function)
    finally:
        _core._few_at_once(before)
    assert got.keys() == want.keys()
    for name, value in want.items():
        assert (got[name].dtype, got[name].shape) == (value.dtype, value.shape), name
        np.testing.assert_array_equal(got[name], value, name)
    assert repr(log) == repr(wanted_log)


several = hypothesis.settings(max_examples=3 * hypothesis.settings.default.max_examples)
ways = {"is_eager": st.booleans(), "at_once": st.booleans(), "in_function": st.booleans()}


@pytest.mark.usefixtures("on_device")
@several
@hypothesis.given(text=programs(), **ways)
def test_any_program_leaves_what_it_leaves_in_numpy(text, is_eager, at_once, in_function):
    check(text, is_eager, at_once, in_function)


@several
@hypothesis.given(text=programs(shares=True), **ways)
def test_so_does_one_that_shares_its_memory_with_numpy(text, is_eager, at_once, in_function):
    with ks.default_device("cpu"):
        check(text, is_eager, at_once, in_function)
