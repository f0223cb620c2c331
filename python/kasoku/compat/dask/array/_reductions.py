"""Reductions: of each chunk first, and then of what the chunks gave, some at a time."""

import functools
import itertools
import math
import numbers

import numpy as np

from ..._face.table import bound
from .. import config
from .._task_spec import TaskRef
from ..base import tokenize
from ..utils import has_keyword
from ._array import Array, At, Each, axes_in, axis_in, made
from ._blockwise import as_numpys, joined_by_lists
from ._chunks import at_axis, call, is_unknown, numpys, on_numpys, ours, starts
from ._elementwise import put_out
from ._rechunk import same
from ._shape import broadcast_to
from ._sources import asanyarray
from ._table import functions as f

together = 8  # as many partial results are joined by a task, where nobody says split_every


def _at_once_of(split_every, axes):
    """How many partial results along each axis a task joins."""
    split_every = config.get("split_every", together) if split_every is None else split_every
    if isinstance(split_every, dict):
        return {a: max(2, split_every.get(a, together)) for a in axes}
    if isinstance(split_every, bool) or not isinstance(split_every, numbers.Integral):
        raise ValueError("split_every must be a int or a dict")
    return dict.fromkeys(axes, max(2, int(split_every ** (1 / max(1, len(axes))))))


def axes_of(axis, ndim):
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted({axis_in(a, ndim) for a in axes_in(axis)}))


def tree(x, axes, dtype, first, join, last, word, keepdims=False, out_dtype=None, token=None, metas=(None, None),
         split_every=None, output_size=1, more=(), is_nested=False):  # fmt: skip
    """first(axes, place, chunk, …) of each chunk, with the chunks of more; join(list, axes) of as many results as split_every
    says, until one is left, or, where lists are nested along the axes, so few; last(list, axes, keepdims) of those. first and
    join keep the axes, in chunks of output_size. metas: of the parts, and of the result."""
    each = _at_once_of(split_every, axes)
    chunks = tuple((output_size,) * len(c) if a in axes else c for a, c in enumerate(x.chunks))
    place = Each([range(len(c)) for c in x.chunks])
    part = made(word, chunks, dtype, (first, axes, place, x, *more), token=[token, axes], meta=metas[0])
    enough = each if is_nested else dict.fromkeys(axes, 1)
    while any(len(part.chunks[a]) > enough[a] for a in axes):
        counts = {a: range(len(part.chunks[a])) for a in axes}
        groups = {a: [list(k[at : at + each[a]]) for at in k[:: each[a]]] for a, k in counts.items()}
        chunks = tuple(c[:1] * len(groups[a]) if a in axes else c for a, c in enumerate(part.chunks))
        some = At(part, range(x.ndim), map(groups.get, range(x.ndim)), not is_nested)
        part = made(f"{word}-partial", chunks, dtype, (join, some, axes), token=token)
    chunks = tuple((output_size,) if a in axes else c for a, c in enumerate(part.chunks) if keepdims or a not in axes)
    kept = itertools.count()
    own = [-1 if a in axes and not keepdims else next(kept) for a in range(x.ndim)]
    chosen = [[list(range(len(c)))] if a in axes else None for a, c in enumerate(part.chunks)]
    rest = At(part, own, chosen, not is_nested)
    kind, told = dtype if out_dtype is None else out_dtype, [token, axes, keepdims]
    return made(f"{word}-aggregate", chunks, kind, (last, rest, axes, keepdims), token=told, meta=metas[1])


def _ended(parts, axes, keepdims, finish=None):
    """The one that is left, or what finish makes of it."""
    if parts[0] is None:
        raise ValueError("zero-size array to reduction operation which has no identity")
    made_ = finish(parts[0]) if finish else parts[0]
    return made_ if keepdims else made_.reshape(tuple(n for a, n in enumerate(made_.shape) if a not in axes))


def _one(name, x, axes, words):
    """A reduction of one chunk, with the axes kept."""
    return call(name, x, axis=axes if len(axes) != 1 else axes[0], keepdims=True, **words)


def _first_of(axes, place, x, name, words):
    if name.endswith(("min", "max")) and 0 in x.shape:
        return None  # of a chunk whose length was not known before there may be nothing
    return _one(name, x, axes, words)


