"""A program's function of chunks: of those at one place, or of those that have the same place along axes of one name."""

import functools
import inspect
import numbers

import numpy as np

import kasoku as ks
from kasoku._token import result_of

from .._task_spec import Dict, Task, TaskRef
from ..base import is_dask_collection
from ..utils import funcname
from ._array import Array, At, Each, axes_in, broadcast_axes, kind_of, made
from ._chunks import is_foreign, joined, normalize_chunks, numpys, on_numpys, shape_at, slices
from ._elementwise import broadcast, of_samples, samples_of
from ._rechunk import chunks_by_name, met_by_name
from ._sources import asanyarray

# ── at one place ──────────────────────────────────────────────────────────────────────────


def _said(func, words, block_info, gets_id, ndim, place, *args):
    """block_info: a function of the place, if func has that parameter."""
    told = {"block_info": block_info(place)} if block_info else {}
    told |= {"block_id": place} if gets_id else {}
    found = on_numpys(func, *args, **words, **told)
    if ndim is not None and np.ndim(found) != ndim:
        raise ValueError(f"Dimension mismatch: expected output of {func} to have dims = {ndim}, not {np.ndim(found)}")
    return found


def map_blocks(func, *args, name=None, token=None, dtype=None, chunks=None, drop_axis=None, new_axis=None,
               enforce_ndim=False, meta=None, **words):  # fmt: skip
    """func of each chunk; other arrays' chunks at the same place come along. func sees NumPy's arrays, and, if it has
    such parameters, block_id= and block_info=. Without arrays it makes chunks of their places alone. It sees the whole
    of an axis that it drops."""
    dropped, added = ([] if a is None else axes_in(a) for a in (drop_axis, new_axis))
    ndim = max((x.ndim for x in args if isinstance(x, Array)), default=0)
    if chunks is not None and ndim and not added and len(chunks) > ndim - len(dropped):
        added = list(range(len(chunks) - ndim + len(dropped)))
    if any(not -ndim <= axis < ndim for axis in dropped):
        raise ValueError(f"drop_axis out of range (drop_axis={drop_axis}, but array is {ndim}d).")
    dropped = {axis % ndim for axis in dropped}
    args = [_joined_along(x, [axis - ndim for axis in dropped]) for x in args]
    common, args, inputs = _met_by_number(args)
    others = [x for x in (*args, *words.values()) if is_dask_collection(x) and not isinstance(x, Array)]
    given = Dict({word: reference(x) for word, x in words.items()}) if words else {}
    kept = [axis for axis in range(len(common)) if axis not in dropped]
    shape_of = [common[axis] for axis in kept]
    for axis in sorted(added):
        shape_of.insert(axis, (1,))
    if added and max(added) >= len(shape_of):
        raise ValueError(f"new_axis values do not fill in all dimensions: {sorted(added)}")
    if not inputs:
        shape_of = normalize_chunks(chunks)
    elif chunks is not None:
        if len(chunks) != len(shape_of):
            raise ValueError(f"Provided chunks have {len(chunks)} dims; expected {len(shape_of)} dims")
        for c, n in zip(chunks, shape_of):
            if not isinstance(c, numbers.Integral) and len(c) not in (1, len(n)):
                raise ValueError(f"Dimension {len(c)} chunks are said where there are {len(n)}")
        shape_of = list(map(_of_each, chunks, shape_of))
    wants = _wanted(func)
    if dtype is None or meta is None and inputs:
        found = meta if meta is not None else _found_by(func, args, words, wants, dtype) if inputs else None
        if not isinstance(kind_of(inputs), ks.Array) or is_foreign(found):
            meta = found
        dtype = getattr(found, "dtype", "f8") if dtype is None else dtype

    out = dict(zip(kept, (axis for axis in range(len(shape_of)) if axis not in added)))
    placed = lambda x: At(x, [out.get(axis, -1) for axis in broadcast_axes(x.chunks, len(common) - x.ndim)])
    parts = [placed(x) if isinstance(x, Array) else reference(x) for x in args]
    info = functools.partial(_info, _facts(parts), tuple(shape_of), np.dtype(dtype)) if "block_info" in wants else None
    place, ndim = Each([range(len(c)) for c in shape_of]), len(shape_of) if enforce_ndim else None
    task = _said, func, given, info, "block_id" in wants, ndim, place, *parts
    told = [func, words, [x for x in args if not isinstance(x, Array)], dropped, added, enforce_ndim]
    return made(token or funcname(func), tuple(shape_of), dtype, task, [*inputs, *others], told, meta, name)


