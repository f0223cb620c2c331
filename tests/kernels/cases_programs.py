"""Kernels in the manner of public benchmark suites and samples."""

import math

import numpy as np
from corpus import Launch, Out, blocks, case

f32, f64, i32, u32 = np.float32, np.float64, np.int32, np.uint32


@case("bfs_rodinia.cu", "bfs_step")
def bfs(rng):
    n, degree = 600, 4
    nodes = np.stack([np.arange(n) * degree, np.full(n, degree)], 1).astype(i32)
    edges = rng.integers(0, n, n * degree).astype(i32)
    visited = rng.random(n) < 0.3
    mask = visited & (rng.random(n) < 0.5)
    cost = np.where(mask, 1, -1).astype(i32)
    after, updating = cost.copy(), np.zeros(n, bool)
    for t in np.flatnonzero(mask):
        for e in edges[t * degree : (t + 1) * degree]:
            if not visited[e]:
                after[e], updating[e] = 2, True
    return Launch(
        [nodes, edges, Out(np.zeros(n, bool), mask), Out(updating), visited, Out(after, cost), i32(n)],
        (512, 1, 1), blocks(n, 512),
    )  # fmt: skip


def hotspot_reference(a, iterations):
    a = a.astype(f64)
    for _ in range(iterations):
        p = np.pad(a, 1, "edge")
        a = a + 0.1 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * a)
    return a.astype(f32)


@case("hotspot_tile.cu", "steps")
def hotspot(rng):
    a = rng.random((40, 52)).astype(f32)
    return Launch([i32(2), a, Out(hotspot_reference(a, 2), rtol=1e-5), i32(52), i32(40)], (16, 16, 1), (5, 4, 1))


@case("needleman_wunsch.cu", "tile")
def needleman_wunsch(rng):
    n, penalty = 17, 10
    reference = rng.integers(-10, 10, (n, n)).astype(i32)
    m = np.zeros((n, n), i32)
    m[0], m[:, 0] = -penalty * np.arange(n), -penalty * np.arange(n)
    want = m.copy()
    for y in range(1, n):
        for x in range(1, n):
            want[y, x] = max(want[y - 1, x - 1] + reference[y, x], want[y, x - 1] - penalty, want[y - 1, x] - penalty)
    return Launch([reference, Out(want, m), i32(n), i32(penalty), i32(0), i32(0)], (16, 1, 1))


@case("black_scholes.cu", "price")
def black_scholes(rng):
    n = 400
    s, x, t = (rng.uniform(lo, hi, n).astype(f32) for lo, hi in ((5, 30), (1, 100), (0.25, 10)))
    r, v = 0.02, 0.3
    S, X, T = (a.astype(f64) for a in (s, x, t))
    d1 = (np.log(S / X) + (r + v * v / 2) * T) / (v * np.sqrt(T))
    cnd = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))
    call = S * cnd(d1) - X * np.exp(-r * T) * cnd(d1 - v * np.sqrt(T))
    return Launch(
        [Out(call.astype(f32), rtol=1e-3, atol=1e-3), s, x, t, f32(r), f32(v), i32(n)], (128, 1, 1), blocks(n // 2, 128)
    )


@case("kmeans_assign.cu", "assign")
def kmeans(rng):
    n, k, dims = 500, 6, 3
    p, c = rng.random((dims, n)).astype(f32), rng.random((k, dims)).astype(f32)
    label = ((p.T[:, None].astype(f64) - c[None]) ** 2).sum(2).argmin(1)
    counts = np.bincount(label, minlength=k)
    return Launch(
        [p, c, Out(label.astype(i32)), Out(counts.astype(i32)), i32(n), i32(k), i32(dims)],
        (128, 1, 1), blocks(n, 128), shared=k * dims * 4,
    )  # fmt: skip


@case("spmv_csr.cu", "spmv")
def spmv(rng):
    rows, cols = 37, 200
    dense = np.where(rng.random((rows, cols)) < 0.3, rng.random((rows, cols)), 0)
    row = np.concatenate([[0], np.cumsum((dense != 0).sum(1))]).astype(i32)
    r, c = np.nonzero(dense)
    x = rng.random(cols)
    return Launch(
        [row, c.astype(i32), dense[r, c], x, Out(dense @ x, rtol=1e-12), i32(rows)], (128, 1, 1), blocks(rows * 32, 128)
    )


@case("softmax_rows.cu", "softmax")
def softmax(rng):
    x = rng.standard_normal((9, 300)).astype(f32)
    e = np.exp(x.astype(f64) - x.max(1, keepdims=True))
    return Launch([x, Out((e / e.sum(1, keepdims=True)).astype(f32), rtol=1e-5), i32(300)], (128, 1, 1), (9, 1, 1))


@case("radix_split.cu", "split")
def radix(rng):
    x = rng.integers(0, 1 << 10, 256).astype(u32)
    return Launch([Out(np.sort(x), x), i32(10)], (256, 1, 1))


@case("game_of_life.cu", "step")
def life(rng):
    a = (rng.random((40, 60)) < 0.4).astype(np.uint8)
    n = sum(np.roll(a, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
    return Launch(
        [a, Out(((n == 3) | ((n == 2) & (a == 1))).astype(np.uint8)), i32(60), i32(40)], (16, 16, 1), (4, 3, 1)
    )


@case("convolution_separable.cu", "rows")
def convolution(rng):
    a, w = rng.integers(0, 9, (10, 150)).astype(f32), rng.integers(1, 5, 9).astype(f32)
    want = np.stack([np.convolve(r, w, "same") for r in a]).astype(f32)
    return Launch([Out(want), a, i32(150), i32(10)], (16, 4, 1), (3, 3, 1), globals_in={"kernel_weights": w})


@case("lud_diagonal.cu", "diagonal")
def lud(rng):
    a = (rng.random((16, 16)) + 16 * np.eye(16)).astype(f32)
    want = a.astype(f64)
    for i in range(16):
        want[i + 1 :, i] /= want[i, i]
        want[i + 1 :, i + 1 :] -= np.outer(want[i + 1 :, i], want[i, i + 1 :])
    return Launch([Out(want.astype(f32), a, rtol=1e-4, atol=1e-5), i32(16)], (16, 1, 1))


@case("pathfinder.cu", "rows")
def pathfinder(rng):
    cols, iterations = 600, 5
    wall = rng.integers(0, 10, (iterations, cols)).astype(i32)
    src = rng.integers(0, 10, cols).astype(i32)
    v = src.astype(np.int64)
    for r in range(iterations):
        p = np.pad(v, 1, "edge")
        v = np.minimum(np.minimum(p[:-2], v), p[2:]) + wall[r]
    return Launch(
        [i32(iterations), wall, src, Out(v.astype(i32)), i32(cols), i32(0)],
        (256, 1, 1),
        blocks(cols, 256 - 2 * iterations),
    )


@case("big_integers.cu", "product")
def big_integers(rng):
    a, b = (rng.integers(0, 2**32, (64, 8), dtype=u32) for _ in range(2))
    a[0] = b[0] = 2**32 - 1
    whole = lambda words: sum(int(word) << 32 * i for i, word in enumerate(words))
    products = [whole(x) * whole(y) for x, y in zip(a, b)]
    want = [[p >> 32 * i & 2**32 - 1 for i in range(16)] for p in products]
    return Launch([a, b, Out(np.array(want, u32))], (32, 1, 1), (2, 1, 1))
