"""Lotka and Volterra's predators and prey, many populations at once, by Runge and Kutta."""

import sys

import numpy as np


def derivative(state, alpha=1.1, beta=0.4, delta=0.1, gamma=0.4):
    prey, predators = state
    return np.array([alpha * prey - beta * prey * predators, delta * prey * predators - gamma * predators])


def run(n=50_000, steps=200, dt=0.02):
    state = np.array([np.linspace(5, 15, n), np.linspace(2, 8, n)])
    history = np.empty((steps + 1, 2))
    history[0] = state.mean(axis=1)
    for i in range(steps):
        k1 = derivative(state)
        k2 = derivative(state + dt / 2 * k1)
        k3 = derivative(state + dt / 2 * k2)
        k4 = derivative(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        history[i + 1] = state.mean(axis=1)
    return history


if __name__ == "__main__":
    history = run(*map(int, sys.argv[1:]))
    for i in range(0, len(history), 50):
        print(f"{i:4d}  prey {history[i, 0]:.6f}  predators {history[i, 1]:.6f}")
    print("most prey at step", history[:, 0].argmax())
