"""cupy.cuda: devices, streams, memory and its limits, page-locked arrays, and what shows its address."""

import numpy as np
import pytest
from kasoku.compat import cupy, cupyx

import kasoku as ks


def test_waiting_arrays_count_as_used_memory(cp):
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    x = cp.arange(100000.0)
    y = x * x + 1
    assert pool.used_bytes() - before >= y.nbytes == 800000
    del x, y


def test_devices_streams_and_memory(cp):
    d = cp.cuda.Device()
    assert d != d.id and d == cp.cuda.Device(d.id) and cp.cuda.Device(0) < cp.cuda.Device(1)
    assert d.attributes["WarpSize"] == 32 and cp.cuda.runtime.getDeviceCount() >= 1
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="there is no device 1000"):
        cp.cuda.Device(1000).use()
    properties = cp.cuda.runtime.getDeviceProperties(d.id)
    assert properties["regsPerBlock"] == d.attributes["MaxRegistersPerBlock"] == 65536
    assert properties["maxThreadsDim"][0] == d.attributes["MaxBlockDimX"] >= properties["maxThreadsPerBlock"] >= 256
    assert properties["name"].decode() and properties["totalGlobalMem"] >= d.mem_info[0]
    with cp.cuda.Stream() as stream:
        assert cp.cuda.get_current_stream() is stream
        start, end = stream.record(), stream.record()
        end.synchronize()
        assert stream.done and cp.cuda.get_elapsed_time(start, end) >= 0
    assert cp.cuda.get_current_stream() is cp.cuda.Stream.null
    memory = cp.cuda.alloc(16)
    memory.copy_from(np.arange(4, dtype=np.int32), 16)
    back = np.zeros(2, np.int32)
    (memory + 8).copy_to_host(back, 8)
    assert back.tolist() == [2, 3]
    memory.memset(0, 8)
    assert cp.ndarray(4, np.int32, memory).tolist() == [0, 0, 2, 3]
    pool = cp.get_default_memory_pool()
    assert pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    with cp.cuda.using_allocator(pool.malloc):
        assert cp.cuda.get_allocator() == pool.malloc


def test_objects_that_show_device_memory(cp, device):
    if device == "cpu" and ks.has_device("cuda"):
        pytest.skip("where there is a GPU, such an address is one of its memory")
    a = cp.arange(6.0).reshape(2, 3)

    class Shown:
        __cuda_array_interface__ = {"shape": (3, 2), "strides": (8, 24), "typestr": "<f8", "data": (a.data.ptr, False), "version": 3}  # fmt: skip

    assert cp.asarray(Shown()).tolist() == a.T.tolist() and cp.array(Shown(), dtype="f4").dtype == np.float32
    cp.asarray(Shown())[...] = 7
    assert (a.get() == 7).all()
    assert cp.asnumpy(Shown()).tolist() == [[7, 7]] * 3 and cp.meshgrid() == []
    cp.array(Shown())[...] = 8
    assert (a.get() == 7).all()


def test_streams_that_are_current(cp):
    a, b = cp.cuda.Stream(), cp.cuda.Stream()
    a.use()
    with b:
        assert cp.cuda.get_current_stream() is b
        a.use()
        assert cp.cuda.get_current_stream() is a
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    handle = cp.cuda.runtime.streamCreate()
    calls = []
    cp.cuda.ExternalStream(handle).add_callback(lambda stream, status, arg: calls.append(arg), 3)
    cp.cuda.runtime.streamSynchronize(handle)
    cp.cuda.runtime.streamDestroy(handle)
    assert calls == [3]
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="streamCreate"):
        cp.cuda.runtime.streamSynchronize(handle)


def test_page_locked_memory_is_a_buffer():
    mem = cupy.cuda.alloc_pinned_memory(40)
    a = np.frombuffer(mem, np.float32, 10)
    a[...] = np.arange(10)
    assert mem.size() == 40 and a.ctypes.data == mem.ptr == int(mem)
    assert (np.frombuffer(mem + 8, np.float32, 2) == [2, 3]).all()
    x = cupy.arange(10, dtype=np.float32)
    (x * 2).get(out=a)
    assert (a == np.arange(10) * 2).all()


