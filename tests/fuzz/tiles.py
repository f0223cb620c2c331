"""Random statements as programs have them: margins, buffers by turns, tiles of matrices, sorting, bodies, last blocks."""

from fuzz.blocks import Blocks
from fuzz.places import THREAD, Variable


class Tiles(Blocks):
    def tile_options(self, place):
        has, loop = self.has, place.trips >= 3 and place.depth < 4
        shared, top = has("shared"), place.depth < 2
        return [
            (self.halo, 2 * shared),
            (self.double_buffer, 2 * shared * loop),
            (self.product, 2 * has("row") * shared * (len(self.shape) == 2) * top),
            (self.bodies, 2 * has("row") * bool(self.own_number(place)) * top),
            (self.bitonic, 1 * bool(self.own_number(place)) * (self.threads & (self.threads - 1) == 0) * top),
            (self.last_block, 2 * has("global") * (place.depth == 0) * (not self.gone) * (not self.has_last)),
        ]

    def halo(self, place):
        """A row with a margin."""
        h, n = self.name("halo"), self.threads
        self.line(f"__shared__ unsigned {h}[{n + 2}];")
        self.sync()
        self.line(f"{h}[t + 1u] = {self.unsigned(place, THREAD, 2)};")
        self.line(f"if (t == 0u) {h}[0] = {self.unsigned(place, THREAD, 1)};")
        self.line(f"if (t == {n - 1}u) {h}[{n + 1}] = {self.unsigned(place, THREAD, 1)};")
        if self.gone:  # who is not there writes nothing
            self.lines[-3:-3] = [
                "  " * self.indent + f"for (unsigned i = t; i < {n + 2}u; i += {n}u) {h}[i] = 0u;",
                "  " * self.indent + "__syncthreads();",
            ]
        self.sync()
        if self.gone:
            return self.give(place, f"{h}[t + 1u]")
        self.give(place, f"{h}[t] {self.pick('+', '^', '-')} {h}[t + 1u] * {h}[t + 2u]")

    def double_buffer(self, place):
        """Each pass reads what the one before wrote."""
        d, i, n, limit = self.name("two"), self.name("i"), self.threads, 2 + self.below(3)
        if self.gone:
            return self.share(place) if self.own(place) else self.barrier(place)
        self.line(f"__shared__ unsigned {d}[2][{n}];")
        self.line(f"{d}[0][t] = {self.unsigned(place, THREAD, 2)};")
        self.sync()
        j = Variable(i, "int", place.level, False)
        inner = place.but(variables=place.variables + (j,), can_return=False)
        read = f"{d}[{i} & 1][(t + {1 + self.below(40)}u) % {n}u]"

        def body():
            self.line(f"{d}[({i} + 1) & 1][t] = {read} {self.pick('+', '^')} {self.unsigned(inner, THREAD, 1)};")
            self.line("__syncthreads();")

        self.block(f"for (int {i} = 0; {i} < {limit}; ++{i})", body)
        self.give(place, f"{d}[{limit & 1}][{n - 1}u - t]")
        self.sync()

    def product(self, place):
        """A product of matrices by tiles."""
        x, y = self.shape
        a, b, k, v = self.name("a"), self.name("b"), self.name("k"), self.name("x")
        depth = min(x, y)
        if self.gone:
            return self.barrier(place)
        self.line(f"__shared__ unsigned {a}[{y}][{depth}], {b}[{depth}][{x}{self.pick('', ' + 1')}];")
        self.line(f"unsigned {v} = 0u;")

        def body():
            self.line(f"if (threadIdx.x < {depth}u) {a}[threadIdx.y][threadIdx.x] = in[(gid * 3u + {k}) % n];")
            self.line(f"if (threadIdx.y < {depth}u) {b}[threadIdx.y][threadIdx.x] = in[(gid + {k} * 5u) % n];")
            self.line("__syncthreads();")
            self.line(f"for (unsigned i = 0u; i < {depth}u; ++i) {v} += {a}[threadIdx.y][i] * {b}[i][threadIdx.x];")
            self.line("__syncthreads();")

        self.block(f"for (unsigned {k} = 0u; {k} < {self.pick('2u', '3u', 'a % 3u + 1u')}; ++{k})", body)
        self.use(place, v, "unsigned")

    def bodies(self, place):
        """Tiles of a row that all threads go through."""
        s, x, k, i = self.random.choice(self.own_number(place)), self.name("x"), self.name("k"), self.name("i")
        self.line(f"unsigned {x} = {self.unsigned(place, THREAD, 1)};")
        inner = place.without(s)
        mine = (Variable(x, "unsigned", THREAD), Variable(k, "unsigned", place.level, False))
        inner = inner.but(variables=inner.variables + mine, can_return=False, exits=None, depth=place.depth + 1)

        def body():
            self.line(f"{s.text}[t] = in[(gid + {k} * {self.pick(1, 3, 32)}u) % n];")
            self.line("__syncthreads();")
            element = f"(unsigned){s.text}[{i}]"
            sum_ = self.pick(
                f"{x} += {element} * ({i} + 1u)", f"{x} = max({x}, {element} ^ {k})", f"{x} = {x} * 31u + {element}"
            )
            if self.chance(40):
                sum_ = f"if ({element} % 3u != {x} % 3u) {sum_}"
            self.line(f"for (unsigned {i} = 0u; {i} < {self.threads}u; ++{i}) {sum_};")
            if self.chance(30):
                self.statement(inner)
            self.line("__syncthreads();")

        self.block(f"for (unsigned {k} = 0u; {k} < {self.pick('2u', '3u', 'a % 3u')}; ++{k})", body)
        self.use(place, x, "unsigned")

    def bitonic(self, place):
        """A sort in shared memory."""
        s = self.random.choice(self.own_number(place))
        if self.gone:
            return self.share(place)
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 1)};")
        self.sync()

        def body():
            self.line("const unsigned o = t ^ j;")
            self.line(f"if (o > t && ((t & k) == 0u) == ({s.text}[t] > {s.text}[o])) {{")
            self.line(f"  const {s.type} x = {s.text}[t]; {s.text}[t] = {s.text}[o]; {s.text}[o] = x; }}")
            self.line("__syncthreads();")

        inner = lambda: self.block("for (unsigned j = k / 2u; j > 0u; j /= 2u)", body)
        self.block(f"for (unsigned k = 2u; k <= {self.threads}u; k *= 2u)", inner)

    def last_block(self, place):
        """The block that comes last adds up what all have written."""
        self.has_last = True
        flag, blocks = self.name("last"), self.total // self.threads
        self.line(f"__shared__ unsigned {flag};")
        self.line(f"partials[gid] = {self.unsigned(place, THREAD, 2)};")
        self.line("__threadfence();")
        self.sync()
        self.line(f"if (t == 0u) {flag} = atomicAdd(&tickets[0], 1u);")
        self.sync()
        sums = f"for (unsigned i = t; i < {self.total}u; i += {self.threads}u) tickets[1u + t] += ((volatile unsigned*)partials)[i];"
        self.block(f"if ({flag} == {blocks - 1}u)", lambda: (self.line("__threadfence();"), self.line(sums)))
        self.sync()
