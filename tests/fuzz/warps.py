"""Random statements of lanes that come to a place together: shuffles, votes, reductions, and who parts how."""

from fuzz.functions import Functions
from fuzz.places import GROUP, THREAD, WARP, Variable


class Warps(Functions):
    def warp_options(self, place):
        deep, has = place.depth >= 4, self.has
        whole = place.level <= WARP
        return [
            (self.warp_operation, 12),
            (self.warp_scan, 2),
            (self.ballot_branch, 5 * has("mask") * (not deep)),
            (self.tile_branch, 3 * has("tile") * whole * (not self.missing) * (not deep)),
            (self.match_loop, 2 * has("match") * (place.trips >= 8) * (not deep)),
            (self.any_loop, 3 * has("ballot") * (place.trips >= 3) * (not deep)),
            (self.lower_lanes, 3 * has("mask") * whole * (not self.missing) * (not deep)),
            (self.live_loop, 2 * has("mask") * (place.trips >= 4) * (not deep)),
            (self.group_operation, 4 * has("cg") * whole * (not self.missing)),
            (self.warp_shared, 4 * has("warp_shared") * whole * bool(self.own(place))),
            (self.warp_tree, 2 * has("warp_shared") * whole * bool(self.own_number(place)) * (not self.missing)),
            (self.warp_row, 2 * has("stride") * whole * (self.present(place) is None) * (not deep)),
            (self.leader, 3 * has("atomics") * whole),
            (self.warp_function, 3 * bool(self.warp_functions) * place.has_indices),
        ]

    def group_place(self, place, mask):
        """Where only the lanes of a mask come."""
        return place.but(level=max(GROUP, place.level), mask=mask, can_return=False, exits=None)

    def present(self, place):
        """An expression for the lanes that are there, or None if all 32 are; `here` means: ask by a ballot."""
        if place.mask in ("m", *self.all_lanes):
            if not self.missing and not place.is_function:
                return None
            return "m" if place.mask == "m" and not self.full_masks else "here"
        return place.mask

    def ask_present(self, place):
        """The same, after asking."""
        known = self.present(place)
        if known == "here":
            known = self.name("here")
            self.line(f"const unsigned {known} = __ballot_sync({place.mask}, 1);")
        return known

    # ---- operations ------------------------------------------------------------------------------

    def warp_operation(self, place):
        has = self.has
        kinds = [(self.shuffle, 8 * has("shuffle")), (self.vote, 5 * has("ballot")), (self.reduce, 5 * has("reduce"))]
        kinds += [(self.match, 3 * has("match")), (self.sync_warp, 1)]
        self.weighted(kinds)(place)

    def sync_warp(self, place):
        self.line(f"__syncwarp({place.mask});")

    def together(self, place):
        """The level of what an operation gives to all lanes of its mask."""
        return WARP if place.level <= WARP else GROUP

    def shuffle(self, place):
        v = self.target(place)
        if not v:
            return
        kind = self.pick("", "_up", "_down", "_xor")
        types = [
            ("unsigned", 6),
            ("int", 1),
            ("unsigned long long", 2 * self.has("wide")),
            ("float", self.has("float")),
        ]
        type = self.weighted(types)
        value = f"({type})({self.value(place, type, THREAD, 2)})"
        width = self.pick(32, 32, 32, 16, 8, 4, 2)
        by = self.pick(
            f"{self.below(32)}u", f"({self.unsigned(place, THREAD, 1)} & 31u)", f"{self.pick(1, 2, 4, 8, 16)}u"
        )
        tail = f", {width})" if width != 32 or self.chance(20) else ")"
        here = self.ask_present(place)
        if here is None and kind == "" and self.chance(30):  # what one lane says is the same for all of its width
            by = (
                f"{self.below(32)}"
                if self.chance(60)
                else f"(int)({self.unsigned(place, self.together(place), 1)} & 31u)"
            )
            return self.give(
                place, self.as_unsigned(f"__shfl_sync({place.mask}, {value}, {by})", type), self.together(place)
            )
        if here is None:
            result = f"__shfl{kind}_sync({place.mask}, {value}, {by}{tail}"
            result = f"(unsigned)({result} >> 13)" if type == "unsigned long long" else self.as_unsigned(result, type)
            return self.line(f"{v.text} {self.pick('', '+', '^')}= {result};")
        inside = width - 1
        source = {
            "": f"((lane & ~{inside}u) | (d & {inside}u))",
            "_up": f"((lane & {inside}u) >= d ? lane - d : lane)",
            "_down": f"((lane & {inside}u) + d < {width}u ? lane + d : lane)",
            "_xor": f"((lane ^ d) <= (lane | {inside}u) ? lane ^ d : lane)",
        }[kind]
        self.line(f"{{ const unsigned d = {by}; const {type} y = __shfl{kind}_sync({place.mask}, {value}, d{tail};")
        taken = f"{here} >> {source} & 1u ? ({self.as_unsigned('y', type)}) : {self.below(100)}u"
        self.line(f"  {v.text} {self.pick('', '+', '^')}= {taken}; }}")

    def vote(self, place):
        word = self.weighted([("ballot", 4), ("any", 2), ("all", 2)])
        text = f"(unsigned)__{word}_sync({place.mask}, {self.condition(place, THREAD)})"
        self.give(place, text, self.together(place))

    def reduce(self, place):
        word, value = self.pick("add", "min", "max", "and", "or", "xor", "add"), self.unsigned(place, THREAD, 2)
        if word in ("add", "min", "max") and self.chance(30):
            text = f"(unsigned)__reduce_{word}_sync({place.mask}, (int)({value}))"
        else:
            text = f"__reduce_{word}_sync({place.mask}, (unsigned)({value}))"
        self.give(place, text, self.together(place))

    def match(self, place):
        value = f"({self.unsigned(place, THREAD, 2)} & {self.pick(1, 3, 7)}u)"
        if self.has("wide") and self.chance(20):
            value = f"(unsigned long long)({value} * 0x100000001ull)"
        if self.chance(25):
            p = self.name("p")
            self.line(f"int {p}; __match_all_sync({place.mask}, {value}, &{p});")
            return self.give(place, f"(unsigned){p}", self.together(place))
        self.give(place, f"__match_any_sync({place.mask}, {value})")

    def warp_scan(self, place):
        v = self.target(place)
        if not v or self.present(place) is not None:
            return self.warp_operation(place)
        form = self.below(3)
        if form == 0:
            add = f"if (lane >= (unsigned)d) {v.text} += q;"
            self.block(
                "for (int d = 1; d < 32; d *= 2)",
                f"const unsigned q = __shfl_up_sync({place.mask}, {v.text}, d); {add}",
            )
        elif form == 1:
            self.line(f"for (int d = 16; d > 0; d /= 2) {v.text} += __shfl_down_sync({place.mask}, {v.text}, d);")
            self.line(f"{v.text} = __shfl_sync({place.mask}, {v.text}, 0);")
        else:
            operation = self.pick("+", "^")
            shuffled = f"__shfl_xor_sync({place.mask}, {v.text}, d)"
            self.line(f"for (int d = 16; d > 0; d >>= 1) {v.text} {operation}= {shuffled};")

    def warp_row(self, place):
        """A loop that strides by the warp, and a sum of what its lanes found."""
        x, i, length = self.name("x"), self.name("i"), 1 + self.below(100)
        self.line(f"unsigned {x} = 0u;")
        inner = place.but(
            level=THREAD, mask=None, exits=None, can_return=False, trips=place.trips // 4, depth=place.depth + 1,
            variables=place.variables + (Variable(i, "unsigned", THREAD, False), Variable(x, "unsigned", THREAD)),
        )  # fmt: skip

        def body():
            if self.chance(30):
                self.statement(inner)
            self.line(f"{x} {self.pick('+', '^')}= {self.unsigned(inner, THREAD, 2)};")

        self.block(f"for (unsigned {i} = lane; {i} < {length}u; {i} += 32u)", body)
        if self.has("reduce") and self.chance(50):
            return self.give(place, f"__reduce_add_sync({place.mask}, {x})", self.together(place))
        self.line(f"for (int d = 16; d > 0; d /= 2) {x} += __shfl_xor_sync({place.mask}, {x}, d);")
        self.give(place, x, self.together(place))

    def leader(self, place):
        """One lane says what all have found."""
        x, lane = self.name("x"), self.pick(0, 31, 0, self.below(32))
        word = self.pick("ballot", "any", "all")
        text = f"(unsigned)__{word}_sync({place.mask}, {self.condition(place, THREAD)})"
        if self.has("reduce"):
            text = f"__reduce_add_sync({place.mask}, (unsigned)({self.unsigned(place, THREAD, 1)}))"
        self.line(f"const unsigned {x} = {text};")
        atomic = next(a for a in place.atomics if a.text == "sums")
        value = "5u" if atomic.operation == "Inc" else x
        own = self.own(place)
        tell = f"{self.random.choice(own).text}[t] = {x};" if own and self.chance(40) else None
        tell = tell or f"atomic{atomic.operation}(&sums[{self.pick('0', f'{x} % 8u', 't / 32u % 8u')}], {value});"
        self.line(f"if (lane == {lane}u) {tell}")
        self.use(place, x, "unsigned")

    # ---- parting -----------------------------------------------------------------------------------

    def ballot_branch(self, place):
        """Lanes say who goes where before they part."""
        mask, c = self.name("m"), self.name("c")
        known = self.ask_present(place)
        self.line(f"const bool {c} = {self.condition(place, THREAD)};")
        self.line(f"const unsigned {mask} = __ballot_sync({place.mask}, {c});")
        place = place.but(variables=place.variables + (Variable(mask, "unsigned", max(place.level, WARP), False),))
        self.block(f"if ({c})", lambda: self.body(self.group_place(place, mask)))
        form = self.below(10)
        if form < 5:
            return
        if form < 7:
            return self.orelse(lambda: self.body(self.inside(place, THREAD)))
        rest = self.name("m")

        def body():
            self.line(f"const unsigned {rest} = {f'{known} & ' if known else ''}~{mask};")
            self.body(self.group_place(place, rest))

        self.orelse(body)

    def tile_branch(self, place):
        """Aligned parts of a warp that go different ways, each with its own mask."""
        width, mask = self.pick(2, 4, 8, 16), self.name("m")
        self.line(f"const unsigned {mask} = {(1 << width) - 1}u << (lane & {32 - width}u);")
        inner = self.group_place(place, mask)
        if self.chance(40):
            i = self.name("i")
            head = f"for (int {i} = 0; {i} < (int)(t / {width}u % 3u); ++{i})"
            return self.block(head, lambda: self.body(inner.but(trips=place.trips // 2)))
        turn = f"(lane / {width}u + {self.unsigned(place, WARP, 1)}) % {self.pick(2, 3)}u == 0u"
        self.block(f"if ({self.pick(turn, f't / {width}u % 3u != 1u')})", lambda: self.body(inner))
        if self.chance(50):
            self.orelse(lambda: self.body(inner))

    def lower_lanes(self, place):
        """Lanes whose number says where they go, with masks that are constants."""
        n = self.pick(1, 4, 8, 16, 16, 24, 31)
        low = (1 << n) - 1
        masks = (low, low ^ 0xFFFFFFFF)
        self.block(f"if (lane < {n}u)", lambda: self.body(self.group_place(place, f"0x{masks[0]:08x}u")))
        if self.chance(60):
            self.orelse(lambda: self.body(self.group_place(place, f"0x{masks[1]:08x}u")))

    def any_loop(self, place):
        """A loop that lanes end by a vote."""
        i, limit = self.name("i"), 2 + self.below(3)
        level = max(place.level, WARP)
        inner = place.but(level=level, trips=place.trips // limit, exits=None, in_switch=False, can_return=False)
        vote = f"__{self.pick('any', 'all')}_sync({place.mask}, {self.condition(place, THREAD)})"
        if self.chance(30):
            vote = f"__ballot_sync({place.mask}, {self.condition(place, THREAD)}) != 0u"
        body = lambda: self.body(inner)
        if self.chance(50):
            self.line(f"int {i} = 0;")
            return self.block("do", body, f"}} while (++{i} < {limit} && {vote});")
        if self.chance(50):
            return self.block(f"for (int {i} = 0; {i} < {limit} && {vote}; ++{i})", body)
        self.block(f"for (int {i} = 0; {i} < {limit}; ++{i})", lambda: (body(), self.line(f"if ({vote}) break;")))

    def match_loop(self, place):
        """The lanes with the same key, one key after another."""
        left, key, same, x = (self.name(stem) for stem in ("left", "key", "same", "x"))
        self.line(f"const unsigned {x} = {self.unsigned(place, THREAD, 1)} & 3u;")
        self.line(f"unsigned {left} = __ballot_sync({place.mask}, 1);")
        level = max(place.level, WARP)
        found = tuple(Variable(name, "unsigned", level, False) for name in (key, same))
        inner = place.but(
            level=level, trips=place.trips // 4, exits=None, can_return=False, variables=place.variables + found
        )

        def body():
            self.line(f"const unsigned {key} = __shfl_sync({place.mask}, {x}, __ffs((int){left}) - 1);")
            self.line(f"const unsigned {same} = __ballot_sync({place.mask}, {x} == {key});")
            self.body(inner, 2)
            if self.chance(50):
                self.block(f"if ({x} == {key})", lambda: self.body(self.group_place(inner, same), 2))
            self.line(f"{left} &= ~{same};")

        self.block(f"while ({left})", body)

    def live_loop(self, place):
        """Lanes that leave a loop one by one, and say so."""
        live, mask, i = self.name("live"), self.name("m"), self.name("i")
        self.line(f"bool {live} = {self.condition(place, THREAD)};")
        all_of_them = place.but(level=max(place.level, WARP), trips=place.trips // 4, exits=None, can_return=False)
        some = self.group_place(all_of_them, mask)

        def body():
            self.line(f"const unsigned {mask} = __ballot_sync({place.mask}, {live});")
            self.line(f"if (!{mask}) break;")
            self.block(
                f"if ({live})", lambda: (self.body(some), self.line(f"{live} = {self.condition(some, THREAD)};"))
            )
            if self.chance(40):
                self.body(all_of_them, 1)

        self.block(f"for (int {i} = 0; {i} < 4; ++{i})", body)

    # ---- groups, functions, memory -------------------------------------------------------------------

    def group_operation(self, place):
        """Cooperative groups: tiles of the block."""
        width = self.pick(*[w for w in (1, 2, 4, 8, 16, 32) if self.threads % w == 0])
        tile = self.name("tile")
        self.line(f"auto {tile} = cg::tiled_partition<{width}>(cg::this_thread_block());")
        x, by = f"(unsigned)({self.unsigned(place, THREAD, 2)})", self.below(width)
        function = f"cg::{self.pick('plus', 'less', 'greater', 'bit_xor')}<unsigned>()"
        text = self.weighted([
            (f"{tile}.shfl({x}, {by})", 2), (f"{tile}.shfl_xor({x}, {by}u)", 2), (f"{tile}.shfl_up({x}, {by}u)", 1),
            (f"{tile}.shfl_down({x}, {by}u)", 2), (f"{tile}.ballot({self.condition(place, THREAD)})", 1),
            (f"(unsigned){tile}.any({self.condition(place, THREAD)})", 1),
            (f"(unsigned){tile}.all({self.condition(place, THREAD)})", 1),
            (f"{tile}.thread_rank() + {tile}.meta_group_rank()", 1), (f"{tile}.match_any({x} & 3u)", 1 if width > 1 else 0),
            (f"cg::reduce({tile}, {x}, {function})", 3), (f"cg::inclusive_scan({tile}, {x}, cg::plus<unsigned>())", 1),
            (f"cg::exclusive_scan({tile}, {x}, cg::plus<unsigned>())", 1),
        ])  # fmt: skip
        self.give(place, text)
        if self.chance(20):
            self.line(f"{tile}.sync();")

    def make_warp_functions(self, base):
        """Functions that the lanes of a mask call together."""
        f = self.name("w")
        self.line("template <typename T>")
        self.block(
            f"__device__ T {f}(unsigned m, T x)",
            "for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(m, x, d); return x;",
        )
        self.sums = f
        g = self.name("w")
        place = self.function_place(base, (), ()).but(level=GROUP, mask="m", can_return=False)
        how = self.pick("", "__noinline__ ", "__forceinline__ ")
        self.block(
            f"__device__ {how}unsigned {g}(unsigned m, unsigned x, unsigned lane)",
            lambda: self.function_body(place, "return z ^ x;", lambda: self.vote(place)),
        )
        self.warp_functions = (g,)

    def warp_function(self, place):
        x = f"(unsigned)({self.unsigned(place, THREAD, 2)})"
        if self.present(place) is None and self.chance(50):
            return self.give(place, f"{self.sums}({place.mask}, {x})", self.together(place))
        # a call is of those who come together: a sync tells `give` to keep it
        mask = place.mask
        name = self.name("x")
        self.line(f"const unsigned {name} = {self.pick(*self.warp_functions)}({mask}, {x}, lane);")
        self.use(place, name, "unsigned")

    def warp_shared(self, place):
        """What lanes say to each other through memory between two __syncwarp."""
        s = self.random.choice(self.own(place))
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 2)};")
        self.sync_warp(place)
        at = f"(lane {self.pick('+', '^')} {self.below(32)}u) & 31u"
        if self.chance(30):
            at = f"{self.unsigned(place.without(s), THREAD, 1)} & 31u"
        at = f"(t & ~31u) + ({at})"
        if self.threads % 32:
            at = f"min({at}, {self.threads - 1}u)"
        self.give(place.without(s), self.as_unsigned(f"{s.text}[{at}]", s.type))
        self.sync_warp(place)

    def warp_tree(self, place):
        """A reduction of a warp in memory."""
        s = self.random.choice(self.own_number(place))
        self.line(f"{s.text}[t] = {self.value(place, s.type, THREAD, 1)};")
        self.sync_warp(place)

        def body():
            self.line(f"if (lane < (unsigned)d) {s.text}[t] += {s.text}[t + d];")
            self.sync_warp(place)

        self.block("for (int d = 16; d > 0; d >>= 1)", body)
        self.give(place.without(s), f"(unsigned){s.text}[t & ~31u]", self.together(place))
        self.sync_warp(place)
