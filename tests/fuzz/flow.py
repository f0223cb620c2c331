"""Random statements of one thread, and the branches and loops around all others."""

import dataclasses

from fuzz.expressions import Expressions
from fuzz.places import BLOCK, SMALL, THREAD, WARP, Array, Variable


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
        options = self.flow_options(place) + self.memory_options(place)
        if place.mask:
            options += self.warp_options(place)
        if place.level == BLOCK and not place.is_function:
            options += self.block_options(place)
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
            (self.leave_loop, 5 * has("break") * (place.exits is not None)),
            (self.leave, 2 * has("return") * place.can_return * (place.depth < 3)),
            (self.scope, 1 * (not deep)),
            (self.lambda_call, 2 * has("lambda") * (place.depth < 3)),
            (self.by_reference, 1 * has("reference")),
            (self.give_reference, 2 * has("reference") * bool(self.procedures) * place.has_indices),
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
        condition = lambda: self.condition(place, level, self.pick(0, 1, 1, 2))
        form = self.below(10)
        self.block(f"if ({condition()})", lambda: self.body(inner))
        if form == 9:
            self.orelse(lambda: self.body(inner), condition())
        if form >= 5:
            self.orelse(lambda: self.body(inner))

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
        self.block("do", lambda: self.body(inner), f"}} while (++{i} < {self.bound(place, level, limit)}{also});")

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

    # ---- variables, functions ----------------------------------------------------------------------

    def scope(self, place):
        """A variable of its own for some statements."""
        type, name = self.random.choice(self.types), self.name("x")
        level = place.level if self.chance(50) else THREAD
        self.line(f"{type} {name} = {self.value(place, type, level)};")
        inner = place.but(variables=place.variables + (Variable(name, type, level),))
        self.statements(inner, 1 + self.below(2))
        self.use(inner, name, type)

    def lambda_call(self, place):
        f, x = self.name("f"), self.name("x")
        inner = place.but(
            level=THREAD, mask=None, exits=None, in_switch=False, depth=place.depth + 1, can_return=False,
            variables=place.variables + (Variable(x, "unsigned", THREAD),), trips=min(place.trips, 6), can_push=False,
        )  # fmt: skip

        def body():
            self.statements(inner, 1 + self.below(2))
            if self.chance(40):
                self.line(f"if ({self.condition(inner, THREAD)}) return {self.unsigned(inner, THREAD, 1)};")
            self.line(f"return {self.unsigned(inner, THREAD, 2)};")

        self.block(f"auto {f} = [&](unsigned {x}) -> unsigned", body, "};")
        call = lambda: f"{f}({self.unsigned(place, THREAD, 1)})"
        self.use(
            place, f"({self.condition(place, THREAD)} ? {call()} : {call()})" if self.chance(40) else call(), "unsigned"
        )

    def by_reference(self, place):
        options = [v for v in place.named(("unsigned",), THREAD, True) if v.level == THREAD]
        if len(options) < 2:
            return self.assign(place)
        x, y = self.random.sample(options, 2)
        r, chosen = self.name("r"), f"{self.condition(place, THREAD)} ? {x.text} : {y.text}"
        self.line(f"{{ unsigned& {r} = {chosen}; {r} {self.pick('+', '^')}= {self.unsigned(place, THREAD, 2)}; }}")

    def give_reference(self, place):
        """A function that changes its arguments."""
        options = [v for v in place.named(("unsigned",), THREAD, True) if v.level == THREAD]
        if not options:
            return self.assign(place)
        v = self.random.choice(options)
        self.line(f"{self.random.choice(self.procedures)}({v.text}, {self.unsigned(place, THREAD, 1)});")

    def make_functions(self, base):
        """Functions that one thread runs by itself: (name, types of parameters)."""
        functions = []
        if self.chance(50):
            f = self.name("g")
            self.line(f"__device__ unsigned {f}(unsigned x, unsigned y) {{")
            self.line(f"  return (y & 15u) < 2u || x == 0u ? x + 3u : {f}(x / 2u, (y & 15u) / 2u) + y; }}")
            functions.append((f, ("unsigned", "unsigned")))
        for _ in range(1 + self.below(2)):
            f, type = self.name("g"), self.random.choice([t for t in self.types if t not in SMALL and t != "bool"])
            place = self.function_place(base, (Variable("y", type, THREAD),), functions)
            body = lambda: self.function_body(place, f"return z ^ x + {self.as_unsigned('y', type)};")
            if self.chance(33):
                self.line("template <typename T>")
                self.block(f"__device__ unsigned {f}(unsigned x, T y)", body)
                functions.append((f"{f}<{type}>", ("unsigned", type)))
            else:
                how = self.pick("", "__noinline__ ", "__forceinline__ ")
                self.block(f"__device__ {how}unsigned {f}(unsigned x, {type} y)", body)
                functions.append((f, ("unsigned", type)))
        if self.has("reference"):
            f = self.name("p")
            place = self.function_place(base, (), functions).but(can_return=False)
            self.block(
                f"__device__ void {f}(unsigned& r, unsigned x)", lambda: self.function_body(place, "r += z ^ x;")
            )
            self.procedures.append(f)
        return tuple(functions)

    def function_place(self, base, variables, functions):
        variables = (Variable("x", "unsigned", THREAD), Variable("z", "unsigned", THREAD), *variables)
        arrays = tuple(a for a in base.arrays if a.text != "in")
        return base.but(
            level=THREAD, variables=variables, arrays=arrays, is_function=True, has_indices=False, trips=6, depth=2,
            functions=tuple(functions), can_push=False,
        )  # fmt: skip

    def function_body(self, place, last, first=lambda: None):
        self.line(f"unsigned z = {self.constant()}u; const unsigned a = 5u, n = 7u;")
        first()
        self.budget, rest = 4, self.budget
        self.statements(place, 1 + self.below(3))
        self.budget = rest
        self.line(last)

    # ---- arrays of a thread ------------------------------------------------------------------------

    def make_locals(self, place):
        """Arrays, structures and vectors that each thread has; the place where they are."""
        variables = list(place.variables)
        if self.has("array"):
            length = self.pick(8, 8, 16)
            self.line(f"unsigned many[{length}]; for (int i = 0; i < {length}; ++i) many[i] = in[(gid + i) % n];")
            self.locals.append(Array("many", "unsigned", str(length), THREAD))
        if self.has("struct"):
            fields = [(name, self.random.choice(self.types)) for name in ("p", "q", "r")]
            self.before.append(f"struct Record {{ {' '.join(f'{type} {name};' for name, type in fields)} }};")
            self.line(f"Record record = {{{', '.join(self.value(place, type, THREAD, 1) for _, type in fields)}}};")
            variables += [Variable(f"record.{name}", type, THREAD) for name, type in fields]
        if self.has("vector"):
            type, element = self.pick(
                ("uint4", "unsigned"), ("uint2", "unsigned"), ("int4", "int"), ("float4", "float")
            )
            n = int(type[-1])
            self.line(
                f"{type} vector = make_{type}({', '.join(self.value(place, element, THREAD, 1) for _ in range(n))});"
            )
            variables += [Variable(f"vector.{c}", element, THREAD) for c in "xyzw"[:n]]
        return place.but(variables=tuple(variables), arrays=place.arrays + tuple(self.locals))

    def local_array(self, place):
        """An element whose subscript differs from thread to thread."""
        array = self.random.choice(self.locals)
        at = f"{array.text}[{self.unsigned(place, THREAD, 2)} & {int(array.length) - 1}u]"
        self.line(f"{at} {self.pick('', '+', '^')}= {self.unsigned(place, THREAD, 2)};")
