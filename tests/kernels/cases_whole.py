"""Whole programs with their host part, and what such programs include: tiles of several warps, iterators."""

import numpy as np
from corpus import Launch, Out, case

f16, f32, f64, i8, i32 = np.float16, np.float32, np.float64, np.int8, np.int32
CPP17 = {"options": ("-std=c++17",)}


# A header of NVIDIA's samples that NVRTC has not: on a CPU alone.
@case("whole_program.cu", "weigh<64>", name_expressions=("weigh<64>",), only_on=("cpu",), **CPP17)
def whole_program(rng):
    n = 150
    x, weights = rng.random(n).astype(f32), rng.random(64).astype(f32)
    padded = np.concatenate([x, np.zeros(192 - n, f32)]).reshape(3, 64)
    want = (padded * weights)[:, ::-1].ravel()[:n].copy()
    return Launch([x, weights, Out(want), i32(n)], (64, 1, 1), (3, 1, 1))


@case("whole_program.cu", "rays", only_on=("cpu",), **CPP17)
def sample_vectors(rng):
    n = 50
    p, rows = rng.random((n, 3)).astype(f32), rng.random((3, 4)).astype(f32)
    way = (p - 0.5) / np.linalg.norm(p - 0.5, axis=1, keepdims=True)
    seen = np.stack(
        [p @ rows[0, :3], p @ rows[1, :3] + rows[1, 3], np.linalg.norm(np.cross(p, rows[2, :3]), axis=1)], 1
    )
    color = np.concatenate([0.75 * seen + 0.25 * way * [1, 1, -1], np.full((n, 1), 0.75)], 1)
    cell = np.abs(np.floor(p * f32(10)) - 5).astype(np.uint32)
    packed = cell[:, 0] | cell[:, 1] << 8 | np.maximum(cell[:, 2], 2) << 16
    return Launch(
        [p, Out((np.clip(color, 0, 1) * 255).astype(f32), rtol=1e-4, atol=1e-3), Out(packed), i32(n)],
        (64, 1, 1),
        globals_in={"camera": rows},
    )


def quasi(word, bits, first):
    """The definition: a bit of the number's Gray code takes the direction in."""
    directions = [1]
    for _ in range(bits - 1):
        directions.append(directions[-1] ^ directions[-1] << 1)
    directions = [d << (bits - 1 - k) for k, d in enumerate(directions)]
    numbers = []
    for i in range(first, first + 128):
        gray, x = i ^ i >> 1, 0
        for k in range(bits):
            x ^= directions[k] if gray >> k & 1 else 0
        numbers.append((x >> 11) * 2.0**-53 + 2.0**-54 if bits == 64 else x * 2.0**-32 + 2.0**-33)
    return Launch([np.array(directions, word), Out(np.array(numbers), rtol=1e-7), np.uint32(first)], (32, 1, 1))


@case(
    "whole_program.cu",
    "quasi<curandStateSobol32, curandDirectionVectors32_t>",
    only_on=("cpu",),
    name_expressions=("quasi<curandStateSobol32, curandDirectionVectors32_t>",),
    **CPP17,
)
def sobol(rng):
    return quasi(np.uint32, 32, 1000)


@case(
    "whole_program.cu",
    "quasi<curandStateSobol64_t, curandDirectionVectors64_t>",
    only_on=("cpu",),
    name_expressions=("quasi<curandStateSobol64_t, curandDirectionVectors64_t>",),
    **CPP17,
)
def sobol_64(rng):
    return quasi(np.uint64, 64, 77)


@case("wide_tiles.cu", "sums", **CPP17)
def wide_tiles(rng):
    x = rng.integers(0, 100, (3, 4, 64)).astype(i32)
    each = np.ones_like(x)
    pairs = x.reshape(3, 2, 128)
    before = np.cumsum(x, -1) - x
    some = (x > 90).any(-1, keepdims=True) * each + 2 * (x > 3).all(-1, keepdims=True)
    return Launch(
        [
            x,
            Out((x.sum(-1, keepdims=True) * each).astype(i32)),
            Out((0.5 * pairs.max(-1, keepdims=True) * np.ones_like(pairs)).reshape(x.shape)),
            Out((before + x + 1000 * before).astype(i32)),
            Out(some.astype(i32)),
        ],
        (256, 1, 1),
        (3, 1, 1),
    )


