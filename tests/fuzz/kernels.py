"""Random kernels: the same seed gives the same text, launch and arguments.

Kernels are free of races and of undefined behaviour because of how they are written:

- Arithmetic is unsigned where it may wrap, divisors are made nonzero, subscripts are taken modulo the length, loops
  have limits, and floats are integers small enough to be exact.
- A *place* in the text knows who comes there together: all threads of a block, of a warp, the lanes of a mask, or one
  thread alone. Barriers stand only where the block is together, warp operations where the lanes of their mask are.
  A variable has such a level too: it is assigned only where, and from what, is as uniform.
- An array in shared memory is at each place either its threads' own (thread t touches element t), everybody's to read,
  or everybody's for one commutative atomic operation; a barrier stands between.

Each kernel uses a random part of the grammar, so that small kernels hit each part hard.
"""

import dataclasses
import random

import numpy as np

BLOCK, WARP, GROUP, THREAD = range(4)

BLOCKS = [
    (32,),
    (64,),
    (128,),
    (256,),
    (96,),
    (48,),
    (33,),
    (100,),
    (7,),
    (1,),
    (8, 4, 3),
    (16, 16),
    (32, 8),
    (16, 8),
    (32, 2),
]
BLOCKS += [(64, 2), (5, 3), (31,), (40, 2), (4, 4, 4), (2, 32), (128,), (64,), (64,)]
GRIDS = [(1,), (2,), (3,), (5,), (6,), (2, 2), (3, 2), (1, 3), (4,)]

UNSIGNED = {"int": "unsigned", "long long": "unsigned long long"}
WIDE = ("unsigned long long", "long long")
SMALL = ("signed char", "unsigned char", "short", "unsigned short")
FLOATS = {"float": (1 << 24, "f"), "double": (1 << 53, "")}
CONSTANTS = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    100,
    255,
    256,
    1000,
    65535,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
]


@dataclasses.dataclass
class Kernel:
    """Text whose entry is `k`, and how to launch it; `parameters` says how each argument is made."""

    seed: int
    text: str
    grid: tuple
    block: tuple
    shared: int
    parameters: list

    def arguments(self):
        """Arrays and scalars, new ones each time."""
        return [argument(*parameter) for parameter in self.parameters]


def argument(kind, dtype, value, fill=0):
    """("scalar", dtype, value), ("zeros", dtype, length) or ("data", dtype, length, seed)."""
    if kind == "scalar":
        return np.dtype(dtype).type(value)
    if kind == "zeros":
        return np.full(value, fill, dtype)
    data = np.random.RandomState(fill).randint(0, 1 << 32, value, dtype="u8").astype("u4")
    data[::3] %= 16
    data[1::5] >>= 9
    data[::7] = 0
    return data.astype(dtype)


@dataclasses.dataclass(frozen=True)
class Variable:
    text: str
    type: str
    level: int
    writable: bool = True


@dataclasses.dataclass(frozen=True)
class Array:
    """Elements that everyone at a place may read."""

    text: str
    type: str
    length: str  # an expression, a multiple of nothing
    level: int = BLOCK  # of an element whose subscript is uniform


@dataclasses.dataclass(frozen=True)
class Place:
    level: int
    variables: tuple
    arrays: tuple
    mask: str = None  # of lanes that come here together, if threads of a warp do
    trips: int = 48
    depth: int = 0
    exits: int = None  # how uniform leaving the innermost loop is
    in_switch: bool = False
    functions: tuple = ()
    can_return: bool = True
    is_function: bool = False
    atomics: tuple = ()  # (array, length, operation, type) that anyone may do

    def but(self, **changes):
        return dataclasses.replace(self, **changes)


