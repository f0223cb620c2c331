"""More of torch's arithmetic: products by letters, logarithms of sums, complex numbers, statistics."""

import math

import numpy as np

import kasoku as ks

from .._special import special
from . import _ops, _types
from ._host import on_host
from ._ops import named
from ._reductions import dims
from ._tensor import Tensor, composed, held

functions = {}
_f = _ops.functions


def _function(f):
    functions[f.__name__.rstrip("_")] = named(f)
    return f


def _host(f):
    functions[f.__name__.rstrip("_")] = named(on_host(f))
    return f


@_function
def logsumexp(x, dim, keepdim=False):
    a = _ops._float(x)
    axes = dims(x, dim)
    if not a.size:
        return Tensor(ks.log(ks.exp(a).sum(axis=axes, keepdims=keepdim)))
    top = a.max(axis=axes, keepdims=True)
    top = ks.where(ks.isfinite(top), top, 0)
    sums = ks.log(ks.exp(a - top).sum(axis=axes, keepdims=True)) + top
    return Tensor(sums if keepdim else ks.squeeze(sums, axes))


@_function
@composed
def log_softmax(x, dim, dtype=None):
    return _f["sub"](x, logsumexp(x, dim, True))


@_function
def softplus(x):
    return Tensor(ks.logaddexp(_ops._float(x), 0))


@_function
def frac(x):
    return Tensor(x._a - ks.trunc(x._a))


@_function
def logit(x):
    a = _ops._float(x)
    return Tensor(ks.log(a / (1 - a)))


@_function
@composed
def lerp(start, end, weight):
    return start + weight * (end - start)


@_function
@composed
def addcmul(x, a, b, *, value=1):
    return x + value * (a * b)


@_function
@composed
def addcdiv(x, a, b, *, value=1):
    return x + value * (a / b)


def _adding(product):
    return composed(lambda x, a, b, *, beta=1, alpha=1: beta * x + alpha * _f[product](a, b))


functions["addmm"], functions["addmv"], functions["baddbmm"] = _adding("mm"), _adding("mv"), _adding("bmm")


@_function
def isclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    return on_host(lambda a, b: np.isclose(a, b, rtol, atol, equal_nan))(x, y)


@_function
def trace(x):
    return functions["einsum"]("ii->", x)


@_function
def einsum(equation, *operands):
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return on_host(lambda *arrays: np.einsum(equation, *arrays, optimize=True))(*operands)


@_host
def tensordot(a, b, dims=2):
    return np.tensordot(a, b, dims)


@_host
def inner(a, b):
    return np.inner(a, b)


@_host
def kron(a, b):
    return np.kron(a, b)


@_host
def cross(a, b, dim=-1):
    return np.cross(a, b, axis=dim)


@_function
def cdist(a, b, p=2.0):
    """Distances of all rows of one from all rows of the other."""
    difference = ks.abs(ks.expand_dims(a._a, -2) - ks.expand_dims(b._a, -3))
    if math.isinf(p):
        return Tensor(difference.max(axis=-1))
    return Tensor((difference**p).sum(axis=-1) ** (1 / p))


@_host
def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


@_function
def std_mean(x, dim=None, *, keepdim=False, **options):
    return held(_f["std"](x, dim, keepdim=keepdim, **options), _f["mean"](x, dim, keepdim))


@_function
def var_mean(x, dim=None, *, keepdim=False, **options):
    return held(_f["var"](x, dim, keepdim=keepdim, **options), _f["mean"](x, dim, keepdim))


@_function
def quantile(x, q, dim=None, keepdim=False, *, interpolation="linear"):
    q = q._a if isinstance(q, Tensor) else q
    return held(Tensor(ks.quantile(x._a, q, dim, keepdims=keepdim, method=interpolation)))[0]


def _ignoring_nan(name):
    def f(x, dim=None, keepdim=False, *, dtype=None):
        x = x if dtype is None else x.to(dtype)
        if x.dtype.category < 2:
            return _f[name](x, dim, keepdim)
        nan = _f["isnan"](x)
        total = _f["sum"](_f["where"](nan, 0.0, x), dim, keepdim)
        return total if name == "sum" else total / (nan.logical_not()).sum(dim, keepdim)

    f.__name__ = "nan" + name
    functions[f.__name__] = named(composed(f))


for _name in ("sum", "mean"):
    _ignoring_nan(_name)


@_host
def cov(x, *, correction=1):
    return np.cov(x, ddof=correction)


@_host
def corrcoef(x):
    return np.corrcoef(x)


def _each(name, of_ours):
    def f(x):
        if x.dtype.is_complex:
            raise RuntimeError(f"{name} is not implemented for {x.dtype!r}")
        return Tensor(special(of_ours, x._a, _types.default_float.numpy))

    f.__name__ = name
    functions[name] = named(f)
    return f


for _name in ("erf", "erfc", "erfinv", "lgamma", "digamma", "i0"):
    _each(_name, _name)


@_function
def isposinf(x):
    return x == math.inf


@_function
def isneginf(x):
    return x == -math.inf


@_function
def isreal(x):
    return x.imag == 0 if x.dtype.is_complex else Tensor(ks.ones(x._a.shape, "bool", x._a.device))


# ── complex numbers ───────────────────────────────────────────────────────────────────────


@_host
def complex_(real, imag):
    return real + 1j * imag


@_host
def polar(abs, angle):  # noqa: A002
    return abs * np.exp(1j * angle)


@_host
def angle(x):
    return np.angle(x)


@_function
def conj(x):
    return Tensor(x._a.conj()) if x.dtype.is_complex else x
