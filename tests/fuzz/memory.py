"""Random statements on global memory: atomics, queues, rows, grid-stride loops."""

from fuzz.places import THREAD, Atomic, Variable
from fuzz.tiles import Tiles


class Memory(Tiles):
    def memory_options(self, place):
        has, here = self.has, place.has_indices
        loop = here and place.trips >= 4 and place.depth < 4
        return [
            (self.atomic, 4 * bool(place.atomics)),
            (self.compare_and_swap, 1 * any(a.text == "sums" and a.operation == "Add" for a in place.atomics) * here),
            (self.push, 3 * has("queue") * here * place.can_push * (place.trips > 12)),
            (self.own_global, 2 * has("global") * here),
            (self.row, 3 * has("row") * loop),
            (self.walk, 2 * has("row") * loop),
            (self.grid_stride, 3 * has("stride") * loop * (place.trips > 12)),
            (self.quads, 2 * has("vector") * here),
        ]

    def atomic(self, place):
        """One whose result nobody takes."""
        atomic = self.random.choice(place.atomics)
        value = self.value(place, atomic.type, THREAD, 1)
        if atomic.type in ("float", "double"):
            value = f"({atomic.type})(int)({self.unsigned(place, THREAD, 1)} & 7u)"
        if atomic.operation == "Inc":
            value = "1000u"
        at = f"{self.unsigned(place, self.pick(place.level, THREAD), 1)} % {atomic.length}u"
        if self.chance(25):
            at = f"{self.below(atomic.length)}"
        self.line(f"atomic{atomic.operation}({self.pick(f'&{atomic.text}[{at}]', f'{atomic.text} + {at}')}, {value});")

    def make_atomics(self, place):
        """Arrays that everyone changes and only the host reads: parameters, and the place where they are."""
        atomics = [Atomic("sums", 8, self.pick("Add", "Add", "Max", "Xor", "Or", "And", "Min"))]
        self.parameter("unsigned* sums", "zeros", "u4", 8, 12)
        if self.has("wide"):
            self.parameter("unsigned long long* totals", "zeros", "u8", 4)
            atomics.append(Atomic("totals", 4, self.pick("Add", "Max", "Xor"), "unsigned long long"))
        if self.has("float"):
            self.parameter("float* floats", "zeros", "f4", 4)
            atomics.append(Atomic("floats", 4, "Add", "float"))
        return place.but(atomics=tuple(atomics))

    def compare_and_swap(self, place):
        old, seen, at = self.name("old"), self.name("seen"), f"sums[{self.unsigned(place, THREAD, 1)} % 8u]"
        p, x = self.name("p"), self.name("x")
        self.line(f"unsigned* {p} = &{at}; const unsigned {x} = {self.unsigned(place, THREAD, 1)};")
        self.line(f"unsigned {old} = atomicAdd({p}, 0u), {seen};")
        self.line(f"do {{ {seen} = {old}; {old} = atomicCAS({p}, {seen}, {seen} + {x}); }} while ({old} != {seen});")

    def push(self, place):
        """Items of a queue, in an order nobody knows; the host sorts them."""
        if self.pushes >= 3:
            return self.assign(place)
        self.pushes += 1
        value = self.unsigned(place, THREAD, 2)
        form = self.below(3)
        if form == 0 and place.mask:
            c, b, base = self.name("c"), self.name("b"), self.name("base")
            self.line(f"const bool {c} = {self.condition(place, THREAD)};")
            self.line(f"const unsigned {b} = __ballot_sync({place.mask}, {c});")

            def body():
                self.line(f"unsigned {base} = 0u; const unsigned leader = (unsigned)__ffs((int){b}) - 1u;")
                self.line(f"if (lane == leader) {base} = atomicAdd(&taken[0], (unsigned)__popc({b}));")
                self.line(f"{base} = __shfl_sync({b}, {base}, (int)leader);")
                self.line(f"queue[{base} + (unsigned)__popc({b} & ((1u << lane) - 1u))] = {value};")

            return self.block(f"if ({c})", body)
        if form == 1 and self.has("cg"):
            g, base = self.name("g"), self.name("base")

            def body():
                self.line(f"auto {g} = cg::coalesced_threads(); unsigned {base} = 0u;")
                self.line(f"if ({g}.thread_rank() == 0u) {base} = atomicAdd(&taken[0], (unsigned){g}.size());")
                self.line(f"{base} = {g}.shfl({base}, 0);")
                self.line(f"queue[{base} + {g}.thread_rank()] = {value};")

            return self.block(f"if ({self.condition(place, THREAD)})", body)
        self.line(f"if ({self.condition(place, THREAD)}) queue[atomicAdd(&taken[0], 1u)] = {value};")

    def own_global(self, place):
        if self.chance(50):
            self.line(f"memory[gid] {self.pick('', '+', '^')}= {self.unsigned(place, THREAD, 2)};")
        else:
            self.give(place, "memory[gid]")

    def quads(self, place):
        """Four numbers at once."""
        if self.chance(50):
            parts = ", ".join(f"(unsigned)({self.unsigned(place, THREAD, 1)})" for _ in range(4))
            return self.line(f"four[gid] = make_uint4({parts});")
        q = self.name("q")
        self.line(
            f"const uint4 {q} = {self.pick('four[gid]', f'((const uint4*)in)[({self.unsigned(place, THREAD, 1)}) % (n / 4u)]')};"
        )
        self.give(place, f"{q}.x {self.pick('+', '^')} {q}.y * {q}.z - {q}.w")

    def row(self, place):
        """A sum over a row and a column, as of matrices."""
        k, x, length = self.name("k"), self.name("x"), 2 + self.below(14)
        self.line(f"unsigned {x} = {self.constant()}u;")
        bound = (
            f"{length}u"
            if self.chance(60)
            else f"{self.unsigned(place, self.pick(place.level, THREAD), 1)} % {length}u"
        )
        column = f"{k} * {self.pick(3, 8, 16, 33)}u + {self.pick('t', 'lane', 'gid', '0u')}"
        start = self.pick("gid", "t", "threadIdx.x", f"({self.unsigned(place, THREAD, 1)})")
        body = f"{x} += in[({start} * {length}u + {k}) % n] * in[({column}) % n];"
        if self.chance(30):
            body = f"{x} = max({x}, in[({start} + {k}) % n]);"
        self.block(f"for (unsigned {k} = 0u; {k} < {bound}; ++{k})", body)
        self.use(place, x, "unsigned")

    def walk(self, place):
        """A pointer that moves."""
        p, i, steps, stride = self.name("p"), self.name("i"), 2 + self.below(4), self.pick(1, 1, 2)
        reach = min(steps * stride, 7)
        self.line(f"const unsigned* {p} = in + ({self.unsigned(place, THREAD, 1)}) % (n - {reach}u);")
        v = self.target(place)
        if v:
            self.line(
                f"for (int {i} = 0; {i} < {reach // stride}; ++{i}) {{ {v.text} = {v.text} * 31u + *{p}; {p} += {stride}; }}"
            )

    def grid_stride(self, place):
        """Each element by one thread of the grid."""
        i, x, more = self.name("i"), self.name("x"), self.pick(1, 2, 3)
        limit = self.pick("n", f"{self.total * more + self.below(40)}u", f"{self.below(self.total + 1)}u")
        stream = self.has("global") and "stream" in self.declared
        self.line(f"unsigned {x} = 0u;")
        mine = (Variable(i, "unsigned", THREAD, False), Variable(x, "unsigned", THREAD))
        inner = place.but(
            level=THREAD, mask=None, exits=None, can_return=False, trips=place.trips // 4, depth=place.depth + 1,
            variables=place.variables + mine, can_push=False,
        )  # fmt: skip

        def body():
            self.statements(inner, self.below(3))
            if stream and self.chance(60):
                self.line(f"stream[{i}] {self.pick('', '+', '^')}= {self.unsigned(inner, THREAD, 2)};")
            else:
                self.line(f"{x} {self.pick('+', '^')}= {self.unsigned(inner, THREAD, 2)};")

        self.block(
            f"for (unsigned {i} = gid; {i} < {limit}; {i} += {self.pick(f'{self.total}u', 'gridDim.x * gridDim.y * blockDim.x * blockDim.y * blockDim.z')})",
            body,
        )
        self.use(place, x, "unsigned")
