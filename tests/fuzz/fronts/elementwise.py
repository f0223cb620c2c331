"""Random kernels of elements, reductions and scans, in CuPy's spelling and in PyCUDA's, against NumPy.

An expression is written twice: as C++ and as calls of the functions below, which do on NumPy's arrays what C++ says of
its numbers (promotion, common types, division towards zero). So that both have one answer, integers with a sign stay in
their range, floats are whole numbers or binary fractions that are exact (fused or not), divisors are odd.
"""

import random

import numpy as np

import kasoku as ks
from fuzz.fronts.words import Wrong, same

TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}
INTEGERS = [name for name in TYPES if "int" in name]
EXACT = {"float32": 24, "float64": 53}


# ---- C++ on arrays: what the reference is written with ----------------------------------------------------


def common(one, other):
    """The type in which C++ computes with two numbers."""
    one, other = (np.dtype("int32") if t.kind == "b" or t.kind in "iu" and t.itemsize < 4 else t for t in (one, other))
    for kind in "f":
        floats = [t for t in (one, other) if t.kind == kind]
        if floats:
            return max(floats, key=lambda t: t.itemsize)
    if one.itemsize != other.itemsize:
        return max(one, other, key=lambda t: t.itemsize)
    return one if one.kind == "u" else other


def cast(x, name):
    return np.asarray(x).astype(name)


def both(a, b):
    a, b = np.asarray(a), np.asarray(b)
    t = common(a.dtype, b.dtype)
    return a.astype(t), b.astype(t)


def whole(x):
    return np.asarray(x).astype(common(np.asarray(x).dtype, np.dtype("int32")))


def add(a, b):
    return np.add(*both(a, b))


def sub(a, b):
    return np.subtract(*both(a, b))


def mul(a, b):
    return np.multiply(*both(a, b))


def div(a, b):
    a, b = both(a, b)
    quotient = abs(a) // abs(b)
    return np.where((a < 0) != (b < 0), -quotient.astype(a.dtype), quotient).astype(a.dtype)


def rem(a, b):
    a, b = both(a, b)
    return (a - div(a, b) * b).astype(a.dtype)


def band(a, b):
    return np.bitwise_and(*both(a, b))


def bor(a, b):
    return np.bitwise_or(*both(a, b))


def xor(a, b):
    return np.bitwise_xor(*both(a, b))


def shl(a, n):
    a = whole(a)
    return np.left_shift(a, np.asarray(n).astype(a.dtype))


def shr(a, n):
    a = whole(a)
    return np.right_shift(a, np.asarray(n).astype(a.dtype))


def less(a, b):
    return np.less(*both(a, b))


def same_as(a, b):
    return np.equal(*both(a, b))


def most(a, b):
    return np.maximum(*both(a, b))


def least(a, b):
    return np.minimum(*both(a, b))


def select(c, a, b):
    a, b = both(a, b)
    return np.where(np.asarray(c).astype(bool), a, b)


def neg(a):
    a = whole(a) if np.asarray(a).dtype.kind != "f" else np.asarray(a)
    return np.negative(a)


def inv(a):
    return np.invert(whole(a))


def popc(a):
    return np.bitwise_count(cast(a, "uint32")).astype("int32")


def floor(a):
    return np.floor(a)


def truth(a):
    return np.asarray(a).astype(bool)


# ---- writing --------------------------------------------------------------------------------------------


class Value:
    """An expression: C++, NumPy, dtype, and what its numbers are: |x| <= bound, multiples of 2 ** -fraction."""

    def __init__(self, c, np_, dtype, bound, fraction=0):
        self.c, self.np, self.dtype, self.bound, self.fraction = c, np_, dtype, bound, fraction

    @property
    def kind(self):
        return np.dtype(self.dtype).kind


