"""Parts of arrays in chunks."""

import math
import numbers
import warnings

import numpy as np

import kasoku as ks
from kasoku import _core

from .. import config
from . import _chunks
from ._array import Array, At, Each, axis_in, made, method, one_chunk
from ._blockwise import map_blocks
from ._chunks import along, at_axis, call, is_unknown, numpys, ours, starts, unknown_help
from ._elementwise import elementwise
from ._rechunk import beside_unknown, cut, met_by_name, part_of
from ._sources import asanyarray


def _is_mask(index, x):
    """Whether the index is a mask of as many axes as x has."""
    return isinstance(index, (Array, np.ndarray, ks.Array)) and index.dtype == bool and index.ndim == x.ndim


def checked_places(i, n, axis):
    """Numbers of elements of an axis, or one; an IndexError where it has no such."""
    if np.size(i) and not is_unknown((n,)) and not -n <= np.min(i) <= np.max(i) < n:
        raise IndexError(f"Index {i} is out of bounds for axis {axis} with size {n}")
    return i


def getitem(x, index):
    if isinstance(index, str) or isinstance(index, list) and index and isinstance(index[0], str):
        dtype = x.dtype[index]  # of a field of records, or of records of some of the fields
        return made("getitem", x.chunks + one_chunk(dtype.shape), dtype.base, (part_of, At(x, range(x.ndim)), index))
    index = index if isinstance(index, tuple) else (index,)
    if len(index) == 1 and x.ndim and _is_mask(index[0], x):
        return _masked(x, asanyarray(index[0]))
    index = _filled_up(index, x.ndim)
    if any(isinstance(i, Array) for i in index):
        return _by_arrays(x, index)
    lengths = iter(x.shape)
    index = [None if i is None else _plain(i, next(lengths)) for i in index]
    news = [k for k, i in enumerate(i for i in index if not isinstance(i, numbers.Integral)) if i is None]
    index = [i for i in index if i is not None]
    many = [axis for axis, i in enumerate(index) if isinstance(i, np.ndarray)]
    if len(many) > 1:
        raise NotImplementedError("Don't yet support nd fancy indexing")
    for axis, i in enumerate(index):
        if isinstance(i, numbers.Integral):
            checked_places(i, x.shape[axis], axis)
    x = _sliced(x, [slice(None) if isinstance(i, np.ndarray) else i for i in index])
    for axis in many:
        x = take(x, index[axis], axis - sum(isinstance(i, numbers.Integral) for i in index[:axis]))
    for at in news:
        x = expand(x, at)
    return x


Array.__getitem__, Array.__setitem__ = getitem, lambda x, index, value: x._become(assigned(x, index, value))


def _by_arrays(x, index):
    """Arrays in chunks among the index, which are computed when the result is: masks, and numbers."""
    arrays = [i for i in index if isinstance(i, Array)]
    if sum(i.ndim for i in arrays) > 1 or any(isinstance(i, (list, np.ndarray)) for i in index):
        raise NotImplementedError("Don't yet support nd fancy indexing")
    x = getitem(x, tuple(slice(None) if isinstance(i, Array) else i for i in index))
    at = 0
    for i in index:
        if isinstance(i, Array):
            x = _masked_along(x, i, at) if i.dtype == bool else _chosen_along(x, i, at)
        at += not isinstance(i, numbers.Integral) and not (isinstance(i, Array) and not i.ndim)
    return x


def _chosen_along(x, i, axis):
    """Elements of an axis by numbers that are not known yet; a single number takes the axis away."""
    if i.dtype.kind not in "iu":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {i.dtype}")
    own = [*range(axis), -1, *range(axis + i.ndim, x.ndim + i.ndim - 1)]
    blocks = At(x, own, at_axis([None] * x.ndim, axis, [list(range(len(x.chunks[axis])))]))
    where = At(i, range(axis, axis + i.ndim))
    return made("getitem", at_axis(x.chunks, axis, *i.chunks), x.dtype, (_taken, blocks, where, axis))


def _filled_up(index, ndim):
    """The index with a slice for each axis that it leaves out."""
    full, used = list(index), sum(i is not Ellipsis and i is not None for i in index)
    if used > ndim:
        raise IndexError(f"Too many indices for array: {used} for {ndim} axes")
    at = next((k for k, i in enumerate(full) if i is Ellipsis), len(full))
    full[at : at + 1] = [slice(None)] * (ndim - used)
    return full


