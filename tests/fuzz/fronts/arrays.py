"""Random programs of arrays: the same text runs on kasoku and on NumPy.

While a program is written it runs on NumPy, so that shapes meet, and what NumPy refuses is left out. Its numbers are
those that both must give bit by bit: what is only close (transcendental functions, sums of fractions) is looked at
(`close`) and not computed with. Where kasoku has rules of its own (docs/differences.md), NumPy's arrays are `Reference`,
which follow them, or refuse what has no rule. `evaluate` comes before the host reads or writes memory that an array shows: arrays
are computed when somebody asks for them, and a host that writes to memory itself has to ask first.
"""

import random

import numpy as np

import kasoku as ks
from fuzz.fronts.words import array_of, same, values

FLOATS = ["float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *SIGNED, *UNSIGNED, *FLOATS, *COMPLEX]
ALL, REAL, WHOLE, INTEGER, FLOAT, LOGICAL = "buifc", "buif", "bui", "ui", "f", "b"

# Text of an operation, and the kinds of its operands.
UNARY = [
    ("-{}", "uifc"),
    ("+{}", "uifc"),
    ("~{}", WHOLE),
    ("abs({})", "buif"),
    ("xp.square({})", "uifc"),
    ("xp.sign({})", "uif"),
    ("xp.floor({})", FLOAT),
    ("xp.ceil({})", FLOAT),
    ("xp.trunc({})", FLOAT),
    ("xp.rint({})", FLOAT),
    ("xp.isnan({})", "if"),
    ("xp.isfinite({})", "if"),
    ("xp.signbit({})", FLOAT),
    ("xp.sqrt(abs({}))", FLOAT),
    ("xp.conj({})", "fc"),
    ("xp.logical_not({})", REAL),
    ("xp.bitwise_count({})", INTEGER),
    ("{}.clip(-7, 9)", "if"),
    ("{}.clip(2, 9)", "uif"),
    ("{}.round()", FLOAT),
]
BINARY = [
    ("({} + {})", ALL),
    ("({} - {})", "uifc"),
    ("({} * {})", ALL),
    ("({} / {})", REAL),
    ("({} // {})", INTEGER + FLOAT),
    ("({} % {})", INTEGER + FLOAT),
    ("({} & {})", WHOLE),
    ("({} | {})", WHOLE),
    ("({} ^ {})", WHOLE),
    ("({} < {})", REAL),
    ("({} <= {})", REAL),
    ("({} > {})", REAL),
    ("({} >= {})", REAL),
    ("({} == {})", ALL),
    ("({} != {})", ALL),
    ("xp.maximum({}, {})", REAL),
    ("xp.minimum({}, {})", REAL),
    ("xp.fmax({}, {})", REAL),
    ("xp.fmin({}, {})", REAL),
    ("xp.logical_and({}, {})", REAL),
    ("xp.logical_or({}, {})", REAL),
    ("xp.logical_xor({}, {})", REAL),
    ("xp.fmod({}, {})", FLOAT),
    ("xp.copysign({}, {})", FLOAT),
    ("xp.gcd({}, {})", INTEGER),
    ("({} << ({} & 7))", INTEGER),
    ("({} >> ({} & 7))", INTEGER),
    ("xp.where({} > 1, {}, 2)", "uif"),
]
CLOSE = [
    ("xp.exp({}.clip(-20, 20))", "f"),
    ("xp.log(abs({}) + 1)", "if"),
    ("xp.sin({}.clip(-99, 99))", "f"),
    ("xp.tanh({})", "f"),
    ("xp.cbrt({})", "f"),
    ("xp.arctan2({}, 3)", "f"),
    ("xp.hypot({}, 3)", "f"),
    ("xp.log1p(abs({}))", "f"),
    ("xp.float_power(abs({}.clip(-9, 9)) + 1, 1.5)", "if"),
    ("{}.mean()", "ui"),
    ("{}.clip(-99, 99).mean(axis=-1)", "f"),
    ("{}.clip(-99, 99).std()", "if"),
    ("{}.clip(-99, 99).var(axis=0)", "f"),
]
REDUCTIONS = ["sum", "max", "min", "any", "all", "argmax", "argmin", "prod", "count_nonzero"]
AUGMENTED = ["+=", "-=", "*=", "&=", "|=", "^=", "//=", "%=", "/=", ">>="]


class Reference(np.ndarray):
    """NumPy's array by kasoku's rules: results lie in C order, and the quotient of an infinity is the array API standard's."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        inputs = [np.asarray(x) if isinstance(x, Reference) else x for x in inputs]
        if ufunc in (np.signbit, np.copysign) and np.isnan(inputs[-1]).any():
            raise TypeError("the sign of NaN is nobody's")
        if method == "__call__":
            options["order"] = "C"
        results = [np.asarray(x) for x in out]
        result = getattr(ufunc, method)(*inputs, **options, **({"out": tuple(results)} if out else {}))
        if ufunc is np.floor_divide and result.dtype.kind == "f":
            # Operands that were overwritten are not known any more, so such a program is not written.
            if out and not all(np.isfinite(x).all() for x in (*inputs, result)):
                raise TypeError("a quotient in place of an infinity")
            x, y = np.broadcast_arrays(*(np.asarray(x, dtype=result.dtype) for x in inputs))
            result = np.where(np.isfinite(x) & np.isfinite(y), result, x / y)[()]
        return out[0] if out else of_reference(result)

    def __setitem__(self, index, value):
        value = np.asarray(value)
        if self.dtype.kind in "iu" and value.dtype.kind == "f":
            ends = np.iinfo(self.dtype)
            if not ((value >= ends.min) & (value <= ends.max)).all():
                raise TypeError("a float that the integers do not hold")
        super().__setitem__(index, value)


def of_reference(value):
    """The array as one of those; a new one, which nobody else sees, in C order."""
    if type(value) is not np.ndarray:
        return value
    return (np.ascontiguousarray(value).reshape(value.shape) if value.base is None else value).view(Reference)


class Rules:
    """NumPy's functions, which give such arrays."""

    def __getattr__(self, name):
        function = getattr(np, name)
        return lambda *operands, **options: of_reference(function(*operands, **options))


def is_finite(value):
    return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.space, self.names, self.hosts = [], {}, [], []
        self.dtypes = self.random.sample(DTYPES, self.random.randint(2, 5))
        self.largest = self.random.choice([12, 60, 60, 200, 3000])
        self.seen = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    # ---- statements -----------------------------------------------------------------------------------

    def add(self, line, name=None):
        """Runs the line on NumPy; False if NumPy refuses it or its result is of no use here."""
        try:
            with np.errstate(all="ignore"):
                exec(line, self.space)
        except (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError, np.exceptions.AxisError):
            return False
        if name:
            made = self.space[name]
            if not isinstance(made, np.ndarray) or made.size > self.largest or made.ndim > 4:
                return False
            if made.dtype.name not in DTYPES:
                return False
            self.names.append(name)
        self.lines.append(line)
        return True

    def make(self, expression):
        name = f"v{len(self.lines)}"
        return self.add(f"{name} = {expression}", name)

    def text(self):
        self.space = space_of(Rules(), [], lambda *arrays: None)
        for _ in range(self.random.randint(1, 3)):
            self.source()
        for _ in range(self.random.randint(4, 22)):
            if not self.names:
                self.source()
                continue
            self.statement()
        for name in self.names:
            self.lines.append(f"see({name})")
        self.lines += [line for host in self.hosts for line in (f"evaluate({', '.join(self.names)})", f"see({host})")]
        return "\n".join(self.lines) + "\n"

    def source(self):
        dtype, seed = self.pick(*self.dtypes), self.random.randint(0, 10**6)
        shape = self.shape()
        if self.random.random() < 0.35:
            host = f"h{len(self.lines)}"
            if self.add(f"{host} = values({seed}, {shape}, '{dtype}')"):
                self.hosts.append(host)
                part = self.pick("", "", "", "[::2]", "[..., ::-1]", ".T")
                self.make(f"xp.asarray({host}{part})")
        elif self.random.random() < 0.25:
            self.make(
                self.pick(
                    f"xp.zeros({shape}, dtype='{dtype}')",
                    f"xp.full({shape}, 3, dtype='{dtype}')",
                    f"xp.arange({self.random.randint(1, 40)}, dtype='{dtype}')",
                    f"xp.arange(3, {self.random.randint(4, 60)}, {self.random.randint(1, 4)})",
                    f"xp.eye({self.random.randint(1, 6)}, dtype='{dtype}')",
                    f"xp.ones_like({self.pick(*self.names)})" if self.names else f"xp.ones({shape})",
                )
            )
        else:
            self.make(f"xp.array(values({seed}, {shape}, '{dtype}'))")

    def shape(self):
        size, shape = self.random.randint(1, self.largest), []
        for _ in range(self.random.choice([1, 1, 2, 2, 2, 3])):
            shape.append(self.random.choice([1, 2, 3, 4, 5, 7, 8, size]))
            if np.prod(shape) > self.largest:
                shape.pop()
        if self.random.random() < 0.03:
            shape.append(0)
        return tuple(shape) or (size,)

    def statement(self):
        kind = self.random.choices(
            ["compute", "view", "gather", "augment", "store", "reduce", "see", "host", "source"],
            [30, 18, 8, 16, 12, 8, 5, 6, 5],
        )[0]
        getattr(self, kind)()

    # ---- operands -------------------------------------------------------------------------------------

    def array(self, kinds=ALL, shape=None):
        """The name of an array of one of the kinds that meets the shape, or None."""
        names = [name for name in self.names[-8:] if self.space[name].dtype.kind in kinds]
        if shape is not None:
            names = [name for name in names if self.meets(self.space[name].shape, shape)]
        return self.pick(*names) if names else None

    @staticmethod
    def meets(one, other):
        try:
            return np.broadcast_shapes(one, other) is not None
        except ValueError:
            return False

    def number(self, dtype):
        if dtype.kind == "b":
            return self.pick("True", "False")
        if dtype.kind in "ui":
            return str(self.random.randint(0 if dtype.kind == "u" else -9, 9))
        return self.pick("0.5", "-2.0", "3", "1.25", "-1")

    def index(self, array):
        """The text between brackets that gives a view."""
        parts = []
        for length in array.shape[: self.random.randint(1, max(1, array.ndim))]:
            start, stop = sorted(self.random.randint(-length, length) for _ in range(2))
            parts.append(
                self.pick(
                    ":",
                    f"{start}:",
                    f":{stop}",
                    f"{start}:{stop}",
                    "::-1",
                    f"::{self.random.randint(2, 3)}",
                    f"{start}::{self.pick(2, 3)}",
                    f"{self.random.randint(-length, length - 1)}" if length and array.ndim > 1 else ":",
                )
            )
        if self.random.random() < 0.15:
            parts.insert(self.random.randint(0, len(parts)), self.pick("None", "..."))
        return ", ".join(parts) or "..."

    def expression(self, kinds, shape, depth=2):
        """An expression whose operands have one of the kinds and meet the shape."""
        name = self.array(kinds, shape)
        if name is None:
            return None
        if depth == 0 or self.random.random() < 0.3:
            return name
        if self.random.random() < 0.3:
            text, operands = self.pick(*UNARY)
            inner = self.expression("".join(set(operands) & set(kinds)), shape, depth - 1)
            return inner and text.format(inner)
        text, operands = self.pick(*BINARY)
        operands = "".join(set(operands) & set(kinds))
        one, other = self.expression(operands, shape, depth - 1), self.expression(operands, shape, depth - 1)
        if one is None or other is None:
            return None
        if self.random.random() < 0.3:
            number = self.number(self.space[self.array(kinds, shape)].dtype)
            one, other = (one, number) if self.random.random() < 0.7 else (number, other)
        return text.format(one, other)

    # ---- kinds of statements --------------------------------------------------------------------------

    def compute(self):
        name = self.array()
        expression = self.expression(self.pick(ALL, REAL, REAL, INTEGER, FLOAT), self.space[name].shape)
        if expression:
            self.make(expression)

    def view(self):
        name = self.array()
        array = self.space[name]
        axes = list(range(array.ndim))
        self.random.shuffle(axes)
        forms = [f"{name}[{self.index(array)}]"] * 4
        forms += [f"{name}.T", f"{name}.reshape(-1)", f"{name}.ravel()", f"{name}.transpose({axes})"]
        forms += [f"xp.broadcast_to({name}, (2, *{name}.shape))", f"xp.expand_dims({name}, 0)", f"xp.flip({name}, 0)"]
        forms += [f"{name}.squeeze()", f"{name}.reshape({array.shape[::-1]})"]
        if array.ndim > 1:
            forms += [
                f"xp.swapaxes({name}, 0, -1)",
                f"xp.moveaxis({name}, 0, -1)",
                f"{name}.reshape({array.shape[0]}, -1)",
            ]
        if array.dtype.kind == "c":
            forms += [f"{name}.real"]
        self.make(self.pick(*forms))

    def gather(self):
        name = self.array()
        array = self.space[name]
        if array.ndim == 0 or 0 in array.shape:
            return
        some = [self.random.randint(-array.shape[0], array.shape[0] - 1) for _ in range(self.random.randint(1, 6))]
        other = self.array(shape=array.shape) or name
        self.make(
            self.pick(
                f"{name}[xp.array({some})]",
                f"xp.take({name}, xp.array({[k % array.shape[-1] for k in some]}), axis=-1)",
                f"{name}[{name} != 0]",
                f"{name}.copy()",
                f"{name}.flatten()",
                f"xp.roll({name}, {self.random.randint(-5, 5)}, axis=0)",
                f"xp.concatenate([{name}, {name}[:2]])",
                f"xp.stack([{name}, {other}])",
                f"xp.where({name} != 0, {name}, {other})",
                f"whole({name}).astype('{self.pick(*self.dtypes)}')",
            )
        )

    def target(self):
        """An array that may be written to, and text of all of it or a part."""
        names = [name for name in self.names[-8:] if self.space[name].flags.writeable and self.space[name].ndim]
        if not names:
            return None, None
        name = self.pick(*names)
        part = f"{name}[{self.index(self.space[name])}]"
        return name, self.pick(name, part, part)

    def augment(self):
        name, part = self.target()
        if not name:
            return
        dtype = self.space[name].dtype
        try:
            shape = np.shape(eval(part, self.space))
        except IndexError:
            return
        value = self.number(dtype) if self.random.random() < 0.3 else self.expression(dtype.kind + "b", shape, 1)
        # NumPy's elements are numbers: `x[1, 2] /= 3` computes with one and stores it.
        if value and shape != ():
            self.add(f"{part} {self.pick(*AUGMENTED)} {value}")

    def store(self):
        name, part = self.target()
        if not name:
            return
        array = self.space[name]
        value = (
            self.number(array.dtype)
            if self.random.random() < 0.4
            else self.expression(array.dtype.kind, array.shape, 1)
        )
        if not value:
            return
        form = self.random.random()
        if form < 0.25:
            mask = self.expression(REAL, array.shape, 0)
            if mask and self.space[mask].shape == array.shape:
                self.add(f"{name}[{mask} > 1] = {self.number(array.dtype)}")
        elif form < 0.35 and array.shape[0] > 1:
            some = self.random.sample(range(-array.shape[0] // 2, array.shape[0] // 2), min(3, array.shape[0]))
            self.add(f"{name}[xp.array({some})] = {value}")
        elif form < 0.4:
            self.add(f"{name}.fill({self.number(array.dtype)})")
        elif part != name:
            self.add(f"{part} = {value}")

    def reduce(self):
        name = self.array(REAL)
        if not name or not self.space[name].size:
            return
        array = self.space[name]
        how = self.pick(*REDUCTIONS)
        axis = self.pick("", *[f"axis={k}" for k in range(-array.ndim, array.ndim)], "axis=None")
        if array.ndim > 1 and how not in ("argmax", "argmin"):
            axis = self.pick(axis, "axis=(0, 1)", "axis=0, keepdims=True")
        of = f"small({name})" if array.dtype.kind == "f" and how in ("sum", "prod") else name
        if how == "prod" and array.dtype.kind == "f":
            of = f"xp.sign({of})"
        expression = f"xp.{how}({of}{', ' if axis else ''}{axis})"
        if not self.random.random() < 0.5 or not self.make(expression):
            self.add(f"see({expression})")

    def see(self):
        text, kinds = self.pick(*CLOSE)
        name = self.array(kinds)
        if name and self.space[name].size and self.space[name].ndim and is_finite(self.space[name]):
            self.add(f"close({text.format(name)})")

    def host(self):
        if not self.hosts:
            return
        host = self.pick(*self.hosts)
        self.lines.append(f"evaluate({', '.join(self.names)})")
        if self.random.random() < 0.5:
            self.add(f"see({host})")
        else:
            self.add(
                f"{host}[{self.index(self.space[host])}] {self.pick('=', '+=')} {self.number(self.space[host].dtype)}"
            )


def text(seed):
    return Writer(seed).text()


# ---- running a program ----------------------------------------------------------------------------------


def space_of(xp, log, evaluate):
    """What a program of arrays finds: `xp`, and the words that look at its arrays."""

    def see(value, close=None):
        log.append((array_of(value), close))

    def small(x):
        return xp.rint(x.clip(-100, 100))

    def whole(x):
        kind = x.dtype.kind
        x = x.real if kind == "c" else x
        return xp.where(xp.isnan(x), 0, x).clip(0, 100) if kind in "fc" else x

    def close(value):
        see(value, 1e-5 if value.dtype == np.float32 else 1e-11)

    return {
        "xp": xp,
        "values": values,
        "see": see,
        "close": close,
        "small": small,
        "whole": whole,
        "evaluate": evaluate,
    }


def log_of(text, xp, evaluate):
    log = []
    body = "".join(f"    {line}\n" for line in text.splitlines())
    space = space_of(xp, log, evaluate)
    with np.errstate(all="ignore"):
        exec(f"def program():\n{body}", space)
        space["program"]()
    return log


def run(text, target, reference=None):
    """`reference` is what NumPy runs, the text itself unless a test says otherwise."""
    want = log_of(reference or text, Rules(), lambda *arrays: None)
    with ks.eager(target == "eager"), ks.default_device("cuda" if target == "cuda" else "cpu"):
        got = log_of(text, ks, ks.eval)
    for k, ((one, _), (other, close)) in enumerate(zip(got, want, strict=True)):
        same(one, other, f"number {k} that is seen", close)
