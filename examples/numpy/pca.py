"""Principal components by the eigenvectors of the covariance."""

import sys

import numpy as np


def run(n=100_000, d=20):
    rng = np.random.default_rng(2)
    data = rng.normal(size=(n, d)) * np.linspace(3, 0.5, d)
    centered = data - data.mean(axis=0)
    scaled = centered / data.std(axis=0, ddof=1).max()
    covariance = scaled.T @ scaled / (n - 1)
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    projected = scaled @ vectors[:, :3]
    return values / values.sum(), projected.var(axis=0)


if __name__ == "__main__":
    explained, variances = run(*map(int, sys.argv[1:]))
    print("explained", np.round(explained[:5], 6), "together", round(float(np.cumsum(explained)[4]), 6))
    print("variances", np.round(variances, 6))
