"""How an axis is cut into chunks, and what tasks do with the arrays that are chunks: ours where we have their dtype and the
function, NumPy's else."""

import itertools
import math
import numbers
import warnings

import numpy as np

import kasoku as ks
from kasoku import _core

from .. import config
from ..utils import parse_bytes


def is_foreign(x):
    """An array that is neither NumPy's own nor ours: masked, or of another package. What NumPy's functions make of it is its."""
    return type(x) is not np.ndarray and hasattr(x, "__array_function__") and not isinstance(x, (ks.Array, np.memmap))


def like(kind, ndim, dtype):
    """An array of that kind without elements, by which one in chunks knows what its chunks are; None: NumPy's."""
    none, dtype = (0,) * ndim, np.dtype(dtype)
    if isinstance(kind, ks.Array) and dtype.kind in "biufc":
        return ks.empty(none, dtype)
    if kind is None or not is_foreign(kind):
        return np.empty(none, dtype)
    try:
        made = kind[(slice(0, 0),) * kind.ndim]
        if made.ndim < ndim:
            made = made[(..., *(None,) * (ndim - made.ndim))][(slice(0, 0),) * ndim]
        made = made if made.ndim == ndim else made.reshape(none) if ndim else made.sum()
        if made is np.ma.masked:
            made = np.ma.array(np.empty(none, dtype), mask=True)
        return made if made.dtype == dtype else made.astype(dtype)
    except Exception:  # noqa: BLE001 - another package's array may not do one of these
        return np.empty(none, dtype)


def ours(x):
    """The array of ours with these values; NumPy's, where we do not have the dtype; another package's as it is."""
    if isinstance(x, ks.Array) or is_foreign(x):
        return x
    x = np.asarray(x)
    if x.dtype.kind not in "biufc" or x.dtype.itemsize > (16 if x.dtype.kind == "c" else 8):
        return x
    return ks.asarray(x.astype(x.dtype.newbyteorder("="), copy=False))


def numpys(x):
    """NumPy's array of these values."""
    return x.numpy() if isinstance(x, ks.Array) else x if is_foreign(x) else np.asarray(x)


_lose_masks = {"where", "concatenate", "stack"}  # NumPy's do


def of_numpy(name, args):
    """NumPy's function of that name for these arguments."""
    is_masked = name in _lose_masks and any(isinstance(arg, np.ma.MaskedArray) for arg in args)
    return getattr(np.ma if is_masked and hasattr(np.ma, name) else np, name)


def call(name, *args, **words):
    """The function of that name, of ours or of NumPy's."""
    function = getattr(ks, name, None)
    if function is not None:
        args = [ours(arg) if type(arg) is np.ndarray else arg for arg in args]
    if function is not None and any(isinstance(arg, ks.Array) for arg in args) and not any(map(is_foreign, args)):
        try:
            return ours(function(*args, **words))
        except (TypeError, NotImplementedError):
            pass  # NumPy's takes more kinds of arguments
    args = [arg.numpy() if isinstance(arg, ks.Array) else arg for arg in args]
    return ours(of_numpy(name, args)(*args, **words))


def on_numpys(function, /, *args, **words):
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
    blocks = [numpys(block) for block in blocks]
    fields = {"dtype": blocks[0].dtype} if blocks[0].dtype.names else {}  # which stay where they are in a record
    made = of_numpy("concatenate", blocks)(blocks, axis=axis, **fields)
    fills = [block.fill_value for block in blocks if isinstance(block, np.ma.MaskedArray)]
    if any(isinstance(fill, np.ndarray) for fill in fills):
        raise ValueError("Dask doesn't support masked array's with non-scalar `fill_value`s")
    if fills and (fills[0] == fills[0]) and all(fill == fills[0] for fill in fills):
        made.fill_value = fills[0]
    return ours(made)


def _with_axes(block, ndim):
    """A chunk that a program's function gave with fewer axes, or more of length 1 in front."""
    block = np.asarray(numpys(block))
    return ours(block.reshape((1,) * (ndim - block.ndim) + block.shape[max(0, block.ndim - ndim) :]))


def assembled(nested, ndim, axis=0):
    """The array that nested lists of chunks are."""
    if axis == ndim:
        return nested if getattr(nested, "ndim", 0) == ndim else _with_axes(nested, ndim)
    return joined([assembled(part, ndim, axis + 1) for part in nested], axis)


unknown_help = "\n\nA possible solution: https://docs.dask.org/en/latest/array-chunks.html#unknown-chunks\nSummary: to compute chunks sizes, use\n\n   x.compute_chunk_sizes()  # for Dask Array `x`\n   ddf.to_dask_array(lengths=True)  # for Dask DataFrame `ddf`"


def is_unknown(lengths):
    """Whether one of them is found only when it is computed."""
    return any(isinstance(n, float) and math.isnan(n) for n in lengths)


