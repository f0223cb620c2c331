"""Simple random numbers: what the current device's RandomState draws."""

from . import _distributions
from ._generator import RandomState, get_random_state

for _name in "randint random_sample multinomial bytes permutation shuffle".split():
    globals()[_name] = _distributions.of_state(_name, getattr(RandomState, _name))
random = ranf = sample = random_sample  # noqa: F821


# These call one another through the module's names, and a state with all arguments: programs put their own in either place.


def choice(a, size=None, replace=True, p=None):
    """Elements of `a`, or of 0 … a - 1, taken at random."""
    return get_random_state().choice(a, size, replace, p)


def rand(*size, dtype=float):
    """Numbers in [0, 1) of a shape."""
    return random_sample(size=size, dtype=dtype)  # noqa: F821


def random_integers(low, high=None, size=None):
    """Integers in [low, high]; in [1, low] if it is the only number."""
    low, high = (1, low) if high is None else (low, high)
    return randint(low, high + 1, size)  # noqa: F821


def randn(*size, dtype=float):
    """Normal numbers of a shape."""
    return _distributions.normal(size=size, dtype=dtype)
