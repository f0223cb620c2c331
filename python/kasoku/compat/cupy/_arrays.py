"""cupy.ndarray, and the functions that make one. What its arrays have beyond the engine's is in _methods.py."""

import builtins
import contextvars
import operator
import types

import numpy as np

import kasoku as ks
from kasoku import _core

from .._face.table import each as _each, plain as _plain
from .._layout import strides_of
from . import cuda


class ndarray(ks.Array):
    """An array on the device: `ndarray(shape, dtype=float, memptr=None, strides=None, order="C")`.

    It is an array of ks's, of which the functions, methods and operators of this package, and those of its arrays, give no other kind."""

    __slots__ = (
        "_viewed",
    )  # the array whose memory it shows: the engine sets it (know_view() in python/src/face_array.cpp)

    def __new__(cls, shape, dtype=float, memptr=None, strides=None, order="C"):
        if shape is None:
            ks.errors._warn(DeprecationWarning, "cupy.ndarray: the shape () and not None is that of one element")
        shape = () if shape is None else _shape(shape)
        dtype = np.dtype(dtype)
        if strides is not None and memptr is None:
            raise ValueError("cupy.ndarray: strides are of memory that is given, as memptr")
        order = "C" if order is None else (order[:1].upper() or "C") if isinstance(order, str) else order
        if order not in ("C", "F"):
            raise (ValueError if isinstance(order, str) else TypeError)(
                f"cupy.ndarray: the order is C or F, not {order!r}"
            )
        if memptr is None:
            made = empty(shape, dtype, order)
        else:
            strides = strides_of(shape, dtype.itemsize, order) if strides is None else tuple(strides)
            made = _core._view(memptr.mem, memptr.offset, shape, strides, dtype, 0, cuda.current())
        return made if cls is ndarray else of_class(cls, made, None)

    def __init__(self, *args, **kwargs):
        """All is done by __new__, which a subclass may have as well."""

    _of_my_class = lambda self, a: of_class(type(self), a, self)

    __new__ = _core._in_face(__new__)
    __class_getitem__ = classmethod(types.GenericAlias)


_core._face_class(ndarray)


def of_class(cls, a, viewed):
    """The array as one of a class, a subclass perhaps, which hears of the array that it comes from."""
    result = ks.Array.__new__(cls)
    _core._become(result, a)
    if cls is not ndarray and hasattr(cls, "__array_finalize__"):
        result.__array_finalize__(viewed)
    return result


def _shape(shape):
    if shape is None:
        raise TypeError("a shape is an integer or integers; () and not None is that of one element")
    return tuple(map(operator.index, shape if np.iterable(shape) else (shape,)))


_made = _plain(globals(), _each(_core, "empty zeros ones", lambda make: lambda shape, dtype=float, order="C", *, device=None: (
    make(_shape(shape), dtype, device or cuda.current(), order=order))))  # fmt: skip
empty = _made.empty


def _options_like(dtype, order, subok, shape):
    if subok:
        raise TypeError("cupy arrays have no subclasses: subok must be None or False")
    return {"dtype": dtype, "order": order or "K", "shape": None if shape is None else _shape(shape)}


_plain(globals(), {
    "empty_like": lambda prototype, dtype=None, order="K", subok=None, shape=None: (
        _core.empty_like(prototype, device=cuda.current(), **_options_like(dtype, order, subok, shape))),
    **_each(_core, "zeros_like ones_like", lambda make: lambda a, dtype=None, order="K", subok=None, shape=None: (
        make(a, device=cuda.current(), **_options_like(dtype, order, subok, shape)))),
    "full": (lambda shape, fill_value, dtype=None, order="C": _core.full(
        _shape(shape), fill_value, dtype, cuda.current(), order=order), "A new array of one value."),
    "full_like": (lambda a, fill_value, dtype=None, order="K", subok=None, shape=None: _core.full_like(
        a, fill_value, device=cuda.current(), **_options_like(dtype, order, subok, shape)),
        "A new array of one value in the shape of another."),
})  # fmt: skip


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    """A new array on the current device with a copy of the values."""
    if _shows_device_memory(obj):
        if obj.__cuda_array_interface__.get("mask") is not None:
            raise ValueError("kasoku does not support masked arrays: its arrays have no mask")
        obj = _core._array_of_interface(obj)
    if isinstance(obj, ks.Array):
        here, current = obj if isinstance(obj, ndarray) else of_class(ndarray, obj, None), cuda.current()
        device = current if obj.device.kind == current.kind else None  # another GPU
        copy = copy or (here is not obj and ks.Array.__module__ == "numpy")  # under kasoku run --numpy the host's
        result = _core.asarray(here, dtype, device, copy=copy or None, order=order or "K")
    else:
        result = _from_host(obj, dtype, order or "K")
    if ndmin > result.ndim:
        shown, result = result, result.reshape((1,) * (ndmin - result.ndim) + result.shape)
        result._viewed = shown if shown.base is None else shown.base
    return result


