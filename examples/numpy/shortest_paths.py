"""All shortest paths of a graph, by Floyd and Warshall."""

import sys

import numpy as np


def run(n=400):
    rng = np.random.default_rng(9)
    distance = rng.integers(1, 100, (n, n)).astype(float)
    distance[rng.random((n, n)) < 0.9] = np.inf
    np.fill_diagonal(distance, 0)
    for k in range(n):
        distance = np.minimum(distance, distance[:, k, None] + distance[None, k, :])
    return distance


if __name__ == "__main__":
    distance = run(*map(int, sys.argv[1:]))
    reached = np.isfinite(distance)
    print("reached:", reached.sum(), "mean:", round(distance[reached].mean(), 6), "longest:", distance[reached].max())
    print("from 0:", distance[0, :8])
