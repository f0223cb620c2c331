"""TensorFlow's functions that are ks's under TensorFlow's names: cutting, gathering, scattering, sorting, counting,
arithmetic. What a row is written for is its rule's (_table.py)."""

import functools
import math
from collections import namedtuple

import numpy as np

import kasoku as ks

from .._face.compositions import along, log_sum, paired, searched, xlogy
from .._face.special import special, special_of
from .._face.table import bound, each
from . import dtypes
from ._ops import elementwise
from ._table import axes, functions, held, in_type, ints, maths, nns, plain, share
from ._tensor import Tensor, TensorShape, convert
from .errors import InvalidArgumentError

# ── cutting and putting together ──────────────────────────────────────────────────────────────────

_modes = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def _padded(tensor, paddings, mode="CONSTANT", constant_values=0):
    if mode.upper() not in _modes:
        raise InvalidArgumentError(f"the mode is one of {', '.join(_modes)}, not {mode}")
    options = {"constant_values": plain(constant_values)} if mode.upper() == "CONSTANT" else {}
    return ks.pad(tensor, [tuple(map(int, p)) for p in np.asarray(plain(paddings))], _modes[mode.upper()], **options)


functions.rows("keeps", {
    "tile": lambda input, multiples: ks.tile(input, ints(multiples)),
    "repeat": lambda input, repeats, axis=None: ks.repeat(
        input, repeats._array if isinstance(repeats, Tensor) else repeats, axis),
    "roll": lambda input, shift, axis: ks.roll(input, plain(shift), plain(axis)),
    "reverse": lambda tensor, axis: ks.flip(tensor, ints(axis)),
    "pad": _padded,
    "unstack": lambda value, num=None, axis=0: [ks.take(value, at, axis) for at in range(value.shape[axis])],
})  # fmt: skip


def _split(value, num_or_size_splits, axis=0, num=None):
    """Parts along an axis: so many equal ones, or of the sizes given."""
    x, at = convert(value), num_or_size_splits
    length = x.shape[int(axis)]
    if np.ndim(plain(at)) == 0:
        at = int(at)
        if length % at:
            raise InvalidArgumentError(f"Dimension size, {length}, must be evenly divisible by {at} [Op:Split]")
    else:
        sizes = ints(at)
        rest = length - sum(s for s in sizes if s != -1)
        if rest and -1 not in sizes:
            raise InvalidArgumentError(
                f"the sizes {list(sizes)} do not add up to the dimension size, {length} [Op:SplitV]"
            )
        at = np.cumsum([rest if s == -1 else s for s in sizes])[:-1]
    return held([Tensor(part) for part in ks.split(x._array, at, int(axis))])


functions.rows("tensors", {
    "split": _split,
    "meshgrid": lambda *args, indexing="xy": [Tensor(in_type(g, convert(args[0]).dtype)) for g in ks.meshgrid(
        *(convert(a)._array for a in args), indexing=indexing)],
    "slice": lambda input_, begin, size: convert(input_)[tuple(
        slice(b, None if n == -1 else b + n) for b, n in zip(ints(begin), ints(size)))],
    "strided_slice": lambda input_, begin, end, strides=None, **ignored: convert(input_)[tuple(
        slice(*k) for k in zip(ints(begin), ints(end), ints(strides) if strides is not None else (1,) * 99))],
    "boolean_mask": lambda tensor, mask, axis=None: convert(tensor)[((slice(None),) * (axis or 0)) + (convert(mask),)],
    "broadcast_static_shape": lambda shape_x, shape_y: TensorShape(
        np.broadcast_shapes(tuple(shape_x), tuple(shape_y))),
    "broadcast_dynamic_shape": lambda shape_x, shape_y: convert(
        list(np.broadcast_shapes(ints(shape_x), ints(shape_y))), dtypes.int32),
    "identity_n": lambda input: held([Tensor(ks.copy(convert(x)._array)) for x in input]),
    "shape_n": lambda input, out_type=dtypes.int32: [convert(list(convert(x).shape), out_type) for x in input],
})  # fmt: skip