Array.map_blocks = lambda self, func, *args, **words: map_blocks(func, self, *args, **words)


def _met_by_number(args):
    """As broadcast(), of arrays whose chunks belong together by their numbers, whatever their lengths; a single one belongs
    to all of them."""
    arrays = [x for x in args if isinstance(x, Array)]
    ndim, common = max((x.ndim for x in arrays), default=0), []
    for axis in range(-ndim, 0):
        there = [x.chunks[axis] for x in arrays if x.ndim >= -axis]
        several = [c for c in there if len(c) > 1] or there
        if len(set(map(len, several))) > 1:
            return broadcast(args)
        common.append(max(several, key=sum))
    return tuple(common), args, arrays


def reference(value):
    """The value of a collection of one key, or of a future, for an argument; others as they are."""
    if hasattr(type(value), "__kasoku_value__"):
        return Task(None, result_of, value)
    if not is_dask_collection(value):
        return value
    keys = value.__dask_keys__()
    if len(keys) != 1 or isinstance(keys[0], list):
        raise ValueError("an array among other arguments needs the names of its axes: dask.array.blockwise")
    return TaskRef(keys[0])


def _joined_along(x, axes):
    """The array in chunks that cover the axes, which count from the last; other arguments as they are."""
    axes = [axis for axis in axes if isinstance(x, Array) and axis >= -x.ndim and len(x.chunks[axis]) > 1]
    return x.rechunk({axis % x.ndim: -1 for axis in axes}) if axes else x


def _wanted(func):
    try:
        return set(inspect.signature(func).parameters) & {"block_id", "block_info"}
    except (TypeError, ValueError):
        return set()


def _facts(parts):
    """What block_info= says of each array, by its number, at whatever place."""
    arrays = {number: part for number, part in enumerate(parts) if isinstance(part, At)}
    return {number: (x.array.chunks, x.array.dtype, x.axes) for number, x in arrays.items()}


def _info(facts, out_chunks, dtype, place):
    told = {}
    for number, (chunks, kind, axes) in {**facts, None: (out_chunks, dtype, range(len(place)))}.items():
        at = tuple(0 if axis < 0 else place[axis] for axis in axes)
        location = [(own[i].start, own[i].stop) for own, i in zip(slices(chunks), at)]
        told[number] = {"shape": tuple(map(sum, chunks)), "num-chunks": tuple(map(len, chunks)), "dtype": kind,
                        "chunk-location": at, "array-location": location}  # fmt: skip
    told[None]["chunk-shape"] = shape_at(out_chunks, place)
    return told


def _found_by(func, args, words, wants, dtype):
    """What func gives of small arrays; None if it takes none, and somebody else has said the dtype."""
    told = {"block_id": (0,) * max(x.ndim for x in args if isinstance(x, Array))} if "block_id" in wants else {}
    try:
        found = of_samples("map_blocks", "dtype", func, samples_of(args), {**words, **told})
    except ValueError:  # a program's function may not take such small ones
        if dtype is None:
            raise
        return None
    return found if is_foreign(found) else np.asarray(found)


# ── along axes of one name ────────────────────────────────────────────────────────────────


def joined_by_lists(nested, axes):
    return joined([joined_by_lists(part, axes[1:]) for part in nested], axes[0]) if axes else nested


def as_numpys(value):
    """NumPy's arrays, also in nested lists."""
    if type(value) is list:
        return [as_numpys(item) for item in value]
    return numpys(value) if hasattr(value, "dtype") and not isinstance(value, type) else value


