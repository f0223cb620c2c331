"""A noisy signal without its high frequencies."""

import sys

import numpy as np


def run(n=1_000_000):
    np.random.seed(5)
    t = np.arange(n) / n
    clean = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 12 * t)
    noisy = clean + 0.3 * np.random.randn(n)
    spectrum = np.fft.rfft(noisy)
    frequencies = np.fft.rfftfreq(n, d=1 / n)
    spectrum[frequencies > 20] = 0
    filtered = np.fft.irfft(spectrum, n)
    strongest = np.argsort(np.abs(spectrum))[-2:]
    return np.sqrt(np.mean((filtered - clean) ** 2)), np.sort(frequencies[strongest])


if __name__ == "__main__":
    error, strongest = run(*map(int, sys.argv[1:]))
    print(f"error {error:.8f}, strongest at {strongest} Hz")
