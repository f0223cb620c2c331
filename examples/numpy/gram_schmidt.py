"""Orthonormal columns by Gram and Schmidt, modified."""

import sys

import numpy as np


def run(m=1000, n=300):
    a = np.fromfunction(lambda i, j: ((i * j) % m) / m + (i == j), (m, n), dtype=float)
    q = np.zeros((m, n))
    r = np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return q, r


if __name__ == "__main__":
    q, r = run(*map(int, sys.argv[1:]))
    print("orthonormal:", np.allclose(q.T @ q, np.eye(q.shape[1]), atol=1e-6), "trace: %.8f" % np.trace(r))
