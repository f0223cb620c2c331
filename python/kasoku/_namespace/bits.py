"""Bits of bytes as elements."""

import numpy as np

from .. import _core
from .given import Array, given


# Eight bytes that are 0 or 1, times this, have each in the place of its bit in the highest byte.
_gathering = {"big": 0x8040201008040201, "little": 0x0102040810204080}
# The bit of each of eight bytes that a byte becomes, the first one lowest.
_bits = {"big": 0x0102040810204080, "little": 0x8040201008040201}
_ones = 0x0101010101010101


def packbits(a, /, axis=None, bitorder="big") -> Array:
    """An array of uint8 whose bits are eight elements each, 0 or not; along an axis or of the ravelled array. Raises TypeError
    for floats.

    >>> ks.packbits(ks.array([1, 0, 0, 0, 0, 0, 1, 1]))
    array([131], dtype=uint8)
    """
    x = given(a)
    if getattr(x.dtype, "kind", "f") not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if axis is None or x.ndim == 0:
        x, axis = _core.ravel(x), 0
    if bitorder not in _gathering:
        raise ValueError("'order' must be either 'little' or 'big'")
    x = x if x.ndim == 1 else _core.moveaxis(x, axis, -1)
    n = x.shape[-1]
    bits = truth = _core.logical_or(x, False)  # bytes 0 and 1, whatever stood for true
    if n % 8:
        bits = _core.zeros((*x.shape[:-1], n + -n % 8), dtype="bool", device=x.device)
        bits[..., :n] = truth
    packed = (bits.view("uint64") * _gathering[bitorder] >> 56).astype("uint8")
    return packed if x.ndim == 1 else _core.moveaxis(packed, -1, axis)


def unpackbits(a, /, axis=None, count=None, bitorder="big") -> Array:
    """The bits of uint8 as elements 0 and 1; along an axis or of the ravelled array, `count` of them.

    >>> ks.unpackbits(ks.array([3], dtype="uint8"))
    array([0, 0, 0, 0, 0, 0, 1, 1], dtype=uint8)
    """
    x = given(a)
    if x.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    if axis is None:
        x, axis = _core.ravel(x), 0
    if bitorder not in _bits:
        raise ValueError("'order' must be either 'little' or 'big'")
    x = x if x.ndim == 1 else _core.moveaxis(x, axis, -1)
    # A bit and 127 have the highest bit of their byte: nothing is carried to the next one.
    bits = (((x.astype("uint64") * _ones & _bits[bitorder]) + 127 * _ones >> 7) & _ones).view("uint8")
    if count is not None:
        bits = bits[..., :count]
        if count > x.shape[-1] * 8:
            bits = _core.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, count - bits.shape[-1])])
    return bits if bits.ndim == 1 else _core.moveaxis(bits, -1, axis)
