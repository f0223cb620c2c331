"""cupy.cuda.memory: memory by address, and the pool. All memory comes from the engine's pool."""

import collections
import contextlib
import ctypes
import os
import weakref

import numpy as np

import kasoku as ks
from kasoku import _core

from ... import says_what_is_missing
from ..._face.table import methods as _methods
from ..._layout import Place as _Addressed
from ._device import Device, Scopes as _Scopes, current


OutOfMemoryError = ks.errors.MemoryError


class BaseMemory(_Addressed):
    """Memory on the device: ptr, size, device_id."""

    ptr, size = 0, 0

    device = property(lambda self: Device(self.device_id))
    device_id = property(lambda self: getattr(self, "_device_id", 0))


class Memory(BaseMemory):
    """A new allocation of so many bytes."""

    def __init__(self, size):
        self.size, self._device_id = int(size), Device().id
        self._memory = _core._Memory(max(self.size, 1), current())
        self.ptr = int(self._memory) if self.size else 0


class UnownedMemory(BaseMemory):
    """Memory that somebody else keeps."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = int(ptr), int(size), owner
        self._device_id = Device().id if device_id < 0 else device_id


class ArrayMemory(BaseMemory):
    """The memory that an array shows."""

    def __init__(self, array):
        self._array, self.ptr = array, array.ptr
        self.size = array.nbytes


class _Place(_Addressed):
    """A place in memory: mem, and an offset in bytes."""

    __add__ = __radd__ = __iadd__ = lambda self, offset: type(self)(self.mem, self.offset + int(offset))
    __sub__ = __isub__ = lambda self, offset: self + -int(offset)


class MemoryPointer(_Place):
    """A place in memory: mem, and an offset in bytes."""

    def __init__(self, mem, offset):
        self.mem, self.offset = mem, int(offset)
        self.ptr = int(mem.ptr) + self.offset

    device = property(lambda self: self.mem.device)
    device_id = property(lambda self: self.mem.device_id)

    __repr__ = lambda self: f"<MemoryPointer 0x{self.ptr:x} device={self.device_id} mem={self.mem!r}>"

    def copy_from_device(self, src, size, stream=None):
        if size:
            _core._dtod(self.ptr, int(src), int(size), current(), None)

    def _host(self, mem, size):
        if isinstance(mem, np.ndarray):
            return mem.reshape(-1).view(np.uint8)[:size]
        address = mem.value if isinstance(mem, ctypes.c_void_p) else int(getattr(mem, "ptr", mem))
        return np.frombuffer((ctypes.c_char * size).from_address(address), np.uint8)

    def copy_from_host(self, mem, size, stream=None):
        if size:
            _core._htod(self.ptr, self._host(mem, size), current(), None)

    def copy_from(self, mem, size, stream=None):
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)

    def copy_to_host(self, mem, size, stream=None):
        if size:
            _core._dtoh(self._host(mem, size), self.ptr, current(), None)

    def memset(self, value, size, stream=None):
        if size:
            _core._fill(self.ptr, int(value) % 256, 1, int(size), current(), None)

    copy_from_device_async, copy_from_host_async, copy_from_async = copy_from_device, copy_from_host, copy_from
    copy_to_host_async, memset_async = copy_to_host, memset  # all are done when they return


class PythonFunctionAllocator:
    def __init__(self, malloc_func, free_func):
        raise ks.errors.UnsupportedError("cupy.cuda.PythonFunctionAllocator: the engine's pool allocates")


CFunctionAllocator = PythonFunctionAllocator


def malloc_managed(size):
    if current().kind != "cpu":
        raise ks.errors.UnsupportedError("managed memory is not supported on a GPU")
    return _pool.malloc(size)


@says_what_is_missing("cupy.cuda.MemoryPool")
class MemoryPool:
    """The engine's pool under CuPy's name: every MemoryPool is the same one."""

    _lazy = None  # whether statements waited before a limit had them run at their place

    def __init__(self, allocator=None):
        limit = _parse_limit_string()
        if any(limit.values()):
            self.set_limit(**limit)

    def free_all_blocks(self, stream=None):
        current().trim()

    free_all_free = free_all_blocks

    def used_bytes(self):
        ks.synchronize(current())  # arrays that wait for their values have no memory yet
        return current().memory["used"]

    def set_limit(self, size=None, fraction=None):
        """Allocations that would have the pool of the current device hold more bytes raise an OutOfMemoryError; 0 lifts it.

        fraction is a share of the device's memory. While there is a limit, statements run at their place, so that
        the error comes where the memory is asked for."""
        if size is not None and fraction is not None:
            raise ValueError("set_limit takes a size or a fraction, not both")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"the fraction {fraction} of memory is not between 0 and 1")
            size = int(fraction * current().memory["total"])
        size = int(size or 0)
        if size < 0:
            raise ValueError(f"a limit of {size} bytes")
        current().limit_memory(size)
        if size and MemoryPool._lazy is None:
            MemoryPool._lazy = not ks.eager().before
        elif MemoryPool._lazy is not None and not any(device.memory["limit"] for device in ks.devices()):
            ks.eager(not MemoryPool._lazy)
            MemoryPool._lazy = None


_methods(MemoryPool, {
    "malloc": lambda self, size: MemoryPointer(Memory(size), 0),
    "free_bytes": lambda self: current().memory["cached"],
    "total_bytes": lambda self: self.used_bytes() + self.free_bytes(),
    "n_free_blocks": lambda self: int(self.free_bytes() > 0),
    "get_limit": lambda self: current().memory["limit"],
})  # fmt: skip


def _parse_limit_string(limit=None):
    """What the variable CUPY_GPU_MEMORY_LIMIT says: bytes, or a share as `50%`."""
    limit = (os.environ.get("CUPY_GPU_MEMORY_LIMIT", "") if limit is None else limit).strip()
    if limit.endswith("%"):
        return {"size": None, "fraction": float(limit[:-1]) / 100}
    return {"size": int(limit or 0), "fraction": None}


class MemoryAsyncPool(MemoryPool):
    def __init__(self, pool_handles="current"):
        super().__init__()


_pool, _scopes = MemoryPool(), _Scopes()
_allocator = _pool.malloc


def get_allocator():
    return _scopes.stack[-1] if _scopes.stack else _allocator


def set_allocator(allocator=None):
    """Used by cupy.cuda.alloc(); arrays come from the engine's pool."""
    global _allocator
    if _scopes.stack:
        raise ValueError("Can't change the global allocator inside `using_allocator` context manager.")
    _allocator = allocator or _pool.malloc


