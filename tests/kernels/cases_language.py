"""Vector types, mathematics, half, globals, templates and the rest of C++."""

import math

import numpy as np
from corpus import Launch, Out, blocks, case

f16, f32, f64, i32, u32, u64 = np.float16, np.float32, np.float64, np.int32, np.uint32, np.uint64


@case("float4_copy.cu", "scale")
def float4(rng):
    x, s = rng.random((100, 4)).astype(f32), np.array([1, 2, 3, 4], f32)
    record = np.frombuffer(s.tobytes(), np.dtype((np.void, 16)))[0]
    return Launch([x, Out(x * s), record, i32(100)], (32, 1, 1), (4, 1, 1))


@case("vector_types.cu", "sizes")
def sizes(rng):
    return Launch([Out(np.array([12, 16, 4, 16, 6, 16, 4, 3, 10, 12, 56], i32))], (1, 1, 1))


@case("struct_param.cu", "apply")
def struct_param(rng):
    kind = np.dtype([("n", i32), ("scale", f64), ("shift", f32, 3), ("flag", np.int8)], align=True)
    o = np.zeros((), kind)
    o["n"], o["scale"], o["shift"], o["flag"] = 90, 1.5, (1, 2, 3), 1
    x = rng.random(100)
    want = np.where(np.arange(100) < 90, x * 1.5 + np.array([1, 2, 3])[np.arange(100) % 3] + 100, 0)
    return Launch([o[()], x, Out(want, rtol=1e-15)], (64, 1, 1), (2, 1, 1))


@case("nbody.cu", "forces")
def nbody(rng):
    n = 128
    p = rng.random((n, 4)).astype(f32)
    r = p[None, :, :3].astype(f64) - p[:, None, :3]
    want = (r * (p[None, :, 3] / ((r**2).sum(2) + 0.01) ** 1.5)[..., None]).sum(1).astype(f32)
    return Launch([p, Out(want, rtol=2e-4, atol=1e-3), i32(n)], (64, 1, 1), (2, 1, 1), shared=64 * 16)


@case("math_float.cu", "all")
def math_float(rng):
    x = rng.uniform(-1, 1, 200).astype(f32)
    v = x.astype(f64)
    t = f32(10) * x  # rounded once in float32, as the kernel does
    erf = np.vectorize(math.erf)
    away = np.copysign(np.floor(np.abs(t) + 0.5), t)
    cols = [np.sin(v), np.cos(v), np.tan(v), np.exp(v), np.log(v + 1.5), np.sqrt(v + 1.5), (v + 1.5) ** 2.5,
            np.arctan2(v, 2), np.sinh(v), np.tanh(v), erf(v), np.cbrt(v), np.log2(v + 1.5), np.exp2(v), np.floor(t),
            np.ceil(t), away, np.trunc(t), np.fmod(t, f32(3)), np.hypot(v, 1), np.log1p(v * 0.5), np.expm1(v),
            np.abs(v), np.rint(t)]  # fmt: skip
    return Launch([x, Out(np.stack(cols, 1).astype(f32), rtol=2e-6, atol=4e-7), i32(200)], (64, 1, 1), (4, 1, 1))


@case("math_double.cu", "all")
def math_double(rng):
    x = rng.uniform(-1, 1, 100)
    each = lambda f: np.array([f(v) for v in x])  # noqa: E731
    cols = [np.sin(x), np.exp(x), np.log(x + 1.5), (x + 1.5) ** 3, np.arcsin(x / 2), np.arccos(x / 2), np.arcsinh(x),
            np.arccosh(x + 2.5), np.arctanh(x / 2), each(lambda v: math.gamma(v + 2)),
            each(lambda v: math.lgamma(v + 2.5)), each(math.erfc), np.sin(x) + 10 * np.cos(x), x * x + 1,
            np.modf(x * 10)[0] + np.modf(x * 10)[1] * 100, np.copysign(3, x)]  # fmt: skip
    return Launch([x, Out(np.stack(cols, 1), rtol=1e-13, atol=1e-14), i32(100)], (32, 1, 1), (4, 1, 1))


@case("math_fast.cu", "all")
def math_fast(rng):
    x = rng.uniform(0.1, 2, 100).astype(f32)
    v = x.astype(f64)
    cols = [
        np.exp(v),
        np.log(v),
        np.sin(v),
        np.cos(v),
        v / 3,
        v**1.5,
        v**-0.5,
        1 / v,
        np.sqrt(v),
        np.clip(v - 0.5, 0, 1),
    ]
    return Launch([x, Out(np.stack(cols, 1).astype(f32), rtol=1e-5, atol=2e-6), i32(100)], (32, 1, 1), (4, 1, 1))


