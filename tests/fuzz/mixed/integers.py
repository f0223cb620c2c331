"""Integers of every type of C, mixed as its rules allow: each expression knows between which numbers it lies, so that a
signed one wraps only where the text says so."""

from fuzz.writer import Writer

INT = {
    "signed char": (8, 1),
    "unsigned char": (8, 0),
    "short": (16, 1),
    "unsigned short": (16, 0),
    "int": (32, 1),
    "unsigned": (32, 0),
    "long long": (64, 1),
    "unsigned long long": (64, 0),
    "bool": (1, 0),
}
CODE = {
    "signed char": "i1",
    "unsigned char": "u1",
    "short": "i2",
    "unsigned short": "u2",
    "int": "i4",
    "unsigned": "u4",
    "long long": "i8",
    "unsigned long long": "u8",
    "float": "f4",
    "double": "f8",
}
UNS = {"int": "unsigned", "long long": "unsigned long long"}
TYPES = [t for t in INT if t != "bool"]


def limits(t):
    b, s = INT[t]
    return (-(1 << b - 1), (1 << b - 1) - 1) if s else (0, (1 << b) - 1)


def promote(a):
    return a if INT[a][0] >= 32 else "int"


def common(a, b):
    a, b = promote(a), promote(b)
    if a == b:
        return a
    (x, s), (y, _) = INT[a], INT[b]
    if x == y:
        return a if not s else b
    return a if x > y else b


class E:
    """An integer expression: text, its C type, between which numbers it lies."""

    def __init__(self, text, type, lo, hi):
        self.text, self.type, self.lo, self.hi = text, type, lo, hi


def fits(lo, hi, t):
    a, b = limits(t)
    return a <= lo and hi <= b


def conv(e, t):
    """Interval after conversion to t."""
    return (e.lo, e.hi) if fits(e.lo, e.hi, t) else limits(t)


def wrap(lo, hi, t):
    return (lo, hi) if fits(lo, hi, t) else limits(t)