@case("wide_tiles.cu", "one_of_them", **CPP17)
def one_wide_tile(rng):
    x = rng.integers(0, 100, 64).astype(i32)
    return Launch([x, Out(np.stack([np.roll(x, -1) + r for r in range(3)]).astype(i32))], (256, 1, 1))


@case("wide_tiles.cu", "tile_of_tile", **CPP17)
def tile_of_tile(rng):
    t = np.arange(96)
    return Launch([Out((t % 32 // 8 * 100 + 40 + t // 32 + 1000).astype(i32))], (96, 1, 1))


@case("whole_program.cu", "count", only_on=("cpu",), **CPP17)
def ranges(rng):
    text = rng.integers(97, 123, 1001).astype(i8)
    spread = np.isin(text, [97, 101, 105]).sum()
    return Launch(
        [text, i32(text.size), Out(np.array([spread], i32)), Out(np.array([spread, (text == 101).sum(), 1], i32))],
        (64, 1, 1),
        (3, 1, 1),
    )


@case("ptx_matrices.cu", "half_tile", **CPP17)
def ptx_half(rng):
    a, b = rng.random((16, 16)).astype(f16), rng.random((16, 8)).astype(f16)
    product = a.astype(f32) @ b.astype(f32)
    start = np.tile([0, 1], (16, 4)) + np.repeat([0, 2], 8)[:, None]
    return Launch(
        [a, b, Out((product + start).astype(f32), rtol=1e-6), Out(product.astype(f16), rtol=2e-3)], (32, 1, 1)
    )


def upper_half(x):
    """float32 rounded to bfloat16, as bits and as numbers."""
    bits = np.ascontiguousarray(x, f32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return bits.astype(np.uint16), (bits << 16).astype(np.uint32).view(f32)


@case("ptx_matrices.cu", "formats", **CPP17)
def ptx_formats(rng):
    (a16, wide_a), (b16, wide_b) = upper_half(rng.random((16, 8))), upper_half(rng.random((8, 8)))
    a32, b32 = (rng.integers(0, 2**10, s).astype(f32) / 512 for s in ((16, 8), (8, 8)))
    a8, b8 = rng.integers(-128, 128, (16, 32)).astype(i8), rng.integers(0, 256, (8, 32)).astype(np.uint8)
    a64, b64 = rng.random((8, 4)), rng.random((8, 4))
    return Launch(
        [
            a16,
            b16,
            Out(wide_a @ wide_b.T, rtol=1e-6),
            a32,
            b32,
            Out(a32 @ b32.T, rtol=1e-6),
            a8,
            b8,
            Out(5 + a8.astype(i32) @ b8.astype(i32).T),
            a64,
            b64,
            Out(a64 @ b64.T, rtol=1e-14),
        ],
        (32, 1, 1),
    )


@case("ptx_matrices.cu", "lanes", **CPP17)
def ptx_lanes(rng):
    x = rng.integers(0, 100, 32).astype(i32)
    t = np.arange(32)
    votes = sum(1 << int(k) for k in np.flatnonzero(x > 50))
    groups = np.array([sum(1 << int(k) for k in np.flatnonzero((x & 7) == (v & 7))) for v in x], np.uint32)
    y = x - 50
    low = (y.astype(np.int64) << 8 >> 8) * 3 + 7
    halves = np.stack([x * f32(-1.7), x * f32(0.3)], 1).astype(f32)
    packed = halves.astype(f16)
    sums = ((packed * packed).astype(f16) + packed).astype(f16)
    out = np.stack(
        [
            np.uint32(votes) ^ x[t ^ 3].astype(np.uint32),
            x.max() + groups,
            (low + np.where(x % 5, np.fmod(y, np.maximum(x % 5, 1)), 0)).astype(i32).view(np.uint32),
            sums.view(np.uint32)[:, 0],
            upper_half(halves)[0].reshape(32, 2).copy().view(np.uint32)[:, 0],
        ]
    )
    return Launch([x, Out(np.cumsum(x).astype(i32)), Out(out.astype(np.uint32))], (32, 1, 1))


@case("wait_for_others.cu", "chain")
def chain(rng):
    x = rng.integers(0, 100, 70).astype(i32)
    want = np.cumsum(x[::-1])[::-1].astype(i32)
    return Launch([x, Out(want, np.full(70, -1, i32)), i32(70)], (70, 1, 1))


@case("wait_for_others.cu", "tree")
def tree(rng):
    value = rng.integers(0, 100, 120).astype(i32)
    want = value.copy()
    for cell in range(119, 0, -1):
        want[(cell - 1) // 2] += want[cell]
    return Launch([value, Out(want, np.full(120, -1, i32)), i32(120)], (64, 1, 1))


@case("wait_for_others.cu", "flags", **CPP17)
def flags(rng):
    return Launch([Out(np.array([95], i32)), Out(np.full(96, 95, i32))], (96, 1, 1))


@case("wait_for_others.cu", "warps")
def warps(rng):
    blocks, per_block = 3, 4
    n = blocks * per_block
    x = rng.integers(0, 100, n * 32).astype(i32)
    sums = np.cumsum(x.reshape(n, 32).sum(1)[::-1])[::-1].astype(i32)
    positive = np.repeat((x.reshape(blocks, -1) > 50).sum(1), per_block)
    more = positive + np.roll(sums.reshape(blocks, per_block), -1, axis=1).ravel()
    return Launch(
        [x, Out(sums, np.full(n, -1, i32)), Out(np.repeat(more, 32).astype(i32)), i32(n)],
        (per_block * 32, 1, 1),
        (blocks, 1, 1),
    )


@case("wait_for_others.cu", "ring")
def ring(rng):
    n = 11
    rows = (np.arange(n)[:, None] * 100 + np.arange(32)[::-1]).astype(i32)
    return Launch([Out(rows.ravel()), Out(rows[-1] + i32(7)), i32(n)], (96, 1, 1))


@case("parts_of_warp.cu", "parts", **CPP17)
def parts_of_warp(rng):
    x = rng.integers(0, 100, 192).astype(i32)
    warp = np.arange(192) // 32

    def among(label, fold):
        return np.array([fold(x[(warp == warp[i]) & (label == label[i])]) for i in range(192)], i32)

    odd, label = x % 2 == 1, x % 5
    rank = [int(((warp == warp[i]) & (label == label[i]))[:i].sum()) for i in range(192)]
    third = np.where(x % 3 == 0, among(x % 2 + 2 * (x % 3 == 0), np.max), -1).astype(i32)
    return Launch(
        [
            x,
            Out(np.where(odd, 1, -1).astype(i32) * among(odd, np.sum)),
            Out(among(label, np.sum)),
            Out(third),
            Out(100 * np.array(rank, i32) + among(label, len)),
        ],
        (64, 1, 1),
        (3, 1, 1),
    )


@case("host_parts.cu", "shop::total<float>", name_expressions=("shop::total<float>",), **CPP17)
def host_parts(rng):
    amount, each = rng.random((2, 300)).astype(f32)
    return Launch([amount, each, Out(amount * each), i32(300)], grid=(2, 1, 1))


@case("host_parts.cu", "scale", **CPP17)
def behind_host_parts(rng):
    x = rng.random(64).astype(f32)
    return Launch([Out(x * f32(3), initial=x), f32(3)], (64, 1, 1))


@case("some_of_vector.cu", "blur")
def some_blur(rng):
    rows, cols, r = 21, 45, 2
    x, w = rng.random((rows, cols)).astype(f32), rng.random((5, 5)).astype(f32)
    want = np.zeros((rows, cols))
    for p in range(rows):
        for q in range(cols):
            taps = [
                (a, b)
                for a in range(p - r, p + r + 1)
                for b in range(q - r, q + r + 1)
                if 0 <= a < rows and 0 <= b < cols
            ]
            want[p, q] = sum(float(x[a, b]) * float(w[a - p + r, b - q + r]) for a, b in taps) / len(taps)
    return Launch([x, w, Out(want.astype(f32), rtol=1e-5), i32(rows), i32(cols), i32(r)], (16, 16, 1), (3, 2, 1))


@case("some_of_vector.cu", "gather")
def some_gathered(rng):
    n, k, most = 77, 9, 30
    index = np.where(rng.random((k, n)) < 0.5, rng.integers(0, most, (k, n)), -(10**9)).astype(i32)
    x, w = rng.random(most), rng.random(most)
    kept = np.where(x > 0.5, x * w, 0)
    want = np.where(index >= 0, kept[np.maximum(index, 0)], 0).sum(0)
    return Launch([index, x, w, Out(want, rtol=1e-12), i32(n), i32(k)], (64, 1, 1), (2, 1, 1))


@case("some_of_vector.cu", "quotients")
def some_quotients(rng):
    n, k = 100, 7
    a, b = rng.integers(-500, 500, n).astype(i32), rng.integers(-4, 5, (k, n)).astype(i32)
    want = np.zeros(n, i32)
    for t in range(n):
        last = [int(a[t + j]) - j for j in range(k) if b[j, t] > 2 and t + j < n]
        want[t] = sum(int(a[t] / int(d)) for d in b[:, t] if d) * 1000 + (last or [-1])[-1]
    return Launch([a, b, Out(want), i32(n), i32(k)], (128, 1, 1))


@case("some_of_vector.cu", "prefixes")
def some_prefixes(rng):
    n = 90
    length = rng.integers(0, 300000, n).astype(i32)
    x = rng.random(300000).astype(f32)
    want = np.array([sum(float(x[j]) * 0.5**i for i, j in enumerate(range(0, m, 125000))) for m in length], f32)
    return Launch([x, length, Out(want, rtol=1e-6), i32(n)], (96, 1, 1))


@case("dynamic_programming.cu", "words")
def dynamic_programming(rng):
    n = 200
    values = rng.integers(-(2**31), 2**31, (3, n)).astype(i32)
    values[:, ::2] >>= rng.integers(0, 31, (3, n // 2))
    values[1, ::5] = values[0, ::5]
    a, b, c = values.astype(np.int64)

    def wrapped(x, bits, signed):
        x &= 2**bits - 1
        return np.where(signed & (x >> bits - 1 == 1), x - 2**bits, x)

    def halves(op, signed, *of):
        low, high = (wrapped(op(*(wrapped(v >> at, 16, signed) for v in of)), 16, False) for at in (0, 16))
        return low | high << 16

    def unsigned(v):
        return v & 0xFFFFFFFF

    low, high = np.minimum, np.maximum
    smaller = halves(low, False, a, b)
    flags = (a >= b) + 2 * (smaller >> 16 == unsigned(a) >> 16) + 4 * ((smaller & 65535) == (a & 65535))
    want = [
        high(high(a, b), c),
        low(low(unsigned(a), unsigned(b)), unsigned(c)),
        high(high(high(a, b), c), 0),
        high(low(low(a, b), c), 0),
        high(wrapped(a + b, 32, True), c),
        high(low(wrapped(a + b, 32, True), c), 0),
        high(unsigned(a + b), unsigned(c)),
        halves(lambda x, y, z: high(high(x, y), z), True, a, b, c),
        halves(lambda x, y, z: low(low(x, y), z), False, a, b, c),
        halves(lambda x, y, z: high(high(wrapped(x + y, 16, True), z), 0), True, a, b, c),
        halves(lambda x, y, z: low(wrapped(x + y, 16, False), z), False, a, b, c),
        halves(lambda x, y: high(high(x, y), 0), True, a, b),
        high(a, b),
        smaller,
        flags,
        high(low(a, b), 0),
    ]
    return Launch([*values, Out(np.stack(want, 1).astype(np.uint32).view(i32).ravel()), i32(n)], (128, 1, 1), (2, 1, 1))


@case("dynamic_programming.cu", "places")
def places(rng):
    return Launch([Out(np.array([1, 1, 1, 0, 2], i32)), np.zeros(4, i32)], (1, 1, 1), shared=100)