_pair = {"sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum", "any": "logical_or", "all": "logical_and",
         "nansum": "add", "nanprod": "multiply", "nanmin": "fmin", "nanmax": "fmax"}  # fmt: skip


def _joined_of(parts, axes, name):
    parts = [part for part in parts if part is not None] or [None]
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):  # what is masked in one is there in another
        return getattr(np, name)(np.ma.stack([numpys(part) for part in parts]), axis=0)
    if "nan" in name and getattr(parts[0], "dtype", float) == np.object_:  # whose fmin is NaN if the second operand is
        return getattr(np, name)(np.stack(parts), axis=0)
    return functools.reduce(functools.partial(call, _pair[name]), parts)


def _simple(a, axis=None, dtype=None, keepdims=False, split_every=None, out=None, *, name, **words):
    kind = np.dtype(dtype) if dtype is not None else getattr(np, name)(np.ones((1, 1), a.dtype), axis=0).dtype
    told = {"dtype": kind} if name.endswith(("sum", "prod")) else {}
    if not a.ndim:
        return made(name, (), kind, (call, name, a))
    axes, join = axes_of(axis, a.ndim), functools.partial(_joined_of, name=name)
    if name.endswith(("min", "max")):
        if any(a.shape[k] == 0 for k in axes):
            raise ValueError(f"zero-size array to reduction operation {_pair[name]} which has no identity")
        a = _without_empty(a, axes)
    first = functools.partial(_first_of, name=name, words=told)
    return tree(a, axes, kind, first, join, _ended, name, keepdims, token=str(kind), split_every=split_every)


def _without_empty(x, axes):
    """Chunks of no elements have no least one."""
    chunks = tuple(tuple(n for n in c if n) or (0,) if a in axes and 0 in c else c for a, c in enumerate(x.chunks))
    return x.rechunk(chunks) if chunks != x.chunks else x


# Moments: how many, their sum, and the squares of their distances from the mean.


def _moments(axes, place, x, kind, skips_nan):
    is_masked, count = isinstance(x, np.ma.MaskedArray), math.prod(x.shape[a] for a in axes)
    is_there = None
    if is_masked or skips_nan:  # what is left out counts as nothing, until the last
        is_there = ~(np.ma.getmaskarray(x) if is_masked else np.isnan(numpys(x)))
        count = ours(is_there.sum(axis=axes, keepdims=True).astype("f8"))
        x = ours(np.where(is_there, np.ma.getdata(numpys(x)), 0))
    total = _one("sum", x.astype(kind), axes, {})
    # In NumPy a real dtype= drops the imaginary part from the mean alone.
    away = (x if x.dtype.kind == "c" and kind.kind != "c" else x.astype(kind)) - total / _one_at_least(count)
    away = away if is_there is None else away * ours(is_there)
    return {"count": count, "total": total, "squares": _one("sum", _squared(away), axes, {}), "is_masked": is_masked}


def _one_at_least(count):
    return max(count, 1) if isinstance(count, int) else call("maximum", count, 1)


def _squared(away):
    return (away * away.conj()).real if away.dtype.kind == "c" else away * away


def _joined_moments(parts, axes):
    a, *rest = parts
    for b in rest:
        n = a["count"] + b["count"]
        gap = b["total"] / _one_at_least(b["count"]) - a["total"] / _one_at_least(a["count"])
        between = _squared(gap) * (a["count"] * b["count"] / _one_at_least(n))
        a = {**a, **b, "count": n, "total": a["total"] + b["total"], "squares": a["squares"] + b["squares"] + between}
    return a


def _last_moments(m, what, ddof, kind):
    count = m["count"]
    if what == "mean":
        made_ = m["total"] / count if not isinstance(count, int) or count else m["total"] * np.nan
    else:
        left = count - ddof
        if isinstance(left, (int, float)):
            made_ = m["squares"] / left if left > 0 else m["squares"] * np.nan
        else:
            with np.errstate(all="ignore"):
                made_ = ours(np.where(numpys(left) > 0, numpys(m["squares"]) / numpys(left), np.nan))
        if what == "std":
            made_ = call("sqrt", made_)
    if m["is_masked"]:
        made_ = np.ma.array(numpys(made_), mask=numpys(count) <= (ddof if what != "mean" else 0))
    return made_.astype(kind)


