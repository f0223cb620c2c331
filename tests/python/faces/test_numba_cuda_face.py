"""numba.cuda's names: arrays, streams, contexts, typed kernels, words of kernels. On whatever device there is."""

import importlib
import threading
import warnings

import numpy as np
import pytest
from kasoku.compat import numba
from kasoku.compat.numba import cuda, float32, float64, int32, int64, void

rng = np.random.default_rng(2)


def add(r, x, y):
    r[0] = x + y


def test_typed_kernels_convert_and_refuse():
    f = cuda.jit(["(int64[::1], int64, int64)", void(float64[::1], float64, float64)])(add)
    assert len(f.overloads) == 2
    r = np.zeros(1, np.int64)
    f[1, 1](r, 1, 2)
    assert r[0] == 3
    r = np.zeros(1)
    f[1, 1](r, np.int32(1), 2.5)
    assert r[0] == 3.5
    with pytest.raises(TypeError, match="No matching definition"):
        f[1, 1](np.zeros(1, complex), 1j, 1j)
    g = cuda.jit("(int64[::1], int64, int64)")(add)
    r = np.zeros(1, np.int64)
    g[1, 1](r, 12.9, 45.2)
    assert r[0] == 57


@pytest.mark.parametrize("shape", [(0, 8), ((2, 0), 8), (-1, 8), (1, 0), (1, (8, 0)), (1, -4)])
def test_an_empty_launch_is_an_error(shape):
    f = cuda.jit(add)
    r = np.zeros(1)
    with pytest.raises(ValueError, match="of kernel 'add' is empty"):
        f[shape](r, 1.0, 2.0)
    f.forall(0)(r, 1.0, 2.0)  # no tasks are no launch
    assert r[0] == 0


@pytest.mark.parametrize("signature", ["(int64, int64)", ["(int64, int64)", "(float64, float64)"]])
def test_typed_device_functions_convert(signature):
    plus = cuda.jit(signature, device=True)(lambda a, b: a + b)

    @cuda.jit
    def kernel(r, x, y):
        r[0] = plus(x, y)

    r = np.zeros(1)
    kernel[1, 1](r, 1.5, 2.5)
    assert r[0] == (3 if isinstance(signature, str) else 4)
    with pytest.raises(numba.core.errors.TypingError, match="Invalid use of type .* with parameters .complex128"):
        kernel[1, 1](np.zeros(1, complex), 1j, 1j)


def test_what_a_kernel_may_not_be():
    with pytest.raises(TypeError, match="must have void return type"):
        cuda.jit("int64(int64[:])")(lambda x: x)
    with pytest.raises(TypeError, match="Unrecognized options: nonsense"):
        cuda.jit(nonsense=1)(add)
    f = cuda.jit(add)
    for shape in [(1,), (1, 2, 3, 4, 5)]:
        with pytest.raises(ValueError):
            f[shape]
    with pytest.raises(ValueError, match="griddim must be a sequence of 1, 2 or 3 integers"):
        f[(1, 1, 1, 1), 1]
    with pytest.raises(TypeError, match="blockdim must be a sequence of integers"):
        f[1, (1.5,)]
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        f(1, 2, 3)
    with pytest.raises(ValueError, match="negative task count"):
        f.forall(-1)


