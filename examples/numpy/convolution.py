"""Blur and edges of an image, by shifted copies and by sliding windows."""

import sys

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def convolve(image, kernel):
    kh, kw = kernel.shape
    padded = np.pad(image, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode="edge")
    out = np.zeros_like(image)
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * padded[i : i + image.shape[0], j : j + image.shape[1]]
    return out


def run(n=1500):
    y, x = np.mgrid[0:n, 0:n]
    image = ((x // 50 + y // 50) % 2).astype(float) + 0.1 * np.sin(x / 7.0)
    gauss = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
    blurred = convolve(image, gauss)
    sobel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], dtype=float)
    edges = np.hypot(convolve(blurred, sobel), convolve(blurred, sobel.T))
    windows = sliding_window_view(blurred[:64, :64], (3, 3))
    return blurred, edges, np.einsum("ijkl,kl->ij", windows, sobel)


if __name__ == "__main__":
    blurred, edges, window = run(*map(int, sys.argv[1:]))
    print(f"blurred {blurred.mean():.8f}, edges {edges.max():.8f}, windows {np.abs(window).sum():.8f}")
    print("strong edges:", int((edges > edges.mean() + 2 * edges.std()).sum()))
