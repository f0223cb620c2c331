"""pycuda.curandom: random numbers, from the engine's counter generator (Philox4x32-10).

The generators of cuRAND are known by their names; all are the same generator here, with a stream of
its own each, so the numbers are not cuRAND's. They do not depend on the device or the grid."""

import os

import numpy as np

import kasoku as ks

from .._face.table import bound as _bound, methods as _methods, plain as _plain
from .gpuarray import GPUArray, to_gpu as _to_gpu


class _State:
    """A seed, and how many draws were made: each is a stream of its own."""

    def __init__(self, seed=None):
        self.seed = int.from_bytes(os.urandom(8), "little") if seed is None else int(seed)
        self.draw = 0

    def fill(self, array, draw, stream=None):
        """draw(generator, {size, device}) for the elements; how many were drawn before makes others of the same seed."""
        if array.size:
            key = (self.seed + 0x9E3779B97F4A7C15 * self.draw) % 2**64
            place = {"size": array.shape, "device": array.__kasoku_array__.device}
            array._store(draw(ks.random.default_rng(key), place), stream)
            self.draw += 1
        return array

    def skip(self, count):
        self.draw += int(count)


_default = None


def rand(shape, dtype=np.float32, stream=None):
    """Uniform numbers in [0, 1); integers of all bits for integer dtypes."""
    global _default
    _default = _default or _State()
    array = GPUArray(shape, dtype)
    return _default.fill(array, _uniform(array.dtype), stream)


def _uniform(dtype):
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return lambda g, place: g.integers(info.min, info.max, dtype=dtype, endpoint=True, **place)
    if dtype.kind != "f":
        raise NotImplementedError(f"there are no uniform numbers of dtype {dtype}")
    return lambda g, place: g.random(dtype=_width(dtype), **place)


_width = lambda dtype: np.float32 if dtype.itemsize < 8 else np.float64


_plain(globals(), {
    "seed_getter_uniform": lambda count: GPUArray(count, np.int32).fill(np.random.randint(0, 2**31 - 1)),
    "seed_getter_unique": lambda count: _to_gpu(np.random.randint(0, 2**31 - 1, count).astype(np.int32)),
    "get_curand_version": lambda: (10, 4, 0),
})  # fmt: skip


class _Generator:
    """fill_ and gen_ of uniform, normal, log_normal, poisson."""

    def __init__(self, seed_getter=None, offset=0, dir_vector=None, scramble_vector=None, **kwargs):
        seed = None
        if seed_getter is not None:
            seed = int.from_bytes(seed_getter(256).get().tobytes()[:8], "little")
        self._state = _State(seed)
        self._state.draw = int(offset)
        self.generators_per_block, self.block_count = 256, 1

    def _fill(self, data, draw, stream):
        self._state.fill(data, draw, stream)


_methods(_Generator, {
    "fill_uniform": lambda self, data, stream=None: self._fill(data, _uniform(data.dtype), stream),
    "fill_normal": lambda self, data, stream=None: self._fill(
        data, lambda g, place: g.standard_normal(dtype=_width(data.dtype), **place), stream),
    "fill_log_normal": lambda self, data, mean, stddev, stream=None: self._fill(
        data, lambda g, place: g.lognormal(mean, stddev, **place), stream),
    # As PyCUDA has it: without a mean each element says its own.
    "fill_poisson": lambda self, data, lambda_value=None, stream=None: self._fill(data, lambda g, place: g.poisson(
        data.__kasoku_array__.astype(np.float64) if lambda_value is None else lambda_value, **place), stream),
    **{f"call_skip_ahead{of}": lambda self, count, stream=None: self._state.skip(count) for of in ("", "_sequence")},
    **{f"call_skip_ahead{of}_array": lambda self, counts, stream=None: self._state.skip(counts.get().max())
       for of in ("", "_sequence")},
})  # fmt: skip


def _new(self, shape, dtype, *parameters, fill, **options):
    """gen_ of a distribution: a new array that its fill_ is called with."""
    array = GPUArray(shape, dtype)
    fill(self, array, *parameters, **options)
    return array


for _name in "uniform normal log_normal poisson".split():
    setattr(_Generator, f"gen_{_name}", _bound(_new, fill=getattr(_Generator, f"fill_{_name}")))


for _name in "XORWOW MRG32k3a Sobol32 ScrambledSobol32 Sobol64 ScrambledSobol64".split():
    globals()[f"{_name}RandomNumberGenerator"] = type(f"{_name}RandomNumberGenerator", (_Generator,), {})