# ── gathering and scattering ──────────────────────────────────────────────────────────────────────


def _gathered(params, indices, validate_indices=None, axis=None, batch_dims=0):
    axis = batch_dims if axis is None else axis
    if not batch_dims:
        return ks.take(params, indices, int(axis or 0))
    if axis != batch_dims:
        raise NotImplementedError(
            "tf.gather: with batch_dims the axis is the one behind them\n  fix  tf.transpose, or tf.gather_nd"
        )
    return params[(*_batches(indices, batch_dims), indices)]


def _batches(indices, count):
    """Places of the first axes, shaped to meet `indices`."""
    return [along(k, indices.shape, indices.device) for k in range(count)]


def _places(indices):
    """The index that the last axis of indices holds."""
    return tuple(indices[..., k] for k in range(indices.shape[-1]))


def _scattered(tensor, indices, updates, *, join):
    made = ks.copy(tensor)
    if join is None:
        made[_places(indices)] = updates
    else:
        join.at(made, _places(indices), updates.astype(made.dtype))
    return made


def _hot(indices, depth, on_value=1, off_value=0, axis=-1, dtype=dtypes.float32):
    """Along a new axis one value at the place that an index names, and another elsewhere."""
    if int(depth) < 0:
        raise InvalidArgumentError(f"the depth is {int(depth)}, it cannot be negative [Op:OneHot]")
    is_on = indices[..., None] == ks.arange(int(depth), device=indices.device)
    return ks.moveaxis(in_type(ks.where(is_on, plain(on_value), plain(off_value)), dtype), -1, axis)


def _parted(data, partitions, count):
    wrong = partitions[(partitions < 0) | (partitions >= count)]
    if wrong.size:
        raise InvalidArgumentError(f"the partition {int(wrong[0])} is not in [0, {count}) [Op:DynamicPartition]")
    return [data[partitions == k] for k in range(count)]


def _stitched(indices, data):
    """Rows of several tensors, each at its index; the last of equal indices stays."""
    places = [convert(i)._array for i in indices]
    rows = [convert(d)._array for d in data]
    shape = rows[0].shape[places[0].ndim :]
    n = max((int(p.max()) + 1 for p in places if p.size), default=0)
    made = ks.zeros((n, *shape), rows[0].dtype, rows[0].device)
    for at, row in zip(places, rows, strict=True):
        made[at.reshape(-1)] = row.reshape(-1, *shape)
    return Tensor(made)


functions.rows("keeps", {
    "gather": (_gathered, "The parts of a tensor at places along an axis, for each of the first batch_dims axes its own."),
    "gather_nd": lambda params, indices, batch_dims=0: params[
        (*_batches(indices[..., 0], batch_dims), *_places(indices))],
    **{"tensor_scatter_nd_" + name: bound(_scattered, join=join) for name, join in {
        "update": None, "add": ks.add, "sub": ks.subtract, "max": ks.maximum, "min": ks.minimum}.items()},
    "unravel_index": lambda indices, dims: ks.stack(ks.unravel_index(indices, ints(dims))),
    "dynamic_partition": lambda data, partitions, num_partitions: _parted(
        data, convert(partitions)._array, int(num_partitions)),
})  # fmt: skip
functions.rows("tensors", {"dynamic_stitch": _stitched})
functions.rows("own", {
    "scatter_nd": lambda indices, updates, shape: bound(_scattered, join=ks.add)(
        ks.zeros(ints(shape), updates.dtype, updates.device), indices, updates),
    "one_hot": _hot,
    "sequence_mask": lambda lengths, maxlen=None, dtype=dtypes.bool: in_type(
        ks.arange(int(lengths.max() if maxlen is None else maxlen), device=lengths.device) < lengths[..., None], dtype),
})  # fmt: skip

