"""pycuda.tools' memory pools: freed blocks are kept for requests of about their size."""

import weakref

import numpy as np

from ._memory import mem_alloc, pagelocked_empty

_bits = 4  # of a size that tell its bin, below the leading one


def bitlog2(n):
    """The place of the highest bit that is set."""
    return max(int(n).bit_length() - 1, 0)


class _Pool:
    """Sizes with the same leading bits share a bin; a block is as large as its bin's largest size."""

    def __init__(self):
        self._free, self._is_holding = {}, True
        self.active_blocks = self.held_blocks = 0
        self.active_bytes = self.managed_bytes = 0

    @staticmethod
    def bin_number(size):
        exponent = bitlog2(size)
        shift = exponent - _bits
        leading = size >> shift if shift >= 0 else size << -shift
        return exponent << _bits | leading & ((1 << _bits) - 1)

    @staticmethod
    def alloc_size(bin_nr):
        shift = (bin_nr >> _bits) - _bits
        leading = 1 << _bits | bin_nr & ((1 << _bits) - 1)
        return ((leading + 1) << shift) - 1 if shift >= 0 else leading >> -shift

    def _take(self, size):
        bin_nr = self.bin_number(size)
        waiting = self._free.get(bin_nr)
        if waiting:
            block = waiting.pop()
            self.held_blocks -= 1
        else:
            block = self._make(self.alloc_size(bin_nr))
            self.managed_bytes += self.alloc_size(bin_nr)
        self.active_blocks += 1
        self.active_bytes += size
        return block, bin_nr

    def _give_back(self, block, bin_nr, size):
        self.active_blocks -= 1
        self.active_bytes -= size
        if self._is_holding:
            self._free.setdefault(bin_nr, []).append(block)
            self.held_blocks += 1
        else:
            self.managed_bytes -= self.alloc_size(bin_nr)

    def free_held(self):
        self.managed_bytes -= sum(len(blocks) * self.alloc_size(nr) for nr, blocks in self._free.items())
        self._free.clear()
        self.held_blocks = 0

    def stop_holding(self):
        """Blocks that are freed from now on, and those kept, go back to the device."""
        self._is_holding = False
        self.free_held()


class PooledDeviceAllocation:
    """A block of a pool: int() is its address; free() or its end gives it back."""

    def __init__(self, pool, size):
        self._block, bin_nr = pool._take(size)
        self.size = size
        self._back = weakref.finalize(self, pool._give_back, self._block, bin_nr, size)

    def free(self):
        self._back()
        self._block = None

    def __int__(self):
        if self._block is None:
            raise ValueError("the memory was given back to its pool")
        return int(self._block)

    __index__ = __int__
    __len__ = lambda self: self.size
    __add__ = lambda self, offset: int(self) + int(offset)
    __eq__ = lambda self, other: int(self) == int(other)
    __hash__ = object.__hash__


class DeviceMemoryPool(_Pool):
    """Device memory that is used again; `pool.allocate` is an allocator for GPUArray."""

    _make = staticmethod(mem_alloc)
    allocate = __call__ = lambda self, size: PooledDeviceAllocation(self, int(size))


class DeviceAllocator:
    """Allocates without a pool."""

    allocate = __call__ = staticmethod(mem_alloc)


class _Block(np.ndarray):
    """A NumPy array whose end can be waited for."""


class PageLockedMemoryPool(_Pool):
    """Host arrays in page-locked memory that is used again."""

    def __init__(self, allocator=None):
        super().__init__()

    _make = lambda self, size: pagelocked_empty(size, np.uint8)

    def allocate(self, shape, dtype, order="C"):
        dtype = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        block, bin_nr = self._take(size)
        memory = block[:size].view(_Block)
        weakref.finalize(memory, self._give_back, block, bin_nr, size)
        return memory.view(dtype).reshape(shape, order=order)

    __call__ = allocate


class PageLockedAllocator:
    def __init__(self, flags=0):
        self.flags = flags

    allocate = __call__ = staticmethod(pagelocked_empty)
