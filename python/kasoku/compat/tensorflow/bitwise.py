"""tf.bitwise: integers by their bits."""

import kasoku as ks

from .._face.table import Table as _Table
from ._table import rules as _rules
from ._tensor import binary as _binary

_functions = _Table(_rules)


def _of_two(name):
    operation, op = getattr(ks, name), name.title().replace("_", "")
    return lambda x, y: _binary(op, operation, x, y)


_functions.rows("tensors", {
    name: _of_two(name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
})  # fmt: skip
_functions.rows("keeps", {"invert": lambda x: ks.invert(x)})
globals().update(_functions)
