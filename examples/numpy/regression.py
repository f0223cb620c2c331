"""Linear regression: by normal equations and by gradient descent."""

import sys

import numpy as np


def run(n=200_000, features=10, steps=50):
    rng = np.random.default_rng(1)
    x = np.hstack([np.ones((n, 1)), rng.normal(size=(n, features))])
    truth = np.arange(features + 1) / 10
    y = x @ truth + 0.1 * rng.normal(size=n)
    exact = np.linalg.solve(x.T @ x, x.T @ y)
    w = np.zeros(features + 1)
    for _ in range(steps):
        w -= 0.1 * (x.T @ (x @ w - y)) / n
    residual = y - x @ exact
    r2 = 1 - (residual**2).sum() / ((y - y.mean()) ** 2).sum()
    return exact, w, r2


if __name__ == "__main__":
    exact, w, r2 = run(*map(int, sys.argv[1:]))
    np.set_printoptions(precision=5, suppress=True)
    print("exact", exact)
    print("descent", w)
    print("R2: %.6f" % r2)
