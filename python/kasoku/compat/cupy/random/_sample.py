"""Simple random numbers: what the current device's RandomState draws."""

import functools
import inspect

from . import _distributions
from ._generator import RandomState, get_random_state


def _of_state(name):
    method = getattr(RandomState, name)

    @functools.wraps(method, assigned=("__doc__",))
    def function(*args, **kwargs):
        return getattr(get_random_state(), name)(*args, **kwargs)

    _, *parameters = inspect.signature(method).parameters.values()
    function.__signature__, function.__name__, function.__qualname__ = inspect.Signature(parameters), name, name
    return function


for _name in "rand randint random_integers random_sample choice multinomial bytes permutation shuffle".split():
    globals()[_name] = _of_state(_name)
random = ranf = sample = random_sample  # noqa: F821


def randn(*size, dtype=float):
    """Normal numbers of a shape."""
    return _distributions.normal(size=size, dtype=dtype)
