"""Random kernels: the same seed gives the same text, launch and arguments.

Kernels are free of races and of undefined behaviour because of how they are written:

- Arithmetic is unsigned where it may wrap, divisors are made nonzero, subscripts are taken modulo the length, loops
  have limits, and floats are integers small enough to be exact.
- A *place* in the text knows who comes there together: all threads of a block, of a warp, the lanes of a mask, or one
  thread alone. Barriers stand only where the block is together, warp operations where the lanes of their mask are.
  A variable has such a level too: it is assigned only where, and from what, is as uniform.
- An array in shared memory is at each place either its threads' own (thread t touches element t), everybody's to read,
  or everybody's for one commutative atomic operation; a barrier stands between.

Each kernel uses a random part of the grammar, so that small kernels hit each part hard.
"""

import dataclasses
import math

import numpy as np

from fuzz import oracle
from fuzz.places import BLOCK, FLOATS, SMALL, THREAD, WARP, Array, Place, Variable
from fuzz.programs import Programs

BLOCKS = [(32,), (64,), (64,), (64,), (128,), (128,), (256,), (96,), (48,), (33,), (31,), (100,), (7,), (1,)]
BLOCKS += [(32, 2), (64, 2), (2, 32), (16, 8), (16, 16), (32, 8), (40, 2), (5, 3), (8, 4, 3), (4, 4, 4)]
GRIDS = [(1,), (2,), (3,), (4,), (5,), (6,), (2, 2), (3, 2), (1, 3)]
MANY = [(17,), (40,), (9, 4)]  # more blocks than are run as one group

FEATURES = "branch for while do switch break return array lambda reference divide ternary bits wide float small logical"
FEATURES += (
    " unroll function constant atomics struct vector row stencil stride global bool guard restrict queue half convert"
    " jump fields union table"
)
WARP_FEATURES = "shuffle ballot reduce match mask tile cg by_warp warp_function"
MEMORY_FEATURES = "global vector queue atomics stride row struct"
BLOCK_FEATURES = "shared vote shared_atomic shared_struct one_warp by_warp dynamic block_function"


@dataclasses.dataclass
class Kernel:
    """Text whose entry is `k`, and how to launch it; `parameters` says how each argument is made."""

    seed: int
    text: str
    grid: tuple
    block: tuple
    shared: int
    parameters: list

    def arguments(self):
        """Arrays and scalars, new ones each time."""
        return [argument(*parameter) for parameter in self.parameters]

    def compared(self, arrays):
        """What of its buffers must be equal: those that are in an order nobody knows are sorted."""
        kinds = [kind for kind, *_ in self.parameters if kind != "scalar"]
        return [np.sort(array) if kind == "unordered" else array for kind, array in zip(kinds, arrays, strict=True)]


def argument(kind, dtype, value, fill=0):
    """("scalar", dtype, value), ("zeros" or "unordered", dtype, length) or ("data", dtype, length, seed)."""
    if kind == "scalar":
        return np.dtype(dtype).type(value)
    if kind in ("zeros", "unordered"):
        return np.full(value, fill, dtype)
    data = np.random.RandomState(fill).randint(0, 1 << 32, value, dtype="u8").astype("u4")
    data[::3] %= 16
    data[1::5] >>= 9
    data[::7] = 0
    return data.astype(dtype)