def test_forall_of_nothing_runs_nothing():
    @cuda.jit
    def fill(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = i

    for n in (0, 1, 1000):
        x = np.full(n, -1)
        fill.forall(n)(x)
        np.testing.assert_array_equal(x, np.arange(n))


constants = np.arange(10, dtype=np.float64)
table = rng.random((3, 4)).astype(np.float32)


def test_arrays_outside_are_constants():
    @cuda.jit
    def kernel(out, other):
        i = cuda.grid(1)
        known = cuda.const.array_like(constants)
        if i < out.size:
            out[i] = known[i] + table[i % 3, 1]
            other[i] = constants[-1]

    out, other = np.zeros(10), np.zeros(10)
    kernel[1, 16](out, other)
    np.testing.assert_allclose(out, constants + table[np.arange(10) % 3, 1])
    assert (other == 9).all()
    constants[0] += 1
    try:
        kernel[1, 16](out, other)
        assert out[0] == table[0, 1]  # what it held when the kernel was compiled
    finally:
        constants[0] -= 1


def test_tuples_of_anything_are_arguments():
    @cuda.jit
    def kernel(out, pair, nested):
        out[0] = pair[0][1] + pair[1] + nested[0][0] * nested[1][0]

    out = np.zeros(1)
    kernel[1, 1](out, (np.arange(3.0), np.int32(10)), ((True, 2), (np.float32(0.5),)))
    assert out[0] == 1 + 10 + 0.5
    kernel[1, 1](out, (cuda.to_device(np.arange(3.0)), 5), ((False, 2), (np.float32(0.5),)))
    assert out[0] == 6


@pytest.mark.parametrize("order", ["C", "F"])
def test_device_arrays_keep_their_order(order):
    host = np.asarray(rng.random((3, 4, 2)), order=order)
    x = cuda.to_device(host)
    assert x.strides == host.strides and x.is_c_contiguous() == (order == "C") and x.is_f_contiguous() == (order == "F")
    back = x.copy_to_host()
    np.testing.assert_array_equal(back, host)
    assert back.strides == host.strides
    for way in "CFA":
        np.testing.assert_array_equal(x.ravel(order=way).copy_to_host(), host.ravel(order=way))
    np.testing.assert_array_equal(x.reshape(4, 6, order=order).copy_to_host(), host.reshape(4, 6, order=order))
    assert cuda.device_array_like(x).strides == host.strides
    np.testing.assert_array_equal(x.transpose((2, 0, 1)).copy_to_host(), host.transpose(2, 0, 1))
    np.testing.assert_array_equal(x[1:, ::2].copy_to_host(), host[1:, ::2])
    x[0] = host[1]
    np.testing.assert_array_equal(x[0].copy_to_host(), host[1])
    with pytest.raises(ValueError):
        x.copy_to_device(np.zeros(3))
    with pytest.raises(TypeError):
        x.copy_to_host(np.zeros(3))


def test_other_memory():
    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    for make in (cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
        x = make(8, dtype=np.float32)
        x[:] = np.arange(8)
        double[1, 8](x)
        cuda.synchronize()
        np.testing.assert_array_equal(x, 2 * np.arange(8))
    host = np.ones(4)
    double[1, 4](cuda.InOut(host))
    assert (host == 2).all()
    double[1, 4](cuda.In(host))
    assert (host == 2).all()
    with cuda.pinned(host):
        double[1, 4](cuda.to_device(host))


def test_streams_events_contexts():
    stream = cuda.stream()
    x = cuda.to_device(np.arange(4.0), stream=stream)
    start, end = cuda.event(), cuda.event()
    start.record(stream)
    kernel = cuda.jit(add)
    with stream.auto_synchronize():
        kernel[1, 1, stream](x, 1.0, 2.0)
    end.record(stream)
    end.synchronize()
    assert end.query() and cuda.event_elapsed_time(start, end) >= 0
    assert x.copy_to_host(stream=stream)[0] == 3
    called = threading.Event()
    stream.add_callback(lambda stream, status, event: event.set(), called)
    assert called.wait(5)
    context = cuda.current_context()
    free, total = context.get_memory_info()
    assert 0 < free <= total and context.device.id == cuda.get_current_device().id == cuda.gpus[0].id == 0
    assert len(cuda.gpus) == 1 and cuda.detect()
    with cuda.gpus[0], cuda.defer_cleanup():
        cuda.current_context().synchronize()
    with pytest.raises(ValueError):
        cuda.select_device(1)


def test_asyncio_waits_for_a_stream():
    import asyncio

    async def one(value):
        stream = cuda.stream()
        x = cuda.to_device(np.full(8, value), stream=stream)
        assert await stream.async_done() is stream
        return x.copy_to_host(stream=stream).mean()

    async def all_of_them():
        return await asyncio.gather(*(one(v) for v in (1.0, 2.0, 3.0)))

    assert asyncio.run(all_of_them()) == [1, 2, 3]


def test_words_of_bits_and_warps():
    @cuda.jit
    def kernel(x, out, lanes):
        i = cuda.grid(1)
        value = x[i]
        out[i, 0] = cuda.popc(value)
        out[i, 1] = cuda.clz(value)
        out[i, 2] = cuda.brev(value)
        out[i, 3] = cuda.ffs(value)
        lanes[i, 0] = cuda.match_any_sync(0xFFFFFFFF, i % 2)
        same, all_same = cuda.match_all_sync(0xFFFFFFFF, 7)
        lanes[i, 1] = same if all_same else 0
        lanes[i, 2] = cuda.eq_sync(0xFFFFFFFF, i >= 0)
        lanes[i, 3] = cuda.lanemask_lt()
        cuda.threadfence_block()
        cuda.threadfence_system()
        cuda.nanosleep(1)

    for dtype, bits in ((np.int32, 32), (np.uint32, 32), (np.int64, 64), (np.uint64, 64)):
        x = rng.integers(0, 2**31 - 1, 32).astype(dtype)
        x[0] = 0
        if dtype in (np.int32, np.int64):
            x[1] = -1
        out, lanes = np.zeros((32, 4), np.uint64), np.zeros((32, 4), np.int64)
        kernel[1, 32](x, out, lanes)
        for value, (ones, zeros, back, first) in zip(x.tolist(), out.tolist(), strict=True):
            text = format(value % 2**bits, f"0{bits}b")
            assert ones == text.count("1") and zeros == len(text) - len(text.lstrip("0"))
            assert (
                back % 2**bits == int(text[::-1], 2) and first == (text[::-1] + "1").index("1") + 1
                if value
                else first == 0
            )
        assert lanes[0, 0] == 0x55555555 and lanes[1, 0] == 0xAAAAAAAA
        assert (lanes[:, 1] == 0xFFFFFFFF).all() and (lanes[:, 2] == 1).all()
        np.testing.assert_array_equal(lanes[:, 3], 2 ** np.arange(32) - 1)


@pytest.mark.parametrize("n", [0, 1, 33, 5000])
def test_reduce(n):
    total = cuda.reduce(lambda a, b: a + b)
    x = rng.integers(0, 100, n)
    assert total(x) == x.sum() and total(cuda.to_device(x), init=7) == x.sum() + 7
    out = cuda.to_device(np.zeros(1, x.dtype))
    assert total(x, res=out) is None and out[0] == x.sum()
    assert total(x, size=n // 2) == x[: n // 2].sum()
    largest = cuda.Reduce(lambda a, b: a if a > b else b)
    assert largest(x.astype(np.float32), init=-1) == (x.max() if n else -1)
    with pytest.raises(TypeError, match="only support 1D"):
        total(np.ones((2, 2)))


def test_kernels_that_are_named_like_c_functions():
    def frexp(x, out):
        out[0] = x + 1

    def index(x):
        return x + 1

    out = np.zeros(1)
    cuda.jit(frexp)[1, 1](2.0, out)
    assert out[0] == 3 and numba.njit(index)(2.0) == 3 and numba.njit(float64(float64))(index)(2) == 3


def test_figures_and_texts_by_signature():
    f = cuda.jit(add).specialize(np.zeros(1), 1, 2)
    with pytest.raises(RuntimeError, match="already specialized"):
        f.specialize(np.zeros(1), 1, 2)
    assert f.specialized and f.get_max_threads_per_block() > 0 and f.get_shared_mem_per_block() == 0
    f[1, 1](np.zeros(1), 1, 2)
    (signature,) = f.overloads
    assert signature == (float64[::1], int64, int64)
    assert f.inspect_asm(signature) and "define" in f.inspect_llvm()[signature]
    assert [float32, int32] == [cuda.Type("float32"), cuda.Type("int32")]


@pytest.mark.parametrize("make", [cuda.jit, numba.njit])
def test_texts_stand_by_the_signature_that_they_are_of(make, capsys):
    @make
    def scale(x):
        x[0] = x[0] / x[0]

    run = scale[1, 1] if make is cuda.jit else scale
    for dtype in (np.float32, np.float64):
        run(np.ones(1, dtype))
    single, double = sorted(scale.inspect_llvm(), key=str)
    assert (single, double) == ((float32[::1],), (float64[::1],))
    assert "fdiv float" in scale.inspect_llvm(single)
    assert "fdiv float" not in scale.inspect_llvm(double)
    scale.inspect_types(signature=double)
    assert capsys.readouterr().out == f"{double}\n{scale.inspect_text(double)}\n"


@pytest.mark.parametrize(
    "module, name", [("args", "InOut"), ("kernels.reduction", "Reduce"), ("types", "float32"), ("random", "init_xoroshiro128p_states")]
)  # fmt: skip
def test_inner_modules_have_what_programs_import_of_them(module, name):
    found = getattr(importlib.import_module(f"kasoku.compat.numba.cuda.{module}"), name)
    assert found is getattr(numba.types if module == "types" else cuda.random if module == "random" else cuda, name)


records = np.dtype([("a", np.int32), ("b", np.float64), ("at", [("x", np.int16), ("y", np.float32)]), ("row", np.float32, 3),
                    ("name", "U4")], align=True)  # fmt: skip


def filled(n):
    data = np.zeros(n, records)
    for i in range(n):
        data[i] = (i, i / 2, (i, -i), (i, i + 1, i + 2), f"n{i}")
    return data


def test_records_on_a_device():
    data = filled(4)
    there = cuda.to_device(data)
    assert (there.shape, there.dtype, there.size, there.ndim) == ((4,), records, 4, 1)
    np.testing.assert_array_equal(there.copy_to_host(), data)
    assert there[2].copy_to_host() == data[2] and there[2]["name"] == "n2" and there[3]["at"]["y"] == -3
    np.testing.assert_array_equal(there["b"].copy_to_host(), data["b"])
    np.testing.assert_array_equal(there[1:]["row"].copy_to_host(), data["row"][1:])
    there[1]["b"], there[0]["name"] = 7.5, "abc"
    there[1]["row"][2] = 9
    there[2] = data[3]
    data[1]["b"], data[0]["name"], data[1]["row"][2] = 7.5, "abc", 9
    data[2] = data[3]
    np.testing.assert_array_equal(there.copy_to_host(), data)
    same = cuda.device_array_like(data)
    same.copy_to_device(there)
    np.testing.assert_array_equal(same.reshape(2, 2).copy_to_host(), data.reshape(2, 2))
    assert numba.typeof(there) == numba.typeof(data)


@pytest.mark.skipif(cuda.is_available(), reason="kernels take records on a CPU")
def test_kernels_take_records_of_a_device():
    @cuda.jit
    def kernel(data, one):
        i = cuda.grid(1)
        data[i].b += data[i].a
        data[i].row[1] = one.b

    data = filled(4)
    there, one = cuda.to_device(data), cuda.to_device(data)[3]
    kernel[1, 4](there, one)
    data["b"] += data["a"]
    data["row"][:, 1] = 1.5
    np.testing.assert_array_equal(there.copy_to_host(), data)
    kernel[1, 4](cuda.InOut(data), one)
    assert data["b"].tolist() == [0, 2.5, 5, 7.5]


def test_arrays_know_their_stream_and_are_made_of_memory():
    stream = cuda.stream()
    x = cuda.to_device(np.arange(12.0).reshape(3, 4), stream=stream)
    assert x.stream is stream and x[1:].stream is stream and x.T.stream is stream
    assert cuda.device_array(3).stream == 0 and cuda.device_array(3).bind(stream).stream is stream
    part = cuda.devicearray.DeviceNDArray((2, 2), (64, 8), np.float64, gpu_data=x)
    assert part.copy_to_host().tolist() == [[0, 1], [8, 9]]
    part[0, 1] = 5
    assert x[0, 1] == 5
    assert cuda.devicearray.DeviceNDArray((2, 3), (12, 4), np.float32).shape == (2, 3)
    with pytest.raises(OSError):
        x.get_ipc_handle()


def test_an_interface_is_an_array():
    x = cuda.to_device(np.arange(10.0))
    face = x.__cuda_array_interface__
    same = cuda.from_cuda_array_interface(face, owner=x)
    every = cuda.from_cuda_array_interface({**face, "shape": (5,), "strides": (16,)}, owner=x)
    same[4] = -1
    assert every.copy_to_host().tolist() == [0, 2, -1, 6, 8] and every.stream == 0
    with pytest.raises(NotImplementedError):
        cuda.from_cuda_array_interface({**face, "mask": x})
    shown = cuda.from_cuda_array_interface({**face, "version": 3, "stream": 1}, owner=x)
    assert shown.stream.external and shown[1] == 1


@pytest.mark.skipif(cuda.is_available(), reason="memory of the host has no address on a GPU")
def test_mapped_arrays_have_an_interface():
    for make in (cuda.mapped_array, cuda.managed_array):
        x = make(4)
        x[:] = 1
        y = cuda.as_cuda_array(x)
        y[2] = 5
        assert x.tolist() == [1, 1, 5, 1] and x.__cuda_array_interface__["stream"] is None


def test_an_extension_prepares_arguments():
    seen = []

    class Doubled:
        def prepare_args(self, ty, val, stream, retr):
            if not isinstance(ty, numba.types.Array):
                return ty, val
            given = 2 * val
            retr.append(lambda: seen.append(given.copy()))
            return ty, given

    @cuda.jit(extensions=[Doubled()])
    def kernel(x, n):
        x[0] += n

    x = np.ones(2)
    kernel[1, 1](x, 3)
    assert x.tolist() == [1, 1] and [s.tolist() for s in seen] == [[5, 2]]


def test_settings_turn_on_warnings_of_slow_launches():
    slow = numba.core.errors.NumbaPerformanceWarning
    kernel = cuda.jit(add)
    for name, fast in (("CUDA_LOW_OCCUPANCY_WARNINGS", (128, 1)), ("CUDA_WARN_ON_IMPLICIT_COPY", None)):
        setattr(numba.config, name, 1)
        try:
            with pytest.warns(slow):
                kernel[1, 1](np.zeros(1), 1.0, 2.0)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                kernel[fast or (1, 1)](cuda.device_array(1) if not fast else np.zeros(1), 1.0, 2.0)
        finally:
            setattr(numba.config, name, 0)
    assert cuda.runtime.get_version() >= (11, 0)


def test_a_configured_kernel_says_its_shape():
    launch = cuda.jit(add)[(2, 3), 32]
    assert launch.griddim == (2, 3, 1) and launch.blockdim == (32, 1, 1) and launch.dispatcher.py_func is add


def test_how_many_blocks_synchronise_their_grid():
    @cuda.jit("void(int32[:])")
    def kernel(x):
        g = cuda.cg.this_grid()
        x[cuda.grid(1)] += 1
        g.sync()

    most = kernel.max_cooperative_grid_blocks(64)
    assert most >= 1 and most == kernel.max_cooperative_grid_blocks((8, 8)) and kernel.cooperative
    x = np.zeros(64, np.int32)
    kernel[1, 64](x)
    assert x.tolist() == [1] * 64
    assert not cuda.jit("void(int32[:])")(lambda x: None).cooperative


def test_default_streams_have_their_names():
    context = cuda.current_context()
    streams = cuda.default_stream(), cuda.legacy_default_stream(), cuda.per_thread_default_stream()
    assert len({repr(s) for s in streams}) == 3 and all(int(s) == 0 and not s.external for s in streams)
    assert context.get_legacy_default_stream() is streams[1] and context.get_per_thread_default_stream() is streams[2]
    x = cuda.to_device(np.arange(3), stream=streams[2])
    assert x.copy_to_host(stream=streams[2]).tolist() == [0, 1, 2]


def test_a_device_has_the_attributes_that_programs_size_their_grids_by():
    device = cuda.get_current_device()
    assert device.MULTIPROCESSOR_COUNT >= 1 and device.WARP_SIZE == 32 and device.MAX_THREADS_PER_BLOCK == 1024
    assert (
        device.MAX_BLOCK_DIM_X >= 1024
        and device.MAX_GRID_DIM_Y >= 65535
        and device.MAX_SHARED_MEMORY_PER_BLOCK >= 48 * 1024
    )
    assert cuda.gpus[0].MAX_THREADS_PER_MULTI_PROCESSOR == device.MAX_THREADS_PER_MULTIPROCESSOR
    with pytest.raises(AttributeError):
        device.MULTIPROCESSORS
