"""Arrays in chunks in another shape: runs of axes become others, and only chunks of the same run move."""

import itertools
import math
import numbers

import numpy as np

from kasoku import _core

from ..utils import parse_bytes
from ._array import Array, At, grid, made, one_chunk
from ._chunks import call, is_unknown, unknown_help


def reshape(x, shape, merge_chunks=True, limit=None):
    """The elements in C order in another shape. merge_chunks: axes that become one are put together in chunks that are not
    larger than before, else their chunks are cut until they lie in order. limit: how many bytes a chunk has at most."""
    shape = [shape] if isinstance(shape, numbers.Integral) else list(shape)
    if shape.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    unknown = is_unknown(x.shape)
    if unknown and shape == [-1]:
        return x if x.ndim == 1 else _flat(x)
    if -1 in shape:
        known = [n for n in shape if n != -1]
        if sum(map(math.isnan, x.shape)) == 1 and sorted(known) == sorted(n for n in x.shape if not math.isnan(n)):
            shape[shape.index(-1)] = np.nan
        elif not unknown:
            rest = math.prod(known)
            shape[shape.index(-1)] = x.size // rest if rest else 0
    if unknown and [math.isnan(n) for n in shape] != [math.isnan(n) for n in x.shape]:
        raise ValueError(f"Array chunk size or shape is unknown. shape: {x.shape}{unknown_help}")
    shape = tuple(n if isinstance(n, float) and math.isnan(n) else int(n) for n in shape)
    if not unknown and math.prod(shape) != x.size:
        raise ValueError(f"cannot reshape array of size {x.size} into shape {shape}")
    if shape == x.shape:
        return x
    if not unknown and (not x.size or x.npartitions == 1):
        return _at_once(x, shape)
    room = parse_bytes(limit) // x.itemsize if limit is not None else math.inf
    old, new = ([-1 if is_unknown((n,)) else n for n in each] for each in (x.shape, shape))
    own = [() if is_unknown(c) else c for c in x.chunks]
    runs, before, after = _core._chunks.reshaping(old, new, own, room, merge_chunks)
    for old, new in runs:
        if len(old) == len(new) == 1:
            before[old[0]] = after[new[0]] = x.chunks[old[0]]
    x = x.rechunk(tuple(before))

    # The chunks of a run are as many before and after, in C order; runs are in the order of the axes.
    moved = [dict(zip(grid([after[k] for k in new]), grid([before[k] for k in old]))) for old, new in runs]

    def task_of(place):
        own = (place[new[0] : new[-1] + 1] if new else () for _, new in runs)
        at = itertools.chain.from_iterable(to[run] for to, run in zip(moved, own))
        lengths = tuple(after[k][i] for k, i in enumerate(place))
        if is_unknown(lengths):
            lengths = tuple(-1 if is_unknown((n,)) else n for n in lengths)
        return call, "reshape", x.ref(tuple(at)), lengths

    return made("reshape", tuple(after), x.dtype, task_of, [x], [shape, merge_chunks, limit])


def _at_once(x, shape):
    """Of an array of one chunk, or without elements, which any of its chunks shows."""
    return made("reshape", one_chunk(shape), x.dtype, (_as_whole, At(x, [-1] * x.ndim), shape))


def _as_whole(x, shape):
    x = x if math.prod(shape) else x[tuple(slice(0, 0 if not k else None) for k in range(x.ndim))]
    return call("reshape", x, shape)


def _flat(x):
    """The chunks' elements one after the other: how many, and in which order, the chunks say."""
    chunks = ((np.nan,) * x.npartitions,)
    places = list(grid(x.chunks))
    return made("reshape", chunks, x.dtype, lambda p: (call, "reshape", x.ref(places[p[0]]), (-1,)), [x], "flat")


def _reshaped(x, *shape, merge_chunks=True, limit=None):
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], numbers.Integral) else shape
    return reshape(x, shape, merge_chunks, limit)


Array.reshape = _reshaped
Array.ravel = Array.flatten = lambda x: x if x.ndim == 1 else reshape(x, -1)
