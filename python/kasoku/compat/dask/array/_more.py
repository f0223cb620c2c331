"""Creation, joining, and what is computed over a whole array by NumPy."""

import contextlib
import functools
import math
import numbers

import numpy as np

import kasoku as ks

from kasoku._core import Delayed

from .._task_spec import List, Task, TaskRef
from ..base import tokenize
from ..highlevelgraph import HighLevelGraph
from ..utils import SerializableLock
from . import _chunks
from ._chunks import call, normalize_chunks, numpys, on_numpys, ours, starts
from ._core import Array, _same, asarray, elementwise, from_array, made, map_blocks, reshape
from ._index import expand, flip as _flip, take as _take


def _filled(name, shape, value, dtype, where=None):
    return ks.full(shape, value, dtype=dtype) if np.dtype(dtype).kind in "biufc" else np.full(shape, value, dtype)


def _filled_like(x, value, dtype):
    return _filled(None, x.shape, value, dtype)


def _constant(word, value):
    def create(shape, dtype=None, chunks="auto", name=None, **ignored):
        return full(shape, value, dtype=dtype or float, chunks=chunks, name=name, word=word)

    def like(a, dtype=None, chunks=None, shape=None, name=None, **ignored):
        return full_like(a, value, dtype, chunks, shape, name, word=word)

    create.__name__, like.__name__ = word, f"{word}_like"
    return create, like


def full(shape, fill_value, dtype=None, chunks="auto", name=None, word="full", **ignored):
    if np.ndim(fill_value):
        raise ValueError(f"fill_value must be scalar. Received {type(fill_value).__name__} instead.")
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    dtype = np.dtype(dtype if dtype is not None else np.asarray(fill_value).dtype)
    chunks = normalize_chunks(chunks, shape, dtype=dtype)
    return made(word, chunks, dtype, lambda p: (_filled, word, tuple(c[i] for c, i in zip(chunks, p)), fill_value, dtype), token=[fill_value], gives_numpys=True, name=name)  # fmt: skip


def full_like(a, fill_value, dtype=None, chunks=None, shape=None, name=None, word="full", **ignored):
    """The chunks are those of `a`, where it says neither shape nor chunks."""
    a = asarray(a)
    if shape is None and chunks is None and any(map(math.isnan, a.shape)):
        dtype = np.dtype(dtype or a.dtype)
        return made(word, a.chunks, dtype, lambda p: (_filled_like, a.ref(p), fill_value, dtype), [a], name=name, token=[fill_value])  # fmt: skip
    if chunks is None:
        chunks = a.chunks if shape is None else "auto"
    return full(a.shape if shape is None else shape, fill_value, dtype or a.dtype, chunks, name, word)


zeros, zeros_like = _constant("zeros", 0)
ones, ones_like = _constant("ones", 1)
empty, empty_like = _constant("empty", 0)


def _range(start, step, count, dtype):
    return ours((start + step * np.arange(count)).astype(dtype))


def arange(start, stop=None, step=1, *, chunks="auto", dtype=None, **ignored):
    if stop is None:
        start, stop = 0, start
    dtype = np.dtype(dtype) if dtype is not None else np.arange(type(start)(0) if not isinstance(start, np.generic) else start, type(stop)(1) if not isinstance(stop, np.generic) else stop, step).dtype  # fmt: skip
    n = max(0, math.ceil((stop - start) / step))
    chunks = normalize_chunks(chunks, (n,), dtype=dtype)
    ends = starts(chunks[0])
    return made("arange", chunks, dtype, lambda p: (_range, start + step * ends[p[0]], step, chunks[0][p[0]], dtype), token=[start, stop, step], gives_numpys=True)  # fmt: skip


