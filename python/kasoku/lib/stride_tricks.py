"""Views of an array's memory with any shape and strides, where the memory lies."""

import operator

from .. import _core
from .._namespace.given import axis_of, given

__all__ = ["as_strided", "sliding_window_view"]


def _numbers(numbers):
    try:
        return (operator.index(numbers),)
    except TypeError:
        return tuple(operator.index(number) for number in numbers)


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view of the memory of `x` by shape and strides in bytes.

    `shape`, `strides`: those of `x` where they are not given; `subok` means nothing. Raises ValueError for a view that
    would leave the memory.

    >>> ks.lib.stride_tricks.as_strided(ks.arange(4), (2, 3), (8, 8))
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    x = given(x)
    shape = x.shape if shape is None else _numbers(shape)
    view = _shown(x, shape, x.strides if strides is None else _numbers(strides))
    return view if writeable else _core.broadcast_to(view, shape)


def _shown(x, shape, strides, offset=None):
    """The view; `offset` counts bytes from the memory's start, none is the array's own."""
    memory = _core._buffer_of(x)
    offset = _core._address(x) - _core._address(memory) if offset is None else offset
    steps = [step * (n - 1) for n, step in zip(shape, strides, strict=True)]
    low, high = offset + sum(s for s in steps if s < 0), offset + sum(s for s in steps if s > 0) + x.itemsize
    if 0 not in shape and (low < 0 or high > memory.size):
        raise ValueError(f"the view would reach bytes {low} to {high} of the {memory.size} that there are")
    return _core._view(memory, offset, shape, strides, x.dtype, 0, x.device)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """All windows of one shape in `x`, as a view: the axes of `x`, shortened, and behind them those of a window.

    `window_shape`: a length for each axis, or for those of `axis`; `subok` means nothing. A view that is not `writeable`
    must not be written to. Raises ValueError for windows that are longer than the array.

    >>> ks.lib.stride_tricks.sliding_window_view(ks.arange(5), 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x = given(x)
    lengths = _numbers(window_shape)
    axes = tuple(range(x.ndim)) if axis is None else _numbers(axis)
    if len(lengths) != len(axes):
        said = "Since axis is `None`, all axes have windows: " if axis is None else ""
        raise ValueError(f"{said}sliding_window_view: {len(lengths)} lengths of a window for {len(axes)} axes")
    shape, inner = list(x.shape), []
    for length, a in zip(lengths, axes):
        if length < 0:
            raise ValueError("`window_shape` cannot contain negative values")
        a = axis_of(a, x.ndim)
        if shape[a] < length:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[a] -= length - 1
        inner.append(x.strides[a])
    return as_strided(x, (*shape, *lengths), (*x.strides, *inner), writeable=writeable)
