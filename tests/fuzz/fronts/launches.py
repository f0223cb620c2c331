"""Random programs of several kernels over shared arrays, each step with a serial reference of its own in NumPy.

A program is a kernel text, then for each step a launch and what it must leave. Steps are what people write: loops that stride
by the grid or the block, stencils of one to three dimensions, reductions and scans by hand in blocks of odd sizes,
compaction by ballots, histograms, transposed tiles, rows of short numbers in local arrays. Numbers are integers of 8 to 64
bits that wrap at each operation, as NumPy's do, and floats that stay exact. Every array has one writer for each element of a
launch, or is touched by atomics whose order does not matter.
"""

import random

import numpy as np

import kasoku as ks
from fuzz.fronts.words import Wrong, same

C = {
    "u1": "unsigned char", "i1": "signed char", "u2": "unsigned short", "i2": "short",
    "u4": "unsigned", "u8": "unsigned long long",
}  # fmt: skip
BLOCKS = [
    (32,),
    (33,),
    (64,),
    (96,),
    (100,),
    (128,),
    (256,),
    (257,),
    (31,),
    (7,),
    (1,),
    (192,),
    (16, 4),
    (8, 8),
    (5, 3, 2),
]

HEAD = """#include <cuda_fp16.h>
template <class T> __device__ T least(T x, T y) { return y < x ? y : x; }
template <class T> __device__ T most(T x, T y) { return x < y ? y : x; }
template <class T, int N> __device__ __forceinline__ void fill(T (&part)[N], T x) {
  for (int i = 0; i < N; ++i) part[i] = (T)(x * (T)(2 * i + 1) + (T)i);
}
template <class T, int K> __device__ T twist(T x) { T part[4]; fill(part, x); return part[K + 1]; }"""


def numbers(seed, n, dtype):
    """Some small, some over the whole type."""
    rng, ends = np.random.default_rng(seed), np.iinfo(dtype)
    made = rng.integers(ends.min, ends.max, n, dtype=dtype, endpoint=True)
    small = rng.integers(max(ends.min, -9), 12, n).astype(dtype)
    return np.where(rng.random(n) < (0.6 if seed % 2 else 0.2), small, made)


class Expressions:
    """Pairs of the same expression in C++ and in NumPy, of one type; each operation is cut to it."""

    def __init__(self, rng):
        self.random = rng

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, p):
        return self.random.random() < p

    def constant(self, t):
        ends = np.iinfo(t)
        value = self.pick(1, 2, 3, 5, 7, 10, 100, 127, 255, 1000, 65535, -1, -3, -10, -100)
        value = min(max(value, int(ends.min)), int(ends.max)) if t[0] == "i" else value % (int(ends.max) + 1)
        return f"({C[t]})({value}{'ull' if t == 'u8' else 'u' if t[0] == 'u' else ''})", f"np.{np.dtype(t)}({value})"

    def value(self, names, t, depth):
        """`names` are (C++, NumPy, type)."""
        if depth <= 0 or self.chance(0.12):
            own = [n for n in names if n[2] == t]
            if own and self.chance(0.75):
                return self.pick(*own)[:2]
            if names and self.chance(0.8):
                c, p, _ = self.pick(*names)
                return f"({C[t]}){c}", f"({p}).astype('{t}')"
            return self.constant(t)
        (a, x), (b, y) = self.value(names, t, depth - 1), self.value(names, t, depth - 1)
        form = self.random.randrange(12)
        if form < 5:
            op = self.pick("+", "-", "+", "-", "*", "^", "&", "|")
            wide = "(unsigned)" if op == "*" and t == "u2" else ""  # int does not hold the product
            return f"({C[t]})({wide}{a} {op} {b})", f"({x} {op} {y})"
        if form == 5:
            by = self.random.randrange(1, 8)
            op = self.pick(">>", "<<") if t[0] == "u" else ">>"
            return f"({C[t]})({a} {op} {by})", f"({x} {op} np.{np.dtype(t)}({by}))"
        if form == 6:
            name, ufunc = self.pick(("least", "minimum"), ("most", "maximum"))
            return f"{name}<{C[t]}>({a}, {b})", f"np.{ufunc}({x}, {y})"
        if form == 7:
            c, p = self.condition(names, t, depth - 1)
            return f"({c} ? {a} : {b})", f"np.where({p}, {x}, {y})"
        if form == 8 and t[0] == "u":
            by, op = self.pick(3, 7, 10, 100), self.pick("/", "%")
            return f"({C[t]})({a} {op} {by}u)", f"({x} {op.replace('/', '//')} np.{np.dtype(t)}({by}))"
        if form == 9:  # through another type
            other = self.pick(*C)
            c, p = self.value(names, other, depth - 1)
            return f"({C[t]})({c})", f"({p}).astype('{t}')"
        if form == 10:
            k = self.random.randrange(3)
            return f"twist<{C[t]}, {k}>({a})", f"twist({x}, {k})"
        return f"({C[t]})(~{a})", f"(~{x})"

    def condition(self, names, t, depth):
        other = t if self.chance(0.5) else self.pick("u1", "i1", "u2", "i2")
        if other == t or t in ("u4", "u8"):
            (a, x), (b, y) = self.value(names, t, depth - 1), self.value(names, t, depth - 1)
            op = self.pick("<", ">", "<=", "==", "!=")
            return f"({a} {op} {b})", f"({x} {op} {y})"
        (a, x), (b, y) = self.value(names, t, depth - 1), self.value(names, other, depth - 1)
        op = self.pick("<", ">", ">=", "==", "!=")  # both become int
        return f"({a} {op} {b})", f"(({x}).astype('i4') {op} ({y}).astype('i4'))"


