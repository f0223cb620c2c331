"""Another grammar of kernels: numbers of every type as C mixes them, inexact floats, and memory read in several ways.

Like the first one (kernels.py) it has no races and no undefined behaviour; it knows less of who comes where together, and
more of types. `kernel(seed)` gives the kernel of a seed."""

import math

from fuzz.kernels import Kernel
from fuzz.mixed.functions import Functions
from fuzz.mixed.integers import CODE, INT, TYPES, limits

BLOCKS = [
    (32,),
    (64,),
    (128,),
    (96,),
    (256,),
    (33,),
    (7,),
    (1,),
    (50,),
    (8, 4),
    (16, 3),
    (5, 7),
    (32, 2),
    (3, 3, 3),
    (4, 2, 8),
    (2, 5, 3),
    (17, 3),
    (32, 4),
    (64,),
    (128,),
]
GRIDS = [(1,), (2,), (3,), (5,), (2, 2), (1, 3), (2, 1, 2)]


class Generator(Functions):
    def __init__(self, seed):
        super().__init__(seed)
        self.nest = 0
        self.before = []
        self.vars, self.fvars, self.ro = [], [], []
        self.features = {
            f
            for f in "loop switch ptr struct shared warp atomic float half func narrow const goto cg mem64 lambda volatile dyn bits vec tmpl align fields class references leave exchange".split()
            if self.random.random() < 0.42
        }
        self.shape, self.grid = self.random.choice(BLOCKS), self.random.choice(GRIDS)
        self.threads, self.total = math.prod(self.shape), math.prod(self.shape) * math.prod(self.grid)
        self.dyn = 0
        self.params, self.funcs, self.ffuncs, self.arrays = [], [], [], []
        self.infunc = False
        self.depth = 0
        self.budget = self.random.choice([6, 10, 16, 24, 40])

    def scope(self, head, body, tail="}"):
        self.line(head + " {")
        self.indent += 1
        keep = len(self.vars), len(self.fvars), len(self.ro), len(self.arrays)
        body()
        del self.vars[keep[0] :], self.fvars[keep[1] :], self.ro[keep[2] :], self.arrays[keep[3] :]
        self.indent -= 1
        self.line(tail)

    def make(self):
        P = self.params
        P.append(("unsigned long long* out", ("zeros", "u8", self.total)))
        self.ins, self.outs, self.cells = {}, {}, {}
        if self.has("narrow"):
            for t in self.random.sample(TYPES, 3):
                n = "in_" + CODE[t]
                rest = self.pick("", "__restrict__ ")
                P.append((f"const {t}* {rest}{n}", ("data", CODE[t], self.total + 8, self.seed % 1000 + len(P))))
                self.ins[t] = n
            for t in self.random.sample(TYPES, 2):
                n = "o_" + CODE[t]
                P.append((f"{t}* {n}", ("zeros", CODE[t], 2 * self.total)))
                self.outs[t] = n
        P.append(("const unsigned* data", ("data", "u4", self.total + 8, self.seed % 1000 + 50)))
        if self.has("atomic"):
            for t in ("int", "unsigned", "unsigned long long", "long long", "float"):
                n = "c_" + CODE[t]
                P.append((f"{t}* {n}", ("zeros", CODE[t], self.total)))
                self.cells[t] = n
        s = self.random.choice(["int", "short", "long long", "unsigned char"])
        lo, hi = limits(s)
        P.append((f"{s} scalar", ("scalar", CODE[s], self.random.randrange(lo, hi + 1))))
        if self.has("const"):
            t, n = self.random.choice(TYPES), 8
            lo, hi = limits(t)
            vals = ", ".join(self.lit(self.random.randrange(lo, hi + 1)) for _ in range(n))
            self.before.append(f"__constant__ {t} table[{n}] = {{{vals}}};")
            t2 = self.random.choice(TYPES)
            self.before.append(f"__device__ const {t2} table2[] = {{1, 2, 3, 5, 8, 13, 21, 34}};")
            self.const_arrays = [("table", t, 8), ("table2", t2, 8)]
        else:
            self.const_arrays = []
        if self.has("func"):
            self.make_funcs()
        self.lines, self.vars, self.fvars, self.ro = [], [], [], []
        self.arrays = list(self.const_arrays)
        self.indent = 1
        self.line("const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);")
        self.line(
            f"const unsigned gid = t + {self.threads}u * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));"
        )
        self.line("const unsigned lane = t & 31u; const int st = (int)t;")
        if not self.full():
            self.line(
                f"const unsigned wm = {self.threads}u - (t & ~31u) >= 32u ? ~0u : (1u << ({self.threads}u - (t & ~31u))) - 1u;"
            )
        for i, t in enumerate(self.random.sample(TYPES, self.random.randrange(3, 7))):
            self.line(
                f"{t} v{i}_ = ({t})({self.pick('data[gid]', 'data[gid + 3] * 2654435761u', 'gid * 40503u', 'scalar', 'data[gid] * 0x100000001ull', 't')});"
            )
            self.vars.append((f"v{i}_", t))
        self.ro.append(("scalar", s, *limits(s)))
        if self.has("float"):
            self.line("float f_ = __uint_as_float(data[gid] * 2246822519u); double d_ = (double)data[gid + 1] / 7.0;")
            self.fvars += [("f_", "float"), ("d_", "double")]
        while self.budget > 0:
            self.statement()
        h = "unsigned long long h = 1469598103934665603ull;"
        for n, _ in self.vars:
            h += f" h = (h ^ (unsigned long long){n}) * 1099511628211ull;"
        for n, t in self.fvars:
            f = {"float": "fbits", "double": "dbits", "__half": "hbits"}[t]
            h += f" h = (h ^ {f}({n})) * 1099511628211ull;"
        for n, _, length in self.arrays:
            if n.startswith("a"):
                h += f" for (int i = 0; i < {length}; ++i) h = (h ^ (unsigned long long){n}[i]) * 31ull;"
        self.line(h)
        self.line("out[gid] = h;")
        head = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
        pre = [
            "namespace cg = cooperative_groups;",
            "__device__ unsigned fbits(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }",
            "__device__ bool sgn(float x) { return x == x && signbit(x); }",
            "__device__ float cps(float x, float y) { return copysignf(x, y != y ? 1.0f : y); }",
            "__device__ double cpd(double x, double y) { return copysign(x, y != y ? 1.0 : y); }",
            "__device__ int dhi(double x) { return x != x ? 1 : __double2hiint(x); }",
            "__device__ int dlo(double x) { return x != x ? 1 : __double2loint(x); }",
            "__device__ unsigned long long dbits(double x) { return x != x ? 0x7ff8ull << 48 : (unsigned long long)__double_as_longlong(x); }",
        ]
        if self.has("half"):
            pre.append(
                "__device__ unsigned hbits(__half x) { const float f = __half2float(x); return f != f ? 0x7e00u : (unsigned)__half_as_ushort(x); }"
            )
        lb = f"__launch_bounds__({max(32, self.threads)}) " if self.chance(20) else ""
        text = head + "\n".join(pre + self.before) + "\n"
        if self.dyn:
            self.lines.insert(0, "  extern __shared__ unsigned char pool[];")
        text += f'extern "C" __global__ void {lb}k({", ".join(d for d, _ in P)}) {{\n' + "\n".join(self.lines) + "\n}\n"
        return Kernel(self.seed, text, self.grid, self.shape, self.dyn, [h for _, h in P])

    def lit(self, v):
        return (
            f"(-{-(v + 1)}ll - 1)"
            if v < -2147483648
            else f"{v}ull"
            if v > 1 << 62
            else f"{v}ll"
            if abs(v) > 1 << 31
            else str(v)
        )


def kernel(seed):
    return Generator(seed).make()
