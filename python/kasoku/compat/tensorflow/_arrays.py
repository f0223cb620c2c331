"""TensorFlow's ways to cut, gather, scatter, sort and count, and products by letters. What has no
kernel of the engine NumPy computes on the host."""

from __future__ import annotations

import builtins

import numpy as np

import kasoku as ks

from . import dtypes
from ._ops import _shape, constant, stack
from ._tensor import Tensor, convert, held
from .errors import InvalidArgumentError

functions = {}  # by TensorFlow's name
maths, nns = {}, {}  # those that are also, or only, in tf.math and tf.nn


def _in(*tables):
    def add(f):
        for table in tables or (functions,):
            table[f.__name__.rstrip("_")] = f
        return f

    return add


def _plain(x):
    """A number, list or array as NumPy's."""
    return x.numpy() if hasattr(x, "numpy") else x


def _ints(x):
    return tuple(builtins.int(n) for n in np.atleast_1d(np.asarray(_plain(x))))


def host(function, x, *others, dtype=None):
    """function(x, …) of NumPy on tensors; the result has x's type, or `dtype`."""
    x = convert(x)
    result = np.asarray(function(x.numpy(), *(np.asarray(convert(o).numpy()) for o in others)))
    wanted = dtypes.as_dtype(dtype) if dtype is not None else x.dtype
    return Tensor(ks.array(np.ascontiguousarray(result).astype(wanted.as_numpy_dtype).reshape(result.shape)))


def engine(function, x, *others, dtype=None):
    """function(x, …) of the engine's arrays on tensors, where they lie; the results have x's type, or `dtype`."""
    x = convert(x)
    wanted = (dtypes.as_dtype(dtype) if dtype is not None else x.dtype).as_numpy_dtype
    result = function(x._array, *(convert(o)._array for o in others))

    def made(a):
        return Tensor(a if a.dtype == wanted else a.astype(wanted))

    return tuple(map(made, result)) if isinstance(result, tuple) else made(result)


# ── cutting and putting together ──────────────────────────────────────────────────────────


@_in()
def unstack(value, num=None, axis=0, name=None):
    x = convert(value)._array
    return held([Tensor(ks.take(x, at, axis)) for at in builtins.range(x.shape[axis])])


@_in()
def split(value, num_or_size_splits, axis=0, num=None, name=None):
    """Parts along an axis: so many equal ones, or of the sizes given."""
    x, axis = convert(value), builtins.int(axis)
    length = x.shape[axis]
    if np.ndim(_plain(num_or_size_splits)) == 0:
        count = builtins.int(num_or_size_splits)
        if length % count:
            raise InvalidArgumentError(f"Dimension size, {length}, must be evenly divisible by {count} [Op:Split]")
        sizes = [length // count] * count
    else:
        sizes = [*_ints(num_or_size_splits)]
        if -1 in sizes:
            sizes[sizes.index(-1)] = length - sum(s for s in sizes if s != -1)
    at = np.cumsum([0, *sizes])
    front = (slice(None),) * (axis % x.ndim)
    return held([x[(*front, slice(builtins.int(a), builtins.int(b)))] for a, b in zip(at, at[1:])])


@_in()
def slice_(input_, begin, size, name=None):
    ends = [None if n == -1 else b + n for b, n in zip(_ints(begin), _ints(size))]
    return convert(input_)[tuple(slice(b, e) for b, e in zip(_ints(begin), ends))]


@_in()
def tile(input, multiples, name=None):  # noqa: A002
    return host(lambda a: np.tile(a, _ints(multiples)), input)


@_in()
def repeat(input, repeats, axis=None, name=None):  # noqa: A002
    return host(lambda a: np.repeat(a, _plain(repeats), axis), input)


@_in()
def roll(input, shift, axis, name=None):  # noqa: A002
    return Tensor(ks.roll(convert(input)._array, _plain(shift), _plain(axis)))


@_in()
def reverse(tensor, axis, name=None):
    return host(lambda a: np.flip(a, _ints(axis)), tensor)


@_in()
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    modes = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}
    options = {"constant_values": _plain(constant_values)} if mode.upper() == "CONSTANT" else {}
    return host(lambda a: np.pad(a, np.asarray(_plain(paddings)), modes[mode.upper()], **options), tensor)


