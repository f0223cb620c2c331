"""Prices of options by the formula of Black and Scholes."""

import sys

import numpy as np


def normal_cdf(x):
    # Abramowitz and Stegun, 26.2.17
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * poly
    return np.where(x > 0, 1 - tail, tail)


def run(n=1_000_000):
    i = np.arange(n)
    price, strike = 50 + i % 100, 40 + i % 120
    years, rate, sigma = 0.25 + (i % 8) / 4, 0.02, 0.3
    d1 = (np.log(price / strike) + (rate + sigma**2 / 2) * years) / (sigma * np.sqrt(years))
    d2 = d1 - sigma * np.sqrt(years)
    call = price * normal_cdf(d1) - strike * np.exp(-rate * years) * normal_cdf(d2)
    put = call - price + strike * np.exp(-rate * years)
    return call, put


if __name__ == "__main__":
    call, put = run(*map(int, sys.argv[1:]))
    print(f"calls {call.mean():.8f} ({call.min():.6f} to {call.max():.6f}), puts {put.mean():.8f}")
