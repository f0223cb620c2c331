"""tf.debugging: assertions about tensors, which are computed where they lie."""

import numpy as _np

import kasoku as ks

from .._face.table import bound as _bound, Table as _Table
from ._tensor import convert as _convert, Tensor as _Tensor
from .dtypes import as_dtype as _as_dtype
from .errors import InvalidArgumentError as _InvalidArgumentError


def _must_hold(is_so, sentence, message=None):
    if not bool(is_so):
        raise _InvalidArgumentError((message or "") + sentence())


def _asserting(f):
    """A row of tensors: whether it holds, and what is said where it does not."""
    count = f.__code__.co_argcount

    def call(*args, message=None, summarize=None, name=None, **kwargs):
        args, more = args[:count], args[count:]
        _must_hold(*f(*args, **kwargs), more[0] if more else message)

    return call


def _of_two(x, y, *, holds, sign):
    x, y = _convert(x), _convert(y)
    sentence = lambda: f"Condition x {sign} y did not hold: x = {x.numpy()}, y = {y.numpy()}"  # noqa: E731
    return holds(x._array, y._array).all(), sentence


def _of_one(holds, word):
    return lambda x: (holds(_convert(x)._array, 0).all(), lambda: f"x is not {word}: {_convert(x).numpy()}")


def _near(x, y, rtol=None, atol=None):
    x, y = _convert(x), _convert(y)
    precision = 10 * float(_np.finfo(x.dtype.as_numpy_dtype).eps) if x.dtype.kind in "fc" else 0
    near = ks.allclose(x._array, y._array, precision if rtol is None else rtol, precision if atol is None else atol)
    return near, lambda: f"x and y are not near: x = {x.numpy()}, y = {y.numpy()}"


def _is_of(tensor, holds, wanted, message):
    found = _convert(tensor).dtype
    if not holds(found):
        raise TypeError(f"{message or ''}the tensor is of {found.name}, not of {wanted()}")


def _checked(x, message):
    _must_hold(ks.isfinite(x._array).all(), lambda: f"{message} : Tensor had Inf or NaN values")
    return x


functions = _Table({"asserting": _asserting})
functions.rows("asserting", {
    "assert_equal": _bound(_of_two, holds=ks.equal, sign="=="),
    "assert_none_equal": _bound(_of_two, holds=ks.not_equal, sign="!="),
    "assert_less": _bound(_of_two, holds=ks.less, sign="<"),
    "assert_less_equal": _bound(_of_two, holds=ks.less_equal, sign="<="),
    "assert_greater": _bound(_of_two, holds=ks.greater, sign=">"),
    "assert_greater_equal": _bound(_of_two, holds=ks.greater_equal, sign=">="),
    "assert_positive": _of_one(ks.greater, "positive"), "assert_negative": _of_one(ks.less, "negative"),
    "assert_non_negative": _of_one(ks.greater_equal, "non-negative"),
    "assert_non_positive": _of_one(ks.less_equal, "non-positive"),
})  # fmt: skip
_others = _Table({"asserting": _asserting})
_others.rows("asserting", {
    "assert_near": _near,
    "assert_rank": lambda x, rank: (_convert(x).ndim == int(rank), lambda: f"x has rank {_convert(x).ndim}, not {int(rank)}"),
    "assert_rank_at_least": lambda x, rank: (
        _convert(x).ndim >= int(rank), lambda: f"x has rank {_convert(x).ndim}, less than {int(rank)}"),
    "assert_scalar": lambda tensor: (_convert(tensor).ndim == 0, lambda: f"x has rank {_convert(tensor).ndim}, not 0"),
    "Assert": lambda condition, data: (_convert(condition), lambda: f"assertion failed: {[str(d) for d in data]}"),
})  # fmt: skip
_others.rows("plain", {
    "assert_type": lambda tensor, tf_type, message=None, name=None: _is_of(
        tensor, lambda found: found == tf_type, lambda: _as_dtype(tf_type).name, message),
    "assert_integer": lambda x, message=None, name=None: _is_of(x, lambda found: found.is_integer, lambda: "integers", message),
    "is_numeric_tensor": lambda tensor: isinstance(tensor, _Tensor) and not tensor.dtype.is_bool,
    "check_numerics": lambda tensor, message, name=None: _checked(_convert(tensor), message),
})  # fmt: skip
_others.alias(assert_all_finite="check_numerics")
globals().update({**functions, **_others})
