"""tf.random on kasoku's counter-based generator: the same numbers on a CPU and a GPU."""

import kasoku as ks

from .._face.special import special as _special
from .._face.table import methods as _methods, Table as _Table
from . import dtypes as _dtypes
from ._ops import _shape
from ._table import in_type as _in_type, rules as _rules
from ._tensor import convert as _convert, Tensor as _Tensor


_number = lambda x: float(x) if isinstance(x, _Tensor) else x
_precision = lambda kind: "float64" if kind == _dtypes.float64 else "float32"


def _uniform(rng, shape, minval, maxval, dtype):
    """Numbers in [minval, maxval), of `shape`; integer types need maxval."""
    kind = _dtypes.as_dtype(dtype)
    if kind.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {kind.name}")
        return _Tensor(rng.integers(int(minval), int(maxval), size=_shape(shape), dtype=kind.as_numpy_dtype))
    low, high = _number(minval), 1 if maxval is None else _number(maxval)
    values = rng.random(_shape(shape), dtype=_precision(kind))
    return _Tensor(_in_type(values if (low, high) == (0, 1) else values * (high - low) + low, kind))


def _normal(rng, shape, mean, stddev, dtype):
    kind = _dtypes.as_dtype(dtype)
    values = rng.standard_normal(_shape(shape), dtype=_precision(kind))
    return _Tensor(_in_type(values if (mean, stddev) == (0.0, 1.0) else values * stddev + mean, kind))


def _truncated(rng, shape, mean, stddev, dtype):
    """Normal numbers within two standard deviations: the inverse of their distribution, of uniform ones."""
    edge = 0.02275013194817921  # of the normal distribution below -2
    z = _special("ndtri", edge + (1 - 2 * edge) * rng.random(_shape(shape), dtype="float64"))
    return _Tensor(_in_type(z * stddev + mean, dtype))


def _stateless(seed):
    a, b = (int(v) for v in _convert(seed).numpy())
    return ks.random.default_rng((a & 0xFFFFFFFF) << 32 | (b & 0xFFFFFFFF))


def _shuffled(rng, value):
    """The rows in another order."""
    x = _convert(value)._array
    return _Tensor(ks.take(x, rng.permutation(x.shape[0]), 0))


def _categorical(rng, logits, num_samples, dtype):
    """Places in each row, with probabilities in proportion to exp(logits)."""
    x = _convert(logits)._array.astype("float64")
    sums = ks.cumsum(ks.exp(x - x.max(axis=-1, keepdims=True)), -1)
    u = rng.random((x.shape[0], int(num_samples)), dtype="float64")
    return _Tensor(_in_type(ks.count_nonzero(u[..., None] * sums[:, None, -1:] >= sums[:, None, :], axis=-1), dtype))


_f32, _i64 = _dtypes.float32, _dtypes.int64
_functions = _Table(_rules)
_functions.rows("tensors", {
    "uniform": lambda shape, minval=0, maxval=None, dtype=_f32, seed=None: _uniform(
        ks.random, shape, minval, maxval, dtype),
    "normal": lambda shape, mean=0.0, stddev=1.0, dtype=_f32, seed=None: _normal(ks.random, shape, mean, stddev, dtype),
    "truncated_normal": lambda shape, mean=0.0, stddev=1.0, dtype=_f32, seed=None: _truncated(
        ks.random, shape, mean, stddev, dtype),
    "gamma": lambda shape, alpha, beta=None, dtype=_f32, seed=None: _Tensor(_in_type(
        ks.random.gamma(_number(alpha), 1 / (1.0 if beta is None else _number(beta)), _shape(shape)), dtype)),
    "poisson": lambda shape, lam, dtype=_f32, seed=None: _Tensor(_in_type(
        ks.random.poisson(_number(lam), _shape(shape)), dtype)),
    "shuffle": lambda value, seed=None: _shuffled(ks.random, value),
    "categorical": lambda logits, num_samples, dtype=_i64, seed=None: _categorical(
        ks.random, logits, num_samples, dtype),
    "stateless_uniform": lambda shape, seed, minval=0, maxval=None, dtype=_f32, **ignored: _uniform(
        _stateless(seed), shape, minval, maxval, dtype),
    "stateless_normal": lambda shape, seed, mean=0.0, stddev=1.0, dtype=_f32, **ignored: _normal(
        _stateless(seed), shape, mean, stddev, dtype),
    "stateless_truncated_normal": lambda shape, seed, mean=0.0, stddev=1.0, dtype=_f32, **ignored: _truncated(
        _stateless(seed), shape, mean, stddev, dtype),
    "stateless_gamma": lambda shape, seed, alpha, beta=None, dtype=_f32: _Tensor(_in_type(
        _stateless(seed).gamma(_number(alpha), 1 / (1.0 if beta is None else _number(beta)), _shape(shape)), dtype)),
    "stateless_poisson": lambda shape, seed, lam, dtype=_f32: _Tensor(_in_type(
        _stateless(seed).poisson(_number(lam), _shape(shape)), dtype)),
    "stateless_shuffle": lambda value, seed: _shuffled(_stateless(seed), value),
    "stateless_categorical": lambda logits, num_samples, seed, dtype=_i64, **ignored: _categorical(
        _stateless(seed), logits, num_samples, dtype),
})  # fmt: skip
_functions.rows("plain", {
    "set_seed": lambda seed: ks.random.seed(int(seed)),
    "get_global_generator": lambda: Generator(ks.random),
})  # fmt: skip
globals().update(_functions)


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


_methods(Generator, {
    "uniform": lambda self, shape, minval=0, maxval=None, dtype=_f32, name=None: _uniform(
        self._rng, shape, minval, maxval, dtype),
    "normal": lambda self, shape, mean=0.0, stddev=1.0, dtype=_f32, name=None: _normal(
        self._rng, shape, mean, stddev, dtype),
    "truncated_normal": lambda self, shape, mean=0.0, stddev=1.0, dtype=_f32, name=None: _truncated(
        self._rng, shape, mean, stddev, dtype),
})  # fmt: skip
