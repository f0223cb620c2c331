"""Chunks with their neighbours' nearest elements."""

import functools
import numbers
import warnings

import numpy as np

from ._array import Array, At, axes_in, axis_in, made
from ._blockwise import map_blocks
from ._chunks import along, at_axis, on_numpys, starts
from ._create import full
from ._index import take as _take
from ._rechunk import cut, unify_chunks
from ._shape import concatenate
from ._sources import asanyarray


def _for_axes(value, ndim, default=0):
    if isinstance(value, dict):
        return [value.get(a, value.get(a - ndim, default)) for a in range(ndim)]
    return list(value) if isinstance(value, (tuple, list)) else [value] * ndim


def _depths(value, ndim):
    return [(int(d),) * 2 if isinstance(d, numbers.Integral) else tuple(map(int, d)) for d in _for_axes(value, ndim)]


_pads = {"reflect": "symmetric", "nearest": "edge", "periodic": "wrap"}


def overlap(x, depth, boundary=None, *, allow_rechunk=True):
    """Each chunk with as many elements of its neighbours as depth says, and what boundary says at the ends."""
    x = asanyarray(x)
    for axis, ((before, after), kind) in enumerate(zip(_depths(depth, x.ndim), _for_axes(boundary, x.ndim, None))):
        if not before and not after:
            continue
        if max(before, after) > x.shape[axis]:
            raise ValueError(f"The overlapping depth {max(before, after)} is larger than your array {x.shape[axis]}.")
        if not allow_rechunk and len(x.chunks[axis]) > 1 and min(x.chunks[axis]) < max(before, after):
            raise ValueError(f"The overlapping depth {max(before, after)} is larger than the smallest chunk size {min(x.chunks[axis])}, and allow_rechunk=False")  # fmt: skip
        ends = starts(x.chunks[axis])
        if kind not in (None, "none"):
            x = _with_ends(x, axis, before, after, kind)
        n, shift = x.shape[axis], 0 if kind in (None, "none") else before
        cuts = [(max(0, lo + shift - before), min(n, hi + shift + after)) for lo, hi in zip(ends, ends[1:])]
        x = _recut(x, axis, cuts)
    return x


def _recut(x, axis, cuts):
    """The array with these (begin, end) of an axis as its chunks, which may have elements in common."""
    pieces = [list(zip(starts(c), starts(c)[1:])) for c in x.chunks]
    pieces[axis] = cuts
    return cut(x, pieces, at_axis(x.chunks, axis, tuple(hi - lo for lo, hi in cuts)), "overlap")


def _with_ends(x, axis, before, after, kind):
    n = x.shape[axis]
    if kind in _pads:
        at = np.pad(np.arange(n), (before, after), mode=_pads[kind])
        first, last = _take(x, at[:before], axis), _take(x, at[len(at) - after :], axis)
    else:
        shapes = [(at_axis(x.shape, axis, k), at_axis(x.chunks, axis, (k,))) for k in (before, after)]
        first, last = (full(shape, kind, x.dtype, chunks) for shape, chunks in shapes)
    return concatenate([part for part, k in ((first, before), (x, 1), (last, after)) if k], axis)


def trim_internal(x, axes, boundary=None):
    depths, kinds = _depths(axes, x.ndim), _for_axes(boundary, x.ndim, None)
    counts = [len(c) for c in x.chunks]

    def trimmed(block, block_id):
        return block[tuple(slice(*_kept(*each)) for each in zip(block_id, counts, block.shape, depths, kinds))]

    def _kept(i, n, length, depth, kind):
        is_open = kind in (None, "none")
        lo = 0 if is_open and i == 0 else depth[0]
        return lo, length - (0 if is_open and i == n - 1 else depth[1])

    chunks = tuple(tuple(hi - lo for lo, hi in (_kept(i, len(c), n, depths[a], kinds[a]) for i, n in enumerate(c))) for a, c in enumerate(x.chunks))  # fmt: skip
    return map_blocks(trimmed, x, chunks=chunks, dtype=x.dtype)


