"""pycuda.gpuarray: NumPy-like arrays on the device, each operation at its place."""

import builtins

import numpy as np

from kasoku import _core

from . import _kernels, driver
from ._vec import vec  # noqa: F401

# What kasoku's arrays have a dtype for; anything else is kept as records.
_plain = {
    np.dtype(t)
    for t in ("?", "b", "h", "i", "q", "l", "B", "H", "I", "Q", "L", "e", "f", "d", "F", "D")
}


class _Pointer(int):
    """The address of an array inside memory that somebody else allocated; keeps it."""

    def __new__(cls, address, base):
        self = super().__new__(cls, address)
        self.base = base
        return self

    def free(self):
        self.base = None


class ArrayFlags:
    def __init__(self, array):
        self._array = array

    @property
    def c_contiguous(self):
        return _is_contiguous(self._array.shape, self._array.strides, self._array.itemsize, "C")

    @property
    def f_contiguous(self):
        return _is_contiguous(self._array.shape, self._array.strides, self._array.itemsize, "F")

    @property
    def forc(self):
        return self.c_contiguous or self.f_contiguous

    def __repr__(self):
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"


def _is_contiguous(shape, strides, itemsize, order):
    expected = itemsize
    axes = range(len(shape)) if order == "F" else reversed(range(len(shape)))
    for axis in axes:
        if shape[axis] == 0:
            return True
        if shape[axis] != 1 and strides[axis] != expected:
            return False
        expected *= shape[axis]
    return True


def _strides_of(shape, itemsize, order):
    strides, step = [0] * len(shape), itemsize
    for axis in range(len(shape)) if order == "F" else reversed(range(len(shape))):
        strides[axis] = step
        step *= builtins.max(shape[axis], 1)
    return tuple(strides)


def _shape_of(shape):
    try:
        return tuple(int(length) for length in shape)
    except TypeError:
        return (int(shape),)


