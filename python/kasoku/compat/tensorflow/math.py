"""tf.math: the elementwise operations and reductions."""

import sys as _sys

from .. import Face as _Face
from . import nn as _nn  # noqa: F401 - it fills the tables
from ._ops import elementwise as _elementwise
from ._table import maths as _maths

globals().update(_elementwise)
globals().update(_maths)
mod, floor_div = _elementwise["mod"], _elementwise["floordiv"]
_sys.modules[__name__].__class__ = _Face
