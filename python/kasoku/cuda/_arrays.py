"""Numba's device arrays: a thin layer on ks.Array."""

import contextlib
import ctypes

import numpy as np

from .. import _core, _signature, errors
from ._driver import external_stream, is_available


class DeviceNDArray:
    """An array on the default device; `copy_to_host()` brings it back. `stream`: the one it was made for, or 0."""

    def __init__(self, shape, strides=None, dtype=None, stream=0, gpu_data=None):
        if not isinstance(shape, _core.Array):  # of memory that is there, or new
            shape = bare(
                _of_memory(shape, strides, dtype, gpu_data) if gpu_data is not None else device_array(shape, dtype)
            )
        self.__kasoku_array__, self.stream = shape, stream

    def _of(self, array):
        """Another array of the same stream."""
        return DeviceNDArray(array, stream=self.stream)

    @property
    def shape(self):
        return tuple(self.__kasoku_array__.shape)

    @shape.setter
    def shape(self, shape):
        self.__kasoku_array__ = self.__kasoku_array__.reshape(shape)

    @property
    def strides(self):
        return tuple(self.__kasoku_array__.strides)

    @property
    def dtype(self):
        return np.dtype(self.__kasoku_array__.dtype)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    alloc_size = nbytes

    @property
    def flags(self):
        return {"C_CONTIGUOUS": self.is_c_contiguous(), "F_CONTIGUOUS": self.is_f_contiguous()}

    @property
    def T(self):
        return self._of(self.__kasoku_array__.T)

    @property
    def gpu_data(self):
        return self

    @property
    def device_ctypes_pointer(self):
        return ctypes.c_void_p(self.__kasoku_array__.ptr)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "strides": None if self.is_c_contiguous() else self.strides,
            "typestr": self.dtype.str,
            "data": (self.__kasoku_array__.ptr if self.size else 0, False),
            "version": 3,
            "stream": int(self.stream) or _core._current_stream(self.__kasoku_array__.device).handle or None,
        }

    def transpose(self, axes=None):
        return self._of(self.__kasoku_array__.transpose(*(axes or ())))

    def get_ipc_handle(self):
        raise OSError("memory is not shared with other processes by handles\n  fix  send copy_to_host()")

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def copy_to_host(self, ary=None, stream=0):
        """The values as a NumPy array, or in `ary`."""
        with _on(stream):
            values = self.__kasoku_array__.numpy()
        if ary is None:
            return np.asfortranarray(values) if self.is_f_contiguous() and not self.is_c_contiguous() else values
        if ary.shape != self.shape and ary.size != self.size:
            raise TypeError(f"incompatible shape: {ary.shape} vs. {self.shape}")
        if ary.dtype != self.dtype:
            raise TypeError(f"incompatible dtype: {ary.dtype} vs. {self.dtype}")
        np.copyto(ary, values.reshape(ary.shape))
        return ary

    def copy_to_device(self, ary, stream=0):
        """Takes the values of another array of the same shape."""
        source = bare(ary) if is_cuda_array(ary) else np.asarray(ary, self.dtype)
        if tuple(source.shape) != self.shape:
            raise ValueError(f"incompatible shape: {tuple(source.shape)} vs. {self.shape}")
        with _on(stream):
            self.__kasoku_array__[...] = source

    def __getitem__(self, index):
        part = self.__kasoku_array__[index]
        return part.item() if part.ndim == 0 else self._of(part)

    def getitem(self, index, stream=0):
        with _on(stream):
            return self[index]

    def __setitem__(self, index, value):
        self.__kasoku_array__[index] = bare(value) if is_cuda_array(value) else value

    def setitem(self, index, value, stream=0):
        with _on(stream):
            self[index] = value

    def reshape(self, *shape, order="C"):
        array = self.__kasoku_array__
        if order == "C":
            return self._of(array.reshape(*shape))
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        return self._of(array.T.reshape(tuple(reversed(shape))).T)

    def ravel(self, order="C", stream=0):
        by_columns = order == "F" or (order in "AK" and self.is_f_contiguous() and not self.is_c_contiguous())
        return self._of((self.__kasoku_array__.T if by_columns else self.__kasoku_array__).ravel())

    def squeeze(self, axis=None, stream=0):
        return self._of(self.__kasoku_array__.squeeze(axis) if axis is not None else self.__kasoku_array__.squeeze())

    def view(self, dtype):
        dtype = np.dtype(dtype)
        if dtype.itemsize == self.dtype.itemsize or self.is_c_contiguous():
            return to_device(self.copy_to_host().view(dtype))
        raise ValueError("To change to a dtype of a different size, the array must be C-contiguous")

    def split(self, section, stream=0):
        """Parts of `section` elements."""
        if self.ndim != 1:
            raise ValueError("only support 1d array")
        return [self[i : i + section] for i in range(0, self.size, section)]

    def bind(self, stream=0):
        """The array over the same memory, bound to a stream."""
        return type(self)(self.__kasoku_array__, stream=stream)

    def is_c_contiguous(self):
        return is_contiguous(self.__kasoku_array__)

    def is_f_contiguous(self):
        return is_contiguous(self.__kasoku_array__.T)

    def __array__(self, dtype=None, copy=None):
        values = self.copy_to_host()
        return values if dtype is None else values.astype(dtype)

    @property
    def _numba_type_(self):
        return _signature.of_value(self)

    def __repr__(self):
        return f"<device array {self.shape} {self.dtype}>"


