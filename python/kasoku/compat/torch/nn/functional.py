"""torch.nn.functional: what needs no gradients."""

import builtins
import math

import numpy as np

import kasoku as ks

from ... import _windows as windows
from ..._windows import same_widths
from .. import _creation, _maths, _more, _ops, _rearrange, _types
from .._host import on_host
from .._tensor import Tensor, composed

_f = {**_ops.functions, **_rearrange.functions, **_maths.functions}
for _name in ("relu", "sigmoid", "tanh", "log_softmax", "softplus"):
    globals()[_name] = _f[_name]


def softmax(input, dim=None, _stacklevel=3, dtype=None):  # noqa: A002
    return _f["softmax"](input, -1 if dim is None else dim)


def softmin(input, dim=None):  # noqa: A002
    return softmax(-input, dim)


@composed
def leaky_relu(input, negative_slope=0.01, inplace=False):  # noqa: A002
    return _f["where"](input > 0, input, negative_slope * input)


@composed
def elu(input, alpha=1.0, inplace=False):  # noqa: A002
    return _f["where"](input > 0, input, alpha * _f["expm1"](input))


@composed
def silu(input, inplace=False):  # noqa: A002
    return input * _f["sigmoid"](input)


@composed
def gelu(input, approximate="none"):  # noqa: A002
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)
        return 0.5 * input * (1 + _f["tanh"](inner))
    return 0.5 * input * (1 + _f["erf"](input / math.sqrt(2)))


def relu6(input, inplace=False):  # noqa: A002
    return _f["clamp"](input, 0, 6)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):  # noqa: A002
    return _f["clamp"](input, min_val, max_val)


@composed
def logsigmoid(input):  # noqa: A002
    return -_f["softplus"](-input)


@composed
def linear(input, weight, bias=None):  # noqa: A002
    product = _f["matmul"](input, weight.t())
    return product if bias is None else product + bias


def one_hot(tensor, num_classes=-1):
    if num_classes < 0:
        num_classes = int(tensor.max().item()) + 1
    classes = _creation.arange(num_classes, device=tensor.device)
    return (tensor.unsqueeze(-1) == classes).to(_types.names["int64"])


def normalize(input, p=2.0, dim=1, eps=1e-12):  # noqa: A002
    return input / _f["clamp"](_f["norm"](input, p, dim, True), min=eps)


@composed
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    lengths = _f["norm"](x1, 2, dim) * _f["norm"](x2, 2, dim)
    return (x1 * x2).sum(dim) / _f["clamp"](lengths, min=eps)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return _f["norm"](x1 - x2 + eps, p, -1, keepdim)


def dropout(input, p=0.5, training=True, inplace=False):  # noqa: A002
    if not training or p == 0:
        return input
    kept = _creation.rand_like(input) >= p
    return input * kept / (1 - p)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    scores = _f["matmul"](query, key.mT) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        rows, columns = query.shape[-2], key.shape[-2]
        attn_mask = _f["tril"](_creation.ones(rows, columns, dtype=_types.names["bool"], device=query.device))
    if attn_mask is not None:
        is_mask = attn_mask.dtype is _types.names["bool"]
        scores = scores.masked_fill(~attn_mask, -math.inf) if is_mask else scores + attn_mask
    return _f["matmul"](dropout(softmax(scores, -1), dropout_p), value)


# ── losses ────────────────────────────────────────────────────────────────────────────────────


def _reduced(each, reduction):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return each if reduction == "none" else each.mean() if reduction == "mean" else each.sum()


def mse_loss(input, target, reduction="mean"):  # noqa: A002
    return _reduced(_f["square"](input - target), reduction)


