"""Indices, control flow, shared memory, barriers, atomics: launches and references."""

import numpy as np
from corpus import Launch, Out, blocks, case

f32, f64, i32, u32 = np.float32, np.float64, np.int32, np.uint32


def saxpy(rng, n, grid, block, size_type):
    x, y = rng.standard_normal(n).astype(f32), rng.standard_normal(n).astype(f32)
    want = (f64(2.5) * x + y).astype(f32)
    return Launch([size_type(n), f32(2.5), x, Out(want, y, rtol=1e-5, atol=1e-6)], (block, 1, 1), grid)


@case("saxpy_guarded.cu", "saxpy")
def ragged(rng):
    return saxpy(rng, 1000, blocks(1000, 256), 256, i32)


@case("saxpy_guarded.cu", "saxpy")
def one_element(rng):
    return saxpy(rng, 1, (1, 1, 1), 1, i32)


@case("saxpy_guarded.cu", "saxpy")
def odd_block(rng):
    return saxpy(rng, 777, blocks(777, 37), 37, i32)


@case("saxpy_guarded.cu", "saxpy")
def many_blocks(rng):
    return saxpy(rng, 300_001, blocks(300_001, 128), 128, i32)


@case("saxpy_grid_stride.cu", "saxpy")
def grid_stride(rng):
    return saxpy(rng, 100_003, (13, 1, 1), 96, np.uint64)


@case("early_return.cu", "clamp_positive")
def clamp(rng):
    x = rng.uniform(-1, 2, 500)
    return Launch([x, Out(np.clip(x, 0, 1)), i32(500)], (64, 1, 1), blocks(500, 64))


@case("add_2d.cu", "add")
def two_dimensions(rng):
    a, b = rng.random((45, 70)).astype(f32), rng.random((45, 70)).astype(f32)
    return Launch([i32(70), i32(45), Out(a + b), a, b], (16, 16, 1), (5, 3, 1))


@case("add_2d.cu", "add")
def wide_block(rng):
    a, b = rng.random((100, 130)).astype(f32), rng.random((100, 130)).astype(f32)
    return Launch([i32(130), i32(100), Out(a + b), a, b], (32, 8, 1), (5, 13, 1))


@case("index_3d.cu", "coordinates")
def three_dimensions(rng):
    nx, ny, nz = 19, 11, 7
    z, y, x = np.mgrid[:nz, :ny, :nx]
    want = x + 100 * y + 10000 * z + 1000000 * (5 + 10 * 4 + 100 * 3)
    return Launch([Out(want.astype(i32)), i32(nx), i32(ny), i32(nz)], (4, 3, 3), (5, 4, 3))


@case("slow_axis.cu", "scale_rows")
def slow_axis(rng):
    a = rng.random((50, 33)).astype(f32)
    return Launch([Out(a * f32(3), a), i32(50), i32(33), f32(3)], (16, 16, 1), (4, 3, 1))


@case("mandelbrot.cu", "mandelbrot")
def mandelbrot(rng):
    w, h, limit = 64, 48, 60
    cx = f32(-2) + (f32(3) * np.arange(w, dtype=f32) / f32(w))[None, :].repeat(h, 0)
    cy = f32(-1.5) + (f32(3) * np.arange(h, dtype=f32) / f32(h))[:, None].repeat(w, 1)
    x, y, k = np.zeros_like(cx), np.zeros_like(cx), np.zeros((h, w), i32)
    with np.errstate(all="ignore"):
        for _ in range(limit):
            inside = x * x + y * y <= 4
            t = (x * x - y * y) + cx
            y = np.where(inside, (f32(2) * x) * y + cy, y)
            x = np.where(inside, t, x)
            k += inside

    def close(got):  # a pixel on the edge may differ by the rounding of cx
        assert (got != k).mean() < 0.01

    return Launch([Out(close, np.zeros((h, w), i32)), i32(w), i32(h), i32(limit)], (16, 8, 1), (4, 6, 1))


