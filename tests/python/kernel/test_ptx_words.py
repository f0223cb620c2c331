"""PTX's words that change what an instruction computes, against Python's whole numbers and NumPy; what is not known is refused."""

import numpy as np
import pytest

import kasoku as ks

N = 256
ALL = 2**32 - 1


def signed(word, bits=32):
    word &= (1 << bits) - 1
    return word - (1 << bits) if word >> (bits - 1) else word


def cut(number, low=-(2**31), high=2**31 - 1):
    return max(low, min(high, number))


def chosen(selectors):
    def bytes_of(x, y, z):
        all_of_them = [(x | y << 32) >> 8 * i & 255 for i in range(8)]
        return sum(all_of_them[selectors[z & 3] >> 4 * k & 7] << 8 * k for k in range(4))

    return bytes_of


WORDS = {
    "shf.l.clamp.b32 %0, %1, %2, %3;": lambda x, y, z: ((y << 32 | x) << min(z, 32)) >> 32,
    "shf.r.clamp.b32 %0, %1, %2, %3;": lambda x, y, z: (y << 32 | x) >> min(z, 32),
    "shf.l.wrap.b32 %0, %1, %2, %3;": lambda x, y, z: ((y << 32 | x) << (z & 31)) >> 32,
    "prmt.b32.f4e %0, %1, %2, %3;": chosen([0x3210, 0x4321, 0x5432, 0x6543]),
    "prmt.b32.b4e %0, %1, %2, %3;": chosen([0x5670, 0x6701, 0x7012, 0x0123]),
    "prmt.b32.rc8 %0, %1, %2, %3;": chosen([0, 0x1111, 0x2222, 0x3333]),
    "prmt.b32.ecl %0, %1, %2, %3;": chosen([0x3210, 0x3211, 0x3222, 0x3333]),
    "prmt.b32.ecr %0, %1, %2, %3;": chosen([0, 0x1110, 0x2210, 0x3210]),
    "prmt.b32.rc16 %0, %1, %2, %3;": chosen([0x1010, 0x3232, 0x1010, 0x3232]),
    "mul24.hi.u32 %0, %1, %2;": lambda x, y, z: (x & 0xFFFFFF) * (y & 0xFFFFFF) >> 16,
    "mad24.hi.s32 %0, %1, %2, %3;": lambda x, y, z: (signed(x, 24) * signed(y, 24) >> 16) + z,
    "dp2a.lo.s32.s32 %0, %1, %2, %3;": lambda x, y, z: sum(signed(x >> 16 * k, 16) * signed(y >> 8 * k, 8) for k in (0, 1)) + z,
    "dp2a.hi.u32.s32 %0, %1, %2, %3;": lambda x, y, z: sum((x >> 16 * k & 65535) * signed(y >> 16 + 8 * k, 8) for k in (0, 1)) + z,
    "bmsk.clamp.b32 %0, %1, %2;": lambda x, y, z: ((1 << min(y, 32)) - 1) << min(x, 32),
    "bmsk.wrap.b32 %0, %1, %2;": lambda x, y, z: ((1 << (y & 31)) - 1) << (x & 31),
    "bfind.shiftamt.u32 %0, %1;": lambda x, y, z: 32 - x.bit_length() if x else ALL,
    "vmad.u32.u32.u32 %0, %1, %2, %3;": lambda x, y, z: x * y + z,
    "vmad.s32.s32.s32.sat %0, %1, %2, %3;": lambda x, y, z: cut(signed(x) * signed(y) + signed(z)),
    "vmad.s32.s32.s32.sat %0, %1, %2, -%3;": lambda x, y, z: cut(signed(x) * signed(y) - signed(z)),
    "vmad.u32.u32.u32.sat.shr15 %0, %1, %2, %3;": lambda x, y, z: min(ALL, x * y + z >> 15),
    "vmad.s32.s32.u32.shr7 %0, -%1.b1, %2.h1, %3;": lambda x, y, z: signed(z) - signed(x >> 8, 8) * (y >> 16) >> 7,
    "vmad.u32.u32.u32.po %0, %1, %2, %3;": lambda x, y, z: x * y + z + 1,
    "set.lt.u32.s32 %0, %1, %2;": lambda x, y, z: ALL if signed(x) < signed(y) else 0,
    "{ .reg .pred p, q; setp.lt.u32 p|q, %1, %2; selp.u32 %0, %3, 7, q; }": lambda x, y, z: 7 if x < y else z,
    # Registers that have a value are given another: what is unpacked and what is packed, the braces say.
    "{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; mov.b32 {l, h}, %2; mov.b32 {h, l}, %0; mov.b32 %0, {h, l}; }":
        lambda x, y, z: x >> 16 | (x & 65535) << 16,
    "{ .reg .u32 l, h; .reg .u64 w; mul.wide.u32 w, %1, %2; mov.b64 {l, h}, w; add.u32 %0, l, h; mul.wide.u32 w, %2, %3; "
    "mov.b64 {l, h}, w; xor.b32 %0, %0, h; }": lambda x, y, z: ((x * y & ALL) + (x * y >> 32) & ALL) ^ y * z >> 32,
    "{ .reg .b16 p, q, r, s; .reg .b64 w; mov.b64 w, {%1, %2}; mov.b64 {p, q, r, s}, w; mov.b64 w, {s, r, q, p}; cvt.u32.u64 %0, w; }":
        lambda x, y, z: y >> 16 | (y & 65535) << 16,
    "{ .reg .b8 p, q, r, s; mov.b32 {p, q, r, s}, %1; mov.b32 %0, {s, r, q, p}; }":
        lambda x, y, z: int.from_bytes(x.to_bytes(4, "little"), "big"),
}  # fmt: skip


