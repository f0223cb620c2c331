"""RandomState and Generator. Their numbers come from one counter generator (Philox4x32-10)."""

import numpy as np

import kasoku as ks

from .. import _arrays, cuda
from ._distributions import distributions, drawing


def _float_of(dtype):
    dtype = np.dtype(float if dtype is None else dtype)
    if dtype not in (np.float32, np.float64):
        raise TypeError(f"cupy.random: the dtype is float32 or float64, not {dtype}")
    return dtype


class _Drawing:
    """What both classes have; `_g` is the engine's generator."""

    def _uniform(self, size, dtype):
        return self._g.random(size, dtype=_float_of(dtype), device=cuda._device.current())

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        low, high = (x if isinstance(x, ks.Array) or np.isscalar(x) else _arrays.array(x) for x in (low, high))
        if size is None:
            size = np.broadcast_shapes(np.shape(low), np.shape(high))
        dtype = _float_of(dtype)
        return (low + (high - low) * self._uniform(size, dtype)).astype(dtype, copy=False)

    def standard_normal(self, size=None, dtype=float):
        return self._g.standard_normal(
            () if size is None else size, dtype=_float_of(dtype), device=cuda._device.current()
        )

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        loc, scale = (x if isinstance(x, ks.Array) or np.isscalar(x) else _arrays.array(x) for x in (loc, scale))
        if size is None:
            size = np.broadcast_shapes(np.shape(loc), np.shape(scale))
        dtype = _float_of(dtype)
        return (loc + scale * self.standard_normal(size, dtype)).astype(dtype, copy=False)

    def exponential(self, scale=1.0, size=None, dtype=float):
        scale = scale if isinstance(scale, ks.Array) or np.isscalar(scale) else _arrays.array(scale)
        if np.isscalar(scale) and scale < 0:
            raise ValueError("scale < 0")
        u = self._uniform(np.shape(scale) if size is None else size, dtype)
        from .. import log1p

        return -scale * log1p(-u)

    def choice(self, a, size=None, replace=True, p=None):
        return self._g.choice(a, size, replace, p, device=cuda._device.current())

    def permutation(self, a):
        return self._g.permutation(a, device=cuda._device.current())

    def shuffle(self, a):
        if not isinstance(a, ks.Array):
            raise TypeError("The array must be cupy.ndarray")
        if a.ndim == 0:
            raise TypeError("An array whose ndim is 0 is not supported")
        a[...] = self.permutation(a)

    def bytes(self, length):
        return self._g.bytes(length)


for _name in distributions:
    setattr(_Drawing, _name, drawing(_name))


class RandomState(_Drawing):
    """The legacy interface."""

    def __init__(self, seed=None, method=None):
        self.seed(seed)

    def seed(self, seed=None):
        if isinstance(seed, (ks.Array, np.ndarray)):
            seed = int.from_bytes(np.asarray(_arrays.asnumpy(seed)).tobytes()[:8], "little")
        if isinstance(seed, (float, str)):
            raise TypeError(f"a seed is an integer, not {seed!r}")
        self._g = ks.random.default_rng(None if seed is None else int(seed))

    def get_state(self, legacy=True):
        """Refused."""
        raise NotImplementedError(
            "cupy.random.RandomState.get_state: the generator counts its draws and has no state of cuRAND's or MT19937's\n"
            "  fix  keep the seed: RandomState(seed) starts the same numbers again"
        )

    def set_state(self, state):
        """Refused."""
        self.get_state()

    def rand(self, *size, dtype=float, **kwargs):
        return self._uniform(size, dtype)

    def randn(self, *size, dtype=float, **kwargs):
        return self.standard_normal(size, dtype)

    def random_sample(self, size=None, dtype=float):
        return self._uniform(() if size is None else size, dtype)

    def randint(self, low, high=None, size=None, dtype=int):
        low, high = (0, low) if high is None else (low, high)
        if isinstance(low, ks.Array) or isinstance(high, ks.Array) or np.ndim(low) or np.ndim(high):
            return self._g.integers(low, high, size, dtype, device=cuda._device.current())
        dtype = np.dtype(dtype)
        if dtype.kind not in "iu" or dtype.itemsize not in (1, 2, 4, 8):
            raise TypeError(f"cupy.random.randint gives no numbers of {dtype}")
        info = np.iinfo(dtype)
        if low >= high:
            raise ValueError("low >= high")
        if low < info.min or high > info.max + 1:
            raise ValueError(f"[{low}, {high}) is outside of {dtype}")
        return self._g.integers(low, high, () if size is None else size, dtype=dtype, device=cuda._device.current())

    def random_integers(self, low, high=None, size=None):
        low, high = (1, low) if high is None else (low, high)
        if high < low:
            raise ValueError("low > high")
        return self.randint(low, high + 1, size=size)

    def tomaxint(self, size=None):
        return self.randint(0, np.iinfo(np.int64).max, size, np.int64)

    random = ranf = sample = random_sample


class BitGenerator:
    """A seed; the generator behind it is the engine's."""

    def __init__(self, seed=None, *, size=-1):
        if isinstance(seed, np.random.SeedSequence):
            seed = int(seed.generate_state(1, np.uint64)[0])
        self._g = ks.random.default_rng(None if seed is None else int(seed))

    def random_raw(self, size=None, output=True):
        size = () if size is None else size
        result = self._g.integers(0, 2**32 - 1, size, dtype=np.uint32, endpoint=True, device=cuda._device.current())
        return result if output else None


class XORWOW(BitGenerator):
    pass


class MRG32k3a(BitGenerator):
    pass


class Philox4x3210(BitGenerator):
    pass


class Generator(_Drawing):
    """The newer interface: integers, random, standard_normal and distributions."""

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    _g = property(lambda self: self.bit_generator._g)

    def random(self, size=None, dtype=float, out=None):
        if out is not None:
            if size is not None and tuple(np.atleast_1d(size)) != out.shape:
                raise ValueError("size must match out.shape when used together")
            if out.dtype != dtype:
                raise TypeError(f"out has the dtype {out.dtype}, not {np.dtype(dtype)}")
            out[...] = self._uniform(out.shape, dtype)
            return out
        return self._uniform(() if size is None else size, dtype)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        low, high = (0, low) if high is None else (low, high)
        if isinstance(low, ks.Array) or isinstance(high, ks.Array) or np.ndim(low) or np.ndim(high):
            return self._g.integers(low, high, size, dtype, endpoint, device=cuda._device.current())
        return self._g.integers(low, high, () if size is None else size, dtype=dtype, endpoint=endpoint,
                                device=cuda._device.current())  # fmt: skip


def default_rng(seed=None):
    """A Generator; of a BitGenerator, or of a seed."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else Philox4x3210(seed))
