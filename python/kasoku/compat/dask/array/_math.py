"""Functions of elements and along axes, made of others."""

import functools
import math
import numbers

import numpy as np

from ..._face.table import bound
from ..base import is_dask_collection
from . import _reductions  # noqa: F401 - it fills the table
from ._array import axis_in, several
from ._blockwise import map_blocks
from ._chunks import along, at_axis, is_unknown, numpys, on_numpys, ours, starts
from ._create import full_like
from ._elementwise import blockwise_call, broadcast, elementwise, in_chunks, samples_of, ufunc
from ._reshape import reshape
from ._shape import broadcast_to, concatenate
from ._sources import asanyarray
from ._table import functions as f

# ── of each element ───────────────────────────────────────────────────────────────────────


def _several(*args, name):
    """A function with several results."""
    kinds = [((), r.dtype) for r in getattr(np, name)(*samples_of(args))]
    chunks, args, _ = broadcast(in_chunks(args))
    return tuple(several(name, chunks, kinds, (on_numpys, getattr(np, name), *args)))


class _Frompyfunc(ufunc):
    """A program's function of single elements as one of arrays, of dtype object."""

    def __init__(self, func, nin, nout):
        self._func, self._of_numpy_ = func, np.frompyfunc(func, nin, nout)
        super().__init__(getattr(func, "__name__", "func"))

    _of_numpy = property(lambda self: self._of_numpy_)
    __reduce__ = lambda self: (_Frompyfunc, (self._func, self.nin, self.nout))

    def _of_arrays(self, *args):
        return blockwise_call(self.__name__, object, on_numpys, self._of_numpy, *args, token=self._func)


def frompyfunc(func, nin, nout):
    if nout > 1:
        raise NotImplementedError("frompyfunc with more than one output")
    return _Frompyfunc(func, nin, nout)


def _chosen(a, *choices):
    return ours(np.choose(numpys(a), [numpys(c) for c in choices]))


def _choice(a, choices):
    arrays = [asanyarray(c) for c in choices]
    return blockwise_call("choose", np.result_type(*(c.dtype for c in arrays)), _chosen, a, *arrays)