def _without_auto(chunks, shape, limit, dtype, before):
    """With lengths where "auto" or a number of bytes was said."""
    sizes = {parse_bytes(c) for c in chunks if isinstance(c, str) and c != "auto"}
    if len(sizes | ({limit} if isinstance(limit, int) and sizes else set())) > 1:
        raise ValueError(f"Only one consistent value of limit or chunk is allowed, not {chunks} and {limit}")
    limit = parse_bytes(limit or (sizes and sizes.pop()) or config.get("array.chunk-size", "128MiB"))
    if dtype is None:
        raise TypeError("dtype must be known for auto-chunking")
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise NotImplementedError(
            "Can not use auto rechunking with object dtype, whose elements have any number of bytes"
        )
    if is_unknown(shape) or any(is_unknown(c if isinstance(c, tuple) else (c,)) for c in chunks):
        raise ValueError(f"Can not perform automatic rechunking with unknown (nan) chunk sizes.{unknown_help}")
    if not dtype.itemsize:
        raise ValueError("auto-chunking with dtype.itemsize == 0 is not supported, please pass in `chunks` explicitly")
    free = [axis for axis, c in enumerate(chunks) if isinstance(c, str)]
    fixed = math.prod(max(c) if isinstance(c, tuple) else c for c in chunks if not isinstance(c, str))
    room = max(1, limit) / dtype.itemsize / max(1, fixed)
    before = [c[0] if isinstance(c, tuple) and len(c) == 1 else c for c in before or ()]
    before = [_core._chunks.cut(n, c) if isinstance(c, numbers.Integral) else c for n, c in zip(shape, before)]
    if before and all(map(sum, before)):
        tolerance = config.get("array.chunk-size-tolerance", 1.25)
        made = _core._chunks.in_proportion([before[axis] for axis in free], room, tolerance)
    else:
        made = _core._chunks.of_equal_sides([shape[axis] for axis in free], room)
    made = dict(zip(free, made))
    return tuple(made.get(axis, c) for axis, c in enumerate(chunks))


def normalize_chunks(chunks, shape=None, limit=None, dtype=None, previous_chunks=None):
    """Lengths of the chunks along each axis, of what a program says: a number, "auto", -1, or one of these for each axis."""
    if chunks is None:
        raise ValueError("You must specify a chunks= keyword argument: how long a chunk is, a length for each axis, or all lengths along each axis: https://docs.dask.org/en/latest/array-chunks.html")  # fmt: skip
    if shape is None:
        shape = tuple(sum(axis) if isinstance(axis, (tuple, list)) else axis for axis in chunks)
    chunks = chunks.tolist() if isinstance(chunks, np.ndarray) else chunks
    if isinstance(chunks, dict):
        chunks = [chunks.get(axis, chunks.get(axis - len(shape))) for axis in range(len(shape))]
    if isinstance(chunks, (numbers.Number, str)):
        chunks = (chunks,) * len(shape)
    chunks = tuple(chunks)
    if not shape:
        return ()
    if not chunks and not any(shape):
        return ((0,),) * len(shape)
    if len(shape) == 1 and len(chunks) > 1 and all(isinstance(c, (numbers.Number, str)) for c in chunks):
        chunks = (chunks,)
    if len(chunks) != len(shape):
        raise ValueError(f"Chunks and shape must be of the same length/dimension. Got chunks={chunks}, shape={shape}")
    chunks = tuple(n if c is None or not isinstance(c, (tuple, list)) and c == -1 else tuple(c) if isinstance(c, list) else c
                   for c, n in zip(chunks, shape))  # fmt: skip
    if any(isinstance(c, str) for c in chunks):
        chunks = _without_auto(chunks, shape, limit, dtype, previous_chunks)
    made = []
    for c, n in zip(chunks, shape):
        if isinstance(c, tuple):
            if not c:
                raise ValueError("Empty tuples are not allowed in chunks. Express zero length dimensions with 0(s)")
            made.append(tuple(int(k) if not math.isnan(k) else np.nan for k in c))
            if sum(made[-1]) != n and not math.isnan(sum(made[-1]) + n):
                raise ValueError(f"Chunks do not add up to shape. Got chunks={chunks}, shape={shape}")
        else:
            made.append((np.nan,) if is_unknown((n,)) else _core._chunks.cut(n, int(c)))
    return tuple(made)


def balanced(lengths):
    """Chunks of nearly one length, of as many as there are, or one less if the shortest is at most half of the longest."""
    found = _core._chunks.balanced(lengths)
    if found is None:
        message = "chunk size balancing not possible with given chunks. Try increasing the chunk size."
        warnings.warn(message, stacklevel=3)
    return found or lengths


def starts(lengths):
    """The index at which each chunk begins, and the end of the last one."""
    return [0, *itertools.accumulate(lengths)]


def slices(chunks):
    """The slices of the whole array that the chunks are, for each axis."""
    return [list(map(slice, starts(c), starts(c)[1:])) for c in chunks]


def shape_at(chunks, place):
    return tuple(c[i] for c, i in zip(chunks, place))


def along(axis, part):
    """An index: this part of an axis."""
    return (slice(None),) * axis + (part,)


def at_axis(values, axis, *others):
    """Chunks, lengths or a place, with others in the stead of what an axis has."""
    return (*values[:axis], *others, *values[axis + 1 :])


def met(several):
    """The chunks of an axis that is cut wherever one of several is."""
    ends = sorted(set().union(*map(starts, several)))
    return tuple(after - before for before, after in zip(ends, ends[1:])) or (0,)