def linspace(start, stop, num=50, endpoint=True, retstep=False, chunks="auto", dtype=None):
    step = (stop - start) / max(1, num - 1 if endpoint else num)
    dtype = np.dtype(dtype or float)
    chunks = normalize_chunks(chunks, (num,), dtype=dtype)
    ends = starts(chunks[0])
    x = made("linspace", chunks, dtype, lambda p: (_range, start + step * ends[p[0]], step, chunks[0][p[0]], dtype), token=[start, stop, num, endpoint], gives_numpys=True)  # fmt: skip
    return (x, step) if retstep else x


def _corner(n, m, k, dtype):
    return ours(np.eye(n, m, k, dtype))


def eye(N, chunks="auto", M=None, k=0, dtype=float):
    M = N if M is None else M
    chunks = normalize_chunks(chunks, (N, M), dtype=dtype)
    rows, columns = map(starts, chunks)
    return made("eye", chunks, dtype, lambda p: (_corner, chunks[0][p[0]], chunks[1][p[1]], k + rows[p[0]] - columns[p[1]], dtype), token=k, gives_numpys=True)  # fmt: skip


def fromfunction(func, chunks="auto", shape=None, dtype=None, **words):
    chunks = normalize_chunks(chunks, shape, dtype=dtype)
    ends = [starts(c) for c in chunks]

    def block(block_id):
        where = [np.arange(e[i], e[i + 1]) for e, i in zip(ends, block_id)]
        return func(*np.meshgrid(*where, indexing="ij"), **words)

    return map_blocks(block, chunks=chunks, dtype=dtype or float)