# ── sorting, counting, running ────────────────────────────────────────────────────────────────────


TopKV2, Unique = namedtuple("TopKV2", "values indices"), namedtuple("Unique", "y idx")
UniqueWithCounts = namedtuple("UniqueWithCounts", "y idx count")


def _first(x, k, axis, largest):
    """The first k in order and where they stand, as int32; equal ones keep their order."""
    found, at = ks.topk(x, int(k), axis, largest)
    return TopKV2(found, at.astype("int32"))


def _uniques(x, out_idx, counted=False):
    """Each value once, in the order of first appearance, and where each element's value is."""
    values, first, inverse, *counts = ks.unique(x, return_index=True, return_inverse=True, return_counts=counted)
    order = ks.argsort(first)
    place = ks.argsort(order)  # of a permutation: its inverse
    at = in_type(ks.take(place, inverse.reshape(-1)), out_idx)
    parts = ks.take(values, order), at, *(in_type(ks.take(c, order), out_idx) for c in counts)
    return (UniqueWithCounts if counted else Unique)(*parts)


def _running(x, axis=0, exclusive=False, reverse=False, *, scan, neutral):
    axis = int(axis)
    x = ks.flip(x, axis) if reverse else x
    out = scan(x, axis)
    if exclusive:
        front = (slice(None),) * (axis % x.ndim)
        first = ks.full_like(out[(*front, slice(0, 1))], neutral)
        out = ks.concatenate([first, out[(*front, slice(0, -1))]], axis)
    return ks.flip(out, axis) if reverse else out


def _counted(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32, **ignored):
    counts = ks.bincount(ks.ravel(arr), None if weights is None else ks.ravel(weights), int(minlength or 0))
    return in_type(counts if maxlength is None else counts[: int(maxlength)], dtype)


def _bins(values, value_range, nbins=100, dtype=dtypes.int32):
    """How many values lie in each of so many equal parts of a range; those outside count for the first and the last."""
    (low, high), nbins = map(float, np.asarray(plain(value_range))), int(nbins)
    at = ks.clip(((values - low) / (high - low) * nbins).astype("int64"), 0, nbins - 1)
    return in_type(ks.bincount(ks.ravel(at), minlength=nbins), dtype)


def _segments(data, segment_ids, num_segments=None, *, join, start):
    n = int(num_segments) if num_segments is not None else int(segment_ids.max()) + 1 if segment_ids.size else 0
    out = ks.full((n, *data.shape[segment_ids.ndim :]), start(data.dtype), data.dtype, data.device)
    join.at(out, (segment_ids,), data)
    return out


def _in_order(data, segment_ids, *, segment):
    """Reduces segments whose ids rise, as they have to where the number of segments is not given."""
    if segment_ids.ndim != 1 or segment_ids.shape[0] != data.shape[0]:
        raise InvalidArgumentError(
            f"segment_ids has the shape {segment_ids.shape}, one id for each of {data.shape[0]} rows is needed"
        )
    if not bool((segment_ids[1:] >= segment_ids[:-1]).all()):
        raise InvalidArgumentError("segment ids are not increasing\n  fix  tf.math.unsorted_segment_sum and the like")
    return segment(data, segment_ids)


_sums = bound(_segments, join=ks.add, start=lambda d: 0)


def _segment_means(data, segment_ids, num_segments=None, *, root):
    sums = _sums(data, segment_ids, num_segments)
    counts = ks.maximum(_sums(ks.ones(segment_ids.shape, "float64", data.device), segment_ids, sums.shape[0]), 1)
    return sums / (ks.sqrt(counts) if root else counts).reshape(-1, *(1,) * (sums.ndim - 1))