def _bytes_of(records):
    """An array of records as one of bytes, with an axis more."""
    flat = np.ascontiguousarray(records).reshape(records.shape)
    return np.frombuffer(flat.tobytes(), np.uint8).reshape(*records.shape, records.dtype.itemsize)


class DeviceRecords(DeviceNDArray):
    """An array of records on the default device: its bytes, with an axis more. A shape of () is a record."""

    def __init__(self, array, dtype, stream=0):
        super().__init__(array, stream=stream)
        self._dtype = dtype

    shape = property(lambda self: tuple(self.__kasoku_array__.shape[:-1]))
    strides = property(lambda self: tuple(self.__kasoku_array__.strides[:-1]))
    dtype = property(lambda self: self._dtype)

    def _of(self, array):
        return DeviceRecords(array, self._dtype, self.stream)

    def bind(self, stream=0):
        return DeviceRecords(self.__kasoku_array__, self._dtype, stream)

    @property
    def host_view(self):
        """A NumPy array over the same memory, where a CPU's kernels find it."""
        array = self.__kasoku_array__
        memory = (ctypes.c_char * array.nbytes).from_address(array.ptr) if array.nbytes else b""
        values = np.frombuffer(memory, self._dtype).reshape(self.shape)
        return values if self.shape else values[()]

    @property
    def _numba_type_(self):
        return _signature.of_value(self) if self.shape else _signature.Record(self._dtype)

    def copy_to_host(self, ary=None, stream=0):
        with _on(stream):
            values = np.frombuffer(self.__kasoku_array__.numpy().tobytes(), self._dtype).reshape(self.shape)
        if ary is None:
            return values.copy() if self.shape else values[()]
        ary[...] = values
        return ary

    def copy_to_device(self, ary, stream=0):
        with _on(stream):
            self.__kasoku_array__[...] = ary.__kasoku_array__ if isinstance(ary, DeviceRecords) else _bytes_of(
                np.broadcast_to(np.asarray(ary, self._dtype), self.shape))  # fmt: skip

    def __getitem__(self, index):
        if not isinstance(index, str):
            return self._of(self.__kasoku_array__[index])
        of, at = self._dtype.fields[index][:2]
        part = self.__kasoku_array__[..., at : at + of.itemsize]
        if of.fields:
            return DeviceRecords(part, of, self.stream)
        if of.base.kind not in "biufc":  # text has no dtype on a device
            values = np.frombuffer(part.numpy().tobytes(), of.base).reshape(self.shape + of.shape)
            return values if values.ndim else values.item()
        try:
            part = part.view(of.base)
        except errors.ValueError:  # where its bytes lie, a number may not
            part = part.copy().view(of.base)
        part = part.reshape(self.shape + of.shape)
        return part.item() if part.ndim == 0 else DeviceNDArray(part, stream=self.stream)

    def __setitem__(self, index, value):
        if isinstance(index, str):
            of, at = self._dtype.fields[index][:2]
            value = np.broadcast_to(np.asarray(value, of.base), self.shape + of.shape)
            value = np.ascontiguousarray(value).reshape(*self.shape, -1).view(np.uint8)
            self.__kasoku_array__[..., at : at + of.itemsize] = value.reshape(*self.shape, of.itemsize)
        else:
            self[index].copy_to_device(value)

    def reshape(self, *shape, order="C"):
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        return self._of(self.__kasoku_array__.reshape(*shape, self._dtype.itemsize))

    def ravel(self, order="C", stream=0):
        return self.reshape(self.size)

    def is_c_contiguous(self):
        return is_contiguous(self.__kasoku_array__)

    def is_f_contiguous(self):
        return self.ndim < 2 and self.is_c_contiguous()


