"""Arrays put together, taken apart, and given more axes."""

from typing import Any

import operator
from collections.abc import Iterable

import numpy as np

from .. import _core
from .given import Array, axes_of, axis_of, given, row_of, together


def astype(x, dtype, /, *, copy=True, device=None) -> Array:
    """The values in another dtype, on a device.

    `x` of any shape; `copy=False` gives `x` itself if nothing changes. Complex numbers do not become real ones: TypeError.

    >>> ks.astype(ks.array([1.5, -1.5]), ks.int32)
    array([ 1, -1], dtype=int32)
    """
    if not isinstance(x, Array):
        raise TypeError(f"astype needs an array, not a {type(x).__name__}; ks.asarray makes one")
    wanted = _core.result_type(dtype)
    if getattr(x.dtype, "kind", "") == "c" and getattr(wanted, "kind", "") not in "cb":
        raise TypeError(
            f"astype of {x.dtype} to {wanted} would lose the imaginary parts; x.real and x.imag are the parts"
        )
    if device is not None:
        x = x.to_device(device)
    return x.astype(dtype, copy=copy)


def broadcast_shapes(*shapes) -> tuple[int, ...]:
    """The shape to which all shapes stretch. Raises ValueError if there is none.

    >>> ks.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    shapes = [tuple(row_of(shape)) for shape in shapes]
    result = [1] * max(map(len, shapes), default=0)
    for shape in shapes:
        for place, length in zip(range(-len(shape), 0), shape):
            if length != 1:
                if result[place] not in (1, length):
                    raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
                result[place] = length
    return tuple(result)


def broadcast_arrays(*arrays) -> tuple[Array, ...]:
    """Views of all arrays, stretched to one shape. Raises ValueError if there is none.

    >>> [x.shape for x in ks.broadcast_arrays(ks.ones(3), ks.ones((2, 1)))]
    [(2, 3), (2, 3)]
    """
    arrays = together(*arrays)
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return tuple(x if x.shape == shape else _core.broadcast_to(x, shape) for x in arrays)


def matrix_transpose(x, /) -> Array:
    """A view with the last two axes exchanged. Raises ValueError below two axes.

    >>> ks.matrix_transpose(ks.ones((4, 2, 3))).shape
    (4, 3, 2)
    """
    x = given(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose needs at least two axes, the array has {x.ndim}")
    return _core.swapaxes(x, -1, -2)


def unstack(x, /, *, axis=0) -> tuple[Array, ...]:
    """Views of the parts along an axis, as a tuple; stack() puts them together again.

    >>> ks.unstack(ks.array([[1, 2], [3, 4]]))
    (array([1, 2]), array([3, 4]))
    """
    x = given(x)
    if x.ndim == 0:
        raise ValueError("unstack: an array of no axes has no parts")
    x = _core.moveaxis(x, axis, 0)
    return tuple(_core._part(x, i) for i in range(x.shape[0]))


def _at_least(arrays, widen):
    if len(arrays) == 1:
        x = arrays[0]
        return widen(x if isinstance(x, Array) else given(x))
    return tuple(widen(given(x)) for x in arrays)


def _row(x):
    return x if x.ndim else x.reshape(1)


def _matrix(x):
    return x if x.ndim > 1 else x.reshape(1, -1)


def atleast_1d(*arrays) -> Any:
    """Each array with at least one axis: itself, or a view. Of several arrays a tuple.

    >>> ks.atleast_1d(5).shape
    (1,)
    """
    return _at_least(arrays, _row)


def atleast_2d(*arrays) -> Any:
    """Each array with at least two axes; a row gets an axis in front. Of several arrays a tuple.

    >>> ks.atleast_2d(ks.ones(3)).shape
    (1, 3)
    """
    return _at_least(arrays, _matrix)


def atleast_3d(*arrays) -> Any:
    """Each array with at least three axes: (1, 1, 1), (1, n, 1) or (n, m, 1). Of several arrays a tuple.

    >>> ks.atleast_3d(ks.ones((2, 3))).shape
    (2, 3, 1)
    """
    return _at_least(
        arrays,
        lambda x: x if x.ndim > 2 else _core.expand_dims(x, -1) if x.ndim == 2 else _core.reshape(x, (1, x.size, 1)),
    )


def _parts(arrays, dtype=None, casting="same_kind"):
    """What is to be stacked: a sequence, or the parts of an array."""
    if not isinstance(arrays, Iterable):
        raise TypeError("arrays to stack are a sequence of arrays")
    if dtype is not None:
        return _cast(together(*arrays), dtype, casting)
    return (
        unstack(arrays) if isinstance(arrays, Array) else arrays if isinstance(arrays, (list, tuple)) else list(arrays)
    )


def vstack(tup, *, dtype=None, casting="same_kind") -> Array:
    """An array of arrays below each other, rows as matrices of one row.

    >>> ks.vstack([ks.ones(2), ks.zeros(2)])
    array([[1., 1.],
           [0., 0.]])
    """
    return _core._vstack(_parts(tup, dtype, casting))


def hstack(tup, *, dtype=None, casting="same_kind") -> Array:
    """An array of arrays beside each other: along the second axis, rows one after the other.

    >>> ks.hstack([ks.ones(2), ks.zeros(1)])
    array([1., 1., 0.])
    """
    return _core._hstack(_parts(tup, dtype, casting))


def dstack(tup) -> Array:
    """An array of arrays behind each other, along the third axis; missing axes are put in front.

    >>> ks.dstack([ks.ones(2), ks.zeros(2)]).shape
    (1, 2, 2)
    """
    return _core._dstack(_parts(tup))


def column_stack(tup) -> Array:
    """A matrix of arrays beside each other, rows as columns. Raises ValueError where they have not one length.

    >>> ks.column_stack([ks.array([1, 2]), ks.array([3, 4])])
    array([[1, 3],
           [2, 4]])
    """
    return _core._column_stack(_parts(tup))


row_stack = vstack


def _cast(arrays, dtype, casting):
    for x in arrays:
        if not _core.can_cast(x, dtype, casting):
            raise TypeError(f"cannot cast {x.dtype} to {dtype} under casting={casting!r}")
    return [x.astype(dtype) for x in arrays]


def block(arrays) -> Array:
    """An array of blocks, given as nested lists: the innermost lie beside each other, the outer below.

    >>> ks.block([[ks.eye(1), ks.zeros((1, 2))]])
    array([[1., 0., 0.]])
    """

    def depth(blocks):
        if not isinstance(blocks, list):
            return 0
        if not blocks:
            raise ValueError("block: a list is empty")
        depths = {depth(each) for each in blocks}
        if len(depths) > 1:
            raise ValueError("block: lists are nested to different depths")
        return 1 + depths.pop()

    def leaves(blocks):
        return [leaf for each in blocks for leaf in leaves(each)] if isinstance(blocks, list) else [blocks]

    levels = depth(arrays)
    flat = together(*leaves(arrays))
    ndim = max(levels, *(x.ndim for x in flat))
    widened = iter([_core.reshape(x, (1,) * (ndim - x.ndim) + x.shape) for x in flat])

    def joined(blocks, level):
        if not isinstance(blocks, list):
            return next(widened)
        return _core.concatenate([joined(each, level - 1) for each in blocks], -level)

    return joined(arrays, levels) if levels else _core.copy(next(widened))


def array_split(ary, indices_or_sections, axis=0) -> list[Array]:
    """Views of parts along an axis: so many of nearly one length, or cut at the given places.

    >>> [len(part) for part in ks.array_split(ks.arange(8), 3)]
    [3, 3, 2]
    """
    x = given(ary)
    axis = axis_of(axis, x.ndim)
    length = x.shape[axis]
    if isinstance(indices_or_sections, (int,)) or getattr(indices_or_sections, "ndim", 1) == 0:
        n = int(indices_or_sections)
        if n <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, more = divmod(length, n)
        cuts = [i * each + min(i, more) for i in range(n + 1)]
    else:
        cuts = [0, *(int(i) for i in indices_or_sections), None]
    before = (slice(None),) * axis
    return [x[(*before, slice(a, b))] for a, b in zip(cuts, cuts[1:])]


def split(ary, indices_or_sections, axis=0) -> list[Array]:
    """Views of parts of one length along an axis, or cut at the given places, in a list. Raises ValueError if the length
    is no multiple of the number of parts.

    >>> ks.split(ks.arange(4), 2)
    [array([0, 1]), array([2, 3])]
    """
    x = given(ary)
    is_number = np.ndim(indices_or_sections) == 0
    if is_number and x.shape[axis_of(axis, x.ndim)] % max(operator.index(indices_or_sections), 1):
        raise ValueError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


def hsplit(ary, indices_or_sections) -> list[Array]:
    """Views of parts along the second axis, of a row along its only one, as split() gives them. Raises ValueError without axes.

    >>> [part.shape for part in ks.hsplit(ks.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    x = given(ary)
    if x.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def vsplit(ary, indices_or_sections) -> list[Array]:
    """Views of parts along the first axis, as split() gives them. Raises ValueError below two axes.

    >>> [part.shape for part in ks.vsplit(ks.ones((2, 4)), 2)]
    [(1, 4), (1, 4)]
    """
    x = given(ary)
    if x.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(x, indices_or_sections, 0)


def dsplit(ary, indices_or_sections) -> list[Array]:
    """Views of parts along the third axis, as split() gives them. Raises ValueError below three axes.

    >>> [part.shape for part in ks.dsplit(ks.ones((1, 1, 4)), 2)]
    [(1, 1, 2), (1, 1, 2)]
    """
    x = given(ary)
    if x.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(x, indices_or_sections, 2)


def rollaxis(a, axis, start=0) -> Array:
    """A view with an axis moved before another one.

    >>> ks.rollaxis(ks.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = given(a)
    axis = axis_of(axis, x.ndim)
    start = start if start == x.ndim else axis_of(start, x.ndim)
    return _core.moveaxis(x, axis, start - 1 if axis < start else start)


def trim_zeros(filt, trim="fb", axis=None) -> Array:
    """A view without the zeros at the front ("f") and at the back ("b") of a row.

    >>> ks.trim_zeros(ks.array([0, 1, 0, 2, 0]))
    array([1, 0, 2])
    """
    x = given(filt)
    axes = axes_of(axis, x.ndim)
    cuts = [slice(None)] * x.ndim
    for d in axes:
        others = tuple(k for k in range(x.ndim) if k != d)
        places = _core.flatnonzero((x != 0).any(axis=others) if others else x != 0)
        if not places.size:
            cuts[d] = slice(0, 0)
            continue
        first, last = int(places[0]), int(places[-1])
        cuts[d] = slice(first if "f" in trim.lower() else None, last + 1 if "b" in trim.lower() else None)
    return x[tuple(cuts)]


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None) -> Array:
    """The array that asarray() gives: there are no subclasses.

    >>> ks.asanyarray([1, 2])
    array([1, 2])
    """
    return _core.asarray(a, dtype, device, copy=copy, order=order)


def ascontiguousarray(a, dtype=None) -> Array:
    """An array whose elements lie in C order: itself if they do.

    >>> ks.ascontiguousarray(ks.ones((2, 3)).T).strides
    (16, 8)
    """
    return atleast_1d(_core.asarray(a, dtype, order="C"))


def asfortranarray(a, dtype=None) -> Array:
    """An array whose elements lie in the order of columns: itself if they do.

    >>> ks.asfortranarray(ks.ones((2, 3))).strides
    (8, 16)
    """
    return atleast_1d(_core.asarray(a, dtype, order="F"))


def asarray_chkfinite(a, dtype=None, order=None) -> Array:
    """The array that asarray() gives, or a ValueError if there is an infinity or NaN in it.

    >>> ks.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    x = _core.asarray(a, dtype, order=order)
    if not bool(_core.isfinite(x).all()):
        raise ValueError("array must not contain infs or NaNs")
    return x


def ndim(a) -> int:
    """How many axes there are.

    >>> ks.ndim([[1, 2]])
    2
    """
    return given(a).ndim if isinstance(a, (Array, list, tuple)) else np.ndim(a)


def shape(a) -> tuple[int, ...]:
    """The lengths of the axes.

    >>> ks.shape([[1, 2]])
    (1, 2)
    """
    return given(a).shape


def size(a, axis=None) -> int:
    """How many elements there are, all or along an axis (or a tuple of them).

    >>> ks.size([[1, 2]], 0)
    1
    """
    x = given(a)
    if axis is None:
        return x.size
    result = 1
    for one in axes_of(axis, x.ndim):
        result *= x.shape[one]
    return result
