"""Tests of hypotheses about counts."""

import math

import numpy as np


def chi_square_test(observed, expected, alpha=0.05, df=None):
    """Whether counts may be of what is expected, at a level of significance: False where chance gives counts as far away
    less often than `alpha`."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    distance = float(((observed - expected) ** 2 / expected).sum())
    return _chance_above(distance, observed.size - 1 if df is None else df) > alpha


def _chance_above(x, df):
    """That a chi-square number of `df` degrees of freedom is above x: a finite sum, as 2 of them add a term."""
    half = x / 2
    total = 0.0 if df % 2 == 0 else math.erfc(math.sqrt(half))
    for k in range(df // 2):
        power = k if df % 2 == 0 else k + 0.5
        total += math.exp(-half) * (half**power / math.gamma(power + 1) if half or not power else 0.0)
    return total
