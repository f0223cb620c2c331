"""What is made of other functions of dask.array: places, parts, differences, and functions with several results."""

import functools
import glob
import math
import numbers
import os
import pickle

import numpy as np

from ._chunks import numpys, on_numpys, ours
from ._core import Array, asarray, blockwise_call, elementwise, from_array, from_delayed, made, map_blocks, reshape
from ._index import take as _take
from ._more import (
    _over_axis, arange, array_of, broadcast_to, concatenate, expand_dims, flip, meshgrid, moveaxis, nonzero, on_whole,
    pad, stack, swapaxes, unique, where,
)  # fmt: skip
from ._reductions import running


class PerformanceWarning(Warning):
    """Chunks that cost more than they need to."""


euler_gamma = np.euler_gamma
bool = np.bool_  # noqa: A001 - NumPy's name


# ── several results of each element ───────────────────────────────────────────────────────


def _picked(name, k, *args):
    return ours(np.asarray(getattr(np, name)(*map(numpys, args))[k]))


def _several(name):
    def function(*args):
        samples = [np.ones((1,) * x.ndim, x.dtype) if isinstance(x, Array) else x for x in args]
        found = getattr(np, name)(*samples)
        return tuple(blockwise_call(_picked, (name, k), args, {}, r.dtype, name) for k, r in enumerate(found))

    function.__name__ = function.__qualname__ = name
    return function


modf, frexp, divmod = (_several(name) for name in ("modf", "frexp", "divmod"))  # noqa: A001


def frompyfunc(func, nin, nout):
    """A function of single elements as one of arrays, of dtype object."""
    if nout > 1:
        raise NotImplementedError("frompyfunc with more than one output")
    made_ = np.frompyfunc(func, nin, nout)
    return lambda *args: blockwise_call(on_numpys, (made_,), args, {}, object, getattr(func, "__name__", "func"), func)


def notnull(values):
    return elementwise("logical_not", elementwise("isnan", values))


def choose(a, choices):
    arrays = [asarray(c) for c in choices]
    dtype = np.result_type(*(c.dtype for c in arrays))
    return blockwise_call(_chosen, (), [asarray(a), *arrays], {}, dtype, "choose")


def _chosen(a, *choices):
    return ours(np.choose(numpys(a), [numpys(c) for c in choices]))


