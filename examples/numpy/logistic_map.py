"""The logistic map over many rates: bifurcations and Lyapunov exponents."""

import sys

import numpy as np


def run(n=100_000, steps=100):
    r = np.linspace(2.5, 4.0, n)
    x = 1e-5 * np.ones(n)
    lyapunov = np.zeros(n)
    last = []
    for i in range(steps):
        x = r * x * (1 - x)
        lyapunov += np.log(np.abs(r - 2 * r * x) + 1e-300)
        if i >= steps - 4:
            last.append(x.copy())
    orbits = np.stack(last)
    return np.mean(lyapunov < 0), orbits.std(axis=0)[:: n // 5]


if __name__ == "__main__":
    stable, spread = run(*map(int, sys.argv[1:]))
    print(f"stable: {stable:.4f}; spread of two orbits: {spread[:2].round(6)}")
