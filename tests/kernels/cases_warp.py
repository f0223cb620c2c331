"""Warp operations: shuffles, votes, matches; launches and references."""

import numpy as np
from corpus import Launch, Out, case

f32, i32, u32 = np.float32, np.int32, np.uint32


@case("warp_reduce.cu", "sum")
def warp_reduce(rng):
    x = rng.integers(0, 10, 5000).astype(f32)
    return Launch([x, Out(np.array([x.sum()], f32)), i32(5000)], (256, 1, 1), (3, 1, 1))


def lanes(x):
    return x.reshape(-1, 32)


@case("warp_shuffles.cu", "shuffles")
def shuffles(rng):
    n = 96
    x = rng.integers(1, 900, n).astype(i32)
    w, lane = lanes(x), np.arange(32)
    up = np.where(lane >= 3, w[:, np.maximum(lane - 3, 0)], w)
    down = np.where(lane < 27, w[:, np.minimum(lane + 5, 31)], w)
    down1 = w[:, np.minimum(lane + 1, 31)]
    width = (
        w[:, (lane & ~7) + 1].astype(np.int64)
        + 1000 * np.where(lane % 4 >= 2, w[:, np.maximum(lane - 2, 0)], w)
        + 1000000 * np.where(lane % 2 < 1, w[:, np.minimum(lane + 1, 31)], w)
    )
    return Launch(
        [
            x,
            Out(w[:, (np.arange(32) * 7) & 31].ravel()),
            Out(up.ravel()),
            Out(down.ravel()),
            Out(w[:, lane ^ 6].ravel()),
            Out((down1 * 0.5).ravel()),
            Out((w[:, lane ^ 16].astype(np.int64) << 33).ravel()),
            Out(width.astype(i32).ravel()),
        ],
        (n, 1, 1),
    )


@case("warp_votes.cu", "votes")
def votes(rng):
    x = rng.integers(-9, 9, 128).astype(i32)
    w = lanes(x)
    bits = (1 << np.arange(32)).astype(np.uint64)
    ballot = ((w > 0) * bits).sum(1).astype(u32)
    rank = np.cumsum(w > 0, 1) - (w > 0)
    spread = lambda v, t: np.repeat(v.astype(t), 32)  # noqa: E731
    return Launch(
        [x, Out(spread(ballot, u32)), Out(spread((w == 3).any(1), i32)), Out(spread((w > -5).all(1), i32)),
         Out(rank.astype(i32).ravel()), Out(np.full(128, 32, i32))],
        (128, 1, 1),
    )  # fmt: skip


@case("warp_divergent.cu", "first_warp")
def divergent(rng):
    x = rng.integers(-99, 99, (4, 128)).astype(i32)
    want = x.copy()
    want[:, :32] = x[:, :32].sum(1, keepdims=True)
    want[:, 32:64] = x[:, 32:64].max(1, keepdims=True)
    return Launch([x, Out(want)], (128, 1, 1), (4, 1, 1))


@case("warp_scan.cu", "scan")
def warp_scan(rng):
    x = rng.integers(0, 9, 500).astype(i32)
    return Launch([x, Out(np.cumsum(x).astype(i32)), i32(500)], (512, 1, 1))


@case("warp_match.cu", "match")
def match(rng):
    key = rng.integers(0, 5, 64).astype(i32)
    any_ = [sum(1 << j for j in range(32) if key[(t & ~31) + j] == key[t]) for t in range(64)]
    return Launch([key, Out(np.array(any_, u32)), Out(np.full(64, 0xFFFFFFFF, u32)), Out(np.ones(64, i32))], (64, 1, 1))


@case("warp_partial.cu", "neighbour")
def partial(rng):
    x = rng.integers(0, 99, 50).astype(i32)
    want = np.concatenate([np.roll(x[:32], -1), np.roll(x[32:], -1)])
    return Launch([x, Out(want)], (50, 1, 1))


@case("warp_loop_exit.cu", "halve")
def loop_exit(rng):
    x = rng.integers(1, 1 << 20, 160).astype(i32)
    x[64:96] = 1
    rounds = np.repeat([max(int(v).bit_length() - 1 for v in row) for row in lanes(x)], 32).astype(i32)
    return Launch([x, Out(rounds), Out((1 + rounds).astype(i32))], (160, 1, 1))


@case("warp_reduce_sync.cu", "reduce", options=("-arch=sm_80",))
def reduce_sync(rng):
    x = rng.integers(-99, 99, 64).astype(i32)
    w = lanes(x)
    spread = lambda v, t: np.repeat(v.astype(t), 32)  # noqa: E731
    bits = np.bitwise_or.reduce((1 << (w & 31)).astype(np.uint64), 1)
    return Launch(
        [x, Out(spread(w.sum(1), i32)), Out(spread(w.min(1), i32)), Out(spread(w.max(1), i32)), Out(spread(bits, u32))],
        (64, 1, 1),
    )


@case("compact.cu", "compact")
def compact(rng):
    x = rng.integers(0, 100, 1000).astype(i32)
    kept = x[x % 3 == 0]

    def same_elements(got):
        np.testing.assert_array_equal(np.sort(got[: kept.size]), np.sort(kept))
        assert (got[kept.size :] == -1).all()

    out = Out(same_elements, np.full(1000, -1, i32))
    return Launch([x, out, Out(np.array([kept.size], i32)), i32(1000)], (128, 1, 1), (8, 1, 1))


def places_from_a_counter(kernel):
    def counters(rng):
        x = rng.integers(0, 100, 3000).astype(i32)
        kept = x[x % 3 == 0]

        def same_elements(got):
            np.testing.assert_array_equal(np.sort(got[: kept.size]), np.sort(kept))
            assert (got[kept.size :] == -1).all()

        out = Out(same_elements, np.full(3000, -1, i32))
        return Launch([x, out, Out(np.array([kept.size], u32)), i32(3000)], (128, 1, 1), (24, 1, 1))

    counters.__name__ = kernel
    case("counters.cu", kernel)(counters)


# More of this file, in other shapes: tests/python/kernel/test_counters.py.
for name in ("each", "ballots", "first_of_warp", "blocks", "strides", "strides_of_ballots"):
    places_from_a_counter(name)


@case("warp_rows.cu", "rows")
def rows(rng):
    x = rng.integers(1, 900, (6, 16)).astype(i32)
    column = np.arange(16)
    other = x.reshape(3, 2, 16)[:, ::-1].reshape(6, 16)
    want = np.where(column < 5, x, 0) + np.where(column == 3, other, 0)
    return Launch([x.ravel(), Out(want.ravel())], (16, 6, 1))


@case("cub_scan_both.cu", "scan_both")
def cub_scan_both(rng):
    x = rng.integers(0, 900, 96).astype(np.int32)
    rows = x.reshape(3, 32)
    largest = np.maximum.accumulate(np.maximum(rows, 100), 1)
    sums = np.cumsum(rows, 1)
    before = np.where(np.arange(32), sums - rows, -1)
    wants = (largest, np.c_[np.full((3, 1), 100), largest[:, :-1]], sums * 1000 + sums - rows, before)
    return Launch([x, *(Out(want.ravel().astype(np.int32)) for want in wants)], (96, 1, 1))
