"""Whole programs with their host part, and what such programs include: tiles of several warps, iterators."""
import numpy as np
from corpus import Launch, Out, case

f32, f64, i8, i32 = np.float32, np.float64, np.int8, np.int32
CPP17 = {"options": ("-std=c++17",)}


# NVRTC has no words for the host: such a text runs on a CPU alone.
@case("whole_program.cu", "weigh<64>", name_expressions=("weigh<64>",), only_on=("cpu",), **CPP17)
def whole_program(rng):
    n = 150
    x, weights = rng.random(n).astype(f32), rng.random(64).astype(f32)
    padded = np.concatenate([x, np.zeros(192 - n, f32)]).reshape(3, 64)
    want = (padded * weights)[:, ::-1].ravel()[:n].copy()
    return Launch([x, weights, Out(want), i32(n)], (64, 1, 1), (3, 1, 1))


@case("wide_tiles.cu", "sums", **CPP17)
def wide_tiles(rng):
    x = rng.integers(0, 100, (3, 4, 64)).astype(i32)
    each = np.ones_like(x)
    pairs = x.reshape(3, 2, 128)
    before = np.cumsum(x, -1) - x
    some = (x > 90).any(-1, keepdims=True) * each + 2 * (x > 3).all(-1, keepdims=True)
    return Launch(
        [x, Out((x.sum(-1, keepdims=True) * each).astype(i32)),
         Out((0.5 * pairs.max(-1, keepdims=True) * np.ones_like(pairs)).reshape(x.shape)),
         Out((before + x + 1000 * before).astype(i32)), Out(some.astype(i32))],
        (256, 1, 1), (3, 1, 1))


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
    return Launch([text, i32(text.size), Out(np.array([spread], i32)),
                   Out(np.array([spread, (text == 101).sum(), 1], i32))], (64, 1, 1), (3, 1, 1))