@case("math_special.cu", "edges")
def edges(rng):
    values = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, 3e38], f32)
    x, y = (a.ravel().astype(f32) for a in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        total = x + y
    want = np.stack([np.fmin(x, y), np.fmax(x, y), total, np.copysign(f32(1), x)], 1)
    zeros = (x == 0) & (y == 0)
    flags = np.isnan(x) + 2 * np.isinf(x) + 4 * np.isfinite(x) + 8 * np.signbit(x) + 16 * (x == y) + 32 * (x < y)

    def same(got):
        got = got.reshape(-1, 4)
        np.testing.assert_array_equal(got, want)  # -0 equals 0 here: fmin(0, -0) is free
        assert zeros.any()

    n = x.size
    return Launch([x, y, Out(same, np.zeros(4 * n, f32)), Out(flags.astype(i32)), i32(n)], (64, 1, 1), blocks(n, 64))


@case("integer_intrinsics.cu", "all")
def integers(rng):
    x = np.concatenate([[0, 1, 2**31, 2**32 - 1], rng.integers(0, 2**32, 60)]).astype(u32)

    def row(v):
        m32 = 0xFFFFFFFF
        reverse = lambda a, w: int(f"{a:0{w}b}"[::-1], 2)  # noqa: E731
        signed = v - 2**32 if v >= 2**31 else v
        bytes_ = [(v >> 8 * k) & 255 for k in range(4)] + [0x84, 3, 0x82, 1]
        picked = sum(bytes_[v >> 9 >> 4 * k & 7] << 8 * k for k in range(4))  # and not the fourth bit
        clz = lambda a, w: w - a.bit_length()  # noqa: E731
        return [bin(v).count("1"), clz(v, 32), (v & -v).bit_length(), reverse(v, 32), v * 0x9E3779B9 >> 32, (v & 0x7FFF) * 3,
                picked, ((~v & m32) << 5 | v >> 27) & m32, bin((v << 20 | v) & (2**64 - 1)).count("1"), clz(v + 1, 64),
                reverse(v, 64) >> 32, (abs(signed - 5) + 7) & m32, min(v, 1000), max(signed, -5) & m32]  # fmt: skip

    return Launch([x, Out(np.array([row(int(v)) for v in x], u32)), i32(64)], (64, 1, 1))


@case("conversions.cu", "all")
def conversions(rng):
    x = np.concatenate([[0.5, 1.5, -0.5, -1.5, 2.5, 0], rng.uniform(-1e6, 1e6, 58)]).astype(f32)
    cols = [
        np.rint(x),
        np.trunc(x),
        np.ceil(x),
        np.floor(x),
        x.view(i32),
        np.trunc(np.abs(x)),
        np.rint(x.astype(f64) * 2),
        np.rint(x),
    ]
    return Launch([x, Out(np.stack([c.astype(i32) for c in cols], 1)), i32(64)], (64, 1, 1))


@case("conversions.cu", "doubles")
def conversions_of_doubles(rng):
    """Beyond a type's range its ends; of NaN the highest bit."""
    some = [0.5, -0.5, 1.5, -1.5, 2147483647.5, -2147483648.5, 4294967295.5, 4294967296, 2.0**53, -(2.0**53), 1e19]
    x = np.array([*some, -1e19, 1e300, -1e300, np.inf, -np.inf, np.nan, *rng.uniform(-1e10, 1e10, 47)])

    def whole(v, of, bits, signed):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if math.isnan(v):
            return 1 << bits - 1
        return (high if v > 0 else low) % (1 << bits) if math.isinf(v) else min(max(of(v), low), high) % (1 << bits)

    ways = (round, math.trunc, math.ceil, math.floor)
    row = lambda v, bits: [whole(v, of, bits, signed) for signed in (True, False) for of in ways]  # noqa: E731
    words = [[*row(float(v), 32), whole(float(v), math.trunc, 32, False)] for v in x]
    wide = [row(float(v), 64) for v in x]
    return Launch([x, Out(np.array(words, u32)), Out(np.array(wide, "u8")), i32(64)], (64, 1, 1))


def shared_types(rng, n):
    x, t = rng.integers(0, 1 << 32, n).astype(u32), np.arange(n)
    wide = x.astype("u8") * np.uint64(0x100000001) + np.uint64(5)
    want = wide.view("u2")[t * 5 % (4 * n)] + x.astype(f32).view(u32)[::-1] + u32(7)
    return Launch([x, Out(want)], (n, 1, 1), shared=8 * n)


@case("shared_types.cu", "parts")
def shared_memory_of_other_types(rng):
    return shared_types(rng, 64)


@case("shared_types.cu", "parts")
def shared_memory_of_other_types_and_one_thread(rng):
    return shared_types(rng, 1)


def global_types(n):
    def make(rng):
        x, t = rng.integers(0, 1 << 32, n).astype(u32), np.arange(n)
        wide = x.astype("u8") * np.uint64(0x100000001) + np.uint64(5)
        want = wide.view("u2")[t * 5 % (4 * n)] + x.astype(f32).view(u32)[::-1] + u32(7)
        return Launch([x, np.zeros(2 * n, u32), Out(want), i32(0)], (n, 1, 1))

    make.__name__ = f"global_memory_of_other_types_{n}"
    return make


def rounds_of_types(n, kernel):
    def make(rng):
        pool, total = rng.integers(0, 1 << 32, n).astype(u32), np.zeros(n, u32)
        word = pool.copy() if kernel == "own_rounds" else np.full(n, pool[0])
        for i in range(7):
            total = total * u32(3) + word
            word = (i + np.arange(n) * (kernel == "own_rounds")).astype(f32).view(u32)
        return Launch([pool, Out(total), i32(7), i32(0)], (n, 1, 1))

    make.__name__ = f"{kernel}_{n}"
    return make


for threads in (1, 2, 4, 64):
    case("global_types.cu", "parts")(global_types(threads))
    for kernel in ("rounds", "own_rounds"):
        case("global_types.cu", kernel)(rounds_of_types(threads, kernel))


@case("saturation.cu", "all")
def saturation(rng):
    x = np.resize(np.array([-0.0, 0, np.nan, -np.inf, np.inf, -1, 2, 0.25, 1, 1e-7, -1e-7], f32), 43)
    want = np.array([v if 0 < v < 1 else float(v >= 1) for v in x], f32)
    halves = want.astype(f16).view("u2").astype(u32)
    return Launch(
        [x, Out(np.stack([want.view(u32), halves, halves, halves], 1).ravel()), i32(43)], (32, 1, 1), (2, 1, 1)
    )


@case("saturation.cu", "of_integers")
def saturation_of_integers(rng):
    return Launch([np.zeros(2, i32), Out(np.zeros(4, u32))], (2, 1, 1))


@case("half_math.cu", "axpy")
def half(rng):
    x, y = rng.random(100).astype(np.float16), rng.random(100).astype(np.float16)
    return Launch([x, y, Out(np.float16(2) * x + y), Out(x.astype(f32) * f32(3)), i32(100)], (32, 1, 1), (4, 1, 1))


@case("half_math.cu", "pairs")
def half2(rng):
    x = rng.random(100).astype(np.float16)
    return Launch([x, Out(x + np.float16(1)), i32(50)], (32, 1, 1), (2, 1, 1))


@case("bfloat16.cu", "scale")
def bfloat16(rng):
    bits = (rng.uniform(1, 2, 64).astype(f32).view(u32) >> 16).astype(np.uint16)
    want = ((bits.astype(u32) << 16).view(f32) * f32(0.5)).view(u32) >> 16
    return Launch([bits, Out(want.astype(np.uint16)), i32(64)], (64, 1, 1))


@case("constant_memory.cu", "convolve")
def constant(rng):
    w, x = np.array([1, 2, 3, 2, 1], f32), rng.integers(0, 9, 300).astype(f32)
    return Launch(
        [x, Out(np.convolve(x, w, "same").astype(f32)), i32(300)], (64, 1, 1), (5, 1, 1), globals_in={"weights": w}
    )


@case("device_global.cu", "count")
def device_global(rng):
    return Launch(
        [Out(np.array([1, 0], i32))], (64, 1, 1), (2, 1, 1),
        globals_out={"counter": np.array([228], i32), "table": np.array([1, 2, 3, 6], u64)},
    )  # fmt: skip


def polynomial(rng, dtype, degree):
    x = (rng.integers(-3, 4, 100)).astype(dtype)
    want = np.ones(100, dtype)
    for k in range(degree):
        want = want * x + dtype(k)
    return Launch([x, Out(want), i32(100)], (64, 1, 1), (2, 1, 1))


@case("template_kernel.cu", "polynomial<float, 3>", name_expressions=("polynomial<float, 3>", "polynomial<int, 5>"))
def template_float(rng):
    return polynomial(rng, f32, 3)


@case("template_kernel.cu", "polynomial<int, 5>", name_expressions=("polynomial<float, 3>", "polynomial<int, 5>"))
def template_int(rng):
    return polynomial(rng, i32, 5)


@case("template_shared.cu", "reduce<double, 256>", name_expressions=("reduce<double, 256>",))
def template_shared(rng):
    x = rng.integers(0, 100, 3000).astype(f64)

    def adds_up(got):
        assert got.sum() == x.sum()

    return Launch([x, Out(adds_up, np.zeros(4)), u32(3000)], (256, 1, 1), (4, 1, 1), shared=2048)


@case("functor.cu", "run")
def functor(rng):
    x = rng.integers(-50, 50, 200).astype(i32)
    return Launch([x, Out((x * x + 5) * 2), i32(200)], (64, 1, 1), (2, 1, 1))


@case("class_virtual.cu", "areas")
def virtual(rng):
    x, kind = rng.random(64).astype(f32), rng.integers(0, 2, 64).astype(i32)
    return Launch([x, kind, Out(x * x * np.where(kind, f32(3), f32(1))), i32(64)], (64, 1, 1))


@case("recursion.cu", "run")
def recursion(rng):
    fib = [0, 1]
    while len(fib) < 16:
        fib.append(fib[-1] + fib[-2])
    want = [fib[i] + 1000 * (2 * (i % 4) + 3) for i in range(16)]
    return Launch([Out(np.array(want, i32)), i32(16)], (16, 1, 1))


@case("function_pointer.cu", "apply")
def function_pointer(rng):
    w, a, b = (rng.integers(0, hi, 64).astype(i32) for hi in (2, 50, 50))
    return Launch([w, a, b, Out(np.where(w, a * b, a + b).astype(i32)), i32(64)], (64, 1, 1))


@case("local_array.cu", "sort_rows")
def local_array(rng):
    x = rng.integers(0, 99, (48, 8)).astype(i32)
    s = np.sort(x, 1)
    return Launch([x, Out(s + s[:, 0].sum().astype(i32))], (48, 1, 1))


@case("printf_assert.cu", "say")
def printf(rng):
    x = np.arange(8, dtype=f32) / 4
    lines = [f"thread {t} of 8 has {x[t]:.2f} {'one' if t == 1 else 'other'}" for t in range(3)]
    return Launch([x], (8, 1, 1), prints=lines)


@case("macros_options.cu", "scale", options=("-DSCALE=3", "-std=c++14", "-lineinfo", "--maxrregcount=64"))
def options(rng):
    x = rng.integers(0, 99, 100).astype(i32)
    return Launch([Out(x * 3 + 1, x), i32(100)], (64, 1, 1), (2, 1, 1))


@case("names_nvrtc_lacks.cu", "names")
def names(rng):
    limits = np.finfo(f32)
    return Launch(
        [Out(np.array([2**31 - 1, 1, 3, 32767], i32)), Out(np.array([2**64 - 1, 3], u64)),
         Out(np.array([math.pi, np.finfo(f64).max, 2.5])),
         Out(np.array([limits.max, np.inf, limits.eps, np.sqrt(f32(2))], f32), rtol=1e-7)],
        (1, 1, 1),
    )  # fmt: skip


@case("cooperative_groups_block.cu", "groups")
def cooperative_groups(rng):
    x = rng.integers(0, 100, 96).astype(i32)
    t, tiles = np.arange(96), x.reshape(6, 16)
    ranks = t % 16 + 100 * (t // 16) + 10000 * np.repeat((tiles > 90).any(1), 16)
    return Launch([x, Out(np.repeat(tiles.sum(1), 16).astype(i32)), Out(ranks.astype(i32))], (96, 1, 1))


@case("curand_device.cu", "pi")
def curand(rng):
    threads, per = 1024, 200

    def near_pi(got):
        samples = threads * per
        assert abs(4 * int(got[0]) / samples - math.pi) < 6 * math.sqrt(math.pi * (4 - math.pi) / samples)

    return Launch([u64(1234), i32(per), Out(near_pi, np.zeros(1, u64))], (128, 1, 1), (8, 1, 1))


@case("device_malloc.cu", "primes")
def device_malloc(rng):
    want = [sum(all(p % q for q in range(2, p)) for p in range(2, i + 2)) for i in range(40)]
    return Launch([Out(np.array(want, i32)), i32(40)], (64, 1, 1))


@case("half_math.cu", "roundings")
def half_roundings(rng):
    values = np.concatenate([rng.uniform(-900, 900, 30), [0, -0.25]]).astype(f32)
    x = values.astype(f16).astype(f64)
    n = values.astype(i32) * 37
    near = n.astype(f16)
    up = np.where(near.astype(f64) < n, np.nextafter(near, f16(np.inf)), near)
    down = np.where(near.astype(f64) > n, np.nextafter(near, f16(-np.inf)), near)
    halves = [h.astype(f16).view(np.uint16) for h in (near, np.where(n < 0, up, down), down, up)]
    whole = [
        np.rint(x),
        np.trunc(x),
        np.floor(x),
        np.ceil(x),
        np.floor(x),
        np.maximum(np.ceil(x), 0),
        np.floor(x),
        np.maximum(np.ceil(x), 0),
    ]
    want = np.stack([*(w.astype(i32) for w in whole), *(h.astype(i32) for h in halves)], 1)
    return Launch([values, Out(want.ravel())], (32, 1, 1))
