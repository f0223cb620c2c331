"""Random variables of a part of the text, lambdas, functions, and what a thread has for itself."""

from fuzz.flow import Flow
from fuzz.places import SMALL, THREAD, Array, Variable


class Functions(Flow):
    def function_options(self, place):
        deep, has = place.depth >= 4, self.has
        return [
            (self.scope, 1 * (not deep)),
            (self.lambda_call, 2 * has("lambda") * (place.depth < 3)),
            (self.lambda_together, 2 * has("lambda") * (place.depth < 3) * (place.level < THREAD)),
            (self.by_reference, 1 * has("reference")),
            (self.by_pointer, 2 * has("reference") * bool(self.locals) * place.has_indices),
            (self.give_reference, 2 * has("reference") * bool(self.procedures) * place.has_indices),
            (self.bit_field, 3 * self.has_own("fields") * place.has_indices),
            (self.union_member, 3 * self.has_own("union") * place.has_indices),
            (self.table_call, 3 * bool(self.tables) * (place.level == THREAD or not place.is_function)),
            (self.local_array, 3 * bool(self.locals) * place.has_indices),
        ]

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

    def lambda_together(self, place):
        """A lambda that all who come there call, and may meet in."""
        f, x = self.name("f"), self.name("x")
        inner = place.but(
            exits=None, in_switch=False, can_return=False, depth=place.depth + 1, trips=place.trips // 2, can_push=False,
            variables=place.variables + (Variable(x, "unsigned", THREAD),),
        )  # fmt: skip
        body = lambda: (
            self.statements(inner, 1 + self.below(3)),
            self.line(f"return {self.unsigned(inner, THREAD, 2)};"),
        )
        self.block(f"auto {f} = [&](unsigned {x}) -> unsigned", body, "};")
        for _ in range(1 + self.below(2)):
            y = self.name("x")
            self.line(f"const unsigned {y} = {f}({self.unsigned(place, THREAD, 1)});")
            self.use(place, y, "unsigned")

    def by_pointer(self, place):
        """A pointer into memory of the thread that may point to several places."""
        array = self.random.choice(self.locals)
        p, element = self.name("p"), f"&{array.text}[{self.unsigned(place, THREAD, 1)} & {int(array.length) - 1}u]"
        other = f"&{array.text}[{self.below(int(array.length))}]"
        if options := [v for v in place.named((array.type,), THREAD, True) if v.level == THREAD]:
            other = self.pick(other, f"&{self.random.choice(options).text}")
        self.line(f"{array.type}* {p} = {self.condition(place, THREAD)} ? {element} : {other};")
        sign = self.pick("", "+", "^") if array.type == "unsigned" else ""
        self.line(f"*{p} {sign}= {self.value(place, array.type, THREAD, 2)};")

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
        if self.chance(25):
            f = self.name("g")
            self.line(f"__device__ unsigned {f}(unsigned x, unsigned y) {{")
            self.line(
                f"  return x < 2u || y % 8u == 0u ? threadIdx.x + blockIdx.x : {f}(x / 3u, y % 8u - 1u) ^ (x + threadIdx.x); }}"
            )
            functions.append((f, ("unsigned", "unsigned")))
        if self.has("struct") and self.has("reference"):
            functions.append((self.make_methods(base, functions), ("unsigned", "unsigned")))
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

    def make_methods(self, base, functions):
        """A function that calls methods of records, which change each other through references."""
        s, f = self.name("Pair"), self.name("g")
        fields = (("p", "unsigned"), ("q", "int"), ("other.p", "unsigned"), ("other.q", "int"))
        place = self.function_place(base, tuple(Variable(*field, THREAD) for field in fields), functions)
        self.line(f"struct {s} {{ unsigned p; int q;")
        self.block(
            f"__device__ unsigned mix({s}& other, unsigned x)",
            lambda: self.function_body(place, "return z ^ x + other.p;"),
        )
        self.line("};")
        self.line(f"__device__ void turn({s}& a, {s}& b) {{ {s} c = a; a = b; b = c; a.p ^= (unsigned)b.q; }}")
        self.line(f"__device__ unsigned {f}(unsigned x, unsigned y) {{")
        self.line(f"  {s} one = {{x, (int)y}}, two = {{y, 3}};")
        self.line(f"  if (x % {self.pick(2, 3)}u) turn(one, two);")
        self.line("  unsigned z = one.mix(two, x);")
        self.line(f"  {self.pick('', 'if (z & 1u) ')}z += two.mix({self.pick('one', 'two')}, z);")
        self.line("  return z ^ two.p + (unsigned)one.q; }")
        return f

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
            for name in ("many", "more")[: self.pick(1, 1, 2)]:
                length, type = (
                    self.pick(8, 8, 16),
                    self.weighted([("unsigned", 6), *((t, 0.5) for t in self.integers())]),
                )
                fill = f"for (int i = 0; i < {length}; ++i) {name}[i] = ({type})in[(gid + i) % n];"
                self.line(f"{type} {name}[{length}]; {fill}")
                self.locals.append(Array(name, type, str(length), THREAD))
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
        self.make_own(place)
        return place.but(variables=tuple(variables), arrays=place.arrays + tuple(self.locals))

    def make_own(self, place):
        """What names no variable of a type: fields of some bits, and a union."""
        if self.has("fields"):
            types = (("unsigned", 32), ("int", 32), *((t, 8 if "char" in t else 16) for t in SMALL))
            types += (("unsigned long long", 64), ("long long", 64), ("bool", 1))
            fields = [(f"f{i}", *self.random.choice(types)) for i in range(3 + self.below(4))]
            self.fields = [name for name, *_ in fields]
            said = " ".join(f"{type} {name} : {1 + self.below(bits)};" for name, type, bits in fields)
            self.before.append(f"struct Fields {{ {said} }};")
            self.line(f"Fields fields = {{}}; fields.f0 = ({fields[0][1]}){self.unsigned(place, THREAD, 1)};")
            self.made.append("fields")
        if self.has("union"):
            self.before.append(
                "union Words { unsigned long long w; unsigned u[2]; short h[4]; signed char c[8]; struct { unsigned short a; unsigned b; } s; };"
            )
            self.line(f"Words words; words.w = {self.unsigned(place, THREAD, 1)} * 0x100000001ull;")
            self.made.append("union")

    def has_own(self, feature):
        return feature in self.made

    def bit_field(self, place):
        name, value = f"fields.{self.random.choice(self.fields)}", self.unsigned(place, THREAD, 2)
        other = f"fields.{self.random.choice(self.fields)}"
        form = self.pick("{0} = {1};", "{0} ^= {1};", "{0} = (unsigned){2} + {1};", "if ({2}) {0} = {1};")
        self.line(form.format(name, value, other))
        self.use(place, f"(unsigned){self.pick(name, other)}", "unsigned")

    def union_member(self, place):
        member = lambda: self.pick(
            "words.w", "words.s.a", "words.s.b", f"words.u[{self.unsigned(place, THREAD, 1)} & 1u]",
            f"words.h[{self.unsigned(place, THREAD, 1)} & 3u]", f"words.c[{self.unsigned(place, THREAD, 1)} & 7u]", "words.c[5]",
        )  # fmt: skip
        self.line(f"{member()} {self.pick('', '^')}= {self.unsigned(place, THREAD, 2)};")
        self.use(place, f"(unsigned){member()}", "unsigned")

    def make_table(self, functions):
        """Functions of one type that are called through pointers."""
        names = [f for f, types in functions if types == ("unsigned", "unsigned")]
        if self.has("table") and names:
            self.line(f"__device__ unsigned (*const calls[])(unsigned, unsigned) = {{{', '.join(names)}}};")
            self.tables.append(len(names))

    def table_call(self, place):
        at = f"{self.unsigned(place, THREAD, 1)} % {self.tables[0]}u"
        self.use(
            place, f"calls[{at}]({self.unsigned(place, THREAD, 1)}, {self.unsigned(place, THREAD, 1)})", "unsigned"
        )

    def integers(self):
        return [t for t in self.types if t not in ("float", "double", "bool")]

    def local_array(self, place):
        """An element whose subscript differs from thread to thread."""
        array = self.random.choice(self.locals)
        at = f"{array.text}[{self.unsigned(place, THREAD, 2)} & {int(array.length) - 1}u]"
        if array.type == "unsigned" and self.chance(60):
            return self.line(f"{at} {self.pick('+', '^')}= {self.unsigned(place, THREAD, 2)};")
        self.line(f"{at} = {self.value(place, array.type, THREAD, 2)};")
