"""RandomState and Generator. Their numbers come from one counter generator (Philox4x32-10)."""

import os
import threading

import numpy as np

import kasoku as ks

from ..._face.table import methods as _methods
from .. import _arrays, _util, cuda
from ._bit_generator import BitGenerator, Philox4x3210, whole_seed
from ._distributions import floating, methods, stored

_check_and_get_dtype = floating


def _integers(x):
    """A bound of integers: a number or an array, and of a float what is whole of it."""
    if isinstance(x, ks.Array) or np.ndim(x) == 0:
        return int(x) if isinstance(x, (float, np.number)) else x
    return _arrays.asarray(x)


class _Drawing:
    """What both classes have; `_g` is the engine's generator."""

    takes_floats_alone = False

    def _here(self, name, *args, **kwargs):
        """What the engine's method of that name draws on the current device."""
        return getattr(self._g, name)(*args, **kwargs, device=cuda._device.current())

    _uniform = lambda self, size, dtype: self._here("random", size, dtype=floating(dtype))

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of `a`, or of 0 … a - 1, taken at random."""
        if a is not None and not isinstance(a, ks.Array) and not np.isscalar(a):
            a = _arrays.asarray(a)
        if a is None or isinstance(a, (float, np.floating)) or getattr(a, "ndim", 1) != 1:
            raise ValueError("cupy.random: a must be 1-dimensional or an integer")
        if np.isscalar(a) and a < 0 or np.isscalar(a) and a == 0 and (size is None or np.prod(size)):
            raise ValueError("cupy.random: a must be greater than 0")
        return self._here("choice", a, size, replace, p)

    def shuffle(self, a):
        """Puts an array's parts along its first axis in random order, in place."""
        if not isinstance(a, ks.Array):
            raise TypeError("The array must be cupy.ndarray")
        if a.ndim == 0:
            raise TypeError("An array whose ndim is 0 is not supported")
        a[...] = self.permutation(a)


_methods(_Drawing, {
    "multinomial": (lambda self, n, pvals, size=None: self._here("multinomial", n, pvals, size),
        "How often each of several outcomes comes in `n` trials."),
    "permutation": (lambda self, a: self._here("permutation", a),
        "0 … a - 1, or a copy of an array with its parts along the first axis, in random order."),
    "bytes": (lambda self, length: self._g.bytes(length), "Random bytes."),
    **methods,
})  # fmt: skip
_util.in_face(_Drawing)


class RandomState(_Drawing):
    """The legacy interface."""

    def __init__(self, seed=None, method=None):
        self.seed(seed)

    def seed(self, seed=None):
        """Starts the numbers again."""
        self._g = ks.random.default_rng(whole_seed(seed))

    def get_state(self, legacy=True):
        """Refused."""
        raise NotImplementedError(
            "cupy.random.RandomState.get_state: the generator counts its draws and has no state of cuRAND's or MT19937's\n"
            "  fix  keep the seed: RandomState(seed) starts the same numbers again"
        )

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers in [low, high); below `low` if it is the only number."""
        low, high = (0, low) if high is None else (low, high)
        if np.dtype(dtype).kind not in "biu":
            raise TypeError(f"cupy.random.randint gives no numbers of {np.dtype(dtype)}")
        return self._here("integers", _integers(low), _integers(high), size, dtype)

    def random_integers(self, low, high=None, size=None):
        """Integers in [low, high]; in [1, low] if it is the only number."""
        low, high = (1, low) if high is None else (low, high)
        if high < low:
            raise ValueError("low > high")
        return self.randint(low, high + 1, size=size)


_methods(RandomState, {
    "set_state": (lambda self, state: self.get_state(), "Refused."),
    "rand": (lambda self, *size, dtype=float: self._uniform(size, dtype), "Numbers in [0, 1) of a shape."),
    "randn": (lambda self, *size, dtype=float: self.standard_normal(size, dtype), "Normal numbers of a shape."),
    "random_sample": (lambda self, size=None, dtype=float: self._uniform(size, dtype), "Numbers in [0, 1)."),
    "tomaxint": (lambda self, size=None: self._interval(np.iinfo(np.int64).max, size), "Integers from 0 to the greatest int."),
    "_interval": (lambda self, most, size=None: self._here("integers", 0, most, size, np.int64, True), "Integers in [0, most]."),
})  # fmt: skip
RandomState.random = RandomState.ranf = RandomState.sample = RandomState.random_sample
_util.in_face(RandomState)


@_util.in_face
class Generator(_Drawing):
    """The newer interface: integers, random, standard_normal and distributions."""

    takes_floats_alone = True

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    _g = property(lambda self: self.bit_generator._g)

    def random(self, size=None, dtype=float, out=None):
        """Numbers in [0, 1)."""
        return stored("random", self._uniform(size if out is None else out.shape, dtype), size, out)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        """Integers in [low, high), or with `endpoint` in [low, high]; from 0 if one number is given."""
        low, high = (0, low) if high is None else (low, high)
        return self._here("integers", _integers(low), _integers(high), size, dtype, endpoint)


def default_rng(seed=None):
    """A Generator; of a BitGenerator, or of a seed."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else Philox4x3210(seed))


# ── the module's own numbers: a RandomState for each device ──────────────────────────────────

_random_states = {}
_guard = threading.Lock()


def get_random_state():
    """The RandomState of the current device; started from the environment's CUPY_SEED, if there is one."""
    with _guard:
        here = cuda.get_device_id()
        if here not in _random_states:
            seed = os.getenv("CUPY_SEED")
            _random_states[here] = RandomState(None if seed is None else int(seed))
        return _random_states[here]


def set_random_state(rs):
    """Makes a RandomState that of the current device."""
    if not isinstance(rs, RandomState):
        raise TypeError(f"a RandomState is needed, not a {type(rs).__name__}")
    with _guard:
        _random_states[cuda.get_device_id()] = rs


def reset_states():
    """The devices' numbers start anew."""
    global _random_states
    with _guard:
        _random_states = {}


def seed(seed=None):
    """Starts the numbers of the current device again."""
    ks.random.seed(whole_seed(seed))
    get_random_state().seed(seed)
