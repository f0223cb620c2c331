"""tf.debugging: assertions about tensors, which are computed where they lie."""

import numpy as _np

import kasoku as ks

from ._tensor import Tensor as _Tensor
from ._tensor import convert as _convert
from .dtypes import as_dtype as _as_dtype
from .errors import InvalidArgumentError as _InvalidArgumentError


def _must_hold(is_so, sentence):
    if not bool(is_so):
        raise _InvalidArgumentError(sentence())


def _of_two(holds, sign):
    def assertion(x, y, message=None, summarize=None, name=None):
        x, y = _convert(x), _convert(y)
        _must_hold(
            holds(x._array, y._array).all(),
            lambda: f"{message or ''}Condition x {sign} y did not hold: x = {x.numpy()}, y = {y.numpy()}",
        )

    return assertion


def _of_one(holds, word):
    def assertion(x, message=None, summarize=None, name=None):
        x = _convert(x)
        _must_hold(holds(x._array, 0).all(), lambda: f"{message or ''}x is not {word}: {x.numpy()}")

    return assertion


functions = {
    "assert_equal": _of_two(ks.equal, "=="), "assert_none_equal": _of_two(ks.not_equal, "!="),
    "assert_less": _of_two(ks.less, "<"), "assert_less_equal": _of_two(ks.less_equal, "<="),
    "assert_greater": _of_two(ks.greater, ">"), "assert_greater_equal": _of_two(ks.greater_equal, ">="),
    "assert_positive": _of_one(ks.greater, "positive"), "assert_negative": _of_one(ks.less, "negative"),
    "assert_non_negative": _of_one(ks.greater_equal, "non-negative"),
    "assert_non_positive": _of_one(ks.less_equal, "non-positive"),
}  # fmt: skip
for _name, _f in functions.items():
    _f.__name__ = _f.__qualname__ = _name
globals().update(functions)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    x, y = _convert(x), _convert(y)
    precision = 10 * float(_np.finfo(x.dtype.as_numpy_dtype).eps) if x.dtype.kind in "fc" else 0
    near = ks.allclose(x._array, y._array, precision if rtol is None else rtol, precision if atol is None else atol)
    _must_hold(near, lambda: f"{message or ''}x and y are not near: x = {x.numpy()}, y = {y.numpy()}")


def assert_rank(x, rank, message=None, name=None):
    x = _convert(x)
    _must_hold(x.ndim == int(rank), lambda: f"{message or ''}x has rank {x.ndim}, not {int(rank)}")


def assert_rank_at_least(x, rank, message=None, name=None):
    x = _convert(x)
    _must_hold(x.ndim >= int(rank), lambda: f"{message or ''}x has rank {x.ndim}, less than {int(rank)}")


def assert_scalar(tensor, message=None, name=None):
    assert_rank(tensor, 0, message)


def assert_type(tensor, tf_type, message=None, name=None):
    found = _convert(tensor).dtype
    if found != tf_type:
        raise TypeError(f"{message or ''}the tensor is of {found.name}, not of {_as_dtype(tf_type).name}")


def assert_integer(x, message=None, name=None):
    found = _convert(x).dtype
    if not found.is_integer:
        raise TypeError(f"{message or ''}the tensor is of {found.name}, not of integers")


def is_numeric_tensor(tensor):
    return isinstance(tensor, _Tensor) and not tensor.dtype.is_bool


def Assert(condition, data, summarize=None, name=None):  # noqa: N802
    _must_hold(_convert(condition), lambda: f"assertion failed: {[str(d) for d in data]}")


def check_numerics(tensor, message, name=None):
    x = _convert(tensor)
    _must_hold(ks.isfinite(x._array).all(), lambda: f"{message} : Tensor had Inf or NaN values")
    return x


assert_all_finite = check_numerics