def limit(dtype):
    return int(np.iinfo(dtype).max)


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.types = self.random.sample(list(TYPES), self.random.randint(2, 5))

    def pick(self, *choices):
        return self.random.choice(choices)

    # ---- expressions ----------------------------------------------------------------------------------

    def constant(self):
        if self.random.random() < 0.3:
            f = self.pick("0.5", "2.0", "-3.0", "1.5")
            return Value(f"({f}f)", f"np.float32({f})", "float32", 3, 1)
        if self.random.random() < 0.1:
            return Value("2.5", "np.float64(2.5)", "float64", 3, 1)
        number = self.random.choice([0, 1, 2, 3, 7, 10, 100, 255, 1000])
        dtype = self.pick("int32", "int32", "uint32", "int64")
        return Value(f"({TYPES[dtype]}){number}", f"np.{dtype}({number})", dtype, number)

    def cast(self, x, dtype):
        """x as another type, where C++ says what that is."""
        if x.dtype == dtype:
            return x
        kind, to = x.kind, np.dtype(dtype).kind
        bound, fraction = x.bound, x.fraction
        if to == "b":
            return Value(f"({x.c} != 0)", f"truth({x.np})", "bool", 1)
        if to == "f":
            if max(bound, 1).bit_length() + fraction > EXACT[dtype]:
                x = self.cast(x, "int8") if kind != "f" else None
                if x is None:
                    return (
                        Value("0", "np.int32(0)", "int32", 0)
                        if dtype != "float32"
                        else Value("0.0f", "np.float32(0)", "float32", 0)
                    )
                bound = x.bound
        elif kind == "f":
            if bound >= limit(dtype) or to == "u":
                inner = self.cast(x, "int64") if bound < 2**62 else Value("0", "np.int32(0)", "int32", 0)
                return self.cast(inner, dtype) if dtype != "int64" else inner
            fraction = 0
        else:
            bound = min(bound, limit(dtype) + (to == "i"))
            fraction = 0
            if kind == "i" and to == "u":
                bound = limit(dtype)
            if x.bound > limit(dtype):
                bound = limit(dtype) + (to == "i")
        return Value(f"(({TYPES[dtype]})({x.c}))", f"cast({x.np}, '{dtype}')", dtype, bound, fraction)

    def common(self, a, b):
        return common(np.dtype(a.dtype), np.dtype(b.dtype)).name

    def arithmetic(self, a, b):
        c, name = self.pick(("+", "add"), ("-", "sub"), ("*", "mul"))
        t = self.common(a, b)
        bound = a.bound * b.bound if c == "*" else a.bound + b.bound
        fraction = a.fraction + b.fraction if c == "*" else max(a.fraction, b.fraction)
        if np.dtype(t).kind == "f":
            # Every operand has to be exact in the type, and so has the result.
            for x in (a, b):
                if x.bound.bit_length() + x.fraction > EXACT[t]:
                    return a
            if bound.bit_length() + fraction > EXACT[t]:
                return a
        elif np.dtype(t).kind == "i" and bound > limit(t):
            unsigned = "u" + t
            a, b, t = self.cast(a, unsigned), self.cast(b, unsigned), unsigned
        if np.dtype(t).kind == "u":
            bound = limit(t)
        return Value(f"({a.c} {c} {b.c})", f"{name}({a.np}, {b.np})", t, bound, fraction)

    def integer(self, x):
        """x as an integer of at least 32 bits."""
        if x.kind == "f":
            return self.cast(x, "int32") if x.bound < 2**31 else self.cast(x, "int64")
        return x

    def expression(self, depth):
        if depth == 0 or self.random.random() < 0.15:
            return self.pick(*self.leaves) if self.random.random() < 0.8 else self.constant()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        form = self.random.randint(0, 12)
        if form <= 3:
            return self.arithmetic(a, b)
        if form == 4:
            a, b = self.integer(a), self.integer(b)
            c, name = self.pick(("&", "band"), ("|", "bor"), ("^", "xor"))
            t = self.common(a, b)
            bound = limit(t) + 1 if np.dtype(t).kind == "i" else limit(t)
            return Value(f"({a.c} {c} {b.c})", f"{name}({a.np}, {b.np})", t, bound)
        if form == 5:
            a, b = self.integer(a), self.integer(b)
            t = self.common(a, b)
            if np.dtype(t).kind == "i" and a.bound > limit(t):
                a = self.cast(a, "u" + t)
                t = self.common(a, b)
            c, name = self.pick(("/", "div"), ("%", "rem"))
            return Value(
                f"({a.c} {c} ({b.c} | 1))",
                f"{name}({a.np}, bor({b.np}, np.int32(1)))",
                t,
                limit(t) if np.dtype(t).kind == "u" else a.bound,
            )
        if form == 6:
            a, b = self.integer(a), self.integer(b)
            if self.random.random() < 0.5:
                a = self.cast(a, self.pick("uint32", "uint64"))
                return Value(
                    f"({a.c} << ({b.c} & 15))", f"shl({a.np}, band({b.np}, np.int32(15)))", a.dtype, limit(a.dtype)
                )
            t = self.common(a, Value("", "", "int32", 0))
            return Value(f"({a.c} >> ({b.c} & 15))", f"shr({a.np}, band({b.np}, np.int32(15)))", t, a.bound)
        if form == 7:
            c, name = self.pick(
                ("<", "less({}, {})"),
                (">", "less({1}, {0})"),
                ("==", "same_as({}, {})"),
                ("!=", "~same_as({}, {})"),
                (">=", "~less({}, {})"),
            )
            return Value(f"({a.c} {c} {b.c})", name.format(a.np, b.np), "bool", 1)
        if form == 8:
            c, name = self.pick(("&&", "&"), ("||", "|"))
            return Value(f"({a.c} {c} {b.c})", f"(truth({a.np}) {name} truth({b.np}))", "bool", 1)
        if form == 9:
            t = self.pick(*self.types, self.common(a, b))
            a, b = self.cast(a, t), self.cast(b, t)
            if a.dtype != b.dtype or t == "bool" or t in ("int8", "uint8", "int16", "uint16"):
                return a
            c, name = self.pick(("max", "most"), ("min", "least"))
            return Value(
                f"{c}({a.c}, {b.c})", f"{name}({a.np}, {b.np})", t, max(a.bound, b.bound), max(a.fraction, b.fraction)
            )
        if form == 10:
            condition = self.expression(depth - 1)
            t = self.common(a, b)
            if a.dtype == b.dtype:
                t = a.dtype
            if np.dtype(t).kind == "f" and max(a.bound, b.bound).bit_length() + max(a.fraction, b.fraction) > EXACT[t]:
                return a
            bound = limit(t) if np.dtype(t).kind == "u" else max(a.bound, b.bound)
            np_ = f"select({condition.np}, {a.np}, {b.np})"
            np_ = f"cast({np_}, '{t}')"  # equal types stay as they are, narrow ones too
            return Value(f"({condition.c} ? {a.c} : {b.c})", np_, t, bound, max(a.fraction, b.fraction))
        if form == 11:
            return self.cast(a, self.pick(*self.types))
        return self.unary(a)

    def unary(self, a):
        if a.kind == "f":
            t = a.dtype
            f = "f" if t == "float32" else ""
            return self.pick(
                lambda: Value(f"(-{a.c})", f"neg({a.np})", t, a.bound, a.fraction),
                lambda: Value(f"fabs{f}({a.c})", f"abs({a.np})", t, a.bound, a.fraction),
                lambda: Value(f"floor{f}({a.c})", f"floor({a.np})", t, a.bound + 1, 0),
            )()
        if self.random.random() < 0.3:
            return Value(f"__popc((unsigned)({a.c}))", f"popc({a.np})", "int32", 32)
        if self.random.random() < 0.3:
            return Value(f"(!{a.c})", f"~truth({a.np})", "bool", 1)
        t = self.common(a, Value("", "", "int32", 0))
        if self.random.random() < 0.5:
            return Value(f"(~{a.c})", f"inv({a.np})", t, limit(t) if np.dtype(t).kind == "u" else a.bound + 1)
        if np.dtype(t).kind == "i" and a.bound > limit(t):
            a, t = self.cast(a, "u" + t), "u" + t
        return Value(f"(-{a.c})", f"neg({a.np})", t, limit(t) if np.dtype(t).kind == "u" else a.bound)

    def fresh(self, x):
        """x in a variable, so that later expressions may read it."""
        name = f"t{len(self.leaves)}"
        self.body.append(f"{TYPES[x.dtype]} {name} = {x.c};")
        self.lines.append(f"{name} = {x.np}")
        self.leaves.append(Value(name, name, x.dtype, x.bound, x.fraction))

    def loop(self):
        """A variable that a small loop changes; it is unsigned, so that it may have any value."""
        dtype, k, count = self.pick("uint32", "uint64", "uint8"), f"k{len(self.leaves)}", self.random.randint(1, 5)
        self.fresh(self.cast(self.expression(1), dtype))
        variable = self.leaves[-1]
        if variable.dtype != dtype:
            return
        variable.bound, before = limit(dtype), list(self.leaves)
        self.leaves.append(Value(k, f"np.int32({k})", "int32", 5))
        value, condition = self.cast(self.expression(2), dtype), self.expression(1)
        if self.random.random() < 0.5:
            self.body.append(f"for (int {k} = 0; {k} < {count}; ++{k}) {variable.c} = {value.c};")
            self.lines.append(f"for {k} in range({count}):\n    {variable.np} = cast({value.np}, '{dtype}')")
        else:
            self.body.append(f"for (int {k} = 0; {k} < {count}; ++{k}) if ({condition.c}) {variable.c} = {value.c};")
            chosen = f"select({condition.np}, cast({value.np}, '{dtype}'), {variable.np})"
            self.lines.append(f"for {k} in range({count}):\n    {variable.np} = cast({chosen}, '{dtype}')")
        self.leaves = before

    def leaf(self, name, dtype, c=None):
        """What a parameter's elements are, as numbers() makes them."""
        kind = np.dtype(dtype).kind
        bound = {"b": 1, "f": 16}.get(kind) or limit(dtype) + (kind == "i")
        return Value(c or name, name, dtype, bound)

    def shape(self, most=4000):
        n = self.pick(1, 2, 3, 5, 8, 17, 33, 64, 100, 257, 1000, most)
        return self.pick((n,), (n,), (max(1, n // 7), 7), (3, max(1, n // 9), 3), (n, 1), (1, n))

    # ---- programs -------------------------------------------------------------------------------------

    def text(self):
        kind = self.random.choices(["cupy", "pycuda", "reduce", "reduce_pycuda", "scan"], [40, 20, 20, 10, 10])[0]
        getattr(self, kind)()
        return "\n".join(self.lines) + "\n"

    def operation(self, outputs, depth=3):
        """Statements that give the outputs, as C++; the reference is in self.lines under their names."""
        self.body = []
        for _ in range(self.random.randint(0, 3)):
            self.fresh(self.expression(depth))
        if self.random.random() < 0.3:
            self.loop()
        for name, dtype, c in outputs:
            value = self.cast(self.expression(depth), dtype)
            if self.random.random() < 0.25:
                condition, other = self.expression(1), self.cast(self.expression(1), dtype)
                self.body.append(f"if ({condition.c}) {c} = {value.c}; else {c} = {other.c};")
                self.lines.append(f"{name} = select({condition.np}, {value.np}, {other.np}).astype('{dtype}')")
            else:
                self.body.append(f"{c} = {value.c};")
                self.lines.append(f"{name} = cast({value.np}, '{dtype}')")
        return " ".join(self.body)

    def argument(self, name, dtype, shape):
        """An array of this shape, or of one that stretches to it, in some layout."""
        self.lines.append(f"{name} = numbers({self.random.randint(0, 10**6)}, {shape}, '{dtype}')")
        layout = self.random.random()
        if layout < 0.6:
            return f"ks.array({name})"
        if layout < 0.8:
            return f"ks.array({name}.T.copy()).T"
        return f"ks.array(np.repeat({name}, 2, axis=0))[::2]"

    def stretched(self, shape):
        out = list(shape)
        for k in range(len(out)):
            if self.random.random() < 0.2:
                out[k] = 1
        return tuple(out[self.random.randint(0, len(out) - 1) :]) if self.random.random() < 0.2 else tuple(out)

    def cupy(self):
        shape, letters = self.shape(), {}
        declared, arguments, self.leaves = [], [], []
        for k in range(self.random.randint(1, 4)):
            name, dtype = f"x{k}", self.pick(*self.types)
            form = self.random.random()
            if form < 0.15 and k:
                length = self.random.randint(1, 40)
                arguments.append(self.argument(name, dtype, (length,)))
                declared.append(f"raw {dtype} {name}")
                step = self.random.randint(1, 9)
                self.lines.append(
                    f"{name}_i = {name}[(np.arange({int(np.prod(shape))}).reshape({shape}) * {step}) % {length}]"
                )
                self.leaves.append(self.leaf(f"{name}_i", dtype, f"{name}[(i * {step}) % {length}]"))
                continue
            if form < 0.45:
                letter = self.pick("T", "U", "V")
                dtype = letters.setdefault(letter, dtype)
                declared.append(f"{letter} {name}")
            else:
                declared.append(f"{dtype} {name}")
            arguments.append(self.argument(name, dtype, shape if not k else self.stretched(shape)))
            self.leaves.append(self.leaf(name, dtype))
        self.lines.append(f"i = np.arange({int(np.prod(shape))}, dtype='int64').reshape({shape})")
        self.leaves.append(Value("(int)i", "cast(i, 'int32')", "int32", 4096))
        outputs, made = [], []
        for k in range(self.pick(1, 1, 2, 3)):
            letter = self.pick(*letters) if letters and self.random.random() < 0.4 else None
            dtype = letters[letter] if letter else self.pick(*self.types)
            outputs.append((f"y{k}", dtype, f"y{k}"))
            made.append(f"{letter or dtype} y{k}")
        operation = self.operation(outputs)
        given = ""
        if self.random.random() < 0.3:
            given = "".join(f", ks.zeros({shape}, dtype='{dtype}')" for _, dtype, _ in outputs)
        self.lines.append(
            f"kernel = ks.ElementwiseKernel({', '.join(declared)!r}, {', '.join(made)!r}, {operation!r}, 'fuzzed')"
        )
        self.lines.append(
            f"results(kernel({', '.join(arguments)}{given}), [{', '.join(name for name, *_ in outputs)}], {shape})"
        )
        self.lines.append(f"checked(kernel, {', '.join(arguments)})")

    def pycuda(self):
        n = self.pick(1, 2, 7, 33, 64, 100, 513, 1000, 4097)
        declared, arguments, self.leaves = [], [], []
        for k in range(self.random.randint(1, 3)):
            name, dtype = f"x{k}", self.pick(*self.types)
            if k and self.random.random() < 0.3:
                number = self.random.randint(0, 1 if dtype == "bool" else 16)
                self.lines.append(f"{name} = np.{dtype if dtype != 'bool' else 'bool_'}({number})")
                declared.append(f"{TYPES[dtype]} {name}")
                self.leaves.append(self.leaf(name, dtype))
                arguments.append(name)
                continue
            self.lines.append(f"{name} = numbers({self.random.randint(0, 10**6)}, ({n},), '{dtype}')")
            declared.append(
                f"const {TYPES[dtype]} *{name}" if self.random.random() < 0.5 else f"{TYPES[dtype]} *{name}"
            )
            self.leaves.append(self.leaf(name, dtype, f"{name}[i]"))
            arguments.append(f"ks.array({name})")
        self.lines.append(f"i = np.arange({n})")
        self.leaves.append(Value("(int)i", "cast(i, 'int32')", "int32", 4096))
        dtype = self.pick(*self.types)
        part = self.pick("", "", f", range=slice({n // 3}, {n})", f", slice=slice({n // 4}, None, 2)")
        operation = self.operation([("y", dtype, "y[i]")])
        if part:
            which = part.partition("slice(")[2].rstrip(")")
            self.lines.append(f"chosen = slice({which})")
            self.lines.append(f"y = np.where(np.isin(np.arange({n}), np.arange({n})[chosen]), y, 0).astype('{dtype}')")
        declared.append(f"{TYPES[dtype]} *y")
        self.lines.append(f"kernel = ks.ElementwiseKernel({', '.join(declared)!r}, {operation!r}, 'fuzzed')")
        self.lines.append(f"out = ks.zeros({n}, dtype='{dtype}')")
        self.lines.append(f"kernel({', '.join(arguments)}, out{part})")
        self.lines.append(f"results(out, [y], ({n},))")
        self.lines.append(f"checked(kernel, {', '.join(arguments)}, out)")

    def folding(self, dtype):
        """An associative operation on a type: C++, how NumPy reduces with it, its identity."""
        top, low = (limit(dtype), int(np.iinfo(dtype).min)) if dtype in INTEGERS else (2**60, -(2**60))
        forms = [("max(a, b)", "np.maximum", low), ("min(a, b)", "np.minimum", top)]
        if np.dtype(dtype).kind in "uf":
            forms += [("a + b", "np.add", 0)] * 2
        if np.dtype(dtype).kind in "iu":
            forms += [("a ^ b", "np.bitwise_xor", 0), ("a & b", "np.bitwise_and", -1), ("a | b", "np.bitwise_or", 0)]
        if np.dtype(dtype).kind == "u":
            forms += [("a * b", "np.multiply", 1)]
        c, np_, identity = self.pick(*forms)
        return c, np_, identity if identity != -1 or np.dtype(dtype).kind == "i" else top

    def folded(self):
        """An expression in a type that reductions are exact in."""
        dtype = self.pick("int32", "uint32", "int64", "uint64", "float32", "float64")
        x = self.cast(self.expression(2), dtype)
        if x.dtype != dtype or (x.kind == "f" and x.bound.bit_length() + x.fraction > EXACT[dtype] - 13):
            x = self.cast(Value("1", "np.int32(1)", "int32", 1), dtype)
        return dtype, x

    def reduce(self):
        shape = self.shape()
        declared, arguments, self.leaves, self.body = [], [], [], []
        for k in range(self.random.randint(1, 2)):
            dtype = self.pick(*self.types)
            declared.append(f"{dtype} x{k}")
            arguments.append(self.argument(f"x{k}", dtype, shape if not k else self.stretched(shape)))
            self.leaves.append(self.leaf(f"x{k}", dtype))
        dtype, x = self.folded()
        c, np_, identity = self.folding(dtype)
        axis = self.pick("None", *[str(k) for k in range(-len(shape), len(shape))], "(0, 1)" if len(shape) > 1 else "0")
        keep = self.pick("", "", ", keepdims=True")
        out = self.pick(dtype, "float64", "int64")
        post, wrapped = self.pick(("y = a", "r"), ("y = -a", "-r"), ("y = a + 1", "r + 1"), ("y = a", "r"))
        if np.dtype(dtype).kind == "u" or out != dtype:
            post, wrapped = "y = a", "r"
        if out == "float64" and dtype in ("int64", "uint64"):
            out = dtype
        if out == "int64" and (dtype in ("float32", "float64") or dtype == "uint64"):
            out = dtype
        text = TYPES[dtype]
        self.lines.append(f"mapped = np.broadcast_to(cast({x.np}, '{dtype}'), {shape})")
        self.lines.append(
            f"r = {np_}.reduce(mapped, axis={axis}{keep}, initial=np.{dtype}({identity}), dtype='{dtype}')"
        )
        identity = f"({text}){identity}{'u' if np.dtype(dtype).kind == 'u' else ''}{'ll' if dtype.endswith('64') and dtype in INTEGERS else ''}"
        if dtype == "int32" and "-2147483648" in identity or dtype == "int64" and "-9223372036854775808" in identity:
            identity = f"(-{limit(dtype)}{'ll' if dtype == 'int64' else ''} - 1)"
        self.lines.append(
            f"kernel = ks.ReductionKernel({', '.join(declared)!r}, '{out} y', {x.c!r}, {c!r}, {post!r}, {identity!r}, 'fuzzed', reduce_type='{dtype}')"
        )
        self.lines.append(f"y = np.asarray({wrapped}).astype('{out}')")
        self.lines.append(f"results(kernel({', '.join(arguments)}, axis={axis}{keep}), [y], y.shape)")
        self.lines.append(f"checked(kernel, {', '.join(arguments)})")

    def reduce_pycuda(self):
        n = self.pick(1, 2, 7, 33, 100, 513, 1000, 4097)
        declared, arguments, self.leaves, self.body = [], [], [], []
        for k in range(self.random.randint(1, 2)):
            dtype = self.pick(*self.types)
            self.lines.append(f"x{k} = numbers({self.random.randint(0, 10**6)}, ({n},), '{dtype}')")
            declared.append(f"const {TYPES[dtype]} *x{k}")
            self.leaves.append(self.leaf(f"x{k}", dtype, f"x{k}[i]"))
            arguments.append(f"ks.array(x{k})")
        dtype, x = self.folded()
        c, np_, identity = self.folding(dtype)
        while identity not in (0, 1):
            c, np_, identity = (
                self.folding(dtype) if dtype not in ("int32", "int64") else ("a ^ b", "np.bitwise_xor", 0)
            )
        part = self.pick("", "", f", range=slice({n // 3}, {n})", f", slice=slice({n // 4}, None, 2)")
        self.lines.append(f"mapped = np.broadcast_to(cast({x.np}, '{dtype}'), ({n},))")
        if part:
            self.lines.append(f"mapped = mapped[slice({part.partition('slice(')[2].rstrip(')')})]")
        self.lines.append(f"y = {np_}.reduce(mapped, initial=np.{dtype}({identity}), dtype='{dtype}')")
        self.lines.append(
            f"kernel = ks.ReductionKernel(np.{dtype}, '{identity}', {c!r}, {x.c!r}, {', '.join(declared)!r}, 'fuzzed')"
        )
        self.lines.append(f"results(kernel({', '.join(arguments)}{part}), [y], ())")
        self.lines.append(f"checked(kernel, {', '.join(arguments)})")

    def scan(self):
        n = self.pick(1, 2, 7, 33, 100, 255, 256, 257, 1000, 2049, 9000)
        dtype = self.pick("int32", "uint32", "int64", "uint64", "float32", "float64")
        c, np_, neutral = self.folding(dtype)
        last = "(b == 0 ? a : b)"
        if self.random.random() < 0.3:
            c, np_, neutral = last, None, 0
        exclusive = self.random.random() < 0.5
        self.lines.append(f"x = numbers({self.random.randint(0, 10**6)}, ({n},), '{dtype}')")
        if np_:
            self.lines.append(f"running = {np_}.accumulate(x, dtype='{dtype}')")
        else:
            self.lines.append("running = x[np.maximum.accumulate(np.where(x != 0, np.arange(x.size), 0))]")
        if exclusive:
            self.lines.append(f"running = np.concatenate([np.array([{neutral}], '{dtype}'), running[:-1]])")
        if dtype == "int64" and neutral < -(2**62) or dtype == "int32" and neutral == -(2**31):
            text = f"(-{limit(dtype)}{'ll' if dtype == 'int64' else ''} - 1)"
        else:
            text = (
                f"{neutral}{'u' if np.dtype(dtype).kind == 'u' else ''}{'ll' if dtype in ('int64', 'uint64') else ''}"
            )
        self.lines.append(
            f"kernel = ks.{'Exclusive' if exclusive else 'Inclusive'}ScanKernel(np.{dtype}, {c!r}, {text!r})"
        )
        how = self.pick("in place", "new", "other")
        if how == "in place":
            self.lines.append("out = ks.array(x)\nkernel(out)")
        elif how == "new":
            self.lines.append("out = kernel(ks.array(x), 'new')")
        else:
            self.lines.append("out = ks.zeros_like(ks.array(x))\nkernel(ks.array(x), out)")
        self.lines.append(f"results(out, [running], ({n},))")
        self.lines.append("checked(kernel, ks.array(x))")


def text(seed):
    return Writer(seed).text()


# ---- running a program ----------------------------------------------------------------------------------


def numbers(seed, shape, dtype):
    """Whole numbers: all that an integer type has, small ones as floats."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f":
        return rng.integers(-16, 17, shape).astype(dtype)
    ends = np.iinfo(dtype)
    low, high = (max(-16, ends.min), 16) if rng.random() < 0.6 else (ends.min, ends.max)
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def run(text, target):
    def results(got, want, shape):
        got = got if isinstance(got, (tuple, list)) else [got]
        for k, (one, other) in enumerate(zip(got, want, strict=True)):
            same(one.numpy(), np.broadcast_to(other, shape), f"output {k}")

    def checked(kernel, *arguments):
        if target == "check":
            findings = ks.check(kernel, *arguments)
            if findings:
                raise Wrong("; ".join(map(str, findings)))

    with np.errstate(all="ignore"), ks.default_device("cuda" if target == "cuda" else "cpu"):
        exec(text, {**globals(), "results": results, "checked": checked, "numbers": numbers})
