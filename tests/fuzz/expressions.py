"""Random expressions without undefined behaviour, as uniform as asked."""

from fuzz.places import FLOATS, SMALL, BLOCK, THREAD, WARP, WIDE
from fuzz.writer import Writer


class Expressions(Writer):
    def leaf(self, place, level):
        """An unsigned number."""
        if self.chance(60) and (options := place.named(("unsigned",), level)):
            return self.random.choice(options).text
        kind = self.below(11)
        if kind < 3:
            return f"{self.constant()}u"
        if kind == 3:
            return self.pick("blockIdx.x", "a", "n", "gridDim.x", "a") if place.has_indices else "a"
        if kind == 4 and level >= WARP and place.has_indices:
            rows = len(self.shape) > 1 and self.shape[0] % 32 == 0
            return self.pick("(t / 32u)", "(t >> 5)", "threadIdx.y" if rows else "(t / 32u)")
        if kind == 5 and level == THREAD and place.has_indices:
            return self.pick("t", "gid", "lane", "threadIdx.x", "t", "threadIdx.y" if len(self.shape) > 1 else "lane")
        if kind == 6:
            return self.load(place, level, "unsigned", 1)
        if kind == 7 and (options := place.named(("int", "bool", *WIDE, *SMALL), level)):
            v = self.random.choice(options)
            return f"(unsigned)({v.text} >> {self.pick(0, 1, 7, 32, 33)})" if v.type in WIDE else f"(unsigned){v.text}"
        if kind == 8 and (options := place.named(FLOATS, level)):
            return f"(unsigned)(int){self.random.choice(options).text}"
        if kind == 9 and level == THREAD and place.has_indices and self.has("stencil"):
            return f"in[gid + {self.below(7)}u]"
        options = place.named(("unsigned",), level)
        return self.random.choice(options).text if options else f"{self.constant()}u"

    def load(self, place, level, type, depth):
        """An element of an array; its subscript is often more uniform than who reads it."""
        options = [a for a in place.arrays if a.type == type and a.level <= level]
        if not options:
            return f"({type}){self.below(100)}"
        array = self.random.choice(options)
        index = self.unsigned(place, self.below(level + 1) if self.chance(50) else level, depth)
        if array.length in ("8", "16") and self.chance(60):
            return f"{array.text}[{index} & {int(array.length) - 1}u]"
        if array.length == "n" and self.chance(30) and level == THREAD and place.has_indices:
            return f"{array.text}[gid]"
        return f"{array.text}[({index}) % {array.length}{'' if array.length == 'n' else 'u'}]"

    def unsigned(self, place, level, depth=2):
        if depth <= 0 or self.chance(20):
            return self.leaf(place, level)
        one = lambda: self.unsigned(place, level, depth - 1)
        if self.has("convert") and self.chance(8):
            return self.converted(place, level, depth - 1)
        kind = self.below(21)
        if kind < 7:
            return f"({one()} {self.pick('+', '-', '*', '^', '&', '|', '+')} {one()})"
        if kind == 7:
            return f"({one()} {self.pick('<<', '>>')} {self.pick(1, 3, 5, 16, 31)})"
        if kind == 8:
            return f"({one()} {self.pick('<<', '>>')} ({one()} & 31u))"
        if kind in (9, 10):
            return f"({one()} {self.pick('/', '%')} {self.pick(3, 5, 7, 10, 32, 33, 1000)}u)"
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
            return f"{self.pick('~', '-', '(unsigned)!')}({one()})"
        if kind == 17:
            return f"(unsigned)({self.condition(place, level, depth - 1)})"
        if kind == 18:
            return self.load(place, level, "unsigned", depth - 1)
        if kind == 19 and self.has("wide"):
            return f"(unsigned)({self.wide(place, level, depth - 1)} >> {self.pick(0, 5, 32, 40)})"
        if kind == 20 and place.functions and level == THREAD:
            return self.call(place, level, depth - 1)
        return self.leaf(place, level)

    def any_number(self, place, level, depth, type):
        """A float or double of any bits: NaN, infinite, larger than all integers. + 0: NaN is a quiet one, and -0 is 0."""
        if type == "float":
            return f"(__uint_as_float({self.unsigned(place, level, depth)}) + 0.0f)"
        return f"(__longlong_as_double((long long){self.wide(place, level, depth)}) + 0.0)"

    def converted(self, place, level, depth):
        """Such a number as an integer, whether its type holds it or not."""
        type = self.pick(*FLOATS)
        x, f = self.any_number(place, level, depth, type), FLOATS[type][1]
        if self.chance(25):
            x = f"f{self.pick('min', 'max')}{f}({x}, {self.any_number(place, level, depth, type)})"
        to = self.pick("int", "unsigned", *SMALL, *WIDE)
        part = f" >> {self.pick(0, 32)}" if to in WIDE else ""
        return f"(unsigned)(to<{to}>({x}){part})"

    def intrinsic(self, place, level, depth):
        one = lambda: self.unsigned(place, level, depth - 1)
        near = lambda: f"(int)({one()} & 65535u)"
        shift = self.pick("__funnelshift_l", "__funnelshift_r", "__funnelshift_lc", "__funnelshift_rc")
        return self.pick(
            f"(unsigned)__popc({one()})", f"(unsigned)__clz((int){one()})", f"(unsigned)__ffs((int){one()})",
            f"__brev({one()})", f"__byte_perm({one()}, {one()}, {one()})", f"{shift}({one()}, {one()}, {one()})",
            f"__umulhi({one()}, {one()})", f"(unsigned)__mulhi((int){one()}, (int){one()})",
            f"__usad({one()}, {one()}, {one()})", f"__sad({near()}, {near()}, {one()})", f"__umul24({one()}, {one()})",
            f"(unsigned)abs({near()} - {near()})", f"__uhadd({one()}, {one()})", f"(unsigned)__popcll({one()} * 3ull)",
        )  # fmt: skip

    def signed(self, place, level, depth=2):
        """An int: what wraps is computed unsigned, or cannot."""
        options = place.named(("int", *SMALL), level)
        if depth <= 0 and options and self.chance(70):
            return self.random.choice(options).text
        one = lambda: self.signed(place, level, depth - 1)
        kind = self.below(11) if depth > 0 else 0
        if kind == 9:
            return f"({one()} >> ({self.unsigned(place, level, depth - 1)} & 31u))"
        if kind == 10 and self.has("small"):
            return f"(int)({self.pick(*SMALL)})({self.unsigned(place, level, depth - 1)} {self.pick('*', '+', '-')} {one()})"
        if kind == 1:
            return f"({one()} {self.pick('&', '|', '^')} {one()})"
        if kind == 2:
            return f"({one()} >> {self.pick(1, 4, 31)})"
        if kind == 3:
            return f"({one()} {self.pick('/', '%')} {self.pick(2, 3, 7, 16, 100)})"
        if kind == 4:
            return f"-({one()} >> 1)"
        if kind == 5:
            return f"(({one()} >> 2) {self.pick('+', '-')} ({one()} >> 2))"
        if kind == 6:
            return f"({one()} % 1000 * ({one()} % 1000))"
        if kind == 7:
            return f"{self.pick('min', 'max')}((int)({one()}), (int)({one()}))"
        if kind == 8 and self.has("ternary"):
            return f"({self.condition(place, level, depth - 1)} ? {one()} : {one()})"
        return f"(int)({self.unsigned(place, level, depth)})"

    def wide(self, place, level, depth=2):
        """An unsigned long long."""
        options = place.named(("unsigned long long",), level)
        if (depth <= 0 or self.chance(25)) and options:
            return self.random.choice(options).text
        if depth <= 0:
            return f"({self.leaf(place, level)} * {self.pick('0x100000001', '0x9E3779B97F4A7C15', '0x10001')}ull)"
        one = lambda: self.wide(place, level, depth - 1)
        kind = self.below(11)
        if kind < 3:
            return f"({one()} {self.pick('+', '-', '*', '^', '&', '|')} {one()})"
        if kind in (9, 10):
            what = one() if kind == 9 else f"(unsigned long long)((long long){one()}"
            how = self.pick("<<", ">>") if kind == 9 else ">>"
            return f"({what} {how} ({self.unsigned(place, level, depth - 1)} & 63u)){')' * (kind - 9)}"
        if kind == 3:
            return f"({one()} {self.pick('<<', '>>')} {self.pick(1, 7, 31, 32, 33, 63)})"
        if kind == 4 and self.has("divide"):
            return f"({one()} {self.pick('/', '%')} {self.pick('3ull', '10ull', '1000ull', f'({one()} | 1ull)', 'n')})"
        if kind == 5:
            return f"{self.pick('min', 'max')}({one()}, {one()})"
        if kind == 6 and self.has("bits"):
            count = self.pick("__popcll(", "__clzll((long long)", "__ffsll((long long)")
            return self.pick(
                f"(unsigned long long){count}{one()})", f"__brevll({one()})", f"__umul64hi({one()}, {one()})"
            )
        if kind == 7 and (options := place.named(("long long",), level)):
            operation = self.pick("/ 3", "% 7", ">> 5", ">> 33", "/ 1000")
            return f"(unsigned long long)({self.random.choice(options).text} {operation})"
        return f"(unsigned long long){self.unsigned(place, level, depth - 1)}"

    def floating(self, place, level, type, depth=2):
        """Text, a bound of its magnitude, and into how many parts of a unit it may be divided: all is exact."""
        limit, suffix = FLOATS[type]
        if depth <= 0 or self.chance(20):
            options = place.named((type,), level)
            if options and self.chance(60):
                return self.random.choice(options).text, 1023, 1
            if self.chance(30):
                return f"{self.pick(0, 1, 2, 3, 7, 100)}.0{suffix}", 100, 1
            if self.chance(20):
                return f"{self.pick('0.5', '0.25', '1.5')}{suffix}", 2, 4
            return f"({type})(int)({self.unsigned(place, level, 1)} & 1023u)", 1023, 1
        if type == "float" and self.has("half") and self.chance(30):
            return self.half(place, level, depth)
        x, m, d = self.floating(place, level, type, depth - 1)
        y, k, e = self.floating(place, level, type, depth - 1)
        kind = self.below(9)
        if kind < 2 and (m + k) * max(d, e) < limit:
            return f"({x} {self.pick('+', '-')} {y})", m + k, max(d, e)
        if kind == 2 and m * k * d * e < limit:
            return f"({x} * {y})", m * k, d * e
        f = suffix
        if kind == 3:  # + 0.0: of -0 and 0 either is the smaller
            return f"f{self.pick('min', 'max')}{f}({x} + 0.0{f}, {y} + 0.0{f})", max(m, k), max(d, e)
        if kind == 4:
            return f"fabs{f}({x})", m, d
        if kind == 5 and m * m * d * d < limit:
            return f"sqrt{f}({x} * {x})", m, d
        if kind == 6:
            return f"{self.pick('floor', 'ceil')}{f}({x})", m + 1, 1
        if kind == 7 and self.has("ternary"):
            return f"({self.condition(place, level, depth - 1)} ? {x} : {y})", max(m, k), max(d, e)
        if kind == 8 and (m + k * k) * max(d, e * e) < limit:
            return f"fma{f}({y}, {y}, {x})", m + k * k, max(d, e * e)
        return x, m, d

    def half(self, place, level, depth):
        """A float by way of halves, whose whole numbers are exact up to 2048."""
        one = lambda most: f"(float)(int)({self.unsigned(place, level, depth - 1)} & {most}u)"
        form = self.below(4)
        if form == 0:
            return f"__half2float(__hmul(__float2half({one(31)}), __float2half({one(31)})))", 961, 1
        if form == 1:
            word, both = self.pick("__hadd2", "__hsub2"), lambda: f"__floats2half2_rn({one(511)}, {one(511)})"
            return f"{self.pick('__low2float', '__high2float')}({word}({both()}, {both()}))", 1022, 1
        if form == 2:
            return (
                f"__half2float(__hfma(__float2half({one(15)}), __float2half({one(31)}), __float2half({one(511)})))",
                976,
                1,
            )
        return (
            f"__half2float({self.pick('__hadd', '__hsub')}(__float2half({one(511)}), __float2half({one(511)})))",
            1022,
            1,
        )

    def condition(self, place, level, depth=1):
        one = lambda: self.unsigned(place, level, depth)
        if self.has("convert") and self.chance(8):
            type = self.pick(*FLOATS)
            x, y = (self.any_number(place, level, depth, type) for _ in range(2))
            return self.pick(f"{x} < {y}", f"!({x} >= {y})", f"{x} == {y}", f"{x} != {y}", f"!({x} <= {y})")
        kind = self.below(14)
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
            type = self.pick(*FLOATS)
            return f"{self.floating(place, level, type, 1)[0]} {compare} {self.floating(place, level, type, 1)[0]}"
        if kind == 11 and self.has("wide"):
            return f"{self.wide(place, level, depth)} {compare} {self.wide(place, level, depth)}"
        if kind == 12 and level == THREAD and place.has_indices and self.chance(60):
            return self.index_condition(place, compare)
        if kind == 12 and level == THREAD and place.has_indices:
            return self.pick(
                f"t {self.pick('<', '>=')} {self.below(self.threads + 1)}u", "t == 0u", "lane == 0u",
                f"lane {self.pick('<', '>=', '==')} {self.below(33)}u", f"t % {self.pick(2, 3, 5)}u == 0u",
                f"gid {self.pick('<', '>=')} {self.below(self.total + 1)}u",
            )  # fmt: skip
        if kind == 12 and level >= WARP and place.has_indices:
            return f"(t / 32u) {self.pick('==', '!=', '<')} {self.below(4)}u"
        if kind == 13 and (options := place.named(("bool",), level)):
            return self.random.choice(options).text
        return one()

    def index_condition(self, place, compare):
        """A condition on an index that may begin anew within the block, or pass the largest number."""
        index, by = self.pick("t", "lane", "gid", "threadIdx.x"), self.below(self.threads + 2)
        near = f"{(self.pick(0, 1 << 31, (1 << 32) - 1) - self.below(self.threads + 1)) % (1 << 32)}u"
        common = self.unsigned(place, BLOCK, 1)
        moved = self.pick(f"({index} + {near})", f"({index} - {by}u)", f"({common} - {index})", f"({index} + {common})")
        cast = self.pick("", "", "(int)", "(long long)(int)", "(unsigned long long)", "(short)", "(unsigned char)")
        bits = f"({self.pick(index, moved)} {self.pick('&', '^', '>>', '%', '/', '*')} {self.pick(3, 5, 8, 12, 16, 31, 7)}u)"
        bound = (
            self.pick(f"{by}u", f"{by}", f"(int){common}", common, near) if cast else self.pick(f"{by}u", common, near)
        )
        return f"{cast}{self.pick(moved, moved, bits)} {compare} {bound}"

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
        if type == "bool":
            return f"(bool)({self.condition(place, level, depth - 1)})"
        if type in FLOATS:
            text, magnitude, parts = self.floating(place, level, type, depth)
            if magnitude <= 1023 and parts == 1:
                return text
            return f"({type})(({'int' if magnitude < 1 << 31 else 'long long'})({text}) % 1000)"
        return f"({type})({self.unsigned(place, level, depth)})"

    def call(self, place, level, depth):
        """A call of a function that no thread waits in."""
        name, types = self.random.choice(place.functions)
        return f"{name}({', '.join(self.value(place, type, level, min(depth, 1)) for type in types)})"

    @staticmethod
    def as_unsigned(text, type):
        """A value of any type as 32 bits that tell of all of it."""
        if type in FLOATS:
            return f"(unsigned)(int){text}"
        return f"(unsigned){text} ^ (unsigned)({text} >> 32)" if type in WIDE else f"(unsigned){text}"
