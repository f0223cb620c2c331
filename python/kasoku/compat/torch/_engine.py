"""Functions of torch that are the engine's own, of linear algebra and Fourier transforms: where the tensors lie."""

import functools

import kasoku as ks

from . import _types
from ._ops import into
from ._tensor import Tensor


def _array(x, halves):
    """The engine's array; integers in the default float, halves in float32."""
    if isinstance(x, (list, tuple)) and any(isinstance(e, Tensor) for e in x):
        return type(x)(_array(e, halves) for e in x)
    if not isinstance(x, Tensor):
        return x
    if x.dtype.category < 2:
        return x._a.astype(_types.default_float.numpy)
    if x.dtype.name in ("float16", "bfloat16"):
        halves.append(x.dtype.numpy)
        return x._a.astype("float32")
    return x._a


def tensors(value, half=None):
    """Arrays in the result as tensors; what was computed in float32 for halves becomes theirs again."""
    if isinstance(value, ks.Array):
        return Tensor(value.astype(half) if half is not None and value.dtype.name == "float32" else value)
    if isinstance(value, tuple):
        parts = [tensors(v, half) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def by_engine(function):
    """`function`, written for the engine's arrays, on tensors."""

    @functools.wraps(function)
    def call(*args, out=None, **kwargs):
        halves = []
        given = [_array(a, halves) for a in args]
        result = function(*given, **{k: _array(v, halves) for k, v in kwargs.items()})
        if isinstance(out, Tensor):
            return into(out, tensors(result, halves[0] if halves else None)._a)
        result = tensors(result, halves[0] if halves else None)
        if out is not None:
            return type(result)(*(into(o, r._a) for o, r in zip(out, result)))
        return result

    return call
