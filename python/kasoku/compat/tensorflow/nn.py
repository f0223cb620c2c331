"""tf.nn: the functions of layers; layers themselves are not there."""

import math as _math

import kasoku as ks

from .._face.table import bound as _bound
from .._face import compositions as _compositions, sliding as _sliding
from . import _rows  # noqa: F401 - it fills the tables
from ._ops import elementwise as _elementwise
from ._table import axes as _axes_of, functions as _f, ints as _ints, linalgs as _linalgs, maths as _maths
from ._table import nns as _nns, share as _share
from ._tensor import convert as _convert, Tensor as _Tensor
from .errors import InvalidArgumentError as _InvalidArgumentError


def _blocks(x, size, to_depth):
    """Squares of places as channels, or back."""
    n, rows, columns, depth = x.shape
    if to_depth:
        x = x.reshape(n, rows // size, size, columns // size, size, depth)
        return ks.transpose(x, (0, 1, 3, 2, 4, 5)).reshape(n, rows // size, columns // size, depth * size * size)
    x = x.reshape(n, rows, columns, size, size, depth // (size * size))
    return ks.transpose(x, (0, 1, 3, 2, 4, 5)).reshape(n, rows * size, columns * size, -1)


_nns.rows("floats", {
    "softmax": lambda logits, axis=-1: _compositions.softmax(logits, axis),
    "log_softmax": lambda logits, axis=-1: _compositions.log_softmax(logits, axis),
    "leaky_relu": lambda features, alpha=0.2: ks.where(features > 0, features, features * alpha),
    "elu": lambda features: _compositions.below(features, ks.expm1),
    "selu": lambda features: _compositions.selu(features),
    "gelu": lambda features, approximate=False: _compositions.gelu(features, approximate),
    "softplus": lambda features: ks.logaddexp(features, 0),
    "softsign": lambda features: features / (1 + ks.absolute(features)),
    "silu": lambda features, beta=1.0: features / (1 + ks.exp(-beta * features)),
    "crelu": lambda features, axis=-1: ks.maximum(ks.concatenate([features, -features], axis), 0),
    "l2_normalize": lambda x, axis=None, epsilon=1e-12: x / ks.sqrt(
        ks.maximum((x * x).sum(axis=_axes_of(axis), keepdims=True), epsilon)),
    "moments": lambda x, axes, shift=None, keepdims=False: (
        x.mean(axis=_axes_of(axes), keepdims=keepdims), x.var(axis=_axes_of(axes), keepdims=keepdims)),
})  # fmt: skip
_nns.rows("keeps", {
    "relu": lambda features: ks.maximum(features, 0),
    "relu6": lambda features: ks.clip(features, 0, 6),
    "l2_loss": lambda t: (t * t).sum() / 2,
    "dropout": lambda x, rate, noise_shape=None, seed=None: ks.where(
        ks.random.random(x.shape, dtype="float32", device=x.device) >= rate, x / (1 - rate), 0),
    "embedding_lookup": lambda params, ids, max_norm=None: ks.take(params, ids, 0),
    "depth_to_space": lambda input, block_size, data_format="NHWC": _blocks(input, block_size, False),
    "space_to_depth": lambda input, block_size, data_format="NHWC": _blocks(input, block_size, True),
    "sigmoid_cross_entropy_with_logits": lambda labels=None, logits=None: (
        ks.maximum(logits, 0) - logits * labels + ks.log1p(ks.exp(-ks.absolute(logits)))),
    "weighted_cross_entropy_with_logits": lambda labels, logits, pos_weight: (
        (1 - labels) * logits + (1 + (pos_weight - 1) * labels)
        * (ks.log1p(ks.exp(-ks.absolute(logits))) + ks.maximum(-logits, 0))),
    "log_poisson_loss": lambda targets, log_input, compute_full_loss=False: (
        ks.exp(_convert(log_input)._array) - _convert(log_input)._array * targets),
    "softmax_cross_entropy_with_logits": lambda labels, logits, axis=-1: -(
        labels * _compositions.log_softmax(logits, axis)).sum(axis=axis),
})  # fmt: skip
_nns.rows("own", {
    "sparse_softmax_cross_entropy_with_logits": lambda labels, logits: -ks.take_along_axis(
        _compositions.log_softmax(logits, -1), labels[..., None].astype("int64"), -1)[..., 0],
})  # fmt: skip


def _normal_batch(x, mean, variance, offset, scale, variance_epsilon):
    y = (_convert(x) - mean) / _elementwise["sqrt"](_convert(variance) + variance_epsilon)
    y = y if scale is None else y * scale
    return y if offset is None else y + offset


def _weighted_moments(x, axes, frequency_weights, keepdims=False):
    """The mean and the variance of elements that count so often."""
    x, w = _convert(x)._array, _convert(frequency_weights)._array
    along = {"axis": _axes_of(axes), "keepdims": True}
    w = ks.broadcast_to(w, x.shape)
    mean = (x * w).sum(**along) / w.sum(**along)
    parts = mean, ((x - mean) ** 2 * w).sum(**along) / w.sum(**along)
    return tuple(_Tensor(p if keepdims else ks.squeeze(p, _axes_of(axes))) for p in parts)


def _average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    each = _convert(per_example_loss)._array
    each = each if sample_weight is None else each * _convert(sample_weight)._array
    return _Tensor(each.sum() / (each.size if global_batch_size is None else int(global_batch_size)))


_nns.rows("tensors", {
    "weighted_moments": _weighted_moments,
    "compute_average_loss": _average_loss,
})  # fmt: skip


_nns.rows("composed", {
    "bias_add": lambda value, bias, data_format=None: _convert(value) + bias,
    "batch_normalization": _normal_batch,
})  # fmt: skip
_nns.alias(swish="silu")
_nns.update(tanh=_elementwise["tanh"], sigmoid=_f["sigmoid"])
_share(_nns, _maths, "softmax log_softmax softplus l2_normalize softsign")
_share(_nns, _linalgs, "l2_normalize")


# ── windows ───────────────────────────────────────────────────────────────────────────────────────


def _steps(value, axes, is_first):
    """Strides and sizes: a number, one for each place, or one for each axis of the tensor."""
    steps = _ints(value)
    if len(steps) == axes + 2:
        steps = steps[2:] if is_first else steps[1:-1]
    return steps * axes if len(steps) == 1 else steps


_channels_first = lambda data_format: data_format is not None and data_format.startswith("NC")


def _widths(padding, lengths, size, strides, dilations):
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding is 'SAME', 'VALID' or a list of pairs, not {padding!r}")
        is_same = padding.upper() == "SAME"
        return _sliding.same_widths(lengths, size, strides, dilations) if is_same else [(0, 0)] * len(size)
    return [tuple(p) for p in padding[1:-1]]


def _convolution(input, filters, strides=1, padding="VALID", data_format=None, dilations=None, *, axes):
    is_first = _channels_first(data_format)
    steps, gaps = _steps(strides, axes, is_first), _steps(dilations or 1, axes, is_first)
    x = input if is_first else ks.moveaxis(input, -1, 1)
    w = ks.moveaxis(filters, (-1, -2), (0, 1))
    if x.shape[1] % w.shape[1]:
        raise _InvalidArgumentError(
            f"input depth {x.shape[1]} is no multiple of the filters' {w.shape[1]} [Op:Conv{axes}D]"
        )
    widths = _widths(padding, x.shape[2:], w.shape[2:], steps, gaps)
    y = _sliding.convolve(x, w, steps, widths, gaps, x.shape[1] // w.shape[1])
    return y if is_first else ks.moveaxis(y, 1, -1)


def _pooling(input, ksize, strides=None, padding="VALID", data_format=None, *, axes, reduce, fill):
    is_first = _channels_first(data_format)
    size = _steps(ksize, axes, is_first)
    steps = size if strides is None else _steps(strides, axes, is_first)
    x = input if is_first else ks.moveaxis(input, -1, 1)
    widths = _widths(padding, x.shape[2:], size, steps, (1,) * axes)
    y = _sliding.pool(x, size, steps, widths, reduce, fill if x.dtype.kind == "f" else 0)
    return y if is_first else ks.moveaxis(y, 1, -1)


def _of_as_many(name):
    """The function of as many axes as the tensor has places."""
    return lambda input, *args, **kwargs: _nns[f"{name}{_convert(input).ndim - 2}d"](input, *args, **kwargs)


for _axes in (1, 2, 3):
    _nns.rows("keeps", {
        f"conv{_axes}d": _bound(_convolution, axes=_axes),
        f"max_pool{_axes}d": _bound(_pooling, axes=_axes, reduce=ks.max, fill=-_math.inf),
        f"avg_pool{_axes}d": _bound(_pooling, axes=_axes, reduce=ks.nanmean, fill=_math.nan),  # places outside count for nothing
    })  # fmt: skip


def _depthwise(input, filter, strides, padding, data_format=None, dilations=None):
    """Filters of one channel each: (height, width, channels, multiplier)."""
    w = _convert(filter)
    h, v, channels, times = w.shape
    flat = _Tensor(ks.reshape(w._array, (h, v, 1, channels * times)))
    return _nns["conv2d"](input, flat, strides, padding, data_format, dilations)


_nns.rows("tensors", {
    "convolution": _of_as_many("conv"), "max_pool": _of_as_many("max_pool"), "avg_pool": _of_as_many("avg_pool"),
    "depthwise_conv2d": _depthwise,
})  # fmt: skip
globals().update(_nns)
