"""Lloyd's k-means."""

import sys

import numpy as np


def run(n=100_000, k=8, steps=10):
    rng = np.random.default_rng(0)
    centers = rng.uniform(-10, 10, size=(k, 2))
    points = centers[rng.integers(0, k, n)] + rng.normal(size=(n, 2))
    means = points[:k].copy()
    for _ in range(steps):
        distances = np.sqrt(((points[:, np.newaxis, :] - means[np.newaxis, :, :]) ** 2).sum(axis=2))
        labels = np.argmin(distances, axis=1)
        for j in range(k):
            if np.any(labels == j):
                means[j] = points[labels == j].mean(axis=0)
    inertia = np.sum((points - means[labels]) ** 2)
    return np.bincount(labels, minlength=k), inertia


if __name__ == "__main__":
    sizes, inertia = run(*map(int, sys.argv[1:]))
    print("sizes", sizes, f"inertia {inertia:.4f}")