class GPUArray:
    """An array on the device. Operations compute at their place, with NumPy's dtypes;
    comparisons have the dtype of their left operand, as PyCUDA's do."""

    __array_priority__ = 100
    __slots__ = ("__kasoku_array__", "shape", "dtype", "strides", "size", "itemsize", "allocator",
                 "base", "_gpudata", "__weakref__", "__dict__")  # fmt: skip

    def __init__(self, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        self.shape = _shape_of(shape)
        if builtins.any(length < 0 for length in self.shape):
            raise ValueError(f"a shape cannot have negative lengths: {self.shape}")
        self.dtype = np.dtype(dtype)
        self.itemsize = self.dtype.itemsize
        self.size = 1
        for length in self.shape:
            self.size *= length
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"the order is 'C' or 'F', not {order!r}")
        self.strides = (
            _strides_of(self.shape, self.itemsize, order)
            if strides is None
            else tuple(int(stride) for stride in strides)
        )
        self.allocator = allocator or driver.mem_alloc
        self.base = base
        if gpudata is None:
            gpudata = self.allocator(builtins.max(self.size * self.itemsize, 1))
        self._gpudata = gpudata
        self.__kasoku_array__ = _core._view(
            gpudata, 0, self.shape, self.strides, self.dtype if self.dtype in _plain else None,
            self.itemsize, driver._device(),
        )  # fmt: skip

    @classmethod
    def _over(cls, owner, offset, shape, strides, dtype):
        """A view `offset` bytes into `owner`."""
        self = cls.__new__(cls)
        self.shape, self.strides, self.dtype = shape, strides, np.dtype(dtype)
        self.itemsize = self.dtype.itemsize
        self.size = 1
        for length in shape:
            self.size *= length
        self.allocator = owner.allocator
        self.base = owner
        self._gpudata = None if offset else owner._gpudata
        self.__kasoku_array__ = _core._view(
            owner.__kasoku_array__, offset, shape, strides,
            self.dtype if self.dtype in _plain else None, self.itemsize, driver._device(),
        )  # fmt: skip
        return self

    # ── what it is ───────────────────────────────────────────────────────────────────────────

    @property
    def gpudata(self):
        if self._gpudata is None:
            self._gpudata = _Pointer(_core._address(self.__kasoku_array__), self)
        return self._gpudata

    @property
    def ptr(self):
        return _core._address(self.__kasoku_array__)

    ndim = property(lambda self: len(self.shape))
    nbytes = property(lambda self: self.size * self.itemsize)
    mem_size = property(lambda self: self.size)
    flags = property(ArrayFlags)
    T = property(lambda self: self.transpose())

    @property
    def __cuda_array_interface__(self):
        if driver._device().kind != "cuda":
            raise AttributeError("the array is on a CPU")
        return {
            "shape": self.shape,
            "strides": self.strides,
            "data": (self.ptr, False),
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "stream": None,
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

    def __int__(self):
        return int(self.get().reshape(())[()])

    def __float__(self):
        return float(self.get().reshape(())[()])

    def __complex__(self):
        return complex(self.get().reshape(())[()])

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
            _copy_into(self, temporary, stream)

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
        order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        return GPUArray(self.shape, dtype, allocator=self.allocator, order=order)

    def copy(self, order="K"):
        result = self._new_like_me()
        _copy_into(result, self)
        return result

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, dtype, stream=None):
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self.copy()
        result = self._new_like_me(dtype)
        _kernels.unary_kernel("copy", np.result_type(self.dtype, dtype))(
            self, result, stream=stream
        )
        return result

    def fill(self, value, stream=None):
        if self.dtype in _plain:
            _kernels.element_kernel("T v", "T z", "z = v", "gpuarray_fill")(
                self.dtype.type(value), self, stream=stream
            )
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
        unknown = [axis for axis, length in enumerate(shape) if length == -1]
        if len(unknown) > 1:
            raise ValueError("only one length can be -1")
        if unknown:
            known = int(np.prod([length for length in shape if length != -1], dtype=np.int64))
            if known == 0 or self.size % known:
                raise ValueError(f"{self.size} elements cannot have the shape {tuple(shape)}")
            shape[unknown[0]] = self.size // known
        shape = tuple(shape)
        if int(np.prod(shape, dtype=np.int64)) != self.size:
            raise ValueError(f"{self.size} elements cannot have the shape {shape}")
        if order == "A":
            order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        source = self
        if not (self.flags.c_contiguous if order == "C" else self.flags.f_contiguous):
            if order == "C" and self.flags.f_contiguous or order == "F" and self.flags.c_contiguous:
                # PyCUDA keeps the memory and reads it in the other order.
                return GPUArray._over(self, 0, shape, _strides_of(shape, self.itemsize, order), self.dtype)
            source = GPUArray(self.shape, self.dtype, order=order)
            _copy_into(source, self)
        return GPUArray._over(
            source, 0, shape, _strides_of(shape, self.itemsize, order), self.dtype
        )

    def ravel(self, order="C"):
        return self.reshape(self.size, order=order)

    def squeeze(self):
        kept = [axis for axis, length in enumerate(self.shape) if length != 1]
        return GPUArray._over(
            self, 0, tuple(self.shape[a] for a in kept), tuple(self.strides[a] for a in kept), self.dtype
        )

    def transpose(self, *axes):
        if len(axes) == 1 and (axes[0] is None or not np.isscalar(axes[0])):
            axes = axes[0]
        if not axes:
            axes = range(self.ndim - 1, -1, -1)
        axes = [axis % self.ndim for axis in axes]
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(f"{tuple(axes)} are not the axes of an array of {self.ndim}")
        return GPUArray._over(
            self, 0, tuple(self.shape[a] for a in axes), tuple(self.strides[a] for a in axes), self.dtype
        )

    def reverse(self, stream=None):
        return self[::-1].copy() if self.ndim == 1 else self.ravel()[::-1].copy().reshape(self.shape)

    def __getitem__(self, index):
        if isinstance(index, GPUArray):
            return take(self, index)
        if not isinstance(index, tuple):
            index = (index,)
        given = builtins.sum(1 for part in index if part is not None and part is not Ellipsis)
        if given > self.ndim:
            raise IndexError(f"{given} indices for an array of {self.ndim} axes")
        if builtins.sum(1 for part in index if part is Ellipsis) > 1:
            raise IndexError("an index can have one ellipsis")
        if Ellipsis not in [part for part in index if part is Ellipsis]:
            index = (*index, Ellipsis)
        shape, strides, offset, axis = [], [], 0, 0
        for part in index:
            if part is None:
                shape.append(1)
                strides.append(0)
            elif part is Ellipsis:
                for _ in range(self.ndim - given):
                    shape.append(self.shape[axis])
                    strides.append(self.strides[axis])
                    axis += 1
            elif isinstance(part, slice):
                start, stop, step = part.indices(self.shape[axis])
                length = len(range(start, stop, step))
                if length:
                    offset += start * self.strides[axis]
                shape.append(length)
                strides.append(step * self.strides[axis])
                axis += 1
            elif isinstance(part, (int, np.integer)):
                length = self.shape[axis]
                if not -length <= part < length:
                    raise IndexError(f"index {part} is out of range for axis {axis} of length {length}")
                offset += (part + length if part < 0 else part) * self.strides[axis]
                axis += 1
            else:
                raise TypeError(f"an index cannot be a {type(part).__name__}")
        return GPUArray._over(self, int(offset), tuple(shape), tuple(int(s) for s in strides), self.dtype)

    def __setitem__(self, index, value):
        _setitem(self[index] if not isinstance(index, GPUArray) else None, self, index, value)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    # ── arithmetic ───────────────────────────────────────────────────────────────────────────

    def __neg__(self):
        return _unary("negative", self)

    def __pos__(self):
        return self.copy()

    def __invert__(self):
        return _unary("invert", self)

    def __abs__(self):
        dtype = np.dtype(f"f{self.itemsize // 2}") if self.dtype.kind == "c" else self.dtype
        return _unary("absolute", self, dtype)

    def __divmod__(self, other):
        return self // other, self % other

    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        result = selffac * self + otherfac * other
        if out is not None:
            _copy_into(out, result)
            return out
        return result

    def rpow(self, other):
        return other**self

    @property
    def real(self):
        if self.dtype.kind != "c":
            return self
        return self._part("z.real()", "gpuarray_real")

    @property
    def imag(self):
        if self.dtype.kind != "c":
            return zeros_like(self)
        return self._part("z.imag()", "gpuarray_imag")

    def _part(self, text, name):
        result = self._new_like_me(np.dtype(f"f{self.itemsize // 2}"))
        _kernels.element_kernel("S z", "T part", f"part = {text}", name)(self, result)
        return result

    def conj(self, out=None):
        if self.dtype.kind != "c" and out is None:
            return self
        result = self._new_like_me() if out is None else out
        _kernels.unary_kernel("conjugate", self.dtype)(self, result)
        return result

    conjugate = conj

    def any(self, stream=None, allocator=None):
        return _reduce("any", self, np.dtype(bool), stream=stream)

    def all(self, stream=None, allocator=None):
        return _reduce("all", self, np.dtype(bool), stream=stream)

    def sum(self, dtype=None, stream=None):
        return sum(self, dtype, stream)

    def bind_to_texref(self, *args, **kwargs):
        raise driver.ks.errors.UnsupportedError("textures are not supported")

    bind_to_texref_ext = bind_to_texref


