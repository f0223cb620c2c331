"""Arrays in other chunks: cut, put together, chosen, and as several arrays have them in common."""

import contextlib
import itertools
import math
import warnings

import numpy as np

import kasoku as ks
from kasoku import _core

from .. import _installed
from . import _chunks
from ._array import Array, At, Each, axis_in, grid, made, method
from ._chunks import is_foreign, is_unknown, met, normalize_chunks, ours, starts, unknown_help


@method
def rechunk(x, chunks="auto", threshold=None, block_size_limit=None, balance=False, method=None):
    """The array in other chunks."""
    if x.ndim and not any(x.shape):
        return x
    if isinstance(chunks, dict):
        chunks = {axis_in(axis, x.ndim): c for axis, c in chunks.items()}
        chunks = [x.chunks[axis] if chunks.get(axis) is None else chunks[axis] for axis in range(x.ndim)]
    elif isinstance(chunks, (tuple, list)):
        chunks = [own if c is None else c for c, own in zip(chunks, x.chunks)]  # Dask reads no more than there are axes
    chunks = normalize_chunks(chunks, x.shape, block_size_limit, x.dtype, x.chunks)
    chunks = tuple(map(_chunks.balanced, chunks)) if balance else chunks
    if all(map(_alike, chunks, x.chunks)):
        return x
    if any(map(is_unknown, (*chunks, *x.chunks))):
        if any(is_unknown((*a, *b)) and not _alike(a, b) for a, b in zip(chunks, x.chunks)):
            raise ValueError(f"Arrays' chunk sizes are unknown along an axis that is to be rechunked.{unknown_help}")
        told = [None if is_unknown(c) else c for c in chunks]
        return beside_unknown(x, lambda x: x.rechunk(told), range(x.ndim))
    steps = [chunks]
    if math.prod(len(a) + len(b) for a, b in zip(chunks, x.chunks) if a != b) > 100_000:
        with contextlib.suppress(AttributeError):  # Dask's plan of chunks in between, where it is installed
            plan = _installed.rest_of("array.rechunk")("plan_rechunk")
            steps = plan(x.chunks, chunks, x.itemsize, threshold, block_size_limit)
    for step in steps:
        x = cut(x, [list(zip(starts(axis), starts(axis)[1:])) for axis in step], step, "rechunk-merge")
    return x


def _alike(a, b):
    """Whether these are the same chunks, as far as one knows."""
    return len(a) == len(b) and all(n == m or is_unknown((n,)) and is_unknown((m,)) for n, m in zip(a, b))


_endless = 2**40  # no chunk is longer


def beside_unknown(x, f, kept):
    """f(x) that cuts along the axes whose lengths are known and takes all that the others have; `kept`: the axes that are
    there afterwards."""
    unknown = list(map(is_unknown, x.chunks))
    chunks = tuple((_endless,) * len(axis) if is_so else axis for axis, is_so in zip(x.chunks, unknown))
    part = f(Array(x.dask, x.name, chunks, x.dtype, x._meta))
    part._chunks = tuple(x.chunks[k] if unknown[k] else axis for axis, k in zip(part.chunks, kept))
    return part


# ── pieces ────────────────────────────────────────────────────────────────────────────────


def same(x):
    return x


def part_of(x, index):
    part = x[index]
    return part if isinstance(part, (ks.Array, np.ndarray)) or is_foreign(part) else ours(np.asarray(part))


def cut(x, pieces, chunks, word, steps=None):
    """An array whose chunks are pieces of x: for each axis the (begin, end) of each. steps: of each axis; 0 is one element,
    whose axis goes."""
    steps = steps or (1,) * x.ndim
    kept, own, chosen, indices = itertools.count(), [], [], []
    for each, axis, step in zip(pieces, x.chunks, steps):
        parts = _core._chunks.parts_of(axis, each)
        numbers = [[k for k, _, _ in part] for part in parts]
        within = [[slice(lo, hi, step) if step else lo for _, lo, hi in part] for part in parts]
        if all(len(part) == 1 for part in parts):
            numbers, within = ([part[0] for part in lists] for lists in (numbers, within))
        own.append(next(kept) if step else -1)
        chosen.append(numbers)
        indices.append(Each(within, own[-1]) if step else within[0])
    return made(word, chunks, x.dtype, (_pieced, At(x, own, chosen), *indices), token=[pieces, steps])