def meshgrid(*arrays, indexing="xy", **ignored):
    arrays = [asarray(a).ravel() for a in arrays]
    order = list(range(len(arrays)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    shape = tuple(arrays[k].size for k in order)
    chunks = tuple(arrays[k].chunks[0] for k in order)
    return tuple(broadcast_to(a[tuple(slice(None) if order[axis] == k else None for axis in range(len(order)))], shape, chunks) for k, a in enumerate(arrays))  # fmt: skip


# ── joining ───────────────────────────────────────────────────────────────────────────────


def concatenate(seq, axis=0, allow_unknown_chunksizes=False):
    """Arrays in a row along an axis."""
    return _in_a_row(seq, axis, "concatenate")


def _in_a_row(seq, axis, word):
    arrays = [asarray(x) for x in seq]
    if not arrays:
        raise ValueError("Need array(s) to concatenate")
    if axis is None:
        arrays, axis = [x.ravel() for x in arrays], 0
    ndim = arrays[0].ndim
    if not -ndim <= axis < ndim:
        raise ValueError(
            f"Axis must be less than than number of dimensions\nData has {ndim} dimensions, but got axis={axis}"
        )
    axis %= ndim
    dtype = functools.reduce(np.promote_types, [x.dtype for x in arrays])
    shape = arrays[0].shape
    for x in arrays[1:]:
        if x.ndim != ndim or any(x.shape[a] != shape[a] for a in range(ndim) if a != axis):
            raise ValueError(
                f"Tried to concatenate arrays with unknown or different shapes {[x.shape for x in arrays]}"
            )
    common = {}
    for a in range(ndim):
        if a != axis:
            ends = sorted(set().union(*(starts(x.chunks[a]) for x in arrays)))
            common[a] = tuple(q - p for p, q in zip(ends, ends[1:])) or (0,)
    arrays = [x.astype(dtype).rechunk(common) if common else x.astype(dtype) for x in arrays]
    owners = [(k, i) for k, x in enumerate(arrays) for i in range(len(x.chunks[axis]))]
    chunks = tuple(sum((x.chunks[axis] for x in arrays), ()) if a == axis else arrays[0].chunks[a] for a in range(ndim))

    def task_of(place):
        k, i = owners[place[axis]]
        return _same, arrays[k].ref((*place[:axis], i, *place[axis + 1 :]))

    return made(word, chunks, dtype, task_of, arrays, axis)


def stack(seq, axis=0, allow_unknown_chunksizes=False):
    """Arrays in a row along a new axis."""
    arrays = [asarray(x) for x in seq]
    if not arrays:
        raise ValueError("Need array(s) to stack")
    if len({x.shape for x in arrays}) > 1:
        raise ValueError(f"Stacked arrays must have the same shape. Got {[x.shape for x in arrays]}")
    axis = axis % (arrays[0].ndim + 1)
    return _in_a_row([expand(x, axis) for x in arrays], axis, "stack")


def vstack(tup, **ignored):
    return concatenate([x if x.ndim > 1 else reshape(x, (1, -1)) for x in map(asarray, tup)], 0)


def hstack(tup, **ignored):
    arrays = [asarray(x) if asarray(x).ndim else reshape(asarray(x), (1,)) for x in tup]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


def dstack(tup, **ignored):
    arrays = [
        x if x.ndim > 2 else (expand(x, 2) if x.ndim == 2 else expand(expand(x, 0), 2)) for x in map(asarray, tup)
    ]
    return concatenate(arrays, 2)


def block(arrays, allow_unknown_chunksizes=False):
    """Nested lists of arrays: the innermost lists are joined along the last axis."""

    def depth(x):
        return 1 + depth(x[0]) if isinstance(x, list) else 0

    levels = depth(arrays)

    def join(x, level):
        if not isinstance(x, list):
            x = asarray(x)
            return reshape(x, (1,) * (levels - x.ndim) + x.shape) if x.ndim < levels else x
        return concatenate([join(part, level + 1) for part in x], axis=level - levels)

    return join(arrays, 0)


def broadcast_to(x, shape, chunks=None, meta=None):
    x = asarray(x)
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    if x.shape == shape and chunks is None:
        return x
    new = len(shape) - x.ndim
    if new < 0 or any(n not in (1, m) for n, m in zip(x.shape, shape[new:])):
        raise ValueError(f"cannot broadcast shape {x.shape} to shape {shape}")
    given = chunks if chunks is not None else (*((n,) for n in shape[:new]), *(c if sum(c) != 1 or n == 1 else (n,) for c, n in zip(x.chunks, shape[new:])))  # fmt: skip
    chunks = normalize_chunks(given, shape, dtype=x.dtype)
    x = x.rechunk(tuple(c if sum(own) != 1 else (1,) for c, own in zip(chunks[new:], x.chunks)))

    def task_of(place):
        at = tuple(0 if sum(c) == 1 else i for c, i in zip(x.chunks, place[new:]))
        return call, "broadcast_to", x.ref(at), tuple(c[i] for c, i in zip(chunks, place))

    return made("broadcast_to", chunks, x.dtype, task_of, [x], [shape])


def broadcast_arrays(*arrays, **ignored):
    arrays = [asarray(x) for x in arrays]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    return [broadcast_to(x, shape) for x in arrays]


# ── in another order ──────────────────────────────────────────────────────────────────────


def flip(m, axis=None):
    m = asarray(m)
    for a in range(m.ndim) if axis is None else [axis] if isinstance(axis, numbers.Integral) else axis:
        m = _flip(m, a % m.ndim)
    return m


def transpose(a, axes=None):
    return asarray(a).transpose(*([] if axes is None else [axes]))


def swapaxes(x, a, b):
    order = list(range(x.ndim))
    order[a], order[b] = order[b], order[a]
    return x.transpose(order)


def moveaxis(x, source, destination):
    x = asarray(x)
    source, destination = ([v] if isinstance(v, numbers.Integral) else list(v) for v in (source, destination))
    source, destination = [s % x.ndim for s in source], [d % x.ndim for d in destination]
    order = [a for a in range(x.ndim) if a not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return x.transpose(order)


def squeeze(a, axis=None):
    a = asarray(a)
    axes = [k for k, n in enumerate(a.shape) if n == 1] if axis is None else [axis] if isinstance(axis, numbers.Integral) else list(axis)  # fmt: skip
    axes = [k % a.ndim for k in axes]
    if any(a.shape[k] != 1 for k in axes):
        raise ValueError("cannot squeeze axis with size other than one")
    return a[tuple(0 if k in axes else slice(None) for k in range(a.ndim))]


def expand_dims(a, axis):
    a = asarray(a)
    axes = [axis] if isinstance(axis, numbers.Integral) else list(axis)
    for k in sorted(k % (a.ndim + len(axes)) for k in axes):
        a = expand(a, k)
    return a


def roll(array, shift, axis=None):
    x = asarray(array)
    if axis is None:
        return reshape(roll(x.ravel(), shift, 0), x.shape)
    for s, a in zip(*([v] if isinstance(v, numbers.Integral) else v for v in (shift, axis))):
        a %= x.ndim
        s = -s % x.shape[a] if x.shape[a] else 0
        if s:
            before, after = ((slice(None),) * a + (part,) for part in (slice(s, None), slice(None, s)))
            x = concatenate([x[before], x[after]], a)
    return x


def take(a, indices, axis=0):
    a = asarray(a)
    if isinstance(indices, numbers.Integral):
        return a[(slice(None),) * (axis % a.ndim) + (indices,)]
    return _take(a, np.asarray(indices), axis % a.ndim)


def repeat(a, repeats, axis=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return _take(a, np.repeat(np.arange(a.shape[axis]), repeats), axis % a.ndim)


def tile(A, reps):
    A = asarray(A)
    reps = (reps,) if isinstance(reps, numbers.Integral) else tuple(reps)
    A = reshape(A, (1,) * (len(reps) - A.ndim) + A.shape) if len(reps) > A.ndim else A
    for axis, n in enumerate((1,) * (A.ndim - len(reps)) + reps):
        A = concatenate([A] * n, axis) if n != 1 and n else A if n else A[(slice(None),) * axis + (slice(0),)]
    return A


def diff(a, n=1, axis=-1):
    a = asarray(a)
    for _ in range(n):
        before = (slice(None),) * (axis % a.ndim)
        a = elementwise(
            "not_equal" if a.dtype == bool else "subtract", a[(*before, slice(1, None))], a[(*before, slice(None, -1))]
        )
    return a


def ravel(array):
    return asarray(array).ravel()


def where(condition, x=None, y=None):
    if x is None:
        return nonzero(condition)
    return elementwise("where", condition, x, y)


def round(a, decimals=0):  # noqa: A001
    return asarray(a).round(decimals)


around = round


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return elementwise("isclose", a, b, rtol=rtol, atol=atol, equal_nan=equal_nan).all()


def nan_to_num(x, *args, **words):
    return map_blocks(np.nan_to_num, asarray(x), *args, dtype=asarray(x).dtype, **words)


def isnull(values):
    return elementwise("isnan", values)


def count_nonzero(a, axis=None):
    return elementwise("not_equal", asarray(a), 0).sum(axis=axis)


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    a = asarray(a)
    if weights is None:
        found = a.mean(axis=axis, keepdims=keepdims)
        return (found, full_like(found, a.size / max(1, found.size))) if returned else found
    weights = asarray(weights)
    if weights.ndim != a.ndim:
        weights = broadcast_to(weights, a.shape) if axis is None or axis % a.ndim == a.ndim - 1 else broadcast_to(reshape(weights, (-1,) + (1,) * (a.ndim - 1 - axis)), a.shape)  # fmt: skip
    total = weights.sum(axis=axis, keepdims=keepdims)
    found = (a * weights).sum(axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


def coarsen(reduction, x, axes, trim_excess=False, **words):
    """reduction of neighbours: axes says how many along each axis."""

    factors = [axes.get(a, 1) for a in range(x.ndim)]
    whole = [n // k * k for n, k in zip(x.shape, factors)]
    if not trim_excess and whole != list(x.shape):
        raise ValueError(f"Coarsening factors {axes} do not align with array shape {x.shape}.")
    x = x[tuple(slice(0, n) for n in whole)]
    ends = [sorted({end // k * k for end in starts(c)} - {0}) for c, k in zip(x.chunks, factors)]
    x = x.rechunk(tuple(tuple(np.diff(e, prepend=0).tolist()) or (0,) for e in ends))

    def shrink(part):
        shape = [m for n, k in zip(part.shape, factors) for m in (n // k, k)]
        return reduction(part.reshape(shape), axis=tuple(range(1, 2 * part.ndim, 2)), **words)

    return map_blocks(shrink, x, chunks=tuple(tuple(n // k for n in c) for c, k in zip(x.chunks, factors)))


# ── over a whole array, by NumPy ──────────────────────────────────────────────────────────


def _by_numpy(nested, ndims, function, args, words):
    found = [numpys(_chunks.whole(part, n)) if n else numpys(part) for part, n in zip(nested, ndims)]
    args = [found[a.number] if isinstance(a, _Place) else [found[i.number] if isinstance(i, _Place) else i for i in a] if isinstance(a, list) else a for a in args]  # fmt: skip
    return function(*args, **words)


class _Place:
    def __init__(self, number):
        self.number = number

    def __dask_tokenize__(self):
        return self.number


def on_whole(function, *args, **words):
    """A delayed value: function of arrays as NumPy's."""
    inputs, places = [], []

    def place(x):
        if isinstance(x, Array):
            inputs.append(x)
            return _Place(len(inputs) - 1)
        return [place(i) for i in x] if isinstance(x, list) else x

    places = [place(a) for a in args]

    def nested(keys):
        return List._of([nested(k) for k in keys]) if isinstance(keys, list) else TaskRef(keys)

    name = f"{getattr(function, '__name__', 'call')}-{tokenize(function, [x.name for x in inputs], places, words)}"
    grids = List._of([nested(x.__dask_keys__()) if x.ndim else x.ref(()) for x in inputs])
    task = Task(name, _by_numpy, grids, [x.ndim for x in inputs], function, places, words)
    return Delayed(name, HighLevelGraph.from_collections(name, {name: task}, inputs))


def array_of(value, shape, dtype, index=None):
    """An array of one chunk, of a delayed value or of a part of it."""
    value = value if index is None else value[index]
    chunks = tuple((n,) for n in shape)
    name = "array-" + tokenize(value.key)
    key = (name, *(0 for _ in shape))
    return Array(
        HighLevelGraph.from_collections(name, {key: Task(key, ours, TaskRef(value.key))}, [value]), name, chunks, dtype
    )


def _same_shape(name):
    def function(a, *args, **words):
        a = asarray(a)
        made_ = on_whole(getattr(np, name), a, *args, **words)
        return array_of(made_, a.shape, getattr(np, name)(np.ones((2,) * a.ndim, a.dtype), *args, **words).dtype)

    function.__name__ = name
    return function


sort = _same_shape("sort")


def nonzero(a):
    a = asarray(a)
    made_ = on_whole(np.nonzero, a)
    return tuple(array_of(made_, (math.nan,), np.int64, k) for k in range(max(1, a.ndim)))


def argwhere(a):
    a = asarray(a)
    return array_of(on_whole(np.argwhere, a), (math.nan, a.ndim), np.int64)


def flatnonzero(a):
    return array_of(on_whole(np.flatnonzero, asarray(a)), (math.nan,), np.int64)


def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    ar = asarray(ar)
    made_ = on_whole(
        np.unique, ar, return_index=return_index, return_inverse=return_inverse, return_counts=return_counts
    )
    if not (return_index or return_inverse or return_counts):
        return array_of(made_, (math.nan,), ar.dtype)
    count = 1 + return_index + return_inverse + return_counts
    return tuple(array_of(made_, (math.nan,), ar.dtype if k == 0 else np.int64, k) for k in range(count))


def histogram(a, bins=None, range=None, normed=False, weights=None, density=None):  # noqa: A002
    if bins is None or np.ndim(bins) == 0 and range is None:
        raise ValueError(
            "dask.array.histogram requires specifying bins: either an iterable of edges, or their number and range="
        )
    edges = np.asarray(bins) if np.ndim(bins) else np.linspace(range[0], range[1], int(bins) + 1)
    made_ = on_whole(np.histogram, asarray(a), bins=edges, density=density)
    if weights is not None:
        made_ = on_whole(
            lambda a, w: np.histogram(a, bins=edges, weights=w, density=density), asarray(a), asarray(weights)
        )
    return array_of(made_, (len(edges) - 1,), np.int64 if not density and weights is None else float, 0), edges


def bincount(x, weights=None, minlength=0, split_every=None):
    made_ = on_whole(np.bincount, asarray(x), *([] if weights is None else [asarray(weights)]), minlength=minlength)
    return array_of(made_, (minlength if minlength else math.nan,), np.int64 if weights is None else float)


def digitize(a, bins, right=False):
    return map_blocks(np.digitize, asarray(a), bins=np.asarray(bins), right=right, dtype=np.int64)


def topk(a, k, axis=-1, split_every=None):
    a = asarray(a)
    axis %= a.ndim

    def best(x):
        x = np.sort(x, axis=axis)
        return (
            np.flip(x, axis)[(slice(None),) * axis + (slice(k),)] if k > 0 else x[(slice(None),) * axis + (slice(-k),)]
        )

    shape = tuple(min(abs(k), n) if i == axis else n for i, n in enumerate(a.shape))
    return array_of(on_whole(best, a), shape, a.dtype)


def percentile(a, q, method="linear", **ignored):
    a = asarray(a)
    made_ = on_whole(np.percentile, a, np.asarray(q), method=method)
    return array_of(made_, np.shape(q), np.percentile(np.ones(1, a.dtype), 50).dtype)


def median(a, axis=None, keepdims=False, out=None):
    return _over_axis(np.median, a, axis, keepdims)


def nanmedian(a, axis=None, keepdims=False, out=None):
    return _over_axis(np.nanmedian, a, axis, keepdims)


def _over_axis(function, a, axis, keepdims):
    a = asarray(a)
    if axis is None:
        raise NotImplementedError("The median of an array over all of its axes needs axis= here, as in Dask")
    axes = tuple(k % a.ndim for k in ([axis] if isinstance(axis, numbers.Integral) else axis))
    a = a.rechunk({k: -1 for k in axes})
    chunks = tuple((1,) if k in axes else c for k, c in enumerate(a.chunks))
    found = map_blocks(
        lambda x: function(x, axis=axes, keepdims=True), a, chunks=chunks, dtype=np.mean(np.ones(1, a.dtype)).dtype
    )
    return found if keepdims else squeeze(found, axes)


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    m = asarray(m)
    made_ = on_whole(np.cov, m, y, rowvar=rowvar, bias=bias, ddof=ddof)
    n = m.shape[0 if rowvar else 1] if m.ndim > 1 else 1
    return array_of(made_, (n, n) if n > 1 else (), float)


def corrcoef(x, y=None, rowvar=True):
    x = asarray(x)
    n = (x.shape[0 if rowvar else 1] if x.ndim > 1 else 1) + (0 if y is None else 1)
    return array_of(on_whole(np.corrcoef, x, asarray(y) if y is not None else None, rowvar=rowvar), (n, n), float)


def apply_along_axis(func1d, axis, arr, *args, dtype=None, shape=None, **words):
    arr = asarray(arr)
    axis %= arr.ndim
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


def _along(func, axis, args, words, block):
    return np.apply_along_axis(func, axis, block, *args, **words)


def apply_over_axes(func, a, axes):
    a = asarray(a)
    for axis in [axes] if isinstance(axes, numbers.Integral) else axes:
        found = func(a, axis)
        a = found if found.ndim == a.ndim else expand_dims(found, axis)
    return a


def pad(array, pad_width, mode="constant", **words):
    array = asarray(array)
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2)).tolist()
    shape = tuple(n + a + b for n, (a, b) in zip(array.shape, widths))
    return array_of(on_whole(np.pad, array, widths, mode=mode, **words), shape, array.dtype)


# ── with neighbours ───────────────────────────────────────────────────────────────────────


def _for_axes(value, ndim, default=0):
    if isinstance(value, dict):
        return [value.get(a, value.get(a - ndim, default)) for a in range(ndim)]
    return list(value) if isinstance(value, (tuple, list)) else [value] * ndim


_pads = {"reflect": "symmetric", "nearest": "edge", "periodic": "wrap"}


def overlap(x, depth, boundary=None, **ignored):
    """Each chunk with as many elements of its neighbours as depth says, and what boundary says at the ends."""
    x = asarray(x)
    depths = [(d, d) if isinstance(d, numbers.Integral) else tuple(d) for d in _for_axes(depth, x.ndim)]
    ends_of = _for_axes(boundary, x.ndim, None)
    for axis, ((before, after), kind) in enumerate(zip(depths, ends_of)):
        if not before and not after:
            continue
        ends = starts(x.chunks[axis])
        if kind not in (None, "none"):
            x = _with_ends(x, axis, before, after, kind)
        n, shift = x.shape[axis], 0 if kind in (None, "none") else before
        cuts = [(max(0, lo + shift - before), min(n, hi + shift + after)) for lo, hi in zip(ends, ends[1:])]
        index = (slice(None),) * axis
        parts = [x[(*index, slice(lo, hi))].rechunk({axis: -1}) for lo, hi in cuts]
        x = concatenate(parts, axis)
    return x


def _with_ends(x, axis, before, after, kind):
    n = x.shape[axis]
    if kind in _pads:
        at = np.pad(np.arange(n), (before, after), mode=_pads[kind])
        first, last = _take(x, at[:before], axis), _take(x, at[len(at) - after :], axis)
    else:
        shape = lambda k: tuple(k if a == axis else m for a, m in enumerate(x.shape))  # noqa: E731
        chunks = lambda k: tuple((k,) if a == axis else c for a, c in enumerate(x.chunks))  # noqa: E731
        first, last = (full(shape(k), kind, x.dtype, chunks(k)) for k in (before, after))
    return concatenate([part for part, k in ((first, before), (x, 1), (last, after)) if k], axis)


def trim_internal(x, axes, boundary=None):
    depths = [(d, d) if isinstance(d, numbers.Integral) else tuple(d) for d in _for_axes(axes, x.ndim)]
    kinds = _for_axes(boundary, x.ndim, None)
    counts = [len(c) for c in x.chunks]

    def cut(block, block_id):
        return block[
            tuple(
                slice(*_kept(i, n, block.shape[a], depths[a], kinds[a]))
                for a, (i, n) in enumerate(zip(block_id, counts))
            )
        ]

    def _kept(i, n, length, depth, kind):
        is_open = kind in (None, "none")
        lo = 0 if is_open and i == 0 else depth[0]
        return lo, length - (0 if is_open and i == n - 1 else depth[1])

    chunks = tuple(tuple(hi - lo for lo, hi in (_kept(i, len(c), n, depths[a], kinds[a]) for i, n in enumerate(c))) for a, c in enumerate(x.chunks))  # fmt: skip
    return map_blocks(cut, x, chunks=chunks, dtype=x.dtype)


def map_overlap(func, *args, depth=0, boundary=None, trim=True, dtype=None, meta=None, align_arrays=True, **words):
    """func of each chunk with its neighbours' nearest elements, which are cut off afterwards."""
    if isinstance(func, Array):  # the order of earlier versions
        func, args = args[0], (func, *args[1:])
    arrays = [overlap(x, depth, boundary) if isinstance(x, Array) else x for x in args]
    found = map_blocks(func, *arrays, dtype=dtype if dtype is not None else getattr(meta, "dtype", None), **words)
    return trim_internal(found, depth, boundary) if trim else found


def _within(region, piece, shape):
    """The place in an array of a piece of what fills a region of it."""
    region, own = (*region, *(slice(None),) * (len(shape) - len(region))), iter(piece)
    found = []
    for part, n in zip(region, shape):
        if isinstance(part, slice):
            start, _, step = part.indices(n)
            of_piece = next(own)
            part = slice(start + of_piece.start * step, start + of_piece.stop * step, step)
        found.append(part)
    return tuple(found)


def _written(block, target, place, lock):
    with lock or contextlib.nullcontext():
        target[place] = numpys(block)


def store(sources, targets, lock=True, regions=None, compute=True, return_stored=False, **options):
    """Writes arrays, chunk by chunk, into what can be assigned to by slices. regions: where, for a target that is larger.
    lock: one chunk at a time. Without compute a delayed value, of all of them. return_stored: arrays of the targets."""
    from ..base import compute as run
    from ..delayed import delayed

    sources, targets = ([sources], [targets]) if isinstance(sources, Array) else (sources, targets)
    regions = [regions] * len(sources) if regions is None or isinstance(regions, (tuple, slice)) else regions
    if not len(sources) == len(targets) == len(regions):
        raise ValueError(f"Different number of sources [{len(sources)}] and targets [{len(targets)}] or regions [{len(regions)}]")  # fmt: skip
    lock = SerializableLock() if lock is True else lock
    write, parts = delayed(_written, pure=False), []
    for source, target, region in zip(sources, targets, regions):
        region = () if region is None else region if isinstance(region, tuple) else (region,)
        ends = [starts(c) for c in source.chunks]
        for place, block in np.ndenumerate(source.to_delayed()):
            piece = tuple(slice(e[i], e[i + 1]) for e, i in zip(ends, place))
            parts.append(write(block, target, _within(region, piece, target.shape) if region else piece or ..., lock))
    written = delayed(tuple)(parts)
    if not compute:
        return written
    run(written, **options)
    if return_stored:
        return tuple(from_array(t, s.chunks) for s, t in zip(sources, targets))


def _zarr():
    try:
        import zarr
    except ImportError:
        raise ImportError("dask.array: Zarr is not installed\n  fix  pip install zarr") from None
    return zarr


def to_zarr(arr, url, component=None, storage_options=None, region=None, compute=True, return_stored=False, overwrite=False, mode="a", **words):  # fmt: skip
    """Writes an array into one of Zarr's, a chunk each: an open one, or a new one at `url`, below it at `component`."""
    zarr, arr = _zarr(), asarray(arr)
    if isinstance(url, zarr.Array):
        return store(arr, url, True, region, compute, return_stored)
    arr = arr.rechunk(arr.chunksize)  # Zarr's chunks are alike
    words = {**words, **({"storage_options": storage_options} if storage_options else {})}
    target = zarr.create(shape=arr.shape, chunks=arr.chunksize, dtype=arr.dtype, store=url, path=component, overwrite=overwrite or mode == "w", **words)  # fmt: skip
    return store(arr, target, False, region, compute, return_stored)


def from_zarr(url, component=None, storage_options=None, chunks=None, name=None, **words):
    """An array of one of Zarr's: an open one, or that at `url`, below it at `component`."""
    zarr = _zarr()
    if not isinstance(url, zarr.Array):
        words = {**words, **({"storage_options": storage_options} if storage_options else {})}
        url = zarr.open_array(store=url, path=component, mode="r", **words)
    return from_array(url, chunks=url.chunks if chunks is None else chunks, name=name)


overlap.overlap, overlap.map_overlap = overlap, map_overlap  # it is a module in Dask