def _setitem(target, array, index, value):
    if target is None:
        raise TypeError("an array cannot be assigned to by an array of indices")
    if isinstance(value, GPUArray):
        if value.dtype != array.dtype:
            raise ValueError(f"the dtypes differ: {array.dtype} and {value.dtype}")
        _copy_into(target, value)
    elif isinstance(value, np.ndarray) and value.shape:
        if value.shape != target.shape:
            value = np.broadcast_to(value, target.shape)
        target.set(np.ascontiguousarray(value, array.dtype))
    else:
        target.fill(value)


def _as_bytes(array):
    """A record array with one more axis of bytes."""
    return _core._view(array.__kasoku_array__, 0, (*array.shape, array.itemsize),
                       (*array.strides, 1), np.uint8)  # fmt: skip


def _copy_into(to, from_, stream=None):
    if to.dtype in _plain:
        _kernels.unary_kernel("copy", to.dtype)(from_, to, stream=driver._stream(stream))
    else:
        _kernels.element_kernel("T x", "T y", "y = x", "gpuarray_copy_records")(
            _as_bytes(from_), _as_bytes(to), stream=driver._stream(stream)
        )


def _unary(name, x, dtype=None):
    result = x._new_like_me(dtype)
    _kernels.unary_kernel(name, x.dtype)(x, result)
    return result


