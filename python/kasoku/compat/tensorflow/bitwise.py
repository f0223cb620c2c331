"""tf.bitwise: integers by their bits."""

import kasoku as ks

from .._face.table import each as _each, Table as _Table
from ._table import rules as _rules
from ._tensor import binary as _binary

_functions = _Table(_rules)


_functions.rows("tensors", _each(ks, "bitwise_and bitwise_or bitwise_xor left_shift right_shift", lambda of: lambda x, y: (
    _binary(of.__name__.title().replace("_", ""), of, x, y))))  # fmt: skip
_functions.rows("keeps", _each(ks, "invert", "x"))
globals().update(_functions)
