"""Arrays joined and repeated, and their axes in another order."""

import functools
import math
import numbers

import numpy as np

from ..._face.table import bound
from ..._layout import shadow
from ._array import Array, At, Each, axes_in, axis_in, made, method
from ._chunks import along, at_axis, call, met, normalize_chunks
from ._index import expand, flip as _flip, take as _take
from ._rechunk import same
from ._reshape import reshape
from ._sources import asanyarray
from ._table import functions as f

# ── axes in another order ─────────────────────────────────────────────────────────────────


@method
def transpose(x, *axes):
    axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], numbers.Integral) else axes
    is_turned = not axes or axes == (None,)
    axes = tuple(range(x.ndim))[::-1] if is_turned else tuple(axis_in(a, x.ndim) for a in axes)
    if sorted(axes) != list(range(x.ndim)):
        raise ValueError("axes don't match array")
    if axes == tuple(range(x.ndim)):
        return x
    own, chunks = At(x, np.argsort(axes).tolist()), tuple(x.chunks[a] for a in axes)
    return made("transpose", chunks, x.dtype, (call, "transpose", own, axes))


def _rearranged(x, function, *args, **words):
    """NumPy's function that permutes, turns, adds and drops axes: it is asked of an array without memory, whose strides
    are the numbers of the axes, what becomes of each."""
    lengths = [n if n == 1 else 2 for n in x.shape]
    shown = function(shadow(lengths, range(1, x.ndim + 1)), *args, **words)
    strides = [s if x.ndim else 0 for s in shown.strides]
    order = [abs(s) - 1 for s in strides if s]
    x = x if order == sorted(order) else x.transpose(order)
    for axis, s in enumerate(strides):
        x = expand(x, axis) if s == 0 else _flip(x, axis) if s < 0 else x
    return x


def _at_least(*arrays, like):
    found = [_rearranged(x, like) for x in arrays]
    return found[0] if len(found) == 1 else tuple(found)


f.rows("array", {
    "flip": lambda m, axis=None: _rearranged(m, np.flip, axis),
    "fliplr": lambda m: _rearranged(m, np.fliplr), "flipud": lambda m: _rearranged(m, np.flipud),
    "rot90": lambda m, k=1, axes=(0, 1): _rearranged(m, np.rot90, k, axes),
    "transpose": lambda a, axes=None: a.transpose(*([] if axes is None else [axes])),
    "swapaxes": lambda x, a, b: _rearranged(x, np.swapaxes, a, b),
    "moveaxis": lambda x, source, destination: _rearranged(x, np.moveaxis, source, destination),
    "rollaxis": lambda a, axis, start=0: _rearranged(a, np.rollaxis, axis, start),
    "ravel": lambda array: array.ravel(),
})  # fmt: skip
f.rows("arrays", {f"atleast_{n}d": bound(_at_least, like=getattr(np, f"atleast_{n}d")) for n in (1, 2, 3)})


@f.row("array")
def squeeze(a, axis=None):
    axes = [k for k, n in enumerate(a.shape) if n == 1] if axis is None else [axis_in(k, a.ndim) for k in axes_in(axis)]
    if any(a.shape[k] != 1 for k in axes):
        raise ValueError("cannot squeeze axis with size other than one")
    return a[tuple(0 if k in axes else slice(None) for k in range(a.ndim))]


@f.row("array")
def expand_dims(a, axis):
    axes = axes_in(axis)
    return functools.reduce(expand, sorted(axis_in(k, a.ndim + len(axes)) for k in axes), a)


# ── joined ────────────────────────────────────────────────────────────────────────────────


