"""Equalises the histogram of a picture."""

import sys

import numpy as np


def run(n=1500):
    y, x = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n), indexing="ij")
    picture = np.clip(80 + 60 * np.exp(-((x - 0.5) ** 2 + (y - 0.4) ** 2) * 8) + 10 * np.cos(40 * x), 0, 255)
    picture = picture.astype(np.uint8)
    histogram, edges = np.histogram(picture.flatten(), bins=256, range=(0, 256))
    cumulated = histogram.cumsum()
    table = np.ma.filled((cumulated - cumulated[histogram > 0].min()) * 255 / (cumulated[-1] - 1), 0).astype(np.uint8)
    equal = table[picture]
    return picture, equal


if __name__ == "__main__":
    picture, equal = run(*map(int, sys.argv[1:]))
    print("before:", picture.min(), picture.max(), f"{picture.mean():.4f}")
    print("after:", equal.min(), equal.max(), f"{equal.mean():.4f}", np.percentile(equal, [10, 50, 90]))