functions.rows("keeps", {
    "sort": lambda values, axis=-1, direction="ASCENDING": _first(
        values, values.shape[axis], axis, direction == "DESCENDING")[0],
    "cumsum": bound(_running, scan=ks.cumsum, neutral=0),
})  # fmt: skip
functions.rows("own", {
    "argsort": lambda values, axis=-1, direction="ASCENDING", stable=False: _first(
        values, values.shape[axis], axis, direction == "DESCENDING")[1],
    "unique": lambda x, out_idx=dtypes.int32: _uniques(x, out_idx),
    "unique_with_counts": lambda x, out_idx=dtypes.int32: _uniques(x, out_idx, True),
    "searchsorted": lambda sorted_sequence, values, side="left", out_type=dtypes.int32: in_type(
        searched(sorted_sequence, values, side == "right"), out_type),
    "histogram_fixed_width": _bins,
    **each(ks, "argmax argmin", lambda place: lambda input, axis=None, output_type=dtypes.int64: in_type(
        place(input, axis=0 if axis is None else int(axis)), output_type)),
})  # fmt: skip
_kinds_of_segments = {
    "sum": _sums, "prod": bound(_segments, join=ks.multiply, start=lambda d: 1),
    "max": bound(_segments, join=ks.maximum, start=lambda d: dtypes.as_dtype(d).min),
    "min": bound(_segments, join=ks.minimum, start=lambda d: dtypes.as_dtype(d).max),
    "mean": bound(_segment_means, root=False), "sqrt_n": bound(_segment_means, root=True),
}  # fmt: skip
maths.rows("keeps", {
    "cumprod": bound(_running, scan=ks.cumprod, neutral=1),
    "cumulative_logsumexp": bound(_running, scan=ks.logaddexp.accumulate, neutral=-math.inf),
    **{"unsorted_segment_" + name: of for name, of in _kinds_of_segments.items()},
    **{"segment_" + name: bound(_in_order, segment=of) for name, of in _kinds_of_segments.items() if name != "sqrt_n"},
})  # fmt: skip


def _confusion(labels, predictions, num_classes=None, weights=None, dtype=dtypes.int32):
    """How often each prediction (the columns) comes with each label (the rows)."""
    n = int(max(labels.max(initial=-1), predictions.max(initial=-1))) + 1 if num_classes is None else int(num_classes)
    counts = ks.zeros((n, n), "float64", labels.device)
    ks.add.at(counts, (labels, predictions), 1 if weights is None else weights.astype("float64"))
    return in_type(counts, dtype)


maths.rows("own", {
    "bincount": _counted, "confusion_matrix": _confusion,
    "top_k": lambda input, k=1, sorted=True, index_type=dtypes.int32: _first(input, plain(k), -1, True),
    "in_top_k": lambda targets, predictions, k: ks.count_nonzero(
        predictions > ks.take_along_axis(predictions, targets[:, None].astype("int64"), 1), axis=1) < int(k),
    "zero_fraction": lambda value: (value == 0).mean().astype("float32"),
    "count_nonzero": lambda input, axis=None, keepdims=False, dtype=dtypes.int64: in_type(
        ks.count_nonzero(input, axis=axes(axis), keepdims=keepdims), dtype or dtypes.int64),
})  # fmt: skip


# ── arithmetic ────────────────────────────────────────────────────────────────────────────────────


def _no_nan(x, y, value):
    """value(x, y) where y is not 0, and 0 elsewhere."""
    return ks.where(y == 0, 0, value(x, ks.where(y == 0, 1, y)))


_truncated = lambda x, y: ks.trunc(x / y) if x.dtype.kind == "f" else (x - ks.fmod(x, y)) // y


def _clipped(t, clip_norm, axis):
    length = ks.sqrt((t * t).sum(axis=axes(axis), keepdims=True))
    return t * (clip_norm / ks.maximum(length, clip_norm)).astype(t.dtype)


def _is_rising(x, compare):
    x = ks.ravel(x)
    return compare(x[1:], x[:-1]).all()