def launch(statement, kind, arrays):
    name, letter = {"u": ("unsigned", "r"), "f": ("float", "f")}[kind]
    text = (
        f"__global__ void k(const {name} *a, const {name} *b, const {name} *c, {name} *out) {{ int t = threadIdx.x; {name} r = 0;"
        f' asm("{statement}" : "={letter}"(r) : "{letter}"(a[t]), "{letter}"(b[t]), "{letter}"(c[t])); out[t] = r; }}'
    )
    out = ks.zeros(N, dtype=arrays[0].dtype)
    ks.RawKernel(text, "k")((1,), (N,), (*map(ks.array, arrays), out))
    return out.numpy()


@pytest.mark.parametrize("statement", WORDS)
def test_words(statement):
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(0, 2**32, N, dtype=np.uint32) for _ in range(3))
    a[:8] = [0, 1, 2**31, ALL, 31, 32, 33, 255]
    b[:8] = [32, 31, 0, 33, 64, 2**31, 5, 1]
    c[:12] = [0, 1, 31, 32, 33, 40, 64, 255, 3, 2, 2**31, ALL]
    want = [WORDS[statement](int(x), int(y), int(z)) & ALL for x, y, z in zip(a, b, c)]
    np.testing.assert_array_equal(launch(statement, "u", (a, b, c)), np.array(want, np.uint32))


def from_zero_to_one(x):
    return np.where(x > 0, np.minimum(x, 1), 0).astype(np.float32)


def smaller_with_both_signs(x, y):
    return np.copysign(np.fmin(np.abs(x), np.abs(y)), np.where(np.signbit(x) ^ np.signbit(y), -1, 1)).astype(np.float32)


