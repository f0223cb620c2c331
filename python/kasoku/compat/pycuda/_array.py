"""GPUArray: an engine's array in memory that an allocator gave. Its operators are in _operators.py."""

import contextlib
import math
import operator

import numpy as np

from kasoku import _core

from .. import says_what_is_missing
from . import driver
from .._face.table import methods as _methods
from .._layout import ArrayFlags, Pointer, must_fit, order_of, plain, shape_of, strides_of


_at_once = contextlib.nullcontext()


@says_what_is_missing("pycuda.gpuarray.GPUArray")
class GPUArray:
    """An array on the device. Operations compute at their place, with NumPy's dtypes;
    comparisons have the dtype of their left operand, as PyCUDA's do."""

    __array_priority__ = 100
    __slots__ = ("__kasoku_array__", "dtype", "allocator", "base", "_gpudata", "__weakref__", "__dict__")

    def __init__(self, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        shape, self.dtype = shape_of(shape), np.dtype(dtype)
        if any(length < 0 for length in shape):
            raise ValueError(f"a shape cannot have negative lengths: {shape}")
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"the order is 'C' or 'F', not {order!r}")
        size = self.dtype.itemsize
        self.allocator, self.base = allocator or driver.mem_alloc, base
        self._gpudata = self.allocator(max(math.prod(shape) * size, 1)) if gpudata is None else gpudata
        strides = strides_of(shape, size, order) if strides is None else tuple(map(int, strides))
        self.__kasoku_array__ = _shown(self._gpudata, shape, strides, self.dtype)

    def _seen(self, array, dtype=None):
        """A view of this array's memory, as the engine's `array` shows it."""
        seen = object.__new__(GPUArray)
        seen.__kasoku_array__, seen.dtype = array, self.dtype if dtype is None else dtype
        seen.allocator, seen.base = self.allocator, self
        seen._gpudata = self._gpudata if _core._address(array) == self.ptr else None
        return seen

    # ── what it is ───────────────────────────────────────────────────────────────────────────

    @property
    def gpudata(self):
        if self._gpudata is None:
            self._gpudata = Pointer(_core._address(self.__kasoku_array__), self)
        return self._gpudata

    ptr = property(lambda self: _core._address(self.__kasoku_array__))

    shape, strides, ndim, size, itemsize, nbytes = (
        property(operator.attrgetter(f"__kasoku_array__.{name}"))
        for name in ("shape", "strides", "ndim", "size", "itemsize", "nbytes")
    )
    mem_size = size
    flags = property(ArrayFlags)
    T = property(lambda self: self.transpose())

    # On a CPU too: its addresses are what kernels get there.
    __cuda_array_interface__ = property(lambda self: {
        "shape": self.shape, "strides": self.strides, "data": (self.ptr, False), "typestr": self.dtype.str,
        "descr": self.dtype.descr, "stream": _core._current_stream(driver._device()).handle or None, "version": 3,
    })  # fmt: skip

    def __len__(self):
        if not self.shape:
            raise TypeError("a scalar has no length")
        return self.shape[0]

    def __bool__(self):
        if self.size != 1:
            raise ValueError("the truth value of an array of several elements is not defined; "
                             "use any() or all()")  # fmt: skip
        return bool(self.get().reshape(()))

    __hash__ = None

    def __array__(self, dtype=None, copy=None):
        host = self.get()
        return host if dtype is None else host.astype(dtype)

    # ── to and from the host ─────────────────────────────────────────────────────────────────

    def set(self, ary, async_=False, stream=None, **kwargs):
        ary = np.asarray(ary)
        must_fit(ary, self.shape, self.dtype, "pycuda.gpuarray.GPUArray.set: the array", ValueError)
        if self.size == 0:
            return
        if self.flags.forc:
            ary = ary if ary.strides == self.strides else np.asarray(ary, order="C" if self.flags.c_contiguous else "F")
            _core._htod(self.__kasoku_array__, ary, driver._device(), driver._stream(stream))
        else:
            temporary = GPUArray(self.shape, self.dtype)
            temporary.set(np.ascontiguousarray(ary), stream=stream)
            self._store(temporary.__kasoku_array__, stream)

    def get(self, ary=None, pagelocked=False, async_=False, stream=None, **kwargs):
        source = self.__kasoku_array__
        flags = source.flags
        order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else None
        if order is None:
            _core._note_read_back(source)
            source, order = self.copy().__kasoku_array__, "C"
        if ary is None:
            ary = (driver.pagelocked_empty if pagelocked else np.empty)(source.shape, self.dtype, order)
        else:
            if ary.size != self.size:
                raise ValueError(f"{self.size} elements cannot go to an array of {ary.size}")
            if ary.dtype != self.dtype:
                raise TypeError(f"the dtypes differ: {self.dtype} here, {ary.dtype} on the host")
            if ary.strides != source.strides or ary.shape != self.shape:
                ary[...] = self.get().reshape(ary.shape)
                return ary
        if self.size:
            _core._dtoh(ary, source, driver._device(), driver._stream(stream))
        return ary

    # ── copies and views ─────────────────────────────────────────────────────────────────────

    def copy(self, order="K"):
        return result(self.__kasoku_array__, self, dtype=self.dtype)

    __copy__ = copy

    def fill(self, value, stream=None):
        if self.dtype in plain:
            return self._store(self.dtype.type(value), stream)
        self.set(np.full(self.shape, value, self.dtype))
        return self

    def _store(self, value, stream=None):
        """Has the engine's value for its elements, computed in a stream."""
        to = self.__kasoku_array__
        if self.dtype not in plain:
            to, value = _as_bytes(to), _as_bytes(value)
        with _at_once if stream is None else driver._stream(stream) or _at_once:
            to[...] = value
            to.eval()
        return self

    def view(self, dtype=None):
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        shape, strides = list(self.shape), list(self.strides)
        if dtype.itemsize != self.itemsize:
            if not shape or not self.flags.forc:
                raise ValueError("a view with another itemsize needs a contiguous array")
            axis = self.ndim - 1 if self.flags.c_contiguous else 0
            shape[axis], rest = divmod(shape[axis] * self.itemsize, dtype.itemsize)
            if rest:
                raise ValueError("the new itemsize does not divide the length of the axis in bytes")
            strides[axis] = dtype.itemsize
        return self._seen(_shown(self.__kasoku_array__, shape, strides, dtype), dtype)

    def reshape(self, *shape, order="C"):
        shape = shape[0] if len(shape) == 1 and not np.isscalar(shape[0]) else shape
        shape = np.broadcast_to(np.int8(0), self.shape).reshape([int(length) for length in shape]).shape
        order = order_of(self) if order == "A" else order
        source = self
        if not self.flags.forc:  # else PyCUDA keeps the memory, and reads it in the order that is asked for
            source = result(self.__kasoku_array__, self, GPUArray(self.shape, self.dtype, order=order))
        strides = strides_of(shape, self.itemsize, order)
        return source._seen(_shown(source.__kasoku_array__, shape, strides, self.dtype))

    def transpose(self, *args, axes=None):
        axes = args or (axes,)
        axes = axes[0] if len(axes) == 1 and (axes[0] is None or not np.isscalar(axes[0])) else axes
        return self._seen(self.__kasoku_array__.transpose(*([tuple(axes)] if axes else [])))

    def reverse(self, stream=None):
        return self[::-1].copy() if self.ndim == 1 else self.ravel()[::-1].copy().reshape(self.shape)

    def __getitem__(self, index):
        if isinstance(index, GPUArray):
            from ._choose import take

            return take(self, index)
        for part in index if isinstance(index, tuple) else (index,):
            if not isinstance(part, (int, np.integer, slice, type(None), type(Ellipsis))):
                raise TypeError(f"an index cannot be a {type(part).__name__}")
        return self._seen(_core._part(self.__kasoku_array__, index))

    def __setitem__(self, index, value):
        if isinstance(index, GPUArray):
            raise TypeError("an array cannot be assigned to by an array of indices")
        part = self[index]
        if isinstance(value, GPUArray):
            if value.dtype != self.dtype:
                raise ValueError(f"the dtypes differ: {self.dtype} and {value.dtype}")
            part._store(value.__kasoku_array__)
        elif isinstance(value, np.ndarray) and value.shape:
            part.set(np.ascontiguousarray(np.broadcast_to(value, part.shape), self.dtype))
        else:
            part.fill(value)

    _block = property(lambda self: (256, 1, 1), doc="A block for kernels over the elements.")
    _grid = property(lambda self: (max(1, min(-(-self.size // 256), 8192)), 1), doc="A grid for that block.")

    def bind_to_texref(self, texref, allow_offset=False):
        """Lets the reference's tex1Dfetch read this array."""
        return texref.set_address(self, self.nbytes, allow_offset) // self.itemsize

    def bind_to_texref_ext(self, texref, channels=1, allow_double_hack=False,
                           allow_complex_hack=False, allow_offset=False):  # fmt: skip
        """bind_to_texref(), which also sets the reference's format by the array's dtype and the channels."""
        if (self.dtype == np.float64 and allow_double_hack) or (self.dtype == np.complex64 and allow_complex_hack):
            is_double = self.dtype == np.float64
            texref.set_format(driver.array_format.SIGNED_INT32 if is_double else driver.array_format.FLOAT, 2)
        elif self.dtype == np.complex128 and allow_complex_hack:
            texref.set_format(driver.array_format.SIGNED_INT32, 4)
        else:
            texref.set_format(driver.dtype_to_array_format(self.dtype), channels)
        return self.bind_to_texref(texref, allow_offset)


_methods(GPUArray, {
    "__str__": lambda self: str(self.get()),
    "__repr__": lambda self: repr(self.get()),
    "_number": lambda self: self.get().reshape(())[()],
    "__int__": lambda self: int(self._number()),
    "__float__": lambda self: float(self._number()),
    "__complex__": lambda self: complex(self._number()),
    "set_async": lambda self, ary, stream=None: self.set(ary, stream=stream),
    "get_async": lambda self, stream=None, ary=None: self.get(ary=ary, stream=stream),
    "__deepcopy__": lambda self, memo: self.copy(),
    "astype": lambda self, dtype, stream=None: result(self.__kasoku_array__, self, None, stream, np.dtype(dtype)),
    "ravel": lambda self, order='C': self.reshape(self.size, order=order),
    "squeeze": lambda self: self._seen(self.__kasoku_array__.squeeze()),
    "__iter__": lambda self: (self[i] for i in range(len(self))),
})  # fmt: skip


def _shown(memory, shape, strides, dtype):
    """The engine's array over memory, an allocation's or an array's; it has no dtype for records."""
    known = dtype if dtype in plain else None
    return _core._view(memory, 0, shape, strides, known, dtype.itemsize, driver._device())


def _as_bytes(array):
    """An array of records with one more axis of bytes."""
    return _shown(array, (*array.shape, array.itemsize), (*array.strides, 1), np.dtype(np.uint8))


def result(value, like, out=None, stream=None, dtype=None):
    """The engine's result, in new memory like an array's or in `out`."""
    if out is None:
        order = order_of(like.__kasoku_array__) if value.shape == like.shape else "C"
        out = GPUArray(value.shape, value.dtype if dtype is None else dtype, like.allocator, order=order)
    return out._store(value, stream)
