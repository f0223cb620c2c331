"""Parts of arrays in chunks."""

import math
import numbers

import numpy as np

import kasoku as ks

from .._task_spec import List
from . import _chunks
from ._chunks import call, numpys, ours, starts
from ._core import Array, _same, asarray, cut, elementwise, made, unify_chunks


def getitem(x, index):
    index = index if isinstance(index, tuple) else (index,)
    if (
        len(index) == 1
        and isinstance(index[0], (Array, np.ndarray, ks.Array))
        and index[0].dtype == bool
        and index[0].ndim == x.ndim
        and x.ndim
    ):
        return _masked(x, asarray(index[0]))
    index = [_plain(i) for i in index]
    used = sum(1 for i in index if i is not None and i is not Ellipsis)
    if used > x.ndim:
        raise IndexError(f"Too many indices for array: {used} for {x.ndim} axes")
    if Ellipsis in [i if i is Ellipsis else None for i in index]:
        at = next(k for k, i in enumerate(index) if i is Ellipsis)
        index[at : at + 1] = [slice(None)] * (x.ndim - used)
    else:
        index += [slice(None)] * (x.ndim - used)
    news = [k for k, i in enumerate(i for i in index if not isinstance(i, numbers.Integral)) if i is None]
    index = [i for i in index if i is not None]
    many = [axis for axis, i in enumerate(index) if isinstance(i, np.ndarray)]
    if len(many) > 1:
        raise NotImplementedError("Don't yet support nd fancy indexing")
    for axis, i in enumerate(index):
        if isinstance(i, numbers.Integral) and not -x.shape[axis] <= i < x.shape[axis]:
            raise IndexError(f"Index {i} is out of bounds for axis {axis} with size {x.shape[axis]}")
    whole = [slice(None) if isinstance(i, np.ndarray) else i for i in index]
    x = _sliced(x, whole)
    if many:
        (axis,) = many
        place = axis - sum(isinstance(i, numbers.Integral) for i in index[:axis])
        x = take(x, index[axis], place)
    for at in news:
        x = expand(x, at)
    return x


def _plain(i):
    if isinstance(i, Array):
        i = i.compute()
    if isinstance(i, (ks.Array, list)):
        i = np.asarray(i) if not isinstance(i, list) or i else np.asarray(i, int)
    if isinstance(i, np.ndarray):
        if i.ndim == 0:
            return i.item()
        if i.ndim > 1:
            raise NotImplementedError("Don't yet support nd fancy indexing")
        return np.flatnonzero(i) if i.dtype == bool else i
    return int(i) if isinstance(i, numbers.Integral) else i


def _sliced(x, index):
    """Slices and numbers, one for each axis."""
    if all(i == slice(None) for i in index):
        return x
    pieces, steps, chunks, turned = [], [], [], []
    for i, axis in zip(index, x.chunks):
        n = sum(axis)
        if isinstance(i, numbers.Integral):
            i = int(i) % n
            pieces.append([(i, i + 1)])
            steps.append(0)
            continue
        start, stop, step = i.indices(n) if not math.isnan(n) else (0, n, 1)
        if math.isnan(n):
            where = "" if i != slice(None) else " along another axis"
            raise ValueError(f"Arrays chunk sizes are unknown{where}: compute_chunk_sizes() finds them")
        if step < 0:  # the same elements, forwards, and then turned
            count = len(range(start, stop, step))
            start, stop, step = start + (count - 1) * step, start + 1, -step
            start, stop = (start, stop) if count else (0, 0)
            turned.append(len(chunks))
        ends = starts(axis)
        found, lengths = [], []
        for lo, hi in zip(ends, ends[1:]):
            first = max(start, lo)
            first += -(first - start) % step
            last = min(stop, hi)
            if first < last:
                found.append((first, last))
                lengths.append(len(range(first, last, step)))
        pieces.append(found or [(0, 0)])
        steps.append(step)
        chunks.append(tuple(lengths) or (0,))
    part = cut(x, pieces, tuple(chunks), "getitem", steps)
    for axis in turned:
        part = flip(part, axis)
    return part


def expand(x, axis):
    chunks = (*x.chunks[:axis], (1,), *x.chunks[axis:])
    return made("expand_dims", chunks, x.dtype,
                lambda p: (call, "expand_dims", x.ref((*p[:axis], *p[axis + 1 :])), axis), [x], axis)  # fmt: skip