class Integers(Writer):
    def const(self):
        t = self.pick("int", "int", "unsigned", "long long", "unsigned long long")
        lo, hi = limits(t)
        v = self.pick(
            0,
            1,
            2,
            3,
            5,
            7,
            8,
            15,
            16,
            31,
            32,
            33,
            63,
            64,
            100,
            127,
            128,
            255,
            256,
            1000,
            32767,
            32768,
            65535,
            65536,
            0x7FFFFFFF,
            0x80000000,
            0xFFFFFFFF,
            hi,
            lo,
            self.random.randrange(lo, hi + 1),
            -1,
            -2,
            -128,
            -32768,
        )
        v = max(lo, min(hi, v))
        suffix = {"int": "", "unsigned": "u", "long long": "ll", "unsigned long long": "ull"}[t]
        if v == lo and lo < 0:
            return E(f"(-{-(v + 1)}{suffix} - 1)", t, v, v)
        return E(f"({v}{suffix})" if v < 0 else f"{v}{suffix}", t, v, v)

    def leaf(self):
        if self.nest > 8:
            return self.const()
        k = self.random.randrange(12)
        if k < 2:
            return self.const()
        if k == 2 and not self.infunc:
            x, hi = self.pick(
                ("threadIdx.x", self.shape[0] - 1),
                ("t", self.threads - 1),
                ("gid", self.total - 1),
                ("blockIdx.x", self.grid[0] - 1),
                ("lane", 31),
                ("blockDim.x", 1024),
                ("gridDim.x", 9),
            )
            return E(x, "unsigned", 0, hi)
        if k == 3 and not self.infunc:
            return E("st", "int", 0, self.threads - 1)
        if k == 4 and self.arrays:
            return self.element()
        if k == 5 and self.ro:
            n, t, lo, hi = self.random.choice(self.ro)
            return E(n, t, lo, hi)
        if k == 6 and self.has("narrow") and not self.infunc:
            return self.inload()
        if self.vars:
            n, t = self.random.choice(self.vars)
            return E(n, t, *limits(t))
        return self.const()

    def inload(self):
        t = self.random.choice(list(self.ins))
        at = self.pick(
            "gid",
            "gid",
            "gid",
            f"gid + {self.random.randrange(8)}",
            f"{self.total} - 1 - gid",
            "gid / 2",
            f"gid * 2 % {self.total}",
            "t",
            "st",
            f"({self.expr(1).text}) & 7",
        )
        return E(f"{self.ins[t]}[{at}]", t, *limits(t))

    def element(self):
        n, t, length = self.random.choice(self.arrays)
        return E(f"{n}[{self.index(length)}]", t, *limits(t))

    def index(self, length):
        e = self.expr(1)
        if 0 <= e.lo and e.hi < length:
            return e.text
        return f"({e.text}) & {length - 1}" if length & length - 1 == 0 else f"(unsigned)({e.text}) % {length}u"

    def expr(self, d=2):
        if d <= 0 or self.chance(12) or self.nest > 7:
            return self.leaf()
        return self.deeper(self.expr_, d)

    def deeper(self, expression, d):
        """An expression inside of the one at hand."""
        self.nest += 1
        try:
            return expression(d)
        finally:
            self.nest -= 1

    def expr_(self, d):
        k = self.random.randrange(30)
        one = lambda: self.expr(d - 1)
        if k < 8:
            return self.arith(self.pick("+", "-", "*", "+", "-"), one(), one())
        if k < 11:
            a, b, op = one(), one(), self.pick("&", "|", "^")
            t = common(a.type, b.type)
            (al, ah), (bl, bh) = conv(a, t), conv(b, t)
            lo, hi = limits(t)
            if op == "&":
                if bl >= 0:
                    lo, hi = 0, bh
                elif al >= 0:
                    lo, hi = 0, ah
            elif al >= 0 and bl >= 0:
                lo, hi = 0, (1 << max(ah, bh).bit_length()) - 1
            return E(f"({a.text} {op} {b.text})", t, lo, hi)
        if k < 14:
            return self.shift(one(), one())
        if k < 16:
            return self.div(one(), one())
        if k < 19:
            return self.cast(one())
        if k == 19:
            a, b = one(), one()
            t = common(a.type, b.type)
            (al, ah), (bl, bh) = conv(a, t), conv(b, t)
            return E(f"({self.cond(d - 1)} ? {a.text} : {b.text})", t, min(al, bl), max(ah, bh))
        if k == 20:
            return E(f"({self.cond(d - 1)})", "bool", 0, 1)
        if k == 21:
            a = one()
            t = promote(a.type)
            if self.chance(50):
                return E(f"(~{a.text})", t, *((-a.hi - 1, -a.lo - 1) if INT[t][1] else limits(t)))
            return self.arith("-", E("0", "int", 0, 0), a)
        if k == 22 and self.has("bits"):
            return self.bits(d)
        if k == 23:
            t = self.pick("int", "unsigned", "long long", "unsigned long long")
            f = self.pick("min", "max")
            a, b = (self.cast(one(), t) for _ in "ab")
            return E(
                f"{f}({a.text}, {b.text})",
                t,
                (min if f == "min" else max)(a.lo, b.lo),
                (min if f == "min" else max)(a.hi, b.hi),
            )
        if k == 24 and self.funcs and not self.infunc:
            n, t, ps = self.random.choice(self.funcs)
            return E(f"{n}({', '.join(self.cast(one(), p).text for p in ps)})", t, *limits(t))
        if k == 25 and self.has("float"):
            f = self.fexpr(1)
            c = self.pick(
                ("__float2int_rz", "int"),
                ("__float2int_rn", "int"),
                ("__float2int_rd", "int"),
                ("__float2int_ru", "int"),
                ("__float2uint_rz", "unsigned"),
                ("__float2uint_rn", "unsigned"),
                ("__float2ll_rz", "long long"),
                ("__float2ull_rz", "unsigned long long"),
                ("__float2ll_rd", "long long"),
                ("fbits", "unsigned"),
                ("__float2ull_rn", "unsigned long long"),
            )
            return E(f"{c[0]}({f})", c[1], *limits(c[1]))
        if k == 26 and self.has("float"):
            f = self.dexpr(1)
            c = self.pick(
                ("__double2int_rz", "int"),
                ("__double2int_rn", "int"),
                ("__double2uint_rz", "unsigned"),
                ("__double2ll_rz", "long long"),
                ("__double2ll_rn", "long long"),
                ("__double2ull_rz", "unsigned long long"),
                ("dbits", "unsigned long long"),
                ("__double2int_rd", "int"),
                ("dhi", "int"),
                ("dlo", "int"),
            )
            return E(f"{c[0]}({f})", c[1], *limits(c[1]))
        return self.leaf()

    def arith(self, op, a, b):
        t = common(a.type, b.type)
        (al, ah), (bl, bh) = conv(a, t), conv(b, t)
        if op == "+":
            lo, hi = al + bl, ah + bh
        elif op == "-":
            lo, hi = al - bh, ah - bl
        else:
            c = [al * bl, al * bh, ah * bl, ah * bh]
            lo, hi = min(c), max(c)
        if not INT[t][1] or fits(lo, hi, t):
            return E(f"({a.text} {op} {b.text})", t, *wrap(lo, hi, t))
        u = UNS[t]
        return E(f"({t})(({u}){a.text} {op} ({u}){b.text})", t, *limits(t))

    def shift(self, a, b):
        t = promote(a.type)
        w = INT[t][0]
        n = b.text if 0 <= b.lo and b.hi < w else f"({b.text} & {w - 1})"
        lo, hi = (a.lo, a.hi)
        if self.chance(50):
            return E(f"({a.text} >> {n})", t, min(lo, 0), max(hi, 0))
        if not INT[t][1]:
            return E(f"({a.text} << {n})", t, *limits(t))
        u = UNS[t]
        return E(f"({t})(({u}){a.text} << {n})", t, *limits(t))

    def div(self, a, b):
        t = common(a.type, b.type)
        (al, ah), (bl, bh) = conv(a, t), conv(b, t)
        op = self.pick("/", "%")
        if self.chance(60):
            v = self.pick(2, 3, 5, 7, 8, 10, 16, 32, 33, 100, 255, 256, 1000, 65537)
            b, bl, bh = E(str(v), "int", v, v), v, v
            t = common(a.type, "int")
            al, ah = conv(a, t)
        elif bl <= 0 <= bh or (INT[t][1] and bl <= -1 <= bh):
            b = E(f"(({b.text} & 1023) + 1)", promote(b.type), 1, 1024)
            t = common(a.type, b.type)
            (al, ah), (bl, bh) = conv(a, t), (1, 1024)
        if op == "/":
            lo, hi = min(al, -ah, 0), max(ah, -al, 0)
        else:
            m = max(abs(bl), abs(bh)) - 1
            lo, hi = (-m if al < 0 else 0), m
        return E(f"({a.text} {op} {b.text})", t, *wrap(lo, hi, t))

    def cast(self, e, t=None):
        t = t or self.random.choice(TYPES)
        return E(f"({t})({e.text})", t, *conv(e, t))

    def bits(self, d):
        one = lambda t: self.cast(self.expr(d - 1), t).text
        i, u, w, ul = "int", "unsigned", "long long", "unsigned long long"
        f, t, ps, lo, hi = self.pick(
            ("__popc", i, (u,), 0, 32),
            ("__popcll", i, (ul,), 0, 64),
            ("__clz", i, (i,), 0, 32),
            ("__clzll", i, (w,), 0, 64),
            ("__ffs", i, (i,), 0, 32),
            ("__ffsll", i, (w,), 0, 64),
            ("__brev", u, (u,), *limits(u)),
            ("__brevll", ul, (ul,), *limits(ul)),
            ("__byte_perm", u, (u, u, u), *limits(u)),
            ("__funnelshift_l", u, (u, u, u), *limits(u)),
            ("__funnelshift_rc", u, (u, u, u), *limits(u)),
            ("__umulhi", u, (u, u), *limits(u)),
            ("__mulhi", i, (i, i), *limits(i)),
            ("__umul64hi", ul, (ul, ul), *limits(ul)),
            ("__mul64hi", w, (w, w), *limits(w)),
            ("__mul24", i, (i, i), *limits(i)),
            ("__hadd", i, (i, i), *limits(i)),
            ("__urhadd", u, (u, u), *limits(u)),
            ("__dp4a", i, (i, i, i), *limits(i)),
            ("__usad", u, (u, u, u), *limits(u)),
            ("__vadd4", u, (u, u), *limits(u)),
            ("__rhadd", i, (i, i), *limits(i)),
            ("__vmaxs4", u, (u, u), *limits(u)),
            ("__vcmpgtu2", u, (u, u), *limits(u)),
            ("__vabsdiffu4", u, (u, u), *limits(u)),
            ("__vsubss2", u, (u, u), *limits(u)),
            ("__fns", u, (u, "L", "K"), *limits(u)),
            ("__vavgu4", u, (u, u), *limits(u)),
            ("__vaddus4", u, (u, u), *limits(u)),
            ("__vminu2", u, (u, u), *limits(u)),
            ("__vseteq4", u, (u, u), *limits(u)),
        )
        a = [
            f"(({one(u)}) & 31u)" if p == "L" else f"((int)(({one(u)}) & 63u) - 31)" if p == "K" else one(p) for p in ps
        ]
        return E(f"{f}({', '.join(a)})", t, lo, hi)

    def cond(self, d=1):
        k = self.random.randrange(10)
        if k < 6:
            return f"{self.expr(d).text} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.expr(d).text}"
        if k == 6:
            return f"({self.cond(d - 1)}) {self.pick('&&', '||')} ({self.cond(d - 1)})" if d > 0 else "true"
        if k == 7:
            return f"!({self.expr(d).text})"
        if k == 8 and self.has("float"):
            return self.pick(
                f"{self.fexpr(1)} {self.pick('<', '<=', '>', '==', '!=', '>=')} {self.fexpr(1)}",
                f"isnan({self.fexpr(1)})",
                f"isinf({self.fexpr(1)})",
                f"sgn({self.fexpr(1)})",
                f"isfinite({self.dexpr(1)})",
                f"!({self.dexpr(1)} < {self.dexpr(1)})",
            )
        return f"({self.expr(d).text} & {self.pick(1, 2, 3, 7, 16)}) != 0"