def _in_a_row(seq, axis, word, allows_unknown=False):
    arrays = [asanyarray(x) for x in seq]
    if not arrays:
        raise ValueError("Need array(s) to concatenate")
    if axis is None:
        arrays, axis = [x.ravel() for x in arrays], 0
    ndim = arrays[0].ndim
    axis = axis_in(axis, ndim)
    dtype = functools.reduce(np.promote_types, [x.dtype for x in arrays])
    others = [a for a in range(ndim) if a != axis]
    if not allows_unknown and any(math.isnan(x.shape[a]) for x in arrays for a in others if x.ndim == ndim):
        raise ValueError(f"Tried to concatenate arrays with unknown shape {arrays[0].shape}: compute_chunk_sizes() finds them, allow_unknown_chunksizes=True takes their chunks as they are")  # fmt: skip
    if any(x.ndim == ndim and x.shape[axis] == 0 for x in arrays) and len(arrays) > 1:  # what adds nothing is left out
        arrays = [x for x in arrays if x.ndim != ndim or x.shape[axis] != 0] or arrays[:1]
    for x in arrays[1:]:
        is_known = not allows_unknown or not any(map(math.isnan, (*x.shape, *arrays[0].shape)))
        if x.ndim != ndim or is_known and any(x.shape[a] != arrays[0].shape[a] for a in others):
            shapes = [x.shape for x in arrays]
            raise ValueError(f"Tried to concatenate arrays with unknown or different shapes. Shapes are {shapes}")
    if len(arrays) == 1 and arrays[0].dtype == dtype:
        return arrays[0]
    common = {a: met(x.chunks[a] for x in arrays) for a in others if not math.isnan(arrays[0].shape[a])}
    arrays = [x.astype(dtype).rechunk(common) if common else x.astype(dtype) for x in arrays]
    owners = [(k, i) for k, x in enumerate(arrays) for i in range(len(x.chunks[axis]))]
    chunks = tuple(sum((x.chunks[axis] for x in arrays), ()) if a == axis else arrays[0].chunks[a] for a in range(ndim))

    def task_of(place):
        k, i = owners[place[axis]]
        return same, arrays[k].ref(at_axis(place, axis, i))

    return made(word, chunks, dtype, task_of, arrays, axis)


def concatenate(seq, axis=0, allow_unknown_chunksizes=False):
    """Arrays in a row along an axis."""
    return _in_a_row(seq, axis, "concatenate", allow_unknown_chunksizes)


def stack(seq, axis=0, allow_unknown_chunksizes=False):
    """Arrays in a row along a new axis."""
    arrays = [asanyarray(x) for x in seq]
    if not arrays:
        raise ValueError("Need array(s) to stack")
    if len({x.shape for x in arrays}) > 1 and not allow_unknown_chunksizes:
        k = next(k for k, x in enumerate(arrays) if x.shape != arrays[0].shape)
        raise ValueError(f"Stacked arrays must have the same shape. The first array had shape {arrays[0].shape}, while array {k + 1} has shape {arrays[k].shape}.")  # fmt: skip
    axis = axis % (arrays[0].ndim + 1)
    return _in_a_row([expand(x, axis) for x in arrays], axis, "stack", allow_unknown_chunksizes)


def _grown(tup, ndim):
    if hasattr(tup, "dask"):
        name = {1: "hstack", 2: "vstack", 3: "dstack"}[ndim]
        raise NotImplementedError(f'"{name}" expects a sequence of arrays as the first argument')
    return [f[f"atleast_{ndim}d"](x) for x in tup]


f.rows("plain", {
    "vstack": lambda tup, **words: concatenate(_grown(tup, 2), 0, **words),
    "hstack": lambda tup, **words: (lambda arrays: concatenate(arrays, 0 if arrays[0].ndim == 1 else 1, **words))(
        _grown(tup, 1)),
    "dstack": lambda tup, **words: concatenate(_grown(tup, 3), 2, **words),
    "append": lambda arr, values, axis=None: concatenate([asanyarray(arr), asanyarray(values)], axis),
})  # fmt: skip


def block(arrays, allow_unknown_chunksizes=False):
    """Nested lists of arrays: the innermost lists are joined along the last axis."""

    def depth(x):
        if not isinstance(x, list):
            return 0
        depths = {depth(part) for part in x if not isinstance(part, tuple)} or {0}
        if len(depths) > 1:
            raise ValueError("List depths are mismatched: arrays of da.block lie in lists of one depth")
        return 1 + depths.pop()

    levels = depth(arrays)

    def join(x, level):
        if isinstance(x, tuple):
            raise TypeError("da.block: arrays are arranged by lists, and there is a tuple among them")
        if not isinstance(x, list):
            x = asanyarray(x)
            return reshape(x, (1,) * (levels - x.ndim) + x.shape) if x.ndim < levels else x
        if not x:
            raise ValueError("List at the innermost place cannot be empty: da.block joins the arrays in lists")
        return concatenate([join(part, level + 1) for part in x], axis=level - levels)

    return join(arrays, 0)


# ── stretched ─────────────────────────────────────────────────────────────────────────────


