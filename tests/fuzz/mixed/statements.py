"""What a thread does by itself: assignments, loops of every counter, switches that fall through, goto."""

from fuzz.mixed.floats import Floats
from fuzz.mixed.integers import INT, TYPES, E, common, conv, fits, limits, promote


class Statements(Floats):
    def statements(self, n):
        for _ in range(n):
            self.statement()

    def statement(self):
        if self.budget <= 0:
            return self.assign()
        self.budget -= 1
        o = [(self.assign, 5), (self.declare, 2), (self.if_, 3 * (self.depth < 4))]
        if self.has("loop"):
            o += [(self.loop, 4 * (self.depth < 3))]
        if self.has("switch"):
            o += [(self.switch, 4 * (self.depth < 3))]
        if self.has("float"):
            o += [(self.fassign, 5)]
        if self.has("ptr"):
            o += [(self.pointers, 3), (self.array_, 3)]
        if self.has("struct"):
            o += [(self.struct_, 4), (self.union_, 2)]
        if self.has("func"):
            o += [(self.chosen, 2)]
        if self.has("goto"):
            o += [(self.goto_, 2 * (self.depth < 3 and not self.infunc))]
        if self.has("lambda"):
            o += [(self.lambda_, 2 * (self.depth < 3))]
        if self.has("half") and self.has("float"):
            o += [(self.hassign, 3)]
        if self.has("vec"):
            o += [(self.vec, 3)]
        if self.has("fields"):
            o += [(self.fields, 3), (self.rotate, 2)]
        if self.has("class"):
            o += [(self.class_, 3), (self.table_, 3)]
        if self.has("references"):
            o += [(self.references, 3), (self.volatile_, 2)]
        if not self.infunc:
            if self.has("atomic"):
                o += [(self.own_atomic, 4)]
            if self.has("narrow"):
                o += [(self.store, 3), (self.row_loop, 2 * (self.depth < 3))]
            if self.depth == 0:
                if self.has("leave"):
                    o += [(self.leave, 2)]
                if self.has("exchange"):
                    o += [(self.exchanged, 3)]
                if self.has("shared"):
                    o += [(self.shared_, 5)]
                if self.has("dyn"):
                    o += [(self.dynamic, 3)]
                if self.has("warp"):
                    o += [(self.warp, 6), (self.warp_masked, 3)]
                if self.has("cg"):
                    o += [(self.tile, 4)]
                if self.has("atomic"):
                    o += [(self.shared_atomic, 2)]
        f = self.random.choices([x for x, _ in o], [w for _, w in o])[0]
        f()

    def nested(self, n=2):
        self.depth += 1
        self.statements(1 + self.random.randrange(n))
        self.depth -= 1

    def target(self):
        n, t = self.random.choice(self.vars)
        return n, t

    def assign(self):
        n, t = self.target()
        k = self.random.randrange(10)
        if k < 4:
            return self.line(f"{n} = {self.expr(3).text};")
        if k == 4 and not (INT[t][1] and INT[t][0] >= 32):
            return self.line(self.pick(f"{n}++;", f"--{n};", f"++{n};"))
        op = self.pick("+", "-", "*", "^", "&", "|", "<<", ">>")
        e = self.expr(2)
        if op in "^&|":
            return self.line(f"{n} {op}= {e.text};")
        if op in ("<<", ">>"):
            s = self.shift(E(n, t, *limits(t)), e)
            return (
                self.line(f"{n} = {s.text};")
                if op == "<<" and INT[promote(t)][1]
                else self.line(f"{n} {op}= {e.text} & {INT[promote(t)][0] - 1};")
            )
        c = common(t, e.type)
        (al, ah), (bl, bh) = conv(E("", t, *limits(t)), c), conv(e, c)
        rs = (
            [al + bl, ah + bh]
            if op == "+"
            else [al - bh, ah - bl]
            if op == "-"
            else [al * bl, al * bh, ah * bl, ah * bh]
        )
        if not INT[c][1] or fits(min(rs), max(rs), c):
            self.line(f"{n} {op}= {e.text};")
        else:
            self.line(f"{n} = {self.arith(op, E(n, t, *limits(t)), e).text};")

    def declare(self):
        t, n = self.random.choice(TYPES), self.name("v")
        self.line(f"{t} {n} = {self.expr(2).text};")
        self.vars.append((n, t))

    def if_(self):
        self.scope(f"if ({self.cond(2)})", lambda: self.nested())
        if self.chance(40):
            self.lines.pop()
            self.scope("} else", lambda: self.nested())

    def loop(self):
        i = self.name("i")
        t = self.random.choice(TYPES)
        lo, hi = limits(t)
        trips = self.pick(1, 2, 3, 5, 8, 9, 17)
        k = self.random.randrange(9)
        if k == 0:  # counts down, unsigned past zero
            u = self.pick("unsigned", "unsigned char", "unsigned long long", "unsigned short")
            n = self.expr(1)
            self.ro.append((i, u, *limits(u)))
            self.scope(f"for ({u} {i} = ({n.text}) & {self.pick(3, 7, 15)}; {i}-- > 0;)", self.body)
            self.ro.pop() if self.ro and self.ro[-1][0] == i else None
        elif k == 1:
            a = -self.random.randrange(1, 9) if lo < 0 else 0
            step = self.pick(1, 2, 3)
            bound = self.pick(f"({self.expr(1).text} & 15)", str(a + trips))
            bound = f"({self.pick('int', 'long long', 'short')})({bound})" if lo < 0 else bound
            ri = (i, t, a, 127)
            self.ro.append(ri)
            self.scope(f"for ({t} {i} = {a}; {i} < {bound}; {i} += {step})", self.body)
            self.ro.remove(ri)
        elif k == 2:  # bound by mixed comparison
            s = self.pick(1, 3, 7)
            head = f"for (long long {i} = (int)({self.expr(1).text} & 15) - 8; {i} < (long long)({self.expr(1).text} & 31u) - 5; {i} += {s})"
            self.ro.append((i, "long long", -1000, 1000))
            self.scope(head, self.body)
            self.ro.pop()
        elif k == 3:
            w = self.name("w")
            self.line(f"unsigned {w} = ({self.expr(1).text} & {self.pick(7, 31, 255)});")
            self.scope(
                f"while ({w})",
                lambda: (self.line(self.pick(f"{w} &= {w} - 1;", f"{w} >>= 1;", f"{w} /= 3;")), self.body()),
            )
        elif k == 4:
            w = self.name("w")
            self.line(f"int {w} = {trips};")
            self.scope("do", lambda: self.body(False), f"}} while (--{w} > 0 && ({self.cond(1)}));")
        elif k == 5:  # two counters
            j = self.name("j")
            self.ro += [(i, "int", 0, 64)]
            self.scope(
                f"for (int {i} = 0, {j}_ = 0; {i} < {trips}; {i}++, {j}_ += {i})",
                lambda: (
                    self.ro.append((j, "unsigned long long", 0, (1 << 64) - 1)),
                    self.line(
                        f"const unsigned long long {j} = (unsigned long long){j}_ * {self.pick(3, 5, 1099511627776)}ull;"
                    ),
                    self.body(),
                ),
            )
            self.ro.pop()
        elif k == 6:  # doubling, by 64 bits
            head = f"for (unsigned long long {i} = 1ull + ({self.expr(1).text} & 3); {i} < {self.pick(100, 5000, 1 << 40)}ull; {i} *= {self.pick(2, 3, 5)}ull)"
            self.ro.append((i, "unsigned long long", 0, (1 << 64) - 1))
            self.scope(head, self.body)
            self.ro.pop()
        elif k == 7:  # nested triangular
            j = self.name("j")
            head = f"for (int {i} = 0; {i} < {self.pick('6', '(int)(' + self.expr(1).text + ' & 7)')}; ++{i})"
            self.ro.append((i, "int", 0, 8))

            def inner():
                self.ro.append((j, "int", 0, 8))
                self.scope(
                    f"for (int {j} = {self.pick('0', i, i + ' / 2')}; {j} <= {self.pick(i, '3', '5')}; ++{j})",
                    self.body,
                )

            self.scope(head, inner)
            self.ro.pop()
        else:
            self.ro.append((i, "signed char", -128, 127))
            self.scope(f"for (signed char {i} = -3; {i} < 4; ++{i})", self.body)
            self.ro.pop()

    def body(self, breaks=True):
        self.nested(2)
        if breaks and self.chance(40):
            self.line(f"if ({self.cond(1)}) {self.pick('break', 'continue')};")
            self.nested(1)

    def switch(self):
        e = self.expr(2)
        m = self.pick(3, 5, 7, 8)
        t = e.text if self.chance(20) else f"({e.text}) % {m}"
        cases = self.random.sample(range(-3, 9), self.random.randrange(2, 6))
        big = INT[promote(e.type)]
        at_default = self.random.randrange(len(cases) + 1) if self.chance(60) else -1

        def body():
            for i, c in enumerate(cases):
                if i == at_default:
                    self.line("default: {")
                    keep = len(self.vars), len(self.fvars), len(self.ro), len(self.arrays)
                    self.nested(1)
                    del self.vars[keep[0] :], self.fvars[keep[1] :], self.ro[keep[2] :], self.arrays[keep[3] :]
                    self.line("}")
                if c < 0 and not big[1]:
                    c += 20
                self.line(f"case {c}:")
                if self.chance(20):
                    continue
                self.line("{")
                keep = len(self.vars), len(self.fvars), len(self.ro), len(self.arrays)
                self.nested(2)
                del self.vars[keep[0] :], self.fvars[keep[1] :], self.ro[keep[2] :], self.arrays[keep[3] :]
                self.line("}")
                if self.chance(50):
                    self.line(f"if ({self.cond(1)}) break;" if self.chance(30) else "break;")
            self.line(";")

        self.scope(f"switch ({t})", body)

    def goto_(self):
        label, c = self.name("L"), self.name("c")
        k = self.random.randrange(3)
        if k == 0:
            self.line("{")
            self.line(f"int {c} = 0;")
            self.line(f"{label}: ;")
            self.scope("", lambda: self.nested(2))
            self.line(f"if (++{c} < {self.pick(2, 3, 5)} && ({self.cond(1)})) goto {label};")
            self.line("}")
        elif k == 1:
            i, j = self.name("i"), self.name("j")
            self.line("{")
            self.ro += [(i, "int", 0, 5)]

            def inner():
                self.ro.append((j, "int", 0, 5))
                self.nested(1)
                self.line(f"if ({self.cond(1)}) goto {label};")

            self.scope(
                f"for (int {i} = 0; {i} < 4; ++{i})", lambda: self.scope(f"for (int {j} = 0; {j} < 5; ++{j})", inner)
            )
            self.ro.pop()
            self.line(f"{label}: ;")
            self.line("}")
        else:  # into the middle of arms
            self.line("{")
            self.line(f"if ({self.cond(1)}) goto {label}a;")
            self.scope("", lambda: self.nested(1))
            self.line(f"if ({self.cond(1)}) goto {label}b;")
            self.line(f"{label}a: ;")
            self.scope("", lambda: self.nested(1))
            self.line(f"{label}b: ;")
            self.line("}")

    def fassign(self):
        if not self.fvars or self.chance(30):
            t = self.pick("float", "float", "double")
            n = self.name("f")
            self.line(f"{t} {n} = {self.fexpr(2) if t == 'float' else self.dexpr(2)};")
            return self.fvars.append((n, t))
        n, t = self.random.choice(self.fvars)
        e = {"float": self.fexpr, "double": self.dexpr, "__half": self.hexpr}[t](3 if t != "__half" else 2)
        if t != "__half" and self.chance(30):
            return self.line(f"{n} {self.pick('+', '-', '/')}= {e};")
        self.line(f"{n} = {e};")

    def hassign(self):
        n = self.name("h")
        self.line(f"__half {n} = {self.hexpr(2)};")
        self.fvars.append((n, "__half"))
