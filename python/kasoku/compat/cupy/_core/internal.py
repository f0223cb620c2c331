"""cupy._core.internal: helpers of shapes."""

import math


def prod(values):
    return math.prod(values)


def get_size(size):
    if size is None:
        return ()
    return (int(size),) if not hasattr(size, "__iter__") else tuple(int(n) for n in size)


def is_in(sequence, value):
    return any(one is value for one in sequence)
