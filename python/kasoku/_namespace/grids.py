"""Rows and grids of numbers, and what builds them out of slices."""

import operator
from typing import Any

import numpy as np

from .. import _core
from ..errors import UnsupportedError
from .given import Array, given, is_complex, is_inexact, together

ndindex = np.ndindex


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None) -> Array:
    """The `num` evenly spaced numbers from `start` to `stop`, which is the last one unless `endpoint=False`.

    Of arrays as ends there is such a row for each pair, along `axis`; `retstep=True` gives the step too. float64 without a
    `dtype`, complex128 of complex ends. Raises ValueError for a negative `num`.

    >>> ks.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> ks.linspace([0, 10], [1, 20], 2)
    array([[ 0., 10.],
           [ 1., 20.]])
    """
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    is_one = axis == 0 and not retstep and isinstance(start, (int, float)) and isinstance(stop, (int, float))
    steps = num - bool(endpoint)
    is_lost = is_one and steps > 0 and start != stop and (stop - start) / steps == 0  # a step below the least float
    if is_one and not is_lost and (dtype is None or is_inexact(_core.result_type(dtype))):
        return _core.linspace(start, stop, num, endpoint, dtype, device)
    known = (int, float, complex, Array)
    ends = [x if isinstance(x, known) else _core.asarray(x, device=device) for x in (start, stop)]
    wide = _core.result_type(*ends, 1.0)
    start, stop = (_core.asarray(x, wide, None if isinstance(x, Array) else device) for x in ends)
    step = (stop - start) / steps if steps > 0 else start * np.nan
    at = _core.reshape(_core.arange(num, dtype="float64", device=step.device), (num,) + (1,) * step.ndim)
    # Distances are products in the dtype of the ends, and rounded before the sums, as NumPy rounds them.
    distances = at.astype(wide) / steps * (stop - start) if is_lost else at.astype(wide) * (step if steps > 0 else stop)
    _core.eval(distances)
    made = start + distances
    if endpoint and num > 1:
        made[-1] = stop
    if dtype is not None:
        made = (_core.floor(made) if np.dtype(dtype).kind in "iu" else made).astype(dtype)
    made = _core.moveaxis(made, 0, axis) if axis else made
    return (made, step) if retstep else made