def is_contiguous(array):
    """Whether a ks.Array lies in C order without gaps."""
    step = array.itemsize
    for length, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if length > 1 and stride != step:
            return False
        step *= max(length, 1)
    return True


def bare(array):
    """The ks.Array of a device array."""
    while not isinstance(array, _core.Array) and hasattr(array, "__kasoku_array__"):
        array = array.__kasoku_array__
    return array


def _on(stream):
    return stream if hasattr(stream, "__enter__") else contextlib.nullcontext()


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of a host array on the default device, in its order of axes."""
    if isinstance(obj, DeviceNDArray):
        return obj
    host = np.asanyarray(obj)
    if host.dtype.fields and to is None:
        return DeviceRecords(_core.array(_bytes_of(host)), dtype=host.dtype, stream=stream)
    host = np.asarray(host)
    with _on(stream):
        if host.ndim > 1 and host.flags.f_contiguous and not host.flags.c_contiguous:
            made = DeviceNDArray(_core.array(np.ascontiguousarray(host.T)).T, stream=stream)
        else:
            made = DeviceNDArray(_core.array(np.ascontiguousarray(host) if host.ndim else host), stream=stream)
    if to is not None:
        to.copy_to_device(made)
        return to
    return made


def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """A new array on the default device; its contents are not defined."""
    shape = tuple(map(int, shape)) if isinstance(shape, (tuple, list)) else (int(shape),)
    dtype = dtype.dtype if isinstance(dtype, _signature.Record) else getattr(dtype, "__kasoku_dtype__", dtype)
    dtype = np.dtype(dtype)
    if dtype.fields:
        return DeviceRecords(_core.empty((*shape, dtype.itemsize), dtype="uint8"), dtype=dtype, stream=stream)
    if order == "F":
        return DeviceNDArray(_core.empty(shape[::-1], dtype=dtype).T, stream=stream)
    return DeviceNDArray(_core.empty(shape, dtype=dtype), stream=stream)


def _order(ary):
    flags = ary.flags
    return "F" if flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"] else "C"


def device_array_like(ary, stream=0):
    """A new array of another one's shape, dtype and order of axes; its contents are not defined."""
    return device_array(ary.shape, ary.dtype, order=_order(ary))


def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """An array of the host: copies find their own pinned memory."""
    return np.empty(shape, dtype, order)


def pinned_array_like(ary):
    """An array of the host of another one's shape, dtype and order of axes."""
    return np.empty(ary.shape, ary.dtype, _order(ary))