def _pieced(part, *indices, before=()):
    """What lies at the indices, one for each axis, of a chunk; where an index is a list, of a list of chunks along the axis."""
    axis = len(before)
    if axis == len(indices):
        return part_of(part, before)
    index = indices[axis]
    if not isinstance(index, list):
        return _pieced(part, *indices, before=(*before, index))
    return _chunks.joined([_pieced(p, *indices, before=(*before, i)) for p, i in zip(part, index)], axis)


class BlockView:
    def __init__(self, array):
        self._array = array

    __eq__ = lambda self, other: isinstance(other, BlockView) and self._array is other._array

    def __getitem__(self, index):
        x = self._array
        index = index if isinstance(index, tuple) else (index,)
        if any(i is None for i in index):
            raise ValueError("Slicing with np.newaxis or None is not supported")
        if sum(isinstance(i, (list, np.ndarray)) for i in index) > 1:
            raise ValueError(f"Can only slice with a single list\n  why  {index}")
        index += (slice(None),) * (x.ndim - len(index))
        kept = [np.atleast_1d(np.arange(len(axis))[i]) for axis, i in zip(x.chunks, index)]
        chunks = tuple(tuple(axis[k] for k in at) for axis, at in zip(x.chunks, kept))
        kept = [at.tolist() for at in kept]
        return made("blocks", chunks, x.dtype, (same, At(x, range(x.ndim), kept)), token=kept)

    __iter__ = lambda self: (self[i] for i in range(len(self._array.chunks[0])))

    def ravel(self):
        return [self[place] for place in grid(self._array.chunks)]

    shape = property(lambda self: self._array.numblocks)
    size = property(lambda self: self._array.npartitions)


Array.blocks = Array.partitions = property(BlockView)


# ── the same chunks ───────────────────────────────────────────────────────────────────────


def _shared(axis, there, complaint):
    """The chunks of an axis that arrays share: cut wherever one of them is. One of length 1 goes with any."""
    of_full = [chunks for chunks in there if sum(chunks) != 1] or there
    lengths = sorted(set(map(sum, of_full)))
    if len(lengths) > 1 and not any(map(math.isnan, lengths)):
        raise ValueError(complaint(axis, lengths))
    if not any(map(is_unknown, of_full)):
        return met(of_full)
    if len(set(map(len, of_full))) > 1:
        raise ValueError(f"Arrays' chunk sizes are unknown and their chunks are not as many: {of_full}{unknown_help}")
    return next(filter(is_unknown, of_full))


def chunks_by_name(pairs):
    """The chunks of each axis name, from all arrays that have it."""
    there = {}
    for x, names in pairs:
        for axis, chunks in zip(names or (), x.chunks if names else ()):
            there.setdefault(axis, []).append(chunks)
    return there


def _differ(axis, lengths):
    return f"blockwise: arrays have lengths {lengths} along the axis {axis!r}"


def met_by_name(pairs, complaint=_differ):
    """The chunks that arrays have in common along the axes of each name, and the arrays in such. pairs: an array and the names
    of its axes; other values with None. complaint: what is said of an axis where lengths differ."""
    common = {axis: _shared(axis, all_, complaint) for axis, all_ in chunks_by_name(pairs).items()}
    return common, [x if names is None else _fitted(x, [common[axis] for axis in names]) for x, names in pairs]


def _fitted(x, chunks):
    chunks = tuple((1,) if sum(own) == 1 else own if is_unknown(own) else c for c, own in zip(chunks, x.chunks))
    return x if chunks == x.chunks else x.rechunk(chunks)


def unify_chunks(*arrays):
    """The arrays, broadcast against each other by their last axes, in chunks that fit."""
    shapes = " ".join(str(x.shape) for x in arrays)
    common, fitted = met_by_name([(x, range(-x.ndim, 0)) for x in arrays], lambda *_: f"operands could not be broadcast together with shapes {shapes}")  # fmt: skip
    common = tuple(common[axis] for axis in sorted(common))
    before, after = max((x.npartitions for x in arrays), default=1), math.prod(map(len, common))
    if after >= 10 * before:
        from kasoku.compat.dask.array import PerformanceWarning

        warnings.warn(f"Increasing number of chunks by factor of {after // before}", PerformanceWarning, stacklevel=4)
    return common, fitted