def _operand(value):
    if isinstance(value, np.ndarray) and value.shape:
        return to_gpu(value)
    return value


def _binary(name, x, y, common, out_dtype=None, out=None, stream=None):
    """x op y in the dtype `common`; one of them may be a number."""
    dtype = common if out_dtype is None else out_dtype
    if out is None:
        like = x if isinstance(x, GPUArray) else y
        if isinstance(x, GPUArray) and isinstance(y, GPUArray) and x.shape != y.shape:
            out = GPUArray(np.broadcast_shapes(x.shape, y.shape), dtype)
        else:
            out = like._new_like_me(dtype)
    x, y = (v if isinstance(v, GPUArray) else common.type(v) for v in (x, y))
    _kernels.binary_kernel(name, common)(x, y, out, stream=stream)
    return out


def _common(x, y):
    x, y = (v.dtype if isinstance(v, GPUArray) else v for v in (x, y))
    return np.result_type(x, y)


def _arithmetic(name, symbol, is_division=False):
    def common_of(x, y):
        common = _common(x, y)
        if is_division and common.kind in "biu":
            common = np.dtype(np.float64)
        elif common.kind == "b" and name in ("power", "floor_divide", "mod"):
            common = np.dtype(np.int8)
        return common

    def forward(self, other):
        other = _operand(other)
        if not isinstance(other, GPUArray) and not np.isscalar(other) and np.ndim(other):
            return NotImplemented
        return _binary(name, self, other, common_of(self, other))

    def backward(self, other):
        other = _operand(other)
        if isinstance(other, GPUArray):
            return forward(other, self)
        return _binary(name, other, self, common_of(other, self))

    def in_place(self, other):
        other = _operand(other)
        return _binary(name, self, other, common_of(self, other), self.dtype, out=self)

    setattr(GPUArray, f"__{symbol}__", forward)
    setattr(GPUArray, f"__r{symbol}__", backward)
    setattr(GPUArray, f"__i{symbol}__", in_place)


def _comparison(name, symbol):
    def compare(self, other):
        other = _operand(other)
        if other is None or isinstance(other, str):
            return NotImplemented
        return _binary(name, self, other, _common(self, other), self.dtype)

    setattr(GPUArray, f"__{symbol}__", compare)