def select(condlist, choicelist, default=0):
    """The first choice whose condition holds, for each element."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    found = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        kind = getattr(condition, "dtype", type(condition))
        if kind != np.bool_:
            raise ValueError(f"invalid entry in condlist: should be boolean, not {kind}")
        found = f.where(condition, choice, found)
    return found


def _by_pieces(x, *conditions, funclist, told, words):
    return np.piecewise(x, list(conditions), funclist, *told, **words)


def _raveled(*parts, dims, mode, order):
    return np.ravel_multi_index(parts, dims, mode, order)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    if is_dask_collection(dims) or not np.isscalar(dims) and any(map(is_dask_collection, dims)):
        raise NotImplementedError(f"Dask types are not supported in the `dims` argument: {dims!r}")
    if np.isscalar(dims):
        dims = (dims,)
    if any(not isinstance(n, numbers.Integral) or math.isnan(n) for n in dims):
        raise NotImplementedError(f"Arrays with unknown chunk sizes are not supported: {dims}")
    if is_unknown(getattr(multi_index, "chunks", ((),))[0]):
        from ._whole import whole

        return whole(multi_index.shape[1:], np.int64, np.ravel_multi_index, multi_index, tuple(dims), mode, order)
    parts = [asanyarray(multi_index[k]) for k in range(len(dims))]
    if any(part.dtype.kind not in "iub" for part in parts):
        raise TypeError("only int indices permitted")
    find = functools.partial(_raveled, dims=tuple(dims), mode=mode, order=order)
    return blockwise_call("ravel_multi_index", np.int64, on_numpys, find, *parts)


f.rows("plain", {
    **{name: bound(_several, name=name) for name in ("modf", "frexp", "divmod")},
    "where": lambda condition, x=None, y=None: (
        f.nonzero(condition) if x is None else elementwise("where", condition, x, y)),
    "isnull": lambda values: elementwise("isnan", values),
    "notnull": lambda values: elementwise("logical_not", elementwise("isnan", values)),
    "allclose": lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: elementwise(
        "isclose", a, b, rtol=rtol, atol=atol, equal_nan=equal_nan).all(),
})  # fmt: skip
f.rows("array", {
    "round": lambda a, decimals=0: a.round(decimals),
    "nan_to_num": lambda x, *args, **words: map_blocks(np.nan_to_num, x, *args, dtype=x.dtype, **words),
    "choose": _choice,
    "piecewise": lambda x, condlist, funclist, *args, **words: map_blocks(
        _by_pieces, x, *condlist, funclist=funclist, told=args, words=words, dtype=x.dtype),
    "unravel_index": lambda indices, shape, order="C": tuple(several(
        "unravel_index", indices.chunks, [((), np.int64)] * len(shape),
        (on_numpys, np.unravel_index, indices, tuple(shape), order))),
    "isin": lambda element, test_elements, assume_unique=False, invert=False: map_blocks(
        np.isin, element, test_elements=np.asarray(test_elements), invert=invert, dtype=bool),
    "shape": lambda a: a.shape, "ndim": lambda a: a.ndim,
})  # fmt: skip
f.alias(around="round")


# ── along axes ────────────────────────────────────────────────────────────────────────────


f.rows("array", {
    "ptp": lambda a, axis=None: f.max(a, axis) - f.min(a, axis),
    "count_nonzero": lambda a, axis=None: elementwise("not_equal", a, 0 if a.dtype.kind == "O" else a.dtype.type()).sum(axis=axis),
})  # fmt: skip
f.alias(amin="min", amax="max")


def _between(before, a, after, axis=0):
    """The array with what is put before or behind, if it is not None; of a number one for each row."""
    ends = [x if x is None else asanyarray(x) for x in (before, after)]
    ends = [broadcast_to(x, at_axis(a.shape, axis, 1)) if x is not None and not x.ndim else x for x in ends]
    return concatenate([x for x in (ends[0], a, ends[1]) if x is not None], axis)


@f.row("array")
def diff(a, n=1, axis=-1, prepend=None, append=None):
    if n < 0:
        raise ValueError("order must be non-negative but got %d" % n)
    axis = axis_in(axis, a.ndim)
    a = _between(prepend, a, append, axis) if n else a
    name = "not_equal" if a.dtype == bool else "subtract"
    for _ in range(n):
        a = elementwise(name, a[along(axis, slice(1, None))], a[along(axis, slice(None, -1))])
    return a


@f.row("array")
def ediff1d(ary, to_end=None, to_begin=None):
    ary = ary.ravel()
    ends = [x if x is None else asanyarray(x).ravel() for x in (to_begin, to_end)]
    return _between(ends[0], ary[1:] - ary[:-1], ends[1])


@f.row("array")
def moment(a, order, axis=None, dtype=None, keepdims=False, ddof=0, split_every=None, out=None):
    """The central moment of that order."""
    if not isinstance(order, numbers.Integral) or order < 0:
        raise ValueError("Order must be an integer >= 0")
    away = a - a.mean(axis=axis, keepdims=True)
    total = (away**order).sum(axis=axis, keepdims=keepdims, dtype=dtype)
    return total / (a.size // max(1, a.sum(axis=axis).size) - ddof)


def average_of(a, axis=None, weights=None, returned=False, keepdims=False, *, is_masked):
    """is_masked: elements that are masked have no weight."""
    if weights is None:
        found = a.mean(axis=axis, keepdims=keepdims)
        return (found, full_like(found, a.size / max(1, found.size))) if returned else found
    weights = asanyarray(weights)
    if weights.shape != a.shape and axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weights.ndim != a.ndim:
        is_last = axis is None or axis_in(axis, a.ndim) == a.ndim - 1
        weights = broadcast_to(weights if is_last else reshape(weights, (-1,) + (1,) * (a.ndim - 1 - axis)), a.shape)
    if is_masked:
        from . import ma

        weights = weights * ~ma.getmaskarray(a)
    total = weights.sum(axis=axis, keepdims=keepdims)
    found = (a * weights).sum(axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


f.rows("array", {"average": bound(average_of, is_masked=False)})


def coarsen(reduction, x, axes, trim_excess=False, **words):
    """reduction of neighbours: axes says how many along each axis."""
    if f.get(getattr(reduction, "__name__", None)) is reduction:  # of chunks it is NumPy's
        reduction = getattr(np, reduction.__name__)
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

    dtype = np.asarray(shrink(np.ones(factors, x.dtype))).dtype
    return map_blocks(shrink, x, chunks=tuple(tuple(n // k for n in c) for c, k in zip(x.chunks, factors)), dtype=dtype)


__all__ = ["coarsen", "frompyfunc", "ravel_multi_index", "select"]
