"""How an axis is cut into chunks, and what tasks do with the arrays that are chunks: ours where we have their dtype and the
function, NumPy's else."""

import itertools
import math

import numpy as np

import kasoku as ks

from .. import config
from ..utils import parse_bytes


def refuse_masks(x):
    """Masked arrays without a mask are NumPy's; what has one would lose it."""
    if np.ma.is_masked(x):
        raise NotImplementedError(
            "dask.array: masked arrays are not there\n  fix  x.filled(value), or NaN for what is missing"
        )


def ours(x):
    """The array of ours with these values; NumPy's, where we do not have the dtype."""
    if isinstance(x, ks.Array):
        return x
    x = np.asarray(x)
    if x.dtype.kind not in "biufc" or x.dtype.itemsize > (16 if x.dtype.kind == "c" else 8):
        return x
    return ks.asarray(x.astype(x.dtype.newbyteorder("="), copy=False))


def numpys(x):
    """NumPy's array of these values."""
    return x.numpy() if isinstance(x, ks.Array) else np.asarray(x)


def call(name, *args, **words):
    """The function of that name, of ours or of NumPy's."""
    function = getattr(ks, name, None)
    if function is not None and any(isinstance(arg, ks.Array) for arg in args):
        try:
            return ours(function(*args, **words))
        except (TypeError, NotImplementedError):
            pass  # NumPy's takes more kinds of arguments
    args = [arg.numpy() if isinstance(arg, ks.Array) else arg for arg in args]
    return ours(getattr(np, name)(*args, **words))


def on_numpys(function, *args, **words):
    """A program's function: it sees NumPy's arrays."""
    args = [arg.numpy() if isinstance(arg, ks.Array) else arg for arg in args]
    words = {name: arg.numpy() if isinstance(arg, ks.Array) else arg for name, arg in words.items()}
    made = function(*args, **words)
    return ours(made) if isinstance(made, (np.ndarray, np.generic, int, float, complex)) else made


def joined(blocks, axis):
    return blocks[0] if len(blocks) == 1 else call_joined(blocks, axis)


def call_joined(blocks, axis):
    if all(isinstance(block, ks.Array) for block in blocks):
        return ks.concatenate(blocks, axis=axis)
    return ours(np.concatenate([numpys(block) for block in blocks], axis=axis))


def whole(nested, ndim, axis=0):
    """The array that nested lists of chunks are."""
    if axis == ndim:
        return nested
    return joined([whole(part, ndim, axis + 1) for part in nested], axis)


def _cut(length, size):
    size = int(size)
    if size == -1 or size >= length:
        return (length,)
    if size < 1:
        raise ValueError(f"a chunk has at least 1 element, not {size}")
    return (size,) * (length // size) + ((length % size,) if length % size else ())


def _side(room, lengths):
    """How long a chunk is along axes that share the room; a shorter axis leaves the others more."""
    lengths = sorted(n for n in lengths if not math.isnan(n))
    for k, n in enumerate(lengths):
        side = max(1, int(room ** (1 / (len(lengths) - k)) + 1e-9))
        if n > side:
            return side
        room //= max(1, n)
    return max(1, room, *lengths) if lengths else 1


def normalize_chunks(chunks, shape=None, limit=None, dtype=None, previous_chunks=None):
    """Lengths of the chunks along each axis, of what a program says: a number, "auto", -1, or one of these for each axis."""
    if isinstance(chunks, dict):
        before = previous_chunks or [(n,) for n in shape]
        chunks = tuple(chunks.get(axis, chunks.get(axis - len(shape), before[axis])) for axis in range(len(shape)))
    if shape is None:
        shape = tuple(sum(axis) if isinstance(axis, (tuple, list)) else axis for axis in chunks)
    if chunks is None or isinstance(chunks, (int, float, str)):
        chunks = (chunks,) * len(shape)
    chunks = tuple(chunks)
    if not chunks and shape and not any(shape):
        return ((0,),) * len(shape)
    if len(shape) == 1 and len(chunks) > 1 and all(isinstance(c, int) for c in chunks):
        chunks = (chunks,)
    if len(chunks) != len(shape):
        raise ValueError(f"Chunks and shape must be of the same length/dimension. Got chunks={chunks}, shape={shape}")
    is_auto = [c == "auto" or isinstance(c, str) for c in chunks]
    fixed = math.prod(max(c, default=1) if isinstance(c, (tuple, list)) else n if c in (-1, None) else c
                      for c, n, auto in zip(chunks, shape, is_auto) if not auto)  # fmt: skip
    itemsize = np.dtype(dtype or "f8").itemsize
    said = [c for c in chunks if isinstance(c, str) and c != "auto"]  # "16MiB"
    limit = parse_bytes(
        limit or (said[0] if said else None) or config.get("array.chunk-size", "128MiB")
    )  # of a chunk that is "auto"
    room = max(1, limit // max(1, itemsize * fixed))
    side = _side(room, [n for n, auto in zip(shape, is_auto) if auto])
    made = []
    for c, n, auto in zip(chunks, shape, is_auto):
        if isinstance(c, (tuple, list)):
            c = tuple(int(k) if not (isinstance(k, float) and math.isnan(k)) else np.nan for k in c)
            if sum(c) != n and not math.isnan(sum(c)):
                raise ValueError(f"Chunks do not add up to shape. Got chunks={chunks}, shape={shape}")
            made.append(c)
        else:
            made.append(_cut(n, side if auto else -1 if c is None else c))
    return tuple(made)


def starts(lengths):
    """Where each chunk begins, and where the last ends."""
    return [0, *itertools.accumulate(lengths)]


def met(several):
    """The chunks of an axis that is cut wherever one of several is."""
    ends = sorted(set().union(*map(starts, several)))
    return tuple(after - before for before, after in zip(ends, ends[1:])) or (0,)
