"""Bodies that attract one another, by leapfrog."""

import sys

import numpy as np


def accelerations(position, mass, softening=0.1):
    d = position[None, :, :] - position[:, None, :]
    inverse = ((d**2).sum(axis=2) + softening**2) ** -1.5
    return (d * (mass[None, :] * inverse)[:, :, None]).sum(axis=1)


def run(n=800, steps=5):
    rng = np.random.default_rng(17)
    mass = np.full(n, 20.0 / n)
    position, velocity = rng.standard_normal((n, 3)), rng.standard_normal((n, 3))
    velocity -= velocity.mean(axis=0)
    a = accelerations(position, mass)
    for _ in range(steps):
        velocity += a * 0.005
        position += velocity * 0.01
        a = accelerations(position, mass)
        velocity += a * 0.005
    kinetic = 0.5 * np.sum(mass[:, None] * velocity**2)
    return kinetic, np.linalg.norm(position, axis=1).max()


if __name__ == "__main__":
    print("kinetic energy %.8f, farthest %.8f" % run(*map(int, sys.argv[1:])))