def flip(x, axis):
    last = len(x.chunks[axis]) - 1
    chunks = (*x.chunks[:axis], x.chunks[axis][::-1], *x.chunks[axis + 1 :])
    return made("flip", chunks, x.dtype,
                lambda p: (call, "flip", x.ref((*p[:axis], last - p[axis], *p[axis + 1 :])), axis), [x], axis)  # fmt: skip


def take(x, indices, axis):
    """Elements of an axis by their numbers, in this order."""
    n = x.shape[axis]
    indices = np.asarray(indices, dtype=np.int64)
    if indices.size and (indices.min() < -n or indices.max() >= n):
        raise IndexError(f"Index is out of bounds for axis {axis} with size {n}")
    indices = np.where(indices < 0, indices + n, indices)
    ends = starts(x.chunks[axis])
    size = max(1, max(x.chunks[axis], default=1))
    groups = [indices[k : k + size] for k in range(0, len(indices), size)] or [indices]
    chunks = (*x.chunks[:axis], tuple(len(g) for g in groups), *x.chunks[axis + 1 :])

    def task_of(place):
        group = groups[place[axis]]
        chunk = np.searchsorted(ends, group, side="right") - 1
        needed = sorted(set(chunk.tolist())) or [0]
        at, base = {}, 0
        for k in needed:
            at[k] = base - ends[k]
            base += x.chunks[axis][k]
        where = np.array([at[k] for k in chunk.tolist()], np.int64) + group if len(group) else group
        blocks = List._of([x.ref((*place[:axis], k, *place[axis + 1 :])) for k in needed])
        return _taken, blocks, where, axis

    return made("take", chunks, x.dtype, task_of, [x], [indices, axis])


def _taken(blocks, where, axis):
    return call("take", _chunks.joined(blocks, axis), where, axis=axis)


def _masked(x, mask):
    """x[mask] of a mask of x's shape: how many elements a chunk has left is known when it is computed."""
    if x.ndim > 1:
        x, mask = x.ravel(), mask.ravel()
    _, (x, mask) = unify_chunks(x, mask)
    chunks = ((math.nan,) * len(x.chunks[0]),)
    return made("getitem", chunks, x.dtype, lambda p: (_kept, x.ref(p), mask.ref(p)), [x, mask])


def _kept(x, mask):
    return ours(numpys(x)[numpys(mask)])


def assigned(x, index, value):
    """What x is after x[index] = value."""
    value = asarray(value) if isinstance(value, (np.ndarray, ks.Array, list)) and np.ndim(value) else value
    if isinstance(index, (Array, np.ndarray)) and index.dtype == bool and index.ndim == x.ndim:
        new = elementwise("where", asarray(index), value, x)
        return new.astype(x.dtype)
    index = index if isinstance(index, tuple) else (index,)
    if any(i is None or isinstance(i, (Array, list, np.ndarray)) for i in index):
        raise NotImplementedError("dask.array: assignment takes slices, numbers and masks of the array's shape")
    x = x.copy()
    if not isinstance(value, Array):
        return _with(x, index, value)
    return _with(x.rechunk(-1), index, value.rechunk(-1) if value.ndim else value)


def _with(x, index, value):
    """Chunk by chunk, with the part of the index that lies in each; of an array as the value x is one chunk."""
    if isinstance(value, Array):
        key = value.ref((0,) * value.ndim)
        return made("setitem", x.chunks, x.dtype, lambda p: (_set, x.ref(p), index, key), [x, value], _spoken(index))
    full = [i for i in index]
    if Ellipsis in full:
        at = full.index(Ellipsis)
        full[at : at + 1] = [slice(None)] * (x.ndim - len(full) + 1)
    full += [slice(None)] * (x.ndim - len(full))
    numbers_of = [
        np.arange(n)[i if not isinstance(i, numbers.Integral) else slice(i % n, i % n + 1)]
        for i, n in zip(full, x.shape)
    ]
    ends = [starts(axis) for axis in x.chunks]

    def task_of(place):
        inside = []
        for at, e, i in zip(numbers_of, ends, place):
            inside.append(at[(at >= e[i]) & (at < e[i + 1])] - e[i])
        if not all(len(i) for i in inside):
            return _same, x.ref(place)
        return _set, x.ref(place), np.ix_(*inside), value

    return made("setitem", x.chunks, x.dtype, task_of, [x], [_spoken(index), value])


def _spoken(index):
    return [repr(i) for i in index]


def _set(x, index, value):
    new = np.array(numpys(x))
    new[index] = numpys(value) if isinstance(value, ks.Array) else value
    return ours(new)
