"""Simple random numbers."""

from . import _distributions
from ._generator import get_random_state


def rand(*size, dtype=float):
    """Numbers in [0, 1) of a shape."""
    return random_sample(size=size, dtype=dtype)


def randn(*size, dtype=float):
    """Normal numbers of a shape."""
    return _distributions.normal(size=size, dtype=dtype)


def randint(low, high=None, size=None, dtype=int):
    """Integers in [low, high); below `low` if it is the only number."""
    return get_random_state().randint(low, high, size, dtype)


def random_integers(low, high=None, size=None):
    """Integers in [low, high]; in [1, low] if it is the only number."""
    low, high = (1, low) if high is None else (low, high)
    return randint(low, high + 1, size)


def random_sample(size=None, dtype=float):
    """Numbers in [0, 1)."""
    return get_random_state().random_sample(size=size, dtype=dtype)


def choice(a, size=None, replace=True, p=None):
    """Elements of `a`, or of 0 … a - 1, taken at random."""
    return get_random_state().choice(a, size, replace, p)


def multinomial(n, pvals, size=None):
    """How often each of several outcomes comes in `n` trials."""
    return get_random_state().multinomial(n, pvals, size)


def bytes(length):
    """Random bytes."""
    return get_random_state().bytes(length)


random = ranf = sample = random_sample
