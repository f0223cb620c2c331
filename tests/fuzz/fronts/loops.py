"""Random loops, compiled and interpreted: `@ks.jit` against Python running the same function.

The interpreter is given arrays whose elements are Python's numbers, as compiled code has them. Integers stay far below
64 bits because factors and what is stored are masked; floats are float64, and sums that workers add up are whole
numbers. In a `prange` loop an array is either read by all iterations or touched by each at places of its own, variables
are assigned before they are read, and what is added up is read nowhere else, so that iterations may run in any order.
"""

import linecache
import random

import numpy as np

import kasoku as ks
from fuzz.fronts import words
from fuzz.fronts.words import Wrong, array_of, same

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]
DTYPES = [*INTEGERS, "bool", "float32", "float64", "float64", "int64"]


class Loop:
    """An enclosing loop: its variable, and how far a subscript may be from it."""

    def __init__(self, name, below=0, above=0, length=None):
        self.name, self.below, self.above, self.length = name, below, above, length


class Place:
    """Where a statement stands: the variables and arrays that it may read and assign."""

    def __init__(self, writer, indent=1, parallel=None):
        self.indent, self.parallel = indent, parallel
        self.ints, self.floats, self.loops = [], [], []
        self.assigned = set()  # variables that may be assigned here
        self.read, self.written, self.own = set(writer.arrays), set(writer.arrays), set()
        self.breaks = False
        self.depth = 0

    def inner(self, **changes):
        place = object.__new__(Place)
        place.__dict__.update(self.__dict__)
        place.ints, place.floats, place.loops = list(self.ints), list(self.floats), list(self.loops)
        place.indent += 1
        place.depth += 1
        place.__dict__.update(changes)
        return place


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed, self.lines, self.counter, self.locals = seed, [], 0, []
        self.arrays = {}
        n = self.pick(0, 1, 2, 3, 7, 16, 33, 33, 100, 100, 100, 300, 300, 1000)
        self.data = []
        for k in range(self.random.randint(2, 4)):
            dtype = self.pick(*DTYPES)
            self.arrays[f"a{k}"] = (dtype, 1, n)
            self.data.append(f"values({self.random.randint(0, 10**6)}, ({n},), '{dtype}')")
        if self.random.random() < 0.6:
            dtype, m = self.pick(*DTYPES), self.pick(1, 2, 5, 8)
            self.arrays["m"] = (dtype, 2, n)
            self.data.append(
                f"values({self.random.randint(0, 10**6)}, ({n}, {m}), '{dtype}')" + self.pick("", "", "[:, ::-1]")
            )
        self.n = n

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    def name(self, kind):
        self.counter += 1
        return f"{kind}{self.counter}"

    def add(self, place, line):
        self.lines.append("    " * place.indent + line)

    # ---- expressions ----------------------------------------------------------------------------------

    def subscript(self, place, array):
        """A subscript that is in bounds, or None if the array has no elements."""
        ndim = self.arrays[array][1]
        if array in place.own:
            return self.own_subscript(place, array)
        first = self.first(place, array)
        if ndim == 1:
            return f"{array}[{first}]"
        second = self.pick(
            f"{self.integer(place, 0)} % {array}.shape[1]", "0", "-1", f"{self.integer(place, 0)} % {array}.shape[1]"
        )
        return self.pick(f"{array}[{first}, {second}]", f"{array}[{first}, {second}]", f"{array}[{first}][{second}]")

    def own_subscript(self, place, array):
        i = place.parallel
        if self.arrays[array][1] == 1:
            return f"{array}[{i}]"
        return f"{array}[{i}, {self.integer(place, 0)} % {array}.shape[1]]"

    def first(self, place, array):
        spans = [loop for loop in place.loops if loop.length is not None and loop.length <= self.arrays[array][2]]
        if spans and self.chance(0.6):
            loop = self.pick(*spans)
            offset = self.random.randint(-loop.below, loop.above)
            return loop.name if offset == 0 else f"{loop.name} {'+' if offset > 0 else '-'} {abs(offset)}"
        return self.pick(
            f"({self.integer(place, 1)}) % len({array})",
            f"({self.integer(place, 1)}) % len({array})",
            f"({self.integer(place, 1)}) % len({array}) - len({array})",
            f"{array}.shape[0] - 1",
            "-1",
        )

    def load(self, place, kinds):
        names = [a for a in place.read | place.own if np.dtype(self.arrays[a][0]).kind in kinds and self.arrays[a][2]]
        if not names:
            return None
        array = self.pick(*sorted(names))
        return self.subscript(place, array), np.dtype(self.arrays[array][0])

    def integer(self, place, depth=2):
        if depth <= 0 or self.chance(0.2):
            form = self.random.random()
            loaded = self.load(place, "bui") if form < 0.4 and depth > 0 else None
            if loaded:  # -x and ~x of an unsigned element are unsigned, as Numba has them
                return f"int({loaded[0]})" if loaded[1].kind in "bu" or self.chance(0.3) else loaded[0]
            if form < 0.65 and place.loops:
                return self.pick(*place.loops).name
            if form < 0.9 and place.ints:
                return self.pick(*place.ints)
            return str(self.random.randint(-9, 99))
        one, other = self.integer(place, depth - 1), self.integer(place, depth - 1)
        return self.pick(
            lambda: f"({one} {self.pick('+', '-')} {other})",
            lambda: f"({one} {self.pick('+', '-')} {other})",
            lambda: f"(({one} & 4095) * ({other} & 4095))",
            lambda: f"({one} // ({other} | 1))",
            lambda: f"({one} % ({other} | 1))",
            lambda: f"({one} // {self.random.randint(2, 9)})",
            lambda: f"({one} % {self.pick(3, 8, 16, -5)})",
            lambda: f"({one} {self.pick('&', '|', '^')} {other})",
            lambda: f"({one} >> ({other} & 7))",
            lambda: f"(({one} & 1023) << ({other} & 7))",
            lambda: f"(-{one})",
            lambda: f"(~{one})",
            lambda: f"abs({one})",
            lambda: f"{self.pick('min', 'max')}({one}, {other})",
            lambda: f"({one} if {self.condition(place, 0)} else {other})",
            lambda: f"int({self.condition(place, 0)})",
            lambda: f"helper({one} & 255, {other} & 255)",
        )()

    def bounded(self, place, depth=2):
        """An integer that a variable may have."""
        return f"{self.integer(place, depth)} {self.pick('% 65521', '& 65535', '% 1000 - 500')}".replace("(", "(", 1)

    def floating(self, place, depth=2):
        if depth <= 0 or self.chance(0.25):
            form = self.random.random()
            if form < 0.5 and place.floats:
                return self.pick(*place.floats)
            if form < 0.8 and depth > 0:
                loaded = self.load(place, "f")
                if loaded:
                    return f"float({loaded[0]})" if loaded[1].itemsize == 4 else loaded[0]
            return self.pick(
                "0.5", "-1.25", "3.0", f"{self.random.uniform(-4, 4):.3f}", f"float({self.integer(place, 0)})"
            )
        one, other = self.floating(place, depth - 1), self.floating(place, depth - 1)
        return self.pick(
            lambda: f"({one} {self.pick('+', '-', '*')} {other})",
            lambda: f"({one} {self.pick('+', '-', '*')} {other})",
            lambda: f"({one} + {self.integer(place, depth - 1)})",
            lambda: f"({one} / {self.pick(3, 4.0, 7)})",
            lambda: f"({self.integer(place, depth - 1)} / {self.pick(2, 3, 5)})",
            lambda: f"abs({one})",
            lambda: f"(-{one})",
            lambda: f"{self.pick('min', 'max')}({one}, {other})",
            lambda: f"({one} if {self.condition(place, 0)} else {other})",
            lambda: f"math.sqrt(abs({one}))",
        )()

    def condition(self, place, depth=1):
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        forms = [
            lambda: f"{self.integer(place, depth)} {compare} {self.integer(place, depth)}",
            lambda: f"{self.integer(place, 1)} % {self.random.randint(2, 5)} == {self.random.randint(0, 2)}",
            lambda: f"{self.floating(place, depth)} {compare} {self.floating(place, depth)}",
        ]
        loaded = self.load(place, "b") if depth else None
        if loaded:
            forms += [lambda: loaded[0], lambda: f"not {loaded[0]}"]
        if depth:
            forms += [lambda: f"({self.condition(place, 0)} {self.pick('and', 'or')} {self.condition(place, 0)})"]
        return "(" + self.pick(*forms)() + ")"

    def value_for(self, place, dtype):
        """An expression that an element of the dtype can hold."""
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.condition(place)
        if kind == "f":
            if dtype == "float32":
                return f"({self.integer(place)}) & 1023"
            return self.floating(place)
        most = {"int8": 127, "uint8": 255, "int16": 32767, "uint16": 65535}.get(dtype, 1048575)
        return f"({self.integer(place)}) & {most}"

    # ---- statements -----------------------------------------------------------------------------------

    def block(self, place, most):
        before = len(self.lines)
        for _ in range(self.random.randint(1, most)):
            self.statement(place)
        if len(self.lines) == before:
            self.add(place, "pass")

    def statement(self, place):
        kinds = ["int", "float", "augment", "store", "store", "store"]
        if place.depth < 4:
            kinds += ["branch", "branch", "range", "range", "range", "while_"]
        if place.depth < 2 and place.parallel is None and not place.loops and self.n:
            kinds += ["prange", "prange", "prange"]
        if place.parallel is not None and place.reductions:
            kinds += ["reduction", "reduction"]
        if place.breaks:
            kinds += ["leave"]
        if place.depth == 0:
            kinds += ["local", "view"]
        getattr(self, self.pick(*kinds))(place)

    def int(self, place):
        self.assign(place, place.ints, "n", f"({self.bounded(place)})")

    def float(self, place):
        self.assign(place, place.floats, "x", self.floating(place))

    def assign(self, place, variables, kind, value):
        """To a variable that is there, or a new one."""
        old = [name for name in variables if name in place.assigned]
        if old and self.chance(0.5):
            return self.add(place, f"{self.pick(*old)} = {value}")
        name = self.name(kind)
        self.add(place, f"{name} = {value}")
        variables.append(name)
        place.assigned.add(name)

    def augment(self, place):
        names = [name for name in place.ints if name in place.assigned]
        if not names:
            return self.int(place)
        name = self.pick(*names)
        self.add(place, f"{name} {self.pick('+=', '-=', '^=', '|=')} {self.bounded(place, 1)}")
        self.add(place, f"{name} = {name} % 65521")

    def store(self, place):
        names = sorted(a for a in place.written | place.own if self.arrays[a][2])
        if not names:
            return
        array = self.pick(*names)
        dtype = self.arrays[array][0]
        where = self.subscript(place, array)
        if np.dtype(dtype).kind == "f" and dtype == "float64" and self.chance(0.4):
            return self.add(place, f"{where} {self.pick('+=', '-=', '*=')} {self.floating(place, 1)}")
        if dtype in ("int32", "int64", "uint32") and self.chance(0.4):
            return self.add(place, f"{where} {self.pick('^=', '|=')} {self.integer(place, 1)} & 255")
        self.add(place, f"{where} = {self.value_for(place, dtype)}")

    def local(self, place):
        """An array of the function's own."""
        name, dtype = self.name("b"), self.pick("int64", "int32", "float64", "float32", "uint8")
        length, most = self.pick(("n", self.n), ("n + 3", self.n + 3), *self.lengths())
        form = self.pick(
            f"np.zeros({length}, np.{dtype})", f"np.ones({length}, np.{dtype})", f"np.full({length}, 7, np.{dtype})"
        )
        self.add(place, f"{name} = {form}")
        self.arrays[name] = (dtype, 1, most)
        place.read.add(name), place.written.add(name)
        self.locals.append(name)

    def lengths(self):
        """Text of the length of each array, and what it is."""
        return [(self.pick(f"len({a})", f"{a}.shape[0]"), row[2]) for a, row in sorted(self.arrays.items())]

    def view(self, place):
        """A part of an array, in whose place it is used from here on."""
        array, name = self.pick(*sorted(place.read)), self.name("v")
        dtype, ndim, length = self.arrays[array]
        part = self.pick(
            slice(None, None, -1), slice(1, None), slice(None, None, 2), slice(None, -1), slice(1, None, 3)
        )
        text = ":".join("" if k is None else str(k) for k in (part.start, part.stop, part.step))
        length = len(range(length)[part])
        if ndim == 2 and self.chance(0.3):
            text, ndim = f"{text}, {self.pick(0, -1)}", 1
        self.add(place, f"{name} = {array}[{text}]")
        del self.arrays[array]
        self.arrays[name] = (dtype, ndim, length)
        place.read.discard(array), place.written.discard(array)
        place.read.add(name), place.written.add(name)

    def branch(self, place):
        self.add(place, f"if {self.condition(place)}:")
        self.block(place.inner(), 2)
        if self.chance(0.3):
            self.add(place, f"elif {self.condition(place)}:")
            self.block(place.inner(), 2)
        if self.chance(0.5):
            self.add(place, "else:")
            self.block(place.inner(), 2)

    def range(self, place):
        name = self.name("i")
        if place.depth < 2 and self.chance(0.5):
            below, above = self.random.choice([0, 0, 1, 2]), self.random.choice([0, 0, 1, 2])
            text, length = self.pick(("n", self.n), *self.lengths())
            low, high = below, f"{text} - {above}" if above else text
            bounds = (
                self.pick(f"{low}, {high}", f"{low}, {high}", f"{low}, {high}, {self.random.randint(2, 3)}")
                if below
                else high
            )
            if self.chance(0.15):
                bounds, below, above = f"{text} - 1, -1, -1", 0, 0
            loop = Loop(name, below, above, length)
        else:
            bounds = self.pick(
                "5",
                "1, 6",
                "6, 0, -2",
                f"{self.integer(place, 0)} & 7",
                "-3, 3",
                "0, 9, 4",
                "3, 3",
                f"{self.integer(place, 0)} % 5, 6",
            )
            loop = Loop(name)
        self.add(place, f"for {name} in range({bounds}):")
        inner = place.inner(breaks=True)
        inner.loops.append(loop)
        self.block(inner, 3)
        if self.chance(0.15):
            self.add(place, "else:")
            self.block(place.inner(), 1)

    def while_(self, place):
        name = self.name("w")
        self.add(place, f"{name} = {self.random.randint(0, 3)}")
        self.add(
            place, f"while {name} < {self.random.randint(3, 9)}{self.pick('', '', f' and {self.condition(place, 0)}')}:"
        )
        inner = place.inner(breaks=True)
        inner.ints.append(name)
        self.add(inner, f"{name} += {self.random.randint(1, 2)}")
        self.block(inner, 2)

    def leave(self, place):
        self.add(place, f"if {self.condition(place, 0)}:")
        self.add(place.inner(), self.pick("break", "continue"))

    def prange(self, place):
        name = self.name("p")
        text, length = self.pick(("n", self.n), *self.lengths())
        arrays = set(self.arrays)
        own = {a for a in sorted(arrays) if self.arrays[a][2] >= length and self.chance(0.4)}
        below, above = self.random.choice([0, 0, 0, 1]), self.random.choice([0, 0, 0, 1])
        low, high = below, f"{text} - {above}" if above else text
        self.reduction_start(place)
        self.add(place, f"for {name} in prange({f'{low}, {high}' if below else high}):")
        inner = place.inner(parallel=name, own=own, written=set(), read=arrays - own, assigned=set(), breaks=False)
        inner.reductions = self.started
        inner.ints = [v for v in inner.ints if v not in self.started]
        inner.loops.append(Loop(name, below, above, length))
        if self.chance(0.2):
            self.add(inner, f"if {self.condition(inner, 0)}:")
            self.add(inner.inner(), "continue")
        self.block(inner, 5)
        for variable, _ in self.started.items():
            self.add(place, f"{variable} = {variable} % 65521")
            place.ints.append(variable)
            place.assigned.add(variable)

    def reduction_start(self, place):
        self.started = {}
        for _ in range(self.random.choice([0, 1, 1, 2])):
            name, how = self.name("r"), self.pick("+=", "+=", "-=", "max", "min")
            self.add(place, f"{name} = {self.random.randint(-5, 50)}")
            self.started[name] = how

    def reduction(self, place):
        name = self.pick(*sorted(place.reductions))
        how = place.reductions[name]
        value = f"({self.integer(place)}) % {self.pick(97, 1000)}"
        if how in ("max", "min"):
            self.add(place, f"{name} = {how}({name}, {value})")
        else:
            self.add(place, f"{name} {how} {value}")

    def text(self):
        place, parameters = Place(self), list(self.arrays)
        place.reductions = {}
        place.ints, place.floats = ["n", "k"], ["x"]
        place.assigned = {"k", "x"}
        for _ in range(self.random.randint(3, 7)):
            self.statement(place)
        results = ", ".join([*place.ints[1:], *place.floats, *self.locals])
        head = f"def f({', '.join(parameters)}, n, k, x):"
        arguments = [*self.data, str(self.n), str(self.random.randint(-50, 50)), f"{self.random.uniform(-5, 5):.3f}"]
        helper = "def helper(a, b):\n    if a > b:\n        return a - b\n    return (a * b) % 1009\n"
        rest = "    return " + results
        arguments = "\n    ".join(f"{a}," for a in arguments)
        return "\n".join([helper, head, *self.lines, rest, f"arguments = (\n    {arguments}\n)"]) + "\n"