def _plain(i, length):
    """A part of an index as NumPy has it; a mask is as long as its axis."""
    if isinstance(i, (ks.Array, list)):
        i = np.asarray(i) if not isinstance(i, list) or i else np.asarray(i, int)
    if isinstance(i, np.ndarray):
        if i.ndim == 0:
            return i.item()
        if i.ndim > 1:
            raise NotImplementedError("Don't yet support nd fancy indexing")
        if i.dtype == bool and i.size != length:
            raise IndexError(f"Boolean array with size {i.size} is not long enough for axis with size {length}")
        if i.size and i.dtype.kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {i.dtype}")
        return np.flatnonzero(i) if i.dtype == bool else i
    if isinstance(i, numbers.Integral):
        return int(i)
    if isinstance(i, slice) and any(isinstance(k, float) for k in (i.start, i.stop, i.step)):
        raise IndexError(f"slice indices must be integers, not {i}")
    if not (i is None or i is Ellipsis or isinstance(i, slice)):
        raise IndexError(f"Bad index.  Must be integer-like: {i!r}")
    return i


def _sliced(x, index):
    """Slices and numbers, one for each axis."""
    if all(isinstance(i, slice) and (i == slice(None) or not is_unknown(c) and i.indices(sum(c)) == (0, sum(c), 1)) for i, c in zip(index, x.chunks)):  # fmt: skip
        return x
    unknown = list(map(is_unknown, x.chunks))
    if any(unknown):
        if any(is_so and i != slice(None) for i, is_so in zip(index, unknown)):
            raise ValueError(f"Arrays chunk sizes are unknown: {x.shape}{unknown_help}")
        kept = [k for k, i in enumerate(index) if not isinstance(i, numbers.Integral)]
        return beside_unknown(x, lambda y: _sliced(y, index), kept)
    pieces, steps, chunks, turned = [], [], [], []
    for i, axis in zip(index, x.chunks):
        n = sum(axis)
        if isinstance(i, numbers.Integral):
            i = int(i) % n
            pieces.append([(i, i + 1)])
            steps.append(0)
            continue
        start, stop, step = i.indices(n)
        if step < 0:  # the same elements, forwards, and then turned
            count = len(range(start, stop, step))
            start, stop, step = start + (count - 1) * step, start + 1, -step
            start, stop = (start, stop) if count else (0, 0)
            turned.append(len(chunks))
        found, lengths = _core._chunks.sliced(axis, start, stop, step)
        pieces.append(found)
        steps.append(step)
        chunks.append(lengths)
    part = cut(x, pieces, tuple(chunks), "getitem", steps)
    for axis in turned:
        part = flip(part, axis)
    return part


def expand(x, axis):
    chunks = (*x.chunks[:axis], (1,), *x.chunks[axis:])
    own = At(x, at_axis(range(x.ndim + 1), axis))
    return made("expand_dims", chunks, x.dtype, (call, "expand_dims", own, axis))


def flip(x, axis):
    turned = chosen_along(x, axis, list(range(len(x.chunks[axis])))[::-1])
    return made("flip", at_axis(x.chunks, axis, x.chunks[axis][::-1]), x.dtype, (call, "flip", turned, axis))


@method
def shuffle(x, indexer, axis, chunks="auto"):
    """Groups of elements of an axis, lists of their numbers, one after the other. A group is in one chunk, which takes as many
    as keep it at the length that chunks had; for a longer group chunks are cut along the other axes."""
    if is_unknown(x.shape):
        raise ValueError(f"Shuffling only allowed with known chunk sizes.{unknown_help}")
    axis, before = axis_in(axis, x.ndim), x.chunks
    if not isinstance(indexer, list) or not all(isinstance(group, (list, np.ndarray)) for group in indexer):
        raise ValueError("indexer must be a list of lists of positional indices")
    groups = [np.asarray(group, np.int64) for group in indexer]
    order = np.concatenate(groups) if groups else np.empty(0, np.int64)
    if order.size and not 0 <= order.min() <= order.max() < x.shape[axis]:
        raise IndexError(f"Indexer contains out of bounds index. Dimension only has {x.shape[axis]} elements.")
    tolerance, others = config.get("array.chunk-size-tolerance", 1.25), [k for k in range(x.ndim) if k != axis]
    if (growth := max(map(len, groups), default=0) / max(1, *x.chunks[axis])) > 1 and others:
        room = {k: max(x.chunks[k]) / growth ** (1 / len(others)) for k in others}
        x = x.rechunk({k: tuple(m for c in x.chunks[k] for m in _evenly(c, n, tolerance)) for k, n in room.items()})
    length = int(sum(before[axis]) / len(before[axis]) * tolerance)
    lengths = _core._chunks.gathered([len(group) for group in groups], length)
    if lengths == before[axis] and x.chunks == before and np.array_equal(order, np.arange(x.shape[axis])):
        return x
    return take(x, order, axis, lengths)


