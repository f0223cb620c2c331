"""An Asian option by Monte Carlo."""

import sys

import numpy as np


def run(paths=50_000, steps=50):
    rng = np.random.default_rng(42)
    s0, strike, rate, sigma, years = 100.0, 105.0, 0.03, 0.2, 1.0
    dt = years / steps
    z = rng.standard_normal((paths, steps))
    growth = np.exp((rate - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z)
    prices = s0 * np.cumprod(growth, axis=1)
    payoff = np.maximum(prices.mean(axis=1) - strike, 0)
    value = np.exp(-rate * years) * payoff
    return value.mean(), value.std() / np.sqrt(paths)


if __name__ == "__main__":
    print("price %.6f, standard error %.6f" % run(*map(int, sys.argv[1:])))
