"""Bits of bytes as elements."""

from .. import _core
from .given import Array, given


_orders = {"big": False, "little": True}  # whether the first element is the lowest bit


def _is_lowest_first(bitorder):
    if bitorder not in _orders:
        raise ValueError("'order' must be either 'little' or 'big'")
    return _orders[bitorder]


def packbits(a, /, axis=None, bitorder="big") -> Array:
    """An array of uint8 whose bits are eight elements each, 0 or not; along an axis or of the ravelled array. Raises TypeError
    for floats.

    >>> ks.packbits(ks.array([1, 0, 0, 0, 0, 0, 1, 1]))
    array([131], dtype=uint8)
    """
    return _core._packbits(given(a), axis, _is_lowest_first(bitorder))


def unpackbits(a, /, axis=None, count=None, bitorder="big") -> Array:
    """The bits of uint8 as elements 0 and 1; along an axis or of the ravelled array, `count` of them.

    >>> ks.unpackbits(ks.array([3], dtype="uint8"))
    array([0, 0, 0, 0, 0, 0, 1, 1], dtype=uint8)
    """
    return _core._unpackbits(given(a), axis, count, _is_lowest_first(bitorder))