def _evenly(length, room, tolerance):
    """A chunk in parts for which there is room."""
    parts = min(length, math.ceil(length / room)) if length > tolerance * room else 1
    return _core._chunks.evenly(length, parts)


def chosen_along(x, axis, chosen):
    """Among a task's arguments the chunk of x at the place, along one axis that, or the list of those, that are chosen."""
    return At(x, range(x.ndim), at_axis([None] * x.ndim, axis, chosen))


def take(x, indices, axis, lengths=None):
    """Elements of an axis by their numbers, in this order. lengths: those of the chunks, if they are not as long as before."""
    n = x.shape[axis]
    indices = np.asarray(indices, dtype=np.int64)
    if is_unknown(x.chunks[axis]):
        if len(x.chunks[axis]) > 1:
            raise ValueError(f"Array chunk size or shape is unknown. shape: {x.shape}{unknown_help}")
        chunks = at_axis(x.chunks, axis, (len(indices),))
        return made("take", chunks, x.dtype, (call, "take", x, indices, axis))
    checked_places(indices, n, axis)
    indices = np.where(indices < 0, indices + n, indices)
    ends = starts(x.chunks[axis])
    size = max(1, max(x.chunks[axis], default=1))
    cuts = starts(lengths)[1:-1] if lengths else range(size, len(indices), size)
    groups = np.split(indices, cuts)
    chunks = at_axis(x.chunks, axis, tuple(len(g) for g in groups))
    chosen, where = [], []
    for group in groups:
        chunk = np.searchsorted(ends, group, side="right") - 1
        needed = np.unique(chunk) if len(group) else np.zeros(1, np.int64)
        begins = starts(np.take(x.chunks[axis], needed))  # in these chunks put together
        chosen.append(needed.tolist())
        where.append(group + (np.take(begins, np.searchsorted(needed, chunk)) - np.take(ends, chunk)))
    blocks = chosen_along(x, axis, chosen)
    return made("take", chunks, x.dtype, (_taken, blocks, Each(where, axis), axis), token=[indices, axis, lengths])


def _taken(blocks, where, axis):
    return call("take", _chunks.joined(blocks, axis), numpys(where).astype(np.int64, copy=False), axis=axis)


def _masked(x, mask):
    """x[mask] of a mask of x's shape: how many elements a chunk has left is known when it is computed."""
    if x.shape != mask.shape and not is_unknown((*x.shape, *mask.shape)):
        raise IndexError(f"boolean index of shape {mask.shape} did not match the array of shape {x.shape}")
    if x.ndim > 1 and is_unknown((*x.shape, *mask.shape)):
        warnings.warn("When slicing a Dask array of unknown chunks with a boolean mask Dask array, the output array may have a different ordering compared to the equivalent NumPy operation", stacklevel=3)  # fmt: skip
    return _masked_along(x, mask, 0) if x.ndim == 1 else _masked_along(x.ravel(), mask.ravel(), 0)


def _masked_along(x, mask, axis):
    """x[:, mask] of a mask that is not known yet."""
    n = x.shape[axis]
    if not mask.ndim or mask.shape[0] != n and not is_unknown((*mask.shape, n)):
        raise IndexError(f"Boolean array with size {mask.size} is not long enough for axis {axis} with size {n}")
    _, (x, mask) = met_by_name([(x, range(x.ndim)), (mask, [axis])])
    chunks = at_axis(x.chunks, axis, (np.nan,) * len(x.chunks[axis]))
    return made("getitem", chunks, x.dtype, (_kept, x, At(mask, [axis]), axis))


def _kept(x, mask, axis):
    return ours(numpys(x)[along(axis, numpys(mask))])


