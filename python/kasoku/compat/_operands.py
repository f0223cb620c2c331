"""What the faces ask of two operands before they ask their package's own rules."""

import numpy as np

import kasoku as ks

_floats = {np.dtype(np.float32), np.dtype(np.float64)}
_numbers = {float, int}


def plain_pair(a, b):
    """Arrays of one floating dtype, or one and a number, as they are: most operands are that,
    and no package promotes them. None for all others."""
    if type(a) is not ks.Array:
        return (a, b) if type(a) in _numbers and type(b) is ks.Array and b.dtype in _floats else None
    dtype = a.dtype
    if dtype not in _floats:
        return None
    if type(b) is ks.Array:
        return (a, b) if b.dtype is dtype else None
    return (a, b) if type(b) in _numbers else None