linspace.__kasoku_numpys__ = np.linspace  # what it is in compiled code


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0, *, device=None) -> Array:
    """A row of `num` powers of `base`, whose exponents are evenly spaced from `start` to `stop`.

    Of arrays as ends or bases there is such a row for each element, along `axis`.

    >>> ks.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    >>> ks.logspace(0, 2, 3, base=ks.array([2, 10]))
    array([[  1.,   1.],
           [  2.,  10.],
           [  4., 100.]])
    """
    if np.ndim(base):
        given_ones = [given(x, base) for x in (start, stop, base)]
        axes = max(x.ndim for x in given_ones)
        start, stop, base = (_core.reshape(x, (1,) * (axes - x.ndim) + x.shape) for x in given_ones)
        base = _core.expand_dims(base, axis)
    exponents = linspace(start, stop, num, endpoint, axis=axis, device=device)
    if type(base) not in (int, float, complex):  # which take the exponents' dtype
        base = _core.asarray(base, device=exponents.device).astype("float64")
    powers = _core.power(base, exponents)
    return powers if dtype is None else powers.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, device=None) -> Array:
    """A row of `num` numbers from `start` to `stop`, each of which is the one before times a constant.

    Raises ValueError where an end is 0. Between real ends of two signs is NaN; with a complex `dtype` they are turned about.

    >>> ks.geomspace(1, 8, 4)
    array([1., 2., 4., 8.])
    """
    first, last = together(start, stop)
    if bool((first == 0).any()) or bool((last == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    first, last = (x if is_inexact(x.dtype) else x.astype("float64") for x in (first, last))
    if dtype is not None and is_complex(_core.result_type(dtype)):
        first, last = first.astype("complex128"), last.astype("complex128")
    steps = _core.linspace(0.0, 1.0, num, endpoint, device=device)
    steps = _core.reshape(steps, (num,) + (1,) * max(first.ndim, last.ndim))
    if not is_complex(first.dtype) and not is_complex(last.dtype):
        sign = _core.sign(first)
        x = sign * logspace(_core.log10(first / sign), _core.log10(last / sign), num, endpoint, device=device)
    else:
        ratio = _core.log(last.astype("complex128") / first.astype("complex128"))
        x = first * _core.exp(steps * ratio)
    x = _core.where(steps == 0, first, x)
    if endpoint and num > 1:
        x = _core.where(steps == 1, last, x)
    x = _core.moveaxis(x, 0, axis) if axis else x
    return x if dtype is None else x.astype(dtype)


def ix_(*args) -> tuple[Array, ...]:
    """A tuple of the rows as axes of their own, so that x[ks.ix_(rows, columns)] is the grid where they cross; masks become
    positions. Raises ValueError for what is no row.

    >>> ks.array([[1, 2, 3], [4, 5, 6]])[ks.ix_([0, 1], [0, 2])]
    array([[1, 3],
           [4, 6]])
    """
    axes = []
    for i, (row, was) in enumerate(zip(together(*args), args)):
        if row.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if row.dtype == np.bool_:
            row = _core.flatnonzero(row)
        elif row.size == 0 and not hasattr(was, "dtype"):
            row = row.astype("int64")
        axes.append(_core.reshape(row, (1,) * i + (row.size,) + (1,) * (len(args) - i - 1)))
    return tuple(axes)


def _axis(part, place=(-1,)):
    """The numbers that a slice names, along an axis: by steps, or so many as the imaginary step says, the end among them."""
    start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
    if isinstance(step, complex):
        n = int(abs(step))
        if isinstance(start, Array) or isinstance(part.stop, Array):  # beside a row, as they broadcast
            at = _core.arange(n, device=(start if isinstance(start, Array) else part.stop).device)
            return at.reshape(place) * ((part.stop - start) / max(n - 1, 1)) + start
        return _core.linspace(start, part.stop, n).reshape(place)
    return _core.arange(start, part.stop, step).reshape(place)


class _Grid:
    """ks.mgrid and ks.ogrid: the coordinates of a grid, from slices between brackets.

    A slice start:stop:step is an axis, as ks.arange() makes it; an imaginary step is a number of points, the end among
    them, as ks.linspace() makes them. ks.mgrid[...] returns one array with an axis before the grid's, for the coordinates;
    ks.ogrid[...] returns a tuple of arrays that broadcast to the grid. One slice gives an array of one axis.

    >>> ks.mgrid[0:2, 0:3]
    array([[[0, 0, 0],
            [1, 1, 1]],
           [[0, 1, 2],
            [0, 1, 2]]])
    >>> ks.ogrid[0:1:3j]
    array([0. , 0.5, 1. ])
    """

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _axis(key)
        n = len(key)
        if self._sparse:
            axes = [_axis(part)[(None,) * i + (slice(None),) + (None,) * (n - i - 1)] for i, part in enumerate(key)]
        else:
            axes = [_axis(part, (1,) * i + (-1,) + (1,) * (n - i - 1)) for i, part in enumerate(key)]
        dtype = _core.result_type(*axes)
        axes = [x.astype(dtype, copy=False) for x in axes]
        if self._sparse:
            return tuple(axes)
        shape = np.broadcast_shapes(*(x.shape for x in axes))
        return _core.stack([_core.broadcast_to(x, shape) for x in axes])


mgrid = _Grid(False)
ogrid = _Grid(True)


class _Joined:
    """ks.r_ and ks.c_: join what stands between the brackets, arrays, numbers and slices, into one array.

    ks.r_ joins along the first axis, ks.c_ as columns along the last one. Slices are axes as in ks.mgrid. A first item
    "axis", "axis,ndim" or "axis,ndim,place" says along which axis, of how many, and where the axes of a part lie in them.
    Returns an array in the common dtype. The items "r" and "c", which ask for matrices, are an UnsupportedError.

    >>> ks.r_[[1, 2], 0, 3:5]
    array([1, 2, 0, 3, 4])
    >>> ks.c_[[1, 2], [3, 4]]
    array([[1, 3],
           [2, 4]])
    """

    def __init__(self, columns=False):
        self._columns = columns

    def __len__(self):
        return 0

    def __getitem__(self, key):
        axis, ndim, place = (-1, 2, 0) if self._columns else (0, 1, -1)
        parts = list(key) if isinstance(key, tuple) else [key]
        if isinstance(parts[0], str):
            if parts[0] in ("r", "c"):
                raise UnsupportedError("r_ and c_ give arrays: kasoku has no matrices of NumPy's old class")
            words = [int(word) for word in parts.pop(0).split(",")]
            axis, ndim, place = (words + [1, -1][len(words) - 1 :])[:3]
        arrays = []
        for part in parts:
            if isinstance(part, slice):
                part = _axis(part)
            if isinstance(part, (int, float, complex)) and not isinstance(part, bool):
                arrays.append(part)
            else:
                arrays.append(given(part))
        like = next((x for x in arrays if isinstance(x, Array)), None)
        dtype = _core.result_type(*arrays)
        widened = []
        for x in arrays:
            x = given(x, like)
            had = x.ndim
            if had < ndim:
                before = place if place >= 0 else ndim - had
                x = _core.reshape(x, (1,) * before + x.shape + (1,) * (ndim - had - before))
            widened.append(x.astype(dtype, copy=False))
        return _core.concatenate(widened, axis)


r_ = _Joined(False)
c_ = _Joined(True)


def vander(x, N=None, increasing=False) -> Array:
    """The matrix of the powers of a row: N columns, of which the last (or with `increasing` the first) is of ones.

    >>> ks.vander(ks.array([1, 2, 3]), 2)
    array([[1, 1],
           [2, 1],
           [3, 1]])
    """
    x = given(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = x.size if N is None else N
    dtype = _core.result_type(x, "int64")
    x, first = x.astype(dtype, copy=False), _core.ones((x.size, min(n, 1)), dtype=dtype, device=x.device)
    if n > 16:  # one scan
        rows = _core.repeat(_core.reshape(x, (x.size, 1)), n - 1, axis=1)
        powers = _core.concatenate([first, _core.cumprod(rows, axis=1)], 1)
        return powers if increasing else _core.copy(_core.flip(powers, 1))
    if n < 2:
        return first
    powers = [first[:, 0], x]
    while len(powers) < n:
        powers.append(powers[-1] * x)
    return _core.stack(powers if increasing else powers[::-1], 1)


def mask_indices(n, mask_func, k=0) -> tuple[Array, ...]:
    """Where mask_func(ones((n, n)), k) is not 0: one array per axis.

    >>> ks.mask_indices(2, ks.triu)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return _core.nonzero(mask_func(_core.ones((n, n), dtype="int64"), k) != 0)


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs) -> Any:
    """What function(i, j, …) gives for the numbers along each axis of a shape; it is called once, with arrays.

    >>> ks.fromfunction(lambda i, j: i + j, (2, 2))
    array([[0., 1.],
           [1., 2.]])
    """
    return function(*_core.indices(shape, dtype=dtype), **kwargs)
