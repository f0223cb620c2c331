"""The words that random programs are written with, and how values are compared."""

import numpy as np


class Wrong(AssertionError):
    """The engine's values are not those of the reference."""


def values(seed, shape, dtype):
    """Numbers that make cases: small ones mostly, the ends of the type, zeros of both signs, rarely nan and infinity."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "ui":
        ends = np.iinfo(dtype)
        low, high = (max(-20, ends.min), 20) if rng.random() < 0.7 else (ends.min, ends.max)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    if dtype.kind == "c":
        return (rng.integers(-9, 10, shape) + 1j * rng.integers(-9, 10, shape)).astype(dtype)
    made = (rng.integers(-80, 80, shape) / (4 if rng.random() < 0.7 else 3)).astype(dtype)
    if rng.random() < 0.15 and made.size:
        made.flat[rng.integers(0, made.size, 3)] = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0], 3)
    return made


def array_of(value):
    """A copy in a NumPy array."""
    return np.array(value.numpy() if hasattr(value, "numpy") else value)


def same(got, want, what, close=None):
    """Raises Wrong if dtype, shape or a value differ; `close` is the error that counts as none."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        raise Wrong(f"{what}: {got.dtype}{got.shape}, want {want.dtype}{want.shape}")
    if close is None:
        is_right = (got == want) | ((got != got) & (want != want))
    else:
        is_right = np.isclose(got, want, rtol=close, atol=close, equal_nan=True)
    if not np.all(is_right):
        at = tuple(int(k) for k in np.argwhere(~np.atleast_1d(is_right))[0])
        count = int(np.count_nonzero(~is_right))
        one, other = np.atleast_1d(got)[at], np.atleast_1d(want)[at]
        raise Wrong(f"{what}: {count} of {want.size} wrong, at {at} {one!r}, want {other!r}")
