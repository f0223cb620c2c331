"""Numba's device arrays: a thin layer on ks.Array."""

import contextlib

import numpy as np

from .. import _core


class DeviceNDArray:
    """An array on the default device; `copy_to_host()` brings it back."""

    def __init__(self, array):
        self.__kasoku_array__ = array

    @property
    def shape(self):
        return tuple(self.__kasoku_array__.shape)

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
    def T(self):
        return DeviceNDArray(self.__kasoku_array__.T)

    def __len__(self):
        return self.shape[0]

    def copy_to_host(self, ary=None, stream=0):
        values = self.__kasoku_array__.numpy()
        if ary is None:
            return values
        np.copyto(ary, values)
        return ary

    def copy_to_device(self, ary, stream=0):
        source = ary.__kasoku_array__ if isinstance(ary, DeviceNDArray) else np.asarray(ary, self.dtype)
        self.__kasoku_array__[...] = source

    def __getitem__(self, index):
        part = self.__kasoku_array__[index]
        return part.item() if part.ndim == 0 else DeviceNDArray(part)

    def __setitem__(self, index, value):
        self.__kasoku_array__[index] = getattr(value, "__kasoku_array__", value)

    def reshape(self, *shape, order="C"):
        return DeviceNDArray(self.__kasoku_array__.reshape(*shape))

    def ravel(self, order="C", stream=0):
        return DeviceNDArray(self.__kasoku_array__.ravel())

    def split(self, section, stream=0):
        return [self[i : i + section] for i in range(0, self.size, section)]

    def is_c_contiguous(self):
        return True

    def __array__(self, dtype=None, copy=None):
        values = self.copy_to_host()
        return values if dtype is None else values.astype(dtype)

    def __repr__(self):
        return f"<device array {self.shape} {self.dtype}>"


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of a host array on the default device."""
    if isinstance(obj, DeviceNDArray):
        return obj
    return DeviceNDArray(_core.array(np.asarray(obj)))


def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """A new array on the default device; its contents are not defined."""
    return DeviceNDArray(_core.empty(shape if isinstance(shape, tuple) else (int(shape),), dtype=np.dtype(dtype)))


def device_array_like(ary, stream=0):
    return device_array(ary.shape, ary.dtype)


def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    return np.empty(shape, dtype)


def pinned_array_like(ary):
    return np.empty_like(ary)


@contextlib.contextmanager
def pinned(*arrays):
    yield


def mapped_array(shape, dtype=np.float64, **_):
    return device_array(shape, dtype)


managed_array = mapped_array


def is_cuda_array(obj):
    return isinstance(obj, DeviceNDArray) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj, sync=True):
    return obj if isinstance(obj, DeviceNDArray) else DeviceNDArray(_core.asarray(obj))