def broadcast_to(x, shape, chunks=None, meta=None):
    x = asanyarray(x)
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    if x.shape == shape and chunks is None:
        return x
    new = len(shape) - x.ndim
    if new < 0 or any(n not in (1, m) for n, m in zip(x.shape, shape[new:])):
        raise ValueError(f"cannot broadcast shape {x.shape} to shape {shape}")
    if chunks is None:
        own = (c if sum(c) != 1 or n == 1 else (n,) for c, n in zip(x.chunks, shape[new:]))
        chunks = *((n,) for n in shape[:new]), *own
    chunks = normalize_chunks(chunks, shape, dtype=x.dtype)
    x = x.rechunk(tuple(c if sum(own) != 1 else (1,) for c, own in zip(chunks[new:], x.chunks)))
    own = At(x, [-1 if sum(c) == 1 else k for k, c in enumerate(x.chunks, new)])
    return made("broadcast_to", chunks, x.dtype, (call, "broadcast_to", own, Each(chunks)))


@f.row("array")
def tile(A, reps):
    reps = (reps,) if isinstance(reps, numbers.Integral) else tuple(reps)
    if any(n < 0 for n in reps):
        raise ValueError("Negative `reps` are not allowed.")
    A = reshape(A, (1,) * (len(reps) - A.ndim) + A.shape) if len(reps) > A.ndim else A
    for axis, n in enumerate((1,) * (A.ndim - len(reps)) + reps):
        A = concatenate([A] * n, axis) if n > 1 else A if n else A[along(axis, slice(0))]
    return A


# ── taken in an order ─────────────────────────────────────────────────────────────────────


@f.row("array")
def roll(array, shift, axis=None):
    if axis is None:
        if np.ndim(shift):
            raise TypeError("Expect `shift` to be an instance of Integral when `axis` is None.")
        return reshape(roll(array.ravel(), shift, 0), array.shape)
    if len(axes_in(shift)) != len(axes_in(axis)):
        raise ValueError("Must have the same number of shifts as axes.")
    for s, a in zip(axes_in(shift), axes_in(axis)):
        a = axis_in(a, array.ndim)
        s = -s % array.shape[a] if array.shape[a] else 0
        if s:
            before, after = (along(a, part) for part in (slice(s, None), slice(None, s)))
            array = concatenate([array[before], array[after]], a)
    return array


@f.row("array")
def take(a, indices, axis=0):
    if isinstance(indices, (numbers.Integral, Array)):
        return a[along(axis_in(axis, a.ndim), indices)]
    return _take(a, np.asarray(indices), axis_in(axis, a.ndim))


def _flat(a, axis):
    return (a.ravel(), 0) if axis is None else (a, axis_in(axis, a.ndim))


def _taken_as(function, a, axis, *args):
    """What NumPy's function makes of the numbers of an axis' elements says which of them are taken."""
    a, axis = _flat(a, axis)
    return _take(a, function(np.arange(a.shape[axis]), *args), axis)


f.rows("array", {
    "repeat": lambda a, repeats, axis=None: _taken_as(np.repeat, a, axis, repeats),
    "delete": lambda arr, obj, axis: _taken_as(np.delete, arr, axis, obj),
})  # fmt: skip


@f.row("array")
def insert(arr, obj, values, axis):
    """numpy.insert: what is put in lies behind the array, and all is taken in its order."""
    axis = axis_in(axis, arr.ndim)
    n, values = arr.shape[axis], asanyarray(values)
    at = np.arange(n)[obj] if isinstance(obj, slice) else np.asarray(obj)
    count = max(1, at.size) if at.ndim else 1
    if isinstance(obj, numbers.Integral) and values.ndim == arr.ndim:
        values = f.moveaxis(values, 0, axis)
        count = values.shape[axis]
    elif isinstance(obj, numbers.Integral) and values.ndim:
        values = expand(values, axis)
    values = broadcast_to(values, at_axis(arr.shape, axis, count)).astype(arr.dtype)
    order = np.insert(np.arange(n), at if isinstance(obj, slice) else obj, np.arange(n, n + count))
    return _take(concatenate([arr, values], axis), order, axis)


@f.row("plain")
def compress(condition, a, axis=None):
    a, axis = _flat(asanyarray(a), axis)
    if isinstance(condition, Array) and condition.ndim == 1:
        return a[along(axis, slice(condition.shape[0]))][along(axis, condition.astype(bool))]
    condition = np.asarray(condition, np.bool_)
    if condition.ndim != 1:
        raise ValueError("Condition must be one dimensional")
    return _take(a, np.flatnonzero(condition), axis)


f.rows("arrays", {
    "extract": lambda condition, arr: compress(condition.ravel(), arr.ravel()),
    "broadcast_arrays": lambda *arrays, subok=False: tuple(
        broadcast_to(x, np.broadcast_shapes(*(a.shape for a in arrays))) for x in arrays),
})  # fmt: skip

__all__ = ["block", "broadcast_to", "concatenate", "stack"]