class Generator(Programs):
    def __init__(self, seed):
        super().__init__(seed)
        self.choose()
        self.before, self.declared, self.parameters = [], [], []
        self.locals, self.shared, self.cells = [], [], False
        self.made, self.fields, self.tables = [], [], []
        self.procedures, self.warp_functions, self.block_sum, self.pushes = [], (), None, 0
        self.dynamic_bytes, self.has_last = 0, False
        self.missing = self.threads % 32 != 0  # whether lanes may be missing from a warp
        self.gone = False  # whether threads may have returned
        self.all_lanes = ("~0u", "0xffffffffu")

    def choose(self):
        """What this kernel is made of."""
        profile = self.weighted([("plain", 25), ("block", 20), ("warp", 20), ("both", 35)])
        share = self.pick(20, 35, 50)
        some = lambda words: {word for word in words.split() if self.chance(share)}
        self.features = some(FEATURES)
        self.warps = profile in ("warp", "both")
        if self.warps:
            self.features |= some(WARP_FEATURES) | {self.pick("shuffle", "ballot", "reduce")}
        if profile in ("block", "both"):
            self.features |= some(BLOCK_FEATURES) | {"barrier", self.pick("shared", "vote", "shared_atomic")}
        if profile == "both" and self.chance(50):
            self.features.add("warp_shared")
        self.full_masks, self.program = self.chance(50), None
        self.shape = self.random.choice(BLOCKS)
        self.threads = math.prod(self.shape)
        self.grid = self.random.choice(MANY if self.threads <= 64 and self.chance(10) else GRIDS)
        self.total = self.threads * math.prod(self.grid)
        if self.chance(20):
            self.program, self.warps = self.choose_program(), False
            self.features -= {*WARP_FEATURES.split(), *BLOCK_FEATURES.split(), *MEMORY_FEATURES.split(), "barrier"}
        self.budget = self.weighted([(5, 3), (9, 5), (15, 5), (25, 3), (50, 1), (90, 0.3)])
        self.types = ["unsigned", "unsigned", "int"] + ["bool"] * self.has("bool") + list(SMALL) * self.has("small")
        self.types += ["unsigned long long", "long long"] * self.has("wide") + [*FLOATS] * self.has("float")

    def parameter(self, declaration, *how):
        self.declared.append(declaration.split()[-1])
        self.parameters.append((declaration, how))

    def make(self):
        self.parameter("unsigned* out", "zeros", "u4", self.total)
        self.parameter("const unsigned* in", "data", "u4", self.total + 7, self.seed)
        self.parameter("unsigned n", "scalar", "u4", self.total + 7)
        self.parameter("unsigned a", "scalar", "u4", self.constant())
        if self.has("global"):
            self.parameter("unsigned* memory", "zeros", "u4", self.total)
            self.parameter("unsigned* stream", "zeros", "u4", 3 * self.total + 40)
            self.parameter("unsigned* partials", "zeros", "u4", self.total)
            self.parameter("unsigned* tickets", "zeros", "u4", 1 + self.threads)
        if self.has("vector"):
            self.parameter("uint4* four", "zeros", "u4", 4 * self.total)
        if self.has("queue"):
            self.parameter("unsigned* taken", "zeros", "u4", 1)
            self.parameter("unsigned* queue", "unordered", "u4", 3 * 4 * self.total)
        place = Place(arrays=(Array("in", "unsigned", "n"),))
        if self.has("constant"):
            for word, name in (("__constant__", "table"), ("__device__", "values")):
                self.line(f"{word} unsigned {name}[16] = {{{', '.join(f'{self.constant()}u' for _ in range(16))}}};")
                place = place.but(arrays=place.arrays + (Array(name, "unsigned", "16"),))
        if self.has("atomics"):
            place = self.make_atomics(place)
        if self.has("function"):
            place = place.but(functions=self.make_functions(place.but(atomics=())))
            self.make_table(place.functions)
        if self.has("warp_function"):
            self.make_warp_functions(place.but(atomics=()))
        if self.has("block_function") and self.has("shared"):
            self.make_block_function()
        functions, self.lines = self.lines, []
        self.indent = 1
        getattr(self, f"entry_{self.program}")(place) if self.program else self.entry(place)
        body, self.lines, self.indent = self.lines, [self.head() + " {"], 0
        self.lines += [*body, "}"]
        includes = [f"#include <{name}.h>" for name in GROUPS] + ["namespace cg = cooperative_groups;"]
        self.before += [oracle.CONVERSION] * self.has("convert")
        lines = (
            includes * self.has("cg")
            + ["#include <cuda_fp16.h>"] * self.has("half")
            + self.before
            + functions
            + self.lines
        )
        parameters = [how for _, how in self.parameters]
        return Kernel(self.seed, "\n".join(lines) + "\n", self.grid, self.shape, self.dynamic_bytes, parameters)

    def head(self):
        limit = f"__launch_bounds__({self.threads}) " if self.chance(20) else ""
        declared = ", ".join(declaration for declaration, _ in self.parameters)
        return f'extern "C" __global__ void {limit}k({declared.replace("* ", "* __restrict__ ") if self.has("restrict") else declared})'

    def entry(self, place):
        x, y, z = self.shape + (1,) * (3 - len(self.shape))
        self.line(
            "const unsigned t = threadIdx.x" + f" + {x}u * (threadIdx.y + {y}u * threadIdx.z)" * (y * z > 1) + ";"
        )
        number = "blockIdx.x" if len(self.grid) == 1 else "(blockIdx.x + gridDim.x * blockIdx.y)"
        self.line(f"const unsigned gid = {number} * {self.threads}u + t, lane = t & 31u;")
        place = self.make_locals(self.make_variables(place))
        if self.warps:
            place = place.but(mask=self.make_mask())
        if self.has("barrier"):
            place = self.make_shared(place)
        if self.has("guard"):
            self.guard(place)
        self.statements(place, 2 + self.below(4))
        while self.budget > 0 and self.chance(85):
            self.statement(place)
        self.line("unsigned h = 17u;")
        for v in place.variables:
            self.line(f"h = h * 31u + ({self.as_unsigned(v.text, v.type)});")
        for array in self.locals:
            self.line(f"for (int i = 0; i < {array.length}; ++i) h = h * 33u ^ {array.text}[i];")
        self.line("out[gid] = h;")

    def make_variables(self, place):
        """Those of the whole kernel: of threads, of the block, of warps."""
        variables = []
        for i in range(2 + self.below(4)):
            start = self.pick(
                f"in[(gid * {self.pick(1, 2, 4, 3)}u + {i}u) % n]",
                "t",
                "gid * 2654435761u",
                f"{self.below(9)}u",
                "in[gid]",
                f"t {self.pick('+', '-')} {self.pick(1, 5, 2147483640, 4294967290)}u",
            )
            self.line(f"unsigned v{i} = {start};")
            variables.append(Variable(f"v{i}", "unsigned", THREAD))
        for i, type in enumerate(self.random.sample(self.types, min(len(self.types), self.below(5)))):
            value = self.value(place.but(variables=tuple(variables)), type, THREAD, 1)
            self.line(f"{type} y{i} = {value};")
            variables.append(Variable(f"y{i}", type, THREAD))
        for i in range(self.below(3)):
            self.line(f"unsigned u{i} = {self.pick('a', 'blockIdx.x', '7u', 'n', 'in[a % n]')};")
            variables.append(Variable(f"u{i}", "unsigned", BLOCK))
        if self.has("by_warp"):
            self.line("unsigned w = t / 32u * 7u;")
            variables.append(Variable("w", "unsigned", WARP))
        return place.but(variables=tuple(variables))

    def make_mask(self):
        """The mask of lanes that are there: a variable that is kept, or all 32, of which CUDA takes those that are."""
        if self.full_masks:
            return self.random.choice(self.all_lanes)
        left = f"({self.threads}u - (t & ~31u))"
        exact = f"{left} >= 32u ? ~0u : (1u << {left}) - 1u" if self.threads % 32 else "~0u"
        self.line(f"unsigned m = {exact};")
        return "m"

    def guard(self, place):
        """Threads beyond the data, as most kernels have them."""
        condition = f"gid >= {self.pick(self.total, max(1, self.total - self.below(self.threads + 1)))}u"
        if self.warps and not self.full_masks:
            return self.leave_mask(place, condition)
        self.missing = self.gone = True
        self.line(f"if ({condition}) return;")


GROUPS = ("cooperative_groups", "cooperative_groups/reduce", "cooperative_groups/scan")


def kernel(seed):
    return Generator(seed).make()