for _name, _symbol in [
    ("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("floor_divide", "floordiv"),
    ("mod", "mod"), ("power", "pow"), ("bitwise_and", "and"), ("bitwise_or", "or"),
    ("bitwise_xor", "xor"), ("left_shift", "lshift"), ("right_shift", "rshift"),
]:  # fmt: skip
    _arithmetic(_name, _symbol)
_arithmetic("true_divide", "truediv", is_division=True)
for _name, _symbol in [
    ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge"),
    ("equal", "eq"), ("not_equal", "ne"),
]:  # fmt: skip
    _comparison(_name, _symbol)


# ── new arrays ────────────────────────────────────────────────────────────────────────────────


def to_gpu(ary, allocator=None):
    """A copy of a NumPy array on the device, in its order."""
    ary = np.asarray(ary)
    f_order = ary.flags.f_contiguous and not ary.flags.c_contiguous
    strides = ary.strides if ary.flags.forc else None
    if strides is None and 0 not in ary.strides and builtins.all(s > 0 for s in ary.strides):
        # A permutation of axes without gaps keeps its strides.
        order = sorted(range(ary.ndim), key=lambda axis: -ary.strides[axis])
        if ary.transpose(order).flags.c_contiguous:
            result = GPUArray(ary.transpose(order).shape, ary.dtype, allocator=allocator)
            result.set(ary.transpose(order))
            return result.transpose([int(axis) for axis in np.argsort(order)])
    result = GPUArray(ary.shape, ary.dtype, allocator=allocator, order="F" if f_order else "C")
    result.set(ary)
    return result


def to_gpu_async(ary, allocator=None, stream=None):
    return to_gpu(ary, allocator)


def empty(shape, dtype=np.float64, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator=allocator, order=order)


def zeros(shape, dtype=np.float64, *, allocator=None, order="C"):
    result = GPUArray(shape, dtype, allocator=allocator, order=order)
    driver.memset_d8(result.__kasoku_array__, 0, result.nbytes)
    _core._mark_zeroed(result.__kasoku_array__)
    return result


def ones(shape, dtype=np.float64, *, allocator=None, order="C"):
    return GPUArray(shape, dtype, allocator=allocator, order=order).fill(1)


def _like(other, dtype, order):
    if order in ("K", "A"):
        order = "F" if other.flags.f_contiguous and not other.flags.c_contiguous else "C"
    return GPUArray(other.shape, dtype or other.dtype, allocator=other.allocator, order=order)


def empty_like(other_ary, dtype=None, order="K"):
    return _like(other_ary, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    result = _like(other_ary, dtype, order)
    driver.memset_d8(result.__kasoku_array__, 0, result.nbytes)
    _core._mark_zeroed(result.__kasoku_array__)
    return result


def ones_like(other_ary, dtype=None, order="K"):
    return _like(other_ary, dtype, order).fill(1)


def arange(*args, dtype=None, allocator=None, stream=None):
    """start, stop, step as numpy.arange takes them."""
    if len(args) == 4:
        dtype, args = args[3], args[:3]
    return to_gpu(np.arange(*args, dtype=dtype))


# ── pick, join, choose ────────────────────────────────────────────────────────────────────────


def take(a, indices, out=None, stream=None):
    """out[i] = a[indices[i]]"""
    if out is None:
        out = GPUArray(indices.shape, a.dtype)
    a = a if a.flags.forc else a.copy()
    _kernels.element_kernel("raw T a, I index", "T z", "z = a[index]", "gpuarray_take")(
        a.ravel() if a.ndim != 1 else a, indices, out, stream=stream
    )
    return out


def multi_take(arrays, indices, out=None, stream=None):
    results = out or [None] * len(arrays)
    return [take(a, indices, o, stream) for a, o in zip(arrays, results)]


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None,
                   src_offsets=None):  # fmt: skip
    if out is None:
        out = [GPUArray(dest_shape, a.dtype) for a in arrays]
    for k, (a, o) in enumerate(zip(arrays, out)):
        offset = int(src_offsets[k]) if src_offsets is not None else 0
        _kernels.element_kernel(
            "raw T a, I to, J from_, int64 offset", "raw T z", "z[to] = a[from_ + offset]",
            "gpuarray_take_put",
        )(a, dest_indices, src_indices, offset, o, stream=stream)  # fmt: skip
    return out


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    if out is None:
        out = [GPUArray(dest_shape, a.dtype) for a in arrays]
    for a, o in zip(arrays, out):
        _kernels.element_kernel("T a, I to", "raw T z", "z[to] = a", "gpuarray_put")(
            a, dest_indices, o, stream=stream
        )
    return out


def concatenate(arrays, axis=0, allocator=None):
    arrays = list(arrays)
    if not arrays:
        raise ValueError("nothing to concatenate")
    axis %= arrays[0].ndim
    shape = list(arrays[0].shape)
    for other in arrays[1:]:
        if other.ndim != len(shape) or builtins.any(
            a != b for k, (a, b) in enumerate(zip(other.shape, shape)) if k != axis
        ):
            raise ValueError("arrays that are joined differ only in the length of that axis")
    shape[axis] = builtins.sum(a.shape[axis] for a in arrays)
    result = GPUArray(shape, np.result_type(*(a.dtype for a in arrays)), allocator=allocator)
    at = 0
    for array in arrays:
        part = (slice(None),) * axis + (slice(at, at + array.shape[axis]),)
        _copy_into(result[part], array)
        at += array.shape[axis]
    return result


def stack(arrays, axis=0, allocator=None):
    arrays = list(arrays)
    if not arrays:
        raise ValueError("nothing to stack")
    if builtins.any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("arrays that are stacked have one shape")
    axis %= arrays[0].ndim + 1
    shape = (*arrays[0].shape[:axis], len(arrays), *arrays[0].shape[axis:])
    order = "F" if arrays[0].flags.f_contiguous and not arrays[0].flags.c_contiguous else "C"
    result = GPUArray(shape, np.result_type(*(a.dtype for a in arrays)), allocator=allocator, order=order)
    for k, array in enumerate(arrays):
        _copy_into(result[(slice(None),) * axis + (k,)], array)
    return result


def transpose(a, axes=None):
    return a.transpose(axes)


def reshape(a, *shape, **kwargs):
    return a.reshape(*shape, **kwargs)


def _choose(criterion, then_, else_, out, stream, test):
    dtype = np.result_type(*(v.dtype if isinstance(v, GPUArray) else v for v in (then_, else_)))
    then_, else_ = (v if isinstance(v, GPUArray) else dtype.type(v) for v in (then_, else_))
    if out is None:
        out = criterion._new_like_me(dtype)
    _kernels.element_kernel(
        "C c, T then_, T else_", "T z", f"z = c {test} ? then_ : else_", "gpuarray_choose"
    )(criterion, _cast(then_, dtype), _cast(else_, dtype), out, stream=stream)
    return out


def _cast(value, dtype):
    return value.astype(dtype) if isinstance(value, GPUArray) and value.dtype != dtype else value


def if_positive(criterion, then_, else_, out=None, stream=None):
    """then_ where criterion is above 0, else_ elsewhere."""
    if criterion.shape != getattr(then_, "shape", criterion.shape):
        raise ValueError("criterion, then_ and else_ have one shape")
    return _choose(criterion, then_, else_, out, stream, "> 0")


def where(criterion, then_, else_, out=None, stream=None):
    return _choose(criterion, then_, else_, out, stream, "!= 0")


def _of_two(name):
    def function(a, b, out=None, stream=None):
        if not isinstance(a, GPUArray) and not isinstance(b, GPUArray):
            return getattr(np, name)(a, b)
        return _binary(name, a, b, _common(a, b), out=out, stream=stream)

    function.__name__ = name
    return function


maximum = _of_two("maximum")
minimum = _of_two("minimum")


def _logical(name):
    def function(x1, x2, /, out=None, *, allocator=None):
        if not isinstance(x1, GPUArray) and not isinstance(x2, GPUArray):
            return getattr(np, name)(x1, x2)
        return _binary(name, x1, x2, _common(x1, x2), np.dtype(bool), out=out)

    function.__name__ = name
    return function


logical_and = _logical("logical_and")
logical_or = _logical("logical_or")


def logical_not(x, /, out=None, *, allocator=None):
    result = x._new_like_me(bool) if out is None else out
    _kernels.unary_kernel("logical_not", x.dtype)(x, result)
    return result


# ── reductions ────────────────────────────────────────────────────────────────────────────────


def _reduce(name, a, dtype, subset=None, other=None, stream=None):
    if name in ("max", "min") and (a if subset is None else subset).size == 0:
        raise ValueError(f"the {name} of no elements is not defined")
    a = a if a.flags.forc else a.copy()
    if other is not None and not other.flags.forc:
        other = other.copy()
    kernel = _kernels.reduction_kernel(
        name, a.dtype, np.dtype(dtype), subset is not None, 1 if other is None else 2
    )
    out = GPUArray((), dtype)
    arguments = [v for v in (subset, a, other) if v is not None]
    kernel(*arguments, out=out, stream=driver._stream(stream))
    return out


def sum(a, dtype=None, stream=None, allocator=None):
    """The sum of all elements as a 0-d array; the same bits on every device."""
    return _reduce("sum", a, np.dtype(dtype or a.dtype), stream=stream)


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    return _reduce("sum", a, np.dtype(dtype or a.dtype), subset, stream=stream)


def any(a, stream=None, allocator=None):
    return a.any(stream)


def all(a, stream=None, allocator=None):
    return a.all(stream)


def _same_dtype(a, b):
    common = np.result_type(a.dtype, b.dtype)
    return _cast(a, common), _cast(b, common), common


def dot(a, b, dtype=None, stream=None, allocator=None):
    a, b, common = _same_dtype(a, b)
    return _reduce("dot", a, np.dtype(dtype or common), other=b, stream=stream)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    a, b, common = _same_dtype(a, b)
    return _reduce("dot", a, np.dtype(dtype or common), subset, b, stream=stream)


def max(a, stream=None, allocator=None):
    return _reduce("max", a, a.dtype, stream=stream)


def min(a, stream=None, allocator=None):
    return _reduce("min", a, a.dtype, stream=stream)


def subset_max(subset, a, stream=None, allocator=None):
    return _reduce("max", a, a.dtype, subset, stream=stream)


def subset_min(subset, a, stream=None, allocator=None):
    return _reduce("min", a, a.dtype, subset, stream=stream)


