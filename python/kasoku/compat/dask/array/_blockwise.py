"""A program's function of chunks: of those at one place, or of those that have the same place along axes of one name."""

import inspect
import numbers

import numpy as np

import kasoku as ks
from kasoku._token import result_of

from .._task_spec import Dict, List, Task, TaskRef
from ..base import is_dask_collection
from ..utils import funcname
from ._array import Array, axes_in, kind_of, made
from ._chunks import is_foreign, joined, normalize_chunks, numpys, on_numpys, shape_at, slices
from ._elementwise import broadcast, chunk_at, of_samples, samples_of
from ._rechunk import chunks_by_name, met_by_name
from ._sources import asanyarray

# ── at one place ──────────────────────────────────────────────────────────────────────────


def _said(func, args, words, info, ndim=None):
    found = on_numpys(func, *args, **words, **info)
    if ndim is not None and np.ndim(found) != ndim:
        raise ValueError(
            f"Dimension mismatch: expected output of {func} to have dims = {ndim}, and it has {np.ndim(found)}"
        )
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
        shape_of = [(c,) * len(n) if isinstance(c, numbers.Integral) else tuple(c) for c, n in zip(chunks, shape_of)]
    wants = _wanted(func)
    if dtype is None or meta is None and inputs:
        found = meta if meta is not None else _found_by(func, args, words, wants, dtype) if inputs else None
        if not isinstance(kind_of(inputs), ks.Array) or is_foreign(found):
            meta = found
        dtype = getattr(found, "dtype", "f8") if dtype is None else dtype

    def task_of(place):
        inner = [i for axis, i in enumerate(place) if axis not in added]
        where = dict(zip(kept, inner))
        full = tuple(where.get(axis, 0) for axis in range(len(common)))
        info = {}
        if "block_id" in wants:
            info["block_id"] = tuple(place)
        if "block_info" in wants:
            info["block_info"] = _info(args, full, common, shape_of, place, dtype)
        ndim = (len(shape_of),) if enforce_ndim else ()
        return _said, func, List._of([reference(chunk_at(x, full)) for x in args]), given, info, *ndim

    return made(token or funcname(func), tuple(shape_of), dtype, task_of, [*inputs, *others], [func, words, [x for x in args if not isinstance(x, Array)], dropped, added, enforce_ndim], meta, name)  # fmt: skip


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


def _info(args, full, common, out_chunks, place, dtype):
    told = {}
    for number, x in enumerate(args):
        if isinstance(x, Array):
            mine = tuple(0 if len(c) == 1 else i for c, i in zip(x.chunks, full[len(common) - x.ndim :]))
            told[number] = {"shape": x.shape, "num-chunks": x.numblocks, "chunk-location": mine, "dtype": x.dtype,
                            "array-location": _ends(x.chunks, mine)}  # fmt: skip
    told[None] = {"shape": tuple(map(sum, out_chunks)), "num-chunks": tuple(map(len, out_chunks)), "dtype": np.dtype(dtype),
                  "chunk-location": tuple(place), "chunk-shape": shape_at(out_chunks, place),
                  "array-location": _ends(out_chunks, place)}  # fmt: skip
    return told


def _ends(chunks, place):
    return [(part.start, part.stop) for part in slices(chunks)(place)]


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
    return numpys(value) if hasattr(value, "dtype") else value


def _called(func, args, joins, words):
    """func of NumPy's arrays; `joins`: along which axes the lists of chunks of an argument are put together before."""
    return on_numpys(func, *(as_numpys(joined_by_lists(value, axes)) for value, axes in zip(args, joins)), **words)


def _guessed(func, pairs, words):
    ones = [x if names is None else one for (x, names), one in zip(pairs, samples_of(x for x, _ in pairs))]
    return np.asarray(of_samples("blockwise", "dtype", func, ones, words)).dtype


def _adjusted(chunks, how):
    if callable(how):
        return tuple(map(how, chunks))
    return (how,) * len(chunks) if isinstance(how, numbers.Integral) else tuple(how)


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
    if dtype is None:
        dtype = meta.dtype if meta is not None else _guessed(func, pairs, words)

    chunks = tuple({**chunks_of, **new}[axis] for axis in out_ind)
    chunks = tuple(_adjusted(c, adjust_chunks[a]) if a in adjust_chunks else c for a, c in zip(out_ind, chunks))
    inputs = [x for x, names in pairs if names is not None]
    inputs += [x for x in (*(x for x, names in pairs if names is None), *words.values()) if is_dask_collection(x)]
    lists = [[axis for axis in names or () if axis not in out_ind] for _, names in pairs]
    joins = [[names.index(a) for a in axes] if concatenate else [] for (_, names), axes in zip(pairs, lists)]
    given = Dict({word: reference(value) for word, value in words.items()}) if words else {}

    def block(x, names, rest, at):
        if names is None:
            return reference(x)
        if rest:
            return List._of([block(x, names, rest[1:], {**at, rest[0]: i}) for i in range(len(chunks_of[rest[0]]))])
        return x.ref(tuple(0 if len(axis) == 1 else at[a] for a, axis in zip(names, x.chunks)))

    def task_of(place):
        at = dict(zip(out_ind, place))
        parts = [block(x, names, rest, at) for (x, names), rest in zip(pairs, lists)]
        return _called, func, List._of(parts), joins, given

    return made(token or funcname(func), chunks, dtype, task_of, inputs, [func, out_ind, args, words], meta, name)