@case("collatz.cu", "collatz")
def collatz(rng):
    start = rng.integers(1, 10_000, 300).astype(np.uint64)

    def steps(v):
        k = 0
        while v != 1:
            v, k = (3 * v + 1 if v & 1 else v // 2), k + 1
        return k

    return Launch([start, Out(np.array([steps(int(v)) for v in start], u32)), i32(300)], (64, 1, 1), (2, 1, 1))


@case("switch_case.cu", "op")
def switch_case(rng):
    code, a, b = (rng.integers(lo, hi, 200).astype(i32) for lo, hi in ((0, 6), (-99, 99), (-99, 99)))
    want = np.select([code == 0, code == 1, code == 2, code == 3], [a + b, a - b, a ^ b, a ^ b], -1).astype(i32)
    return Launch([code, a, b, Out(want), i32(200)], (128, 1, 1), (2, 1, 1))


@case("goto_loop.cu", "gcd")
def gcd(rng):
    a, b = rng.integers(0, 10_000, 200).astype(i32), rng.integers(1, 10_000, 200).astype(i32)
    return Launch([a, b, Out(np.gcd(a, b).astype(i32)), i32(200)], (64, 1, 1), (4, 1, 1))


@case("reverse_shared.cu", "reverse_static")
def reverse_static(rng):
    x = np.arange(64, dtype=i32)
    return Launch([Out(x[::-1].copy(), x), i32(64)], (64, 1, 1))


@case("reverse_shared.cu", "reverse_dynamic")
def reverse_dynamic(rng):
    x = np.arange(200, dtype=i32)
    return Launch([Out(x[::-1].copy(), x), i32(200)], (200, 1, 1), shared=800)


@case("reduce_tree.cu", "reduce")
def reduce_tree(rng):
    x = rng.random(1000).astype(f32)
    want = np.pad(x, (0, 24)).reshape(4, 256).sum(1, dtype=f64).astype(f32)
    return Launch([x, Out(want, rtol=1e-5), i32(1000)], (256, 1, 1), (4, 1, 1))


def reduce_strided(block):
    def make(rng):
        n = 3 * block - 7
        x = rng.integers(-100, 100, n).astype(i32)
        want = np.zeros((3, block), i32)
        want[:, ::3] = -np.arange(0, block, 3)
        want[:, 0] = np.pad(x, (0, 7)).reshape(3, block).sum(1)
        return Launch([x, Out(want.ravel()), i32(n)], (block, 1, 1), (3, 1, 1), shared=4 * block)

    make.__name__ = f"reduce_strided_{block}"
    return make


for block in (8, 96, 100, 256):
    case("reduce_tree.cu", "reduce_strided")(reduce_strided(block))


@case("reduce_tree.cu", "every_eighth")
def every_eighth(rng):
    x = rng.integers(-100, 100, 301).astype(i32)
    t = np.arange(300)
    return Launch([x, Out(np.where((t % 8 == 0) & (x[1:] > 3), 2 * x[1:] + t + 1, 0).astype(i32))], (300, 1, 1))


@case("reduce_volatile.cu", "reduce")
def reduce_volatile(rng):
    x = rng.integers(-100, 100, 512 * 3).astype(i32)
    return Launch([x, Out(x.reshape(3, 512).sum(1, dtype=i32))], (256, 1, 1), (3, 1, 1))


@case("reduce_volatile.cu", "marked_counts", only_on=("cpu",))  # lanes in step are a GPU's before Volta
def marked_counts(rng):
    n, blocks = 1500, 3
    keys = rng.integers(0, 80, n).astype(i32)
    warp = np.arange(n) // 32 % (2 * blocks)
    counts = np.array([np.bincount(keys[warp == w] % 16, minlength=16) for w in range(2 * blocks)])

    def each_place_once(places):
        for w in range(2 * blocks):
            for key in range(16):
                of = (warp == w) & (keys % 16 == key)
                np.testing.assert_array_equal(np.sort(places[of] // 100), 1 + np.arange(of.sum()))
        np.testing.assert_array_equal(places % 100, keys // 16)

    places = Out(each_place_once, np.zeros(n, i32))
    return Launch([keys, places, Out(counts.ravel().astype(np.uint32)), i32(n)], (64, 1, 1), (blocks, 1, 1))


@case("matmul_tiled.cu", "matmul")
def matmul(rng):
    a, b = rng.random((50, 50)).astype(f32), rng.random((50, 50)).astype(f32)
    return Launch([a, b, Out(a @ b, rtol=1e-4), i32(50)], (16, 16, 1), (4, 4, 1))


@case("transpose.cu", "transpose")
def transpose(rng):
    a = rng.random((70, 101)).astype(f32)
    return Launch([Out(a.T.copy()), a, i32(101), i32(70)], (32, 8, 1), (4, 3, 1))


@case("stencil_shared.cu", "stencil")
def stencil(rng):
    x = rng.integers(0, 100, 1000).astype(i32)
    want = np.convolve(x, np.ones(7, i32), "same").astype(i32)
    return Launch([x, Out(want), i32(1000)], (128, 1, 1), blocks(1000, 128))


@case("scan_hillis_steele.cu", "scan")
def hillis_steele(rng):
    x = rng.integers(0, 10, 128).astype(i32)
    want = np.concatenate([[0], np.cumsum(x)[:-1]]).astype(i32)
    return Launch([Out(want), x, i32(128)], (128, 1, 1), shared=2 * 128 * 4)


@case("scan_blelloch.cu", "scan")
def blelloch(rng):
    x = rng.integers(0, 10, 256).astype(f32)
    want = np.concatenate([[0], np.cumsum(x)[:-1]]).astype(f32)
    return Launch([Out(want), x, i32(256)], (128, 1, 1), shared=256 * 4)


@case("bitonic_sort.cu", "sort")
def bitonic(rng):
    x = rng.integers(0, 2**32, 4 * 256, dtype=u32)
    return Launch([Out(np.sort(x.reshape(4, 256), 1).ravel(), x)], (256, 1, 1), (4, 1, 1), shared=1024)


@case("barrier_votes.cu", "votes")
def barrier_votes(rng):
    x = np.arange(-3, 93, dtype=i32)
    return Launch([x, Out(np.full(96, (x > 0).sum() * 100 + 0 * 10 + 1, i32))], (96, 1, 1))


@case("barrier_in_branch.cu", "branchy")
def barrier_in_branch(rng):
    modes = np.array([0, 1, -1, 2, 3, 7], i32)
    want = np.zeros((6, 64), i32)
    for b, m in enumerate(modes):
        if m >= 0:
            s = np.arange(64) * (2 if m & 1 else 1)
            want[b] = s[(np.arange(64) + m) & 63]
    return Launch([modes, Out(want.ravel())], (64, 1, 1), (6, 1, 1))


@case("early_exit_barrier.cu", "shift")
def early_exit(rng):
    x = rng.integers(0, 100, 100).astype(i32)
    return Launch([x, Out(2 * x), i32(100)], (128, 1, 1))


@case("dynamic_shared_parts.cu", "parts")
def shared_parts(rng):
    n = 64
    a, b = rng.random(n), rng.integers(0, 9, n).astype(i32)
    want = (a * b + np.arange(n) % 3)[::-1].copy()
    return Launch([a, b, Out(want, rtol=1e-14), i32(n)], (n, 1, 1), shared=n * 13)


@case("shared_struct.cu", "nearest")
def nearest(rng):
    n = 70
    p = np.zeros(n, [("x", f32), ("y", f32), ("z", f32), ("id", i32)])
    xyz = rng.random((n, 3)).astype(f32)
    p["x"], p["y"], p["z"], p["id"] = *xyz.T, np.arange(n)
    d = ((xyz[:, None] - xyz[None]) ** 2).sum(2)
    np.fill_diagonal(d, np.inf)
    raw = np.frombuffer(p.tobytes(), np.uint8)
    return Launch([raw.view(f32).copy(), Out(d.argmin(1).astype(i32)), i32(n)], (32, 1, 1), (3, 1, 1))


@case("histogram_shared.cu", "histogram")
def histogram(rng):
    x = rng.integers(0, 256, 20_000).astype(np.uint8)
    return Launch([x, Out(np.bincount(x, minlength=256).astype(u32)), i32(20_000)], (256, 1, 1), (7, 1, 1))


@case("histogram_shared.cu", "histogram")
def histogram_short_rows(rng):
    x = rng.integers(0, 256, 1021).astype(np.uint8)
    return Launch([x, Out(np.bincount(x, minlength=256).astype(u32)), i32(1021)], (256, 1, 1), (3, 1, 1))


@case("last_block.cu", "total")
def last_block(rng):
    x = rng.integers(-9, 9, 30_000).astype(i32)
    partial = Out(lambda got: None, np.zeros(11, i32))
    return Launch([x, i32(30_000), partial, Out(np.array([x.sum()], i32))], (128, 1, 1), (11, 1, 1))


@case("atomics_int.cu", "all")
def atomics_int(rng):
    n = 1000
    i = np.arange(n)
    r = np.array([0, 0, 0, 0, -1, 0, 0, 0], i32)
    u = np.array([0, 0, 2**31, 0], u32)
    want = np.array([i.sum(), -i.sum(), -(n - 1), n - 1, -1 & ~0xFFFF, 0xFFFF, np.bitwise_xor.reduce(i), 42], i32)
    wrapped = np.array([n % 10, (-n) % 10, 5, 2**31 + n - 1], u32)
    return Launch([Out(want, r), Out(wrapped, u), i32(n)], (128, 1, 1), (8, 1, 1))


@case("atomics_64.cu", "all")
def atomics_64(rng):
    n = 500
    want = np.array([n << 33, (n - 1) << 32, 7, 2**64 - 1], np.uint64)
    return Launch(
        [Out(want), Out(np.array([-(n - 1)], np.int64)), Out(np.array([n / 2])), Out(np.array([2 * n], f32)), i32(n)],
        (64, 1, 1),
        (8, 1, 1),
    )


@case("atomic_cas_double.cu", "run")
def cas(rng):
    x = rng.random(600).astype(f32)
    return Launch([Out(np.array([150.0])), Out(np.array([x.max()])), x, i32(600)], (100, 1, 1), (6, 1, 1))


@case("spin_lock.cu", "critical")
def spin_lock(rng):
    return Launch([Out(np.array([sum(range(40))], i32))], (32, 1, 1), (40, 1, 1))


@case("linked_list.cu", "push")
def linked_list(rng):
    n = 300

    def each_once(after):
        assert sorted(after.tolist()).count(-1) == 1 and len(set(after.tolist())) == n

    head = Out(lambda got: None, np.array([-1], i32))
    return Launch([head, Out(each_once, np.zeros(n, i32)), i32(n)], (100, 1, 1), (3, 1, 1))


@case("look_back.cu", "chained")
def look_back(rng):
    x = rng.integers(0, 10, 128 * 20).astype(i32)
    state, carry = (Out(lambda got: None, np.zeros(20, i32)) for _ in range(2))
    return Launch([x, Out(np.cumsum(x).astype(i32)), state, carry], (128, 1, 1), (20, 1, 1))


@case("atomics_combined.cu", "combined")
def atomics_combined(rng):
    x = rng.integers(-1000, 1000, 1000).astype(np.int32)
    c = [np.where(x % 3 == 0, x, 0).sum(), max(x.max(), -5000), min(x.min(), 5000), np.bitwise_xor.reduce(x),
         np.bitwise_and.reduce(x | 0x7F0F0000), 0, np.bitwise_or.reduce(x[x & 1 == 1])]  # fmt: skip
    u = x.view(np.uint32)
    return Launch(
        [x, Out(np.array(c, np.int32), np.array([0, -5000, 5000, 0, -1, 0, 0], np.int32)),
         Out(np.array([u.max(), u.min()], np.uint32), np.array([0, 2**32 - 1], np.uint32)),
         Out(np.array([x.sum()]).astype(np.uint64), np.zeros(1, np.uint64)), np.int32(1000)],
        (96, 1, 1), (11, 1, 1),
    )  # fmt: skip


@case("atomics_combined.cu", "seen")
def atomics_seen(rng):
    c = Out(np.array([64, 10], np.int32), np.zeros(2, np.int32))
    return Launch([c, Out(np.ones(64, np.int32))], (64, 1, 1))