@pytest.mark.parametrize("skipped", [0, 8])
def test_page_locked_memory_lives_as_long_as_an_array_over_it(skipped):
    n = 10**6

    def filled():
        mem = cupy.cuda.alloc_pinned_memory(4 * n)
        a = np.frombuffer(mem + skipped if skipped else mem, np.float32, n - skipped // 4)
        a[...] = 1
        return a

    a = filled()
    others = [cupy.empty(n, dtype=np.float32) for _ in range(8)]
    for x in others:
        x.set(np.full(n, 7, np.float32))
    assert (a == 1).all() and all((x.get() == 7).all() for x in others)


def test_tensors_and_arrays_exchange_capsules(cp):
    from kasoku.compat import torch
    from kasoku.compat.torch.utils.dlpack import from_dlpack, to_dlpack

    x = torch.arange(6.0, device="cuda" if cp.arange(1).device.kind == "cuda" else "cpu").reshape(2, 3)
    a = cp.fromDlpack(to_dlpack(x))
    a[0] = 7
    assert x.tolist() == [[7, 7, 7], [3, 4, 5]]
    y = from_dlpack(a.toDlpack())
    y.add_(1)
    assert a.tolist() == [[8, 8, 8], [4, 5, 6]]


@pytest.fixture
def limited(cp):
    """The pool, whose limit goes with the test."""
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    yield pool
    pool.set_limit(size=0)


def test_memory_beyond_a_limit_is_refused_where_it_is_asked_for(cp, limited):
    x = cp.ones(1000)
    limited.set_limit(size=limited.total_bytes() + 2**25)
    with pytest.raises(
        cp.cuda.memory.OutOfMemoryError, match=r"cannot allocate 64.0 MiB.*\n.*limits memory to \d+\.\d MiB"
    ):
        y = cp.zeros(2**23)
    with pytest.raises(MemoryError):
        cp.cuda.alloc(2**26)
    y = cp.arange(2**20) + 1  # what fits goes on
    assert int(y.sum()) == (2**20 + 1) * 2**19 and float(x.sum()) == 1000
    assert limited.total_bytes() <= limited.get_limit() and limited.used_bytes() >= y.nbytes
    del y
    limited.free_all_blocks()
    assert limited.total_bytes() < 2**23
    for _ in range(8):  # what was given back is taken again, or makes room
        y = cp.ones(2**20)
        z = cp.ones(1000) * 2
    assert float(y.sum()) == 2**20 and z.size == 1000
    limited.set_limit(size=0)
    assert limited.get_limit() == 0 and float(cp.zeros(2**22).sum()) == 0


def test_a_limit_is_bytes_or_a_share(cp, limited, monkeypatch):
    total = cp.cuda.Device().mem_info[1]
    limited.set_limit(fraction=0.25)
    assert limited.get_limit() == int(0.25 * total)
    assert ks.arange(10**6).is_pending is False
    for bad in ({"size": -1}, {"fraction": 1.5}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError):
            limited.set_limit(**bad)
    limited.set_limit(fraction=0)
    assert limited.get_limit() == 0 and ks.arange(10**6).is_pending
    monkeypatch.setenv("CUPY_GPU_MEMORY_LIMIT", "50%")
    assert cp.cuda.MemoryPool().get_limit() == int(0.5 * total)


@pytest.mark.parametrize("order", ["C", "F", "K", "A"])
@pytest.mark.parametrize("shape", [(), 3, (2, 3), (2, 3, 4)])
def test_page_locked_arrays_are_over_memory_that_says_so(shape, order):
    like = np.asfortranarray(np.ones(shape, np.int16))
    for a in (cupyx.empty_like_pinned(like, order=order), cupyx.zeros_like_pinned(cupy.asarray(like), order=order)):
        host = np.empty_like(like, order=order)
        assert (a.shape, a.strides, a.dtype) == (host.shape, host.strides, host.dtype)
        assert isinstance(a.base, cupy.cuda.PinnedMemoryPointer) and a.base.ptr == a.ctypes.data
    assert not a.any()
    with pytest.raises(TypeError):
        cupyx.empty_like_pinned(like, subok=True)
