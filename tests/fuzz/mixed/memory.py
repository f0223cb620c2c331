"""Memory of all and of the block: narrow elements, atomics of each type, arrays of several types in one."""

import math

from fuzz.mixed.integers import INT, TYPES, E, limits
from fuzz.mixed.records import Records


class Memory(Records):
    def store(self):
        t = self.random.choice(list(self.outs))
        o = self.outs[t]
        k = self.random.randrange(4)
        if k == 0:
            self.line(f"{o}[gid] = {self.expr(2).text};")
        elif k == 1:
            self.line(f"{o}[gid] ^= {self.expr(2).text};")
        elif k == 2:
            self.line(f"if ({self.cond(1)}) {o}[gid] = {self.expr(2).text};")
        else:
            n, _ = self.target()
            self.line(f"{o}[{self.total - 1} - gid + {self.total}] = {n};")

    def row_loop(self):
        """A loop over a row of narrow numbers, as vectorizers like them."""
        t = self.random.choice(list(self.ins))
        i, s = self.name("i"), self.name("s")
        ct = self.pick("int", "unsigned", "long long", "unsigned long long", "short", "unsigned char")
        st = self.pick("int", "unsigned", "long long", "unsigned long long", "short", "unsigned char")
        n = self.pick(7, 8, 16, 33, 40)
        n = min(n, self.total)
        a = self.ins[t]
        start = self.pick("0", "0", "gid & 3", "st & 1")
        self.line(f"{st} {s} = {self.expr(1).text};")
        at = self.pick(f"{i}", f"{i}", f"({i} + gid) % {self.total}u", f"{n} - 1 - {i}", f"{i} / 2")
        rm = (i, ct, 0, 63)
        self.ro.append(rm)
        e = E(f"{a}[{at}]", t, *limits(t))
        for _ in range(2):
            if self.chance(70):
                e = (
                    self.arith(self.pick("+", "-", "*"), e, self.expr(1))
                    if self.chance(60)
                    else self.shift(e, self.expr(0))
                )
        S = E(s, st, *limits(st))
        upd = self.pick(
            f"{s} ^= {e.text};",
            f"{s} = {self.arith('+', S, e).text};",
            f"if ({e.text} > {s}) {s} = {e.text};",
            f"{s} = {self.arith('+', self.arith('*', S, E('3', 'int', 3, 3)), e).text};",
            f"if ({e.text} & {self.pick(1, 4)}) {s} ^= {i};",
        )
        brk = f"if ({a}[{at}] == {self.pick(0, 3, 5)}) {self.pick('break', 'continue')};" if self.chance(25) else ""
        self.line(
            f"for ({ct} {i} = {start}; {i} < {n}; {self.pick('++' + i, i + ' += 2', i + '++')}) {{ {brk} {upd} }}"
        )
        self.ro.remove(rm)
        self.vars.append((s, st))

    def own_atomic(self):
        """On a cell of the thread's own: what it gives is known."""
        t = self.pick("int", "unsigned", "unsigned long long", "int", "unsigned", "long long", "float")
        arr = self.cells[t]
        n, vt = self.target()
        cell = f"&{arr}[gid]"
        if t == "float":
            return self.line(
                f"{n} ^= fbits(atomic{self.pick('Add', 'Exch')}({cell}, (float)(({self.expr(1).text}) & 1023)));"
            )
        v = self.cast(self.expr(2), t).text
        ops = (
            ["Exch", "Min", "Max", "And", "Or", "Xor"]
            + ["Add"] * (t != "long long")
            + ["Sub"] * (t in ("int", "unsigned"))
            + ["Inc", "Dec"] * (t == "unsigned")
        )
        ops = (
            ["Exch", "Min", "Max", "And", "Or", "Xor"]
            + ["Add"] * (t != "long long")
            + ["Sub"] * (t in ("int", "unsigned"))
            + ["Inc", "Dec"] * (t == "unsigned")
        )
        if t == "long long":
            ops = ["Min", "Max"]
        elif self.chance(25):
            return self.line(
                f"{n} ^= atomicCAS({cell}, {self.pick(v, arr + '[gid]')}, {self.cast(self.expr(2), t).text});"
            )
        op = self.random.choice(ops)
        self.line(
            f"{n} {self.pick('^', '^', '')}= atomic{op}({cell}, {v});"
            if self.chance(80)
            else f"if ({self.cond(1)}) atomic{op}({cell}, {v});"
        )

    def shared_atomic(self):
        """Counters of the block by each type, and a loop of compare-and-swap."""
        s = self.name("sc")
        t = self.pick("int", "unsigned", "unsigned long long")
        m = self.pick(1, 3, 8)
        self.line(f"__shared__ {t} {s}[{m}];")
        self.line(
            f"if (t < {m}) {s}[t] = ({t})(t * 3);"
            if self.threads >= m
            else f"for (int i = t; i < {m}; i += {self.threads}) {s}[i] = ({t})(i * 3);"
        )
        self.line("__syncthreads();")
        v, at = self.cast(self.expr(2), t).text, self.index(m)
        k = self.random.randrange(3)
        if k == 0:
            self.line(f"if ({self.cond(1)}) atomic{self.pick('Add', 'Max', 'Min', 'Xor', 'Or')}(&{s}[{at}], {v});")
        elif k == 1:
            self.line(
                f"{{ {t}* p = &{s}[{at}]; {t} old = *(volatile {t}*)p, seen; do {{ seen = old; old = atomicCAS(p, seen, ({t})(seen ^ {v})); }} while (old != seen); }}"
            )
        else:
            self.line(
                f"for (int i = 0; i < {self.pick(2, 3)}; ++i) atomic{self.pick('Add', 'Xor', 'Max')}(&{s}[({at} + i) % {m}u], {v});"
            )
        self.line("__syncthreads();")
        self.fold(f"{s}[{self.index(m)}]")
        self.line("__syncthreads();")

    def shared_(self):
        s = self.name("sh")
        t = self.random.choice(TYPES + ["float"])
        n = self.threads
        vol = "volatile " if self.has("volatile") and self.chance(50) else ""
        two = len(self.shape) > 1 and self.chance(50)
        if two:
            dims = self.shape + (1,) * (2 - len(self.shape))
            rows = math.prod(dims[1:])
            self.line(f"__shared__ {vol}{t} {s}[{rows}][{dims[0] + self.pick(0, 1)}];")
            row = "(threadIdx.y + threadIdx.z * %d)" % (self.shape[1],)
            mine, other = f"{s}[{row}][threadIdx.x]", lambda: f"{s}[{self.index(rows)}][{self.index(dims[0])}]"
        else:
            self.line(f"__shared__ {vol}{t} {s}[{n}];")
            mine, other = (
                f"{s}[t]",
                lambda: self.pick(
                    f"{s}[{n - 1} - t]",
                    f"{s}[{self.index(n)}]",
                    f"{s}[(t + {self.random.randrange(n + 1)}) % {n}]",
                    f"{s}[t / 2]",
                ),
            )
        self.line(f"{mine} = {self.fexpr(2) if t == 'float' else self.expr(2).text};")
        self.line("__syncthreads();")
        if t == "float":
            self.fold(f"fbits({other()})")
        else:
            k = self.random.randrange(4)
            if k == 0 and not two and not vol:  # other eyes
                self.fold(f"reinterpret_cast<const unsigned char*>({s})[{self.index(n * INT[t][0] // 8)}]")
            elif k == 1 and not two:
                i = self.name("i")
                self.line(
                    f"{{ unsigned long long z = 0; for (int {i} = {self.pick('0', 't')}; {i} < {n}; {i} += {self.pick(1, 2, 3)}) z = z * 3 + {s}[{i}]; {self.target()[0]} ^= z; }}"
                )
            else:
                self.fold(other())
        self.line("__syncthreads();")
        if self.chance(30):
            if t == "float":
                self.line(f"if ({self.cond(1)}) {mine} = {self.fexpr(1)};")
            else:
                self.line(f"if ({self.cond(1)}) {mine} = {self.expr(1).text};")
            self.line("__syncthreads();")
            self.fold(f"fbits({other()})" if t == "float" else other())
            self.line("__syncthreads();")

    def dynamic(self):
        """Arrays of several types that lie in dynamic shared memory."""
        self.dyn = 24 * self.threads + 64
        a1, a2, a3 = self.name("d"), self.name("d"), self.name("d")
        t1, t2, t3 = (
            self.pick("long long", "unsigned long long", "double"),
            self.pick("int", "unsigned", "float"),
            self.pick("short", "unsigned char", "signed char"),
        )
        self.line(
            f"{t1}* {a1} = reinterpret_cast<{t1}*>(pool); {t2}* {a2} = ({t2}*)({a1} + {self.threads}); {t3}* {a3} = ({t3}*)(void*)({a2} + {self.threads});"
        )
        self.line("__syncthreads();")
        val = lambda t: f"({t})({self.expr(2).text})"
        self.line(f"{a1}[t] = {val(t1)}; {a2}[t] = {val(t2)}; {a3}[t] = {val(t3)};")
        self.line("__syncthreads();")
        ix = lambda: self.index(self.threads)
        get = lambda a, t: (
            f"fbits({a}[{ix()}])" if t == "float" else f"dbits({a}[{ix()}])" if t == "double" else f"{a}[{ix()}]"
        )
        self.fold(f"{get(a1, t1)} + (unsigned long long){get(a2, t2)} * 3 + {get(a3, t3)}")
        if self.chance(40) and t1 != "double":
            self.fold(f"pool[{self.index(8 * self.threads)}]")
        self.line("__syncthreads();")