def _of_moments(x, axis=None, dtype=None, keepdims=False, ddof=0, split_every=None, out=None, *, word):
    what, skips_nan = word.removeprefix("nan"), word.startswith("nan")
    kind = np.dtype(dtype) if dtype is not None else np.mean(np.ones(1, x.dtype)).dtype
    out_kind = np.zeros(1, kind).real.dtype if what != "mean" else kind
    work = np.dtype("f8") if kind.kind == "f" and kind.itemsize < 4 else kind
    x = x if x.ndim else x.reshape((1,))
    first = functools.partial(_moments, kind=work, skips_nan=skips_nan)
    last = functools.partial(_ended, finish=functools.partial(_last_moments, what=what, ddof=ddof, kind=out_kind))
    axes, token = axes_of(axis, x.ndim), [ddof, str(kind)]
    told = {"keepdims": keepdims, "out_dtype": out_kind, "token": token, "split_every": split_every}
    shown_as = {"mean": "mean_agg", "nanmean": "mean_agg"}.get(word, word)  # by which Dask calls it
    return tree(x, axes, work, first, _joined_moments, last, shown_as, **told)


# Places of the least and the greatest.


def _place_first(axes, place, x, name, ends):
    values, axis, there = numpys(x), axes[0] if len(axes) == 1 else None, {}
    if isinstance(values, np.ma.MaskedArray):
        values = values.filled((np.ma.minimum_fill_value if name.endswith("min") else np.ma.maximum_fill_value)(values))
    if name.startswith("nan"):
        is_nan, name = np.isnan(values), name[3:]
        there["there"] = ~is_nan.all(axis=axis, keepdims=True)
        values = np.where(is_nan, np.inf if name == "argmin" else -np.inf, values) if is_nan.any() else values
    at = getattr(np, name)(values, axis=axis, keepdims=True)
    if axis is not None:
        return {"value": np.take_along_axis(values, at, axis), "at": at + ends[axis][place[axis]], **there}
    inside = np.unravel_index(at, values.shape)
    full = [e[p] + i for e, p, i in zip(ends, place, inside)]
    return {"value": values[inside], "at": np.ravel_multi_index(full, [e[-1] for e in ends]), **there}


def _place_join(parts, axes, name):
    a, *rest = parts
    is_better = np.less if name.endswith("min") else np.greater
    for b in rest:
        takes = is_better(b["value"], a["value"]) | ((b["value"] == a["value"]) & (b["at"] < a["at"]))
        if b["value"].dtype.kind in "fc" and "nan" not in name:
            takes |= np.isnan(b["value"]) & ~np.isnan(a["value"])
        there = {"there": a["there"] | b["there"]} if "there" in a else {}
        a = {**{key: np.where(takes, b[key], a[key]) for key in ("value", "at")}, **there}
    return a


def _place_last(x):
    if not np.all(x.get("there", True)):
        raise ValueError("All-NaN slice encountered")
    return ours(x["at"])


def _places(x, axis=None, keepdims=False, split_every=None, out=None, *, name):
    if axis is not None and not isinstance(axis, numbers.Integral):
        raise TypeError(f"axis must be either `None` or int, got {axis!r}")
    reduced = axes_of(axis, x.ndim)
    if any(is_unknown(c) and (len(c) > 1 or len(reduced) > 1) for c in map(x.chunks.__getitem__, reduced)):
        raise ValueError("Arg-reductions do not work with arrays that have unknown chunksizes: compute_chunk_sizes() finds them")  # fmt: skip
    if any(n == 0 for n in x.shape):
        raise ValueError(f"attempt to get {name} of an empty sequence")
    x = _without_empty(x, reduced)
    first = functools.partial(_place_first, name=name, ends=[starts(c) for c in x.chunks])
    join, last = functools.partial(_place_join, name=name), functools.partial(_ended, finish=_place_last)
    metas = None, None if x._gives_ours else np.empty(0)
    return tree(x, reduced, np.int64, first, join, last, name, keepdims, metas=metas, split_every=split_every)


# Running totals.


def _total(x, name, axis, kind):
    total = _one(name, x, (axis,), {"dtype": kind})
    return total.filled(0 if name.endswith("sum") else 1) if isinstance(total, np.ma.MaskedArray) else total


def _run(name, x, axis, kind):
    return call(name, x, axis=axis, dtype=kind)