def assigned(x, index, value):
    """The array after x[index] = value."""
    if isinstance(getattr(value, "_meta", value), np.ma.MaskedArray) and not isinstance(x._meta, np.ma.MaskedArray):
        x = map_blocks(np.ma.asanyarray, x, dtype=x.dtype, meta=np.ma.empty(0))
    if value is np.ma.masked:
        value = np.ma.masked_array(0, mask=True)  # which is a number with a mask
    elif isinstance(value, (ks.Array, list, tuple, range)) or isinstance(value, np.ndarray) and not value.ndim:
        value = np.asarray(value)[()]
    if x.dtype.kind in "iu" and isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"cannot convert float {'NaN' if math.isnan(value) else 'infinity'} to integer")
    if isinstance(index, Array) and index.dtype.kind not in "iub":
        index = index.astype(bool)  # a mask, as in Dask
    if _is_mask(index, x):
        if np.ndim(value) > 1:
            raise ValueError(f"a mask chooses elements in a row, which are not of shape {value.shape}")
        if index.shape != x.shape and not any(map(math.isnan, (*index.shape, *x.shape))):
            raise IndexError(f"Boolean index of shape {index.shape} does not match the array's shape {x.shape}")
        if not np.ndim(value):
            return elementwise("where", asanyarray(index), value, x).astype(x.dtype)
        if index.ndim != 1:
            flat = assigned(x.ravel(), asanyarray(index).ravel(), value)
            return flat.reshape(x.shape).rechunk(x.chunks)
    places, shape = _places(index if isinstance(index, tuple) else (index,), x.shape)
    kept = [n for n in shape if n is not None]
    if np.ndim(value):
        extra = max(0, value.ndim - len(kept))
        if any(n not in (1, m) for n, m in zip(value.shape[::-1], kept[::-1])) or any(n != 1 for n in value.shape[:extra]):  # fmt: skip
            raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {tuple(kept)}")
        # The axes that numbers take away are there again, each of length 1.
        lengths = iter([*[1] * (len(kept) - value.ndim), *value.shape[extra:]])
        value = value.reshape([1 if n is None else next(lengths) for n in shape])
    return _with(x, places, value)


def _places(index, shape):
    """Of each axis the places that the index names, and how many they are; None for a number, whose axis goes."""
    if any(i is None for i in index):
        raise IndexError("dask.array: an assignment takes no new axes")
    if any(isinstance(i, bool) or np.ndim(i) == 0 and getattr(i, "dtype", None) == np.bool_ for i in index):
        raise NotImplementedError("dask.array: an assignment takes no index that is one truth value")
    if any(np.ndim(i) > 1 for i in index):
        raise IndexError("dask.array: an assignment takes no index of several axes, but a mask of the array's shape")
    if is_unknown(shape):
        raise ValueError(f"Arrays chunk sizes are unknown: {shape}{unknown_help}")
    full = [_plain(i.compute() if isinstance(i, Array) else i, n) for i, n in zip(_filled_up(index, len(shape)), shape)]
    if sum(isinstance(i, np.ndarray) for i in full) > 1:
        raise NotImplementedError("dask.array: an assignment takes a list or a mask along one axis, or a mask of the array's shape")  # fmt: skip
    found = []
    for axis, (i, n) in enumerate(zip(full, shape)):
        where = np.arange(n)[i] if isinstance(i, slice) else np.atleast_1d(checked_places(i, n, axis)).astype(np.int64)
        found.append(where % n if n else where)
    return found, [None if isinstance(i, numbers.Integral) else len(where) for i, where in zip(full, found)]


def _with(x, places, value):
    """Chunk by chunk, with those of the places that lie in each, and their part of the value."""
    value = value.rechunk(-1) if isinstance(value, Array) else value
    inside, parts = [], []
    for axis, at in enumerate(places):
        ends = starts(x.chunks[axis])
        chosen = [(at >= lo) & (at < hi) for lo, hi in zip(ends, ends[1:])]
        inside.append([at[each] - lo for each, lo in zip(chosen, ends)])
        is_one = np.ndim(value) and value.shape[axis] == 1
        parts.append([np.zeros(1, np.int64) if is_one else np.flatnonzero(each) for each in chosen])
    return made("setitem", x.chunks, x.dtype, (_set, x, Each(inside), value, Each(parts)), token=[places, value])


def _set(x, index, value, parts):
    """parts: the places along each axis of the value, if it has any."""
    if not all(map(len, index)):
        return x
    new = np.array(numpys(x), subok=True)
    value = numpys(value) if isinstance(value, ks.Array) else value
    new[np.ix_(*index)] = value[np.ix_(*parts)] if np.ndim(value) else value
    return ours(new)
