"""Arrays of numbers that follow from their places."""

import math
import numbers

import numpy as np

import kasoku as ks

from ._array import Array, Each, made
from ._blockwise import map_blocks
from ._chunks import normalize_chunks, ours, starts
from ._shape import broadcast_to, stack
from ._sources import asanyarray, from_array
from ._table import functions


def _filled(like, value, dtype):
    """like: a shape, or an array of that shape."""
    shape = getattr(like, "shape", like)
    return ks.full(shape, value, dtype=dtype) if np.dtype(dtype).kind in "biufc" else np.full(shape, value, dtype)


def _constant(word, value):
    def create(shape, dtype=None, chunks="auto", name=None, *, order="C", meta=None, like=None):
        return full(shape, value, dtype=dtype or float, chunks=chunks, name=name, word=word)

    def like(a, dtype=None, chunks=None, shape=None, name=None, *, order="C"):
        return full_like(a, value, dtype, chunks, shape, name, word=word)

    return {word: create, f"{word}_like": like}


def full(shape, fill_value, dtype=None, chunks="auto", name=None, word="full", *, order="C", meta=None, like=None):
    if np.ndim(fill_value):
        raise ValueError(f"fill_value must be scalar. Received {type(fill_value).__name__} instead.")
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    dtype = np.dtype(dtype if dtype is not None else np.asarray(fill_value).dtype)
    chunks = normalize_chunks(chunks, shape, dtype=dtype)
    return made(word, chunks, dtype, (_filled, Each(chunks), fill_value, dtype), name=name)


def full_like(a, fill_value, dtype=None, chunks=None, shape=None, name=None, word="full", *, order="C"):
    """The chunks are those of `a`, where it says neither shape nor chunks."""
    a = asanyarray(a)
    if shape is None and chunks is None and any(map(math.isnan, a.shape)):
        dtype = np.dtype(dtype or a.dtype)
        return made(word, a.chunks, dtype, (_filled, a, fill_value, dtype), name=name)
    if chunks is None:
        chunks = a.chunks if shape is None else "auto"
    return full(a.shape if shape is None else shape, fill_value, dtype or a.dtype, chunks, name, f"{word}_like")


functions.rows("plain", {**_constant("zeros", 0), **_constant("ones", 1), **_constant("empty", 0)})


def _range(first, start, step, count, dtype):
    return ours((start + step * first + step * np.arange(count)).astype(dtype))


def _in_steps(word, start, step, n, chunks, dtype):
    """n numbers from start on."""
    chunks = normalize_chunks(chunks, (n,), dtype=dtype)
    ends, lengths = Each(starts(chunks[0]), 0), Each(chunks[0], 0)
    return made(word, chunks, dtype, (_range, ends, start, step, lengths, dtype))


def arange(start=None, stop=None, step=1, *, chunks="auto", dtype=None, like=None, name=None, meta=None):
    if stop is None:
        if start is None:
            raise TypeError("arange() requires stop to be specified.")
        start, stop = 0, start
    start = 0 if start is None else start
    if dtype is None:  # NumPy's: of Python's numbers the types count alone
        ends = (v if isinstance(v, np.generic) else type(v)(k) for k, v in enumerate((start, stop)))
        dtype = np.arange(*ends, step).dtype
    n = max(0, math.ceil((stop - start) / step))
    return _in_steps("arange", start, step, n, chunks, np.dtype(dtype))


def linspace(start, stop, num=50, endpoint=True, retstep=False, chunks="auto", dtype=None):
    start, stop = (x.compute() if isinstance(x, Array) else x for x in (start, stop))
    step = (stop - start) / max(1, num - 1 if endpoint else num)
    x = _in_steps("linspace", start, step, num, chunks, np.dtype(dtype or float))
    return (x, step) if retstep else x


def _corner(shape, row, column, k, dtype):
    return ours(np.eye(*shape, k + row - column, dtype))


def eye(N, chunks="auto", M=None, k=0, dtype=float):
    dtype = np.dtype(dtype)
    chunks = normalize_chunks(chunks, (N, N if M is None else M), dtype=dtype)
    row, column = (Each(starts(c), axis) for axis, c in enumerate(chunks))
    return made("eye", chunks, dtype, (_corner, Each(chunks), row, column, k, dtype))


def fromfunction(func, chunks="auto", shape=None, dtype=None, **words):
    chunks = normalize_chunks(chunks, shape, dtype=dtype)
    ends = [starts(c) for c in chunks]

    def block(block_id):
        where = [np.arange(e[i], e[i + 1], dtype=dtype or float) for e, i in zip(ends, block_id)]
        return func(*np.meshgrid(*where, indexing="ij"), **words)

    return map_blocks(block, chunks=chunks, dtype=dtype or float)


def meshgrid(*arrays, sparse=False, indexing="xy", **words):
    if words:
        raise TypeError(f"unsupported keyword argument(s) {', '.join(words)}")
    if indexing not in ("ij", "xy"):
        raise ValueError("`indexing` must be `'ij'` or `'xy'`")
    arrays = [asanyarray(a).ravel() for a in arrays]
    order = list(range(len(arrays)))
    order[:2] = order[:2][::-1] if indexing == "xy" else order[:2]
    shape, chunks = tuple(arrays[k].size for k in order), tuple(arrays[k].chunks[0] for k in order)
    placed = [a[tuple(slice(None) if at == k else None for at in order)] for k, a in enumerate(arrays)]
    return tuple(placed if sparse else [broadcast_to(a, shape, chunks) for a in placed])


def indices(dimensions, dtype=int, chunks="auto"):
    chunks = chunks if isinstance(chunks, (tuple, list)) else (chunks,) * len(dimensions)
    if len(chunks) != len(dimensions):
        raise ValueError("Need same number of chunks as dimensions.")
    axes = [arange(n, dtype=dtype, chunks=c) for n, c in zip(dimensions, chunks)]
    return stack(meshgrid(*axes, indexing="ij")) if axes else from_array(np.indices((), dtype))


def tri(N, M=None, k=0, dtype=float, chunks="auto", *, like=None):
    M = N if M is None else M
    rows, columns = chunks if isinstance(chunks, (tuple, list)) else (chunks, chunks)
    return (arange(N, chunks=rows)[:, None] >= arange(-k, M - k, chunks=columns)[None, :]).astype(dtype)


__all__ = [name for name, value in globals().items() if name[0] != "_" and getattr(value, "__module__", "") == __name__]