@_in()
def meshgrid(*args, indexing="xy", name=None):
    first = convert(args[0])
    grids = np.meshgrid(*[_plain(convert(a)) for a in args], indexing=indexing)
    return [constant(g, first.dtype) for g in grids]


# ── gathering and scattering ──────────────────────────────────────────────────────────────


@_in()
def gather(params, indices, validate_indices=None, axis=0, batch_dims=0, name=None):
    if batch_dims:
        raise NotImplementedError(
            "tf.gather: batch_dims is not supported\n  fix  tf.gather_nd, or a loop over the batches"
        )
    return Tensor(ks.take(convert(params)._array, convert(indices)._array, builtins.int(axis or 0)))


@_in()
def gather_nd(params, indices, batch_dims=0, name=None):
    at = np.moveaxis(np.asarray(_plain(convert(indices))), -1, 0)
    return host(lambda a: a[tuple(at)], params)


@_in()
def boolean_mask(tensor, mask, axis=None, name=None):
    front = (slice(None),) * (axis or 0)
    return convert(tensor)[(*front, convert(mask))]


def _scattered(into, indices, updates, put):
    at = tuple(np.moveaxis(np.asarray(_plain(convert(indices))), -1, 0))
    into = np.array(into)
    put(into, at, np.asarray(_plain(updates)))
    return into


def _put(into, at, values):
    into[at] = values


for _name, _how in {
    "update": _put,
    "add": np.add.at,
    "sub": np.subtract.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}.items():

    def _scatter(tensor, indices, updates, name=None, _how=_how):
        return host(lambda a: _scattered(a, indices, updates, _how), tensor)

    functions["tensor_scatter_nd_" + _name] = _scatter


@_in()
def scatter_nd(indices, updates, shape, name=None):
    updates = convert(updates)
    return host(lambda u: _scattered(np.zeros(_shape(shape), u.dtype), indices, u, np.add.at), updates)


@_in()
def one_hot(indices, depth, on_value=1, off_value=0, axis=-1, dtype=dtypes.float32, name=None):
    def make(at):
        hot = np.where(at[..., None] == np.arange(builtins.int(depth)), _plain(on_value), _plain(off_value))
        return np.moveaxis(hot, -1, axis)

    return host(make, indices, dtype=dtype)


@_in()
def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
    return host(lambda n: np.arange(maxlen or n.max())[None] < n[..., None], lengths, dtype=dtype)


# ── sorting, counting, running ────────────────────────────────────────────────────────────


def _first(values, k, axis, largest):
    """The first k in order and where they stand, as int32; equal ones keep their order."""
    found, at = ks.topk(convert(values)._array, k, axis, largest)
    return held([Tensor(found), Tensor(at.astype("int32"))])


def _sorted(values, axis, direction):
    return _first(values, convert(values).shape[axis], axis, direction == "DESCENDING")


@_in()
def sort(values, axis=-1, direction="ASCENDING", name=None):
    return _sorted(values, axis, direction)[0]


@_in()
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    return _sorted(values, axis, direction)[1]


@_in(maths, nns)
def top_k(input, k=1, sorted=True, index_type=dtypes.int32, name=None):  # noqa: A002
    return tuple(_first(input, builtins.int(_plain(k)), -1, True))


@_in()
def unique(x, out_idx=dtypes.int32, name=None):
    """Each value once, in the order of first appearance, and where each element's value is."""
    x = convert(x)._array
    values, first, inverse = ks.unique(x, return_index=True, return_inverse=True)
    order = ks.argsort(first)
    place = ks.argsort(order)  # of a permutation: its inverse
    at = ks.take(place, inverse.reshape(-1)).astype(dtypes.as_dtype(out_idx).as_numpy_dtype)
    return tuple(held([Tensor(ks.take(values, order)), Tensor(at)]))


@_in()
def searchsorted(sorted_sequence, values, side="left", out_type=dtypes.int32, name=None):
    return host(lambda a, v: np.searchsorted(a, v, side), sorted_sequence, values, dtype=out_type)


