"""cupy.random: kasoku's counter generators under CuPy's names, legacy and Generator. All is drawn on the device."""

from ..._face.table import modules as _modules, names_of as _names_of
from . import _bit_generator, _distributions, _generator, _sample  # noqa: F401
from ._bit_generator import MRG32k3a, XORWOW, BitGenerator, Philox4x3210  # noqa: F401
from ._generator import (  # noqa: F401
    Generator, RandomState, default_rng, get_random_state, reset_states, seed, set_random_state,
)  # fmt: skip
from ._sample import (  # noqa: F401
    bytes, choice, multinomial, permutation, rand, randint, randn, random, random_integers, random_sample, ranf, sample, shuffle,
)  # fmt: skip

globals().update(_distributions.functions)
_modules(__name__, {"_permutations": ("random orders.", _names_of(_sample, "permutation shuffle"))})