@contextlib.contextmanager
def using_allocator(allocator=None):
    _scopes.stack.append(allocator or _pool.malloc)
    try:
        yield
    finally:
        _scopes.stack.pop()


def alloc(size):
    return get_allocator()(size)


# ── page-locked memory ────────────────────────────────────────────────────────────────────────


class _PageLocked(np.ndarray):
    """An array of its own type, so that what shows a part of it says so by its `base`."""


class PinnedMemory(BaseMemory):
    """Host memory that the device copies directly."""

    def __init__(self, size, flags=0):
        self.size = int(size)
        self._array = _core._pinned(max(self.size, 1), np.dtype(np.uint8), current()).view(_PageLocked)
        self.ptr = self._array.ctypes.data


class PinnedMemoryPointer(_Place, np.ndarray):
    """A place in page-locked memory; an array of bytes, so that np.frombuffer takes it."""

    def __new__(cls, mem, offset):
        # Arrays over it hold it, and it the memory that it was made of; of memory that is somebody's it has the address.
        array = getattr(mem, "_array", None)
        memory = (ctypes.c_char * mem.size).from_address(mem.ptr) if array is None else array
        self = np.ndarray.__new__(cls, (mem.size - offset,), np.uint8, memory, offset)
        self.mem, self.offset, self.ptr = mem, offset, mem.ptr + offset
        return self

    def __repr__(self):
        return f"<PinnedMemoryPointer at {self.ptr:#x}>"

    __str__ = __repr__  # NumPy's asks for `size`

    def size(self):
        return self.mem.size - self.offset


class PooledPinnedMemory(PinnedMemory):
    """Memory of a pool, which has it again with free() or when nobody holds it."""

    def __init__(self, pointer, blocks):
        self.ptr, self.size, held = pointer.ptr, pointer.mem.size, self
        if hasattr(pointer.mem, "_array"):
            self._array = held = pointer.mem._array[:]  # what arrays over the memory hold
        self.free = weakref.finalize(held, blocks.append, pointer.mem)
        self.free.atexit = False


class PinnedMemoryPool:
    """Page-locked memory in blocks that are used again, from the engine or from `allocator`."""

    def __init__(self, allocator=None):
        self._allocator, self._blocks = allocator or alloc_pinned_memory, collections.defaultdict(list)

    def malloc(self, size):
        if not size:
            return self._allocator(0)
        size = -(-size // 512) * 512
        blocks = self._blocks[size]
        pointer = PinnedMemoryPointer(blocks.pop(), 0) if blocks else self._allocator(size)
        return PinnedMemoryPointer(PooledPinnedMemory(pointer, blocks), 0)


_methods(PinnedMemoryPool, {
    "free_all_blocks": lambda self: self._blocks.clear(),
    "n_free_blocks": lambda self: sum(map(len, self._blocks.values())),
})  # fmt: skip


def alloc_pinned_memory(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def set_pinned_memory_allocator(allocator=None):
    """Accepted: page-locked memory comes from the engine."""
