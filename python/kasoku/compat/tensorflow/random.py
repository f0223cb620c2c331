"""tf.random on kasoku's counter-based generator: the same numbers on a CPU and a GPU."""

import kasoku as ks

from .._face.special import special as _special
from .._face.table import bound as _bound, methods as _methods, Table as _Table
from . import dtypes as _dtypes
from ._table import in_type as _in_type, ints as _shape, rules as _rules
from ._tensor import convert as _convert, Tensor as _Tensor


_f32 = _dtypes.float32
_number = lambda x: float(x) if isinstance(x, _Tensor) else x
_precision = lambda kind: "float64" if kind == _dtypes.float64 else "float32"


def _uniform(shape, minval=0, maxval=None, dtype=_f32, seed=None, *, rng):
    """Numbers in [minval, maxval), of `shape`; integer types need maxval."""
    kind = _dtypes.as_dtype(dtype)
    if kind.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {kind.name}")
        return _Tensor(rng.integers(int(minval), int(maxval), size=_shape(shape), dtype=kind.as_numpy_dtype))
    low, high = _number(minval), 1 if maxval is None else _number(maxval)
    values = rng.random(_shape(shape), dtype=_precision(kind))
    return _Tensor(_in_type(values if (low, high) == (0, 1) else values * (high - low) + low, kind))


def _normal(shape, mean=0.0, stddev=1.0, dtype=_f32, seed=None, *, rng):
    """Normal numbers."""
    values = rng.standard_normal(_shape(shape), dtype=_precision(_dtypes.as_dtype(dtype)))
    return _Tensor(_in_type(values if (mean, stddev) == (0.0, 1.0) else values * stddev + mean, dtype))


def _truncated(shape, mean=0.0, stddev=1.0, dtype=_f32, seed=None, *, rng):
    """Normal numbers within two standard deviations: the inverse of their distribution, of uniform ones."""
    edge = 0.02275013194817921  # of the normal distribution below -2
    z = _special("ndtri", edge + (1 - 2 * edge) * rng.random(_shape(shape), dtype="float64"))
    return _Tensor(_in_type(z * stddev + mean, dtype))


def _gamma(shape, alpha, beta=None, dtype=_f32, seed=None, *, rng):
    """Numbers of the gamma distribution."""
    scale = 1 / (1.0 if beta is None else _number(beta))
    return _Tensor(_in_type(rng.gamma(_number(alpha), scale, _shape(shape)), dtype))


def _shuffled(value, seed=None, *, rng):
    """The rows in another order."""
    x = _convert(value)._array
    return _Tensor(ks.take(x, rng.permutation(x.shape[0]), 0))


def _categorical(logits, num_samples, dtype=_dtypes.int64, seed=None, *, rng):
    """Places in each row, with probabilities in proportion to exp(logits)."""
    x = _convert(logits)._array.astype("float64")
    sums = ks.cumsum(ks.exp(x - x.max(axis=-1, keepdims=True)), -1)
    u = rng.random((x.shape[0], int(num_samples)), dtype="float64")
    return _Tensor(_in_type(ks.count_nonzero(u[..., None] * sums[:, None, -1:] >= sums[:, None, :], axis=-1), dtype))


def _stateless(seed):
    a, b = (int(v) for v in _convert(seed).numpy())
    return ks.random.default_rng((a & 0xFFFFFFFF) << 32 | (b & 0xFFFFFFFF))


class _OfProcess:
    """The process' generator, which is made when it is asked for."""

    def __getattr__(self, name):
        draw = getattr(ks.random, name)
        setattr(self, name, draw)
        return draw


_draws = {
    "uniform": _uniform, "normal": _normal, "truncated_normal": _truncated, "gamma": _gamma, "shuffle": _shuffled,
    "categorical": _categorical,
    "poisson": lambda shape, lam, dtype=_f32, seed=None, *, rng: _Tensor(_in_type(
        rng.poisson(_number(lam), _shape(shape)), dtype)),
}  # fmt: skip
_functions = _Table(_rules)
_functions.rows("tensors", {
    **{name: _bound(draw, rng=_OfProcess()) for name, draw in _draws.items()},
    "stateless_uniform": lambda shape, seed, minval=0, maxval=None, dtype=_f32, **ignored: _uniform(
        shape, minval, maxval, dtype, rng=_stateless(seed)),
    "stateless_normal": lambda shape, seed, mean=0.0, stddev=1.0, dtype=_f32, **ignored: _normal(
        shape, mean, stddev, dtype, rng=_stateless(seed)),
    "stateless_truncated_normal": lambda shape, seed, mean=0.0, stddev=1.0, dtype=_f32, **ignored: _truncated(
        shape, mean, stddev, dtype, rng=_stateless(seed)),
    "stateless_gamma": lambda shape, seed, alpha, beta=None, dtype=_f32: _gamma(
        shape, alpha, beta, dtype, rng=_stateless(seed)),
    "stateless_poisson": lambda shape, seed, lam, dtype=_f32: _draws["poisson"](shape, lam, dtype, rng=_stateless(seed)),
    "stateless_shuffle": lambda value, seed: _shuffled(value, rng=_stateless(seed)),
    "stateless_categorical": lambda logits, num_samples, seed, dtype=_dtypes.int64, **ignored: _categorical(
        logits, num_samples, dtype, rng=_stateless(seed)),
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

    from_seed = classmethod(lambda cls, seed, alg=None: cls(ks.random.default_rng(int(seed))))
    from_non_deterministic_state = classmethod(lambda cls, alg=None: cls(ks.random.default_rng()))


_methods(Generator, {
    "uniform": lambda self, shape, minval=0, maxval=None, dtype=_f32, name=None: _uniform(
        shape, minval, maxval, dtype, rng=self._rng),
    "normal": lambda self, shape, mean=0.0, stddev=1.0, dtype=_f32, name=None: _normal(
        shape, mean, stddev, dtype, rng=self._rng),
    "truncated_normal": lambda self, shape, mean=0.0, stddev=1.0, dtype=_f32, name=None: _truncated(
        shape, mean, stddev, dtype, rng=self._rng),
})  # fmt: skip