FLOATS = {
    "add.sat.f32 %0, %1, %2;": lambda x, y: from_zero_to_one(x + y),
    "mul.sat.f32 %0, %1, %2;": lambda x, y: from_zero_to_one(x * y),
    "cvt.rni.f32.f32 %0, %1;": lambda x, y: np.rint(x),
    "cvt.rzi.f32.f32 %0, %1;": lambda x, y: np.trunc(x),
    "cvt.rmi.f32.f32 %0, %1;": lambda x, y: np.floor(x),
    "cvt.rpi.f32.f32 %0, %1;": lambda x, y: np.ceil(x),
    "min.NaN.f32 %0, %1, %2;": lambda x, y: np.minimum(x, y),
    "max.NaN.f32 %0, %1, %2;": lambda x, y: np.maximum(x, y),
    "min.f32 %0, %1, %2;": lambda x, y: np.fmin(x, y),
    "min.xorsign.abs.f32 %0, %1, %2;": smaller_with_both_signs,
    "set.gt.f32.f32 %0, %1, %2;": lambda x, y: (x > y).astype(np.float32),
    "fma.rn.relu.f32 %0, %1, %2, 0f3F800000;": lambda x, y: np.where(x.astype(float) * y + 1 < 0, 0, x.astype(float) * y + 1).astype(np.float32),
    "{ .reg .f64 d; cvt.f64.f32 d, %1; add.f64 d, d, 0d3FF0000000000000; cvt.rn.f32.f64 %0, d; }": lambda x, y: (x.astype(float) + 1).astype(np.float32),
    "{ .reg .pred p; testp.normal.f32 p, %1; selp.f32 %0, 0F3f800000, 0f00000000, p; }": lambda x, y: (np.isfinite(x) & (np.abs(x) > 1.2e-38)).astype(np.float32),
    "{ .reg .pred p; testp.notanumber.f32 p, %1; selp.f32 %0, 0F3f800000, 0f00000000, p; }": lambda x, y: np.isnan(x).astype(np.float32),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("statement", FLOATS)
def test_floats(statement):
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal(N).astype(np.float32) * 3 for _ in range(2))
    a[:6], b[:8] = [np.nan, np.inf, -np.inf, 0, -0.0, 1e-40], [1, 2, np.nan, -0.0, 0, 2, np.nan, 3]
    np.testing.assert_array_equal(launch(statement, "f", (a, b, a)), FLOATS[statement](a, b))


def test_two_halves():
    a, b = np.linspace(-3, 3, N, dtype=np.float32), np.linspace(2, -2, N, dtype=np.float32)
    statement = "{ .reg .b32 h; .reg .b16 l, u; cvt.rn.f16x2.f32 h, %1, %2; tanh.approx.f16x2 h, h; mov.b32 {l, u}, h; cvt.f32.f16 %0, u; }"
    np.testing.assert_allclose(launch(statement, "f", (a, b, a)), np.tanh(a), atol=1e-3)


@pytest.mark.parametrize(
    "statement",
    [
        "add.rz.f32 %0, %1, %2;",
        "sqrt.rz.f32 %0, %1;",
        "rcp.rm.f32 %0, %1;",
        "cvt.rz.f16.f32 %0, %1;",
        "min.f32 %0, %1, %2, %3;",
        "min.abs.f32 %0, %1, %2;",
        "fma.rn.other.f32 %0, %1, %2, %3;",
        "{ .reg .f32 t; add.f32 t, %1, %2; mul.q32 %0, t, t; }",
    ],
)
def test_a_word_that_is_not_known_is_refused_and_shown(statement):
    """Passed over, it would leave another number."""
    with pytest.raises(ks.CompileError, match="PTX instruction '[^']*' cannot be used on a CPU") as error:
        launch(statement, "f", (np.zeros(N, np.float32),) * 3)
    assert f'asm("{statement}" : "=f"(r)' in str(error.value)  # the user's own text


def test_statements_of_headers_and_macros(tmp_path):
    (tmp_path / "mine.h").write_text(
        """
        __device__ inline float power(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
        __device__ inline unsigned lane() { unsigned r; asm("mov.u32 %0, %laneid;" : "=r"(r)); return r; }
        __device__ inline double twice(double x) { double y; asm("{ .reg .f64 t; add.f64 t, %1, %1; mov.f64 %0, t; }" : "=d"(y) : "d"(x)); return y; }
        __device__ inline unsigned short next(unsigned short x) { unsigned short y; asm("add.u16 %0, %1, 1;" : "=h"(y) : "h"(x)); return y; }
        """
    )
    text = """#include "mine.h"
    #define STATEMENT asm volatile
    #define TIMES(y, x) STATEMENT("mul.f32 %0, %1, %2;" : "=f"(y) : "f"(y), "f"(x))
    extern "C" __global__ void k(float *out) { float y = power(3) + lane() + (float)twice(1.5) + next(3); TIMES(y, 2.f); out[threadIdx.x] = y; }"""
    out = ks.zeros(4, dtype="float32")
    ks.RawModule(code=text, options=(f"-I{tmp_path}",)).get_function("k")((1,), (4,), (out,))
    assert out.tolist() == [30, 32, 34, 36]


