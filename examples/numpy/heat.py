"""Heat in a plate whose left edge is hot: explicit steps on a grid."""

import sys

import numpy as np


def run(n=1000, steps=100):
    u = np.zeros((n, n))
    u[:, 0] = 100.0
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u.mean(), u[n // 2, 1], u[n // 2, 5]


if __name__ == "__main__":
    print("mean {:.6f}, beside the edge {:.6f} and {:.6f}".format(*run(*map(int, sys.argv[1:]))))
