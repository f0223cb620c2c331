"""What NumPy computes of whole arrays: a task of all their chunks, and arrays of one chunk of what it gives."""

import functools
import numbers

import numpy as np


from .._task_spec import List, TaskRef
from ..base import is_dask_collection
from ..utils import funcname
from . import _chunks
from ._chunks import numpys, on_numpys, ours
from ._array import Array, axes_in, axis_in, grid, made, one_chunk, several
from ._blockwise import map_blocks
from ._elementwise import elementwise
from ._sources import asanyarray, from_array
from ._create import tri
from ._reductions import axes_of
from ._shape import concatenate, stack
from ._table import functions as f


class _Place:
    """Where an array stands among the arguments."""

    def __init__(self, number):
        self.number = number

    def __dask_tokenize__(self):
        return self.number


def _by_numpy(nested, ndims, function, args, words):
    found = [numpys(_chunks.whole(part, n) if n else part) for part, n in zip(nested, ndims)]

    def put(x):
        return found[x.number] if isinstance(x, _Place) else list(map(put, x)) if isinstance(x, list) else x

    made_ = function(*map(put, args), **words)
    return made_ if isinstance(made_, (tuple, list)) else ours(made_)


def _at_once(function, args, words):
    """The task that calls function with all chunks of arrays, put together as NumPy's; its inputs, and what tells it from others."""
    inputs = []

    def place(x):
        if isinstance(x, Array):
            inputs.append(x)
            return _Place(len(inputs) - 1)
        return [place(i) for i in x] if isinstance(x, list) else x

    def nested(keys):
        return List._of([nested(k) for k in keys]) if isinstance(keys, list) else TaskRef(keys)

    places = [place(a) for a in args]
    grids = List._of([nested(x.__dask_keys__()) if x.ndim else x.ref(()) for x in inputs])
    return (_by_numpy, grids, [x.ndim for x in inputs], function, places, words), inputs, [function, places, words]


def whole(shape, dtype, function, *args, **words):
    """function of whole arrays, as an array of one chunk."""
    task, inputs, token = _at_once(function, args, words)
    return made(funcname(function), one_chunk(shape), dtype, lambda p: task, inputs, token, meta=np.empty(0))


def wholes(kinds, function, *args, **words):
    """The parts of what function gives of whole arrays, as arrays of these (shape, dtype)."""
    task, inputs, token = _at_once(function, args, words)
    return several(
        funcname(function), (), [(one_chunk(shape), dtype) for shape, dtype in kinds], lambda p: task, inputs, token
    )


# How many there are is known when they are found.
_some = (np.nan,)


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
    n = _variables(m, rowvar) + (0 if y is None else _variables(y := asanyarray(y), rowvar))
    return whole((n, n) if n > 1 else (), float, np.cov, m, y, rowvar=rowvar, bias=bias, ddof=ddof, **weights)


def _variables(m, rowvar):
    return m.shape[0 if rowvar else 1] if m.ndim > 1 else 1


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
        whole(np.shape(q), np.percentile(np.ones(1, a.dtype), 50).dtype, np.percentile, a, np.asarray(q), method=method)
        if axis is None and not words else f.quantile(a, np.asarray(q) / 100, axis=axis, method=method, **words)),
    "cov": lambda m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None: _covariance(
        m, y, rowvar, bias, ddof, {"fweights": fweights, "aweights": aweights}),
    "corrcoef": lambda x, y=None, rowvar=True: whole(
        (_variables(x, rowvar) + (y is not None),) * 2, float, np.corrcoef, x, None if y is None else asanyarray(y),
        rowvar=rowvar),
    "pad": lambda array, pad_width, mode="constant", **words: _padded(array, pad_width, mode, words),
    "digitize": lambda a, bins, right=False: map_blocks(
        np.digitize, a, bins=np.asarray(bins), right=right, dtype=np.int64),
})  # fmt: skip
f.rows("arrays", {"union1d": lambda ar1, ar2: f.unique(concatenate([ar1.ravel(), ar2.ravel()]))})


# ── the first k ───────────────────────────────────────────────────────────────────────────


def _first(x, k, axis):
    x = np.sort(x, axis=axis)
    front = (slice(None),) * axis
    return np.flip(x, axis)[(*front, slice(k))] if k > 0 else x[(*front, slice(-k))]