def test_lanes_that_are_alike_and_the_elected_one():
    text = """extern "C" __global__ void k(const unsigned *x, unsigned *out) { unsigned t = threadIdx.x, d, p, e, q;
      asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(d), "=r"(p) : "r"(x[t]));
      asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }" : "=r"(e), "=r"(q) : "r"(0xffffffffu));
      out[t] = d; out[64 + t] = p; out[128 + t] = e; out[192 + t] = q; }"""
    x = np.full(64, 7, np.uint32)
    x[40] = 8
    out = ks.zeros((4, 64), dtype="uint32")
    ks.RawKernel(text, "k")((1,), (64,), (ks.array(x), out))
    first = np.arange(64) < 32
    want = [np.where(first, ALL, 0), first, np.zeros(64), np.arange(64) % 32 == 0]
    np.testing.assert_array_equal(out.numpy(), np.array(want, np.uint32))


def test_a_product_of_matrices_that_is_cut():
    text = """extern "C" __global__ void k(const unsigned *a, const unsigned *b, const int *c, int *out) { int t = threadIdx.x, d[4];
      asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[4 * t]), "r"(a[4 * t + 1]), "r"(a[4 * t + 2]), "r"(a[4 * t + 3]),
          "r"(b[2 * t]), "r"(b[2 * t + 1]), "r"(c[4 * t]), "r"(c[4 * t + 1]), "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
      for (int i = 0; i < 4; ++i) out[4 * t + i] = d[i]; }"""
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((16, 32), (8, 32)))
    c = rng.choice([-(2**31), -(2**31) + 9000, 5, 2**31 - 9000, 2**31 - 1], (16, 8)).astype(np.int32)
    g, t = np.arange(32) // 4, np.arange(32) % 4
    four = np.arange(4)
    of_a = np.stack([a[(g + 8 * (j % 2))[:, None], (16 * (j // 2) + 4 * t)[:, None] + four] for j in range(4)], 1)
    of_b = np.stack([b[g[:, None], (16 * j + 4 * t)[:, None] + four] for j in range(2)], 1)
    rows, columns = np.stack([g, g, g + 8, g + 8], 1), np.stack([2 * t, 2 * t + 1] * 2, 1)
    out = ks.zeros((32, 4), dtype="int32")
    words = [np.ascontiguousarray(m).view(np.uint32).ravel() for m in (of_a, of_b)]
    ks.RawKernel(text, "k")((1,), (32,), (*map(ks.array, words), ks.array(np.ascontiguousarray(c[rows, columns])), out))
    whole = c.astype(np.int64) + a.astype(np.int64) @ b.T.astype(np.int64)
    assert (np.abs(whole) > 2**31).any()
    np.testing.assert_array_equal(out.numpy(), np.clip(whole, -(2**31), 2**31 - 1)[rows, columns])


def test_hints_for_the_cache():
    text = """extern "C" __global__ void k(const int *x, int *out) { __shared__ __align__(16) int s[128]; int t = threadIdx.x, r;
      unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * t);
      asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p, 1.0; cp.async.cg.shared.global.L2::cache_hint [%0], [%1], %2, p; }" :: "r"(to), "l"(x + 4 * t), "n"(16));
      asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
      asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_last.b64 p, 1.0; ld.global.L2::cache_hint.s32 %0, [%1], p; }" : "=r"(r) : "l"(x + t));
      __syncthreads(); for (int i = t; i < 128; i += 32) out[i] = s[i] + 1000 * r; }"""
    x, out = ks.arange(128, dtype="int32"), ks.zeros(128, dtype="int32")
    ks.RawKernel(text, "k")((1,), (32,), (x, out))
    np.testing.assert_array_equal(out.numpy(), np.arange(128) + 1000 * (np.arange(128) % 32))


def test_comments_and_what_else_changes():
    text = """extern "C" __global__ void k(unsigned *x) { unsigned r;
      asm volatile("// a comment %tid\\n mov.u32 %0, %1; /* another; of { two */ add.u32 %0, %0, 1;" : "=r"(r) : "r"(x[0]) : "cc", "memory"); x[0] = r; }"""
    x = ks.full(1, 41, dtype="uint32")
    ks.RawKernel(text, "k")((1,), (1,), (x,))
    assert x.tolist() == [42]
