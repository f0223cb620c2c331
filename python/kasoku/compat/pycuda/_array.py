"""GPUArray: memory, copies, views. Its operators are in _operators.py."""

import math

import numpy as np

from kasoku import _core

from .. import says_what_is_missing
from . import _kernels, driver
from .._layout import ArrayFlags, Pointer, order_of, plain, select, shape_of, strides_of
from ._operators import Operators


@says_what_is_missing("pycuda.gpuarray.GPUArray")
class GPUArray(Operators):
    """An array on the device. Operations compute at their place, with NumPy's dtypes;
    comparisons have the dtype of their left operand, as PyCUDA's do."""

    __array_priority__ = 100
    __slots__ = ("__kasoku_array__", "shape", "dtype", "strides", "size", "itemsize", "allocator",
                 "base", "_gpudata", "__weakref__", "__dict__")  # fmt: skip

    def __init__(self, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        self.shape = shape_of(shape)
        if any(length < 0 for length in self.shape):
            raise ValueError(f"a shape cannot have negative lengths: {self.shape}")
        self.dtype = np.dtype(dtype)
        self.itemsize = self.dtype.itemsize
        self.size = math.prod(self.shape)
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"the order is 'C' or 'F', not {order!r}")
        self.strides = strides_of(self.shape, self.itemsize, order) if strides is None else tuple(map(int, strides))
        self.allocator = allocator or driver.mem_alloc
        self.base = base
        if gpudata is None:
            gpudata = self.allocator(max(self.size * self.itemsize, 1))
        self._gpudata = gpudata
        self.__kasoku_array__ = _core._view(
            gpudata, 0, self.shape, self.strides, self.dtype if self.dtype in plain else None,
            self.itemsize, driver._device(),
        )  # fmt: skip

    @classmethod
    def _over(cls, owner, offset, shape, strides, dtype):
        """A view `offset` bytes into `owner`."""
        self = cls.__new__(cls)
        self.shape, self.strides, self.dtype = shape, strides, np.dtype(dtype)
        self.itemsize = self.dtype.itemsize
        self.size = math.prod(shape)
        self.allocator = owner.allocator
        self.base = owner
        self._gpudata = None if offset else owner._gpudata
        self.__kasoku_array__ = _core._view(
            owner.__kasoku_array__, offset, shape, strides,
            self.dtype if self.dtype in plain else None, self.itemsize, driver._device(),
        )  # fmt: skip
        return self

    # ── what it is ───────────────────────────────────────────────────────────────────────────

    @property
    def gpudata(self):
        if self._gpudata is None:
            self._gpudata = Pointer(_core._address(self.__kasoku_array__), self)
        return self._gpudata

    @property
    def ptr(self):
        return _core._address(self.__kasoku_array__)

    ndim = property(lambda self: len(self.shape))
    nbytes = property(lambda self: self.size * self.itemsize)
    mem_size = property(lambda self: self.size)
    flags = property(ArrayFlags)
    T = property(lambda self: self.transpose())

    # On a CPU too: its addresses are what kernels get there.
    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "strides": self.strides,
            "data": (self.ptr, False),
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "stream": _core._current_stream(driver._device()).handle or None,
            "version": 3,
        }

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

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())

    def __array__(self, dtype=None, copy=None):
        host = self.get()
        return host if dtype is None else host.astype(dtype)

    def _number(self):
        return self.get().reshape(())[()]

    def __int__(self):
        return int(self._number())

    def __float__(self):
        return float(self._number())

    def __complex__(self):
        return complex(self._number())

    # ── to and from the host ─────────────────────────────────────────────────────────────────

    def set(self, ary, async_=False, stream=None, **kwargs):
        ary = np.asarray(ary)
        if ary.size != self.size:
            raise ValueError(f"an array of {self.size} elements cannot be set from {ary.size}")
        if ary.shape != self.shape:
            raise ValueError(f"the shapes differ: {self.shape} here, {ary.shape} on the host")
        if ary.dtype != self.dtype:
            raise ValueError(f"the dtypes differ: {self.dtype} here, {ary.dtype} on the host")
        if self.size == 0:
            return
        if self.flags.forc:
            order = "C" if self.flags.c_contiguous else "F"
            if ary.strides != self.strides:
                ary = np.asarray(ary, order=order)
            _core._htod(self.__kasoku_array__, ary, driver._device(), driver._stream(stream))
        else:
            temporary = GPUArray(self.shape, self.dtype)
            temporary.set(np.ascontiguousarray(ary), stream=stream)
            copy_into(self, temporary, stream)

    def set_async(self, ary, stream=None):
        self.set(ary, stream=stream)

    def get(self, ary=None, pagelocked=False, async_=False, stream=None, **kwargs):
        source = self
        if not self.flags.forc:
            source = self.copy()
            _core._note_read_back(self.__kasoku_array__)
        if ary is None:
            make = driver.pagelocked_empty if pagelocked else np.empty
            ary = make(self.shape, self.dtype, "C" if source.flags.c_contiguous else "F")
        else:
            if ary.size != self.size:
                raise ValueError(f"{self.size} elements cannot go to an array of {ary.size}")
            if ary.dtype != self.dtype:
                raise TypeError(f"the dtypes differ: {self.dtype} here, {ary.dtype} on the host")
            if ary.strides != source.strides or ary.shape != self.shape:
                ary[...] = self.get().reshape(ary.shape)
                return ary
        if self.size:
            _core._dtoh(ary, source.__kasoku_array__, driver._device(), driver._stream(stream))
        return ary

    def get_async(self, stream=None, ary=None):
        return self.get(ary=ary, stream=stream)

    # ── copies and views ─────────────────────────────────────────────────────────────────────

    def _new_like_me(self, dtype=None, order="C"):
        """New memory of this shape; also of this order, if the array has one."""
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        return GPUArray(self.shape, dtype, allocator=self.allocator, order=order_of(self))

    def copy(self, order="K"):
        result = self._new_like_me()
        copy_into(result, self)
        return result

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, dtype, stream=None):
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self.copy()
        result = self._new_like_me(dtype)
        _kernels.unary_kernel("copy", np.result_type(self.dtype, dtype))(self, result, stream=stream)
        return result

    def fill(self, value, stream=None):
        if self.dtype in plain:
            _kernels.element_kernel("T v", "T z", "z = v", "gpuarray_fill")(self.dtype.type(value), self, stream=stream)
        else:
            host = np.empty(self.shape, self.dtype)
            host[...] = value
            self.set(host)
        return self

    def view(self, dtype=None):
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        if dtype.itemsize == self.itemsize:
            return GPUArray._over(self, 0, self.shape, self.strides, dtype)
        if not self.shape or not self.flags.forc:
            raise ValueError("a view with another itemsize needs a contiguous array")
        axis = self.ndim - 1 if self.flags.c_contiguous else 0
        bytes_ = self.shape[axis] * self.itemsize
        if bytes_ % dtype.itemsize:
            raise ValueError("the new itemsize does not divide the length of the axis in bytes")
        shape, strides = list(self.shape), list(self.strides)
        shape[axis], strides[axis] = bytes_ // dtype.itemsize, dtype.itemsize
        return GPUArray._over(self, 0, tuple(shape), tuple(strides), dtype)

    def reshape(self, *shape, order="C"):
        if len(shape) == 1 and not np.isscalar(shape[0]):
            shape = shape[0]
        shape = [int(length) for length in shape]
        if shape.count(-1) > 1:
            raise ValueError("only one length can be -1")
        if -1 in shape:
            known = math.prod(length for length in shape if length != -1)
            if known == 0 or self.size % known:
                raise ValueError(f"{self.size} elements cannot have the shape {tuple(shape)}")
            shape[shape.index(-1)] = self.size // known
        shape = tuple(shape)
        if math.prod(shape) != self.size:
            raise ValueError(f"{self.size} elements cannot have the shape {shape}")
        if order == "A":
            order = order_of(self)
        source = self
        if not (self.flags.c_contiguous if order == "C" else self.flags.f_contiguous):
            if order == "C" and self.flags.f_contiguous or order == "F" and self.flags.c_contiguous:
                # PyCUDA keeps the memory and reads it in the other order.
                return GPUArray._over(self, 0, shape, strides_of(shape, self.itemsize, order), self.dtype)
            source = GPUArray(self.shape, self.dtype, order=order)
            copy_into(source, self)
        return GPUArray._over(source, 0, shape, strides_of(shape, self.itemsize, order), self.dtype)

    def ravel(self, order="C"):
        return self.reshape(self.size, order=order)

    def squeeze(self):
        return self._with_axes([axis for axis, length in enumerate(self.shape) if length != 1])

    def _with_axes(self, axes):
        shape, strides = (tuple(of[a] for a in axes) for of in (self.shape, self.strides))
        return GPUArray._over(self, 0, shape, strides, self.dtype)

    def transpose(self, *args, axes=None):
        axes = args or (axes,)
        if len(axes) == 1 and (axes[0] is None or not np.isscalar(axes[0])):
            axes = axes[0]
        if not axes:
            axes = range(self.ndim - 1, -1, -1)
        axes = [axis % self.ndim for axis in axes]
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(f"{tuple(axes)} are not the axes of an array of {self.ndim}")
        return self._with_axes(axes)

    def reverse(self, stream=None):
        return self[::-1].copy() if self.ndim == 1 else self.ravel()[::-1].copy().reshape(self.shape)

    def __getitem__(self, index):
        if isinstance(index, GPUArray):
            from ._choose import take

            return take(self, index)
        offset, shape, strides = select(self.shape, self.strides, index)
        return GPUArray._over(self, offset, shape, strides, self.dtype)

    def __setitem__(self, index, value):
        if isinstance(index, GPUArray):
            raise TypeError("an array cannot be assigned to by an array of indices")
        self[index]._assign(value)

    def _assign(self, value):
        if isinstance(value, GPUArray):
            if value.dtype != self.dtype:
                raise ValueError(f"the dtypes differ: {self.dtype} and {value.dtype}")
            copy_into(self, value)
        elif isinstance(value, np.ndarray) and value.shape:
            self.set(np.ascontiguousarray(np.broadcast_to(value, self.shape), self.dtype))
        else:
            self.fill(value)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    _block = property(lambda self: (256, 1, 1), doc="A block for kernels over the elements.")
    _grid = property(lambda self: (max(1, min(-(-self.size // 256), 8192)), 1), doc="A grid for that block.")

    def bind_to_texref(self, texref, allow_offset=False):
        """Lets the reference's tex1Dfetch read this array."""
        return texref.set_address(self, self.nbytes, allow_offset) // self.itemsize

    def bind_to_texref_ext(self, texref, channels=1, allow_double_hack=False,
                           allow_complex_hack=False, allow_offset=False):  # fmt: skip
        """The same with a format of the array's dtype and channels."""
        if (self.dtype == np.float64 and allow_double_hack) or (self.dtype == np.complex64 and allow_complex_hack):
            is_double = self.dtype == np.float64
            texref.set_format(driver.array_format.SIGNED_INT32 if is_double else driver.array_format.FLOAT, 2)
        elif self.dtype == np.complex128 and allow_complex_hack:
            texref.set_format(driver.array_format.SIGNED_INT32, 4)
        else:
            texref.set_format(driver.dtype_to_array_format(self.dtype), channels)
        return self.bind_to_texref(texref, allow_offset)


def _as_bytes(array):
    """A record array with one more axis of bytes."""
    return _core._view(array.__kasoku_array__, 0, (*array.shape, array.itemsize),
                       (*array.strides, 1), np.uint8)  # fmt: skip


def copy_into(to, from_, stream=None):
    """Copies elements where the layouts differ."""
    if to.dtype in plain:
        _kernels.unary_kernel("copy", to.dtype)(from_, to, stream=driver._stream(stream))
    else:
        _kernels.element_kernel("T x", "T y", "y = x", "gpuarray_copy_records")(
            _as_bytes(from_), _as_bytes(to), stream=driver._stream(stream)
        )
