"""Random statements of one thread, and the branches and loops around all others."""

import dataclasses

from fuzz.expressions import Expressions
from fuzz.places import BLOCK, SMALL, THREAD, WARP, Variable


class Flow(Expressions):
    def statements(self, place, n):
        for _ in range(n):
            self.statement(place)

    def body(self, place, most=3):
        self.statements(place.but(depth=place.depth + 1), 1 + self.below(most))

    def statement(self, place):
        if self.budget <= 0:
            return self.assign(place)
        self.budget -= 1
        options = self.flow_options(place) + self.function_options(place) + self.memory_options(place)
        if place.mask:
            options += self.warp_options(place)
        if place.level == BLOCK and not place.is_function:
            options += self.block_options(place) + self.tile_options(place)
        self.weighted([(option, weight) for option, weight in options if weight > 0])(place)

    def flow_options(self, place):
        deep, has = place.depth >= 4, self.has
        loop = not deep and place.trips >= 2
        return [
            (self.assign, 14),
            (self.branch, 8 * has("branch") * (not deep)),
            (self.for_loop, 6 * has("for") * loop),
            (self.while_loop, 4 * has("while") * loop),
            (self.do_loop, 4 * has("do") * loop),
            (self.endless_loop, 2 * has("while") * has("break") * loop),
            (self.switch, 4 * has("switch") * (not deep)),
            (self.jump_over, 2 * has("jump") * (not deep)),
            (self.jump_back, 2 * has("jump") * loop),
            (self.leave_loop, 5 * has("break") * (place.exits is not None)),
            (self.leave, 2 * has("return") * place.can_return * (place.depth < 3)),
        ]

    def assign(self, place):
        options = [v for v in place.variables if v.writable and v.level >= place.level]
        if not options:
            return
        v = self.random.choice(options)
        value = self.value(place, v.type, v.level, self.pick(1, 2, 2, 3))
        if v.type in ("unsigned", "unsigned long long") and self.chance(50):
            self.line(f"{v.text} {self.pick('+', '-', '^', '*', '|', '&', '+')}= {value};")
        elif v.type == "unsigned" and self.chance(10):
            self.line(f"{self.pick('++', '--')}{v.text};")
        elif v.type in SMALL and self.chance(40):
            self.line(f"{v.text} += {value};")
        else:
            self.line(f"{v.text} = {value};")

    def target(self, place, level=THREAD):
        """An unsigned variable to assign what is as uniform as `level`, or None."""
        options = [v for v in place.named(("unsigned",), THREAD, True) if v.level >= max(place.level, level)]
        return self.random.choice(options) if options else None

    def give(self, place, text, level=THREAD):
        """Assigns it where that is possible; `text` stays where others wait in it."""
        v = self.target(place, level)
        if v:
            self.line(f"{v.text} {self.pick('', '+', '^')}= {text};")
        elif "sync" in text:
            self.line(f"{text};")

    def use(self, place, text, type):
        """Lets a value reach what is compared in the end."""
        if options := [v for v in place.named(("unsigned",), THREAD, True) if v.level == THREAD]:
            self.line(f"{self.random.choice(options).text} {self.pick('+', '^')}= {self.as_unsigned(text, type)};")

    # ---- branches --------------------------------------------------------------------------------

    def inside(self, place, level):
        """The place behind a condition of that level."""
        if level <= place.level:
            return place
        mask = place.mask if level <= WARP else None
        return place.but(level=level, mask=mask, can_return=place.can_return and self.full_masks)

    def some_level(self, place):
        """Of a condition: as uniform as the place or less."""
        if place.level == THREAD or self.chance(55):
            return THREAD
        return WARP if place.level == BLOCK and self.has("by_warp") and self.chance(40) else place.level

    def branch(self, place):
        level = self.some_level(place)
        inner = self.inside(place, level)
        condition = lambda: self.effective(place, level, self.condition(place, level, self.pick(0, 1, 1, 2)))
        form = self.below(10)
        self.block(f"if ({condition()})", lambda: self.body(inner))
        if form == 9:
            self.orelse(lambda: self.body(inner), condition())
        if form >= 5:
            self.orelse(lambda: self.body(inner))

    def effective(self, place, level, condition):
        """Sometimes a condition whose second half changes something, if it is asked at all."""
        v = self.target(place, level)
        if not self.has("logical") or not v or v.level != level or not self.chance(15):
            return condition
        change = f"({v.text} += {self.unsigned(place, level, 1)}) {self.pick('>', '!=')} {self.below(9)}u"
        return f"({condition}) {self.pick('&&', '||')} {change}"

    def switch(self, place):
        level = self.some_level(place)
        inner = self.inside(place, level).but(in_switch=True)
        n = 2 + self.below(4)
        labels = list(range(n))
        self.random.shuffle(labels)
        default = self.below(n + 2)
        subject = self.unsigned(place, level, 2)
        self.line(f"switch ({subject}{'' if self.chance(15) else f' % {n + self.below(2)}u'}) {{")
        for at, label in enumerate(labels):
            ends = "}" if self.chance(35) else "} break;"
            self.block("default:" if at == default else f"case {label}:", lambda: self.body(inner, 2), ends)
        self.line("}")

    # ---- loops -----------------------------------------------------------------------------------

    def bound(self, place, level, limit):
        """How often a loop is run, an int from 0 to `limit`."""
        e = self.unsigned(place, level, self.pick(0, 1, 2))
        count, more = f"(int)({e} % {limit + 1}u)", f"(int)({e} % {limit}u) + 1"
        return self.weighted([(count, 4), (more, 2), (str(1 + self.below(limit)), 2)])

    def loop(self, place, most=7):
        """What is uniform of a loop: level of its condition, limit of its trips, place of its body, its counter."""
        level = self.some_level(place)
        limit = 2 + self.below(min(most, place.trips - 1))
        inner, exits = self.inside(place, level), None
        if self.has("break") and self.chance(60):
            exits = max(self.some_level(inner) if self.chance(60) else inner.level, level)
            inner = self.inside(inner, exits)
        if self.has("return") and inner.can_return:  # who returns is not there in the next pass
            if self.chance(50):
                self.missing = self.gone = True
            else:
                inner = inner.but(can_return=False)
        counter = self.name("i")
        variables = inner.variables + (Variable(counter, "int", inner.level, False),)
        inner = inner.but(exits=exits, in_switch=False, trips=place.trips // limit, variables=variables)
        return level, limit, inner, counter

    def for_loop(self, place):
        level, limit, inner, i = self.loop(place)
        if self.has("unroll") and self.chance(50):
            self.line(f"#pragma unroll{self.pick('', ' 2', ' 4', ' 1')}")
        bound, type = self.bound(place, level, limit), "int"
        form = self.below(7)
        head = f"for (int {i} = 0; {i} < {bound}; ++{i})"
        if form == 3:
            head = f"for (int {i} = {bound}; {i} > 0; --{i})"
        if form == 4:
            step, start = self.pick(2, 3), self.unsigned(place, level, 1)
            head = f"for (int {i} = (int)({start} % {step + 1}u); {i} < {limit * step}; {i} += {step})"
        if form == 5:
            type, step = "unsigned", self.pick(2, 3)
            start = self.unsigned(place, level, 1)
            head = f"for (unsigned {i} = {start} % {step * limit + 1}u; {i} >= {step}u; {i} -= {step}u)"
        if form == 6:
            type = self.pick("long long", "unsigned")
            head = f"for ({type} {i} = 0; {i} < {limit}; ++{i})"
        changed = tuple(dataclasses.replace(v, type=type) if v.text == i else v for v in inner.variables)
        self.block(head, lambda: self.body(inner.but(variables=changed)))

    def while_loop(self, place):
        level, limit, inner, i = self.loop(place, 6)
        self.line(f"int {i} = {self.bound(place, level, limit)};")
        also = f" && ({self.condition(place, level)})" if self.chance(50) else ""
        self.block(f"while ({i}-- > 0{also})", lambda: self.body(inner))

    def do_loop(self, place):
        level, limit, inner, i = self.loop(place, 6)
        self.line(f"int {i} = 0;")
        also = f" && ({self.condition(place, level)})" if self.chance(30) else ""
        bound, c = self.bound(place, level, limit), self.name("c")
        if self.chance(60):
            return self.block("do", lambda: self.body(inner), f"}} while (++{i} < {bound}{also});")
        # LLVM asks at its end alone whether it goes on, and for equality: whoever is not let in never ends it.
        self.line(f"const int {c} = {bound};")
        loop = lambda: self.block("do", lambda: self.body(inner), f"}} while (++{i} < {c}{also});")
        self.block(f"if ({c} > 0)", loop)

    def endless_loop(self, place):
        """A loop that only `break` ends."""
        level, limit, inner, i = self.loop(place, 6)
        inner = inner.but(exits=None)
        self.line(f"int {i} = 0;")

        def body():
            if self.chance(50):
                self.body(inner, 2)
            self.line(f"if (++{i} >= {limit} || ({self.condition(inner, level)})) break;")
            self.body(inner, 2)

        self.block("while (true)", body)

    def leave_loop(self, place):
        if place.level > place.exits:
            return self.assign(place)
        word = "continue" if place.in_switch or self.chance(40) else "break"
        self.line(f"if ({self.condition(place, place.exits)}) {word};")

    # ---- jumps -----------------------------------------------------------------------------------

    def jump_over(self, place):
        level, label = self.some_level(place), self.name("behind")
        inner = self.inside(place, level)

        def body():
            self.line(f"if ({self.condition(place, level)}) goto {label};")
            self.block("", lambda: self.body(inner))
            self.line(f"{label}:;")

        self.block("", body)

    def jump_back(self, place):
        level, label, count = self.some_level(place), self.name("again"), self.name("c")
        limit = 2 + self.below(min(5, place.trips - 1))
        inner = self.inside(place, level).but(trips=place.trips // limit, exits=None, in_switch=False, can_return=False)

        def body():
            self.line(f"int {count} = 0;")
            self.block(f"{label}:", lambda: self.body(inner))
            self.line(f"if (++{count} < {limit} && ({self.condition(place, level)})) goto {label};")

        self.block("", body)

    # ---- returns ---------------------------------------------------------------------------------

    def leave(self, place):
        if place.is_function:
            return self.line(f"if ({self.condition(place, THREAD)}) return {self.unsigned(place, THREAD, 1)};")
        level = self.some_level(place)
        if self.full_masks or not self.warps or level <= min(WARP, place.level):
            self.gone = True
            self.missing |= level > WARP
            return self.line(f"if ({self.condition(place, level)}) {{ {self.finish(place)} }}")
        if place.mask != "m" or place.level > WARP:
            return self.assign(place)
        self.leave_mask(place, self.condition(place, THREAD))

    def leave_mask(self, place, condition):
        """Lanes say that they go."""
        self.missing = self.gone = True
        c = self.name("c")
        self.line(f"const bool {c} = {condition};")
        self.line(f"m = __ballot_sync(m, !{c});")
        self.line(f"if ({c}) {{ {self.finish(place)} }}")

    def finish(self, place):
        return f"out[gid] = {' + '.join(v.text for v in place.named(('unsigned',), THREAD)[:3])}; return;"
