"""Where random walks go: statistics of many."""

import sys

import numpy as np


def run(walks=2000, steps=2000):
    rng = np.random.default_rng(12345)
    moves = np.where(rng.integers(0, 2, size=(walks, steps)) > 0, 1, -1)
    walk = moves.cumsum(axis=1)
    crosses = (np.abs(walk) >= 30).any(axis=1)
    times = (np.abs(walk[crosses]) >= 30).argmax(axis=1)
    final = walk[:, -1]
    spread = np.sqrt((walk.astype(float) ** 2).mean(axis=0))
    exponent = np.polyfit(np.log(np.arange(1, steps + 1)), np.log(spread), 1)[0]
    return walk.max(), walk.min(), crosses.sum(), times.mean(), np.median(final), final.std(), exponent


if __name__ == "__main__":
    print(
        "max %d, min %d, crossing 30: %d after %.4f steps; median %.1f, spread %.5f, exponent %.5f"
        % run(*map(int, sys.argv[1:]))
    )
