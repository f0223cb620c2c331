"""tf.math: the elementwise operations and reductions."""

import kasoku as _ks

from . import _further, _more  # noqa: F401 - they add to the tables
from ._arrays import maths as _maths
from ._ops import cast as _cast
from ._ops import elementwise as _elementwise
from ._tensor import Tensor as _Tensor
from ._tensor import composed as _composed
from ._tensor import convert as _convert

globals().update(_elementwise)
globals().update(_maths)
mod, floor_div = _elementwise["mod"], _elementwise["floordiv"]


@_composed
def count_nonzero(input, axis=None, keepdims=False, dtype=None, name=None):  # noqa: A002
    """How many elements are not 0, as int64."""
    result = _Tensor(_ks.count_nonzero(_convert(input)._array, axis=axis, keepdims=keepdims))
    return _cast(result, dtype or "int64")
