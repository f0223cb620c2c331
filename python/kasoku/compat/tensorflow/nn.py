"""tf.nn: the functions of layers; layers themselves are not there."""

import kasoku as ks

from ._arrays import nns as _nns
from ._ops import elementwise
from ._tensor import Tensor, convert, held, must_take, op_name

globals().update(_nns)
tanh, sigmoid = elementwise["tanh"], elementwise["sigmoid"]


def _floating(x, name):
    return must_take(op_name(name), "f", convert(x))._array


def softmax(logits, axis=-1, name=None):
    x = _floating(logits, "softmax")
    powers = ks.exp(x - x.max(axis=axis, keepdims=True))
    return Tensor(powers / powers.sum(axis=axis, keepdims=True))


def log_softmax(logits, axis=-1, name=None):
    x = _floating(logits, "log_softmax")
    x = x - x.max(axis=axis, keepdims=True)
    return Tensor(x - ks.log(ks.exp(x).sum(axis=axis, keepdims=True)))


def relu(features, name=None):
    return Tensor(ks.maximum(convert(features)._array, 0))


def relu6(features, name=None):
    return Tensor(ks.clip(convert(features)._array, 0, 6))


def leaky_relu(features, alpha=0.2, name=None):
    x = _floating(features, "leaky_relu")
    return Tensor(ks.where(x > 0, x, x * alpha))


def elu(features, name=None):
    x = _floating(features, "elu")
    return Tensor(ks.where(x > 0, x, ks.expm1(ks.minimum(x, 0))))


def softplus(features, name=None):
    return Tensor(ks.logaddexp(_floating(features, "softplus"), 0))


def silu(features, beta=1.0):
    x = _floating(features, "silu")
    return Tensor(x / (1 + ks.exp(-beta * x)))


swish = silu


def l2_normalize(x, axis=None, epsilon=1e-12, name=None):
    x = _floating(x, "l2_normalize")
    return Tensor(x / ks.sqrt(ks.maximum((x * x).sum(axis=axis, keepdims=True), epsilon)))


def bias_add(value, bias, data_format=None, name=None):
    return convert(value) + bias


def moments(x, axes, shift=None, keepdims=False, name=None):
    x, axes = _floating(x, "moments"), tuple(axes) if hasattr(axes, "__iter__") else axes
    return tuple(held([Tensor(x.mean(axis=axes, keepdims=keepdims)), Tensor(x.var(axis=axes, keepdims=keepdims))]))
