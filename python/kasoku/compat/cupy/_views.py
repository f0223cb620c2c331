"""Functions of cupy that only rearrange what arrays show: NumPy decides how, on arrays that have the shape and
strides and no memory, and the results are views of the memory where it is."""

import functools
import operator

import numpy as np

import kasoku as ks
from kasoku import _core

from .._layout import viewed


def of(function, a, *args, **kwargs):
    """function(a, ...) where the function of NumPy gives views of a."""
    from ._arrays import asarray

    a = a if isinstance(a, ks.Array) else asarray(a)
    shown = viewed(a, lambda host: function(host, *args, **kwargs))
    for one in [shown] if isinstance(shown, ks.Array) else shown:
        one._viewed = a if a.base is None else a.base
    return shown


def viewing(name, path=None):
    """The function of NumPy of that name, for arrays of ours."""
    function = operator.attrgetter(path or name)(np)

    @functools.wraps(function, assigned=("__name__", "__qualname__"))
    def call(a, *args, **kwargs):
        return of(function, a, *args, **kwargs)

    call.__doc__ = f"numpy.{path or name}: the result is a view."
    return call


def einsum(*operands, **kwargs):
    """Sums of products by letters; a view where one array is only transposed or cut along diagonals."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    subscripts, *operands = operands
    if (
        len(operands) == 1
        and isinstance(subscripts, str)
        and isinstance(operands[0], ks.Array)
        and operands[0].ndim
        and not kwargs
    ):
        given, arrow, wanted = subscripts.replace(" ", "").partition("->")
        letters, kept = given.replace("...", ""), (wanted if arrow else given).replace("...", "")
        keeps_rest = not arrow or "..." in wanted or len(letters) == operands[0].ndim
        if keeps_rest and set(letters) == set(kept) and len(set(kept)) == len(kept):
            return of(lambda a: np.einsum(subscripts, a), operands[0])
    return _core.einsum(subscripts, *operands, **kwargs)


diagonal = viewing("diagonal")  # CuPy's may be written to