def _first_places(x, k, axis):
    is_turned = k > 0 and x.dtype.kind not in "if"
    order = np.argsort(-x if k > 0 and not is_turned else x, axis=axis, kind="stable")
    return (np.flip(order, axis) if is_turned else order)[(slice(None),) * axis + (slice(abs(k)),)]


def _of_k(best, dtype=None):
    def row(a, k, axis=-1, split_every=None):
        axis = axis_in(axis, a.ndim)
        shape = tuple(min(abs(k), n) if i == axis else n for i, n in enumerate(a.shape))
        return whole(shape, dtype or a.dtype, best, a, k, axis)

    return row


f.rows("array", {"topk": _of_k(_first), "argtopk": _of_k(_first_places, np.int64)})


# ── along axes that lie in one chunk ──────────────────────────────────────────────────────


def _over_axis(function, a, axis, keepdims):
    axes = axes_of(axis, a.ndim)
    a = a.rechunk({k: -1 for k in axes})
    chunks = tuple((1,) if k in axes else c for k, c in enumerate(a.chunks))
    sample = np.asarray(function(np.ones([a.shape[k] if k in axes else 1 for k in range(a.ndim)], a.dtype), axis=axes))
    found = map_blocks(lambda x: function(x, axis=axes, keepdims=True), a, chunks=chunks, dtype=sample.dtype)
    return found if keepdims else f.squeeze(found, axes)


def _median(name):
    def median(a, axis=None, keepdims=False, out=None):
        if axis is None:
            raise NotImplementedError("The median of an array over all of its axes needs axis= here, as in Dask")
        return _over_axis(getattr(np, name), a, axis, keepdims)

    return median


def _weighed(function, q, method, weights, x, axis, keepdims=False):
    """weights: along the one axis, of all rows."""
    (axis,) = axis
    weights = np.broadcast_to(weights.reshape([-1 if k == axis else 1 for k in range(x.ndim)]), x.shape)
    return function(x, q, axis=axis, method=method, keepdims=keepdims, weights=weights)


def _quantile(name):
    function = getattr(np, name)

    def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, weights=None):
        if np.ndim(q):
            return stack([quantile(a, each, axis, None, False, method, keepdims, weights) for each in np.asarray(q)])  # fmt: skip
        if weights is None:
            return _over_axis(functools.partial(function, q=q, method=method), a, axis, keepdims)
        weights = np.asarray(weights)
        if weights.ndim > 1:
            raise NotImplementedError(f"dask.array.{name}: weights= are of one axis, the one that axis= names")
        weigh = functools.partial(_weighed, function, q, method, weights)
        return _over_axis(weigh, a, axis, keepdims)

    return quantile


