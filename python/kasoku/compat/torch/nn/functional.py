"""torch.nn.functional: what needs no gradients."""

import math

import numpy as np

import kasoku as ks

from ..._face import compositions, sliding
from ..._face.table import bound as _bound, Table
from .. import _creation, _rearrange, _rows, _types
from .._table import functions as _f, rules
from .._tensor import Tensor, shaped

_functions = Table(rules)
_ = _rearrange, _rows  # they fill the table


def _mean_of(x, axes, eps):
    """x less its mean over its spread."""
    middle = x.mean(axis=axes, keepdims=True)
    return (x - middle) / ks.sqrt(x.var(axis=axes, keepdims=True) + eps)


def _scaled(x, weight, bias, axis=None):
    """x * weight + bias, whose places are those of one axis, or of the last ones."""
    for operand, join in ((weight, ks.multiply), (bias, ks.add)):
        if operand is not None:
            shape = [-1 if k == axis else 1 for k in range(x.ndim)]
            x = join(x, operand if axis is None else operand.reshape(shape))
    return x


def _normal_groups(x, groups, weight, bias, eps):
    parts = x.reshape(x.shape[0], groups, -1)
    return _scaled(_mean_of(parts, (2,), eps).reshape(x.shape), weight, bias, 1)


def _normal_batch(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Channels less their means over their spreads: those given, or in training the batch's own."""
    if training:
        return _scaled(_mean_of(input, (0, *range(2, input.ndim)), eps), weight, bias, 1)
    mean, var = (of.reshape([-1 if k == 1 else 1 for k in range(input.ndim)]) for of in (running_mean, running_var))
    return _scaled((input - mean) / ks.sqrt(var + eps), weight, bias, 1)


_functions.rows("floats", {
    "leaky_relu": lambda input, negative_slope=0.01, inplace=False: ks.where(input > 0, input, negative_slope * input),
    "elu": lambda input, alpha=1.0, inplace=False: compositions.below(input, lambda x: alpha * ks.expm1(x)),
    "celu": lambda input, alpha=1.0, inplace=False: compositions.below(input, lambda x: alpha * ks.expm1(x / alpha)),
    "selu": lambda input, inplace=False: compositions.selu(input),
    "silu": lambda input, inplace=False: input / (1 + ks.exp(-input)),
    "mish": lambda input, inplace=False: input * ks.tanh(ks.logaddexp(input, 0)),
    "gelu": lambda input, approximate="none": compositions.gelu(input, approximate == "tanh"),
    "prelu": lambda input, weight: ks.where(
        input > 0, input, input * (weight if weight.size == 1 else weight.reshape(-1, *(1,) * (input.ndim - 2)))),
    "softsign": lambda input: input / (1 + ks.abs(input)),
    "tanhshrink": lambda input: input - ks.tanh(input),
    "hardshrink": lambda input, lambd=0.5: ks.where(ks.abs(input) > lambd, input, 0),
    "softshrink": lambda input, lambd=0.5: ks.sign(input) * ks.maximum(ks.abs(input) - lambd, 0),
    "hardsigmoid": lambda input, inplace=False: ks.clip(input / 6 + 0.5, 0, 1),
    "hardswish": lambda input, inplace=False: input * ks.clip(input / 6 + 0.5, 0, 1),
    "threshold": lambda input, threshold, value, inplace=False: ks.where(input > threshold, input, value),
    "logsigmoid": lambda input: -ks.logaddexp(-input, 0),
    "glu": lambda input, dim=-1: (lambda a, b: a / (1 + ks.exp(-b)))(*ks.split(input, 2, axis=dim)),
    "layer_norm": lambda input, normalized_shape, weight=None, bias=None, eps=1e-5: _scaled(
        _mean_of(input, tuple(range(-len(tuple(normalized_shape)), 0)), eps), weight, bias),
    "rms_norm": lambda input, normalized_shape, weight=None, eps=None: _scaled(
        input / ks.sqrt((input * input).mean(axis=tuple(range(-len(tuple(normalized_shape)), 0)), keepdims=True)
                        + (float(np.finfo(input.dtype).eps) if eps is None else eps)), weight, None),
    "group_norm": lambda input, num_groups, weight=None, bias=None, eps=1e-5: _normal_groups(
        input, num_groups, weight, bias, eps),
    "batch_norm": _normal_batch,
    "instance_norm": lambda input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
    momentum=0.1, eps=1e-5: _normal_groups(input, input.shape[1], weight, bias, eps),
})  # fmt: skip


def _reduced(each, reduction):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return each if reduction == "none" else each.mean() if reduction == "mean" else each.sum()


_lengths = lambda x1, x2, dim, eps: _f.clamp(_f.norm(x1, 2, dim) * _f.norm(x2, 2, dim), min=eps)
_entropy = lambda x, target: -(target * _f.clamp(_f.log(x), min=-100) + (1 - target) * _f.clamp(_f.log1p(-x), min=-100))


def _far(x, target, beta, scale):
    far = _f.abs(x - target)
    return _f.where(far < beta, 0.5 * far * far * (scale / beta), scale * (far - 0.5 * beta))


_functions.rows("composed", {
    "linear": lambda input, weight, bias=None: (
        _f.matmul(input, weight.t()) if bias is None else _f.matmul(input, weight.t()) + bias),
    "normalize": lambda input, p=2.0, dim=1, eps=1e-12: input / _f.clamp(_f.norm(input, p, dim, True), min=eps),
    "cosine_similarity": lambda x1, x2, dim=1, eps=1e-8: (x1 * x2).sum(dim) / _lengths(x1, x2, dim, eps),
    "pairwise_distance": lambda x1, x2, p=2.0, eps=1e-6, keepdim=False: _f.norm(x1 - x2 + eps, p, -1, keepdim),
    "mse_loss": lambda input, target, reduction="mean": _reduced(_f.square(input - target), reduction),
    "l1_loss": lambda input, target, reduction="mean": _reduced(_f.abs(input - target), reduction),
    "smooth_l1_loss": lambda input, target, reduction="mean", beta=1.0: _reduced(
        _far(input, target, beta, 1) if beta else _f.abs(input - target), reduction),
    "huber_loss": lambda input, target, reduction="mean", delta=1.0: _reduced(
        _far(input, target, delta, delta), reduction),
    "soft_margin_loss": lambda input, target, reduction="mean": _reduced(
        _f.log1p(_f.exp(-target * input)), reduction),
    "hinge_embedding_loss": lambda input, target, margin=1.0, reduction="mean": _reduced(
        _f.where(target == 1, input, _f.clamp(margin - input, min=0)), reduction),
    "margin_ranking_loss": lambda input1, input2, target, margin=0.0, reduction="mean": _reduced(
        _f.clamp(-target * (input1 - input2) + margin, min=0), reduction),
    "poisson_nll_loss": lambda input, target, log_input=True, full=False, eps=1e-8, reduction="mean": _reduced(
        _f.exp(input) - target * input if log_input else input - target * _f.log(input + eps), reduction),
    "gaussian_nll_loss": lambda input, target, var, full=False, eps=1e-6, reduction="mean": _reduced(
        0.5 * (_f.log(_f.clamp(var, min=eps)) + (input - target) ** 2 / _f.clamp(var, min=eps))
        + (0.5 * math.log(2 * math.pi) if full else 0), reduction),
    "triplet_margin_loss": lambda anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, reduction="mean": _reduced(
        _f.clamp(_f.norm(anchor - positive + eps, p, -1) - _f.norm(anchor - negative + eps, p, -1) + margin, min=0),
        reduction),
    "binary_cross_entropy": lambda input, target, weight=None, reduction="mean": _reduced(
        _entropy(input, target) if weight is None else _entropy(input, target) * weight, reduction),
    "binary_cross_entropy_with_logits": lambda input, target, weight=None, reduction="mean", pos_weight=None: _reduced(
        _with_logits(input, target, pos_weight) * (1 if weight is None else weight), reduction),
})  # fmt: skip


def _with_logits(x, target, pos_weight):
    if pos_weight is None:
        return _f.clamp(x, min=0) - x * target + _f.log1p(_f.exp(-_f.abs(x)))
    return (1 - target) * x + (1 + (pos_weight - 1) * target) * (
        _f.log1p(_f.exp(-_f.abs(x))) + _f.clamp(-x, min=0))  # fmt: skip


_functions.rows("tensors", {
    "softmax": lambda input, dim=None, _stacklevel=3, dtype=None: _f.softmax(input, -1 if dim is None else dim, dtype),
    "softmin": lambda input, dim=None: _f.softmax(-input, -1 if dim is None else dim),
    "relu6": lambda input, inplace=False: _f.clamp(input, 0, 6),
    "hardtanh": lambda input, min_val=-1.0, max_val=1.0, inplace=False: _f.clamp(input, min_val, max_val),
    "embedding": lambda input, weight, padding_idx=None: weight[input],
})  # fmt: skip
_functions.update({name: _f[name] for name in ("relu", "sigmoid", "tanh", "log_softmax", "softplus")})


@_functions.row("tensors")
def one_hot(tensor, num_classes=-1):
    if tensor.numel() and (num_classes < 0 or tensor.device.type == "cpu"):
        low, high = int(tensor.min()), int(tensor.max())
        num_classes = high + 1 if num_classes < 0 else num_classes
        if low < 0 or high >= num_classes:
            raise RuntimeError(f"Class values must be in [0, {num_classes}), got {low if low < 0 else high}")
    if num_classes < 0:
        raise RuntimeError("the number of classes cannot be inferred from an empty tensor")
    classes = _creation.arange(num_classes, device=tensor.device)
    return (tensor.unsqueeze(-1) == classes).to(_types.names["int64"])


@_functions.row("tensors")
def dropout(input, p=0.5, training=True, inplace=False):
    if not training or p == 0:
        return input
    kept = _creation.rand_like(input) >= p
    return input * kept / (1 - p)


@_functions.row("tensors")
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    scores = _f.matmul(query, key.mT) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        rows, columns = query.shape[-2], key.shape[-2]
        attn_mask = _f.tril(_creation.ones(rows, columns, dtype=_types.names["bool"], device=query.device))
    if attn_mask is not None:
        is_mask = attn_mask.dtype is _types.names["bool"]
        scores = scores.masked_fill(~attn_mask, -math.inf) if is_mask else scores + attn_mask
    return _f.matmul(_functions.dropout(_f.softmax(scores, -1), dropout_p), value)


@_functions.row("tensors")
def nll_loss(input, target, weight=None, reduction="mean"):
    at = target.unsqueeze(1)
    each = -_f.gather(input, 1, at).squeeze(1)
    if weight is None:
        return _reduced(each, reduction)
    scale = weight[target]
    return (each * scale).sum() / scale.sum() if reduction == "mean" else _reduced(each * scale, reduction)


@_functions.row("tensors")
def cross_entropy(input, target, weight=None, reduction="mean", label_smoothing=0.0):
    dim = 1 if input.ndim > 1 else 0
    logs = _f.log_softmax(input, dim)
    if target.is_floating_point() or label_smoothing:
        if not target.is_floating_point():
            target = _f.movedim(_functions.one_hot(target, input.shape[dim]), -1, dim).to(input.dtype)
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        return _reduced(-(logs * target).sum(dim), reduction)
    return _functions.nll_loss(logs, target, weight, reduction) if dim else -logs[target]


@_functions.row("tensors")
def kl_div(input, target, reduction="mean", log_target=False):
    each = _f.exp(target) * (target - input) if log_target else _f.xlogy(target, target) - target * input
    return each.sum() / input.shape[0] if reduction == "batchmean" else _reduced(each, reduction)


# ── windows: padding, convolution, pooling ────────────────────────────────────────────────────────

_pad_modes = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@_functions.row("arrays")
def pad(input, pad, mode="constant", value=None):
    """Pairs of widths, of the last axis first."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    cut = tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(input.shape, widths))
    widths = [(max(0, a), max(0, b)) for a, b in widths]
    options = {"constant_values": value or 0} if mode == "constant" else {}
    return ks.pad(input[cut], widths, _pad_modes[mode], **options)


_each_axis = lambda value, axes: (value,) * axes if isinstance(value, int) else tuple(value)
_pairs = lambda widths: [(p, p) for p in widths]


def _of_samples(x, axes, of):
    """of(samples); a single one comes without their axis, and so does its result."""
    return of(x) if x.ndim > axes else of(x[None])[0]


def _must_have(channels, x, weight, groups):
    if x.shape[1] != channels or weight.shape[0] % groups:
        wanted = f"a weight of size {list(weight.shape)} and groups={groups} want {channels} channels"
        raise RuntimeError(f"{wanted}, the input of size {list(x.shape)} has {x.shape[1]}")


def _convolution(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, axes):
    strides, dilations = _each_axis(stride, axes), _each_axis(dilation, axes)
    if padding == "same":
        widths = sliding.same_widths(input.shape[-axes:], weight.shape[2:], strides, dilations)
    else:
        widths = _pairs(_each_axis(0 if padding == "valid" else padding, axes))

    def of(x):
        _must_have(weight.shape[1] * groups, x, weight, groups)
        y = sliding.convolve(x, weight, strides, widths, dilations, groups)
        return y if bias is None else y + bias.reshape(-1, *(1,) * axes)

    return _of_samples(input, axes + 1, of)


def _transposed(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, *, axes):
    """Each element times the weights, added up where a convolution would have read it."""
    strides, dilations, more = (_each_axis(value, axes) for value in (stride, dilation, output_padding))
    if any(o >= max(s, d) for o, s, d in zip(more, strides, dilations)):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding: {more}"
        )
    size, outputs, widths = weight.shape[2:], weight.shape[1], _pairs(_each_axis(padding, axes))

    def of(x):
        _must_have(weight.shape[0], x, weight, groups)
        along = zip(x.shape[2:], strides, widths, dilations, size, more)
        lengths = [(n - 1) * s - sum(w) + d * (k - 1) + 1 + o for n, s, w, d, k, o in along]
        inputs = weight.shape[0] // groups
        rows = weight.reshape(groups, inputs, outputs * math.prod(size)).swapaxes(-1, -2)
        columns = rows @ x.reshape(x.shape[0], groups, inputs, math.prod(x.shape[2:]))
        columns = columns.reshape(x.shape[0], groups * outputs, *size, *x.shape[2:])
        y = sliding.add_windows(columns, lengths, strides, widths, dilations)
        return y if bias is None else y + bias.reshape(-1, *(1,) * axes)

    return _of_samples(input, axes + 1, of)


@_functions.row("arrays")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Windows as columns."""
    size, dilations, paddings, strides = (_each_axis(v, 2) for v in (kernel_size, dilation, padding, stride))

    def of(x):
        seen = sliding.windows(x, size, strides, _pairs(paddings), dilations)
        return seen.reshape(x.shape[0], x.shape[1] * math.prod(size), math.prod(seen.shape[4:]))

    return _of_samples(input, 3, of)


@_functions.row("arrays")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns that unfold() gives, added up where they were."""
    lengths, size, dilations, strides = (_each_axis(v, 2) for v in (output_size, kernel_size, dilation, stride))
    widths = _pairs(_each_axis(padding, 2))
    places = sliding.places_of(lengths, size, strides, widths, dilations)
    rows, columns = math.prod(size), math.prod(places)
    if input.shape[-2] % rows or input.shape[-1] != columns:
        needed = f"windows of {size} in {lengths} are {rows} rows of each channel and {columns} columns"
        raise RuntimeError(f"fold: {needed}, the input has size {list(input.shape)}")
    return _of_samples(input, 2, lambda x: sliding.add_windows(
        x.reshape(x.shape[0], x.shape[1] // rows, *size, *places), lengths, strides, widths, dilations))  # fmt: skip


def _pooling(input, kernel_size, stride=None, padding=0, *, axes, reduce, is_max):
    size = _each_axis(kernel_size, axes)
    strides = size if stride is None else _each_axis(stride, axes)
    fill = -math.inf if is_max and (input.dtype == "bfloat16" or input.dtype.kind == "f") else 0
    return sliding.pool(input, size, strides, _pairs(_each_axis(padding, axes)), reduce, fill)


def _adaptive(input, output_size, *, axes, reduce):
    """Windows that leave so many places, from floor(i n / m) to ceil((i + 1) n / m)."""
    for axis, m in enumerate(_each_axis(output_size, axes), input.ndim - axes):
        n = input.shape[axis]
        m = n if m is None else m
        cuts = [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]
        front = (slice(None),) * axis
        input = ks.concatenate([reduce(input[(*front, slice(*c))], axis=axis, keepdims=True) for c in cuts], axis)
    return input


for _axes in (1, 2, 3):
    _functions.rows("floats", {
        f"conv{_axes}d": _bound(_convolution, axes=_axes),
        f"conv_transpose{_axes}d": _bound(_transposed, axes=_axes),
        f"avg_pool{_axes}d": _bound(_pooling, axes=_axes, reduce=ks.mean, is_max=False),
        f"adaptive_avg_pool{_axes}d": _bound(_adaptive, axes=_axes, reduce=ks.mean),
    })  # fmt: skip
    _functions.rows("arrays", {
        f"max_pool{_axes}d": _bound(_pooling, axes=_axes, reduce=ks.max, is_max=True),
        f"adaptive_max_pool{_axes}d": _bound(_adaptive, axes=_axes, reduce=ks.max),
    })  # fmt: skip


@_functions.row("tensors")
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    """The input at another size: by the nearest element, or linearly along each axis."""
    axes = input.ndim - 2
    linear = ("", "linear", "bilinear", "trilinear")[axes] if 0 < axes < 4 else ""
    if mode not in ("nearest", linear):
        raise NotImplementedError(f"kasoku's interpolate has mode='nearest' and {linear!r} here, not {mode!r}")
    if mode == "nearest" and align_corners is not None:
        raise ValueError("align_corners is for the modes that interpolate")
    lengths = tuple(input.shape[2:])
    scales = (None,) * axes
    if size is None:
        scales = scale_factor if hasattr(scale_factor, "__len__") else (scale_factor,) * axes
    to = _each_axis(size, axes) if size is not None else tuple(int(n * s) for n, s in zip(lengths, scales))
    result = input._a
    for axis, (n, m, scale) in enumerate(zip(lengths, to, scales), start=2):
        part = lambda at: shaped(ks.take, result, ks.asarray(at, device=result.device), axis)  # noqa: B023, E731
        if mode == "nearest":
            result = part(np.minimum((np.arange(m) * (n / m)).astype(np.int64), n - 1))
            continue
        step = n / m if scale is None or recompute_scale_factor else 1 / scale
        place = np.arange(m) * ((n - 1) / max(m - 1, 1)) if align_corners else (np.arange(m) + 0.5) * step - 0.5
        place = np.clip(place, 0, n - 1)
        low = np.floor(place).astype(np.int64)
        share = (place - low).reshape(-1, *[1] * (input.ndim - axis - 1)).astype(result.dtype)
        result = part(low) + (part(np.minimum(low + 1, n - 1)) - part(low)) * ks.asarray(share, device=result.device)
    return Tensor(result)


@_functions.row("arrays")
def pixel_shuffle(input, upscale_factor):
    """Channels as places within a place."""
    (*front, channels, rows, columns), r = input.shape, upscale_factor
    x = input.reshape(*front, channels // (r * r), r, r, rows, columns)
    k = len(front)
    x = ks.transpose(x, (*range(k + 1), k + 3, k + 1, k + 4, k + 2))
    return x.reshape(*front, channels // (r * r), rows * r, columns * r)


@_functions.row("arrays")
def pixel_unshuffle(input, downscale_factor):
    """Places within a place as channels."""
    (*front, channels, rows, columns), r = input.shape, downscale_factor
    x = input.reshape(*front, channels, rows // r, r, columns // r, r)
    k = len(front)
    x = ks.transpose(x, (*range(k + 1), k + 2, k + 4, k + 1, k + 3))
    return x.reshape(*front, channels * r * r, rows // r, columns // r)


def _steps(n, align_corners, like):
    """n places from -1 to 1: of the outermost elements' middles, or of their edges."""
    at = ks.linspace(-1, 1, n, dtype=str(like.dtype), device=like.device)
    return at if align_corners else at * ((n - 1) / n)


@_functions.row("floats")
def affine_grid(theta, size, align_corners=False):
    """Where grid_sample() reads what affine maps, rows of 2 x 3 numbers, make of a picture."""
    if len(size) != 4:
        raise NotImplementedError("kasoku's affine_grid makes grids of pictures: size has 4 numbers")
    x, y = _steps(size[3], align_corners, theta), _steps(size[2], align_corners, theta)
    x, y = ks.meshgrid(x, y, indexing="xy")
    base = ks.stack([x, y, ks.ones_like(x)], axis=-1).reshape(1, -1, 3)
    return (base @ theta.mT).reshape(size[0], size[2], size[3], 2)


@_functions.row("floats")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    """Elements of pictures where a grid says, from -1 to 1 along each axis; between elements linearly, or the nearest."""
    if input.ndim != 4 or mode not in ("bilinear", "nearest") or padding_mode not in ("zeros", "border"):
        raise NotImplementedError(
            "kasoku's grid_sample reads pictures with mode 'bilinear' or 'nearest' and padding_mode 'zeros' or 'border'"
        )
    count, channels, rows, columns = input.shape
    flat = ks.transpose(input.reshape(count, channels, -1), (0, 2, 1))
    item = ks.arange(count, device=input.device).reshape(-1, 1, 1)
    places = []
    for axis, n in ((1, rows), (0, columns)):
        at = (grid[..., axis] + 1) / 2 * (n - 1) if align_corners else ((grid[..., axis] + 1) * n - 1) / 2
        places.append(ks.clip(at, 0, n - 1) if padding_mode == "border" else at)

    def element(y, x):
        inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
        at = (ks.clip(y, 0, rows - 1) * columns + ks.clip(x, 0, columns - 1)).astype("int64")
        return ks.where(inside[..., None], flat[item, at], 0)

    y, x = places
    if mode == "nearest":
        found = element(ks.rint(y), ks.rint(x))
    else:
        low, left = ks.floor(y), ks.floor(x)
        down, right = (y - low)[..., None], (x - left)[..., None]
        found = (element(low, left) * (1 - down) * (1 - right) + element(low, left + 1) * (1 - down) * right
                 + element(low + 1, left) * down * (1 - right) + element(low + 1, left + 1) * down * right)  # fmt: skip
    return ks.transpose(found, (0, 3, 1, 2))


_functions.rows("composed", {
    "cosine_embedding_loss": lambda input1, input2, target, margin=0.0, reduction="mean": _reduced(
        (lambda c: _f.where(target == 1, 1 - c, _f.clamp(c - margin, min=0)))(_functions.cosine_similarity(input1, input2, -1)), reduction),
})  # fmt: skip
_functions["pdist"] = _f["pdist"]


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Softmax of logits with Gumbel noise; hard: 1 at its largest place."""
    noise = -_f.log(_creation.empty(*logits.shape, dtype=logits.dtype, device=logits.device).exponential_())
    soft = _f.softmax((logits + noise) / tau, dim)
    return soft if not hard else (soft == _f.amax(soft, dim, True)).to(soft.dtype)


globals().update(_functions)
