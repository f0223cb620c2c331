"""Random statements of a block that is together: barriers, and memory that threads share between them."""

import math

from fuzz.places import FLOATS, THREAD, WARP, Array, Atomic, Variable
from fuzz.warps import Warps


class Blocks(Warps):
    def block_options(self, place):
        deep, has = place.depth >= 4, self.has
        own, loop = bool(self.own(place)), place.trips >= 3 and not deep
        return [
            (self.barrier, 5 * has("barrier")),
            (self.block_vote, 4 * has("vote")),
            (self.vote_loop, 2 * has("vote") * loop),
            (self.share, 7 * own),
            (self.tree, 3 * own),
            (self.scan, 2 * own),
            (self.block_scan, 2 * own * (self.threads % 32 == 0) * has("shuffle") * (not self.gone)),
            (self.publish, 2 * has("shared")),
            (self.count_alone, 2 * has("shared")),
            (self.histogram, 3 * has("shared_atomic")),
            (self.compact, 2 * has("shared_atomic") * (not self.gone) * (place.depth < 3)),
            (self.locked, 1 * has("shared_atomic") * (not self.gone)),
            (self.one_warp, 3 * has("one_warp") * (not deep)),
            (self.through_global, 2 * has("global")),
            (self.block_row, 2 * has("stride") * has("barrier") * (not deep)),
            (self.block_stride, 2 * has("stride") * loop),
            (self.agreed_end, 2 * has("shared") * loop),
            (self.block_function, 3 * bool(self.block_sum) * own),
        ]

    def sync(self):
        self.line("cg::this_thread_block().sync();" if self.has("cg") and self.chance(25) else "__syncthreads();")

    def barrier(self, place):
        self.sync()

    def block_vote(self, place):
        text = f"(unsigned)__syncthreads_{self.pick('or', 'and', 'count')}({self.condition(place, THREAD)})"
        self.give(place, text, place.level)

    def vote_loop(self, place):
        """A loop whose condition is a barrier."""
        i, limit = self.name("i"), 2 + self.below(3)
        inner = place.but(trips=place.trips // limit, exits=None, in_switch=False)
        if self.has("return"):
            self.missing = self.gone = True
        vote = f"__syncthreads_{self.pick('or', 'and', 'count')}({self.condition(place, THREAD)})"
        if self.chance(50):
            self.line(f"int {i} = 0;")
            return self.block("do", lambda: self.body(inner), f"}} while (++{i} < {limit} && {vote});")
        head = f"for (int {i} = 0; {i} < {limit} && {vote}{self.pick('', ' != 0', ' > 1')}; ++{i})"
        self.block(head, lambda: self.body(inner))

    # ---- shared arrays: thread t has element t, unless a statement says otherwise ------------------------

    def make_shared(self, place):
        """Declares and fills them; the place where they are."""
        variables, bytes_used, declared = list(place.variables), 0, []
        size = {"unsigned long long": 8, "long long": 8, "unsigned": 4, "int": 4, "bool": 1}
        if self.has("shared"):
            for i in range(1 + self.below(2)):
                type = self.random.choice([t for t in self.types if t not in FLOATS])
                declared.append((f"s{i}", type, size.get(type, 2 if "short" in type else 1)))
            if self.has("dynamic"):
                self.line("extern __shared__ unsigned long long dynamic[];")
            for name, type, width in declared:
                if self.has("dynamic"):
                    self.line(f"{type}* {name} = ({type}*)((char*)dynamic + {bytes_used}u);")
                    bytes_used += (width * self.threads + 7) // 8 * 8
                else:
                    self.line(f"__shared__ {type} {name}[{self.threads}];")
                self.line(f"{name}[t] = ({type}){self.pick('t', 'v0', '3u')};")
                self.shared.append(Array(name, type, str(self.threads)))
                variables.append(Variable(f"{name}[t]", type, THREAD))
            self.line("__shared__ unsigned one; if (t == 0u) one = 1u;")
        if self.has("shared_struct"):
            self.before.append("struct Cell { unsigned p; short q; unsigned long long r; };")
            self.line(f"__shared__ Cell cells[{self.threads}]; cells[t].p = t; cells[t].q = 3; cells[t].r = v0;")
            variables += [Variable("cells[t].p", "unsigned", THREAD), Variable("cells[t].q", "short", THREAD)]
            variables += [Variable("cells[t].r", "unsigned long long", THREAD)]
            self.cells = True
        if self.has("shared_atomic"):
            self.line(
                f"__shared__ unsigned bins[16], count, lock, list[{self.threads}]; __shared__ volatile unsigned kept;"
            )
            self.line(f"for (unsigned i = t; i < 16u; i += {self.threads}u) bins[i] = 0u;")
        self.line("__syncthreads();")
        self.dynamic_bytes = bytes_used
        return place.but(variables=tuple(variables))

    def own(self, place):
        """Shared arrays of which thread t has element t here."""
        return [s for s in self.shared if any(v.text == f"{s.text}[t]" for v in place.variables)]

    def own_number(self, place):
        return [s for s in self.own(place) if s.type in ("unsigned", "unsigned long long")]

    def share(self, place):
        """Each thread writes its element; behind a barrier everyone reads; a barrier ends that."""
        if self.cells and self.chance(40) and any(v.text == "cells[t].p" for v in place.variables):
            return self.share_cells(place)
        s = self.random.choice(self.own(place))
        store = f"{s.text}[t] = {self.value(place, s.type, THREAD, 2)};"
        form = self.below(5)
        if form == 4 and s.type == "unsigned":  # a store that a condition leaves out, of what was read
            e = self.unsigned(place, THREAD, 1)
            self.line(
                f"if ({s.text}[t] {self.pick('<', '>')} {e}) {s.text}[t] = {self.pick(e, self.unsigned(place, THREAD, 1))};"
            )
        elif form == 3 and not self.gone:  # each element by another thread
            by, x = self.pick(*[k for k in (1, 3, 5, 7, 11) if math.gcd(k, self.threads) == 1]), self.name("x")
            self.line(f"const {s.type} {x} = {self.value(place, s.type, THREAD, 2)};")
            self.sync()
            self.line(f"{s.text}[(t * {by}u + {self.below(9)}u) % {self.threads}u] = {x};")
        elif form:
            self.line(store) if form == 1 else self.block(f"if ({self.condition(place, THREAD)})", store)
        self.sync()
        inner = place.without(s)
        if self.chance(60):
            n = self.threads
            at = self.pick(
                f"(t + {self.below(70)}u) % {n}u", f"{n - 1}u - t", f"({self.unsigned(inner, THREAD, 1)}) % {n}u"
            )
            self.give(inner, self.as_unsigned(f"{s.text}[{at}]", s.type))
        if self.chance(40):
            arrays = place.arrays + (Array(s.text, s.type, str(self.threads)),)
            if s.type == "unsigned" and self.chance(40):
                p, by = self.name("p"), self.below(self.threads)
                self.line(f"const unsigned* {p} = {s.text} + {by};")
                arrays += (Array(p, s.type, str(self.threads - by)),)
            self.body(inner.but(arrays=arrays))
        self.sync()

    def share_cells(self, place):
        self.sync()
        n, inner = self.threads, place.without(Array("cells", "", ""))
        at = self.pick(f"(t + {self.below(70)}u) % {n}u", f"({self.unsigned(inner, THREAD, 1)}) % {n}u")
        c = self.name("cell")
        self.line(f"const Cell {c} = cells[{at}];")
        self.give(inner, f"{c}.p + (unsigned){c}.q + (unsigned)({c}.r >> 3)")
        self.sync()

    def tree(self, place):
        """A reduction in halves, of neighbours or of halves."""
        s = self.random.choice(self.own(place))
        if s.type not in ("unsigned", "int", "unsigned long long"):
            return self.share(place)
        half, n = 1, self.threads
        while half * 2 < n:
            half *= 2
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 1)};")
        self.sync()
        word = self.pick("min", "max")

        def add(condition, at):
            sum_ = f"{s.text}[{at}] + {s.text}[{at} + d]"
            if s.type == "int":
                sum_ = f"{word}({s.text}[{at}], {s.text}[{at} + d])"
            self.line(f"if ({condition}) {s.text}[{at}] = {sum_};")
            self.line("__syncthreads();")

        up = f"for (unsigned d = 1u; d < {n}u; d {self.pick('*= 2u', '<<= 1')})"
        down = f"for (unsigned d = {half}u; d > 0u; d {self.pick('/= 2u', '>>= 1')})"
        form = self.below(4)
        if form == 2:
            self.block(up, lambda: add(f"t % (2u * d) == 0u && t + d < {n}u", "t"))
        elif form == 3:
            self.block(up, lambda: (self.line("const unsigned at = 2u * d * t;"), add(f"at + d < {n}u", "at")))
        else:
            self.block(down, lambda: add(f"t < d && t + d < {n}u", "t"))
        self.give(place.without(s), f"(unsigned){s.text}[0]", place.level)
        self.sync()

    def scan(self, place):
        """Hillis and Steele's."""
        if not self.own_number(place):
            return self.share(place)
        s = self.random.choice(self.own_number(place))
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 1)};")
        self.sync()

        def body():
            self.line(f"const {s.type} q = t >= d ? {s.text}[t - d] : 0u;")
            self.line("__syncthreads();")
            self.line(f"{s.text}[t] += q;")
            self.line("__syncthreads();")

        self.block(f"for (unsigned d = 1u; d < {self.threads}u; d *= 2u)", body)

    def block_scan(self, place):
        """Scans of warps, and one warp that scans their sums."""
        if not self.own_number(place) or not place.mask:
            return self.scan(place)
        s, x = self.random.choice(self.own_number(place)), self.name("x")
        scan = f"for (int d = 1; d < 32; d *= 2) {{ const unsigned q = __shfl_up_sync({place.mask}, {x}, d); if (lane >= (unsigned)d) {x} += q; }}"
        self.line(f"unsigned {x} = {self.unsigned(place, THREAD, 2)};")
        self.line(scan)
        self.sync()
        self.line(f"if (lane == 31u) {s.text}[t / 32u] = {x};")
        self.sync()

        def first_warp():
            y = self.name("x")
            self.line(f"unsigned {y} = lane < {self.threads // 32}u ? (unsigned){s.text}[lane] : 0u;")
            self.line(scan.replace(f"{x}, d", f"{y}, d").replace(f"{x} +=", f"{y} +="))
            self.line(f"if (lane < {self.threads // 32}u) {s.text}[lane] = {y};")

        self.block("if (t < 32u)", first_warp)
        self.sync()
        self.give(place.without(s), f"{x} + (t >= 32u ? (unsigned){s.text}[t / 32u - 1u] : 0u)")
        self.sync()

    def publish(self, place):
        """One thread says something to all."""
        self.sync()
        self.line(f"if (t == {self.pick(0, self.below(self.threads))}u) one = {self.unsigned(place, THREAD, 2)};")
        self.sync()
        self.give(place, "one", place.level)

    # ---- shared atomics ------------------------------------------------------------------------------

    def count_alone(self, place):
        """Several atomic operations of one thread on one number, whose order counts."""
        m, i = self.name("m"), self.name("i")
        self.line(f"const unsigned {m} = ({self.unsigned(place, THREAD, 1)}) % 8u;")
        self.sync()

        def body():
            for _ in range(2 + self.below(3)):
                operation = self.pick("Add", "Add", "Or", "Xor", "Min", "Max", "And", "Exch")
                condition = f"if ({m} {self.pick('!=', '<', '>')} {self.below(8)}u) " if self.chance(30) else ""
                self.line(f"{condition}atomic{operation}(&one, {self.pick(m, f'{self.below(99)}u', 't')});")

        loop = f"for (unsigned {i} = 0u; {i} < {m}; ++{i})"
        inside = (lambda: self.block(loop, body)) if self.chance(50) else body
        self.block(f"if (t == {self.below(self.threads)}u)", inside)
        self.sync()
        self.give(place, "one", place.level)

    def histogram(self, place):
        """Everyone adds to everyone's; nobody looks before the barrier."""
        if any(atomic.text == "bins" for atomic in place.atomics):
            return self.atomic(place)
        self.sync()  # a loop may have been left between another one's additions and its barrier
        self.line(f"for (unsigned i = t; i < 16u; i += {self.threads}u) bins[i] = {self.constant()}u;")
        self.sync()
        bins = Atomic("bins", 16, self.pick("Add", "Add", "Max", "Min", "Xor", "Or", "Inc"))
        if self.chance(50):
            self.atomic(place.but(atomics=(bins,)))
        self.body(place.but(atomics=place.atomics + (bins,)), 2)
        self.sync()
        self.give(place, f"bins[({self.unsigned(place, THREAD, 1)}) % 16u]")
        self.sync()

    def compact(self, place):
        """Places taken from one counter: an order nobody knows, and a sum that does not tell."""
        self.line("if (t == 0u) count = 0u;")
        self.sync()
        self.line(
            f"if ({self.condition(place, THREAD)}) list[atomicAdd(&count, 1u)] = {self.unsigned(place, THREAD, 2)};"
        )
        self.sync()
        if v := self.target(place):
            self.line(f"for (unsigned i = 0u; i < count; ++i) {v.text} {self.pick('+', '^')}= list[i];")
        self.sync()

    def locked(self, place):
        """A number that those change who hold a lock."""
        self.line("if (t == 0u) lock = kept = 0u;")
        self.sync()
        c, value, wait = self.condition(place, THREAD), self.unsigned(place, THREAD, 1), self.name("waits")
        change = f"kept = kept {self.pick('+', '^')} {value}; __threadfence_block(); atomicExch(&lock, 0u);"
        if self.chance(50):
            self.line(f"bool {wait} = {c};")
            self.line(f"while ({wait}) if (atomicCAS(&lock, 0u, 1u) == 0u) {{ {change} {wait} = false; }}")
        else:
            self.line(f"if ({c}) {{ while (atomicExch(&lock, 1u) != 0u); {change} }}")
        self.sync()
        self.give(place, "kept")
        self.sync()

    # ---- some of the block, rows of the block -----------------------------------------------------------

    def one_warp(self, place):
        """One warp works and the others wait."""
        if self.chance(50):
            self.sync()
        last = (self.threads + 31) // 32
        which = self.pick(
            "t < 32u", "t / 32u == 0u", f"t / 32u == {self.below(last)}u", "t / 32u % 2u == 0u", "t >= 32u"
        )
        inner = self.inside(place, WARP)
        self.block(f"if ({which})", lambda: self.body(inner))
        if self.chance(50):
            self.orelse(lambda: self.body(inner))
        self.sync()

    def through_global(self, place):
        self.line(f"memory[gid] = {self.unsigned(place, THREAD, 2)};")
        self.sync()
        self.give(place, f"memory[gid - t + (t + {self.below(70)}u) % {self.threads}u]")
        self.sync()

    def block_row(self, place):
        """A loop that strides by the block, before a barrier or around one."""
        x, i, length = self.name("x"), self.name("i"), 1 + self.below(3 * self.threads)
        self.line(f"unsigned {x} = {self.constant()}u;")
        mine = (Variable(i, "unsigned", THREAD, False), Variable(x, "unsigned", THREAD))
        inner = place.but(
            level=THREAD, mask=None, exits=None, can_return=False, trips=place.trips // 4, depth=place.depth + 1,
            variables=place.variables + mine,
        )  # fmt: skip

        def body():
            if self.chance(40):
                self.statement(inner)
            self.line(f"{x} {self.pick('+', '^')}= {self.unsigned(inner, THREAD, 2)};")

        step = "blockDim.x" if len(self.shape) == 1 and self.chance(60) else f"{self.threads}u"
        self.block(f"for (unsigned {i} = t; {i} < {self.pick(f'{length}u', f'n % {length}u')}; {i} += {step})", body)
        self.use(place, x, "unsigned")
        if own := self.own_number(place):
            s = self.random.choice(own)
            self.line(f"{s.text}[t] = {x};")
            self.sync()
            self.give(place.without(s), f"(unsigned){s.text}[(t + {self.below(33)}u) % {self.threads}u]")
        self.sync()

    def block_stride(self, place):
        """A loop over rows that blocks share among them."""
        i, rows = self.name("i"), self.pick(3, 5, 9)
        counter = Variable(i, "unsigned", place.level, False)
        inner = place.but(
            trips=place.trips // 4,
            exits=None,
            in_switch=False,
            can_return=False,
            variables=place.variables + (counter,),
        )
        self.block(f"for (unsigned {i} = blockIdx.x; {i} < {rows}u; {i} += gridDim.x)", lambda: self.body(inner))

    def agreed_end(self, place):
        """A loop that ends where one thread says so."""
        i, flag, limit = self.name("i"), self.name("done"), 2 + self.below(4)
        counter = Variable(i, "int", place.level, False)
        inner = place.but(
            trips=place.trips // limit,
            exits=None,
            in_switch=False,
            can_return=False,
            variables=place.variables + (counter,),
        )
        self.line(f"__shared__ int {flag};")
        self.line(f"atomicExch(&{flag}, 0);")  # by all: thread 0 may have returned
        self.sync()

        def body():
            self.body(inner)
            self.line(f"if (t == {self.below(self.threads)}u && ({self.condition(inner, THREAD)})) {flag} = 1;")
            self.line("__syncthreads();")
            self.line(f"if ({flag}) break;")
            self.line("__syncthreads();")

        self.block(f"for (int {i} = 0; {i} < {limit}; ++{i})", body)
        self.sync()

    def make_block_function(self):
        """A function with barriers in it."""
        f = self.name("b")
        self.line("template <typename T>")

        def body():
            self.line("s[t] = x;")
            self.line("__syncthreads();")
            self.line(f"const T y = s[(t + by) % {self.threads}u];")
            self.line("__syncthreads();")
            self.line("return y;")

        self.block(
            f"__device__ {self.pick('', '__noinline__ ', '__forceinline__ ')}T {f}(T* s, T x, unsigned t, unsigned by)",
            body,
        )
        self.block_sum = f

    def block_function(self, place):
        s, x = self.random.choice(self.own(place)), self.name("x")
        value = self.value(place, s.type, THREAD, 1)
        self.line(
            f"const {s.type} {x} = {self.block_sum}<{s.type}>({s.text}, {value}, t, {self.unsigned(place, THREAD, 1)} & 255u);"
        )
        self.use(place, x, s.type)
