"""dask.array.blockwise: a function of chunks, whose axes have names."""

import numbers

import numpy as np

from .._task_spec import Dict, List, Task
from ..base import is_dask_collection, tokenize
from ..highlevelgraph import HighLevelGraph
from ..utils import funcname
from ._chunks import joined, met, numpys, on_numpys
from ._core import Array, _reference, asanyarray, grid, kind_of, samples_of


def _common(name, there):
    """The chunks of an axis that arrays share; an array of length 1 goes with any."""
    of_full = [chunks for chunks in there if sum(chunks) != 1] or there
    if len(set(map(sum, of_full))) > 1:
        raise ValueError(f"blockwise: arrays have lengths {sorted(set(map(sum, of_full)))} along the axis {name!r}")
    return met(of_full)


def joined_by_lists(nested, axes):
    return joined([joined_by_lists(part, axes[1:]) for part in nested], axes[0]) if axes else nested


def as_numpys(value):
    """NumPy's arrays, also in nested lists."""
    if type(value) is list:
        return [as_numpys(item) for item in value]
    return numpys(value) if hasattr(value, "dtype") else value


def _called(func, args, joins, words):
    """func of NumPy's arrays; `joins`: along which axes the lists of chunks of an argument are put together before."""
    return on_numpys(func, *(as_numpys(joined_by_lists(value, axes)) for value, axes in zip(args, joins)), **words)


def _guessed(func, pairs, words):
    try:
        ones = [x if names is None else one for (x, names), one in zip(pairs, samples_of(x for x, _ in pairs))]
        return np.asarray(func(*ones, **words)).dtype
    except Exception as error:
        raise ValueError(
            f"blockwise: the dtype cannot be guessed, {funcname(func)} raised {error}\n  fix  dtype="
        ) from None


def _chunks_by_name(pairs):
    """Of each name of an axis the chunks of all arrays that have it."""
    there = {}
    for x, names in pairs:
        for axis, chunks in zip(names or (), x.chunks if names else ()):
            there.setdefault(axis, []).append(chunks)
    return there


def _in_chunks(x, names, chunks_of):
    return x if names is None else x.rechunk(tuple((1,) if n == 1 else chunks_of[a] for a, n in zip(names, x.shape)))


def met_by_name(pairs):
    """The chunks that arrays have in common along the axes of each name, and the arrays in such."""
    pairs = [(x, None) if names is None else (asanyarray(x), tuple(names)) for x, names in pairs]
    chunks_of = {axis: _common(axis, all_) for axis, all_ in _chunks_by_name(pairs).items()}
    return chunks_of, [_in_chunks(x, names, chunks_of) for x, names in pairs]


def _adjusted(chunks, how):
    if callable(how):
        return tuple(map(how, chunks))
    return (how,) * len(chunks) if isinstance(how, numbers.Integral) else tuple(how)


def blockwise(func, out_ind, *args, name=None, token=None, dtype=None, adjust_chunks=None, new_axes=None,
              align_arrays=True, concatenate=None, meta=None, **words):  # fmt: skip
    """func of the chunks that have the same place along the axes of the same name.

    out_ind: the names of the result's axes, "ij". args: arrays, each with the names of its axes; other values, each with
    None. Along a name that the result lacks func gets lists of chunks, with concatenate=True one array. new_axes: lengths or
    chunks of names that no array has. adjust_chunks: of a name what chunks become, a function, a length or chunks. Raises
    ValueError where lengths differ.
    """
    out_ind, new_axes, adjust_chunks = tuple(out_ind), new_axes or {}, adjust_chunks or {}
    pairs = [(x, None) if names is None else (asanyarray(x), tuple(names)) for x, names in zip(args[::2], args[1::2])]
    there = _chunks_by_name(pairs)
    chunks_of = {axis: _common(axis, all_) for axis, all_ in there.items()}
    if not align_arrays and any(len(set(map(len, all_))) > 1 for all_ in there.values()):
        raise ValueError("blockwise: arrays have different numbers of chunks\n  fix  align_arrays=True")
    if align_arrays:
        pairs = [(_in_chunks(x, names, chunks_of), names) for x, names in pairs]
    new = {axis: tuple(n) if isinstance(n, (tuple, list)) else (n,) for axis, n in new_axes.items()}
    if absent := [axis for axis in out_ind if axis not in chunks_of and axis not in new]:
        raise ValueError(f"blockwise: no array has the axis {absent[0]!r}, an unknown dimension\n  fix  new_axes=")
    if dtype is None:
        dtype = meta.dtype if meta is not None else _guessed(func, pairs, words)

    chunks = tuple({**chunks_of, **new}[axis] for axis in out_ind)
    others = [value for value, names in pairs if names is None] + list(words.values())
    inputs = [x for x, names in pairs if names is not None] + [x for x in others if is_dask_collection(x)]
    name = name or f"{token or funcname(func)}-{tokenize(func, out_ind, args, chunks, str(dtype), words)}"
    lists = [[axis for axis in names or () if axis not in out_ind] for _, names in pairs]
    joins = [[names.index(a) for a in axes] if concatenate else [] for (_, names), axes in zip(pairs, lists)]
    words = Dict({word: _reference(value) for word, value in words.items()}) if words else {}
    layer = {}
    for place in grid(chunks):
        at = dict(zip(out_ind, place))

        def block(x, names, rest, at):
            if names is None:
                return _reference(x)
            if rest:
                return List._of([block(x, names, rest[1:], {**at, rest[0]: i}) for i in range(len(chunks_of[rest[0]]))])
            return x.ref(tuple(0 if len(axis) == 1 else at[a] for a, axis in zip(names, x.chunks)))

        parts = [block(x, names, rest, at) for (x, names), rest in zip(pairs, lists)]
        layer[(name, *place)] = Task((name, *place), _called, func, List._of(parts), joins, words)
    chunks = tuple(_adjusted(c, adjust_chunks[a]) if a in adjust_chunks else c for a, c in zip(out_ind, chunks))
    meta = kind_of(inputs) if meta is None else meta
    return Array(HighLevelGraph.from_collections(name, layer, inputs), name, chunks, dtype, meta)
