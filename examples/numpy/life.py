"""Conway's game of life on a torus."""

import sys

import numpy as np


def step(world):
    neighbours = sum(
        np.roll(np.roll(world, i, axis=0), j, axis=1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
    )
    return ((neighbours == 3) | ((world == 1) & (neighbours == 2))).astype(np.uint8)


def run(n=1000, steps=20):
    world = (np.random.RandomState(3).rand(n, n) < 0.3).astype(np.uint8)
    for _ in range(steps):
        world = step(world)
    return world


if __name__ == "__main__":
    world = run(*map(int, sys.argv[1:]))
    print("alive:", world.sum(), "of", world.size)
    for row in world[:6, :32]:
        print("".join(".#"[cell] for cell in row))
