"""Simple random numbers: what the current device's RandomState draws."""

from ..._face.table import plain as _plain
from . import _distributions
from ._generator import RandomState, get_random_state

for _name in "randint random_sample multinomial bytes permutation shuffle".split():
    globals()[_name] = _distributions.of_state(_name, getattr(RandomState, _name))
random = ranf = sample = random_sample  # noqa: F821


# These call one another through the module's names, and a state with all arguments: programs put their own in either place.


_plain(globals(), {
    "choice": (lambda a, size=None, replace=True, p=None: get_random_state().choice(a, size, replace, p),
        "Elements of `a`, or of 0 … a - 1, taken at random."),
    "rand": (lambda *size, dtype=float: random_sample(size=size, dtype=dtype), "Numbers in [0, 1) of a shape."),  # noqa: F821
    "randn": (lambda *size, dtype=float: _distributions.normal(size=size, dtype=dtype), "Normal numbers of a shape."),
})  # fmt: skip


def random_integers(low, high=None, size=None):
    """Integers in [low, high]; in [1, low] if it is the only number."""
    low, high = (1, low) if high is None else (low, high)
    return randint(low, high + 1, size)  # noqa: F821
