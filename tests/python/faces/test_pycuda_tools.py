"""PyCUDA's pools, allocators and arguments that functions take in addition."""

import gc

import numpy as np
import pytest

import kasoku as ks


@pytest.fixture(autouse=True)
def face(device):
    from kasoku.compat.pycuda import _context as driver

    before, driver._current = driver._current, ks.Device(device)
    yield
    driver._current = before


def test_bins_of_a_pool():
    from kasoku.compat.pycuda.tools import DeviceMemoryPool, bitlog2

    assert [bitlog2(n) for n in (0, 1, 2, 3, 17, 0xCC3AFFE)] == [0, 0, 1, 1, 4, 27]
    pool = DeviceMemoryPool()
    sizes = [*range(300), 2**20 - 1, 2**20, 2**20 + 1, 2**31 + 12345, 2**40 + 7]
    for size in sizes:
        nr = pool.bin_number(size)
        assert pool.alloc_size(nr) >= size and pool.bin_number(pool.alloc_size(nr)) == nr
        assert pool.bin_number(pool.alloc_size(nr) + 1) == nr + 1 or size < 16
        assert pool.alloc_size(nr) <= max(size * (1 + 1 / 16), 1)


def test_a_pool_uses_memory_again():
    from kasoku.compat.pycuda import gpuarray
    from kasoku.compat.pycuda.tools import DeviceMemoryPool

    pool = DeviceMemoryPool()
    a = gpuarray.to_gpu(np.arange(100, dtype=np.float32), allocator=pool.allocate)
    assert (pool.active_blocks, pool.held_blocks, pool.active_bytes) == (1, 0, 400)
    address = a.ptr
    assert gpuarray.sum(a, allocator=pool.allocate).get() == 4950
    del a
    gc.collect()
    assert pool.active_blocks == 0 and pool.held_blocks == 2
    b = pool.allocate(401)
    assert int(b) == address and pool.held_blocks == 1 and pool.active_bytes == 401
    b.free()
    b.free()
    assert pool.active_blocks == 0 and pool.held_blocks == 2
    with pytest.raises(ValueError, match="given back"):
        int(b)
    pool.stop_holding()
    assert pool.held_blocks == 0 == pool.managed_bytes


def test_a_page_locked_pool():
    from kasoku.compat.pycuda.tools import PageLockedMemoryPool

    pool = PageLockedMemoryPool()
    a = pool.allocate((3, 4), np.float32)
    a[...] = np.arange(12).reshape(3, 4)
    row = a[1]
    del a
    gc.collect()
    assert pool.active_blocks == 1 and row.tolist() == [4, 5, 6, 7]
    del row
    gc.collect()
    assert pool.active_blocks == 0 and pool.held_blocks == 1


def test_reductions_use_the_allocator():
    from kasoku.compat.pycuda import gpuarray
    from kasoku.compat.pycuda.driver import mem_alloc
    from kasoku.compat.pycuda.reduction import ReductionKernel

    asked = []

    def allocator(size):
        asked.append(size)
        return mem_alloc(size)

    a = gpuarray.to_gpu(np.arange(10, dtype=np.int32))
    subset = gpuarray.to_gpu(np.array([1, 3], np.int32))
    assert gpuarray.subset_sum(subset, a, allocator=allocator).get() == 4
    assert gpuarray.dot(a, a, allocator=allocator).get() == 285 and asked == [4, 4]
    kernel = ReductionKernel(np.int32, "0", "a + b", "x[i]", "const int *x", allocator=allocator)
    assert kernel(a).get() == 45 and asked == [4, 4, 4]


def test_streams_and_outputs_of_mathematics():
    from kasoku.compat.pycuda import cumath, driver, gpuarray

    host = np.linspace(0, 1, 50, dtype=np.float32)
    a, stream = gpuarray.to_gpu(host), driver.Stream()
    for arguments, keywords in [((), {}), ((stream,), {}), ((), {"stream": stream})]:
        np.testing.assert_allclose(cumath.exp(a, *arguments, **keywords).get(), np.exp(host), rtol=3e-7)
    out = gpuarray.empty_like(a)
    assert cumath.sin(a, out) is out and cumath.cos(a, out=out) is out
    assert np.abs(out.get() - np.cos(host.astype(float))).max() < 6e-8


