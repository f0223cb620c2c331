"""Arrays in chunks in another shape: runs of axes become others, and only chunks of the same run move."""

import itertools
import math
import numbers

import numpy as np

from ..utils import parse_bytes
from ._array import Array, made, one_chunk
from ._chunks import call, evenly, is_unknown, starts, unknown_help


def _runs(old, new):
    """Runs of axes that become each other: [(axes of the old shape, axes of the new one)]; as short as they can be."""
    found, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        before, after, left, right = [i][: len(old) - i], [j][: len(new) - j], 1, 1
        if len(before) and len(after) and (old[i] == new[j] or is_unknown((old[i],)) and is_unknown((new[j],))):
            left = right = 0
        else:
            left, right = math.prod(old[k] for k in before), math.prod(new[k] for k in after)
        i, j = i + len(before), j + len(after)
        while left != right:
            if left < right:
                left, before, i = left * old[i], [*before, i], i + 1
            else:
                right, after, j = right * new[j], [*after, j], j + 1
        found.append((before, after))
    return found


def _in_order(shape, chunks, limit):
    """Chunks that are runs in C order, of about so many elements at most: ones along the first axes, pieces of the chunks along one,
    all of the others."""
    ones = []
    for k, n in enumerate(shape):
        rest = math.prod(shape[k + 1 :])
        if rest <= limit or k == len(shape) - 1:
            own = (n,) if ones else chunks[k]  # behind ones the chunks' ends do not help
            pieces = tuple(m for c in own for m in evenly(c, min(max(1, c), math.ceil(c * rest / limit) or 1))[::-1])
            return [*ones, pieces, *((m,) for m in shape[k + 1 :])]
        ones.append((1,) * n)
    return ones


def _lengths(chunks):
    """How many elements are in each of the chunks of a grid, in C order."""
    return tuple(map(math.prod, itertools.product(*chunks)))


def _planned(old, new, chunks, limit, merges):
    """The chunks of a run of axes before and after."""
    if not new or not old:  # axes of length 1 that come or go
        return [(1,)] * len(old), [(1,)] * len(new)
    size = min(limit, math.prod(max(c) for c in chunks))
    if len(new) == 1:
        before = _in_order(old, chunks, size) if merges else [*((1,) * n for n in old[:-1]), chunks[-1]]
        return before, [_lengths(before)]
    if len(old) == 1:
        rest = max(1, math.prod(new[1:]))
        ends = sorted({end // rest for end in starts(chunks[0])} | {new[0]})
        first = tuple(b - a for a, b in zip(ends, ends[1:])) or (0,)
        after = _in_order(new, [first, *((n,) for n in new[1:])], size)
        return [_lengths(after)], after
    mine, theirs = math.prod(old[1:]), math.prod(new[1:])
    ends = [end for end in starts(chunks[0]) if end * mine % theirs == 0]
    rows = tuple(b - a for a, b in zip(ends, ends[1:]))
    return [rows, *((n,) for n in old[1:])], [tuple(n * mine // theirs for n in rows), *((n,) for n in new[1:])]


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
    before, after, runs = list(x.chunks), [None] * len(shape), _runs(x.shape, shape)
    for old, new in runs:
        if len(old) == len(new) == 1:
            after[new[0]] = x.chunks[old[0]]
            continue
        planned = _planned(
            [x.shape[k] for k in old], [shape[k] for k in new], [x.chunks[k] for k in old], room, merge_chunks
        )
        for axes, chunks, into in ((old, planned[0], before), (new, planned[1], after)):
            for axis, lengths in zip(axes, chunks):
                into[axis] = lengths
    x = x.rechunk(tuple(before))

    def task_of(place):
        at = [0] * x.ndim
        for old, new in runs:  # the chunks of a run are as many before and after, in C order
            flat = np.ravel_multi_index([place[k] for k in new], [len(after[k]) for k in new]) if new else 0
            for axis, i in zip(old, np.unravel_index(flat, [len(before[k]) for k in old]) if old else ()):
                at[axis] = int(i)
        lengths = tuple(after[k][i] for k, i in enumerate(place))
        if is_unknown(lengths):
            lengths = tuple(-1 if is_unknown((n,)) else n for n in lengths)
        return call, "reshape", x.ref(tuple(at)), lengths

    return made("reshape", tuple(after), x.dtype, task_of, [x], [shape, merge_chunks, limit])


def _at_once(x, shape):
    """Of an array of one chunk, or without elements, which any of its chunks shows."""
    return made("reshape", one_chunk(shape), x.dtype, lambda p: (_as_whole, x.ref((0,) * x.ndim), shape), [x], shape)


def _as_whole(x, shape):
    x = x if math.prod(shape) else x[tuple(slice(0, 0 if not k else None) for k in range(x.ndim))]
    return call("reshape", x, shape)


def _flat(x):
    """The chunks' elements one after the other: how many, and in which order, the chunks say."""
    chunks = ((np.nan,) * x.npartitions,)
    places = list(itertools.product(*map(range, x.numblocks)))
    return made("reshape", chunks, x.dtype, lambda p: (call, "reshape", x.ref(places[p[0]]), (-1,)), [x], "flat")


def _reshaped(x, *shape, merge_chunks=True, limit=None):
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], numbers.Integral) else shape
    return reshape(x, shape, merge_chunks, limit)


Array.reshape = _reshaped
Array.ravel = Array.flatten = lambda x: x if x.ndim == 1 else reshape(x, -1)
