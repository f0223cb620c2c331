"""tf.random on kasoku's counter-based generator: the same numbers on a CPU and a GPU."""

import numpy as np

import kasoku as ks

from .._special import special
from . import dtypes
from ._ops import _shape
from ._tensor import Tensor, convert


def set_seed(seed):
    ks.random.seed(int(seed))


def _scaled(values, low, high):
    return values if (low, high) == (0, 1) else values * (high - low) + low


def uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Numbers in [minval, maxval), of `shape`; integer types need maxval."""
    kind = dtypes.as_dtype(dtype)
    if kind.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {kind.name}")
        return Tensor(ks.random.integers(int(minval), int(maxval), size=_shape(shape), dtype=kind.as_numpy_dtype))
    high = 1 if maxval is None else (float(maxval) if isinstance(maxval, Tensor) else maxval)
    low = float(minval) if isinstance(minval, Tensor) else minval
    values = ks.random.random(_shape(shape), dtype=np.float64 if kind == dtypes.float64 else np.float32)
    return Tensor(_scaled(values, low, high).astype(kind.as_numpy_dtype))


def normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    kind = dtypes.as_dtype(dtype)
    values = ks.random.standard_normal(_shape(shape), dtype=np.float64 if kind == dtypes.float64 else np.float32)
    if (mean, stddev) != (0.0, 1.0):
        values = values * stddev + mean
    return Tensor(values.astype(kind.as_numpy_dtype))


def _stateless(seed):
    a, b = (int(v) for v in convert(seed).numpy())
    return ks.random.default_rng((a & 0xFFFFFFFF) << 32 | (b & 0xFFFFFFFF))


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, **ignored):
    kind = dtypes.as_dtype(dtype)
    rng = _stateless(seed)
    if kind.is_integer:
        return Tensor(rng.integers(int(minval), int(maxval), size=_shape(shape), dtype=kind.as_numpy_dtype))
    values = rng.random(_shape(shape), dtype=np.float64 if kind == dtypes.float64 else np.float32)
    return Tensor(_scaled(values, minval, 1 if maxval is None else maxval).astype(kind.as_numpy_dtype))


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, **ignored):
    kind = dtypes.as_dtype(dtype)
    values = _stateless(seed).standard_normal(_shape(shape), dtype=np.float64 if kind == dtypes.float64 else np.float32)
    return Tensor((values * stddev + mean).astype(kind.as_numpy_dtype))


class Generator:
    """tf.random.Generator: a stream of its own."""

    def __init__(self, rng):
        self._rng = rng

    @classmethod
    def from_seed(cls, seed, alg=None):
        return cls(ks.random.default_rng(int(seed)))

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        return cls(ks.random.default_rng())

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
        kind = dtypes.as_dtype(dtype)
        if kind.is_integer:
            return Tensor(self._rng.integers(int(minval), int(maxval), size=_shape(shape), dtype=kind.as_numpy_dtype))
        values = self._rng.random(_shape(shape), dtype=np.float64 if kind == dtypes.float64 else np.float32)
        return Tensor(_scaled(values, minval, 1 if maxval is None else maxval).astype(kind.as_numpy_dtype))

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        values = self._rng.standard_normal(
            _shape(shape), dtype=np.float64 if dtypes.as_dtype(dtype) == dtypes.float64 else np.float32
        )
        return Tensor((values * stddev + mean).astype(dtypes.as_dtype(dtype).as_numpy_dtype))


def shuffle(value, seed=None, name=None):
    """The rows in another order."""
    x = convert(value)._array
    return Tensor(ks.take(x, ks.random.permutation(x.shape[0]), 0))


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normal numbers within two standard deviations: the inverse of their distribution, of uniform ones."""
    edge = 0.02275013194817921  # of the normal distribution below -2
    u = ks.random.random(_shape(shape), dtype=np.float64)
    z = special("ndtri", edge + (1 - 2 * edge) * u)
    return Tensor((z * stddev + mean).astype(dtypes.as_dtype(dtype).as_numpy_dtype))


def categorical(logits, num_samples, dtype=dtypes.int64, seed=None, name=None):
    """Places in each row, with probabilities in proportion to exp(logits)."""
    x = convert(logits).numpy().astype(np.float64)
    sums = np.cumsum(np.exp(x - x.max(-1, keepdims=True)), -1)
    u = ks.random.random((x.shape[0], int(num_samples)), dtype=np.float64).numpy()
    at = (u[..., None] * sums[:, None, -1:] >= sums[:, None, :]).sum(-1)
    return Tensor(ks.array(at.astype(dtypes.as_dtype(dtype).as_numpy_dtype)))


def get_global_generator():
    return Generator(ks.random)