def l1_loss(input, target, reduction="mean"):  # noqa: A002
    return _reduced(_f["abs"](input - target), reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):  # noqa: A002
    far = _f["abs"](input - target)
    return _reduced(_f["where"](far < beta, 0.5 * far * far / beta, far - 0.5 * beta), reduction)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):  # noqa: A002
    each = -(
        target * _f["clamp"](_f["log"](input), min=-100) + (1 - target) * _f["clamp"](_f["log1p"](-input), min=-100)
    )
    return _reduced(each if weight is None else each * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean"):  # noqa: A002
    each = _f["clamp"](input, min=0) - input * target + _f["log1p"](_f["exp"](-_f["abs"](input)))
    return _reduced(each if weight is None else each * weight, reduction)


def nll_loss(input, target, weight=None, reduction="mean"):  # noqa: A002
    at = target.unsqueeze(1)
    each = -_f["gather"](input, 1, at).squeeze(1)
    if weight is None:
        return _reduced(each, reduction)
    scale = weight[target]
    return (each * scale).sum() / scale.sum() if reduction == "mean" else _reduced(each * scale, reduction)


def cross_entropy(input, target, weight=None, reduction="mean"):  # noqa: A002
    dim = 1 if input.ndim > 1 else 0
    logs = _f["log_softmax"](input, dim)
    if target.is_floating_point():
        each = -(logs * target).sum(dim)
        return _reduced(each, reduction)
    return nll_loss(logs, target, weight, reduction) if dim else -logs[target]


def kl_div(input, target, reduction="mean", log_target=False):  # noqa: A002
    each = (
        _f["exp"](target) * (target - input)
        if log_target
        else _more.functions["xlogy"](target, target) - target * input
    )
    return each.sum() / input.shape[0] if reduction == "batchmean" else _reduced(each, reduction)


# ── windows: padding, convolution, pooling ────────────────────────────────────────────────────

_pad_modes = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(input, pad, mode="constant", value=None):  # noqa: A002
    """Pairs of widths, of the last axis first."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + pairs[::-1]
    cut = tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(input.shape, widths))
    widths = [(max(0, a), max(0, b)) for a, b in widths]
    options = {"constant_values": value or 0} if mode == "constant" else {}
    return on_host(lambda x: np.pad(x[cut], widths, _pad_modes[mode], **options))(input)


def _each_axis(value, axes):
    return (value,) * axes if isinstance(value, int) else tuple(value)


def _convolution(axes):
    def convolve(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):  # noqa: A002
        strides, dilations = _each_axis(stride, axes), _each_axis(dilation, axes)
        if padding == "same":
            widths = same_widths(input.shape[-axes:], weight.shape[2:], strides, dilations)
        else:
            widths = [(p, p) for p in _each_axis(0 if padding == "valid" else padding, axes)]

        def host(x, w, b):
            is_one = x.ndim == axes + 1
            y = windows.convolve(x[None] if is_one else x, w, strides, widths, dilations, groups)
            if b is not None:
                y = y + b.reshape(-1, *(1,) * axes)
            return y[0] if is_one else y

        return on_host(host)(input, weight, bias)

    convolve.__name__ = f"conv{axes}d"
    return convolve


conv1d, conv2d, conv3d = _convolution(1), _convolution(2), _convolution(3)


def _pooling(axes, name, reduce, fill):
    def pool(input, kernel_size, stride=None, padding=0):  # noqa: A002
        size = _each_axis(kernel_size, axes)
        strides = size if stride is None else _each_axis(stride, axes)
        widths = [(p, p) for p in _each_axis(padding, axes)]

        def host(x):
            return windows.pool(x, size, strides, widths, reduce, fill if x.dtype.kind == "f" else 0)

        return on_host(host)(input)

    pool.__name__ = f"{name}_pool{axes}d"
    globals()[pool.__name__] = pool


for _axes in (1, 2, 3):
    _pooling(_axes, "max", np.max, -np.inf)
    _pooling(_axes, "avg", np.mean, 0)


def interpolate(input, size=None, scale_factor=None, mode="nearest"):  # noqa: A002
    """By the nearest element."""
    if mode != "nearest":
        raise NotImplementedError(f"kasoku's interpolate has mode='nearest', not {mode!r}")
    axes = input.ndim - 2
    lengths = tuple(input.shape[2:])
    to = _each_axis(size, axes) if size is not None else tuple(
        int(n * s) for n, s in zip(lengths, scale_factor if builtins.hasattr(scale_factor, "__len__") else (scale_factor,) * axes)
    )  # fmt: skip
    result = input._a
    for axis, (n, m) in enumerate(zip(lengths, to)):
        at = np.minimum((np.arange(m) * (n / m)).astype(np.int64), n - 1)
        result = ks.take(result, ks.asarray(at, device=result.device), axis + 2)
    return Tensor(result)
