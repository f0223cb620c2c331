"""Functions that NumPy computes of whole arrays: one task takes all chunks, and the result is an array of one chunk."""

import functools
import numbers

import numpy as np

from ..._face.table import bound
from ..utils import funcname
from . import _chunks
from ._array import Array, At, axes_in, axis_in, made, one_chunk, several
from ._blockwise import map_blocks
from ._chunks import along, at_axis, numpys, on_numpys, ours
from ._reductions import axes_of
from ._shape import concatenate, stack
from ._sources import asanyarray
from ._table import functions as f


def _by_numpy(function, words, ndims, *args):
    args = [x if n is None else numpys(_chunks.assembled(x, n)) for x, n in zip(args, ndims)]
    made_ = function(*args, **words)
    return made_ if isinstance(made_, (tuple, list)) else ours(made_)


def _at_once(function, args, words):
    """The task that calls function with all chunks of arrays, put together as NumPy's."""
    ndims = [x.ndim if isinstance(x, Array) else None for x in args]
    all_chunks = lambda x: At(x, [-1] * x.ndim, [[list(range(len(c)))] for c in x.chunks])
    return _by_numpy, function, words, ndims, *(all_chunks(x) if isinstance(x, Array) else x for x in args)


def whole(shape, dtype, function, *args, **words):
    """function of whole arrays, as an array of one chunk."""
    task = _at_once(function, args, words)
    return made(funcname(function), one_chunk(shape), dtype, task, meta=np.empty(0))


def wholes(kinds, function, *args, **words):
    """The parts of what function gives of whole arrays, as arrays of these (shape, dtype)."""
    kinds = [(one_chunk(shape), dtype) for shape, dtype in kinds]
    return several(funcname(function), (), kinds, _at_once(function, args, words))


_some = (np.nan,)  # how many there are is known when they are found


def _uniques(ar, *asked):
    told = dict(zip(("return_index", "return_inverse", "return_counts"), asked))
    if not any(asked):
        return whole(_some, ar.dtype, np.unique, ar)
    shapes = [shape for shape, is_asked in zip((_some, ar.shape, _some), asked) if is_asked]
    return tuple(wholes([(_some, ar.dtype), *((shape, np.int64) for shape in shapes)], np.unique, ar, **told))


def _covariance(m, y, rowvar, bias, ddof, weights):
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    samples = m.shape[-1 if rowvar or m.ndim == 1 else 0]
    weights = {name: np.asarray(w) for name, w in weights.items() if w is not None}
    for name, w in weights.items():
        if w.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if w.shape != (samples,):
            raise RuntimeError(f"incompatible numbers of samples and {name}")
    return _of_variables(np.cov, m, y, rowvar, bias=bias, ddof=ddof, **weights)


def _of_variables(function, m, y, rowvar, **words):
    """A number for each pair of the variables that m and y have."""
    y = None if y is None else asanyarray(y)
    n = sum(x.shape[0 if rowvar else 1] if x.ndim > 1 else 1 for x in (m, y) if x is not None)
    return whole((n, n) if n > 1 else (), float, function, m, y, rowvar=rowvar, **words)


def _sorted(a, *args, **words):
    return whole(a.shape, np.sort(np.ones((2,) * a.ndim, a.dtype), *args, **words).dtype, np.sort, a, *args, **words)


def _padded(array, pad_width, mode, words):
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2)).tolist()
    if not np.any(widths):
        return array
    shape = tuple(n + a + b for n, (a, b) in zip(array.shape, widths))
    return whole(shape, array.dtype, np.pad, array, widths, mode=mode, **words)


f.rows("array", {
    "sort": _sorted,
    "nonzero": lambda a: tuple(wholes([(_some, np.int64)] * max(1, a.ndim), np.nonzero, a)),
    "argwhere": lambda a: whole((np.nan, a.ndim), np.int64, np.argwhere, a),
    "flatnonzero": lambda a: whole(_some, np.int64, np.flatnonzero, a),
    "unique": lambda ar, return_index=False, return_inverse=False, return_counts=False: _uniques(
        ar, return_index, return_inverse, return_counts),
    "bincount": lambda x, weights=None, minlength=0, split_every=None: whole(
        (minlength if minlength else np.nan,), np.int64 if weights is None else float, np.bincount, x,
        *([] if weights is None else [asanyarray(weights)]), minlength=minlength),
    "percentile": lambda a, q, method="linear", internal_method="default", axis=None, **words: (
        _percentile(a, np.asarray(q), method)
        if axis is None and not words else f.quantile(a, np.asarray(q) / 100, axis=axis, method=method, **words)),
    "cov": lambda m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None: _covariance(
        m, y, rowvar, bias, ddof, {"fweights": fweights, "aweights": aweights}),
    "corrcoef": lambda x, y=None, rowvar=True: _of_variables(np.corrcoef, x, y, rowvar),
    "pad": lambda array, pad_width, mode="constant", **words: _padded(array, pad_width, mode, words),
    "digitize": lambda a, bins, right=False: map_blocks(
        np.digitize, a, bins=np.asarray(bins), right=right, dtype=np.int64),
})  # fmt: skip
f.rows("arrays", {"union1d": lambda ar1, ar2: f.unique(concatenate([ar1.ravel(), ar2.ravel()]))})


