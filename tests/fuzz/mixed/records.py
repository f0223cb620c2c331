"""Bit-fields, classes with operators, tables of several dimensions, references handed from call to call, rotations, volatile numbers."""

from fuzz.mixed.integers import INT, TYPES
from fuzz.mixed.objects import Objects

WIDE = "unsigned long long"


class Records(Objects):
    def of(self, t):
        return self.cast(self.expr(2), t).text

    def fields(self):
        s, x = self.name("F"), self.name("x")
        widths = [self.random.randrange(1, 20) for _ in range(3)]
        members = [
            ("a", f"unsigned a : {widths[0]}"),
            ("b", f"int b : {widths[1] + 1}"),
            ("c", f"unsigned short c : {self.pick(1, 5, 11, 16)}"),
        ]
        if self.chance(50):
            members.append(("d", f"{WIDE} d : {self.pick(33, 40, 63)}"))
        if self.chance(40):
            members.insert(1, ("", f"{self.pick('unsigned', WIDE)} : {self.pick(0, 3, 7)}"))
        if self.chance(40):
            members.append(("e", "signed char e : 3"))
        self.before.append(f"struct {s} {{ {' '.join(text + ';' for _, text in members)} }};")
        names = [n for n, _ in members if n]
        length = self.pick(1, 2, 3, 4)
        self.line(f"{s} {x}[{length}] = {{}};")
        for _ in range(self.random.randrange(2, 6)):
            a, b = (f"{x}[{self.index(length)}].{self.random.choice(names)}" for _ in range(2))
            wide = f"({WIDE})"
            self.line(
                self.pick(
                    f"{a} = {self.of('unsigned')};",
                    f"{a} = {wide}{a} * 5u + {wide}{b};",
                    f"{a} ^= {self.of('unsigned short')};",
                    f"if ({a} < {b}) {a} = {self.of('int')};",
                    f"{a} = {b};",
                    f"{{ const {s} other = {x}[{self.index(length)}]; {x}[{self.index(length)}] = other; }}",
                )
            )
        self.fold(
            " + ".join(f"({WIDE}){x}[{self.index(length)}].{n} * {k}u" for n, k in zip(names, (1, 77, 4099, 65537, 3)))
        )

    def class_(self):
        c, x, y = self.name("C"), self.name("x"), self.name("y")
        t, n = self.pick("unsigned", WIDE, "unsigned short", "unsigned char"), self.pick(2, 3, 4)
        self.before.append(
            f"""struct {c}_base {{ {t} v[{n}]; static __device__ int count() {{ return {n}; }}
  __device__ {t}& operator[](int i) {{ return v[i]; }} __device__ const {t}& operator[](int i) const {{ return v[i]; }} }};
struct {c} : {c}_base {{
  __device__ explicit {c}({t} first = 1) {{ for (int i = 0; i < {n}; ++i) v[i] = ({t})(first + ({t})(i * 3)); }}
  __device__ {c}& operator+=(const {c}& o) {{ for (int i = 0; i < {n}; ++i) v[i] = ({t})(({WIDE})v[i] + o.v[{n} - 1 - i]); return *this; }}
  __device__ friend {c} operator*({c} a, {t} k) {{ for ({t}& each : a.v) each = ({t})(({WIDE})each * k); return a; }}
  __device__ bool operator<(const {c}& o) const {{ for (int i = 0; i < {n}; ++i) {{ if (v[i] < o.v[i]) return true; if (o.v[i] < v[i]) break; }} return false; }}
  __device__ explicit operator {WIDE}() const {{ {WIDE} h = 7; for (const {t} each : v) h = h * 31 + each; return h; }}
  __device__ {c}& larger({c}& o) {{ return o < *this ? *this : o; }} }};"""
        )
        self.line(f"{c} {x}({self.of(t)}), {y};")
        for _ in range(self.random.randrange(1, 5)):
            self.line(
                self.pick(
                    f"{x} += {y};",
                    f"{y} += {y};",
                    f"{y} = {x} * {self.of(t)};",
                    f"{x}[{self.index(n)}] = {self.of(t)};",
                    f"if ({x} < {y}) {{ {c} s = {x}; {x} = {y}; {y} = s; }}",
                    f"{x}.larger({y})[{self.index(n)}] ^= {self.of(t)};",
                    f"({x} += {y}) += {x}.larger({y});",
                    f"for (int i = 0; i < (int)(({WIDE}){x} & 3); ++i) {y} = {y} * 3 * (({t}){x}[i % {c}::count()]);",
                )
            )
        self.fold(f"({WIDE}){x} ^ ({WIDE}){y} * 3")

    def table_(self):
        t, n, rows, columns = self.random.choice(TYPES), self.name("r"), self.pick(2, 3, 4), self.pick(2, 3, 5)
        p = self.name("p")
        self.line(f"{t} {n}[{rows}][{columns}];")
        self.line(
            f"for (int i = 0; i < {rows}; ++i) for (int j = 0; j < {columns}; ++j) {n}[i][j] = ({t})((i * 7 + j * 3) ^ ({self.of('int')} & 0x3ff));"
        )
        place = lambda: f"{n}[{self.index(rows)}][{self.index(columns)}]"
        for _ in range(self.random.randrange(1, 4)):
            self.line(
                self.pick(
                    f"{place()} = {self.of(t)};",
                    f"{{ {t} (*{p})[{columns}] = {n} + ({self.index(rows)}); (*{p})[{self.index(columns)}] ^= {self.of(t)}; {p}[0][{self.index(columns)}] = {place()}; }}",
                    f"{{ {t} *{p} = &{n}[0][0], *end = {p} + {rows * columns}; for (; {p} != end; {p} += {self.pick(1, columns)}) {{ if (*{p} == {self.of(t)}) break; *{p} = ({t})(({WIDE})*{p} * 3 + (end - {p})); }} }}",
                    f"for (int i = 0; i < {rows}; ++i) for (int j = 0; j < {min(rows, columns)}; ++j) if (i < {columns} && i < j && j < {rows}) {{ {t} s = {n}[i][j]; {n}[i][j] = {n}[j][i]; {n}[j][i] = s; }}",
                )
            )
        self.fold(f"({WIDE}){place()} * 3 + ({WIDE}){place()}")

    def references(self):
        f, t = self.name("rf"), self.pick("unsigned", WIDE, "unsigned short", "unsigned char")
        how = lambda: self.pick("", "__noinline__ ", "__forceinline__ ")
        self.before.append(
            f"""__device__ {how()}void {f}swap({t}& a, {t}& b) {{ {t} s = a; a = b; b = s; }}
__device__ {how()}{t}& {f}of({t}& a, {t}& b, int k) {{ return k & 1 ? a : b; }}
__device__ {how()}int {f}walk({t} (&v)[4], {t}& into, const {t}& by, int& steps) {{
  for (int i = 0; i < 4; ++i, ++steps) {{ {f}swap(v[i], {f}of(into, v[3 - i], (int)by)); if ((v[i] & 3) == 1) continue; if ((into & 7) == 3) return i; v[i] = ({t})(({WIDE})v[i] * 5 + by + steps); }}
  return steps; }}
__device__ {how()}void {f}back({t} *__restrict__ v, const {t} *__restrict__ from, int n) {{ if (n == 0) return; v[n - 1] = ({t})(v[n - 1] ^ from[4 - n]); {f}back(v, from, n - 1); }}"""
        )
        v, w, a, k = self.name("v"), self.name("v"), self.name("v"), self.name("k")
        self.line(
            f"{t} {v}[4] = {{{', '.join(self.of(t) for _ in range(4))}}}, {w}[4] = {{1, 2, 3, {self.of(t)}}}, {a} = {self.of(t)}; int {k} = 0;"
        )
        for _ in range(self.random.randrange(1, 4)):
            self.line(
                self.pick(
                    f"{f}swap({f}of({a}, {v}[1], {self.of('int')}), {v}[{self.index(4)}]);",
                    f"{k} += {f}walk({v}, {self.pick(a, v + '[2]', w + '[0]')}, {self.pick(a, v + '[1]', w + '[3]')}, {k}) & 15;",
                    f"{f}back({v}, {w}, {self.pick('4', '3', self.index(4))});",
                    f"if ({self.cond(1)}) {f}of({v}[{self.index(4)}], {w}[{self.index(4)}], {k}) = {self.of(t)};",
                    f"{f}of({f}of({a}, {v}[0], {k}), {f}of({w}[1], {w}[2], {self.of('int')}), {k} >> 1) ^= {self.of(t)};",
                )
            )
        self.fold(
            f"(({WIDE}){v}[0] * 3 + {v}[1] * 5ull + {v}[2] * 7ull + {v}[3]) ^ {w}[{self.index(4)}] + ({WIDE}){a} * 11 + (unsigned){k}"
        )

    def rotate(self):
        t = self.pick("unsigned", WIDE, "unsigned short", "unsigned char")
        bits, x, k = INT[t][0], self.name("x"), self.name("k")
        self.line(f"{t} {x} = {self.of(t)}; const int {k} = {self.of('int')} & {bits - 1};")
        self.line(
            self.pick(
                f"{x} = ({t})({x} << {k} | {x} >> ({bits} - {k} & {bits - 1}));",
                f"{x} = ({t})({x} >> {k} | {x} << ({bits} - {k} & {bits - 1}));",
                f"for (int i = 0; i < ({k} & 7); ++i) {x} = ({t})(({x} << 1 | {x} >> {bits - 1}) ^ ({t}){self.of(t)});",
                f"{x} = ({t})(({WIDE})((long long)(({WIDE}){x} << {64 - bits}) >> {k}) ^ {x});",
                f"{x} = ({t})((({WIDE}){x} << 32 | (unsigned){self.of('unsigned')}) >> {k});",
            )
        )
        self.fold(x)
        self.vars.append((x, t))

    def volatile_(self):
        t, v = self.random.choice(TYPES), self.name("q")
        self.line(f"volatile {t} {v} = {self.of(t)};")
        if self.chance(50):
            self.scope(f"if ({self.cond(1)})", lambda: self.line(f"{v} = ({t})({v} ^ {self.of(t)});"))
        self.line(f"for (int i = 0; i < ({self.of('int')} & 3); ++i) {v} = ({t})(({WIDE}){v} * 3 + i);")
        self.fold(f"({WIDE}){v}")

    def leave(self):
        """Whole blocks end before barriers that others meet."""
        n, _ = self.target()
        who = self.pick("blockIdx.x == 1", "(blockIdx.x + blockIdx.y) % 2 == 1", "gridDim.x > 2 && blockIdx.x == 0")
        self.line(
            f"if ({who} && (scalar & {self.pick(1, 2, 3)}) == {self.pick(0, 1, 2)}) {{ out[gid] = ({WIDE}){n} * 31; return; }}"
        )

    def exchanged(self):
        """Records that lanes hand on word by word."""
        if self.threads % 32:
            return self.assign()
        s, f, x, t = self.name("X"), self.name("ex"), self.name("x"), self.random.choice(TYPES)
        self.before.append(
            f"struct {s} {{ {t} a; {self.pick('unsigned char', 'short', WIDE)} b; unsigned short c[3]; }};\n"
            f"template <class T> __device__ T {f}(T v, int from) {{ int w[(sizeof(T) + 3) / 4] = {{}}; memcpy(w, &v, sizeof(T)); "
            f"for (int& each : w) each = __shfl_{self.pick('sync(0xffffffffu, each, from)', 'xor_sync(0xffffffffu, each, from & 31)')}; memcpy(&v, w, sizeof(T)); return v; }}"
        )
        self.line(f"{s} {x} = {{({t})({self.expr(1).text}), 3, {{1, 2, {self.of('unsigned short')}}}}};")
        self.line(f"{x} = {f}({x}, {self.pick('(lane * 7 + 3) & 31', 'lane ^ 5', f'{self.pick(0, 9, 31)}')});")
        if self.chance(50):
            self.line(f"if ({self.cond(1)}) {x}.c[{self.index(3)}] = {self.of('unsigned short')};")
            self.line(f"{x} = {f}({x}, {self.of('int')} & 31);")
        self.fold(f"({WIDE}){x}.a * 3 + ({WIDE}){x}.b + {x}.c[0] + {x}.c[1] * 5ull + {x}.c[2] * 65537ull")