f.rows("array", {
    "median": _median("median"), "nanmedian": _median("nanmedian"),
    "quantile": _quantile("quantile"), "nanquantile": _quantile("nanquantile"),
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
    chunks = (*arr.chunks[:axis], *((n,) for n in shape), *arr.chunks[axis + 1 :])

    def task_of(place):
        at = (*place[:axis], 0, *place[axis + len(shape) :])
        return on_numpys, functools.partial(_along, func1d, axis, args, words), arr.ref(at)

    return made("apply_along_axis", chunks, dtype, task_of, [arr], [func1d, axis, args, words])


def apply_over_axes(func, a, axes):
    a = asanyarray(a)
    for axis in axes_in(axes):
        found = func(a, axis)
        a = found if found.ndim == a.ndim else f.expand_dims(found, axis)
    return a


# ── diagonals and triangles ───────────────────────────────────────────────────────────────


def _triangle(m, k, keeps_lower):
    mask, zero = tri(*m.shape[-2:], k=k, dtype=np.bool_, chunks=m.chunks[-2:]), m.dtype.type(0)
    return elementwise("where", mask, m, zero) if keeps_lower else elementwise("where", mask, zero, m)


def _places_in(n, k, m, chunks, lower):
    mask = tri(n, m, k if lower else k - 1, np.bool_, chunks)
    return f.nonzero(mask if lower else elementwise("logical_not", mask))


def _places_of(arr, k, lower):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return _places_in(arr.shape[-2], k, arr.shape[-1], arr.chunks[-2:], lower)


f.rows("array", {
    "tril": lambda m, k=0: _triangle(m, k, True), "triu": lambda m, k=0: _triangle(m, k - 1, False),
    "tril_indices_from": lambda arr, k=0: _places_of(arr, k, True),
    "triu_indices_from": lambda arr, k=0: _places_of(arr, k, False),
    "trace": lambda a, offset=0, axis1=0, axis2=1, dtype=None: f.diagonal(a, offset, axis1, axis2).sum(
        axis=-1, dtype=dtype),
})  # fmt: skip
f.rows("plain", {
    "tril_indices": lambda n, k=0, m=None, chunks="auto": _places_in(n, k, m, chunks, True),
    "triu_indices": lambda n, k=0, m=None, chunks="auto": _places_in(n, k, m, chunks, False),
})  # fmt: skip


def _diagonal_block(x, rows, columns, is_own, dtype):
    return ours(np.diag(numpys(x)) if is_own else np.zeros((rows, columns), dtype))


@f.row("array")
def diag(v, k=0):
    if v.ndim == 2:
        return f.diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Array must be 1d or 2d only")
    (c,) = v.chunks

    def task_of(place):
        i, j = place
        return _diagonal_block, v.ref((i,)), c[i], c[j], i == j, v.dtype

    found = made("diag", (c, c), v.dtype, task_of, [v])
    return f.pad(found, ((max(0, -k), max(0, k)), (max(0, k), max(0, -k)))) if k else found


@f.row("array")
def diagonal(a, offset=0, axis1=0, axis2=1):
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis_in(axis1, a.ndim), axis_in(axis2, a.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    n, m = a.shape[first], a.shape[second]
    length = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    shape = (*(s for k, s in enumerate(a.shape) if k not in (first, second)), length)
    return whole(shape, a.dtype, np.diagonal, a, offset=offset, axis1=axis1, axis2=axis2)


# ── places ────────────────────────────────────────────────────────────────────────────────


@f.row("array")
def searchsorted(a, v, side="left", sorter=None):
    if sorter is not None:
        raise NotImplementedError("da.searchsorted with a sorter argument is not supported")
    a, v = a.rechunk(-1), asanyarray(v)
    if a.ndim != 1:
        raise ValueError("Input array a must be one dimensional")
    find = functools.partial(np.searchsorted, side=side)
    return made("searchsorted", v.chunks, np.int64, lambda p: (on_numpys, find, a.ref((0,)), v.ref(p)), [a, v], side)


class _Points:
    """x.vindex[rows, columns]: one element for each pair."""

    def __init__(self, array):
        self._array = array

    def __getitem__(self, index):
        index, x = index if isinstance(index, tuple) else (index,), self._array
        if any(map(is_dask_collection, index)):
            raise IndexError("vindex does not support indexing with dask objects. Call compute on the indexer first")
        if any(i is None for i in index):
            raise IndexError(f"vindex does not support indexing with None (np.newaxis), got {index}")
        index = tuple(i if isinstance(i, slice) else np.asarray(i, int if np.size(i) == 0 else None) for i in index)
        index += (slice(None),) * (x.ndim - len(index))
        for i, n in zip(index, x.shape):
            if not isinstance(i, slice) and (i.dtype.kind not in "iu" or i.size and not -n <= i.min() <= i.max() < n):
                raise IndexError(f"vindex key has entries out of bounds for indexing along an axis of length {n}, or which are no numbers: {i}")  # fmt: skip
        arrays = [k for k, i in enumerate(index) if not isinstance(i, slice)]
        if not arrays:
            return x[index]
        order = arrays + [k for k in range(x.ndim) if k not in arrays]  # the points' axes come first, as in Dask
        try:
            points = np.broadcast_shapes(*(index[k].shape for k in arrays))
        except ValueError as error:
            raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together: {error}") from None
        rest = x[tuple(i if isinstance(i, slice) else slice(None) for i in index)].transpose(order)
        at = tuple(index[k] for k in arrays)
        return whole((*points, *rest.shape[len(arrays) :]), x.dtype, lambda values: values[at], rest)


Array.vindex = property(_Points)


# ── histograms ────────────────────────────────────────────────────────────────────────────


def _spaced(lo, hi, count):
    return np.linspace(lo, hi, int(count) + 1)


def _edges(bins, range):  # noqa: A002
    """The edges of bins, as an array; of numbers of which some are known later, too."""
    if bins is None or np.ndim(bins) == 0 and range is None:
        raise ValueError(
            "dask.array.histogram requires specifying bins: either an iterable of edges, or their number and range="
        )
    if range is not None and (np.ndim(range) != 1 if not isinstance(range, (list, tuple)) else False):
        raise (ValueError if np.ndim(range) else TypeError)(
            f"Expected a sequence or array of two items for range, not {range}"
        )
    if range is not None and len(range) != 2:
        raise ValueError(f"range must be a sequence or array of length 2, but got {len(range)} items")
    if np.ndim(bins) > 1:
        raise ValueError(f"bins must be a 1-dimensional array or sequence, got shape {np.shape(bins)}")
    if np.ndim(bins):
        return bins if isinstance(bins, Array) else np.asarray(bins)
    told = (*range, bins)
    if not any(map(is_dask_collection, told)):
        return _spaced(*told)
    told = [asanyarray(x) if isinstance(x, Array) else x for x in told]
    return whole((np.nan if is_dask_collection(bins) else int(bins) + 1,), float, _spaced, *told)


def _counted(edges, a, weights=None):
    return np.histogram(a, edges, weights=weights)[0][None]


def histogram(a, bins=None, range=None, normed=False, weights=None, density=None):  # noqa: A002
    """How many elements are in each bin, chunk by chunk, and the edges. bins: edges, or how many there are between the ends
    that range= says; arrays of Dask too."""
    if normed:
        raise ValueError("The normed= keyword argument has been deprecated. Please use density instead.")
    if density and is_dask_collection(bins) and np.ndim(bins) == 0:
        raise NotImplementedError("When `density` is True, `bins` cannot be a scalar Dask object")
    a, edges, more = asanyarray(a), _edges(bins, range), []
    lazy = [edges if len(edges.chunks[0]) == 1 else edges.rechunk(-1)] if isinstance(edges, Array) else []
    given = lazy[0].ref((0,)) if lazy else edges
    if weights is not None:
        more = [asanyarray(weights)]
        if more[0].chunks != a.chunks:
            raise ValueError("Input array and weights must have the same chunked structure")
    places = list(grid(a.chunks))

    def task_of(place):
        at = places[place[0]]
        return on_numpys, _counted, given, a.ref(at), *(w.ref(at) for w in more)

    kind = more[0].dtype if more else np.dtype(np.int64)
    chunks = ((1,) * len(places), (edges.shape[0] - 1,))
    counts = made("histogram-sum", chunks, kind, task_of, [a, *more, *lazy], [] if lazy else edges.tolist()).sum(axis=0)
    if density:
        counts = counts / asanyarray(f.diff(edges) if lazy else np.diff(edges)).astype(float) / counts.sum()
    return counts, edges


def histogram2d(x, y, bins=10, range=None, normed=None, weights=None, density=None):  # noqa: A002
    counts, edges = histogramdd((x, y), bins, range, normed, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(sample, bins, range=None, normed=None, weights=None, density=None):  # noqa: A002
    """Counts in cells of several axes. sample: an (N, D) array or one array for each axis."""
    if normed is not None and density is not None:
        raise TypeError("Cannot specify both 'normed' and 'density'")
    density = normed if density is None else density
    if not isinstance(sample, (tuple, list)) and sample.ndim != 2:
        raise ValueError("Single array input to histogramdd should be columnar")
    columns = [asanyarray(x) for x in sample] if isinstance(sample, (tuple, list)) else [sample[:, k] for k in np.arange(sample.shape[1])]  # fmt: skip
    each = [bins] * len(columns) if isinstance(bins, numbers.Integral) else list(bins)
    if len(each) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample.")
    if range is not None and len(range) != len(columns):
        raise ValueError("range argument requires one entry, a min max pair, per dimension.")
    if range is not None and any(np.shape(pair) != (2,) for pair in range):
        raise ValueError("range argument should be a sequence of pairs")
    if range is None and any(isinstance(b, numbers.Integral) for b in each):
        raise ValueError("dask.array.histogramdd requires range= where bins are numbers")
    edges = [
        np.linspace(*range[k], b + 1) if isinstance(b, numbers.Integral) else np.asarray(b) for k, b in enumerate(each)
    ]

    def count(columns, weights=None):
        return np.histogramdd(columns, edges, weights=weights, density=density)[0]

    counts = whole(tuple(len(e) - 1 for e in edges), float, count, columns, *([] if weights is None else [asanyarray(weights)]))  # fmt: skip
    return counts, [from_array(e) for e in edges]


__all__ = ["apply_along_axis", "apply_over_axes", "histogram", "histogram2d", "histogramdd"]