def _running(name, function, neutral):
    def f(x, axis=0, exclusive=False, reverse=False, name=None):
        def run(a):
            a = np.flip(a, axis) if reverse else a
            out = function(a, axis, dtype=a.dtype)
            if exclusive:
                first = np.full_like(np.take(out, [0], axis), neutral)
                out = np.concatenate([first, np.delete(out, -1, axis)], axis)
            return np.flip(out, axis) if reverse else out

        return host(run, x)

    f.__name__ = name
    functions[name] = maths[name] = f


_running("cumsum", np.cumsum, 0)
_running("cumprod", np.cumprod, 1)
functions.pop("cumprod")  # TensorFlow has it in tf.math only


@_in(maths)
def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32, name=None, **ignored):
    counts = np.bincount(
        np.ravel(_plain(convert(arr))), None if weights is None else np.ravel(_plain(weights)), minlength or 0
    )
    return constant(counts if maxlength is None else counts[:maxlength], dtype)


@_in()
def histogram_fixed_width(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    low, high = (float(v) for v in np.asarray(_plain(convert(value_range))))

    def count(a):
        at = np.clip(((a - low) / (high - low) * nbins).astype(np.int64), 0, nbins - 1)
        return np.bincount(at.ravel(), minlength=nbins)

    return host(count, values, dtype=dtype)


def _segments(name, at, start):
    def f(data, segment_ids, num_segments=None, name=None):
        def run(a, ids):
            n = (
                builtins.int(num_segments)
                if num_segments is not None
                else (builtins.int(ids.max()) + 1 if ids.size else 0)
            )
            out = np.full((n, *a.shape[ids.ndim :]), start(a.dtype), a.dtype)
            at(out, ids, a)
            return out

        return host(run, data, segment_ids)

    f.__name__ = name
    maths[name], maths["unsorted_" + name] = f, f


_segments("segment_sum", np.add.at, lambda t: 0)
_segments("segment_prod", np.multiply.at, lambda t: 1)
_segments("segment_max", np.maximum.at, lambda t: np.finfo(t).min if t.kind == "f" else np.iinfo(t).min)
_segments("segment_min", np.minimum.at, lambda t: np.finfo(t).max if t.kind == "f" else np.iinfo(t).max)


# ── loops over elements ───────────────────────────────────────────────────────────────────


@_in()
def map_fn(fn, elems, dtype=None, fn_output_signature=None, **ignored):
    several = isinstance(elems, (list, tuple))
    rows = zip(*(unstack(e) for e in elems)) if several else unstack(elems)
    results = [fn(row) for row in rows]
    if results and isinstance(results[0], (list, tuple)):
        return type(results[0])(stack(part) for part in zip(*results))
    return stack(results)


functions["vectorized_map"] = map_fn


def _folded(fn, elems, initializer, keeps, from_right=False):
    rows = unstack(elems)[:: -1 if from_right else 1]
    value = initializer if initializer is not None else rows.pop(0)
    kept = [] if initializer is not None else [value]
    for row in rows:
        value = fn(value, row)
        kept.append(value)
    return stack(kept[:: -1 if from_right else 1]) if keeps else value


@_in()
def scan(fn, elems, initializer=None, reverse=False, **ignored):
    return _folded(fn, elems, initializer, True, reverse)


@_in()
def foldl(fn, elems, initializer=None, **ignored):
    return _folded(fn, elems, initializer, False)


@_in()
def foldr(fn, elems, initializer=None, **ignored):
    return _folded(fn, elems, initializer, False, True)


@_in()
def numpy_function(func, inp, Tout, stateful=True, name=None):
    result = func(*(_plain(convert(x)) for x in inp))
    if isinstance(Tout, (list, tuple)):
        return [constant(part, kind) for part, kind in zip(result, Tout)]
    return constant(result, Tout)


@_in()
def py_function(func, inp, Tout, name=None):
    result = func(*(convert(x) for x in inp))
    if isinstance(Tout, (list, tuple)):
        return [convert(part, kind) for part, kind in zip(result, Tout)]
    return convert(result, Tout)


@_in()
def ensure_shape(x, shape, name=None):
    x = convert(x)
    wanted = tuple(shape)
    if len(wanted) != x.ndim or any(n is not None and n != own for n, own in zip(wanted, x.shape)):
        raise InvalidArgumentError(f"Shape of tensor {tuple(x.shape)} is not compatible with expected shape {wanted}")
    return x