def select(condlist, choicelist, default=0):
    """The first choice whose condition holds, for each element."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    found = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        if getattr(condition, "dtype", None) != np.bool_:
            raise ValueError(
                f"invalid entry in condlist: should be boolean, not {getattr(condition, 'dtype', condition)}"
            )
        found = where(condition, choice, found)
    return found


def piecewise(x, condlist, funclist, *args, **words):
    return map_blocks(
        _by_pieces, asarray(x), *condlist, funclist=funclist, told=args, words=words, dtype=asarray(x).dtype
    )


def _by_pieces(x, *conditions, funclist, told, words):
    return np.piecewise(x, list(conditions), funclist, *told, **words)


# ── shapes ────────────────────────────────────────────────────────────────────────────────


def _at_least(ndim):
    def grown(x):
        x = asarray(x)
        if x.ndim >= ndim:
            return x
        return reshape(x, {0: (1,) * ndim, 1: (1, -1, 1)[:ndim] if ndim > 1 else (-1,), 2: (*x.shape, 1)}[x.ndim])

    def function(*arrays):
        found = [grown(x) for x in arrays]
        return found[0] if len(found) == 1 else found

    function.__name__ = function.__qualname__ = f"atleast_{ndim}d"
    return function


atleast_1d, atleast_2d, atleast_3d = map(_at_least, (1, 2, 3))


def fliplr(m):
    return flip(m, 1)


def flipud(m):
    return flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    m = asarray(m)
    first, second = (a % m.ndim for a in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    k %= 4
    if k == 2:
        return flip(flip(m, first), second)
    if k == 1:
        return swapaxes(flip(m, second), first, second)
    return flip(swapaxes(m, first, second), second) if k else m


def rollaxis(a, axis, start=0):
    a = asarray(a)
    axis, start = axis % a.ndim, start + a.ndim if start < 0 else start
    return moveaxis(a, axis, start - (axis < start))


def append(arr, values, axis=None):
    arr, values = asarray(arr), asarray(values)
    if axis is None:
        return concatenate([arr.ravel(), values.ravel()])
    return concatenate([arr, values], axis)


def insert(arr, obj, values, axis):
    """numpy.insert: what is put in lies behind the array, and all is taken in its order."""
    arr = asarray(arr)
    axis %= arr.ndim
    n = arr.shape[axis]
    values = asarray(values)
    if isinstance(obj, numbers.Integral) and values.ndim == arr.ndim:
        values = moveaxis(values, 0, axis)
        count = values.shape[axis]
    else:
        at = np.arange(n)[obj] if isinstance(obj, slice) else np.asarray(obj)
        count = max(1, at.size) if at.ndim else 1
        if isinstance(obj, numbers.Integral) and values.ndim:
            values = expand_dims(values, axis)
    values = broadcast_to(values, (*arr.shape[:axis], count, *arr.shape[axis + 1 :])).astype(arr.dtype)
    at = np.arange(n)[obj] if isinstance(obj, slice) else obj
    order = np.insert(np.arange(n), at, np.arange(n, n + count))
    return _take(concatenate([arr, values], axis), order, axis)


def delete(arr, obj, axis):
    arr = asarray(arr)
    axis %= arr.ndim
    return _take(arr, np.delete(np.arange(arr.shape[axis]), obj), axis)


def compress(condition, a, axis=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    condition = np.asarray(condition.compute() if isinstance(condition, Array) else condition, np.bool_)
    if condition.ndim != 1:
        raise ValueError("Condition must be one dimensional")
    return _take(a, np.flatnonzero(condition), axis % a.ndim)


def extract(condition, arr):
    return compress(asarray(condition).ravel(), asarray(arr).ravel())


def indices(dimensions, dtype=int, chunks="auto"):
    chunks = chunks if isinstance(chunks, (tuple, list)) else (chunks,) * len(dimensions)
    axes = [arange(n, dtype=dtype, chunks=c) for n, c in zip(dimensions, chunks)]
    if not axes:
        return from_array(np.indices((), dtype))
    return stack(meshgrid(*axes, indexing="ij"))


# ── diagonals and triangles ───────────────────────────────────────────────────────────────


def tri(N, M=None, k=0, dtype=float, chunks="auto", **ignored):
    M = N if M is None else M
    rows, columns = chunks if isinstance(chunks, (tuple, list)) else (chunks, chunks)
    is_below = arange(N, chunks=rows)[:, None] >= arange(-k, M - k, chunks=columns)[None, :]
    return is_below.astype(dtype)


def _triangle(m, k, keeps_lower):
    m = asarray(m)
    mask = tri(*m.shape[-2:], k=k, dtype=np.bool_, chunks=m.chunks[-2:])
    return where(mask, m, m.dtype.type(0)) if keeps_lower else where(mask, m.dtype.type(0), m)


def tril(m, k=0):
    return _triangle(m, k, True)


def triu(m, k=0):
    return _triangle(m, k - 1, False)


def tril_indices(n, k=0, m=None, chunks="auto"):
    return nonzero(tri(n, m, k, np.bool_, chunks))


def triu_indices(n, k=0, m=None, chunks="auto"):
    return nonzero(elementwise("logical_not", tri(n, m, k - 1, np.bool_, chunks)))


def _of_a_matrix(arr):
    if asarray(arr).ndim != 2:
        raise ValueError("input array must be 2-d")
    return asarray(arr)


def tril_indices_from(arr, k=0):
    arr = _of_a_matrix(arr)
    return tril_indices(arr.shape[-2], k, arr.shape[-1], arr.chunks[-2:])


def triu_indices_from(arr, k=0):
    arr = _of_a_matrix(arr)
    return triu_indices(arr.shape[-2], k, arr.shape[-1], arr.chunks[-2:])


def _diagonal_block(x, rows, columns, is_own, dtype):
    return ours(np.diag(numpys(x)) if is_own else np.zeros((rows, columns), dtype))


def diag(v, k=0):
    v = asarray(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Array must be 1d or 2d only")
    (c,) = v.chunks
    made_ = made("diag", (c, c), v.dtype, lambda p: (_diagonal_block, v.ref(p[:1]), c[p[0]], c[p[1]], p[0] == p[1], v.dtype), [v])  # fmt: skip
    return pad(made_, ((max(0, -k), max(0, k)), (max(0, k), max(0, -k)))) if k else made_


def diagonal(a, offset=0, axis1=0, axis2=1):
    a = asarray(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = axis1 % a.ndim, axis2 % a.ndim
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    n, m = a.shape[first], a.shape[second]
    length = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    shape = (*(s for k, s in enumerate(a.shape) if k not in (first, second)), length)
    return array_of(on_whole(np.diagonal, a, offset=offset, axis1=axis1, axis2=axis2), shape, a.dtype)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    return diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype)


# ── places ────────────────────────────────────────────────────────────────────────────────


def searchsorted(a, v, side="left", sorter=None):
    if sorter is not None:
        raise NotImplementedError("da.searchsorted with a sorter argument is not supported")
    a, v = asarray(a).rechunk(-1), asarray(v)
    if a.ndim != 1:
        raise ValueError("Input array a must be one dimensional")
    find = functools.partial(np.searchsorted, side=side)
    return made("searchsorted", v.chunks, np.int64, lambda p: (on_numpys, find, a.ref((0,)), v.ref(p)), [a, v], side)


def unravel_index(indices, shape, order="C"):
    at = asarray(indices)
    return tuple(
        map_blocks(_unraveled, at, shape=tuple(shape), order=order, k=k, dtype=np.int64) for k in range(len(shape))
    )


def _unraveled(at, shape, order, k):
    return np.unravel_index(at, shape, order)[k]


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    if np.isscalar(dims):
        dims = (dims,)
    if any(not isinstance(n, numbers.Integral) or math.isnan(n) for n in dims):
        raise NotImplementedError(f"Arrays with unknown chunk sizes are not supported: {dims}")
    parts = [multi_index[k] for k in range(len(dims))] if isinstance(multi_index, Array) else list(multi_index)
    find = functools.partial(_raveled, dims=tuple(dims), mode=mode, order=order)
    return blockwise_call(
        on_numpys, (find,), [asarray(p) for p in parts], {}, np.int64, "ravel_multi_index", [dims, mode, order]
    )


def _raveled(*parts, dims, mode, order):
    return np.ravel_multi_index(parts, dims, mode, order)


def argtopk(a, k, axis=-1, split_every=None):
    a = asarray(a)
    axis %= a.ndim

    def best(x):
        order = np.argsort(-x if k > 0 and x.dtype.kind in "if" else x, axis=axis, kind="stable")
        order = order if k < 0 or x.dtype.kind in "if" else np.flip(order, axis)
        return order[(slice(None),) * axis + (slice(abs(k)),)]

    shape = tuple(min(abs(k), n) if i == axis else n for i, n in enumerate(a.shape))
    return array_of(on_whole(best, a), shape, np.int64)


def union1d(ar1, ar2):
    return unique(concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))


# ── differences, moments, quantiles ───────────────────────────────────────────────────────


def ediff1d(ary, to_end=None, to_begin=None):
    ary = asarray(ary).ravel()
    parts = [ary[1:] - ary[:-1]]
    if to_begin is not None:
        parts.insert(0, asarray(to_begin).ravel())
    if to_end is not None:
        parts.append(asarray(to_end).ravel())
    return concatenate(parts) if len(parts) > 1 else parts[0]


def gradient(f, *varargs, axis=None, edge_order=1, **ignored):
    """numpy.gradient: central differences, at the ends of first or second order; spacings are numbers or places."""
    f = asarray(f)
    axes = list(range(f.ndim)) if axis is None else [axis] if isinstance(axis, numbers.Integral) else list(axis)
    axes = [a % f.ndim for a in axes]
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("Spacing must either be a single scalar, or a scalar / 1d-array per axis")
    spacings = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind in "bui":
        f = f.astype(float)
    found = [_gradient_along(f, a, h, edge_order) for a, h in zip(axes, spacings)]
    return found if len(found) > 1 or (axis is not None and not isinstance(axis, numbers.Integral)) else found[0]


def _gradient_along(f, axis, h, edge_order):
    n = f.shape[axis]
    if n < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
        )

    def part(start, stop=None):
        return f[(slice(None),) * axis + (slice(start, stop),)]

    if isinstance(h, numbers.Number) or not np.ndim(h):
        h = float(h)
        steps = np.full(n - 1, h)
    else:
        steps = np.diff(np.asarray(h.compute() if isinstance(h, Array) else h, float))
        if len(steps) != n - 1:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")

    def along(values):
        return np.asarray(values, f.dtype if f.dtype.kind == "f" else float).reshape((-1,) + (1,) * (f.ndim - axis - 1))

    inside = []
    if n > 2:
        before, after = steps[:-1], steps[1:]
        a, b, c = (
            -after / (before * (before + after)),
            (after - before) / (before * after),
            before / (after * (before + after)),
        )
        if (before == after).all():
            inside = [(part(2) - part(0, n - 2)) / along(before + after)]
        else:
            inside = [along(a) * part(0, n - 2) + along(b) * part(1, n - 1) + along(c) * part(2)]
    if edge_order == 1:
        first, last = (
            (part(1, 2) - part(0, 1)) / along(steps[:1]),
            (part(n - 1) - part(n - 2, n - 1)) / along(steps[-1:]),
        )
    else:
        p, q = steps[:1], steps[1:2]
        first = along(-(2 * p + q) / (p * (p + q))) * part(0, 1) + along((p + q) / (p * q)) * part(1, 2) - along(p / (q * (p + q))) * part(2, 3)  # fmt: skip
        p, q = steps[-2:-1], steps[-1:]
        last = along(q / (p * (p + q))) * part(n - 3, n - 2) - along((p + q) / (p * q)) * part(n - 2, n - 1) + along((2 * q + p) / (q * (p + q))) * part(n - 1)  # fmt: skip
    return concatenate([first, *inside, last], axis).rechunk({axis: f.chunks[axis]})


def moment(a, order, axis=None, dtype=None, keepdims=False, ddof=0, split_every=None, out=None):
    """The central moment of that order."""
    if not isinstance(order, numbers.Integral) or order < 0:
        raise ValueError("Order must be an integer >= 0")
    a = asarray(a)
    away = a - a.mean(axis=axis, keepdims=True)
    total = (away**order).sum(axis=axis, keepdims=keepdims, dtype=dtype)
    return total / (a.size // max(1, a.sum(axis=axis).size) - ddof)


def _filled_nan(a, value):
    a = asarray(a)
    return where(elementwise("isnan", a), a.dtype.type(value), a) if a.dtype.kind in "fc" else a


def nancumsum(x, axis=None, dtype=None, out=None, **ignored):
    return running("cumsum", _filled_nan(x, 0), axis, dtype)


def nancumprod(x, axis=None, dtype=None, out=None, **ignored):
    return running("cumprod", _filled_nan(x, 1), axis, dtype)


def _quantile(name):
    function = getattr(np, name)

    def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, **ignored):
        if axis is None:
            axis = tuple(range(asarray(a).ndim))
        if np.ndim(q):
            return stack([quantile(a, each, axis, method=method, keepdims=keepdims) for each in np.asarray(q).tolist()])
        return _over_axis(
            lambda x, axis, keepdims: function(x, q, axis=axis, method=method, keepdims=keepdims), a, axis, keepdims
        )

    quantile.__name__ = quantile.__qualname__ = name
    return quantile


quantile, nanquantile = _quantile("quantile"), _quantile("nanquantile")


def nanpercentile(a, q, **words):
    return nanquantile(a, np.asarray(q) / 100, **words)


# ── histograms ────────────────────────────────────────────────────────────────────────────


def histogram2d(x, y, bins=10, range=None, normed=None, weights=None, density=None):  # noqa: A002
    counts, edges = histogramdd((x, y), bins, range, normed, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(sample, bins, range=None, normed=None, weights=None, density=None):  # noqa: A002
    """Counts in cells of several axes. sample: an (N, D) array or one array for each axis."""
    columns = [asarray(x) for x in sample] if isinstance(sample, (tuple, list)) else [sample[:, k] for k in np.arange(sample.shape[1])]  # fmt: skip
    each = [bins] * len(columns) if isinstance(bins, numbers.Integral) else list(bins)
    if len(each) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample.")
    if range is None and any(isinstance(b, numbers.Integral) for b in each):
        raise ValueError("dask.array.histogramdd requires range= where bins are numbers")
    edges = [
        np.linspace(*range[k], b + 1) if isinstance(b, numbers.Integral) else np.asarray(b) for k, b in enumerate(each)
    ]

    def count(*columns):
        return np.histogramdd(list(columns[: len(each)]), edges, weights=columns[len(each)] if weights is not None else None,
                              density=density)[0]  # fmt: skip

    counts = on_whole(count, *columns, *([] if weights is None else [asarray(weights)]))
    return array_of(counts, tuple(len(e) - 1 for e in edges), float), [from_array(e) for e in edges]


# ── files ─────────────────────────────────────────────────────────────────────────────────


def to_npy_stack(dirname, x, axis=0):
    """A folder of .npy files, one for each chunk along the axis, and a file of what they are together."""
    x = x.rechunk({k: -1 for k in range(x.ndim) if k != axis})
    os.makedirs(dirname, exist_ok=True)
    with open(os.path.join(dirname, "info"), "wb") as file:
        pickle.dump({"chunks": x.chunks, "dtype": x.dtype, "axis": axis}, file)
    for k, block in enumerate(x.blocks[(slice(None),) * axis + (i,)] for i in range(len(x.chunks[axis]))):
        np.save(os.path.join(dirname, f"{k}.npy"), block.compute())


def from_npy_stack(dirname, mmap_mode="r"):
    """The array of such a folder; files are read when they are needed."""
    from kasoku import delayed

    with open(os.path.join(dirname, "info"), "rb") as file:
        info = pickle.load(file)
    chunks, axis = info["chunks"], info["axis"]
    shape = [sum(c) for c in chunks]
    parts = []
    for k, n in enumerate(chunks[axis]):
        shape[axis] = n
        value = delayed(np.load)(os.path.join(dirname, f"{k}.npy"), mmap_mode=mmap_mode)
        parts.append(from_delayed(value, tuple(shape), info["dtype"]))
    return concatenate(parts, axis)


def imread(filename, imread=None, preprocess=None):
    """Pictures of a pattern of names, read by imread, as an array with one chunk for each."""
    from kasoku import delayed

    if imread is None:
        try:
            from skimage.io import imread
        except ImportError:
            raise ImportError(
                "dask.array.image.imread needs scikit-image, or imread=, a function of a file's name"
            ) from None
    names = sorted(glob.glob(filename))
    if not names:
        raise ValueError(f"No files found under name {filename}")
    read = (lambda name: preprocess(imread(name))) if preprocess else imread
    sample = read(names[0])
    return stack([from_delayed(delayed(read)(name), sample.shape, sample.dtype) for name in names])


def optimize(dsk, keys, **ignored):
    """The graph as it is: what Dask's does before a run, the engine does in it."""
    return dsk


