"""Arrays, pointers, structures, lambdas and vectors of a thread."""

from fuzz.mixed.integers import TYPES, limits
from fuzz.mixed.statements import Statements


class Objects(Statements):
    def array_(self):
        t, n, length = self.random.choice(TYPES), self.name("a"), self.pick(4, 8, 8, 5, 16)
        self.line(f"{t} {n}[{length}];")
        self.line(
            f"for (int i = 0; i < {length}; ++i) {n}[i] = ({t})(i * {self.pick(3, 7, 11, 257)} + ({self.cast(self.expr(1), 'int').text} & 0xfff));"
        )
        self.arrays.append((n, t, length))
        for _ in range(self.random.randrange(3)):
            self.line(f"{n}[{self.index(length)}] = {self.expr(2).text};")
        if self.chance(30):
            i = self.name("i")
            self.line(
                f"for (int {i} = {length} - 1; {i} > 0; --{i}) {{ {t} s = {n}[{i}]; {n}[{i}] = {n}[{i} - 1]; {n}[{i} - 1] = s; }}"
                if self.chance(50)
                else f"for (int {i} = 1; {i} < {length}; ++{i}) {{ {t} x = {n}[{i}]; int j = {i} - 1; while (j >= 0 && {n}[j] > x) {{ {n}[j + 1] = {n}[j]; --j; }} {n}[j + 1] = x; }}"
            )

    def pointers(self):
        same = {}
        for n, t in self.vars:
            same.setdefault(t, []).append(n)
        same = {t: ns for t, ns in same.items() if len(ns) > 1}
        if not same:
            return self.assign()
        t = self.random.choice(list(same))
        a, b = self.random.sample(same[t], 2)
        p, q, pp = self.name("p"), self.name("q"), self.name("pp")
        k = self.random.randrange(4)
        if k == 0:
            self.line(f"{t} *{p} = &{a}, *{q} = &{b}, **{pp} = ({self.cond(1)}) ? &{p} : &{q};")
            self.line(f"**{pp} = {self.expr(2).text};")
            self.line(f"{{ {t}* s = {p}; {p} = {q}; {q} = s; }}" if self.chance(50) else f"*{pp} = {self.pick(p, q)};")
            self.line(f"**{pp} ^= {self.expr(1).text};")
        elif k == 1:
            self.line(f"{t} *{p}[3] = {{&{a}, &{b}, &{self.pick(a, b)}}};")
            self.line(f"*{p}[{self.index(3)}] = {self.expr(2).text};")
            self.line(f"*{p}[{self.index(3)}] ^= {self.expr(2).text};")
        elif k == 2 and [x for x in self.arrays if x[1] == t and x[0][0] == "a"]:
            n, _, length = self.random.choice([x for x in self.arrays if x[1] == t and x[0][0] == "a"])
            self.line(f"{t} *{p} = {n} + ({self.index(length)});")
            self.line(f"if ({self.cond(1)}) {p} = &{a};")
            self.line(f"*{p} = {self.expr(2).text};")
            self.line(f"{b} ^= *{p};")
        else:
            self.line(f"{t} &{p} = ({self.cond(1)}) ? {a} : {b};")
            self.line(f"{p} = {self.expr(2).text};")
            self.line(f"{a} ^= {b};")

    def struct_(self):
        s, x, y = self.name("S"), self.name("x"), self.name("y")
        fs = [(f"m{i}", self.random.choice(TYPES)) for i in range(self.random.randrange(2, 5))]
        attribute = self.pick("", "", "__align__(16) ") if self.has("align") else ""
        extra = f" {self.pick('signed char', 'short', 'unsigned')} v[3];"
        self.before.append(
            f"struct {attribute}{s} {{ {' '.join(f'{t} {n};' for n, t in fs)}{extra}\n"
            f"  __device__ {s} turned(int k) const {{ {s} r = *this; r.v[0] = v[1]; r.v[1] = v[2]; r.v[2] = v[0]; if (k & 1) r.{fs[0][0]} = ({fs[0][1]}){fs[1][0]}; return r; }} }};"
        )
        f = self.name("mk")
        self.before.append(
            f"__device__ {s} {f}({s} a, const {s}& b, bool c) {{ if (c) {{ a.{fs[0][0]} ^= b.{fs[0][0]}; return a; }} {s} r = b; r.v[2] = a.v[0]; return r; }}"
        )
        init = ", ".join(f"({t})({self.expr(1).text})" for _, t in fs)
        self.line(
            f"{s} {x} = {{{init}, {{1, 2, 3}}}}, {y}[2] = {{{x}, {x}.turned({self.cast(self.expr(1), 'int').text})}};"
        )
        for _ in range(self.random.randrange(1, 4)):
            k = self.random.randrange(7)
            a = self.pick(x, f"{y}[0]", f"{y}[{self.index(2)}]")
            b = self.pick(x, f"{y}[1]", f"{y}[{self.index(2)}]")
            n, t = self.random.choice(fs)
            if k == 0:
                self.line(f"{a} = {f}({a}, {b}, {self.cond(1)});")
            elif k == 1:
                self.line(f"{a}.{n} = {self.expr(2).text};")
            elif k == 2:
                self.line(f"{a} = ({self.cond(1)}) ? {b} : {x};")
            elif k == 3:
                self.line(f"{{ {s} s = {a}; {a} = {b}; {b} = s; }}" if a != b else f"{a}.v[1] = 9;")
            elif k == 4:
                self.line(f"memcpy(&{a}, &{b}, sizeof({s}));" if a != b else f"{a}.v[0] ^= 5;")
            elif k == 5:
                self.line(f"if ({self.cond(1)}) {a} = {b}.turned({self.pick(0, 1, 2)});")
            else:
                self.line(
                    f"{{ {s}* p = &{a}; p->v[{self.index(3)}] = {self.expr(1).text}; (*p).{n} ^= {self.expr(1).text}; {t} {s}::*m = &{s}::{n}; p->*m = {self.expr(1).text}; }}"
                )
        nested = [(f"{x}.{n}", t) for n, t in fs] + [(f"{y}[{i}].{n}", t) for i in (0, 1) for n, t in fs]
        self.vars += self.random.sample(nested, min(3, len(nested)))
        self.fold(f"{x}.v[0] + {y}[0].v[1] * 3 + {y}[1].v[2] * 5")

    def fold(self, text):
        n, t = self.target()
        self.line(f"{n} ^= {text};")

    def lambda_(self):
        f = self.name("g")
        t = self.random.choice(TYPES)
        cap = self.pick("&", "=", "&")

        def body():
            if cap == "&":
                self.nested(2)
            self.line(f"if ({self.cond(1)}) return ({t})({self.expr(1).text});")
            self.line(f"return ({t})({self.expr(2).text});")

        self.ro.append(("q_", t, *limits(t)))
        goto = self.has("goto")
        self.features.discard("goto")
        self.scope(f"auto {f} = [{cap}]({t} q_) -> {t}", body, "};")
        if goto:
            self.features.add("goto")
        self.ro.remove(("q_", t, *limits(t)))
        n, _ = self.target()
        self.line(
            f"{n} ^= {f}({self.expr(1).text});"
            if self.chance(50)
            else f"{n} = ({self.cond(1)}) ? {f}({self.expr(1).text}) : {f}({f}({self.expr(1).text}));"
        )

    def union_(self):
        u, x = self.name("U"), self.name("u")
        self.before.append(
            f"union {u} {{ unsigned long long q; unsigned w[2]; unsigned short h[4]; unsigned char b[8]; }};"
        )
        self.line(f"{u} {x}; {x}.q = {self.cast(self.expr(2), 'unsigned long long').text};")
        for _ in range(self.random.randrange(1, 4)):
            part = self.pick(f"b[{self.index(8)}]", f"h[{self.index(4)}]", f"w[{self.index(2)}]")
            self.line(f"{x}.{part} {self.pick('', '^', '|')}= {self.expr(1).text};")
        n, _ = self.target()
        self.line(f"{n} ^= {x}.{self.pick(f'b[{self.index(8)}]', f'h[{self.index(4)}]', f'w[{self.index(2)}]', 'q')};")

    def chosen(self):
        """Functions by their addresses, in a table of the thread; numbers in one of the program."""
        f, p, b, t = self.name("ch"), self.name("fp"), self.name("tb"), self.random.choice(TYPES)
        wide = "(unsigned long long)"
        for name, body in (
            ("a", f"return ({t})({wide}x * 3 + {wide}k);"),
            ("b", f"if (k & 1) return x; return ({t})({wide}x ^ {wide}(k >> 1));"),
            ("c", f"for (int i = 0; i < (k & 7); ++i) x = ({t})({wide}x * 5 + i); return x;"),
        ):
            self.before.append(f"__device__ {self.pick('', '__noinline__ ')}{t} {f}{name}({t} x, int k) {{ {body} }}")
        self.line(f"{t} (*{p}[3])({t}, int) = {{{f}a, {f}{self.pick('a', 'b')}, {f}c}};")
        self.line(f"static const {t} {b}[5] = {{{', '.join(str(self.pick(0, 1, 7, 100, 127)) for _ in range(5))}}};")
        n, _ = self.target()
        first, k = self.cast(self.expr(1), t).text, self.cast(self.expr(1), "int").text
        self.line(f"{n} ^= (unsigned long long){p}[{self.index(3)}]({first}, {k}) + {b}[{self.index(5)}];")

    def vec(self):
        t, e, n = self.pick(
            ("uchar4", "unsigned char", 4),
            ("short2", "short", 2),
            ("int3", "int", 3),
            ("uint4", "unsigned", 4),
            ("longlong2", "long long", 2),
            ("ushort4", "unsigned short", 4),
            ("char3", "signed char", 3),
        )
        v = self.name("w")
        self.line(f"{t} {v} = make_{t}({', '.join(self.cast(self.expr(1), e).text for _ in range(n))});")
        for c in "xyzw"[:n]:
            self.vars.append((f"{v}.{c}", e))
        if self.chance(40):
            self.line(f"{{ {t} o = {v}; {v}.x = o.y; {v}.y = o.x; }}")
        if self.chance(40):
            self.line(
                f"if ({self.cond(1)}) {v} = make_{t}({', '.join(self.cast(self.expr(1), e).text for _ in range(n))});"
            )
