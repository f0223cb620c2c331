"""tf.math: the elementwise operations and reductions."""

from . import _more  # noqa: F401 - adds to the tables
from ._arrays import maths as _maths
from ._ops import elementwise as _elementwise

globals().update(_elementwise)
globals().update(_maths)
mod, floor_div = _elementwise["mod"], _elementwise["floordiv"]


def count_nonzero(input, axis=None, keepdims=False, dtype=None, name=None):  # noqa: A002
    """How many elements are not 0, as int64."""
    import kasoku as ks

    from ._ops import cast
    from ._tensor import Tensor, convert

    result = Tensor(ks.count_nonzero(convert(input)._array, axis=axis, keepdims=keepdims))
    return cast(result, dtype or "int64")


def argmax(input, axis=None, output_type="int64", name=None):  # noqa: A002
    """Index of the first largest element along `axis` (0 by default)."""
    import kasoku as ks

    from ._ops import cast
    from ._tensor import Tensor, convert

    return cast(Tensor(ks.argmax(convert(input)._array, axis=axis or 0)), output_type)