def map_overlap(func, *args, depth=0, boundary=None, trim=True, dtype=None, meta=None, align_arrays=True, allow_rechunk=True,
                **words):  # fmt: skip
    """func of each chunk with its neighbours' nearest elements, which are cut off afterwards. depth, boundary: for all
    arrays, or lists of one for each. Without trim func cuts them off itself, unless chunks= says otherwise."""
    if isinstance(func, Array):  # the order of earlier versions
        warnings.warn("The use of map_overlap(array, func, **kwargs) is deprecated since dask 2.17.0: pass the function first", FutureWarning, stacklevel=2)  # fmt: skip
        func, args, told = args[0], (func,), args[1:]
        depth, boundary, trim = (*told, *(depth, boundary, trim)[len(told) :])
    at = [k for k, x in enumerate(args) if isinstance(x, Array)]
    arrays = [args[k] for k in at]
    if align_arrays:
        _, arrays = unify_chunks(*arrays)
    depths, boundaries = _for_arrays(depth, arrays), _for_arrays(boundary, arrays)
    if not trim and not {"chunks", "drop_axis", "new_axis"} & words.keys():
        words["chunks"] = arrays[0].chunks
    wide = {k: overlap(*each, allow_rechunk=allow_rechunk) for k, *each in zip(at, arrays, depths, boundaries)}
    args = [wide.get(k, x) for k, x in enumerate(args)]
    found = map_blocks(func, *args, dtype=dtype if dtype is not None else getattr(meta, "dtype", None), **words)
    if not trim:
        return found
    k = max(range(len(arrays)), key=lambda k: arrays[k].ndim)  # the first of the most axes
    ndim = arrays[k].ndim
    kept = list(zip(_depths(depths[k], ndim), _for_axes(boundaries[k], ndim, None)))
    dropped = {axis % ndim for axis in axes_in(words["drop_axis"])} if words.get("drop_axis") is not None else ()
    kept = [each for axis, each in enumerate(kept) if axis not in dropped]
    for axis in sorted(axes_in(words["new_axis"])) if words.get("new_axis") is not None else ():
        kept.insert(axis, ((0, 0), None))
    return trim_internal(found, dict(enumerate(d for d, _ in kept)), dict(enumerate(b for _, b in kept)))


Array.map_overlap = lambda self, func, depth, boundary=None, trim=True, **words: map_overlap(
    func, self, depth=depth, boundary=boundary, trim=trim, **words
)


def _for_arrays(value, arrays):
    """What is said of each of several arrays."""
    return value if isinstance(value, list) and len(value) == len(arrays) else [value] * len(arrays)


# ── differences ───────────────────────────────────────────────────────────────────────────


def gradient(f, *varargs, axis=None, edge_order=1):
    """numpy.gradient of each chunk and its neighbours; spacings are numbers or places. A list, unless axis is a number."""
    f = asanyarray(f)
    axes = [axis_in(a, f.ndim) for a in (range(f.ndim) if axis is None else axes_in(axis))]
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("Spacing must either be a single scalar, or a scalar / 1d-array per axis")
    spacings = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind in "bui":
        f = f.astype(float)
    found = [_gradient_along(f, a, h, edge_order) for a, h in zip(axes, spacings)]
    return found[0] if isinstance(axis, numbers.Integral) else found


def _gradient_along(f, axis, h, edge_order):
    n, ends = f.shape[axis], starts(f.chunks[axis])
    if n < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient: edge_order + 1 are needed")
    h = np.asarray(h.compute() if isinstance(h, Array) else h, float)
    if h.ndim and len(h) != n:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")

    def slope(block, block_id):
        first, last = ends[block_id[axis]], ends[block_id[axis] + 1]
        before = first - max(0, first - 2)
        where = h[first - before : first - before + block.shape[axis]] if h.ndim else h
        found = np.gradient(block, where, axis=axis, edge_order=edge_order)
        return found[along(axis, slice(before, before + last - first))]

    return map_blocks(slope, overlap(f, {axis: 2}), chunks=f.chunks, dtype=f.dtype)


def sliding_window_view(x, window_shape, axis=None, automatic_rechunk=True):
    """numpy.lib.stride_tricks.sliding_window_view: each chunk with as many of the next elements as a window has."""
    x, windows = asanyarray(x), tuple(axes_in(window_shape))
    if any(n < 0 for n in windows):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None and len(windows) != x.ndim:
        raise ValueError(f"Since axis is None, must provide window_shape for all dimensions of `x`; got {len(windows)} window_shape elements and `x.ndim` is {x.ndim}.")  # fmt: skip
    axes = list(range(x.ndim)) if axis is None else [axis_in(a, x.ndim) for a in axes_in(axis)]
    if len(axes) != len(windows):
        raise ValueError(f"Must provide matching length window_shape and axis; got {len(windows)} window_shape elements and {len(axes)} axes elements.")  # fmt: skip
    return functools.reduce(lambda y, each: _windows_along(y, *each), zip(axes, windows), x)


def _windows_along(x, axis, width):
    n, ends = x.shape[axis] - width + 1, starts(x.chunks[axis])
    if n < 1:
        raise ValueError("window shape cannot be larger than input array shape")
    rows = [(lo, min(hi, n)) for lo, hi in zip(ends, ends[1:]) if lo < n]
    chunks = (*at_axis(x.chunks, axis, tuple(hi - lo for lo, hi in rows)), (width,))
    x = _recut(x, axis, [(lo, hi + width - 1) for lo, hi in rows])
    return made("sliding_window_view", chunks, x.dtype, (on_numpys, _windowed, At(x, range(x.ndim)), width, axis))


def _windowed(block, width, axis):
    return np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(block, width, axis))


def trim_overlap(x, depth, boundary=None):
    """Without what overlap() added."""
    return trim_internal(x, depth, boundary)


for _function in (overlap, map_overlap, sliding_window_view, trim_internal, trim_overlap):  # it is a module in Dask
    setattr(overlap, _function.__name__, _function)
__all__ = ["gradient", "map_overlap", "overlap", "trim_internal", "trim_overlap"]