def _running(x, axis=None, dtype=None, out=None, method="sequential", *, name):
    total_of = name.replace("cum", "")
    if method not in ("sequential", "blelloch"):  # the totals of the chunks before, either way
        raise ValueError(f'Invalid method for cumreduction. Expected "sequential" or "blelloch". Got: {method!r}')
    if axis is None:
        x, axis = x.ravel().rechunk(x.npartitions) if x.ndim > 1 else x.ravel(), 0
    (axis,) = axes_of(axis, x.ndim)
    kind = getattr(np, name)(np.ones(1, x.dtype), dtype=dtype).dtype
    own = made(f"{name}-chunk", x.chunks, kind, (_run, name, x, axis, kind))
    ends = tuple((1,) * len(c) if a == axis else c for a, c in enumerate(x.chunks))
    total = made(f"{name}-total", ends, kind, (_total, x, total_of, axis, kind))
    if len(x.chunks[axis]) == 1:
        return own
    key = f"{name}-so-far-{tokenize(total.name)}"

    def with_before(part):
        """A function of the place: the part there together with the total of all chunks before it."""

        def task_of(place):
            if place[axis] == 0:
                return same, part.ref(place)
            return call, _pair[total_of], TaskRef((key, *at_axis(place, axis, place[axis] - 1))), part.ref(place)

        return task_of

    so_far = made(f"{name}-so-far", ends, kind, with_before(total), [total], name=key)
    return made(name, x.chunks, kind, with_before(own), [own, so_far], axis)


# What a program's own function reduces.


def _own_first(axes, place, x, *weights, function):
    return on_numpys(function, x, *weights, axis=axes, keepdims=True)


def _own_join(parts, axes, keepdims=True, *, function, concatenate):
    parts = as_numpys(joined_by_lists(parts, axes) if concatenate else parts)
    return on_numpys(function, parts, axis=axes, keepdims=keepdims)


def reduction(x, chunk, aggregate, axis=None, keepdims=False, dtype=None, split_every=None, combine=None, name=None,
              out=None, concatenate=True, output_size=1, meta=None, weights=None):  # fmt: skip
    """chunk of each, combine (or aggregate) of as many of its results as split_every says, until so few are left, aggregate of
    those. Each gets axis=, a tuple, and keepdims=, and those that have it dtype=. concatenate: the results come as one array,
    else as lists. weights: an array that is broadcast, whose chunks chunk gets as well."""
    x = asanyarray(x)
    axes, dtype = axes_of(axis, x.ndim), np.dtype(dtype or x.dtype)
    chunk, aggregate = (functools.partial(g, dtype=dtype) if has_keyword(g, "dtype") else g for g in (chunk, aggregate))
    more = []
    if weights is not None:
        weights = asanyarray(weights)
        try:
            more = [broadcast_to(weights, x.shape).rechunk(x.chunks)]
        except ValueError:
            shapes = f"Weights with shape {weights.shape} are not broadcastable to x with shape {x.shape}"
            raise ValueError(shapes) from None
    last = functools.partial(_own_join, function=aggregate, concatenate=concatenate)
    join = functools.partial(last, function=combine or aggregate)
    found = tree(x, axes, dtype, functools.partial(_own_first, function=chunk), join, last, name or "reduction", keepdims,
                 token=[chunk, aggregate, combine], metas=(meta, meta), split_every=split_every, output_size=output_size,
                 more=more, is_nested=True)  # fmt: skip
    return found if out is None else put_out(found, out)


def _into(reduce):
    """The reduction, whose result may go to an array: that is the result from then on."""

    @functools.wraps(reduce)
    def call_it(x, *args, out=None, **words):
        return reduce(x, *args, **words) if out is None else put_out(reduce(x, *args, **words), out)

    return call_it


_functions = {
    **{name: bound(_simple, name=name) for name in _pair},
    **{name: bound(_places, name=name) for name in ("argmin", "argmax", "nanargmin", "nanargmax")},
    **{name: bound(_running, name=name) for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")},
    **{name: bound(_of_moments, word=name) for name in ("mean", "std", "var", "nanmean", "nanstd", "nanvar")},
}
f.rows("array", {name: _into(reduce) for name, reduce in _functions.items()})
for _name in _functions:
    if not _name.startswith("nan"):
        setattr(Array, _name, f[_name])
