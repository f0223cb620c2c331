"""tf.math: the elementwise operations and reductions."""

from . import nn as _nn  # noqa: F401 - it fills the tables
from ._ops import elementwise as _elementwise
from ._table import maths as _maths

globals().update(_elementwise)
globals().update(_maths)
mod, floor_div = _elementwise["mod"], _elementwise["floordiv"]
