"""Functions of cupy that only rearrange what arrays show: NumPy decides how, on arrays that have the shape and
strides and no memory, and the results are views of the memory where it is."""

import numpy as np

import kasoku as ks
from kasoku import _core

from .._layout import viewed
from ._arrays import asarray


def _view_of(a, function):
    """What the function of NumPy shows of an array."""
    shown = viewed(a, function)
    shown._viewed = a if a.base is None else a.base
    return shown


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of the diagonals of two axes, which may be written to."""
    return _view_of(asarray(a), lambda host: np.diagonal(host, offset, axis1, axis2))


def einsum(*operands, **kwargs):
    """Sums of products by letters; a view where one array is only transposed or cut along diagonals."""
    if len(operands) == 2 and isinstance(operands[0], str) and isinstance(operands[1], ks.Array) and not kwargs:
        subscripts, a = operands
        given, arrow, wanted = subscripts.replace(" ", "").partition("->")
        letters, kept = given.replace("...", ""), (wanted if arrow else given).replace("...", "")
        keeps_rest = not arrow or "..." in wanted or len(letters) == a.ndim
        if a.ndim and keeps_rest and set(letters) == set(kept) and len(set(kept)) == len(kept):
            return _view_of(a, lambda host: np.einsum(subscripts, host))
    return _core.einsum(*operands, **kwargs)