class Writer(Expressions):
    STEPS = "mapped reduced scanned compacted counted rows stencil transposed butterfly floats records handed".split()

    def __init__(self, seed):
        super().__init__(random.Random(seed))
        self.seed, self.kernels, self.lines, self.number = seed, [], [], 0
        self.n = self.pick(1, 5, 31, 33, 64, 100, 257, 300, 777, 1000, 1024, 2000)
        self.arrays = {}

    def write(self):
        for k in range(3):
            t = self.pick(*C)
            self.arrays[f"a{k}"] = t
            self.lines.append(f"a{k} = numbers({self.random.randrange(10**6)}, {self.n}, '{t}')")
        for _ in range(self.random.randint(1, 4)):
            self.number += 1
            getattr(self, self.pick(*self.STEPS))()
        code = "\n".join([HEAD, *self.kernels])
        return f"text(r'''\n{code}\n''')\n" + "\n".join(self.lines) + "\n"

    def array(self):
        name = self.pick(*self.arrays)
        return name, self.arrays[name]

    def block(self, *, flat=False, warps=False):
        some = [b for b in BLOCKS if (len(b) == 1 or not flat) and (not warps or b[0] % 32 == 0 and len(b) == 1)]
        return self.pick(*some)

    def grid(self, block, items):
        """Enough blocks of one dimension."""
        threads = int(np.prod(block))
        return (-(-items // threads),)

    def index(self, block):
        """The thread's place in its block, in a block of any dimensions."""
        if len(block) == 1:
            return "threadIdx.x"
        return "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"

    def launch(self, name, grid, block, arguments, shared=0):
        self.lines.append(f"launch({name!r}, {grid}, {block}, [{', '.join(arguments)}], {shared})")

    def result(self, t, length):
        """A new array, and the name of what it must hold."""
        name = f"r{self.number}"
        self.lines.append(f"{name} = np.zeros({length}, '{t}')")
        return name

    def expect(self, name, text, keep=None):
        self.lines.append(f"{name} = expect({name}, {text})")
        if keep:
            self.arrays[name] = keep

    def names(self, *arrays, at="i"):
        return [(f"{a}[{at}]", a, self.arrays[a]) for a in arrays]

    def parameters(self, *arrays):
        rest = self.pick("", "__restrict__ ")
        return ", ".join(f"const {C[self.arrays[a]]}* {rest}{a}" for a in arrays)

    def two(self):
        return tuple(sorted({self.array()[0], self.array()[0]}))

    # ---- steps ------------------------------------------------------------------------------------------

    def mapped(self):
        """Each element by one thread, with a loop over the grid or a return before it; a structure and a table."""
        used, t, block = self.two(), self.pick(*C), self.block()
        table = [self.constant(t) for _ in range(5)]
        k = self.number
        names = self.names(*used) + [(f"table{k}[i % 5]", f"table{k}[np.arange(n) % 5]", t), ("s.add", f"add{k}", t)]
        c, p = self.value(names, t, 4)
        add = self.constant(t)
        out = self.result(t, self.n)
        self.lines.append(f"table{k}, add{k} = np.array([{', '.join(p for _, p in table)}]), {add[1]}; n = {self.n}")
        head = f"__constant__ {C[t]} table{k}[5] = {{{', '.join(c for c, _ in table)}}};\n"
        head += f"struct S{k} {{ {C[t]} add; int n; }};\n"
        first, loop = f"blockIdx.x * {int(np.prod(block))} + {self.index(block)}", self.chance(0.5)
        body = f"const int i = {first}; if (i >= s.n) return; out[i] = {c};"
        if loop:
            body = f"for (int i = {first}; i < s.n; i += gridDim.x * {int(np.prod(block))}) out[i] = {c};"
        self.kernels.append(
            f'{head}extern "C" __global__ void k{k}({self.parameters(*used)}, {C[t]}* out, S{k} s) {{ {body} }}'
        )
        self.lines.append(f"s{k} = np.zeros((), np.dtype([('add', '{t}'), ('n', 'i4')], align=True))")
        self.lines.append(f"s{k}['add'], s{k}['n'] = add{k}, n")
        grid = (self.random.randint(1, 4),) if loop else self.grid(block, self.n)
        self.launch(f"k{k}", grid, block, [*used, out, f"s{k}[()]"])
        self.expect(out, f"np.broadcast_to({p}, n).astype('{t}')", t)

    def reduced(self):
        """Each block its own part, by a tree of any size in shared memory, warps at its end or not."""
        a, t = self.array()
        block, k = self.block(flat=True), self.number
        threads, blocks = block[0], self.random.randint(1, 5)
        wide = self.pick("u4", "u8")
        ufunc, combine = self.pick(
            ("add", lambda x, y: f"{x} + {y}"),
            ("bitwise_xor", lambda x, y: f"{x} ^ {y}"),
            ("maximum", lambda x, y: f"most({x}, {y})"),
        )
        out = self.result(wide, blocks)
        half = 1 << max(threads - 1, 1).bit_length() - 1
        storage = (
            "extern __shared__ unsigned char pool[]; W* s = (W*)pool;"
            if self.chance(0.5)
            else f"__shared__ W s[{threads}];"
        )
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {C[wide]}* out, int n) {{\n'
            f"  using W = {C[wide]}; {storage}\n"
            f"  const int t = threadIdx.x; __shared__ W all; W v = 0;\n"
            f"  for (int i = blockIdx.x * {threads} + t; i < n; i += gridDim.x * {threads}) {{ const W e = (W){a}[i]; v = {combine('v', 'e')}; }}\n"
            f"  s[t] = v; __syncthreads();\n"
            f"  for (int d = {half}; d > 0; d >>= 1) {{\n    if (t < d && t + d < {threads}) {{ const W e = s[t + d]; s[t] = {combine('s[t]', 'e')}; }}\n    __syncthreads();\n  }}\n"
            f"  if (t == 0) all = s[0];\n  __syncthreads();\n  if (t == {threads - 1}) out[blockIdx.x] = all;\n}}"
        )
        self.launch(f"k{k}", (blocks,), block, [a, out, f"np.int32({self.n})"], threads * np.dtype(wide).itemsize)
        self.expect(
            out,
            f"[np.{ufunc}.reduce({a}[np.arange({self.n}) // {threads} % {blocks} == b].astype('{wide}'), initial=0) for b in range({blocks})]",
        )

    def scanned(self):
        """Each block its own part, by the naive scan."""
        a, _ = self.array()
        block, k, wide = self.block(flat=True), self.number, self.pick("u2", "u4", "u8")
        threads, out = block[0], self.result(wide, self.n)
        exclusive = self.chance(0.4)
        self.kernels.append(
            f"template <class T, int N> __device__ T scan{k}(T (&s)[2][N], T x, int t) {{\n  int now = 0; s[0][t] = x; __syncthreads();\n"
            f"  for (int d = 1; d < N; d *= 2, now ^= 1) {{\n    s[now ^ 1][t] = t >= d ? (T)(s[now][t] + s[now][t - d]) : s[now][t];\n    __syncthreads();\n  }}\n  return s[now][t];\n}}\n"
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {C[wide]}* out, int n) {{\n'
            f"  using W = {C[wide]}; __shared__ W s[2][{threads}]; const int t = threadIdx.x, i = blockIdx.x * {threads} + t;\n"
            f"  const W x = i < n ? (W){a}[i] : (W)0, sum = scan{k}(s, x, t);\n"
            f"  if (i < n) out[i] = {'(W)(sum - x)' if exclusive else 'sum'};\n}}"
        )
        self.launch(f"k{k}", self.grid(block, self.n), block, [a, out, f"np.int32({self.n})"])
        less = f" - {a}.astype('{wide}')" if exclusive else ""
        self.expect(out, f"by_blocks({a}.astype('{wide}'), {threads}){less}", wide)

    def compacted(self):
        """What passes a test, warp by warp, after a return of some lanes; in any order."""
        used, k, block = self.two(), self.number, self.block(flat=True)
        t = self.arrays[used[0]]
        c, p = self.condition(self.names(*used), t, 3)
        out, count = self.result(t, self.n), f"count{k}"
        self.lines.append(f"{count} = np.zeros(1, 'u4')")
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(*used)}, {C[t]}* out, unsigned* count, int n) {{\n'
            f"  const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n"
            f"  const unsigned here = __activemask(), lane = threadIdx.x & 31u, votes = __ballot_sync(here, {c});\n"
            f"  unsigned base = 0; if (lane == {self.pick('0u', '(unsigned)__ffs(here) - 1u')}) base = atomicAdd(count, (unsigned)__popc(votes));\n"
            f"  base = __shfl_sync(here, base, 0);\n"
            f"  if (votes >> lane & 1u) out[base + __popc(votes & ((1u << lane) - 1u))] = {used[0]}[i];\n}}"
        )
        self.launch(f"k{k}", self.grid(block, self.n), block, [*used, out, count, f"np.int32({self.n})"])
        self.lines.append(f"m = np.broadcast_to({p}, {self.n})")
        self.lines.append(f"expect({count}, [m.sum()])")
        self.lines.append(f"expect(np.sort({out}[: {count}[0]]), np.sort({used[0]}[m]))")

    def counted(self):
        """A histogram, in shared memory first."""
        a, _ = self.array()
        k, block, bins, wide = self.number, self.block(), self.pick(3, 16, 64, 100), self.pick("u4", "u8")
        threads, out = int(np.prod(block)), self.result(wide, bins)
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {C[wide]}* out, int n) {{\n'
            f"  extern __shared__ {C[wide]} bins{k}[]; __shared__ int limit; const int t = {self.index(block)};\n"
            f"  if (t == 0) limit = n;\n  for (int b = t; b < {bins}; b += {threads}) bins{k}[b] = 0;\n  __syncthreads();\n"
            f"  for (int i = blockIdx.x * {threads} + t; i < limit; i += gridDim.x * {threads}) atomicAdd(&bins{k}[(unsigned char){a}[i] % {bins}], ({C[wide]})1);\n"
            f"  __syncthreads();\n  for (int b = t; b < {bins}; b += {threads}) if (bins{k}[b]) atomicAdd(&out[b], bins{k}[b]);\n}}"
        )
        self.launch(
            f"k{k}",
            (self.random.randint(1, 5),),
            block,
            [a, out, f"np.int32({self.n})"],
            bins * np.dtype(wide).itemsize,
        )
        self.expect(out, f"np.bincount({a}.astype('u1') % {bins}, minlength={bins})")

    def rows(self):
        """Some elements side by side by one thread, in local arrays."""
        used, k, each, block = self.two(), self.number, self.pick(2, 4, 8), self.block()
        t, o = self.pick("u1", "i1", "u2", "i2", "u4"), self.pick("f8", "f4", *C)
        count = self.n // each
        names = self.names(*used, at=f"{each} * g + j")
        c, p = self.value(names, t, 3)
        as_out = {"f8": "double", "f4": "float", **C}[o]
        through = self.pick("", "(unsigned)", "(int)") if o[0] == "f" and np.dtype(t).itemsize < 4 else ""
        wide = {"(unsigned)": ".astype('u4')", "(int)": ".astype('i4')", "": ""}[through]
        less = self.chance(0.4) and through == "(unsigned)"
        out = self.result(o, self.n)
        fold = self.pick("none", "min", "max", "sum") if o[0] != "f" else "none"
        body = f"const {C[t]} v = {c}; part[j] = ({as_out})({through}v{' - 10u' if less else ''});"
        text = (
            f'extern "C" __global__ void k{k}({self.parameters(*used)}, {as_out}* __restrict__ out, int n) {{\n'
            f"  const int g = blockIdx.x * {int(np.prod(block))} + {self.index(block)}; if (g >= n) return;\n"
            f"  {as_out} part[{each}];\n#pragma unroll\n  for (int j = 0; j < {each}; ++j) {{ {body} }}\n"
        )
        value = f"(np.broadcast_to({p}, {self.n}).astype('{t}')[: {count * each}]{wide}{' - np.uint32(10)' if less else ''}).astype('{o}')"
        if fold == "none":
            text += f"#pragma unroll\n  for (int j = 0; j < {each}; ++j) out[{each} * g + j] = part[j];\n}}"
            want = value
            length = count * each
        else:
            op = {"min": "least(v, part[j])", "max": "most(v, part[j])", "sum": f"({as_out})(v + part[j])"}[fold]
            text += f"  {as_out} v = part[0];\n#pragma unroll\n  for (int j = 1; j < {each}; ++j) v = {op};\n  out[g] = v;\n}}"
            ufunc = {"min": "minimum", "max": "maximum", "sum": "add"}[fold]
            want, length = f"np.{ufunc}.reduce({value}.reshape(-1, {each}), axis=1, dtype='{o}')", count
        self.kernels.append(text)
        if count:
            self.launch(f"k{k}", self.grid(block, count), block, [*used, out, f"np.int32({count})"])
            self.lines.append(f"expect({out}[:{length}], {want})")

    def stencil(self):
        """Neighbours in two or three dimensions, at the edges the edge itself."""
        a, t = self.array()
        k = self.number
        shape = self.pick((7, 5), (16, 16), (33, 3), (3, 4, 5), (2, 9, 8), (4, 4, 4))
        if int(np.prod(shape)) > self.n:
            return self.mapped()
        block = (
            self.pick((8, 4), (16, 2), (5, 3), (32, 1))
            if len(shape) == 2
            else self.pick((4, 2, 2), (3, 3, 3), (8, 4, 1))
        )
        grid = tuple(-(-s // b) for s, b in zip(shape[::-1], block))
        axes, out = "zyx"[-len(shape) :], self.result(t, int(np.prod(shape)))
        at = (
            lambda moves: " + ".join(  # noqa: E731
                f"{int(np.prod(shape[d + 1 :]))} * min(max({c} + ({moves.get(c, 0)}), 0), {shape[d] - 1})"
                for d, c in enumerate(axes)
            )
        )
        moves = [{self.pick(*axes): self.pick(-1, 1, 2)} for _ in range(self.random.randint(1, 3))]
        sizes = {c: shape[d] for d, c in enumerate(axes)}
        where = "".join(f"  const int {c} = blockIdx.{c} * {block['xyz'.index(c)]} + threadIdx.{c};\n" for c in axes)
        outside = " || ".join(f"{c} >= {sizes[c]}" for c in axes)
        total = f"({C[t]})(" + " + ".join(f"{a}[{at(m)}]" for m in [{}, *moves]) + ")"
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {C[t]}* out) {{\n{where}  if ({outside}) return;\n  out[{at({})}] = {total};\n}}'
        )
        self.launch(f"k{k}", grid, block, [a, out])
        self.lines.append(f"v = {a}[: {int(np.prod(shape))}].reshape{shape}")
        steps = [f"moved(v, {axes.index(c)}, {m})" for move in moves for c, m in move.items()]
        self.expect(out, f"({' + '.join(['v', *steps])}).ravel()")

    def transposed(self):
        """By tiles with a column that nobody uses."""
        a, t = self.array()
        k, side = self.number, self.pick(4, 8, 16)
        rows, columns = self.pick((5, 7), (16, 16), (20, 30), (1, 31), (33, 9))
        if rows * columns > self.n:
            return self.reduced()
        high, out = self.pick(1, 2, side), self.result(t, rows * columns)
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {C[t]}* out) {{\n  __shared__ {C[t]} tile[{side}][{side + 1}];\n'
            f"  int x = blockIdx.x * {side} + threadIdx.x, y = blockIdx.y * {side} + threadIdx.y;\n"
            f"  for (int j = 0; j < {side}; j += {high}) if (x < {columns} && y + j < {rows}) tile[threadIdx.y + j][threadIdx.x] = {a}[(y + j) * {columns} + x];\n"
            f"  __syncthreads();\n  x = blockIdx.y * {side} + threadIdx.x; y = blockIdx.x * {side} + threadIdx.y;\n"
            f"  for (int j = 0; j < {side}; j += {high}) if (x < {rows} && y + j < {columns}) out[(y + j) * {rows} + x] = tile[threadIdx.x][threadIdx.y + j];\n}}"
        )
        self.launch(f"k{k}", (-(-columns // side), -(-rows // side)), (side, high), [a, out])
        self.expect(out, f"{a}[: {rows * columns}].reshape({rows}, {columns}).T.ravel()")

    def butterfly(self):
        """Lanes of whole warps add what others have; half of the warps return before."""
        a, _ = self.array()
        k, block, width = self.number, self.block(warps=True), self.pick(2, 4, 8, 16, 32)
        wide = self.pick("u4", "u8")
        whole, skip = self.n // 32 * 32, self.chance(0.5)
        out = self.result(wide, self.n)
        shuffle = self.pick("__shfl_xor_sync(~0u, v, d)", f"__shfl_xor_sync(__activemask(), v, d, {width})")
        leave = f" || (i / 32) % 2 == {self.random.randrange(2)}" if skip else ""
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {C[wide]}* out, int n) {{\n'
            f"  const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n{leave}) return;\n"
            f"  {C[wide]} v = ({C[wide]}){a}[i];\n  for (int d = {width // 2}; d > 0; d /= 2) v += {shuffle};\n  out[i] = v;\n}}"
        )
        if whole:
            self.launch(f"k{k}", self.grid(block, whole), block, [a, out, f"np.int32({whole})"])
        self.lines.append(
            f"v = {a}[:{whole}].astype('{wide}').reshape(-1, {width}).sum(axis=1, dtype='{wide}').repeat({width})"
        )
        if skip:
            self.lines.append(f"v[np.arange({whole}) // 32 % 2 == {leave[-1]}] = 0")
        self.expect(out, f"np.append(v, np.zeros({self.n - whole}, '{wide}'))", wide)

    def floats(self):
        """Halves, floats and doubles that hold small whole numbers."""
        a, _ = self.array()
        k, block = self.number, self.block()
        kind, dtype = self.pick(("__half", "f2"), ("float", "f4"), ("double", "f8"))
        out = self.result(dtype, self.n)
        value = "x * x - x" if kind != "__half" else "__hsub(__hmul(x, x), x)"
        load = f"({kind})(float)(int)({a}[i] & 15)" if kind != "__half" else f"__int2half_rn((int)({a}[i] & 15))"
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {kind}* out, int n) {{\n  const int t = {self.index(block)};\n'
            f"  for (int i = t + blockIdx.x * {int(np.prod(block))}; i < n; i += {int(np.prod(block))} * gridDim.x) {{ const {kind} x = {load}; out[i] = {value}; }}\n}}"
        )
        self.launch(f"k{k}", (self.random.randint(1, 6),), block, [a, out, f"np.int32({self.n})"])
        self.lines.append(f"x = ({a} & 15).astype('{dtype}')")
        self.expect(out, "x * x - x")

    def records(self):
        """Structures of three fields, read and written by reference."""
        used, k, block = self.two(), self.number, self.block()
        types = [self.pick(*C) for _ in "xyz"]
        pairs = [self.value(self.names(*used), t, 2) for t in types]
        out = self.result("u8", self.n)
        fields = " ".join(f"{C[t]} {f};" for t, f in zip(types, "xyz"))
        body = " ".join(f"r.{f} = {c};" for f, (c, _) in zip("xyz", pairs))
        self.kernels.append(
            f"struct R{k} {{ {fields} }};\n__device__ {self.pick('', '__noinline__ ')}void turn{k}(R{k}& r) {{ const auto x = r.x; r.x = ({C[types[0]]})r.y; r.y = ({C[types[1]]})x; }}\n"
            f'extern "C" __global__ void k{k}({self.parameters(*used)}, unsigned long long* out, int n) {{\n'
            f"  const int i = blockIdx.x * {int(np.prod(block))} + {self.index(block)}; if (i >= n) return;\n"
            f"  R{k} r; {body} turn{k}(r); out[i] = (unsigned long long)r.x * 3ull + (unsigned long long)r.y * 5ull + (unsigned long long)r.z;\n}}"
        )
        self.launch(f"k{k}", self.grid(block, self.n), block, [*used, out, f"np.int32({self.n})"])
        x, y, z = (f"np.broadcast_to({p}, {self.n}).astype('{t}')" for t, (_, p) in zip(types, pairs))
        want = f"{y}.astype('{types[0]}').astype('u8') * np.uint64(3) + {x}.astype('{types[1]}').astype('u8') * np.uint64(5) + {z}.astype('u8')"
        self.expect(out, want, "u8")

    def handed(self):
        """Each block turns its part round in shared memory, some passes, of a size that no warp divides."""
        a, t = self.array()
        k, block, passes = self.number, self.block(), self.random.randint(1, 3)
        threads, out = int(np.prod(block)), self.result(t, self.n)
        self.kernels.append(
            f'extern "C" __global__ void k{k}({self.parameters(a)}, {C[t]}* out, int n) {{\n  __shared__ {C[t]} s[{threads}]; const int t = {self.index(block)};\n'
            f"  for (int first = blockIdx.x * {threads}; first < n; first += gridDim.x * {threads}) {{\n"
            f"    const int many = min({threads}, n - first);\n    if (t < many) s[t] = {a}[first + t];\n    __syncthreads();\n"
            f"    for (int pass = 0; pass < {passes}; ++pass) {{\n      {C[t]} v = 0; if (t < many) v = (s[many - 1 - t] + ({C[t]})pass);\n      __syncthreads();\n      if (t < many) s[t] = v;\n      __syncthreads();\n    }}\n"
            f"    if (t < many) out[first + t] = s[t];\n    __syncthreads();\n  }}\n}}"
        )
        self.launch(f"k{k}", (self.random.randint(1, 4),), block, [a, out, f"np.int32({self.n})"])
        self.expect(out, f"turned({a}, {threads}, {passes})", t)


def text(seed):
    return Writer(seed).write()


# ---- words of the references ------------------------------------------------------------------------------


def twist(x, k):
    number = x.dtype.type
    return x * number(2 * k + 3) + number(k + 1)


def by_blocks(x, n):
    """The running sum of each n elements."""
    return np.concatenate([np.cumsum(x[k : k + n], dtype=x.dtype) for k in range(0, len(x), n)])


def moved(x, axis, step):
    places = np.clip(np.arange(x.shape[axis]) + step, 0, x.shape[axis] - 1)
    return np.take(x, places, axis)


def turned(x, n, passes):
    parts = [x[k : k + n] for k in range(0, len(x), n)]
    for number in range(passes):
        parts = [part[::-1] + x.dtype.type(number) for part in parts]
    return np.concatenate(parts)


def run(program, target):
    module = {}

    def code(text):
        module["code"] = ks.RawModule(code=text)

    def launch(name, grid, block, arguments, shared):
        kernel = module["code"].get_function(name)
        given = [ks.array(a) if isinstance(a, np.ndarray) and a.ndim else a for a in arguments]
        if target == "check":
            findings = ks.check(kernel, *given, grid=grid, block=block, shared=shared)
            if findings:
                raise Wrong("; ".join(map(str, findings)))
        kernel(grid, block, tuple(given), shared_mem=shared)
        for mine, device in zip(arguments, given):
            if isinstance(device, ks.Array):
                mine[...] = device.numpy()

    def expect(got, want):
        same(got, np.asarray(want).astype(got.dtype), "result")
        return got

    with np.errstate(all="ignore"), ks.default_device("cuda" if target == "cuda" else "cpu"):
        exec(program, {**globals(), "text": code, "launch": launch, "expect": expect})