@contextlib.contextmanager
def pinned(*arrays):
    """A region in which arrays are pinned: copies find their own pinned memory anyway."""
    yield


class MappedNDArray(np.ndarray):
    """Memory of the host that kernels take as it is: a launch copies it there and back on a GPU."""

    stream = 0

    def __array_finalize__(self, of):
        self.stream = getattr(of, "stream", 0)

    @property
    def __cuda_array_interface__(self):
        if is_available():
            raise AttributeError("memory of the host has no address on a GPU\n  fix  cuda.to_device(x)")
        face = dict(self.__array_interface__, version=3, stream=int(self.stream) or None)
        del face["descr"]
        return face

    def copy_to_host(self, ary=None, stream=0):
        if ary is None:
            return np.array(self)
        np.copyto(ary, self)
        return ary

    def copy_to_device(self, ary, stream=0):
        np.copyto(self, np.asarray(ary))

    def split(self, section, stream=0):
        return [self[i : i + section] for i in range(0, self.size, section)]


def mapped_array(shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False, wc=False):
    """An array that host code and kernels see."""
    made = np.empty(shape, dtype, order).view(MappedNDArray)
    made.stream = stream
    return made


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """An array that host code and kernels see, of another one's shape, dtype and order of axes."""
    return mapped_array(ary.shape, ary.dtype, order=_order(ary), stream=stream)


@contextlib.contextmanager
def mapped(*arrays, **options):
    """A region in which kernels take these arrays of the host as they are; it gives what they are called there."""
    views = [a.view(MappedNDArray) for a in arrays]
    yield views[0] if len(views) == 1 else views


def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """An array that host code and kernels see."""
    return mapped_array(shape, dtype, order=order, stream=stream)


def is_cuda_array(obj):
    """Whether it lies on a device."""
    return isinstance(obj, (DeviceNDArray, _core.Array)) or hasattr(obj, "__cuda_array_interface__")


class _Shown:
    """An object that has an interface and nothing else; `owner` is kept with it."""

    def __init__(self, face, owner=None):
        self.__cuda_array_interface__, self._owner = face, owner


def as_cuda_array(obj, sync=True):
    """An array over the same memory with Numba's methods."""
    if isinstance(obj, DeviceNDArray):
        return obj
    if not is_cuda_array(obj):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    if isinstance(obj, _core.Array) or hasattr(obj, "__kasoku_array__"):
        return DeviceNDArray(bare(obj))
    return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync)


def from_cuda_array_interface(desc, owner=None, sync=True):
    """The memory that an interface shows, a dict, under Numba's methods."""
    if desc.get("mask") is not None:
        raise NotImplementedError(
            "an array with a mask is none of kernels\n  fix  pass the mask as an array of its own"
        )
    stream = desc.get("stream")
    stream = external_stream(stream) if desc.get("version", 0) >= 3 and stream else 0
    if stream and sync:
        stream.synchronize()
    return DeviceNDArray(_core._array_of_interface(_Shown(desc, owner)), stream=stream)


def _of_memory(shape, strides, dtype, memory):
    """An array in the memory of another, which is kept."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    strides = (strides,) if isinstance(strides, int) else strides
    at = memory.device_ctypes_pointer.value or 0
    face = {"shape": shape, "strides": strides, "typestr": np.dtype(dtype).str, "data": (at, False), "version": 2}
    return from_cuda_array_interface(face, memory)


class _Copied:
    """An argument of a launch that is copied there (In), back (Out), or both."""

    _copies = True
    _there, _back = True, True

    def __init__(self, value):
        self.value = value

    def to(self, back):
        if is_cuda_array(self.value):
            return self.value
        made = to_device(self.value) if self._there else device_array_like(self.value)
        if self._back:
            back.append((self.value, made))
        return made


class In(_Copied):
    _back = False


class Out(_Copied):
    _there = False


class InOut(_Copied):
    pass
