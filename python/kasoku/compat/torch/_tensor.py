"""torch.Tensor: kasoku's Array with torch's names, promotion and printing. Every statement runs at
its place, as torch's operations do: what one operation gives to the next within a statement is fused."""

import functools
import numbers
import operator

import numpy as np

import kasoku as ks
from kasoku import _core

from .. import says_what_is_missing
from .._face.refusals import autograd
from .._face.table import methods as _methods
from . import _types
from ._types import Size, as_dtype, device, engine_device, of_array, of_engine


@says_what_is_missing("torch.Tensor")
class Tensor:
    __slots__ = ("_a", "__weakref__")
    __array_priority__ = 1000
    grad = None

    def __init__(self, *args):
        if len(args) == 1 and isinstance(args[0], ks.Array):
            self._a = _core._settle(args[0])
        elif len(args) == 1 and not isinstance(args[0], numbers.Number):
            self._a = array_of(args[0], _types.default_float)
        else:
            self._a = ks.zeros(args, _types.default_float.numpy, "cpu")

    # ── what it is ────────────────────────────────────────────────────────────────────────

    shape = property(lambda self: Size(self._a.shape))
    dtype = property(lambda self: of_array(self._a))
    device = property(lambda self: of_engine(self._a.device))
    T = property(lambda self: Tensor(self._a.T))
    mT = property(lambda self: Tensor(self._a.mT))
    data = property(lambda self: Tensor(self._a))
    is_cuda = property(lambda self: self._a.device.kind == "cuda")
    ndim, nbytes, itemsize = (property(operator.attrgetter(f"_a.{name}")) for name in ("ndim", "nbytes", "itemsize"))

    # ── to other things ───────────────────────────────────────────────────────────────────

    def item(self):
        if self._a.size != 1:
            raise RuntimeError(f"a Tensor with {self._a.size} elements cannot be converted to Scalar")
        return self._a.item()

    def numpy(self, *, force=False):
        """The same memory as a NumPy array."""
        is_here, has_dtype = self._a.device.kind == "cpu", self._a.dtype != "bfloat16"
        if is_here and has_dtype:
            return ks._core._numpy_view(self._a)
        if force:
            return self._a.numpy()
        raise TypeError("Got unsupported ScalarType BFloat16" if is_here else (
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        ))  # fmt: skip

    def __array__(self, dtype=None, copy=None):
        a = self.numpy()
        return a.astype(dtype) if dtype is not None else a

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """What NumPy's functions of a tensor give is a tensor."""
        return Tensor(ks.asarray(np.asarray(array), device="cpu"))

    __cuda_array_interface__ = property(lambda self: self._a.__cuda_array_interface__)

    def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False):
        for x in args:
            if isinstance(x, Tensor):
                dtype, device = x.dtype, x.device
            elif isinstance(x, (_types.dtype, type)):
                dtype = x
            elif not isinstance(x, bool):
                device = x
        a = self._a
        if device is not None and (to := engine_device(device)) != a.device:
            a = a.to_device(to)
        if dtype is not None and as_dtype(dtype) is not of_array(a):
            a = a.astype(as_dtype(dtype).numpy)
        if a is self._a:
            return self.clone() if copy else self
        return Tensor(a)

    def type(self, dtype=None):
        if dtype is not None:
            return self.to(as_dtype(dtype))
        where = "torch.cuda." if self.is_cuda else "torch."
        return where + _types.legacy.get(self.dtype.name, self.dtype.name) + "Tensor"

    requires_grad = property(lambda self: False, lambda self, value: self.requires_grad_(value) and None)

    def requires_grad_(self, value=True):
        if value:
            raise NotImplementedError(autograd)
        return self

    def backward(self, *_, **__):
        raise NotImplementedError(autograd)

    def __bool__(self):
        if self._a.size != 1:
            many = "more than one value" if self._a.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
        return bool(self._a.item())

    def __len__(self):
        if self._a.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._a.shape[0]

    def __iter__(self):
        if self._a.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return (Tensor(row) for row in self._a)

    def __repr__(self):
        from ._printing import text_of

        return text_of(self)

    # ── parts and shapes: views ───────────────────────────────────────────────────────────

    def _write(self, value, key=...):
        _types.must_hold(value, self.dtype)
        if 0 in self._a.strides:
            _must_be_apart(_core._part(self._a, key))
        self._a[key] = _types.as_number(value, self.dtype)
        self._a.eval()
        return self

    def _take(self, value):
        """Writes an array that nobody else has."""
        if value.shape != self._a.shape:
            return self._write(value)
        _must_be_apart(self._a)
        _core._take(self._a, value)
        self._a.eval()
        return self

    def flatten(self, start_dim=0, end_dim=-1):
        shape = list(self._a.shape) or [1]
        start, end = start_dim % len(shape), end_dim % len(shape)
        return self.reshape(shape[:start] + [-1] + shape[end + 1 :])

    def t(self):
        if self._a.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self._a.ndim}D")
        return Tensor(self._a.T)

    def squeeze(self, dim=None):
        if dim is None:
            return Tensor(self._a.squeeze())
        dims = tuple(d for d in (dim if isinstance(dim, (tuple, list)) else (dim,)) if self._a.shape[d] == 1)
        return Tensor(self._a.squeeze(dims)) if dims else self


