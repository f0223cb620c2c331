"""The largest eigenvalue of a matrix, and page ranks, by power iteration."""

import sys

import numpy as np


def run(n=1500, steps=100):
    rng = np.random.default_rng(4)
    a = rng.random((n, n))
    a = (a + a.T) / 2
    v = np.ones(n) / np.sqrt(n)
    for _ in range(steps):
        w = a @ v
        v = w / np.linalg.norm(w)
    eigenvalue = v @ a @ v
    links = (rng.random((n, n)) < 0.01).astype(float)
    links[:, links.sum(axis=0) == 0] = 1
    transition = links / links.sum(axis=0, keepdims=True)
    rank = np.full(n, 1 / n)
    done = 0
    while done < steps:
        new = 0.85 * transition @ rank + 0.15 / n
        if np.abs(new - rank).sum() < 1e-10:
            break
        rank, done = new, done + 1
    return eigenvalue, done, np.argsort(-rank)[:5]


if __name__ == "__main__":
    eigenvalue, steps, best = run(*map(int, sys.argv[1:]))
    print("largest eigenvalue %.8f; ranks after %d steps, best %s" % (eigenvalue, steps, list(map(int, best))))
