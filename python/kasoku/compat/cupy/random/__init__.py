"""cupy.random: kasoku's counter generators under CuPy's names, legacy and Generator.

Uniform, normal and integer numbers are drawn on the device. Other distributions are drawn by
NumPy on the host from a seed that the device's generator draws."""

import kasoku as ks


from ._distributions import distributions
from ._generator import (  # noqa: F401
    MRG32k3a,
    XORWOW,
    BitGenerator,
    Generator,
    Philox4x3210,
    RandomState,
    default_rng,
)

_state = None


def get_random_state():
    """The RandomState behind this module's functions."""
    global _state
    _state = _state or RandomState()
    return _state


def set_random_state(rs):
    global _state
    if not isinstance(rs, RandomState):
        raise TypeError(f"a RandomState is needed, not a {type(rs).__name__}")
    _state = rs


def reset_states():
    global _state
    _state = None


def seed(seed=None):
    """Starts this module's numbers again."""
    ks.random.seed(seed)
    get_random_state().seed(seed)


def _of_state(name):
    def function(*args, **kwargs):
        return getattr(get_random_state(), name)(*args, **kwargs)

    function.__name__ = name
    function.__doc__ = getattr(RandomState, name).__doc__
    return function


for _name in (
    "rand", "randn", "random_sample", "uniform", "normal", "standard_normal", "randint",
    "random_integers", "exponential", "choice", "permutation", "shuffle", "bytes", *distributions,
):  # fmt: skip
    globals()[_name] = _of_state(_name)
random = ranf = sample = random_sample  # noqa: F821
del _name