def text(seed):
    return Writer(seed).text()


# ---- running a program ----------------------------------------------------------------------------------


class Numpy:
    """What programs make arrays with, in the interpreter."""

    zeros, ones, full = (lambda *a, f=f: Plain(f(*a)) for f in (np.zeros, np.ones, np.full))
    uint8, int32, int64, float32, float64 = np.uint8, np.int32, np.int64, np.float32, np.float64


def values(seed, shape, dtype):
    """Numbers whose sums stay far below 64 bits."""
    made = words.values(seed, shape, dtype)
    return made % 1048573 if made.dtype.itemsize > 2 and made.dtype.kind in "iu" else made


class Plain:
    """An array whose elements are Python's numbers."""

    def __init__(self, array):
        self.array = array
        self.shape, self.size, self.ndim = array.shape, array.size, array.ndim

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        found = self.array[index]
        return Plain(found) if isinstance(found, np.ndarray) else found.item()

    def __setitem__(self, index, value):
        self.array[index] = value


def function_of(text, name):
    import math

    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"math": math, "np": np, "prange": ks.prange, "values": values}
    exec(compile(text, name, "exec"), space)
    return space


def run(text, target, reference=None):
    """`reference` is what Python runs, the text itself unless a test says otherwise."""
    name = f"<loops {hash(text)}>"
    interpreted, space = function_of(reference or text, name), function_of(text, name)
    function, arguments = space["f"], space["arguments"]
    interpreted["np"] = Numpy
    plain = [Plain(a.copy()) if isinstance(a, np.ndarray) else a for a in arguments]
    with np.errstate(all="ignore"):
        want = interpreted["f"](*plain)
    arrays = [a.array for a in plain if isinstance(a, Plain)]
    if target == "check":
        findings = ks.check(ks.jit(function), *[a.copy() if isinstance(a, np.ndarray) else a for a in arguments])
        if findings:
            raise Wrong("; ".join(map(str, findings)))
        return
    compiled = ks.njit(function, parallel=target != "serial")
    given = [ks.array(a) if target == "cuda" else a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    got = compiled(*given)
    for k, (one, other) in enumerate(zip(got, want, strict=True)):
        if isinstance(other, Plain):
            same(array_of(one), other.array, f"result {k}")
            continue
        if isinstance(one, float) != isinstance(other, float):
            raise Wrong(f"result {k}: {one!r}, want {other!r}")
        same(
            np.float64(one) if isinstance(one, float) else one,
            np.float64(other) if isinstance(other, float) else other,
            f"result {k}",
        )
    ours = [
        np.asarray(a.numpy() if isinstance(a, ks.Array) else a) for a in given if isinstance(a, (np.ndarray, ks.Array))
    ]
    for k, (one, other) in enumerate(zip(ours, arrays, strict=True)):
        same(one, other, f"array {k}")
