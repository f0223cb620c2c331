"""What is newer or rarer in the language: tensor cores, arrive-wait barriers, copies in stages,
8-bit numbers, PTX, functions that are not inlined, synchronised grids."""

import numpy as np
from corpus import Launch, Out, case

f16, f32, f64, i8, u8, i32, u32 = np.float16, np.float32, np.float64, np.int8, np.uint8, np.int32, np.uint32
CPP17 = {"options": ("-std=c++17",)}


@case("recursion_index.cu", "run")
def not_inlined(rng):
    blocks, n, which = 3, 48, 1

    def row(b, t):
        leaves, value = 13, 8
        steps = [10 + t, 10 + 100 * b + n, 10 + 3 * ((t + 1) % n)]
        place = 5 * t if t % 2 else 7 * blocks + 5 + 100 * b + n
        return [value + leaves * t, 3 * t * (t + 1) // 2, steps[(which + t) % 3], place]

    want = np.array([row(b, t) for b in range(blocks) for t in range(n)], i32)
    return Launch([Out(want), i32(which)], (n, 1, 1), (blocks, 1, 1))


@case("grid_sync.cu", "normalise", **CPP17)
def grid_sync(rng):
    n, blocks = 3000, 7
    x = rng.random(n)
    want = x
    for _ in range(5):
        want = want * n / want.sum() + np.arange(n) % 3
    return Launch([Out(want, x, rtol=1e-12), np.zeros(blocks), i32(n), i32(5)], (64, 1, 1), (blocks, 1, 1))


@case("wmma_gemm.cu", "gemm", **CPP17)
def wmma(rng):
    m, n, k = 32, 48, 64
    a, b, c = rng.random((m, k)).astype(f16), rng.random((n, k)).astype(f16), rng.random((m, n)).astype(f32)
    want = c + 2 * (a.astype(f32) @ b.T.astype(f32))
    return Launch([a, b, Out(want, c, rtol=1e-5), i32(n), i32(k)], (96, 1, 1), (2, 1, 1))


@case("wmma_gemm.cu", "gemm_bytes", **CPP17)
def wmma_bytes(rng):
    a, b = rng.integers(-128, 128, (16, 32)).astype(i8), rng.integers(-128, 128, (16, 16)).astype(i8)
    want = (a.T.astype(i32) @ b[:, :8].astype(i32) + 1).T.copy()
    return Launch([a, b, Out(want)], (32, 1, 1))


@case("arrive_wait.cu", "relay", **CPP17)
def arrive_wait(rng):
    x = rng.integers(0, 1000, (9, 32)).astype(i32)
    return Launch([x, Out(x.sum(0, dtype=i32)[::-1].copy()), i32(9)], (64, 1, 1))


@case("copy_stages.cu", "by_block", **CPP17)
def copy_stages(rng):
    x = rng.random((7, 64)).astype(f32)
    return Launch([x, Out(x[:, ::-1].copy()), i32(7)], (64, 1, 1))


@case("copy_thread.cu", "by_thread", **CPP17)
def copy_thread(rng):
    x = rng.random((64, 4)).astype(f32)
    want = x.copy()
    want[1::2, 2:] = 0
    return Launch([x, Out(want[::-1].copy())], (64, 1, 1))


def fp8_values(fraction, bias, has_infinity):
    """What each byte means, by the definition of the format."""
    out = np.empty(256, f32)
    for byte in range(256):
        exponent, low = (byte & 127) >> fraction, byte & ((1 << fraction) - 1)
        if exponent == 0:
            value = low * 2.0 ** (1 - bias - fraction)
        else:
            value = (low + (1 << fraction)) * 2.0 ** (exponent - bias - fraction)
        if has_infinity and exponent == 31:
            value = np.nan if low else np.inf
        if not has_infinity and byte & 127 == 127:
            value = np.nan
        out[byte] = -value if byte & 128 else value
    return out


E4M3, E5M2 = fp8_values(3, 7, False), fp8_values(2, 15, True)


def fp8_nearest(x, values, past, largest, beyond):
    """The byte whose value is nearest, the even one of two."""
    magnitudes = values[:128][np.isfinite(values[:128])].astype(f64)
    out = []
    for v in x.astype(f64):
        distance = np.abs(magnitudes - abs(v))
        near = np.flatnonzero(distance == distance.min())
        byte = int(near[near % 2 == 0][0]) if len(near) > 1 else int(near[0])
        if abs(v) >= past:
            byte = beyond if abs(v) > past or beyond != largest else byte
        out.append(byte | (128 if np.signbit(v) else 0))
    return np.array(out, u8)


@case("fp8.cu", "convert")
def fp8_convert(rng):
    edges = [0.0, -0.0, 448, 449, 463, 1e9, -1e9, 2**-9, 2**-10, 1.5 * 2**-10, 2**-16, 2**-17, 57344, 1.0625, 1.1875]
    x = np.array(edges + list(rng.standard_normal(200) * 4.0 ** rng.integers(-6, 7, 200)), f32)
    small = fp8_nearest(x, E4M3, 464, 0x7E, 0x7E)
    wide = fp8_nearest(x, E5M2, 61440, 0x7B, 0x7C)
    saturated = np.where(np.isinf(E5M2[wide]), np.copysign(f32(57344), x), E5M2[wide])
    back = np.stack([E4M3[small], saturated], 1).astype(f32)
    return Launch([x, Out(small), Out(wide), Out(back), i32(len(x))], (128, 1, 1), (2, 1, 1))


@case("fp8.cu", "unpack")
def fp8_unpack(rng):
    return Launch([np.arange(256, dtype=u8), Out(E4M3), Out(E5M2)], (256, 1, 1))


@case("fp8.cu", "pairs")
def fp8_pairs(rng):
    x = rng.standard_normal((32, 4)).astype(f32)
    packed = fp8_nearest(x.ravel(), E4M3, 464, 0x7E, 0x7E)
    return Launch([x, Out(packed.view(u32)), Out(E4M3[packed].reshape(32, 4))], (32, 1, 1))


@case("tuples.cu", "run", **CPP17)
def tuples(rng):
    a, b = rng.integers(0, 50, 60).astype(i32), (rng.integers(0, 80, 60) / 4).astype(f32)
    i = np.arange(60)
    want = (a + 5) + 2 * a + (2 * b).astype(i32) + (6 + i) + 9 + 1000
    return Launch([a, b, Out(want.astype(i32)), i32(60)], (64, 1, 1))


@case("asm_words.cu", "words")
def asm_words(rng):
    a, b = (rng.integers(0, 2**32, 64, dtype=np.uint64) for _ in range(2))
    a[0], b[0], a[1], b[1] = 2**32 - 1, 1, 0, 0

    def permuted(x, y):
        both, out = int(y) << 32 | int(x), 0
        for k, digit in enumerate((0x6, 0x1, 0xB, 0x4)):
            byte = both >> 8 * (digit & 7) & 255
            out |= ((255 if byte & 128 else 0) if digit & 8 else byte) << 8 * k
        return out

    def dot(x, y):
        signed = [(int(x) >> 8 * k & 255 ^ 128) - 128 for k in range(4)]
        return sum(s * (int(y) >> 8 * k & 255) for k, s in enumerate(signed)) + 9

    rows = []
    for x, y in zip(a, b, strict=True):
        total, difference = int(x) + int(y), int(x) - int(y)
        both = (int(y) << 32 | int(x)) + 1
        rows.append(
            [
                total,
                7 + (total >> 32),
                difference % 2**32 ^ (10 - (difference < 0)),
                permuted(x, y),
                dot(x, y),
                both,
                both >> 32,
                abs(difference) + 1,
            ]
        )
    want = np.array([[v % 2**32 for v in row] for row in rows], u32)
    totals = np.array([a.max(), b.sum() % 2**32], u32)
    return Launch([a.astype(u32), b.astype(u32), Out(want), Out(totals)], (64, 1, 1))


@case("asm_words.cu", "copies")
def asm_copies(rng):
    x = rng.random((32, 4)).astype(f32)
    want = x[::-1].copy()
    want[:, 3] += np.tile(2 * x[0], 8)
    return Launch([x, Out(want)], (32, 1, 1), shared=512)


@case("asm_words.cu", "chain")
def asm_chain(rng):
    x = rng.integers(0, 2**20, (2000, 64)).astype(u32)
    sums = np.cumsum(x.sum(1), dtype=np.uint64)
    told, flags, ticket = np.zeros(2 * len(x), np.uint64), np.zeros(len(x), u32), np.zeros(1, u32)
    return Launch([x, Out(np.stack([sums, sums], 1)), told, flags, ticket], (64, 1, 1), grid=(len(x), 1, 1))


@case("half_pairs.cu", "compare")
def half_pairs(rng):
    a, b = (rng.integers(-3, 4, (40, 2)).astype(f16) / f16(2) for _ in range(2))
    a[0, 0], b[1, 1] = np.nan, np.nan
    with np.errstate(invalid="ignore"):
        unordered = np.isnan(a) | np.isnan(b)
        different, less, at_least = (a != b) & ~unordered, (a < b) | unordered, a >= b
        product = np.where(unordered, 0, np.clip(a.astype(f32) * b, 0, 1)).astype(f16)
    numbers = np.stack([different, less, product], 1).astype(f16)
    masks = at_least[:, 0] * u32(0xFFFF) + at_least[:, 1] * u32(0xFFFF0000)
    both = at_least.all(1) + 2 * ((a != b).all(1))
    moved = np.stack([a[:, 1], b[:, 0]], 1)
    return Launch([a, b, Out(numbers), Out(masks.astype(u32)), Out(both.astype(i32)), Out(moved)], (40, 1, 1))


@case("warp_leader.cu", "keep")
def leader(rng):
    x = rng.integers(0, 30, 700).astype(i32)
    kept = np.sort(x[x > 10])

    def holds_them(got):
        assert (np.sort(got[: len(kept)]) == kept).all() and not got[len(kept) :].any()

    return Launch(
        [x, Out(holds_them, np.zeros(700, i32)), Out(np.array([len(kept)], i32)), i32(700)], (96, 1, 1), (8, 1, 1)
    )


@case("warp_leader.cu", "sum")
def few_lanes(rng):
    x = rng.random((5, 128)).astype(f32)
    return Launch([x, Out(x.sum(1, dtype=f64).astype(f32), rtol=1e-5)], (128, 1, 1), (5, 1, 1))


@case("wide_shifts.cu", "shift")
def wide_shifts(rng):
    n = np.arange(80) % 70
    x = rng.integers(-(2**31), 2**31, 80).astype(i32)
    want = [
        [(int(v) % 2**32 << k) % 2**32, int(v) % 2**32 >> k, (int(v) >> k) % 2**32, ((1 << k) % 2**32 - 1) % 2**32]
        for v, k in zip(x, n, strict=True)
    ]
    wide = [(int(v) % 2**32 << int(k)) % 2**64 for v, k in zip(x, n, strict=True)]
    return Launch([x, n.astype(i32), Out(np.array(want, u32)), Out(np.array(wide, np.uint64))], (80, 1, 1))


def out_of_range(dtype):
    """What an H100 gives (CUDA 12): the nearest number, of NaN 0 or, where 64 bits are converted, the highest bit."""
    x = np.array([-0.5, -2.5, 127.9, 300, -129, 7e4, 3e9, -5e9, 5e9, 1e20, -1e20, np.nan, np.inf, -np.inf] * 3, dtype)

    def convert(v, bits, signed):
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        if np.isnan(v):
            return -(2 ** (bits - 1)) if 64 in (bits, 8 * x.itemsize) else 0
        return low if v <= low else high if v >= high else int(v)

    def row(v):
        for bits in (32, 8, 16, 64):
            for signed in (True, False):
                whole = convert(v, max(bits, 32), signed) % 2**bits
                yield whole - 2**bits if (signed or bits == 64) and whole >> (bits - 1) else whole

    return Launch([x, Out(np.array([[*row(v)] for v in x], np.int64)), i32(len(x))], (64, 1, 1))


@case("out_of_range.cu", "floats")
def floats_out_of_range(rng):
    return out_of_range(f32)


@case("out_of_range.cu", "doubles")
def doubles_out_of_range(rng):
    return out_of_range(f64)


@case("index_passes_greatest.cu", "k")
def index_passes_greatest(rng):
    x = rng.integers(1, 1000, 48).astype(u32)
    x[24] = 0
    pairs = x + x.reshape(-1, 2)[:, ::-1].ravel()
    return Launch([x, Out(pairs), Out(u32([16])), Out(np.zeros(48, u32)), u32(48)], (48, 1, 1))


@case("child_launches.cu", "sort_all", **CPP17)
def children_sort(rng):
    x = rng.integers(-999, 999, 2000).astype(i32)
    return Launch([Out(np.sort(x), x), i32(len(x))], (32, 1, 1))


@case("child_launches.cu", "sum", **CPP17)
def children_sum(rng):
    x = rng.integers(-99, 99, 1001).astype(f64)

    def is_sum(got):
        assert got[0] == x.sum()

    return Launch([Out(is_sum, x), i32(len(x))], (1, 1, 1))


@case("child_launches.cu", "stages", **CPP17)
def children_in_order(rng):
    x = rng.integers(0, 99, 200).astype(f32)
    first = x + (np.arange(200) < 96)
    third = np.roll(6 * first, -4)
    return Launch([Out(third, x), Out(np.roll(third / 2, -5)), i32(200)], (96, 1, 1))


@case("cub_neighbours.cu", "neighbours", **CPP17)
def cub_neighbours(rng):
    threads, n, valid = 96, 288, 200
    x = np.sort(rng.integers(0, 90, n)).astype(i32)
    at = np.arange(n)
    left, right = np.diff(x, prepend=100), -np.diff(x, append=100)
    head, tail = np.diff(x, prepend=x[0]) != 0, np.diff(x, append=x[-1]) != 0
    one = x.reshape(threads, 3)[:, 0]
    shuffled = np.repeat(x[0], n).reshape(threads, 3)
    shuffled[5:, 1], shuffled[:, 2] = one[:-5], np.roll(one, -40)
    want = [
        np.where(at == 0, x, left),
        left,
        np.where((at == 0) | (at >= valid), x, left),
        np.where(at == n - 1, x, right),
        right,
        np.where(at >= valid - 1, x, right),
        head | (at == 0),
        head | (at % 10 == 0),
        tail | (at == n - 1),
        tail,
        head,
        tail | (at == n - 1),
        np.where(at == 0, -1, np.roll(x, 1)),
        np.where(at == n - 1, x[-1], np.roll(x, -1)),
        shuffled.ravel(),
    ]
    return Launch([x, Out(np.array(want, i32)), i32(valid)], (threads, 1, 1))


@case("cub_runs.cu", "decoded", **CPP17)
def runs_decoded(rng):
    values, lengths = rng.integers(-99, 99, 192).astype(np.int16), rng.integers(1, 9, 192).astype(u32)
    lengths[-9], lengths[-5:] = 700, 0  # CUB wants runs of nothing at the end alone
    want, places = np.repeat(values, lengths), np.concatenate([np.arange(n) for n in lengths]).astype(u32)
    return Launch([values, lengths, Out(want), Out(places), Out(np.array([len(want)], u32))], (96, 1, 1))


@case("cub_runs.cu", "exchanged", **CPP17)
def exchanged_by_warps(rng):
    x, k = rng.integers(0, 1000, 288).astype(i32), np.arange(288)
    part = np.where(k % 48 < 43, x, -1).reshape(6, 48)
    striped = part.reshape(6, 3, 16).transpose(0, 2, 1).reshape(6, 48)
    scattered = np.empty_like(striped)
    scattered[:, k[:48] * 5 % 48] = striped
    scattered = scattered.reshape(6, 3, 16).transpose(0, 2, 1)
    of_warps, of_block = x.reshape(3, 3, 32).transpose(0, 2, 1), np.empty_like(x)
    of_block[k * 5 % 288] = x
    want = [striped, part, striped, scattered, of_warps, x, of_block]
    return Launch([x, Out(np.concatenate([w.ravel() for w in want]))], (96, 1, 1))


@case("cub_sorts.cu", "block_sorts", **CPP17)
def sorted_by_a_block(rng):
    x, valid = rng.integers(0, 20, 96).astype(i32), 50
    places = np.argsort(-x, kind="stable").astype(i32)
    rest = np.concatenate([np.sort(x[:valid]) * f32(0.5), np.zeros(96 - valid)]).astype(f32)
    return Launch([x, Out(x[places]), Out(places), Out(rest), i32(valid)], (32, 1, 1))


@case("cub_sorts.cu", "warp_sorts", **CPP17)
def sorted_by_half_warps(rng):
    x, t = rng.integers(-9, 9, 128) * 2**33, np.arange(64)
    rows = x.reshape(4, 32)
    places = (np.argsort(rows, axis=1, kind="stable") + np.arange(0, 128, 32)[:, None]).ravel()
    lane = t % 32
    moved = np.where(t % 16 == 0, t, t - 1) + 200 * np.where(lane + 3 > 31, t, t + 3) + 10000 * (t // 8 * 8 + 2)
    return Launch([x, Out(x[places]), Out(places.astype(np.int16)), Out(moved.astype(i32))], (64, 1, 1))


@case("parts_of_std.cu", "parts", **CPP17)
def parts_of_std(rng):
    t = np.arange(32)
    odd = t % 2 == 1
    want = 496 + t // 8 * 8 + 7 + t // 8 * 8 + 5 + np.where(odd, t, 1000) + 3 + 1 + 30000
    return Launch([Out(want.astype(i32))], (32, 1, 1))


@case("asm_guards.cu", "guards")
def asm_guards(rng):
    t, n = np.arange(32), 20
    f = (t * f32(0.1) - f32(0.5)).astype(f32)
    f[5], f[7] = np.nan, 3
    small = rng.integers(-128, 128, 32).astype(np.int8)
    less = np.isnan(f) | (f < 2)
    flags = ((t > 4) & (t < 9)) + 2 * less + 4 * ((t - 3).astype(np.uint32) > 5)
    unit = np.clip(np.nan_to_num(f, nan=0.0), 0, 1).astype(f32).view(i32)
    read = np.where(t < n, f.view(i32), -1)
    rows = [flags, np.clip(20 * t - 100, 0, 255), np.clip(20 * t - 300, -128, 127), unit, small, read]
    want = np.array([*rows, np.where(t < n, t + 1, 0)], i32)
    return Launch([small, f, Out(want), i32(n)], (32, 1, 1))
