"""The Ising model: a lattice of spins, updated by halves like a chessboard."""

import sys

import numpy as np


def run(n=512, sweeps=20, temperature=2.0):
    rng = np.random.default_rng(11)
    spins = np.where(rng.random((n, n)) < 0.75, 1, -1)
    i, j = np.indices((n, n))
    energies = []
    for _ in range(sweeps):
        for colour in (0, 1):
            around = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
            cost = 2 * spins * around
            flip = (rng.random((n, n)) < np.exp(-cost / temperature)) & ((i + j) % 2 == colour)
            spins[flip] *= -1
        energies.append(-np.sum(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1))) / n**2)
    return energies, np.abs(spins.mean())


if __name__ == "__main__":
    energies, magnetisation = run(*map(int, sys.argv[1:]))
    print("energies", [round(float(e), 6) for e in energies[::5]], f"magnetisation {magnetisation:.6f}")