class Generator:
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.lines = []
        self.indent = 0
        self.names = 0
        self.functions = []
        self.missing = False  # whether lanes may be missing from a warp
        self.locals, self.shared = [], []

    # ---- chance ------------------------------------------------------------------------------

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, *options):
        return self.random.choice(options)

    def below(self, n):
        return self.random.randrange(n)

    def weighted(self, options):
        return self.random.choices([o for o, _ in options], [w for _, w in options])[0]

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def has(self, feature):
        return feature in self.features

    # ---- text --------------------------------------------------------------------------------

    def line(self, text):
        self.lines.append("  " * self.indent + text)

    def block(self, head, body, tail="}"):
        self.line(head + " {")
        self.indent += 1
        body()
        self.indent -= 1
        self.line(tail)

    # ---- expressions -------------------------------------------------------------------------

    def constant(self):
        return self.random.choice(CONSTANTS) if self.chance(80) else self.below(1 << 32)

    def variables(self, place, types, level, writable=False):
        return [v for v in place.variables if v.type in types and v.level <= level and (v.writable or not writable)]

    def leaf(self, place, level):
        """An unsigned number."""
        if self.chance(60):
            options = self.variables(place, ("unsigned",), level)
            if options:
                return self.random.choice(options).text
        kind = self.below(10)
        if kind < 3:
            return f"{self.constant()}u"
        if kind == 3:
            return self.pick("blockIdx.x", "a", "n", "gridDim.x", "a")
        if kind == 4 and level >= WARP and not place.is_function:
            return "(t / 32u)" if self.chance(70) else "(t >> 5)"
        if kind == 5 and level == THREAD and not place.is_function:
            return self.pick("t", "gid", "lane", "threadIdx.x", "t", "threadIdx.y" if len(self.shape) > 1 else "lane")
        if kind == 6 and self.has("load"):
            return self.load(place, level, "unsigned", 1)
        if kind == 7:
            options = self.variables(place, ("int", "long long", "unsigned long long", *SMALL), level)
            if options:
                v = self.random.choice(options)
                if v.type in WIDE:
                    return f"(unsigned)({v.text} >> {self.pick(0, 1, 7, 32, 33)})"
                return f"(unsigned){v.text}"
        if kind == 8:
            options = self.variables(place, FLOATS, level)
            if options:
                return f"(unsigned)(int){self.random.choice(options).text}"
        options = self.variables(place, ("unsigned",), level)
        return self.random.choice(options).text if options else f"{self.constant()}u"

    def load(self, place, level, type, depth):
        options = [a for a in place.arrays if a.type == type and a.level <= level]
        if not options:
            return f"{self.constant()}u" if type in ("unsigned", "unsigned long long") else f"({type}){self.below(100)}"
        array = self.random.choice(options)
        index = self.unsigned(place, self.random.choice(range(level + 1)) if self.chance(50) else level, depth)
        if array.length in ("8", "16") and self.chance(60):
            return f"{array.text}[{index} & {int(array.length) - 1}u]"
        if array.length == "n" and self.chance(30) and level == THREAD and not place.is_function:
            return f"{array.text}[gid]"
        return f"{array.text}[({index}) % {array.length}{'' if array.length == 'n' else 'u'}]"

    def unsigned(self, place, level, depth=2):
        if depth <= 0 or self.chance(20):
            return self.leaf(place, level)
        one = lambda: self.unsigned(place, level, depth - 1)
        kind = self.below(21)
        if kind < 7:
            return f"({one()} {self.pick('+', '-', '*', '^', '&', '|', '+')} {one()})"
        if kind == 7:
            return f"({one()} {self.pick('<<', '>>')} {self.pick(1, 3, 5, 16, 31)})"
        if kind == 8:
            return f"({one()} {self.pick('<<', '>>')} ({one()} & 31u))"
        if kind in (9, 10):
            by = self.pick(3, 5, 7, 10, 32, 33, 1000)
            return f"({one()} {self.pick('/', '%')} {by}u)"
        if kind == 11 and self.has("divide"):
            divisor = self.pick(f"({one()} | 1u)", f"(({one()} & 15u) + 1u)", "n", "blockDim.x")
            return f"({one()} {self.pick('/', '%')} {divisor})"
        if kind == 12 and self.has("divide"):
            divisor = self.pick("3", "7", "10", f"(int)(({one()} & 15u) + 2u)")
            return f"(unsigned)({self.signed(place, level, depth - 1)} {self.pick('/', '%')} {divisor})"
        if kind == 13 and self.has("ternary"):
            return f"({self.condition(place, level, depth - 1)} ? {one()} : {one()})"
        if kind == 14 and self.has("bits"):
            return self.intrinsic(place, level, depth)
        if kind == 15:
            return f"{self.pick('min', 'max')}({one()}, {one()})"
        if kind == 16:
            return f"{self.pick('~', '-', '(unsigned)!')}{one()}"
        if kind == 17:
            return f"(unsigned)({self.condition(place, level, depth - 1)})"
        if kind == 18 and self.has("load"):
            return self.load(place, level, "unsigned", depth - 1)
        if kind == 19 and self.has("wide"):
            return f"(unsigned)({self.wide(place, level, depth - 1)} >> {self.pick(0, 5, 32, 40)})"
        if kind == 20 and place.functions and level == THREAD:
            return self.call(place, level, depth - 1)
        return self.leaf(place, level)

    def signed(self, place, level, depth=2):
        options = self.variables(place, ("int", "signed char", "short", "unsigned char", "unsigned short"), level)
        if depth <= 0 and options and self.chance(70):
            return self.random.choice(options).text
        one = lambda: self.signed(place, level, depth - 1)
        kind = self.below(9) if depth > 0 else 0
        if kind == 1:
            return f"({one()} {self.pick('&', '|', '^')} {one()})"
        if kind == 2:
            return f"({one()} >> {self.pick(1, 4, 31)})"
        if kind == 3:
            return f"({one()} / {self.pick(2, 3, 7, 16, 100)})"
        if kind == 4:
            return f"({one()} % {self.pick(2, 3, 7, 16, 100)})"
        if kind == 5:
            return f"(({one()} >> 2) {self.pick('+', '-')} ({one()} >> 2))"
        if kind == 6:
            return f"({one()} % 1000 * ({one()} % 1000))"
        if kind == 7:
            return f"{self.pick('min', 'max')}({self.as_int(one())}, {self.as_int(one())})"
        if kind == 8 and self.has("ternary"):
            return f"({self.condition(place, level, depth - 1)} ? {one()} : {one()})"
        return f"(int)({self.unsigned(place, level, depth)})"

    @staticmethod
    def as_int(text):
        return f"(int)({text})"

    def wide(self, place, level, depth=2):
        """An unsigned long long."""
        options = self.variables(place, ("unsigned long long",), level)
        if (depth <= 0 or self.chance(25)) and options:
            return self.random.choice(options).text
        if depth <= 0:
            return (
                f"({self.leaf(place, level)} * 0x{self.random.choice([0x100000001, 0x9E3779B97F4A7C15, 0x10001]):x}ull)"
            )
        one = lambda: self.wide(place, level, depth - 1)
        kind = self.below(9)
        if kind < 3:
            return f"({one()} {self.pick('+', '-', '*', '^', '&', '|')} {one()})"
        if kind == 3:
            return f"({one()} {self.pick('<<', '>>')} {self.pick(1, 7, 31, 32, 33, 63)})"
        if kind == 4 and self.has("divide"):
            return f"({one()} {self.pick('/', '%')} {self.pick('3ull', '10ull', '1000ull', f'({one()} | 1ull)', 'n')})"
        if kind == 5:
            return f"{self.pick('min', 'max')}({one()}, {one()})"
        if kind == 6 and self.has("bits"):
            return self.pick(
                f"(unsigned long long)__popcll({one()})", f"(unsigned long long)__clzll((long long){one()})",
                f"(unsigned long long)__ffsll((long long){one()})", f"__brevll({one()})", f"__umul64hi({one()}, {one()})",
            )  # fmt: skip
        signed = self.variables(place, ("long long",), level)
        if kind == 7 and signed:
            return f"(unsigned long long)({self.random.choice(signed).text} {self.pick('/ 3', '% 7', '>> 5', '>> 33', '/ 1000')})"
        return f"(unsigned long long){self.unsigned(place, level, depth - 1)}"

    def intrinsic(self, place, level, depth):
        one = lambda: self.unsigned(place, level, depth - 1)
        return self.weighted([
            (f"(unsigned)__popc({one()})", 2), (f"(unsigned)__clz((int){one()})", 2), (f"(unsigned)__ffs((int){one()})", 2),
            (f"__brev({one()})", 1), (f"__byte_perm({one()}, {one()}, {one()})", 1),
            (f"{self.pick('__funnelshift_l', '__funnelshift_r', '__funnelshift_lc', '__funnelshift_rc')}({one()}, {one()}, {one()})", 2),
            (f"__umulhi({one()}, {one()})", 2), (f"(unsigned)__mulhi((int){one()}, (int){one()})", 1),
            (f"__usad({one()}, {one()}, {one()})", 1), (f"__sad((int){one()}, (int){one()}, {one()})", 1),
            (f"(unsigned)abs((int)({one()} & 65535u) - (int)({one()} & 65535u))", 1), (f"__uhadd({one()}, {one()})", 1),
            (f"__umul24({one()}, {one()})", 1),
        ])  # fmt: skip

    def floating(self, place, level, type, depth=2):
        """Text, and what its magnitude and its share of a unit are at most: both exact."""
        limit, suffix = FLOATS[type]
        cast = "float" if type == "float" else "double"
        if depth <= 0 or self.chance(20):
            options = self.variables(place, (type,), level)
            if options and self.chance(60):
                return self.random.choice(options).text, 1023, 1
            if self.chance(30):
                return f"{self.pick(0, 1, 2, 3, 7, 100)}.0{suffix}", 100, 1
            if self.chance(20):
                return f"{self.pick('0.5', '0.25', '1.5')}{suffix}", 2, 4
            return f"({cast})(int)({self.unsigned(place, level, 1)} & 1023u)", 1023, 1
        x, m, d = self.floating(place, level, type, depth - 1)
        y, k, e = self.floating(place, level, type, depth - 1)
        kind = self.below(9)
        if kind < 2 and (m + k) * max(d, e) < limit:
            return f"({x} {self.pick('+', '-')} {y})", m + k, max(d, e)
        if kind == 2 and m * k * d * e < limit:
            return f"({x} * {y})", m * k, d * e
        f = suffix
        if kind == 3:
            return f"f{self.pick('min', 'max')}{f}({x} + 0.0{f}, {y} + 0.0{f})", max(m, k), max(d, e)
        if kind == 4:
            return f"fabs{f}({x})", m, d
        if kind == 5 and m * m * d * d < limit:
            return f"sqrt{f}({x} * {x})", m, d
        if kind == 6:
            return f"{self.pick('floor', 'ceil')}{f}({x})", m + 1, 1
        if kind == 7 and self.has("ternary"):
            return f"({self.condition(place, level, depth - 1)} ? {x} : {y})", max(m, k), max(d, e)
        if kind == 8 and (m + k * k) * max(d, e) * e < limit:
            return f"fma{f}({y}, {y}, {x})", m + k * k, max(d, e) * e
        return x, m, d

    def condition(self, place, level, depth=1):
        kind = self.below(14)
        one = lambda: self.unsigned(place, level, depth)
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        if kind < 3:
            modulus = self.pick(2, 3, 4, 5)
            return f"{one()} % {modulus}u {self.pick('==', '<', '!=')} {self.below(modulus)}u"
        if kind < 5:
            return f"{one()} {compare} {one()}"
        if kind == 5:
            return f"({one()} & {self.pick(1, 2, 4, 16)}u)" + self.pick("", " != 0u", " == 0u")
        if kind == 6:
            return f"{self.signed(place, level, depth)} {compare} {self.signed(place, level, depth)}"
        if kind in (7, 8) and self.has("logical") and depth > 0:
            x, y = (self.condition(place, level, depth - 1) for _ in range(2))
            return f"({x}) {self.pick('&&', '||')} ({y})"
        if kind == 9 and depth > 0:
            return f"!({self.condition(place, level, depth - 1)})"
        if kind == 10 and self.has("float"):
            type = self.pick("float", "double")
            return f"{self.floating(place, level, type, 1)[0]} {compare} {self.floating(place, level, type, 1)[0]}"
        if kind == 11 and self.has("wide"):
            return f"{self.wide(place, level, depth)} {compare} {self.wide(place, level, depth)}"
        if kind == 12 and level == THREAD and not place.is_function:
            return self.pick(
                f"t {self.pick('<', '>=')} {self.below(self.threads + 1)}u", f"lane {self.pick('<', '>=', '==')} {self.below(33)}u",
                f"t % {self.pick(2, 3, 5)}u == 0u", "t == 0u", f"gid {self.pick('<', '>=')} {self.below(self.total + 1)}u",
            )  # fmt: skip
        if kind == 12 and level >= WARP and not place.is_function:
            return f"(t / 32u) {self.pick('==', '!=', '<')} {self.below(4)}u"
        return one()

    def value(self, place, type, level, depth=2):
        """An expression of that type."""
        if type == "unsigned":
            return self.unsigned(place, level, depth)
        if type == "int":
            return self.signed(place, level, depth)
        if type == "unsigned long long":
            return self.wide(place, level, depth)
        if type == "long long":
            return f"(long long)({self.wide(place, level, depth)})"
        if type in FLOATS:
            text, magnitude, parts = self.floating(place, level, type, depth)
            if magnitude <= 1023 and parts == 1:
                return text
            whole = "int" if magnitude < 1 << 31 else "long long"
            return f"({type})(({whole})({text}) % 1000)"
        if type == "bool":
            return self.condition(place, level, depth - 1)
        return f"({type})({self.unsigned(place, level, depth)})"

    def call(self, place, level, depth):
        """A call of a function that no thread waits in."""
        name, types = self.random.choice(place.functions)
        return f"{name}({', '.join(self.value(place, type, level, min(depth, 1)) for type in types)})"

    # ---- statements ----------------------------------------------------------------------------

    def statements(self, place, n):
        for _ in range(n):
            self.statement(place)

    def body(self, place, most=3):
        place = place.but(depth=place.depth + 1)
        self.statements(place, 1 + self.below(most))

    def statement(self, place):
        if self.budget <= 0:
            return self.assign(place)
        self.budget -= 1
        deep = place.depth >= 4
        together = place.mask is not None
        block = place.level == BLOCK and not place.is_function
        f = self.has
        options = [
            (self.assign, 14),
            (self.branch, 0 if deep else 8 * f("branch")),
            (self.for_loop, 0 if deep or place.trips < 2 else 6 * f("for")),
            (self.while_loop, 0 if deep or place.trips < 2 else 4 * f("while")),
            (self.do_loop, 0 if deep or place.trips < 2 else 4 * f("do")),
            (self.switch, 0 if deep else 4 * f("switch")),
            (self.leave_loop, 5 * f("break") * (place.exits is not None)),
            (self.leave, 2 * f("return") * place.can_return * (place.depth < 3)),
            (self.local_array, 3 * f("array")),
            (self.scope, 0 if deep else 1),
            (self.lambda_call, 2 * f("lambda") * (place.depth < 3)),
            (self.by_reference, 1 * f("reference")),
            (self.atomic, 4 * bool(place.atomics)),
            (self.ballot_branch, (0 if deep else 5) * f("mask") * together),
            (self.tile_branch, (0 if deep else 3) * f("tile") * together),
            (self.warp_operation, 12 * f("warp") * together),
            (self.warp_scan, 2 * f("warp") * together),
            (self.match_loop, (0 if deep or place.trips < 8 else 2) * f("match") * together),
            (self.live_loop, (0 if deep or place.trips < 4 else 2) * f("mask") * together),
            (self.group_operation, 4 * f("cg") * together * (place.level <= WARP and not self.missing)),
            (self.warp_shared, 3 * f("warp_shared") * together * (place.level <= WARP)),
            (self.barrier, 5 * f("barrier") * block),
            (self.vote, 4 * f("vote") * block),
            (self.vote_loop, 2 * f("vote") * block * (place.trips >= 3 and not deep)),
            (self.share, 6 * f("shared") * block),
            (self.tree, 3 * f("shared") * block),
            (self.scan, 2 * f("shared") * block),
            (self.publish, 2 * f("shared") * block),
            (self.histogram, 3 * f("shared_atomic") * block),
            (self.compact, 2 * f("shared_atomic") * block * (not self.missing) * (place.depth < 3)),
            (self.one_warp, (0 if deep else 3) * f("one_warp") * block),
            (self.through_global, 2 * f("global") * block),
        ]
        self.weighted([(o, w) for o, w in options if w])(place)

    def assign(self, place, level=None):
        options = [v for v in place.variables if v.writable and v.level >= place.level]
        if not options:
            return
        # what is more uniform is rarer to be assignable and more telling
        v = self.random.choice(options)
        value = self.value(place, v.type, v.level, self.pick(1, 2, 2, 3))
        if v.type in ("unsigned", "unsigned long long") and self.chance(50):
            self.line(f"{v.text} {self.pick('+', '-', '^', '*', '|', '&', '+')}= {value};")
        elif v.type == "unsigned" and self.chance(10):
            self.line(f"{self.pick('++', '--')}{v.text};")
        elif v.type in SMALL and self.chance(40):
            self.line(f"{v.text} += {value};")
        else:
            self.line(f"{v.text} = {value};")

    def inside(self, place, level):
        """The place behind a condition of that level."""
        if level <= place.level:
            return place
        return place.but(
            level=level, mask=place.mask if level <= WARP else None, can_return=place.can_return and self.full_masks
        )

    def some_level(self, place):
        """Of a condition: as uniform as the place or less."""
        if place.level == THREAD or self.chance(55):
            return THREAD
        if place.level == BLOCK and self.has("by_warp") and self.chance(40):
            return WARP
        return place.level

    def branch(self, place):
        level = self.some_level(place)
        inner = self.inside(place, level)
        condition = lambda: self.condition(place, level, self.pick(0, 1, 1, 2))
        form = self.below(10)
        self.block(f"if ({condition()})", lambda: self.body(inner), "}" if form < 5 else "} else {")
        if form < 5:
            return
        self.lines.pop()
        if form == 9:
            self.block(f"}} else if ({condition()})", lambda: self.body(inner), "")
            self.lines.pop()
        self.block("} else", lambda: self.body(inner))

    def bound(self, place, level, limit):
        """The times that a loop is run, an int below or equal to `limit`; more than it only once."""
        e = self.unsigned(place, level, self.pick(0, 1, 2))
        return self.weighted(
            [(f"(int)({e} % {limit + 1}u)", 4), (f"(int)({e} % {limit}u) + 1", 2), (str(1 + self.below(limit)), 2)]
        )

    def loop_place(self, place, level, limit, extra=()):
        exits = None
        inner = self.inside(place, level)
        if self.has("break") and self.chance(60):
            exits = self.some_level(inner) if self.chance(60) else inner.level
            exits = max(exits, level)
            inner = self.inside(inner, exits)
        extra = tuple(dataclasses.replace(v, level=max(v.level, inner.level)) for v in extra)
        return inner.but(exits=exits, in_switch=False, trips=place.trips // limit, variables=inner.variables + extra)

    def for_loop(self, place):
        level = self.some_level(place)
        limit = 2 + self.below(min(7, place.trips - 1))
        i = self.name("i")
        counter = Variable(i, "int", place.level, False)
        inner = self.loop_place(place, level, limit, (counter,))
        if self.has("unroll") and self.chance(50):
            self.line(f"#pragma unroll{self.pick('', ' 2', ' 4', ' 1')}")
        bound = self.bound(place, level, limit)
        form = self.below(5)
        head = f"for (int {i} = 0; {i} < {bound}; ++{i})"
        if form == 3:
            head = f"for (int {i} = {bound}; {i} > 0; --{i})"
        if form == 4:
            step = self.pick(2, 3)
            head = f"for (int {i} = (int)({self.unsigned(place, level, 1)} % {step + 1}u); {i} < {limit * step}; {i} += {step})"
        self.block(head, lambda: self.body(inner))

    def while_loop(self, place):
        level = self.some_level(place)
        limit = 2 + self.below(min(6, place.trips - 1))
        c = self.name("c")
        inner = self.loop_place(place, level, limit, (Variable(c, "int", place.level, False),))
        self.line(f"int {c} = {self.bound(place, level, limit)};")
        test = f"{c}-- > 0"
        if self.chance(50):
            test += f" && {self.condition_text(inner, level)}"
        self.block(f"while ({test})", lambda: self.body(inner))

    def condition_text(self, place, level, depth=1):
        return f"({self.condition(place, level, depth)})"

    def do_loop(self, place):
        level = self.some_level(place)
        limit = 2 + self.below(min(6, place.trips - 1))
        i = self.name("i")
        inner = self.loop_place(place, level, limit, (Variable(i, "int", place.level, False),))
        self.line(f"int {i} = 0;")
        bound = self.bound(place, level, limit)
        extra = f" && {self.condition_text(place, level)}" if self.chance(30) else ""
        self.block("do", lambda: self.body(inner), f"}} while (++{i} < {bound}{extra});")

    def leave_loop(self, place):
        level = place.exits
        if place.level > level:
            if self.chance(50):
                return
            return self.assign(place)
        word = "continue" if place.in_switch or self.chance(40) else "break"
        self.line(f"if ({self.condition(place, level)}) {word};")

    def switch(self, place):
        level = self.some_level(place)
        inner = self.inside(place, level).but(in_switch=True)
        n = 2 + self.below(4)
        subject = self.unsigned(place, level, 2)
        self.line(f"switch ({subject}{'' if self.chance(15) else f' % {n + self.below(2)}u'}) {{")
        labels = list(range(n))
        self.random.shuffle(labels)
        default = self.below(n + 2)
        for at, label in enumerate(labels):
            self.line("default: {" if at == default else f"case {label}: {{")
            self.indent += 1
            self.body(inner, 2)
            self.indent -= 1
            self.line("}" if self.chance(35) else "} break;")
        self.line("}")

    def finish(self, place):
        return (
            "out[gid] = " + " + ".join(v.text for v in self.variables(place, ("unsigned",), THREAD)[:3]) + "; return;"
        )

    def leave(self, place):
        if place.is_function:
            return self.line(f"if ({self.condition(place, THREAD)}) return {self.unsigned(place, THREAD, 1)};")
        level = self.some_level(place)
        if level <= WARP and level <= place.level:
            return self.line(f"if ({self.condition(place, level)}) {{ {self.finish(place)} }}")
        if self.full_masks or not self.warps:
            self.missing = True
            return self.line(f"if ({self.condition(place, THREAD)}) {{ {self.finish(place)} }}")
        if place.mask != "m" or place.level > WARP:
            return self.assign(place)
        self.missing = True
        c = self.name("c")
        self.line(f"const bool {c} = {self.condition(place, THREAD)};")
        self.line(f"m = __ballot_sync(m, !{c});")
        self.line(f"if ({c}) {{ {self.finish(place)} }}")

    def scope(self, place):
        """A variable of its own for some statements."""
        type = self.random.choice(self.types)
        level = place.level if self.chance(50) else THREAD
        name = self.name("x")
        self.line(f"{type} {name} = {self.value(place, type, level)};")
        inner = place.but(variables=place.variables + (Variable(name, type, level),))
        self.statements(inner, 1 + self.below(2))
        self.use(inner, name, type)

    def use(self, place, text, type):
        """Lets a value reach what is compared in the end."""
        options = [v for v in self.variables(place, ("unsigned",), THREAD, True) if v.level == THREAD]
        if options:
            self.line(f"{self.random.choice(options).text} {self.pick('+', '^')}= {self.as_unsigned(text, type)};")

    @staticmethod
    def as_unsigned(text, type):
        if type in FLOATS:
            return f"(unsigned)(int){text}"
        if type in WIDE:
            return f"(unsigned){text} ^ (unsigned)({text} >> 32)"
        return f"(unsigned){text}"

    def local_array(self, place):
        """A subscript that differs from thread to thread."""
        if place.is_function:
            return self.assign(place)
        array = self.random.choice(self.locals)
        index = self.unsigned(place, THREAD, 2)
        self.line(
            f"{array.text}[{index} & {int(array.length) - 1}u] {self.pick('', '+', '^')}= {self.unsigned(place, THREAD, 2)};"
        )

    def lambda_call(self, place):
        f, x = self.name("f"), self.name("x")
        inner = place.but(
            level=THREAD, mask=None, exits=None, in_switch=False, depth=place.depth + 1, can_return=False,
            variables=tuple(v for v in place.variables) + (Variable(x, "unsigned", THREAD),), trips=min(place.trips, 6),
        )  # fmt: skip

        def body():
            self.statements(inner, 1 + self.below(2))
            if self.chance(40):
                self.line(f"if ({self.condition(inner, THREAD)}) return {self.unsigned(inner, THREAD, 1)};")
            self.line(f"return {self.unsigned(inner, THREAD, 2)};")

        self.block(f"auto {f} = [&](unsigned {x}) -> unsigned", body, "};")
        call = f"{f}({self.unsigned(place, THREAD, 1)})"
        if self.chance(40):
            call = f"({self.condition(place, THREAD)} ? {call} : {f}({self.unsigned(place, THREAD, 1)}))"
        self.use(place, call, "unsigned")

    def by_reference(self, place):
        options = [v for v in self.variables(place, ("unsigned",), THREAD, True) if v.level == THREAD]
        if len(options) < 2:
            return self.assign(place)
        x, y = self.random.sample(options, 2)
        r = self.name("r")
        self.line(
            f"{{ unsigned& {r} = {self.condition(place, THREAD)} ? {x.text} : {y.text}; {r} {self.pick('+', '^')}= {self.unsigned(place, THREAD, 2)}; }}"
        )

    def atomic(self, place):
        array, length, operation, type = self.random.choice(place.atomics)
        value = self.value(place, type, THREAD, 1)
        if type == "float":
            value = f"(float)(int)({self.unsigned(place, THREAD, 1)} & 7u)"
        self.line(
            f"atomic{operation}(&{array}[{self.unsigned(place, self.pick(place.level, THREAD), 1)} % {length}u], {value});"
        )

    # ---- warps -----------------------------------------------------------------------------------

    def group_place(self, place, mask):
        return place.but(level=max(GROUP, place.level), mask=mask, can_return=False, exits=None)

    def ballot_branch(self, place):
        """Lanes say who goes where before they part."""
        mask, c = self.name("m"), self.name("c")
        self.line(f"const bool {c} = {self.condition(place, THREAD)};")
        known = self.present(place)
        if known == "here":  # lanes that are not there are in no ballot
            known = self.name("here")
            self.line(f"const unsigned {known} = __ballot_sync({place.mask}, 1);")
        self.line(f"const unsigned {mask} = __ballot_sync({place.mask}, {c});")
        extra = place.variables + (Variable(mask, "unsigned", max(place.level, WARP), False),)
        inner = self.group_place(place, mask).but(variables=extra)
        if self.chance(50):
            return self.block(f"if ({c})", lambda: self.body(inner))
        self.block(f"if ({c})", lambda: self.body(inner))
        self.lines.pop()
        if self.chance(70):
            rest = self.name("m")
            self.line(f"}} else {{ const unsigned {rest} = {f'{known} & ' if known else ''}~{mask};")
            self.indent += 1
            self.body(self.group_place(place, rest).but(variables=extra))
            self.indent -= 1
            self.line("}")
        else:
            self.block("} else", lambda: self.body(self.inside(place, THREAD)))

    def present(self, place):
        """An expression for the lanes that are there, to be evaluated where all of them still are; or None for all 32."""
        if place.mask == "m" and not self.full_masks:
            return "m"
        if place.mask not in ("m", "~0u", "0xffffffffu"):
            return place.mask
        if not self.missing:
            return None
        return "here"

    def tile_branch(self, place):
        """Aligned parts of a warp that go different ways, each with its own mask."""
        if place.level > WARP or self.missing:
            return self.ballot_branch(place)
        width = self.pick(2, 4, 8, 16)
        mask = self.name("m")
        self.line(f"const unsigned {mask} = {(1 << width) - 1}u << (lane & {32 - width}u);")
        inner = self.group_place(place, mask)
        condition = self.pick(
            f"(lane / {width}u + {self.unsigned(place, WARP, 1)}) % {self.pick(2, 3)}u == 0u",
            f"t / {width}u % 3u {self.pick('==', '!=')} 1u",
        )
        if self.chance(40):
            return self.block(
                f"for (int i = 0; i < (int)(t / {width}u % 3u); ++i)",
                lambda: self.body(inner.but(trips=place.trips // 2)),
            )
        self.block(f"if ({condition})", lambda: self.body(inner))
        if self.chance(50):
            self.lines.pop()
            self.block("} else", lambda: self.body(inner))

    def target(self, place, level=THREAD):
        options = [v for v in self.variables(place, ("unsigned",), THREAD, True) if v.level >= max(place.level, level)]
        return self.random.choice(options) if options else None

    def warp_operation(self, place):
        kind = self.weighted([
            (self.shuffle, 8 * self.has("shuffle")), (self.ballot, 5 * self.has("ballot")), (self.reduce, 5 * self.has("reduce")),
            (self.match, 3 * self.has("match")), (self.sync_warp, 1),
        ])  # fmt: skip
        kind(place)

    def sync_warp(self, place):
        self.line(f"__syncwarp({place.mask});")

    def shuffle(self, place):
        v = self.target(place)
        if not v:
            return
        kind = self.pick("", "_up", "_down", "_xor")
        type = self.weighted(
            [("unsigned", 6), ("int", 1), ("unsigned long long", 2 * self.has("wide")), ("float", self.has("float"))]
        )
        value = self.value(place, type, THREAD, 2)
        if type in ("int", "unsigned long long", "float"):
            value = f"({type})({value})"
        width = self.pick(32, 32, 32, 16, 8, 4, 2)
        by = self.pick(
            str(self.below(32)), f"({self.unsigned(place, THREAD, 1)} & 31u)", str(self.pick(1, 2, 4, 8, 16))
        )
        tail = f", {width})" if width != 32 or self.chance(20) else ")"
        every = self.present(place) is None
        if every:
            result = self.as_unsigned(f"__shfl{kind}_sync({place.mask}, {value}, {by}{tail}", type)
            if type == "unsigned long long":
                result = f"(unsigned)(__shfl{kind}_sync({place.mask}, {value}, {by}{tail} >> 13)"
            return self.line(f"{v.text} {self.pick('', '+', '^')}= {result};")
        inside = width - 1
        source = {
            "": f"((lane & ~{inside}u) | (d & {inside}u))",
            "_up": f"((lane & {inside}u) >= d ? lane - d : lane)",
            "_down": f"((lane & {inside}u) + d < {width}u ? lane + d : lane)",
            "_xor": f"((lane ^ d) <= (lane | {inside}u) ? lane ^ d : lane)",
        }[kind]
        here = self.present(place)
        here = f"__ballot_sync({place.mask}, 1)" if here == "here" else here
        result = self.as_unsigned("y", type)
        self.line(f"{{ const unsigned d = {by}; const {type} y = __shfl{kind}_sync({place.mask}, {value}, d{tail};")
        self.line(
            f"  const unsigned here = {here}; {v.text} {self.pick('', '+', '^')}= here >> {source} & 1u ? ({result}) : {self.below(100)}u; }}"
        )

    def give(self, place, text):
        """To a variable that is the same in all lanes of the mask, or to any."""
        level = WARP if place.level <= WARP else GROUP
        v = self.target(place, level)
        if v:
            self.line(f"{v.text} {self.pick('', '+', '^')}= {text};")

    def ballot(self, place):
        word = self.weighted([("ballot", 4), ("any", 2), ("all", 2)])
        self.give(place, f"(unsigned)__{word}_sync({place.mask}, {self.condition(place, THREAD)})")

    def reduce(self, place):
        word = self.pick("add", "min", "max", "and", "or", "xor", "add")
        value = self.unsigned(place, THREAD, 2)
        if word in ("add", "min", "max") and self.chance(30):
            return self.give(place, f"(unsigned)__reduce_{word}_sync({place.mask}, (int)({value}))")
        self.give(place, f"__reduce_{word}_sync({place.mask}, (unsigned)({value}))")

    def match(self, place):
        value = f"({self.unsigned(place, THREAD, 2)} & {self.pick(1, 3, 7)}u)"
        if self.has("wide") and self.chance(20):
            value = f"(unsigned long long)({value} * 0x100000001ull)"
        if self.chance(25):
            p = self.name("p")
            self.line(f"int {p}; __match_all_sync({place.mask}, {value}, &{p});")
            return self.give(place, f"(unsigned){p}")
        v = self.target(place)
        if v:
            self.line(f"{v.text} {self.pick('', '+', '^')}= __match_any_sync({place.mask}, {value});")

    def warp_scan(self, place):
        v = self.target(place)
        if not v or self.present(place) is not None:
            return self.warp_operation(place)
        form = self.below(3)
        if form == 0:
            self.block(
                "for (int d = 1; d < 32; d *= 2)",
                lambda: self.line(
                    f"const unsigned q = __shfl_up_sync({place.mask}, {v.text}, d); if (lane >= (unsigned)d) {v.text} += q;"
                ),
            )
        elif form == 1:
            self.line(f"for (int d = 16; d > 0; d /= 2) {v.text} += __shfl_down_sync({place.mask}, {v.text}, d);")
            self.line(f"{v.text} = __shfl_sync({place.mask}, {v.text}, 0);")
        else:
            self.line(
                f"for (int d = 16; d > 0; d >>= 1) {v.text} {self.pick('+', '^')}= __shfl_xor_sync({place.mask}, {v.text}, d);"
            )

    def match_loop(self, place):
        """The lanes with the same key, one key after another."""
        left, key, same, x = (self.name(s) for s in ("left", "key", "same", "x"))
        self.line(f"const unsigned {x} = {self.unsigned(place, THREAD, 1)} & 3u;")
        self.line(f"unsigned {left} = __ballot_sync({place.mask}, 1);")

        def body():
            self.line(f"const unsigned {key} = __shfl_sync({place.mask}, {x}, __ffs((int){left}) - 1);")
            self.line(f"const unsigned {same} = __ballot_sync({place.mask}, {x} == {key});")
            level = max(place.level, WARP)
            extra = tuple(Variable(name, "unsigned", level, False) for name in (key, same))
            inner = self.inside(place, level)
            inner = inner.but(trips=place.trips // 4, exits=None, variables=inner.variables + extra, mask=place.mask)
            self.body(inner, 2)
            if self.chance(50):
                self.block(f"if ({x} == {key})", lambda: self.body(self.group_place(inner, same), 2))
            self.line(f"{left} &= ~{same};")

        self.block(f"while ({left})", body)

    def live_loop(self, place):
        """Lanes that leave a loop one by one, and say so."""
        live, mask, i = self.name("live"), self.name("m"), self.name("i")
        self.line(f"bool {live} = {self.condition(place, THREAD)};")
        level = max(place.level, WARP)

        def body():
            self.line(f"const unsigned {mask} = __ballot_sync({place.mask}, {live});")
            self.line(f"if (!{mask}) break;")
            inner = self.group_place(place, mask).but(trips=place.trips // 4)
            self.block(
                f"if ({live})", lambda: (self.body(inner), self.line(f"{live} = {self.condition(place, THREAD)};"))
            )
            if self.chance(40):
                self.body(self.inside(place, level).but(mask=place.mask, exits=None, trips=place.trips // 4), 1)

        self.block(f"for (int {i} = 0; {i} < 4; ++{i})", body)

    def group_operation(self, place):
        """Cooperative groups: tiles of the block."""
        width = self.pick(*[w for w in (2, 4, 8, 16, 32) if self.threads % w == 0])
        tile = self.name("tile")
        self.line(f"auto {tile} = cg::tiled_partition<{width}>(cg::this_thread_block());")
        v = self.target(place)
        if not v:
            return
        x = f"(unsigned)({self.unsigned(place, THREAD, 2)})"
        by = str(self.below(width))
        text = self.weighted([
            (f"{tile}.shfl({x}, {by})", 2), (f"{tile}.shfl_xor({x}, {by}u)", 2), (f"{tile}.shfl_up({x}, {by}u)", 1),
            (f"{tile}.shfl_down({x}, {by}u)", 2), (f"{tile}.ballot({self.condition(place, THREAD)})", 1),
            (f"(unsigned){tile}.any({self.condition(place, THREAD)})", 1), (f"(unsigned){tile}.all({self.condition(place, THREAD)})", 1),
            (f"{tile}.thread_rank() + {tile}.meta_group_rank()", 1), (f"{tile}.match_any({x} & 3u)", 1),
            (f"cg::reduce({tile}, {x}, cg::{self.pick('plus', 'less', 'greater', 'bit_xor')}<unsigned>())", 3),
            (f"cg::inclusive_scan({tile}, {x}, cg::plus<unsigned>())", 1), (f"cg::exclusive_scan({tile}, {x}, cg::plus<unsigned>())", 1),
        ])  # fmt: skip
        self.line(f"{v.text} {self.pick('', '+', '^')}= {text};")
        if self.chance(20):
            self.line(f"{tile}.sync();")

    def warp_shared(self, place):
        """What lanes say to each other through memory between two __syncwarp."""
        own = self.own(place)
        if not own:
            return self.warp_operation(place)
        s = self.random.choice(own)
        v = self.target(self.without(place, s))
        if not v:
            return self.warp_operation(place)
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 2)};")
        self.line(f"__syncwarp({place.mask});")
        at = f"(t & ~31u) + ((lane {self.pick('+', '^')} {self.below(32)}u) & 31u)"
        if self.chance(30):
            at = f"(t & ~31u) + ({self.unsigned(place, THREAD, 1)} & 31u)"
        if self.threads % 32:
            at = f"min({at}, {self.threads - 1}u)"
        self.line(f"{v.text} {self.pick('', '+', '^')}= {self.as_unsigned(f'{s.text}[{at}]', s.type)};")
        self.line(f"__syncwarp({place.mask});")

    # ---- blocks ------------------------------------------------------------------------------------

    def sync(self):
        self.line("cg::this_thread_block().sync();" if self.has("cg") and self.chance(25) else "__syncthreads();")

    def barrier(self, place):
        self.sync()

    def vote(self, place):
        word = self.pick("or", "and", "count")
        self.line_to(place, f"(unsigned)__syncthreads_{word}({self.condition(place, THREAD)})")

    def line_to(self, place, text, level=BLOCK):
        v = self.target(place, level)
        if v:
            self.line(f"{v.text} {self.pick('', '+', '^')}= {text};")
        elif "__sync" in text:
            self.line(text + ";")

    def vote_loop(self, place):
        """A loop whose condition is a barrier."""
        i = self.name("i")
        limit = 2 + self.below(3)
        inner = place.but(trips=place.trips // limit, exits=None, in_switch=False)
        word = self.pick("or", "and", "count")
        if self.chance(50):
            self.line(f"int {i} = 0;")
            self.block(
                "do",
                lambda: self.body(inner),
                f"}} while (++{i} < {limit} && __syncthreads_{word}({self.condition(place, THREAD)}));",
            )
        else:
            head = f"for (int {i} = 0; {i} < {limit} && __syncthreads_{word}({self.condition(place, THREAD)}){self.pick('', ' != 0', ' > 1')}; ++{i})"
            self.block(head, lambda: self.body(inner))

    def own(self, place):
        """Shared arrays of which thread t has element t here."""
        return [s for s in self.shared if any(v.text == f"{s.text}[t]" for v in place.variables)]

    def without(self, place, array):
        return place.but(variables=tuple(v for v in place.variables if not v.text.startswith(array.text + "[")))

    def share(self, place):
        """Each thread writes its element; behind a barrier everyone reads; a barrier ends that."""
        own = self.own(place)
        if not own:
            return self.barrier(place)
        s = self.random.choice(own)
        if self.chance(60):
            self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 2)};")
        elif self.chance(50):
            self.block(
                f"if ({self.condition(place, THREAD)})",
                lambda: self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 2)};"),
            )
        self.sync()
        inner = self.without(place, s)
        if self.chance(60):
            v = self.target(inner)
            at = self.pick(
                f"(t + {self.below(70)}u) % {self.threads}u",
                f"{self.threads - 1}u - t",
                f"({self.unsigned(inner, THREAD, 1)}) % {self.threads}u",
            )
            if v:
                self.line(f"{v.text} {self.pick('', '+', '^')}= {self.as_unsigned(f'{s.text}[{at}]', s.type)};")
        if self.chance(40):
            arrays = place.arrays + (Array(s.text, s.type, str(self.threads)),)
            if s.type == "unsigned" and self.chance(40):
                p, by = self.name("p"), self.below(self.threads)
                self.line(f"const unsigned* {p} = {s.text} + {by};")
                arrays += (Array(p, s.type, str(self.threads - by)),)
            inner = inner.but(arrays=arrays)
            self.body(inner)
        self.sync()

    def tree(self, place):
        own = [s for s in self.own(place) if s.type in ("unsigned", "int", "unsigned long long")]
        if not own:
            return self.barrier(place)
        s = self.random.choice(own)
        half = 1
        while half * 2 < self.threads:
            half *= 2
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 1)};")
        self.sync()
        operation = f"{s.text}[t] + {s.text}[t + d]"
        if s.type == "int" or self.chance(30):
            operation = f"{self.pick('min', 'max')}({s.text}[t], {s.text}[t + d])"
        self.block(
            f"for (unsigned d = {half}u; d > 0u; d {self.pick('/= 2u', '>>= 1')})",
            lambda: (
                self.line(f"if (t < d && t + d < {self.threads}u) {s.text}[t] = {operation};"),
                self.line("__syncthreads();"),
            ),
        )
        self.line_to(self.without(place, s), f"(unsigned){s.text}[0]")
        self.sync()

    def scan(self, place):
        own = [s for s in self.own(place) if s.type in ("unsigned", "unsigned long long")]
        if not own:
            return self.barrier(place)
        s = self.random.choice(own)
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 1)};")
        self.sync()

        def body():
            self.line(f"const {s.type} q = t >= d ? {s.text}[t - d] : 0u;")
            self.line("__syncthreads();")
            self.line(f"{s.text}[t] += q;")
            self.line("__syncthreads();")

        self.block(f"for (unsigned d = 1u; d < {self.threads}u; d *= 2u)", body)

    def publish(self, place):
        """One thread says something to all."""
        self.sync()
        self.line(
            f"if (t == {self.pick('0u', f'{self.below(self.threads)}u')}) one = {self.unsigned(place, THREAD, 2)};"
        )
        self.sync()
        self.line_to(place, "one")

    def histogram(self, place):
        """Everyone adds to everyone's; nobody looks before the barrier."""
        type, operation = self.pick(
            ("unsigned", "Add"),
            ("unsigned", "Max"),
            ("unsigned", "Min"),
            ("unsigned", "Xor"),
            ("unsigned", "Or"),
            ("unsigned", "Add"),
        )
        length = 16
        if any(array == "bins" for array, *_ in place.atomics):
            return self.atomic(place)
        self.line(f"for (unsigned i = t; i < {length}u; i += {self.threads}u) bins[i] = {self.constant()}u;")
        self.sync()
        inner = place.but(atomics=place.atomics + (("bins", length, operation, type),))
        if self.chance(50):
            self.atomic(inner.but(atomics=inner.atomics[-1:]))
        self.body(inner, 2)
        self.sync()
        v = self.target(place)
        if v:
            self.line(f"{v.text} {self.pick('', '+', '^')}= bins[({self.unsigned(place, THREAD, 1)}) % {length}u];")
        self.sync()

    def compact(self, place):
        """Places taken from one counter: an order nobody knows, and a sum that does not tell."""
        v = self.target(place)
        if not v:
            return self.barrier(place)
        self.line("if (t == 0u) count = 0u;")
        self.sync()
        self.line(
            f"if ({self.condition(place, THREAD)}) list[atomicAdd(&count, 1u)] = {self.unsigned(place, THREAD, 2)};"
        )
        self.sync()
        self.line(f"for (unsigned i = 0u; i < count; ++i) {v.text} {self.pick('+', '^')}= list[i];")
        self.sync()

    def one_warp(self, place):
        """One warp works and the others wait."""
        if self.chance(50):
            self.sync()
        which = self.pick(
            "t < 32u",
            "t / 32u == 0u",
            f"t / 32u == {self.below((self.threads + 31) // 32)}u",
            "t / 32u % 2u == 0u",
            "t >= 32u",
        )
        self.block(f"if ({which})", lambda: self.body(self.inside(place, WARP)))
        if self.chance(50):
            self.lines.pop()
            self.block("} else", lambda: self.body(self.inside(place, WARP)))
        self.sync()

    def through_global(self, place):
        v = self.target(place)
        self.line(f"memory[gid] = {self.unsigned(place, THREAD, 2)};")
        self.sync()
        if v:
            self.line(
                f"{v.text} {self.pick('', '+', '^')}= memory[gid - t + (t + {self.below(70)}u) % {self.threads}u];"
            )
        self.sync()

    # ---- whole kernels -------------------------------------------------------------------------------

    FEATURES = "branch for while do switch break return array lambda reference load divide ternary bits wide float small logical".split()
    FEATURES += "unroll function constant global_atomic".split()
    WARP_FEATURES = "shuffle ballot reduce match mask tile cg by_warp".split()
    BLOCK_FEATURES = "shared vote shared_atomic one_warp global by_warp".split()

    def choose(self):
        self.features = {f for f in self.FEATURES if self.chance(45)} | {"load"}
        profile = self.weighted([("plain", 25), ("block", 20), ("warp", 20), ("both", 35)])
        self.warps = profile in ("warp", "both")
        if self.warps:
            self.features |= {f for f in self.WARP_FEATURES if self.chance(50)} | {"warp"}
            self.features |= {self.pick("shuffle", "ballot", "reduce")}
        if profile in ("block", "both"):
            self.features |= {f for f in self.BLOCK_FEATURES if self.chance(50)} | {"barrier"}
        if profile == "both" and self.chance(50):
            self.features.add("warp_shared")
        if profile == "both" and "tile" in self.features and self.chance(50):
            self.features.discard("tile")
        self.shape = self.random.choice(BLOCKS)
        self.grid = self.random.choice(GRIDS)
        self.threads = int(np.prod(self.shape))
        self.total = self.threads * int(np.prod(self.grid))
        self.missing = self.threads % 32 != 0
        self.full_masks = self.chance(50)
        self.budget = self.weighted([(6, 3), (10, 5), (16, 5), (25, 3), (50, 1), (90, 0.3)])
        self.types = ["unsigned", "unsigned", "int"]
        self.types += ["unsigned long long", "long long"] * self.has("wide") + ["float", "double"] * self.has("float")
        self.types += list(SMALL) * self.has("small")

    def make(self):
        self.choose()
        base = Place(BLOCK, (), (Array("in", "unsigned", "n"),))
        if self.has("constant"):
            for word, name in (("__constant__", "table"), ("__device__", "list_of_all")):
                self.line(f"{word} unsigned {name}[16] = {{{', '.join(f'{self.constant()}u' for _ in range(16))}}};")
                base = base.but(arrays=base.arrays + (Array(name, "unsigned", "16"),))
        functions = self.make_functions(base) if self.has("function") else ()
        n_functions = len(self.lines)
        self.indent = 1
        self.entry(base.but(functions=functions))
        head = f'extern "C" __global__ void {f"__launch_bounds__({self.threads}) " if self.chance(20) else ""}k('
        head += "unsigned* out, const unsigned* in, unsigned n, unsigned a, unsigned* memory, unsigned* sums) {"
        before = ["namespace cg = cooperative_groups;"] * self.has("cg")
        includes = [
            "#include <cooperative_groups.h>",
            "#include <cooperative_groups/reduce.h>",
            "#include <cooperative_groups/scan.h>",
        ]
        text = (
            "\n".join(
                includes * self.has("cg")
                + before
                + self.lines[:n_functions]
                + [head]
                + self.lines[n_functions:]
                + ["}"]
            )
            + "\n"
        )
        parameters = [
            ("zeros", "u4", self.total), ("data", "u4", self.total + 7, self.seed), ("scalar", "u4", self.total + 7),
            ("scalar", "u4", self.random.choice(CONSTANTS)), ("zeros", "u4", self.total), ("zeros", "u4", 8),
        ]  # fmt: skip
        return Kernel(self.seed, text, self.grid, self.shape, 0, parameters)

    def make_functions(self, base):
        """Functions that one thread runs by itself."""
        functions = []
        if self.chance(50):
            f = self.name("g")
            self.line(
                f"__device__ unsigned {f}(unsigned x, unsigned y) {{ return (y & 15u) < 2u || x == 0u ? x + 3u : {f}(x / 2u, (y & 15u) / 2u) + y; }}"
            )
            functions.append((f, ("unsigned", "unsigned")))
        for _ in range(1 + self.below(2)):
            f, type = self.name("g"), self.random.choice([t for t in self.types if t not in SMALL])
            variables = (
                Variable("x", "unsigned", THREAD),
                Variable("y", type, THREAD),
                Variable("z", "unsigned", THREAD),
            )
            arrays = tuple(a for a in base.arrays if a.text != "in")
            place = Place(THREAD, variables, arrays, is_function=True, trips=6, functions=tuple(functions), depth=2)

            def body():
                self.line(f"unsigned z = {self.constant()}u, a = 5u, n = 7u;")
                self.budget, rest = 4, self.budget
                self.statements(place, 1 + self.below(3))
                self.budget = rest
                self.line(f"return z ^ x + {self.as_unsigned('y', type)};")

            form = self.below(3)
            if form == 1:
                self.line("template <typename T>")
                self.block(f"__device__ unsigned {f}(unsigned x, T y)", body)
                functions.append((f"{f}<{type}>", ("unsigned", type)))
            else:
                self.block(
                    f"__device__ {self.pick('', '__noinline__ ', '__forceinline__ ')}unsigned {f}(unsigned x, {type} y)",
                    body,
                )
                functions.append((f, ("unsigned", type)))
        return tuple(functions)

    def entry(self, place):
        x, y, z = tuple(self.shape) + (1,) * (3 - len(self.shape))
        self.line(
            "const unsigned t = threadIdx.x"
            + (f" + {x}u * (threadIdx.y + {y}u * threadIdx.z)" if y * z > 1 else "")
            + ";"
        )
        number = "blockIdx.x" if len(self.grid) == 1 else "(blockIdx.x + gridDim.x * blockIdx.y)"
        self.line(f"const unsigned gid = {number} * {self.threads}u + t, lane = t & 31u;")
        variables = []
        for i in range(2 + self.below(4)):
            start = self.pick(
                f"in[(gid * {self.pick(1, 2, 4, 3)}u + {i}u) % n]",
                "t",
                "gid * 2654435761u",
                f"{self.below(9)}u",
                "in[gid]",
            )
            self.line(f"unsigned v{i} = {start};")
            variables.append(Variable(f"v{i}", "unsigned", THREAD))
        for i, type in enumerate(self.random.sample(self.types, min(len(self.types), self.below(5)))):
            self.line(f"{type} y{i} = {self.value(place.but(variables=tuple(variables)), type, THREAD, 1)};")
            variables.append(Variable(f"y{i}", type, THREAD))
        for i in range(self.below(3)):
            self.line(f"unsigned u{i} = {self.pick('a', 'blockIdx.x', '7u', 'n', 'in[a % n]')};")
            variables.append(Variable(f"u{i}", "unsigned", BLOCK))
        if self.has("by_warp"):
            self.line("unsigned w = t / 32u * 7u;")
            variables.append(Variable("w", "unsigned", WARP))
        if self.has("array"):
            self.line("unsigned many[8]; for (int i = 0; i < 8; ++i) many[i] = in[(gid + i) % n];")
            self.locals.append(Array("many", "unsigned", "8", THREAD))
            place = place.but(arrays=place.arrays + tuple(self.locals))
        if self.warps:
            mask = "m"
            if self.full_masks:
                mask = self.pick("~0u", "0xffffffffu")
            elif self.threads % 32:
                left = f"({self.threads}u - (t & ~31u))"
                self.line(f"unsigned m = {left} >= 32u ? ~0u : (1u << {left}) - 1u;")
            else:
                self.line("unsigned m = ~0u;")
            place = place.but(mask=mask)
        if self.has("barrier"):
            if self.has("shared"):
                for i in range(1 + self.below(2)):
                    type = self.random.choice([t for t in self.types if t not in FLOATS])
                    self.line(
                        f"__shared__ {type} s{i}[{self.threads}]; s{i}[t] = ({type}){self.pick('t', 'v0', '3u')};"
                    )
                    self.shared.append(Array(f"s{i}", type, str(self.threads)))
                    variables.append(Variable(f"s{i}[t]", type, THREAD))
                self.line("__shared__ unsigned one; if (t == 0u) one = 1u;")
            if self.has("shared_atomic"):
                self.line(
                    f"__shared__ unsigned bins[16], count, list[{self.threads}]; for (unsigned i = t; i < 16u; i += {self.threads}u) bins[i] = 0u;"
                )
            self.line("__syncthreads();")
        if self.has("global_atomic"):
            place = place.but(atomics=(("sums", 8, self.pick("Add", "Max", "Xor", "Or", "Add"), "unsigned"),))
        place = place.but(variables=tuple(variables))
        self.statements(place, 2 + self.below(4))
        while self.budget > 0 and self.chance(85):
            self.statement(place)
        self.line("unsigned h = 17u;")
        for v in variables:
            self.line(f"h = h * 31u + ({self.as_unsigned(v.text, v.type)});")
        for array in self.locals:
            self.line(f"for (int i = 0; i < {array.length}; ++i) h = h * 33u ^ {array.text}[i];")
        self.line("out[gid] = h;")


def kernel(seed):
    return Generator(seed).make()
