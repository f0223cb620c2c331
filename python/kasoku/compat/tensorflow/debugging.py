"""tf.debugging: assertions about tensors."""

import numpy as np

from ._tensor import convert
from .errors import InvalidArgumentError


def _assertion(name, holds, sign):
    def f(x, y, message=None, summarize=None, name=None):
        a, b = convert(x).numpy(), convert(y).numpy()
        if not np.all(holds(a, b)):
            raise InvalidArgumentError(f"{message or ''}Condition x {sign} y did not hold: x = {a}, y = {b}")

    f.__name__ = name
    return f


_kinds = {
    "assert_equal": (np.equal, "=="), "assert_none_equal": (np.not_equal, "!="), "assert_less": (np.less, "<"),
    "assert_less_equal": (np.less_equal, "<="), "assert_greater": (np.greater, ">"),
    "assert_greater_equal": (np.greater_equal, ">="),
}  # fmt: skip
functions = {name: _assertion(name, *kind) for name, kind in _kinds.items()}
globals().update(functions)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    a, b = convert(x).numpy(), convert(y).numpy()
    precision = 10 * np.finfo(a.dtype).eps if a.dtype.kind in "fc" else 0
    if not np.allclose(a, b, precision if rtol is None else rtol, precision if atol is None else atol):
        raise InvalidArgumentError(f"{message or ''}x and y are not near: x = {a}, y = {b}")


def Assert(condition, data, summarize=None, name=None):  # noqa: N802
    if not bool(convert(condition)):
        raise InvalidArgumentError(f"assertion failed: {[str(d) for d in data]}")


def check_numerics(tensor, message, name=None):
    x = convert(tensor)
    if not np.isfinite(x.numpy()).all():
        raise InvalidArgumentError(f"{message} : Tensor had Inf or NaN values")
    return x


assert_all_finite = check_numerics