functions.rows("numbers", {"sigmoid": lambda x: 1 / (1 + ks.exp(-x))})
functions.rows("keeps", {
    "truncatediv": (_truncated, "The quotient, cut towards zero."),
    **each(ks, "truncatemod=fmod", "x, y"),
    "clip_by_norm": lambda t, clip_norm, axes=None: _clipped(t, clip_norm, axes),
    "reduce_logsumexp": lambda input_tensor, axis=None, keepdims=False: log_sum(input_tensor, axes(axis), keepdims),
    "stop_gradient": lambda input: input,
    "guarantee_const": lambda input: input,
})  # fmt: skip
functions.rows("own", {
    "complex": lambda real, imag: paired(real, imag),
    "saturate_cast": lambda value, dtype: in_type(
        ks.clip(value, dtypes.as_dtype(dtype).min, dtypes.as_dtype(dtype).max), dtype),
    "bitcast": lambda input, type: input.view(dtypes.as_dtype(type).as_numpy_dtype),
})  # fmt: skip
functions.rows("composed", {
    "add_n": lambda inputs: sum(inputs[1:], convert(inputs[0])),
    "clip_by_value": lambda t, clip_value_min, clip_value_max: elementwise["minimum"](
        elementwise["maximum"](convert(t), clip_value_min), clip_value_max),
    "scalar_mul": lambda scalar, x: convert(x) * scalar,
    "realdiv": lambda x, y: elementwise["divide"](x, y),
    "squared_difference": lambda x, y: elementwise["square"](elementwise["subtract"](x, y)),
})  # fmt: skip
maths.rows("composed", {
    "polyval": lambda coeffs, x: functools.reduce(lambda value, one: value * x + one, coeffs[1:], convert(coeffs[0]))})  # fmt: skip
maths.rows("keeps", {
    "divide_no_nan": lambda x, y: _no_nan(x, y, lambda x, y: x / y),
    "multiply_no_nan": lambda x, y: ks.where(y == 0, 0, x * y),
    "reciprocal_no_nan": lambda x: _no_nan(1, x, lambda one, x: one / x),
    "xlogy": lambda x, y: xlogy(x, y),
    "xlog1py": lambda x, y: xlogy(x, 1 + y),
    "xdivy": lambda x, y: ks.where(x == 0, 0, x / ks.where(x == 0, 1, y)),
    **each(ks, "conj invert_permutation=argsort", "x"),
    "reduce_euclidean_norm": lambda input_tensor, axis=None, keepdims=False: ks.sqrt(
        (input_tensor * input_tensor).sum(axis=axes(axis), keepdims=keepdims)),
})  # fmt: skip
maths.rows("own", {
    **each(ks, "real imag", "input"),
    "angle": lambda input: ks.angle(input).astype(ks.real(input).dtype),
    "is_non_decreasing": lambda x: _is_rising(x, ks.greater_equal),
    "is_strictly_increasing": lambda x: _is_rising(x, ks.greater),
})  # fmt: skip
maths.rows("numbers", {
    "rsqrt": lambda x: 1 / ks.sqrt(x),
    "reduce_std": lambda input_tensor, axis=None, keepdims=False: input_tensor.std(axis=axes(axis), keepdims=keepdims),
    "reduce_variance": lambda input_tensor, axis=None, keepdims=False: input_tensor.var(
        axis=axes(axis), keepdims=keepdims),
})  # fmt: skip


maths.rows("floats", {
    **each(special_of, "erf erfc erfinv erfcinv lgamma ndtri digamma bessel_i0=i0 bessel_i1=i1", "x"),
    "lbeta": lambda x: special("lgamma", x).sum(axis=-1) - special("lgamma", x.sum(axis=-1)),
    "log_sigmoid": lambda x: -ks.logaddexp(-x, 0),
})  # fmt: skip
share(functions, maths, "sigmoid add_n cumsum scalar_mul argmax argmin reduce_logsumexp squared_difference")
maths.alias(accumulate_n="add_n")
share(maths, nns, "top_k zero_fraction in_top_k")