_methods(Tensor, {
    "repeat": lambda self, *times: Tensor(
        ks.tile(self._a, times[0] if len(times) == 1 and not isinstance(times[0], int) else times)),
    "cuda": lambda self, device=None, non_blocking=False: self.to(
        f"cuda:{device}" if isinstance(device, int) else device or "cuda"),
    "is_contiguous": lambda self: self._a.flags.c_contiguous,
    "__dlpack__": lambda self, **kwargs: self._a.__dlpack__(**kwargs),
    "__dlpack_device__": lambda self: self._a.__dlpack_device__(),
    "contiguous": lambda self, memory_format=None: self if self.is_contiguous() else self.clone(),
    "__hash__": lambda self: id(self),
    "__format__": lambda self, spec: format(self.item(), spec) if self._a.ndim == 0 else str(self),
    "__deepcopy__": lambda self, memo: self.clone(),
    "__reduce__": lambda self: (_rebuild, (self._a.numpy(), self.dtype, self.device)),
    "__getitem__": lambda self, key: Tensor(_core._part(self._a, _key(key))),
    "__setitem__": lambda self, key, value: self._write(value._a if isinstance(value, Tensor) else value, _key(key)),
    "fill_": lambda self, value: self._write(value._a if isinstance(value, Tensor) else value),
})  # fmt: skip


def _must_be_apart(a):
    """Raises if an element that is written stands in memory twice."""
    if 0 in a.strides and any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape, strict=True)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


class ShapeError(ks.errors.ValueError, RuntimeError):
    """What torch raises for shapes that do not fit is a RuntimeError."""


def shaped(function, *args):
    """function(*args), whose refusals are torch's."""
    try:
        return function(*args)
    except ValueError as error:
        raise ShapeError(*error.args) from None


def composed(function):
    """A function of several operations, which are settled as one."""

    @functools.wraps(function)
    def operation(*args, **kwargs):
        return Tensor(_core._unsettled(function, *args, **kwargs)._a)

    return operation


def held(*tensors):
    """Computed: they go into a container, and nobody sees how they are taken out of it."""
    for t in tensors:
        t._a.eval()
    return tensors


def _rebuild(values, dtype, where):
    return Tensor(ks.array(values, dtype.numpy, engine_device(where)))


def _key(key):
    if isinstance(key, tuple):
        return tuple(_key(k) for k in key)
    if isinstance(key, list):
        return [_key(k) for k in key]
    return key._a if isinstance(key, Tensor) else key


def _has_dtype(data):
    """Whether NumPy's float64 says so itself: it is an array or scalar of NumPy's, or a list with one."""
    if isinstance(data, (list, tuple)):
        return any(hasattr(x, "dtype") for x in data) or bool(data) and _has_dtype(data[0])
    return hasattr(data, "dtype")


def array_of(data, dtype=None, where=None):
    """The engine's array of anything torch.tensor takes, copied."""
    to = engine_device(where)
    wanted = as_dtype(dtype).numpy if dtype is not None else None
    if isinstance(data, Tensor):
        a = data._a if where is None else data._a.to_device(to)
        return a.astype(wanted) if wanted else a.copy()
    if isinstance(data, (list, tuple)) and any(isinstance(x, Tensor) for x in data):
        data = [x.tolist() if isinstance(x, Tensor) else x for x in data]
    values = np.asarray(data)
    if wanted is None and values.dtype in (np.float64, np.complex128) and not _has_dtype(data):
        wanted = (_types.default_float if values.dtype.kind == "f" else _types.default_complex()).numpy
    elif dtype is not None and values.dtype.kind in "iuf" and values.size and not isinstance(data, np.ndarray):
        for bound in (values.min(), values.max()):
            _types.must_hold(bound, as_dtype(dtype))
    return ks.array(values, wanted, to)


device = device  # the name that annotations and programs use
