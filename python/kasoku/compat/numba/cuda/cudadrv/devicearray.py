"""numba.cuda.cudadrv.devicearray: the class of device arrays."""

from .....cuda._arrays import DeviceNDArray, MappedNDArray, device_array_like, is_cuda_array, to_device  # noqa: F401

DeviceNDArrayBase = DeviceNDArray
from_array_like = device_array_like
is_cuda_ndarray = is_cuda_array


def auto_device(obj, stream=0, copy=True, user_explicit=False):
    """(a device array, whether it is a new one)."""
    if is_cuda_array(obj):
        return obj, False
    return (to_device(obj, stream=stream) if copy else device_array_like(obj)), True


def verify_cuda_ndarray_interface(obj):
    """An error unless it lies on a device."""
    if not is_cuda_array(obj):
        raise TypeError("require an cuda_ndarray object")