def test_arrays_of_other_libraries():
    from kasoku.compat.pycuda import driver, gpuarray
    from kasoku.compat.pycuda.compiler import SourceModule

    a = gpuarray.zeros(8, np.int32)
    face = a.__cuda_array_interface__
    assert face["shape"] == (8,) and face["typestr"] == "<i4" and face["data"] == (a.ptr, False)

    class Foreign:
        memory = driver.mem_alloc_like(np.zeros(8, np.int32))
        __cuda_array_interface__ = {**face, "data": (int(memory), False)}

    module = SourceModule("__global__ void count(int *x) { x[threadIdx.x] = threadIdx.x; }")
    module.get_function("count")(Foreign(), block=(8, 1, 1))
    assert driver.from_device(Foreign.memory, 8, np.int32).tolist() == list(range(8))


def test_axes_by_name():
    from kasoku.compat.pycuda import gpuarray

    host = np.arange(24).reshape(2, 3, 4)
    a = gpuarray.to_gpu(host)
    assert (a.transpose(axes=(1, 0, 2)).get() == host.transpose(1, 0, 2)).all()
    assert (a.transpose((2, 0, 1)).get() == host.transpose(2, 0, 1)).all() and (a.T.get() == host.T).all()


def test_a_struct_of_a_dtype_lies_as_in_kernels():
    """Against C's rules of alignment, which NumPy's align=True knows, and against what a kernel of the text writes."""
    from kasoku.compat.pycuda.tools import get_or_register_dtype, match_dtype_to_c_struct

    packed = np.dtype([("a", np.int8), ("b", np.float64), ("c", np.int16, (3,)), ("d", np.float32)])
    dtype, text = match_dtype_to_c_struct(None, "a_to_d", packed)
    assert dtype == np.dtype([(name, packed[name]) for name in packed.names], align=True) and dtype.itemsize == 32
    code = text + 'extern "C" __global__ void f(a_to_d *x) { x->a = 1; x->b = 2.5; x->c[2] = 3; x->d = 4.5f; }'
    bytes_of = ks.zeros(dtype.itemsize, dtype="uint8")
    ks.RawKernel(code, "f")((1,), (1,), (bytes_of,))
    assert bytes_of.numpy().view(dtype)[0].tolist()[:2] == (1, 2.5)
    assert bytes_of.numpy().view(dtype)["c"].tolist() == [[0, 0, 3]] and bytes_of.numpy().view(dtype)["d"] == 4.5
    assert get_or_register_dtype("a_to_d", dtype) == dtype


def test_what_limits_the_blocks_of_a_multiprocessor():
    from kasoku.compat.pycuda.tools import DeviceData, OccupancyRecord

    of = DeviceData()
    of.max_threads, of.warp_size, of.warps_per_mp, of.thread_blocks_per_mp = 1024, 32, 64, 8
    of.registers, of.shared_memory, of.smem_alloc_granularity = 65536, 49152, 128
    rows = {  # threads, shared bytes, registers of a thread: blocks, limit, warps, share of the warps; worked out by hand
        (256, 0, 0): (8, "device", 64, 1.0), (512, 0, 0): (4, "warps", 64, 1.0), (33, 0, 0): (8, "device", 16, 0.25),
        (128, 8192, 0): (6, "smem", 24, 0.375), (128, 8193, 0): (5, "smem", 20, 0.3125), (256, 0, 64): (4, "regs", 32, 0.5),
    }  # fmt: skip
    for (threads, shared, registers), expected in rows.items():
        found = OccupancyRecord(of, threads, shared_mem=shared, registers=registers)
        assert (found.tb_per_mp, found.limited_by, found.warps_per_mp, found.occupancy) == expected
    for threads, shared, registers in ((1025, 0, 0), (32, 49153, 0), (1024, 0, 65)):
        with pytest.raises(ValueError, match="too m"):
            OccupancyRecord(of, threads, shared, registers)
    assert DeviceData().coalesce(17) == 32
