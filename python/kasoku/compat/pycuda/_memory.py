"""Memory of pycuda.driver: the device's, the host's that it copies directly, and the copies."""

import builtins

import numpy as np

import kasoku as ks
from kasoku import _core

from .._face.table import bound as _bound, Table as _Table, plain as _plain
from .._layout import order_of as _order_of, zeroed as _zeroed
from ._context import _device
from ._errors import LogicError
from ._flags import host_alloc_flags
from ._streams import _stream


class DeviceAllocation(_core._Memory):
    """Device memory; int() is its address. It is freed with the object, or by free()."""

    def __init__(self, bytes):
        super().__init__(int(bytes), _device())

    def __eq__(self, other):
        try:
            return int(self) == int(other)
        except builtins.TypeError:
            return NotImplemented

    __hash__ = _core._Memory.__hash__


ArgumentHandler = _core._HostArgument


class PointerHolderBase:
    """Base of objects that hold memory of their own: get_pointer() is its address."""

    def get_pointer(self):
        raise NotImplementedError

    __int__ = lambda self: int(self.get_pointer())

    __index__ = __int__


def mem_alloc(bytes):
    if bytes < 0:
        raise LogicError(f"memory of {bytes} bytes cannot be allocated")
    return DeviceAllocation(bytes)


_host = lambda buffer: buffer if not isinstance(buffer, np.generic) else np.asarray(buffer)


_copies = {
    "memcpy_htod": lambda dest, src, stream=None: _core._htod(dest, _host(src), _device(), _stream(stream)),
    "memcpy_dtoh": lambda dest, src, stream=None: _core._dtoh(dest, src, _device(), _stream(stream)),
    "memcpy_dtod": lambda dest, src, size, stream=None: _core._dtod(dest, src, int(size), _device(), _stream(stream)),
    "memcpy_peer": lambda dest, src, size, dest_context=None, src_context=None, stream=None: memcpy_dtod(
        dest, src, size, stream),
}  # fmt: skip
_copies = _plain(globals(), _copies, **{f"{name}_async": name for name in _copies})
memcpy_htod, memcpy_dtoh, memcpy_dtod = _copies.memcpy_htod, _copies.memcpy_dtoh, _copies.memcpy_dtod


def _memset(size):
    def memset(dest, data, count, stream=None):
        _core._fill(dest, int(data) % (1 << 8 * size), size, int(count), _device(), _stream(stream))

    def memset_rows(dest, pitch, data, width, height, stream=None):
        for row in range(int(height)):
            memset(int(dest) + row * int(pitch), data, width, stream)

    of, said = f"elements of {size} bytes", "Fills `height` rows of `width` {}, `pitch` bytes apart, with `data`."
    return {f"memset_d{8 * size}": (memset, f"Fills `count` {of} with `data`."),
            f"memset_d2d{8 * size}": (memset_rows, said.format(of))}  # fmt: skip


def to_device(bf_obj):
    """A new allocation with a copy of the host array."""
    host = np.asarray(bf_obj)
    allocation = mem_alloc(host.nbytes)
    memcpy_htod(allocation, host if host.flags.forc else np.ascontiguousarray(host))
    return allocation


def _read(host, devptr):
    memcpy_dtoh(host, devptr)
    return host


class PagelockedHostAllocation:
    """The memory of a host array: the device reads and writes it where it is."""

    def __init__(self, array):
        self._array, self.__array_interface__ = array, array.__array_interface__

    def get_device_pointer(self):
        """Its address, which host and device share."""
        return self._array.ctypes.data


class RegisteredHostMemory(PagelockedHostAllocation):
    """A program's own array, which a kernel on a CPU reads and writes where it is."""

    def get_device_pointer(self):
        """Its address; on a GPU, which does not reach memory of the program's own, it is refused."""
        if _device().kind != "cpu":
            raise ks.errors.UnsupportedError(
                "register_host_memory: a GPU does not reach an array of the program's own\n"
                "  fix  pagelocked_empty(shape, dtype, mem_flags=host_alloc_flags.DEVICEMAP)"
            )
        return super().get_device_pointer()

    def unregister(self):
        """The array stays the program's own."""


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """A host array in memory that the device copies directly."""
    shape = (shape,) if np.isscalar(shape) else tuple(shape)
    flat = _core._pinned(int(np.prod(shape, dtype=np.int64)), np.dtype(dtype), _device())
    array = flat.reshape(shape, order=order)
    return np.asarray(PagelockedHostAllocation(array)) if mem_flags & host_alloc_flags.DEVICEMAP else array


def _managed(*args, make, mem_flags=None, **kwargs):
    if _device().kind != "cpu":
        raise ks.errors.UnsupportedError("managed memory is not supported on a GPU")
    return make(*args, **kwargs)


_functions = _Table()
for _size in (1, 2, 4):
    _functions.rows("plain", _memset(_size))
_functions.alias(**{name + "_async": name for name in _functions})
_functions.rows("plain", {
    "mem_alloc_pitch": lambda width, height, access_size: (lambda pitch: (DeviceAllocation(pitch * int(height)), pitch))(
        -(-int(width) // 512) * 512),
    "mem_get_info": lambda: tuple(_device().memory[name] for name in ("free", "total")),
    "from_device": (lambda devptr, shape, dtype, order="C": _read(np.empty(shape, dtype, order), devptr),
        "A new host array with a copy of device memory."),
    "from_device_like": (lambda devptr, other_ary: _read(np.empty_like(other_ary), devptr),
        "A new host array like another with a copy of device memory."),
    "mem_alloc_like": lambda ary: mem_alloc(ary.nbytes),
    "pagelocked_zeros": lambda shape, dtype, order="C", mem_flags=0: _zeroed(
        pagelocked_empty(shape, dtype, order, mem_flags)),
    "pagelocked_empty_like": lambda array, mem_flags=0: pagelocked_empty(
        array.shape, array.dtype, _order_of(array), mem_flags),
    "pagelocked_zeros_like": lambda array, mem_flags=0: _zeroed(_functions.pagelocked_empty_like(array, mem_flags)),
    "aligned_empty": lambda shape, dtype, order="C", alignment=4096: pagelocked_empty(shape, dtype, order),
    "aligned_zeros": lambda shape, dtype, order="C", alignment=4096: _zeroed(pagelocked_empty(shape, dtype, order)),
    "aligned_empty_like": lambda array, alignment=4096: _functions.pagelocked_empty_like(array),
    "aligned_zeros_like": lambda array, alignment=4096: _functions.pagelocked_zeros_like(array),
    "register_host_memory": (lambda ary, flags=0: np.asarray(RegisteredHostMemory(ary)),
        "The array, whose `base` tells its address on the device."),
    "In": (lambda array: ArgumentHandler(_host(array), True, False),
        "A host array that is copied to the device before the launch."),
    "Out": (lambda array: ArgumentHandler(array, False, True),
        "A host array that gets the device's result after the launch."),
    "InOut": (lambda array: ArgumentHandler(array, True, True),
        "A host array that is copied to the device before, and back after the launch."),
})  # fmt: skip
for _name in ("empty", "zeros", "empty_like", "zeros_like"):
    _functions[f"managed_{_name}"] = _bound(_managed, make=_functions.get(f"pagelocked_{_name}", pagelocked_empty))
globals().update(_functions)
