"""How an array of a face lies in memory: contiguity, strides, what an index selects."""

import numpy as np

from kasoku import _core
from kasoku._namespace.memory import Flags


# What kasoku's arrays have a dtype for; anything else is kept as records.
plain = {np.dtype(t) for t in ("?", "b", "h", "i", "q", "l", "B", "H", "I", "Q", "L", "e", "f", "d", "F", "D")}


class Place:
    """An object of which int() gives the address, its `ptr`."""

    __int__ = __index__ = lambda self: self.ptr


class Pointer(int):
    """The address of an array inside memory that somebody else allocated; keeps it."""

    def __new__(cls, address, base):
        self = super().__new__(cls, address)
        self.base = base
        return self

    def free(self):
        self.base = None


class ArrayFlags(Flags):
    """The flags of CuPy's and PyCUDA's arrays."""

    _names = ("c_contiguous", "f_contiguous", "owndata", "forc", "fnc")
    _shown = _names[:3]

    def __repr__(self):
        return super().__repr__().rstrip("\n")


def strides_of(shape, itemsize, order):
    strides, step = [0] * len(shape), itemsize
    for axis in range(len(shape)) if order == "F" else reversed(range(len(shape))):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def order_of(a):
    """F where the memory is in Fortran's order and not in C's, else C."""
    return "F" if a.flags.fnc else "C"


def zeroed(array):
    """A NumPy array, whose elements are 0 from now on."""
    array.fill(0)
    return array


def shape_of(shape):
    try:
        return tuple(int(length) for length in shape)
    except TypeError:
        return (int(shape),)


def must_fit(array, shape, dtype, what, of_dtype=TypeError):
    """That an array, ours or NumPy's, has a shape and a dtype; the sentence if not begins with `what` it is."""
    if tuple(array.shape) != tuple(shape):
        raise ValueError(f"{what} has the shape {tuple(array.shape)}, not {tuple(shape)}")
    if array.dtype != dtype:
        raise of_dtype(f"{what} has the dtype {array.dtype}, not {dtype}")


def shadow(shape, strides, dtype=np.int8):
    """A NumPy array that lies so, somewhere where nobody may look: NumPy says what a view of it would be."""
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides)


def viewed(array, function):
    """What a function of NumPy shows of an engine's array: a view, or several in a tuple or list."""
    host = shadow(array.shape, array.strides, f"V{array.itemsize}" if array.dtype == "bfloat16" else array.dtype)

    def shown(part):
        if not isinstance(part, np.ndarray):
            return type(part)(map(shown, part))
        dtype = array.dtype if part.dtype == host.dtype else part.dtype
        begin, at = (a.__array_interface__["data"][0] for a in (host, part))
        return _core._view(array, at - begin if part.size else 0, part.shape, part.strides, dtype, 0, array.device)

    return shown(function(host))
