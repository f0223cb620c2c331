"""The face of CuPy: kasoku's arrays under CuPy's names, on a GPU if there is one."""

import builtins as _builtins
import sys as _sys

import numpy as _np

import kasoku as _ks
from kasoku import _core

from .. import Face

__version__ = "13.6.0"

# Operations, reductions, views: the engine's own.
for _name in dir(_core):
    if not _name.startswith("_") and _name not in ("Device", "devices", "device", "synchronize"):
        globals()[_name] = getattr(_core, _name)
ndarray = _ks.Array

def _here(f):
    """Creation on CuPy's current device."""

    def function(*args, **kwargs):
        kwargs.pop("order", None)
        if kwargs.get("device") is None:
            kwargs["device"] = cuda.current()
        return f(*args, **kwargs)

    function.__name__ = getattr(f, "__name__", "function")
    return function


from . import cuda, random  # noqa: E402

for _name in ("zeros", "ones", "empty", "full", "arange", "linspace", "eye"):
    globals()[_name] = _here(getattr(_core, _name))


def identity(n, dtype=float):
    return eye(n, dtype=dtype)  # noqa: F821


def _of_host(f):
    def function(a, dtype=None, copy=None, order=None, blocking=False, **_):
        if isinstance(a, ndarray):
            return f(a, dtype)
        return _core.array(a, dtype, cuda.current())

    return function


asarray = _of_host(_core.asarray)
array = _of_host(_core.array)
ascontiguousarray = asanyarray = asarray


def asnumpy(a, stream=None, order="C", out=None, blocking=True):
    """The values in a NumPy array."""
    host = _core.asnumpy(a)
    if out is None:
        return host
    out[...] = host
    return out


def get_array_module(*args):
    """This module if one of the arguments is one of its arrays, else NumPy."""
    return _sys.modules[__name__] if _builtins.any(isinstance(a, ndarray) for a in args) else _np


def isscalar(x):
    return _np.isscalar(x)


def array_equal(a, b):
    a, b = asarray(a), asarray(b)
    return a.shape == b.shape and bool((a == b).all())


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_np.allclose(asnumpy(a), asnumpy(b), rtol, atol, equal_nan))


def vstack(arrays):
    return _core.concatenate([a if a.ndim > 1 else a.reshape(1, -1) for a in arrays], axis=0)


def hstack(arrays):
    return _core.concatenate(arrays, axis=0 if arrays[0].ndim < 2 else 1)


def may_share_memory(a, b):
    return a.ptr == b.ptr


def fuse(*args, **_):
    """The function itself: arrays are fused as they are."""
    return args[0] if args and callable(args[0]) else (lambda f: f)


dtype, finfo, iinfo = _np.dtype, _np.finfo, _np.iinfo
bool_, int_, float_, intp = _np.bool_, _np.int64, _np.float64, _np.intp


def get_default_memory_pool():
    return cuda.MemoryPool()


def get_default_pinned_memory_pool():
    return cuda.MemoryPool()


class _Face(Face):
    """Kernels are imported when the first is asked for."""

    def __getattr__(self, name):
        if name in ("ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule"):
            return getattr(_ks, name)
        return super().__getattr__(name)


_sys.modules[__name__].__class__ = _Face