def _called(func, words, joins, *args):
    """func of NumPy's arrays; `joins`: along which axes the lists of chunks of an argument are put together before."""
    return on_numpys(func, *(as_numpys(joined_by_lists(value, axes)) for value, axes in zip(args, joins)), **words)


def _at_names(x, names, out_ind, chunks_of):
    """The chunks of an array at a place of the axes out_ind; lists of them along the others."""
    axes = [out_ind.index(a) if a in out_ind and len(c) > 1 else -1 for a, c in zip(names, x.chunks)]
    chosen = [
        None if a in out_ind else [[k % len(c) for k in range(len(chunks_of[a]))]] for a, c in zip(names, x.chunks)
    ]
    return At(x, axes, chosen)


def _adjusted(chunks, how):
    return tuple(map(how, chunks) if callable(how) else _of_each(how, chunks))


def _of_each(lengths, chunks):
    """Lengths of chunks as many as there are, of one or of all."""
    return (lengths,) * len(chunks) if isinstance(lengths, numbers.Integral) else tuple(lengths)


def as_pairs(args):
    """Arrays and the names of their axes, which come in turn; other values with None."""
    return [(x, None) if names is None else (asanyarray(x), tuple(names)) for x, names in zip(args[::2], args[1::2])]


def blockwise(func, out_ind, *args, name=None, token=None, dtype=None, adjust_chunks=None, new_axes=None,
              align_arrays=True, concatenate=None, meta=None, **words):  # fmt: skip
    """func of the chunks that have the same place along the axes of the same name.

    out_ind: the names of the result's axes, "ij". args: arrays, each with the names of its axes; other values, each with
    None. Along a name that the result lacks func gets lists of chunks, with concatenate=True one array. new_axes: lengths or
    chunks of names that no array has. adjust_chunks: of a name what chunks become, a function, a length or chunks. Raises
    ValueError where lengths differ.
    """
    out_ind, new_axes, adjust_chunks = tuple(out_ind), new_axes or {}, adjust_chunks or {}
    pairs = as_pairs(args)
    if not align_arrays and any(len(set(map(len, all_))) > 1 for all_ in chunks_by_name(pairs).values()):
        raise ValueError("blockwise: arrays have different numbers of chunks\n  fix  align_arrays=True")
    chunks_of, fitted = met_by_name(pairs)
    if align_arrays:
        pairs = [(x, names) for x, (_, names) in zip(fitted, pairs)]
    new = {axis: tuple(n) if isinstance(n, (tuple, list)) else (n,) for axis, n in new_axes.items()}
    if absent := [axis for axis in out_ind if axis not in chunks_of and axis not in new]:
        raise ValueError(f"blockwise: no array has the axis {absent[0]!r}, an unknown dimension\n  fix  new_axes=")
    if dtype is None and meta is None:
        ones = [x if names is None else one for (x, names), one in zip(pairs, samples_of(x for x, _ in pairs))]
        meta_ = np.asarray(of_samples("blockwise", "dtype", func, ones, words))
    dtype = (meta_ if meta is None else meta).dtype if dtype is None else dtype

    chunks = tuple({**chunks_of, **new}[axis] for axis in out_ind)
    chunks = tuple(_adjusted(c, adjust_chunks[a]) if a in adjust_chunks else c for a, c in zip(out_ind, chunks))
    inputs = [x for x, names in pairs if names is not None]
    inputs += [x for x in (*(x for x, names in pairs if names is None), *words.values()) if is_dask_collection(x)]
    joins = [[k for k, a in enumerate(names or ()) if concatenate and a not in out_ind] for _, names in pairs]
    given = Dict({word: reference(value) for word, value in words.items()}) if words else {}
    parts = [reference(x) if names is None else _at_names(x, names, out_ind, chunks_of) for x, names in pairs]
    told, task = [func, out_ind, args, words], (_called, func, given, joins, *parts)
    return made(token or funcname(func), chunks, dtype, task, inputs, told, meta, name)
