"""Functions that a thread calls: recursive, templates, of any number of arguments."""

from fuzz.mixed.integers import TYPES
from fuzz.mixed.lanes import Lanes


class Functions(Lanes):
    def make_funcs(self):
        out, self.lines = self.lines, []
        self.infunc, ind, self.indent = True, self.indent, 1
        for _ in range(self.random.randrange(1, 4)):
            f, t = self.name("fn"), self.random.choice(TYPES)
            ps = [self.random.choice(TYPES) for _ in range(self.pick(1, 2, 3))]
            self.vars = [(f"p{i}_", p) for i, p in enumerate(ps)] + [("z", t)]
            self.fvars, self.arrays, self.ro = [], [], []
            budget, self.budget = self.budget, 4
            decl = ", ".join(f"{p} p{i}_" for i, p in enumerate(ps))
            self.lines = []
            k = self.random.randrange(4)
            if k == 0 and len(ps) > 1:  # recursion
                self.line(f"{t} z = 1;")
                self.line(f"if (({self.cond(1)}) || (p0_ & 7) == 0) return ({t})({self.expr(2).text});")
                self.line(
                    f"z = {f}(({ps[0]})(p0_ & ((p0_ & 7) - 1)), {', '.join(self.cast(self.expr(1), p).text for p in ps[1:])});"
                )
                self.line(f"return ({t})(z ^ ({self.expr(2).text}));")
            else:
                self.line(f"{t} z = ({t})({self.vars[0][0]});")
                self.statements(self.random.randrange(1, 4))
                if self.chance(30):
                    self.line(f"if ({self.cond(1)}) return ({t})({self.expr(1).text});")
                self.line(f"return ({t})({self.expr(2).text});")
            how = self.pick("", "__noinline__ ", "__forceinline__ ", "")
            self.before.append(f"__device__ {how}{t} {f}({decl}) {{\n" + "\n".join(self.lines) + "\n}")
            self.funcs.append((f, t, ps))
            self.budget = budget
        if self.has("tmpl"):
            f = self.name("tp")
            self.before.append(
                f"template <int N, class T> struct {f}_s {{ static __device__ T go(T x) {{ return {f}_s<N - 1, T>::go((T)(x * 3 + N)) ^ (T)N; }} }};\n"
                f"template <class T> struct {f}_s<0, T> {{ static __device__ T go(T x) {{ return x; }} }};\n"
                f"template <class T> __device__ T {f}(T x) {{ if constexpr (sizeof(T) == 8) return {f}_s<{self.pick(3, 5)}, T>::go(x); else return (T){f}_s<2, T>::go(x); }}"
            )
            for t in ("unsigned", "unsigned long long", "unsigned char"):
                self.funcs.append((f"{f}<{t}>", t, [t]))
            g = self.name("va")
            self.before.append(
                f"template <class... A> __device__ unsigned long long {g}(A... a) {{ unsigned long long h = sizeof...(A); ((h = h * 31 + (unsigned long long)a), ...); return h; }}"
            )
            self.funcs.append((g, "unsigned long long", [self.random.choice(TYPES) for _ in range(4)]))
        if self.has("float"):
            f = self.name("ff")
            self.vars, self.fvars, self.arrays, self.ro = [("k", "int")], [("x", "float"), ("y", "float")], [], []
            self.lines = []
            self.line("int k = 3;")
            self.fassign()
            self.line(f"return {self.fexpr(2)};")
            self.before.append(f"__device__ float {f}(float x, float y) {{\n" + "\n".join(self.lines) + "\n}")
            self.ffuncs.append(f)
        self.lines, self.infunc, self.indent = out, False, ind