def _holds_arrays(obj):
    return isinstance(obj, (list, tuple)) and builtins.any(isinstance(x, ks.Array) or _holds_arrays(x) for x in obj)


def _shows_device_memory(obj):
    """Whether the object shows an array on the device. Where there is no GPU, its address is the CPU's."""
    if isinstance(obj, ks.Array) or not hasattr(obj, "__cuda_array_interface__"):
        return False
    return cuda.current().kind == "cuda" or not (ks.has_device("cuda") or hasattr(obj, "__array__"))


def _from_host(obj, dtype, order):
    if _holds_arrays(obj):
        obj = _nested(obj)
    host = np.asarray(obj, dtype)
    if host.dtype.hasobject or host.dtype.kind in "USMm":
        raise ValueError(f"cupy.array: no array holds the dtype {host.dtype}")
    return _core.array(host, None, cuda.current(), order=order)


def _nested(obj):
    return [asnumpy(x) if isinstance(x, ks.Array) else _nested(x) if isinstance(x, (list, tuple)) else x
            for x in obj]  # fmt: skip


def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    """The array itself if it is one of this dtype and order; else a new one."""
    return array(a, dtype, copy or False, order or "K")


_plain(globals(), {
    "asanyarray": lambda a, dtype=None, order=None, *, copy=None, blocking=False: asarray(a, dtype, order, copy=copy),
    "ascontiguousarray": lambda a, dtype=None: array(a, dtype, False, "C", ndmin=1),
    "asfortranarray": lambda a, dtype=None: array(a, dtype, False, "F", ndmin=1),
    "copy": lambda a, order="K": _core.copy(a, order),
})  # fmt: skip


def stored(result, out):
    """The result, in the array that is given for it if there is one."""
    if out is not None:
        out[...] = result
    return result if out is None else out


def stored_as_it_fits(result, out, name, casting="same_kind"):
    """stored(), which first checks that `out` has the result's shape and a dtype that the result may be cast to."""
    if out is not None:
        if not isinstance(out, ks.Array):
            raise TypeError(f"cupy.{name}: the output is a cupy.ndarray, not a {type(out).__name__}")
        if out.shape != result.shape:
            raise ValueError(f"cupy.{name}: the output has the shape {out.shape}, not {result.shape}")
        if not np.can_cast(result.dtype, out.dtype, casting):
            raise TypeError(f"cupy.{name}: {result.dtype} cannot be cast to {out.dtype} by the rule {casting!r}")
    return stored(result, out)


def floats(x, kinds="fc"):
    """The array, of float64 if it is of none of these kinds."""
    x = asarray(x)
    return x if x.dtype.kind in kinds else x.astype("float64")


_may_wait = contextvars.ContextVar("cupyx.allow_synchronize", default=True)


class DeviceSynchronized(RuntimeError):
    """Values were read where cupyx.allow_synchronize(False) forbids it."""


def may_synchronize():
    """Raises where a program has said that values may not be read."""
    if not _may_wait.get():
        raise DeviceSynchronized("values are read where cupyx.allow_synchronize(False) forbids it")


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """The values in a NumPy array."""
    if isinstance(a, ks.Array):
        may_synchronize()
    host = _core.asnumpy(array(a, copy=False) if _shows_device_memory(a) else a)
    return stored(np.asarray(host, order=order) if out is None else host, out)


def arange(start, stop=None, step=1, dtype=None):
    """start, start + step, … below stop."""
    if builtins.any(isinstance(v, (complex, np.complexfloating)) for v in (start, stop, step)):
        return array(np.arange(*((start,) if stop is None else (start, stop, step)), dtype=dtype))
    return _core.arange(start, stop, step, dtype, cuda.current())


def eye(N, M=None, k=0, dtype=float, order="C"):
    # Of a matrix there is no more than its sides: a diagonal that is further away is no longer one.
    N, M = operator.index(N), operator.index(N if M is None else M)
    k = builtins.max(-N, builtins.min(operator.index(k), M))
    return _core.eye(N, M, k, dtype, cuda.current(), order=order)
