"""The Mandelbrot set: after how many steps each point leaves."""

import sys

import numpy as np


def run(n=800, steps=50):
    x = np.linspace(-2.0, 0.5, n)
    y = np.linspace(-1.25, 1.25, n)
    c = x + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    counts = np.zeros(c.shape, dtype=int)
    for _ in range(steps):
        inside = z.real**2 + z.imag**2 < 4
        counts[inside] += 1
        z = np.where(inside, z * z + c, z)
    return counts


if __name__ == "__main__":
    counts = run(*map(int, sys.argv[1:]))
    print(
        "inside:",
        np.count_nonzero(counts == counts.max()),
        "mean:",
        counts.mean(),
        "row:",
        counts[len(counts) // 3, ::97].tolist(),
    )
