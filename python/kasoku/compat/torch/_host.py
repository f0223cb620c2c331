"""Functions of torch that NumPy computes on the host, on copies of the tensors (on a CPU without a
copy); the results are tensors again, where the first argument was."""

import functools

import numpy as np

from . import _types
from ._promotion import wider
from ._tensor import Tensor, array_of


def to_host(x):
    if isinstance(x, Tensor):
        return x.numpy(force=True)
    if isinstance(x, (list, tuple)):
        return type(x)(map(to_host, x))
    return x


def _device_of(args):
    for x in args:
        if isinstance(x, Tensor):
            return x.device
        if isinstance(x, (list, tuple)):
            found = _device_of(x)
            if found is not None:
                return found
    return None


def to_tensors(value, device=None, dtype=None):
    """NumPy's arrays as tensors; float64 that came of float32 is made float32 by `dtype`."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        if value.dtype.kind == "f" and dtype == "bfloat16":
            return Tensor(array_of(np.asarray(value, np.float32), dtype, device))
        if dtype is not None and value.dtype.kind in "fc" and value.dtype.itemsize > np.dtype(dtype).itemsize:
            value = value.astype(np.result_type(dtype, np.complex64) if value.dtype.kind == "c" else dtype)
        return Tensor(array_of(np.ascontiguousarray(value).reshape(value.shape), None, device))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(to_tensors(v, device, dtype) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(to_tensors(v, device, dtype) for v in value)
    return value


def _float_of(args):
    """What NumPy's float64 is to become: the widest floating dtype among the arguments."""
    widest = None
    for x in args:
        one = _float_of(x) if isinstance(x, (list, tuple)) else getattr(x, "dtype", None)
        if isinstance(one, _types.dtype) and one.category >= 2:
            one = _types.names["float64" if one.name == "complex128" else "float32" if one.is_complex else one.name]
            widest = wider(widest, one)
    return widest


def on_host(function):
    """`function`, written for NumPy's arrays, on tensors."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        host = [to_host(a) for a in args]
        if any(isinstance(a, np.ndarray) and a.dtype == np.float16 for a in host):
            host = [a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == np.float16 else a for a in host]
        result = function(*host, **{k: to_host(v) for k, v in kwargs.items()})
        wanted = (_float_of(args) or _types.default_float).numpy
        return to_tensors(result, _device_of(args), wanted)

    return call