def _percentile(a, q, method):
    """Between texts there is nothing: of those it is the nearest."""
    method = "nearest" if a.dtype.kind in "SUT" else method
    dtype = np.percentile(np.ones(1, a.dtype), 50, method=method).dtype
    return whole(q.shape, dtype, np.percentile, a, q, method=method)


# ── the first k ───────────────────────────────────────────────────────────────────────────


def _first(x, k, axis):
    x = np.sort(x, axis=axis)
    return np.flip(x, axis)[along(axis, slice(k))] if k > 0 else x[along(axis, slice(-k))]


def _first_places(x, k, axis):
    is_turned = k > 0 and x.dtype.kind not in "if"
    order = np.argsort(-x if k > 0 and not is_turned else x, axis=axis, kind="stable")
    return (np.flip(order, axis) if is_turned else order)[along(axis, slice(abs(k)))]


def _of_k(a, k, axis=-1, split_every=None, *, best, dtype):
    axis = axis_in(axis, a.ndim)
    shape = tuple(min(abs(k), n) if i == axis else n for i, n in enumerate(a.shape))
    return whole(shape, dtype or a.dtype, best, a, k, axis)


f.rows("array", {
    "topk": bound(_of_k, best=_first, dtype=None), "argtopk": bound(_of_k, best=_first_places, dtype=np.int64),
})  # fmt: skip


# ── along axes that lie in one chunk ──────────────────────────────────────────────────────


def _over_axis(function, a, axis, keepdims):
    axes = axes_of(axis, a.ndim)
    a = a.rechunk({k: -1 for k in axes})
    chunks = tuple((1,) if k in axes else c for k, c in enumerate(a.chunks))
    sample = np.asarray(function(np.ones([a.shape[k] if k in axes else 1 for k in range(a.ndim)], a.dtype), axis=axes))
    found = map_blocks(lambda x: function(x, axis=axes, keepdims=True), a, chunks=chunks, dtype=sample.dtype)
    return found if keepdims else f.squeeze(found, axes)


def _median(a, axis=None, keepdims=False, out=None, *, name):
    if axis is None:
        raise NotImplementedError("The median of an array over all of its axes needs axis= here, as in Dask")
    return _over_axis(getattr(np, name), a, axis, keepdims)


def _weighed(function, q, method, weights, x, axis, keepdims=False):
    """weights: along the one axis, of all rows."""
    (axis,) = axis
    weights = np.broadcast_to(weights.reshape([-1 if k == axis else 1 for k in range(x.ndim)]), x.shape)
    return function(x, q, axis=axis, method=method, keepdims=keepdims, weights=weights)


def _quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, weights=None, *, name):
    if np.ndim(q):
        told = {"axis": axis, "method": method, "keepdims": keepdims, "weights": weights, "name": name}
        return stack([_quantile(a, one, **told) for one in np.asarray(q)])
    function = getattr(np, name)
    if weights is None:
        return _over_axis(functools.partial(function, q=q, method=method), a, axis, keepdims)
    weights = np.asarray(weights)
    if weights.ndim > 1:
        raise NotImplementedError(f"dask.array.{name}: weights= are of one axis, the one that axis= names")
    return _over_axis(functools.partial(_weighed, function, q, method, weights), a, axis, keepdims)


f.rows("array", {
    "median": bound(_median, name="median"), "nanmedian": bound(_median, name="nanmedian"),
    "quantile": bound(_quantile, name="quantile"), "nanquantile": bound(_quantile, name="nanquantile"),
    "nanpercentile": lambda a, q, **words: f.nanquantile(a, np.asarray(q) / 100, **words),
})  # fmt: skip


def _along(func, axis, args, words, block):
    return np.apply_along_axis(func, axis, block, *args, **words)


def apply_along_axis(func1d, axis, arr, *args, dtype=None, shape=None, **words):
    arr = asanyarray(arr)
    axis = axis_in(axis, arr.ndim)
    if dtype is None or shape is None:
        sample = np.asarray(func1d(np.ones(arr.shape[axis], arr.dtype), *args, **words))
        dtype, shape = dtype or sample.dtype, sample.shape if shape is None else shape
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    arr = arr.rechunk({axis: -1})
    chunks = at_axis(arr.chunks, axis, *((n,) for n in shape))
    at = At(arr, [k if k < axis else -1 if k == axis else k + len(shape) - 1 for k in range(arr.ndim)])
    along = functools.partial(_along, func1d, axis, args, words)
    return made("apply_along_axis", chunks, dtype, (on_numpys, along, at))


def apply_over_axes(func, a, axes):
    a = asanyarray(a)
    for axis in axes_in(axes):
        found = func(a, axis)
        a = found if found.ndim == a.ndim else f.expand_dims(found, axis)
    return a


# ── places ────────────────────────────────────────────────────────────────────────────────


@f.row("array")
def searchsorted(a, v, side="left", sorter=None):
    if sorter is not None:
        raise NotImplementedError("da.searchsorted with a sorter argument is not supported")
    a, v = a.rechunk(-1), asanyarray(v)
    if a.ndim != 1:
        raise ValueError("Input array a must be one dimensional")
    return made("searchsorted", v.chunks, np.int64, (on_numpys, np.searchsorted, At(a, [-1]), v, side))


__all__ = ["apply_along_axis", "apply_over_axes"]
