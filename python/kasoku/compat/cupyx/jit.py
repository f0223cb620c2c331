"""cupyx.jit: kernels written in Python, by the compiler of kasoku.cuda.jit."""

from kasoku import cuda as _cuda

threadIdx, blockIdx, blockDim, gridDim = _cuda.threadIdx, _cuda.blockIdx, _cuda.blockDim, _cuda.gridDim
grid, gridsize = _cuda.grid, _cuda.gridsize
syncthreads, syncwarp, threadfence = _cuda.syncthreads, _cuda.syncwarp, _cuda.threadfence
atomic_add, atomic_sub = _cuda.atomic.add, _cuda.atomic.sub
atomic_max, atomic_min, atomic_exch = _cuda.atomic.max, _cuda.atomic.min, _cuda.atomic.exch
atomic_inc, atomic_dec, atomic_cas = _cuda.atomic.inc, _cuda.atomic.dec, _cuda.atomic.cas
atomic_and, atomic_or, atomic_xor = _cuda.atomic.and_, _cuda.atomic.or_, _cuda.atomic.xor
shfl_sync, shfl_up_sync = _cuda.shfl_sync, _cuda.shfl_up_sync
shfl_down_sync, shfl_xor_sync = _cuda.shfl_down_sync, _cuda.shfl_xor_sync
warpsize = _cuda.warpsize
range = range  # unrolling is the compiler's


def laneid():
    """In a kernel: the thread's place in its warp."""
    return _cuda.laneid


def shared_memory(dtype, size):
    """In a kernel: an array that the threads of a block share."""
    return _cuda.shared.array(size, dtype)


class _Kernel:
    """kernel[grid, block](args) or kernel(grid, block, args)."""

    def __init__(self, function):
        self._kernel = _cuda.jit(function)
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __getitem__(self, shape):
        grid, block = shape
        return lambda *args, **kwargs: self(grid, block, args, **kwargs)

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        self._kernel[grid, block, 0, shared_mem](*args)


def rawkernel(*, mode="cuda", device=False):
    """Compiles the function where it is launched."""
    if device:
        return lambda function: _cuda.jit(function, device=True)
    return _Kernel