# ── the same as methods ───────────────────────────────────────────────────────────────────


class _Points:
    """x.vindex[rows, columns]: one element for each pair."""

    def __init__(self, array):
        self._array = array

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        x = self._array
        index = tuple(
            np.asarray(i.compute() if isinstance(i, Array) else i) if not isinstance(i, slice) else i for i in index
        )
        index += (slice(None),) * (x.ndim - len(index))
        arrays = [k for k, i in enumerate(index) if not isinstance(i, slice)]
        if not arrays:
            return x[index]
        order = arrays + [k for k in range(x.ndim) if k not in arrays]  # the points' axes come first, as in Dask
        points = np.broadcast_shapes(*(index[k].shape for k in arrays))
        rest = x[tuple(i if isinstance(i, slice) else slice(None) for i in index)].transpose(order)
        shape = (*points, *rest.shape[len(arrays) :])
        at = tuple(index[k] for k in arrays)
        return array_of(on_whole(lambda values: values[at], rest), shape, x.dtype)


Array.vindex = property(_Points)
Array.__divmod__ = lambda self, other: divmod(self, other)
Array.__rdivmod__ = lambda self, other: divmod(other, self)
Array.__deepcopy__ = lambda self, memo: self.copy()


def _as_methods(functions):
    for name in (
        "argtopk",
        "choose",
        "moment",
        "nonzero",
        "repeat",
        "squeeze",
        "store",
        "swapaxes",
        "to_zarr",
        "topk",
        "trace",
    ):
        setattr(Array, name, functions[name])


__all__ = [name for name, value in globals().items() if name[0] != "_" and getattr(value, "__module__", "") == __name__]
__all__ += ["bool", "euler_gamma"]
