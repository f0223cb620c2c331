"""cupy.random: kasoku's counter generators under CuPy's names, legacy and Generator. All is drawn on the device."""

from . import _bit_generator, _distributions, _generator, _permutations, _sample  # noqa: F401
from ._bit_generator import MRG32k3a, XORWOW, BitGenerator, Philox4x3210  # noqa: F401
from ._generator import (  # noqa: F401
    Generator, RandomState, default_rng, get_random_state, reset_states, seed, set_random_state,
)  # fmt: skip
from ._permutations import permutation, shuffle  # noqa: F401
from ._sample import (  # noqa: F401
    bytes, choice, multinomial, rand, randint, randn, random, random_integers, random_sample, ranf, sample,
)  # fmt: skip

globals().update(_distributions.functions)
