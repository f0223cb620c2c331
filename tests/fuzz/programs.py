"""Whole kernels as programs have them: a loop over the grid, an image, a product of matrices, a queue, vectors of four."""

import math

from fuzz.memory import Memory
from fuzz.places import THREAD, Variable


class Programs(Memory):
    PROGRAMS = {"strided": 30, "image": 20, "matrix": 20, "filtered": 15, "vectors": 15}

    def choose_program(self):
        """Its name, and the shapes that it needs."""
        program = self.weighted(list(self.PROGRAMS.items()))
        if program in ("image", "matrix"):
            self.shape = self.pick((32, 8), (16, 16), (32, 2), (8, 8), (8, 4), (64, 2), (5, 3), (1, 32))
            self.grid = self.pick((1, 1), (2, 2), (3, 2), (1, 3), (5, 1))
        else:
            self.shape, self.grid = (
                self.pick((32,), (64,), (128,), (256,), (96,), (33,)),
                self.pick((1,), (3,), (4,), (9,)),
            )
        self.threads = math.prod(self.shape)
        self.total = self.threads * math.prod(self.grid)
        return program

    def some(self, place, n=2):
        """Statements of one thread, with x and y to compute in."""
        self.statements(place, self.below(n + 1))

    def start(self, place, **names):
        """Declares variables and gives the place where they are."""
        for name, value in names.items():
            self.line(f"unsigned {name} = {value};")
        return place.but(variables=place.variables + tuple(Variable(name, "unsigned", THREAD) for name in names))

    def alone(self, place):
        return place.but(level=THREAD, mask=None, has_indices=False, can_return=False, can_push=False)

    def entry_strided(self, place):
        """Each element by one thread of the grid, whatever its size."""
        self.parameter("unsigned* stream", "zeros", "u4", 3 * self.total + 40)
        type, place = self.pick("unsigned", "int", "unsigned", "size_t"), self.alone(place)
        limit = self.pick("n", f"{2 * self.total + 13}", f"{3 * self.total + 40}", f"{self.total // 2}")
        carries = self.chance(40)
        if carries:
            self.line(f"unsigned sum = {self.below(9)}u;")
        first, step = (
            "blockIdx.x * blockDim.x + threadIdx.x",
            self.pick("gridDim.x * blockDim.x", "blockDim.x * gridDim.x"),
        )

        def body():
            inner = self.start(place, x="in[i % n]" if limit != "n" else "in[i]", y="(unsigned)i")
            self.some(inner)
            if carries:
                self.line(f"sum {self.pick('+', '^')}= {self.unsigned(inner, THREAD, 2)};")
            if not carries or self.chance(40):
                self.line(f"stream[i] {self.pick('', '', '+', '^')}= {self.unsigned(inner, THREAD, 2)};")

        bound = f"({type})({limit})" if type != "unsigned" else f"{limit}{'' if limit == 'n' else 'u'}"
        self.block(f"for ({type} i = {first}; i < {bound}; i += {step})", body)
        if carries:
            self.add_up("sum")

    def add_up(self, x):
        """What threads carry, by one of the usual ways."""
        n = self.threads
        form = self.pick("out", "atomic", "tree", "warps")
        if form == "out":
            return self.line(f"out[blockIdx.x * blockDim.x + threadIdx.x] = {x};")
        if form == "atomic":
            return self.line(f"atomicAdd(out, {x});")
        if form == "warps":
            self.line(
                f"for (int d = 16; d > 0; d /= 2) {x} += __shfl_down_sync(~0u, {x}, d);"
                if n % 32 == 0
                else f"{x} = __reduce_add_sync(~0u, {x});"
            )
            return self.line(f"if (threadIdx.x % 32 == 0) atomicAdd(out, {x});")
        self.line(f"__shared__ unsigned s[{n}];")
        self.line(f"s[threadIdx.x] = {x};")
        self.line("__syncthreads();")
        half = 1 << (n - 1).bit_length() - 1
        body = lambda: (
            self.line(f"if (threadIdx.x < d && threadIdx.x + d < {n}) s[threadIdx.x] += s[threadIdx.x + d];"),
            self.line("__syncthreads();"),
        )
        self.block(f"for (unsigned d = {half}u; d > 0u; d >>= 1)", body)
        self.line("if (threadIdx.x == 0) out[blockIdx.x] = s[0];")

    def entry_image(self, place):
        """A picture and its neighbours."""
        width = self.shape[0] * self.grid[0] - self.below(3)
        height = self.shape[1] * self.grid[1] - self.below(3)
        width, height = max(width, 1), max(height, 1)
        self.line("const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;")
        outside = f"px >= {width} || py >= {height}"
        inner = self.alone(place)

        def body():
            left, up = (
                f"in[py * {width} + (px > 0 ? px - 1 : 0)]",
                f"in[(py > 0 ? py - 1 : {height - 1}) * {width} + px]",
            )
            right = f"in[py * {width} + min(px + 1, {width - 1})]"
            at = self.start(
                inner, x=f"in[py * {width} + px]", y=self.pick(left, up, right, f"{left} + {right}", f"{up} ^ {left}")
            )
            at = at.but(
                variables=at.variables + (Variable("px", "int", THREAD, False), Variable("py", "int", THREAD, False))
            )
            self.some(at, 3)
            where = self.pick(f"py * {width} + px", f"px * {height} + py")
            self.line(f"out[{where}] = {self.unsigned(at, THREAD, 2)} + x * 3u + y;")

        if self.chance(50):
            self.line(f"if ({outside}) return;")
            return body()
        self.block(f"if (!({outside}))", body)

    def entry_matrix(self, place):
        """A product of matrices: a thread for each element."""
        columns, rows = self.shape[0] * self.grid[0], self.shape[1] * self.grid[1]
        depth = 1 + self.below(min(columns, rows, 40))
        self.parameter("int depth", "scalar", "i4", depth)
        self.line(
            "const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;"
        )
        if self.chance(60):
            self.line(f"if (row >= {rows - self.below(3)} || column >= {columns - self.below(3)}) return;")
        inner = self.start(self.alone(place), x=f"{self.below(5)}u", y=self.pick("row", "column", "in[column]"))
        bound = self.pick("depth", "depth", str(depth))

        def body():
            one = f"in[row * {bound} + k]" if self.chance(70) else f"in[row * {bound} + ({bound} - 1 - k)]"
            two = f"in[k * {columns} + column]"
            sum_ = self.pick(
                f"x += {one} * {two};",
                f"x += {one} * {two};",
                f"x = max(x, {one} + {two});",
                f"x = x * 3u + ({one} ^ {two});",
            )
            form = self.below(6)
            condition = self.pick(f"{one} % 3u != 0u", f"{two} > {one}", "k % 2 == 0", "(x & 7u) != 3u", "y % 2u == 1u")
            if form == 0:
                self.line(f"if ({condition}) {sum_}")
            elif form == 1:
                self.line(f"if ({condition}) continue;")
                self.line(sum_)
            elif form == 2:
                self.line(f"if ({condition}) break;")
                self.line(sum_)
            else:
                self.line(sum_)
            if self.chance(25):
                self.line(f"y = y {self.pick('+', '^')} {self.pick(one, two, '(unsigned)k')};")

        self.block(f"for (int k = 0; k < {bound}; ++k)", body)
        if self.chance(50):
            self.some(inner, 2)
        self.line(f"out[row * {columns} + column] = x ^ y;")

    def entry_filtered(self, place):
        """What passes a test, in an order nobody knows."""
        self.parameter("unsigned* taken", "zeros", "u4", 1)
        self.parameter("unsigned* queue", "unordered", "u4", 3 * self.total)
        self.line("const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;")
        inner, lanes = self.alone(place), self.threads % 32 == 0
        guard = f"i >= {self.total - self.below(self.threads)}u"
        inner = self.start(inner, x="in[i]", y="i")
        self.some(inner)
        test = f"({self.condition(inner, THREAD)}) && !({guard})"
        value = self.unsigned(inner, THREAD, 2)
        form = self.below(4 if lanes else 2)
        if form == 0 and self.chance(30):  # by one thread another value, in a loop that is unrolled
            line = f"if ({test}) queue[atomicAdd(taken, 1u)] = (threadIdx.x != {self.below(self.threads)}u ? {value} : in[(y * 3u) % n]) + k;"
            return self.block(f"for (int k = 0; k < {2 + self.below(2)}; ++k)", line)
        if form == 0:
            return self.line(f"if ({test}) queue[atomicAdd(taken, 1u)] = {value};")
        if form == 1:
            self.line(f"if ({guard}) return;")
            self.line(f"const unsigned at = ({self.condition(inner, THREAD)}) ? atomicAdd(taken, 1u) : ~0u;")
            return self.line(f"if (at != ~0u) queue[at] = {value};")
        self.line(f"const bool c = {test};")
        self.line("const unsigned b = __ballot_sync(~0u, c), lane = threadIdx.x % 32u;")
        if form == 2:
            self.line("unsigned base = 0u;")
            self.line("if (lane == 0u) base = atomicAdd(taken, (unsigned)__popc(b));")
            self.line("base = __shfl_sync(~0u, base, 0);")
            return self.line(f"if (c) queue[base + (unsigned)__popc(b & ((1u << lane) - 1u))] = {value};")
        n = self.threads // 32
        self.line(f"__shared__ unsigned counts[{n}], first;")
        self.line("if (lane == 0u) counts[threadIdx.x / 32u] = __popc(b);")
        self.line("__syncthreads();")
        body = f"unsigned all = 0u; for (int w = 0; w < {n}; ++w) all += counts[w]; first = atomicAdd(taken, all);"
        self.block("if (threadIdx.x == 0)", body)
        self.line("__syncthreads();")
        self.line("unsigned at = first + __popc(b & ((1u << lane) - 1u));")
        self.line("for (unsigned w = 0; w < threadIdx.x / 32u; ++w) at += counts[w];")
        self.line(f"if (c) queue[at] = {value};")

    def entry_vectors(self, place):
        """The same for four numbers side by side."""
        self.parameter("const uint4* fours", "data", "u4", 8 * self.total, self.seed + 1)
        self.parameter("uint4* results", "zeros", "u4", 8 * self.total)
        loop = self.chance(40)
        self.line("unsigned i = blockIdx.x * blockDim.x + threadIdx.x;")
        inner = self.alone(place).but(
            variables=(
                Variable("v.x", "unsigned", THREAD),
                Variable("i", "unsigned", THREAD, False),
                Variable("r.x", "unsigned", THREAD),
            )
        )

        def body():
            self.line("const uint4 v = fours[i];")
            self.line(self.pick("uint4 r = results[i];", "uint4 r = v;"))
            for _ in range(1 + self.below(3)):
                value = self.unsigned(inner, THREAD, 2)
                condition = f"if ({self.condition(inner, THREAD)}) " if self.chance(25) else ""
                line = f"{condition}r.x {self.pick('', '+', '^', '*')}= {value};"
                for c in "xyzw" if self.chance(85) else "xz":
                    self.line(line.replace("v.x", f"v.{c}").replace("r.x", f"r.{c}"))
            self.line("results[i] = r;")

        if loop:
            return self.block(
                f"for (; i < {2 * self.total - self.below(self.threads)}u; i += gridDim.x * blockDim.x)", body
            )
        self.block(f"if (i < {self.total - self.below(self.threads)}u)", body)
