"""cupy._core.internal: helpers of shapes and numbers."""

import math
import operator
import warnings

import numpy as np


def prod(values):
    return math.prod(values)


prod_sequence = prod


def get_size(size):
    if size is None:
        warnings.warn("the size of None is (): give () itself", DeprecationWarning, stacklevel=2)
        return ()
    sizes = (size,) if np.ndim(size) == 0 else tuple(size)
    if any(isinstance(n, bool) or getattr(n, "dtype", None) == np.bool_ for n in sizes):
        raise TypeError(f"a size is an integer or integers, not {size!r}")
    return tuple(n.item() if isinstance(n, np.ndarray) else n for n in sizes)


def is_in(sequence, value):
    return any(one is value for one in sequence)


def vector_equal(x, y):
    return list(x) == list(y)


def clp2(x):
    """The power of two that is not below x."""
    return 0 if x == 0 else 1 << (int(x) - 1).bit_length()


def get_c_contiguity(shape, strides, itemsize):
    from kasoku._namespace.memory import is_contiguous

    return is_contiguous(tuple(shape), tuple(strides), itemsize, "C")


def infer_unknown_dimension(shape, size):
    """The shape with -1 replaced by the length that makes it `size` elements."""
    unknown = [axis for axis, length in enumerate(shape) if length == -1]
    if len(unknown) > 1:
        raise ValueError("can only specify only one unknown dimension")
    known = math.prod(length for length in shape if length != -1)
    return [size // known if axis in unknown and known else length for axis, length in enumerate(shape)]


def complete_slice(one, length):
    """The slice without None and negative places."""
    for part in (one.start, one.stop, one.step):
        if part is not None:
            operator.index(part)
    if one.step == 0:
        raise ValueError("slice step cannot be zero")
    start, stop, step = one.indices(length)
    return slice(start, max(start, stop) if step > 0 else min(start, stop), step)


def to_float16(x):
    """The bits of a number as float16."""
    return int(np.float16(x).view(np.uint16))


def from_float16(bits):
    return float(np.uint16(bits).view(np.float16))
