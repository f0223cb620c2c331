"""The face of CuPy against NumPy: what its arrays, kernels and modules have beyond the engine's."""

import math
import sys
import warnings
from unittest import mock

import numpy as np
import pytest

import kasoku as ks
from kasoku.compat import cupy, cupyx

dtypes = [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float16, np.float32,
          np.float64, np.complex64, np.complex128]  # fmt: skip


@pytest.fixture
def cp(device):
    old = cupy.cuda._device._scopes.used
    cupy.cuda._device._scopes.used = ks.Device(device)
    yield cupy
    cupy.cuda._device._scopes.used = old


def ramp(shape, dtype):
    values = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape)
    return (values + 2j * values if np.dtype(dtype).kind == "c" else values).astype(dtype)


def same(ours, numpys, **tolerance):
    host = cupy.asnumpy(ours)
    assert host.dtype == numpys.dtype and host.shape == numpys.shape
    np.testing.assert_allclose(host, numpys, **tolerance) if tolerance else np.testing.assert_array_equal(host, numpys)


# ── arrays ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (2, 0, 3)])
def test_arrays_go_and_come(cp, dtype, shape):
    host = ramp(shape, dtype)
    for order in "CFAK":
        a = cp.array(host, order=order)
        same(a, host)
        assert a.flags.c_contiguous == np.array(host, order=order).flags.c_contiguous
        assert a.flags.f_contiguous == np.array(host, order=order).flags.f_contiguous
    back = np.empty(shape, dtype)
    assert cp.array(host).get(out=back) is back
    np.testing.assert_array_equal(back, host)
    b = cp.empty_like(cp.array(host))
    b.set(host)
    same(b, host)


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_orders_of_reshape_and_ravel(cp, order):
    host = np.asfortranarray(ramp((3, 4), np.float32))
    a = cp.array(host)
    assert a.flags.f_contiguous and not a.flags.c_contiguous
    same(a.reshape(2, 6, order=order), host.reshape(2, 6, order=order))
    same(a.ravel(order), host.ravel(order))
    same(a.flatten(order), host.flatten(order))
    assert a.copy(order).strides == host.copy(order).strides
    assert cp.copy(a, order).strides == np.copy(host, order).strides


def test_real_and_imaginary_parts_are_views(cp):
    host = ramp((3, 4), np.complex64)
    a = cp.array(host)
    same(a.real, host.real)
    same(a.imag[1:, ::2], host.imag[1:, ::2])
    a.imag = 7
    a.real[0] = -1
    host.imag = 7
    host.real[0] = -1
    same(a, host)
    same(cp.array([1.0, 2.0]).imag, np.zeros(2))
    with pytest.raises(TypeError, match="imaginary"):
        cp.ones(3).imag = 1


def test_views_of_other_dtypes(cp):
    host = ramp((2, 4), np.int32)
    a = cp.array(host)
    same(a.view(np.float32), host.view(np.float32))
    same(a.view(np.int64), host.view(np.int64))
    same(a.view("u1"), host.view("u1"))
    a.view(np.uint32)[0] = 5
    assert a[0].tolist() == [5] * 4
    with pytest.raises(ValueError, match="no whole elements"):
        cp.ones(3, np.int32).view(np.int64)
    with pytest.raises(ValueError, match="contiguous"):
        a[:, ::2].view(np.int64)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_arithmetic(cp, dtype):
    rng = np.random.default_rng(1)
    x, y = ((rng.standard_normal(50) + 1j * rng.standard_normal(50)).astype(dtype) for _ in range(2))
    a, b = cp.array(x), cp.array(y)
    limit = dict(rtol=1e-5 if dtype is np.complex64 else 1e-13)
    for f in (lambda p, q: p + q, lambda p, q: p - 2 * q, lambda p, q: p * q, lambda p, q: p / q,
              lambda p, q: -p + 1j, lambda p, q: p**2, lambda p, q: p**q):  # fmt: skip
        same(f(a, b), f(x, y), **limit)
    same(a == a, x == x)
    same(a != b, x != y)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "conj", "abs", "square"):
        same(getattr(cp, name)(a), getattr(np, name)(x), rtol=2e-5 if dtype is np.complex64 else 1e-12)
    same(a.sum(), x.sum(), **limit)
    same(a.reshape(5, 10).sum(axis=0), x.reshape(5, 10).sum(axis=0), rtol=1e-4)
    same(a.mean(), x.mean(), **limit)
    same(a.astype(bool), x.astype(bool))
    with pytest.warns(cp.exceptions.ComplexWarning):
        same(a.astype(np.float32), x.real.astype(np.float32))


def test_new_arrays_like_others(cp):
    host = np.empty((2, 3, 4))
    for view in (host, host.T, host.transpose(1, 0, 2), host[:, :, ::2], host[:, 0], host[0, 0, 0]):
        a = cp.array(host)
        a = cp.ndarray(view.shape, view.dtype, a.data, view.strides)
        for order in "CFAK":
            assert cp.zeros_like(a, order=order).strides == np.zeros_like(view, order=order).strides
    with pytest.raises(TypeError, match="subok"):
        cp.empty_like(a, subok=True)
    for shape in (2.5, (2, 2.5), "a"):
        with pytest.raises(TypeError, match="integer"):
            cp.zeros(shape)
    assert cp.asnumpy(None).dtype == object and ks.asnumpy(None)[()] is None
    both = cp.broadcast(cp.ones((2, 1)), cp.ones(3))
    assert (both.shape, both.nd, both.size, both.values[0].shape) == ((2, 3), 2, 6, (2, 3))
    with pytest.raises(ValueError, match="(?i)infs"):
        cp.asarray_chkfinite([1.0, np.inf])


def test_reductions_take_cupys_arguments(cp):
    x = np.random.default_rng(4).standard_normal((3, 4))
    a, out = cp.array(x), cp.empty((1, 4))
    assert cp.max(a, 0, out, True) is out
    same(out, np.max(x, 0, keepdims=True))
    same(a.all(1, None, True), np.all(x, 1, None, True))
    same(a.std(0, None, None, 1), x.std(0, None, None, 1), rtol=1e-13)
    same(a.argmin(axis=1), x.argmin(axis=1))
    same(a.round(1), x.round(1), rtol=1e-15)
    z = cp.array(x + 1j)
    same(cp.max(z), (x + 1j).max())
    same(cp.round(z, 1), np.round(x + 1j, 1))
    with pytest.warns(cp.exceptions.ComplexWarning):
        same(cp.sum(z, dtype=np.float64), x.sum(), rtol=1e-13)
    for sums in (z.sum, z.mean, z.prod):
        with pytest.warns(cp.exceptions.ComplexWarning) as caught:
            same(sums(None, np.float64), getattr(x, sums.__name__)(), rtol=1e-13)
        assert caught[0].filename == __file__ and len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(z.sum(0, np.complex128), (x + 1j).sum(0), rtol=1e-13)
        same(a.sum(dtype=np.float32), x.sum(dtype=np.float32), rtol=1e-5)
    with pytest.raises(ValueError, match="shape"):
        a.sum(axis=0, out=cp.empty(3))
    half = np.ones(3, np.float16)
    same(cp.nextafter(cp.array(half), cp.array(half * 2)), np.nextafter(half, half * 2))


def test_axes_that_do_not_exist(cp):
    for f in (lambda a: a.sum(axis=2), lambda a: a.max(axis=-3), lambda a: a.swapaxes(0, 5)):
        with pytest.raises(np.exceptions.AxisError):
            f(cp.ones((2, 2)))


def test_ndarray_is_a_class(cp):
    assert isinstance(cp.ones(2), cp.ndarray) and not isinstance(np.ones(2), cp.ndarray)
    a = cp.ndarray((2, 3), np.float32, order="F")
    assert a.shape == (2, 3) and a.flags.f_contiguous and a.dtype == np.float32
    b = cp.arange(6, dtype=np.float32)
    view = cp.ndarray((2, 2), np.float32, b.data + 4, strides=(8, 4))
    assert view.tolist() == [[1, 2], [3, 4]]


def test_functions_of_the_host(cp):
    host = np.random.default_rng(0).standard_normal((4, 5))
    a = cp.array(host)
    for name, args in [("sort", ()), ("argsort", ()), ("cumsum", (1,)), ("cumprod", ()), ("median", ()),
                       ("percentile", (30,)), ("diff", ()), ("roll", (2,)), ("tril", ()), ("nanmax", ()),
                       ("unique", ()), ("histogram", (3,)), ("pad", (1,))]:  # fmt: skip
        ours, numpys = getattr(cp, name)(a, *args), getattr(np, name)(host, *args)
        if not isinstance(ours, tuple):
            ours, numpys = (ours,), (numpys,)
        for one, other in zip(ours, numpys, strict=True):
            same(one, np.asarray(other))
    same(cp.linalg.inv(a[:, :4]), np.linalg.inv(host[:, :4]), rtol=1e-12)
    same(cp.fft.fft(a), np.fft.fft(host), rtol=1e-12)
    out = cp.empty(20)
    assert cp.cumsum(a, out=out) is out
    same(out, np.cumsum(host))
    with pytest.raises(AttributeError, match="kasoku does not have cupy.linalg.nothing"):
        cp.linalg.nothing
    a.sort(axis=0)
    same(a, np.sort(host, axis=0))


def test_ufuncs_are_objects(cp):
    x = ramp((3, 4), np.int32)
    a = cp.array(x)
    assert cp.add.nin == 2 and repr(cp.add) == "<ufunc 'cupy_add'>" and isinstance(cp.add, cp.ufunc)
    same(cp.add(a, a, dtype=np.float64), np.add(x, x, dtype=np.float64))
    out = cp.empty((3, 4))
    assert cp.multiply(a, 2, out) is out
    same(out, 2.0 * x)
    same(cp.add.reduce(a), np.add.reduce(x))
    same(cp.maximum.accumulate(a), np.maximum.accumulate(x))
    same(cp.subtract.outer(a[0], a[1]), np.subtract.outer(x[0], x[1]))
    cp.add.at(a, (cp.array([0, 0]), cp.array([1, 1])), 10)
    assert int(a[0, 1]) == 22
    with pytest.raises(TypeError, match="same_kind"):
        cp.true_divide(a, 2, cp.empty((3, 4), np.int32))
    with pytest.raises(ValueError, match="shape"):
        cp.add(a, 1, cp.empty((2, 4)))


# ── kernels ───────────────────────────────────────────────────────────────────────────────────


def test_kernels_have_cupys_attributes(cp):
    k = cp.ElementwiseKernel("T x, raw S y", "T z", "z = x + y[0]", "with_raw", no_return=False)
    assert (k.nin, k.nout, k.nargs, k.name) == (2, 1, 3, "with_raw")
    assert [p.raw for p in k.params] == [False, True, False] and not k.cached_codes
    same(k(cp.arange(3), cp.array([10])), np.arange(3) + 10)
    assert len(k.cached_codes) == 1 and "with_raw" in k.cached_code
    with pytest.raises(ValueError, match=r"^Specified 'size' can"):
        k(cp.arange(3), cp.array([1]), size=3)
    with pytest.raises(ValueError, match=r"^Loop size is undecided\."):
        cp.ElementwiseKernel("raw T x", "T z", "z = x[i]")(cp.arange(3))
    with pytest.raises(ValueError, match="Invalid kernel name"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "1")
    r = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    same(r(cp.arange(12.0).reshape(3, 4), axis=1), np.linalg.norm(np.arange(12.0).reshape(3, 4), axis=1), rtol=1e-14)


@pytest.mark.parametrize("of_float, dtype", [("f", np.complex64), ("", np.complex128)])
def test_cu_complex_is_translated(cp, of_float, dtype):
    number = "cuFloatComplex" if of_float else "cuDoubleComplex"
    text = f"""#include <cuComplex.h>
    extern "C" __global__ void k({number}* x, {number} by, {number}* out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      {number} z = cuCfma{of_float}(x[i], by, make_{number}(1, -2));
      out[i] = cuCadd(cuCdiv{of_float}(z, cuConj{of_float}(by)), cuCabs{of_float}(z) * cuCreal{of_float}(x[i]));
    }}"""
    x = (np.arange(200) - 100 + 1j * np.arange(200)[::-1]).astype(dtype)
    by, out = dtype(2 - 3j), cp.zeros(200, dtype)
    z = x * by + dtype(1 - 2j)
    want = z / np.conj(by) + abs(z) * x.real
    kernel = cp.RawModule(code=text, translate_cucomplex=True).get_function("k")
    kernel.linear_launch(200, (cp.asarray(x), by, out, 200))
    np.testing.assert_allclose(out.get(), want, rtol=1e-5 if of_float else 1e-12)


def test_raw_kernels_and_globals(cp):
    module = cp.RawModule(code=r"""
        __constant__ float factor[2];
        extern "C" __global__ void scale(const float* x, float* y, int n) {
          int i = blockDim.x * blockIdx.x + threadIdx.x;
          if (i < n) y[i] = factor[i % 2] * x[i];
        }""", options=("-std=c++17",))  # fmt: skip
    factors = module.get_global("factor")
    factors.copy_from(np.array([2, 3], np.float32), 8)
    x, y = cp.arange(5, dtype=cp.float32), cp.zeros(5, cp.float32)
    module.get_function("scale")((1,), (8,), (x, y, 5))
    assert y.tolist() == [0, 3, 4, 9, 8]
    with pytest.raises(cp.cuda.compiler.CompileException, match=r"test_cupy.py:\d+:"):
        cp.RawKernel("__global__ void f() { nothing; }", "f").compile()
    with pytest.raises(TypeError, match="Exactly one"):
        cp.RawModule(code="", path="x")


def test_errors_of_modules_are_cupys_and_the_engines(cp):
    module = cp.RawModule(code='extern "C" __global__ void k(float* x) { x[0] = 1; }')
    for look_up in (module.get_function, module.get_global):
        with pytest.raises(cp.cuda.driver.CUDADriverError, match=r"'lost'.*CUDA_ERROR_NOT_FOUND") as caught:
            look_up("lost")
        assert isinstance(caught.value, ks.errors.ValueError)
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="no_file.cubin.*CUDA_ERROR_FILE_NOT_FOUND") as caught:
        cp.RawModule(path="no_file.cubin")
    assert isinstance(caught.value, OSError)
    with pytest.raises(ValueError, match="nvrtc"):
        cp.RawModule(code="", backend="nvcc", name_expressions=["f<int>"])


# ── cupy.cuda ─────────────────────────────────────────────────────────────────────────────────


def test_waiting_arrays_count_as_used_memory(cp):
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    x = cp.arange(100000.0)
    y = x * x + 1
    assert pool.used_bytes() - before >= y.nbytes == 800000
    del x, y


def test_a_modules_functions_have_a_kernels_attributes(cp):
    code = 'extern "C" __global__ void f(float* x) { __shared__ float s[32]; s[threadIdx.x] = 1; x[0] = s[0]; }'
    for f in (cp.RawKernel(code, "f"), cp.RawModule(code=code).get_function("f")):
        assert f.shared_size_bytes == 128 and f.max_threads_per_block >= 256 and f.num_regs >= 0
        assert (f.name, f.backend, f.file_path, f.enable_cooperative_groups) == ("f", "nvrtc", None, False)


def test_arguments_behind_those_that_a_raw_kernel_declares_mean_nothing(cp):
    code = 'extern "C" __global__ void f(int* x, int by) { x[threadIdx.x] *= by; }'
    for f in (cp.RawKernel(code, "f"), cp.RawModule(code=code).get_function("f")):
        x = cp.arange(4, dtype="int32")
        f((1,), (4,), (x, np.int32(3), np.int32(7), x))
        assert x.tolist() == [0, 3, 6, 9]
        with pytest.raises(TypeError, match="takes 2 arguments, got 1"):
            f((1,), (4,), (x,))
    with pytest.raises(TypeError, match="takes 2 arguments, got 3"):  # what ks has by itself refuses them
        ks.RawKernel(code, "f")((1,), (4,), (x, np.int32(3), x))


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


# ── cupy.random ───────────────────────────────────────────────────────────────────────────────


def test_random_numbers(cp):
    cp.random.seed(3)
    first = cp.random.rand(1000), cp.random.randint(0, 10, 1000), cp.random.gamma(2.0, 1.0, 1000)
    cp.random.seed(3)
    for a, b in zip(
        first, (cp.random.rand(1000), cp.random.randint(0, 10, 1000), cp.random.gamma(2.0, 1.0, 1000)), strict=True
    ):
        same(a, cp.asnumpy(b))
    g = cp.random.default_rng(5)
    x = cp.asnumpy(g.normal(3, 2, 100_000))
    assert abs(x.mean() - 3) < 0.05 and abs(x.std() - 2) < 0.05
    assert set(cp.asnumpy(g.integers(0, 3, 100, endpoint=True))) == {0, 1, 2, 3}
    p = cp.arange(50)
    cp.random.shuffle(p)
    assert sorted(p.tolist()) == list(range(50)) and p.tolist() != list(range(50))
    assert cp.random.rand(2, 3, dtype=cp.float32).dtype == np.float32
    with pytest.raises(TypeError, match="float16"):
        cp.random.rand(3, dtype=cp.float16)
    with pytest.raises(ValueError, match="low >= high"):
        cp.random.randint(3, 3, 1)


# ── cupyx ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_scatter_add(cp, dtype):
    for shape, at, values in [((5,), [1, 1, -1], [1, 2, 3]), ((3, 2), [[0, 2], [0, 0]], 2), ((4,), [], [])]:
        a, host = cp.zeros(shape, dtype), np.zeros(shape, dtype)
        at = np.array(at, np.int64)
        cupyx.scatter_add(a, cp.array(at), cp.array(values, dtype=dtype) if values else values)
        np.add.at(host, at, values)
        same(a, host)
    a = cp.zeros((2, 3), dtype)
    cupyx.scatter_add(a, (slice(None), 1), 4)
    assert a.tolist() == [[0, 4, 0]] * 2
    with pytest.raises(IndexError, match="out of bounds"):
        cupyx.scatter_add(cp.zeros(3, dtype), cp.array([3]), 1)


def test_benchmark_computes_what_nobody_reads(cp):
    from kasoku.compat.cupyx.profiler import benchmark

    x = cp.random.rand(300, 300)
    seen = []

    def discards():
        y = x * 2
        seen.append(y.is_pending)

    benchmark(discards, n_repeat=2, n_warmup=1)
    assert seen == [False] * 3
    assert (x * 2).is_pending  # as everywhere else


def test_benchmark_names_kernels_and_what_has_no_name(cp):
    from kasoku.compat.cupyx.profiler import benchmark

    kernel = cp.RawKernel('extern "C" __global__ void put(int *x) { x[threadIdx.x] = 1; }', "put")
    x = cp.zeros(8, dtype="i")
    assert benchmark(kernel, ((1,), (8,), (x,)), n_repeat=1, n_warmup=0).name == "put" and int(x.sum()) == 8

    class Call:
        def __call__(self):
            return 1

    assert benchmark(Call(), n_repeat=1, n_warmup=0).name == "Call"


def test_benchmark(cp):
    from kasoku.compat.cupyx.profiler import benchmark

    calls = []
    result = benchmark(lambda: calls.append(1), n_repeat=5, n_warmup=2, name="nothing")
    assert len(calls) == 7 and result.cpu_times.shape == (5,) and "nothing" in str(result)


# ── cupy.testing ──────────────────────────────────────────────────────────────────────────────


def test_testing_compares_with_numpy(cp):
    pytest.importorskip("kasoku_testing", reason="a wheel has no helpers of peers' tests")
    seen = []

    @cp.testing.for_all_dtypes(no_complex=True)
    @cp.testing.numpy_cupy_array_equal()
    def doubled(xp, dtype):
        seen.append(dtype)
        return cp.testing.shaped_arange((2, 3), xp, dtype) * dtype(1)

    doubled()
    assert {np.float16, np.bool_, np.uint64} <= set(seen)

    @cp.testing.numpy_cupy_allclose(rtol=1e-3)
    def wrong(xp):
        return xp.ones(3) * (1 if xp is np else 1.01)

    with pytest.raises(AssertionError):
        wrong()

    @cp.testing.numpy_cupy_array_equal()
    def raises_alone(xp):
        if xp is cp:
            raise ValueError("only here")
        return xp.ones(1)

    with pytest.raises(AssertionError, match="only one of them"):
        raises_alone()
    assert len(cp.testing.product({"a": [1, 2], "b": [3]})) == 2


def test_inner_names_that_tests_import_are_there(cp):
    pytest.importorskip("kasoku_testing", reason="a wheel has no helpers of peers' tests")
    from kasoku.compat.cupy.fft import _fft

    host = np.arange(24.0).reshape(2, 3, 4)
    a = cp.asarray(host)
    assert _fft._default_fft_func(a, axes=(0, 1)) is _fft._fftn
    assert _fft._size_last_transform_axis(a.shape, None, None) == 4
    same(_fft._fft(a), np.fft.fft(host), rtol=1e-12)
    same(_fft._fftn(a), np.fft.fftn(host), rtol=1e-12)


def test_a_wheel_has_the_assertions_of_testing_and_says_where_the_rest_is(cp, monkeypatch):
    monkeypatch.setitem(sys.modules, "kasoku_testing", None)
    cp.testing.assert_array_equal(cp.arange(3), np.arange(3))
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(cp.arange(3), np.arange(3) + 1)
    with pytest.raises(AttributeError, match="kasoku does not have cupy.testing.for_orders(.|\n)*kasoku_testing"):
        cp.testing.for_orders  # noqa: B018


def test_what_a_program_puts_in_place_of_random_functions_and_states_is_called(cp, monkeypatch):
    seen = mock.Mock()
    monkeypatch.setattr(cp.random._generator, "_random_states", {cp.cuda.Device().id: seen})
    cp.random.choice(3)
    cp.random.choice(3, replace=False)
    assert seen.choice.call_args_list == [mock.call(3, None, True, None), mock.call(3, None, False, None)]
    monkeypatch.setattr(cp.random._sample, "random_sample", seen.random_sample)
    monkeypatch.setattr(cp.random._sample, "randint", seen.randint)
    cp.random.rand(2, 3, dtype=np.float32)
    cp.random.random_integers(3)
    cp.random.random_integers(3, 5, (1, 2))
    seen.random_sample.assert_called_once_with(size=(2, 3), dtype=np.float32)
    assert seen.randint.call_args_list == [mock.call(1, 4, None), mock.call(3, 6, (1, 2))]


def test_take_with_an_output_and_of_one_number(cp):
    a, out = cp.arange(6).reshape(2, 3), cp.zeros((2, 2), cp.int64)
    assert cp.take(a, [2, 0], axis=1, out=out) is out and out.tolist() == [[2, 0], [5, 3]]
    assert a.take([5, 1]).tolist() == [5, 1] and cp.asarray(7).take([0, 0], axis=0).tolist() == [7, 7]
    for position in 1, 99:  # NumPy too looks at the output first
        with pytest.raises(ValueError, match="shape"):
            a.take([position], out=out)
    with pytest.raises(TypeError, match="dtype"):
        a.take([[0, 1], [2, 3]], out=cp.zeros((2, 2), cp.float32))


def test_numpys_functions_on_arrays(cp):
    a = cp.arange(4.0)
    assert np.result_type(3, a) == np.float64 and np.can_cast(a, "f4") is False
    assert np.common_type(cp.arange(2, dtype="f4"), a) is np.float64
    q, r = np.linalg.qr(cp.asarray([[1.0, 2], [3, 4]]))
    assert isinstance(q, cp.ndarray) and np.allclose((q @ r).get(), [[1, 2], [3, 4]])
    np.add.at(a, [0, 0], 5)
    assert a.tolist() == [10, 1, 2, 3]
    assert np.add.accumulate(a).tolist() == [10, 11, 13, 16] and np.multiply.outer(a, a).shape == (4, 4)


def test_flags_and_bytes(cp):
    a = cp.arange(6, dtype=cp.int16).reshape(2, 3)
    assert "OWNDATA" in repr(a.flags) and a.tobytes("F") == a.get().tobytes("F")
    assert repr(cp._core.flags.Flags(1, 2, 3)).endswith("OWNDATA : 3")
    assert a.conj() is a and a.conjugate() is a
    assert all(set(one) <= set("?bBhHiIlLqQefdFD->") for one in cp.add.types)


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


def test_flat_shows_the_elements_in_a_row(cp):
    a = cp.arange(6.0).reshape(2, 3).T
    assert a.flat[1] == 3 and a.flat[1:3].tolist() == [3, 1] and len(a.flat) == 6
    a.flat[::2] = -1
    want = np.arange(6.0).reshape(2, 3).T.copy()
    want.flat[::2] = -1
    assert (a.get() == want).all() and [float(x) for x in a.flat] == want.ravel().tolist()
    a.flat = 5
    assert (a.get() == 5).all() and a.flat.copy().shape == (6,)


def test_indices_and_rows_that_are_joined(cp):
    a = cp.arange(12).reshape(3, 4)
    assert a[cp.ix_([0, 2], [1, 3])].tolist() == [[1, 3], [9, 11]]
    assert cp.r_[cp.arange(2), 7, 1:3].tolist() == [0, 1, 7, 1, 2] and cp.c_[cp.arange(2), cp.arange(2)].shape == (2, 2)


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


def test_kernels_in_python_share_memory():
    from kasoku.compat.cupyx import jit

    @jit.rawkernel()
    def total(x, y, size):
        tid, width = jit.threadIdx.x, jit.blockDim.x
        value = cupy.float32(0)
        for i in range(tid, size, width):
            value += x[i]
        lanes = jit.shared_memory(cupy.float32, 64)
        lanes[tid] = value
        jit.syncthreads()
        if tid == 0:
            value = cupy.float32(0)
            for i in range(width):
                value += lanes[i]
            y[0] = value
        jit.atomic_add(y, 1, 1)

    x, y = cupy.arange(1000, dtype=cupy.float32), cupy.zeros(2, cupy.float32)
    total[1, 64](x, y, 1000)
    assert y.get().tolist() == [499500, 64]


def test_arrays_that_the_threads_of_kernels_in_python_share_are_apart():
    from kasoku.compat.cupyx import jit

    @jit.rawkernel()
    def mixed(x, y):
        n = 32
        t = jit.threadIdx.x
        there, back = jit.shared_memory(cupy.float32, 32), jit.shared_memory(size=n, dtype=cupy.float32)
        there[t], back[t] = x[t], -x[t]
        jit.syncthreads()
        y[t] = there[31 - t] + 100 * back[t]

    x, y = cupy.arange(32, dtype=cupy.float32), cupy.zeros(32, cupy.float32)
    mixed[1, 32](x, y)
    assert y.get().tolist() == [31 - t - 100 * t for t in range(32)]


def test_loops_of_kernels_in_python_may_say_how_they_unroll():
    from kasoku.compat.cupyx import jit

    @jit.rawkernel()
    def sums(x, n):
        for i in jit.range(1, n, unroll=4):
            x[0] += i
        for i in jit.range(n, unroll=True):
            x[1] += i

    x = cupy.zeros(2)
    sums((1,), (1,), (x, 10))
    assert x.tolist() == [45, 45]
    with pytest.raises(TypeError, match="the module .*cupyx.jit has no attribute 'nothing'"):
        jit.rawkernel()(lambda x: jit.nothing(x))((1,), (1,), (x,))


# ── views, products and compiled functions ────────────────────────────────────────────────────


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("cut", ["a", "a.transpose(2, 0, 1)", "a.swapaxes(0, 1)", "a[::-1, :, ::2]", "a.T", "a[:, :0]"])
def test_elements_in_a_row(cp, order, cut):
    host = ramp((2, 3, 4), np.float32)
    ours, numpys = eval(cut, {"a": cp.array(host)}), eval(cut, {"a": host})
    same(ours.ravel(order), numpys.ravel(order))
    same(ours.flatten(order), numpys.flatten(order))
    same(cp.ravel(ours, order), np.ravel(numpys, order))


@pytest.mark.parametrize(
    "change",
    [
        lambda xp, a: [xp.split(a, 2)[1]],
        lambda xp, a: xp.array_split(a, 3, 1)[::2],
        lambda xp, a: xp.hsplit(a, [1, 3]),
        lambda xp, a: xp.vsplit(a, 2),
        lambda xp, a: (
            [xp.diagonal(a, 1), a.diagonal(-2)]
            if xp is cupy
            else [a.reshape(-1)[1::7][:4], a.reshape(-1)[12::7][:2]]  # numpy.diagonal is read-only
        ),
        lambda xp, a: [xp.rot90(a), xp.flipud(a)[:1], xp.fliplr(a)[:, :2]],
        lambda xp, a: [xp.rollaxis(a, 1)[1:], xp.atleast_3d(a)[:, 0]],
        lambda xp, a: [xp.einsum("ij->ji", a)[2:], xp.einsum("ii->i", a[:, :4])],
        lambda xp, a: [xp.lib.stride_tricks.as_strided(a, (3, 2), (16, 8))],
        lambda xp, a: [xp.real(a), xp.real(a)[::2]],
    ],
)
def test_views_are_written_through(cp, change):
    host = ramp((4, 6), np.float64)
    a = cp.array(host)
    writable = np.array(host)
    for k, (ours, numpys) in enumerate(zip(change(cp, a), change(np, writable), strict=True)):
        same(ours, numpys)
        ours[...] = -k - 1
        numpys[...] = -k - 1
        same(a, writable)


def test_views_of_complex_parts_and_broadcast(cp):
    z = cp.array([1 + 2j, 3 - 1j])
    cp.imag(z)[...] = 5
    assert z.tolist() == [1 + 5j, 3 + 5j]
    a, b = both = cp.broadcast_arrays(cp.arange(3), cp.zeros((2, 1)))
    assert type(both) is tuple
    same(a, np.broadcast_to(np.arange(3), (2, 3)))
    same(b, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="bytes"):
        cp.lib.stride_tricks.as_strided(cp.arange(4.0), (3, 3), (16, 8))
    windows = cp.lib.stride_tricks.sliding_window_view(cp.arange(6), 4)
    same(windows, np.lib.stride_tricks.sliding_window_view(np.arange(6), 4))
    same(cp.lib.stride_tricks.sliding_window_view([3, 1, 4], 2), np.array([[3, 1], [1, 4]]))
    x = ramp((3, 4), np.float32)
    for letters in ("ij->i", "ij->", "ij,kj->ik"):  # sums are not views
        operands = [x] * (1 + letters.count(","))
        same(cp.einsum(letters, *map(cp.array, operands)), np.einsum(letters, *operands), rtol=1e-6)


@pytest.mark.parametrize("name", ["dot", "matmul"])
def test_products_into_an_output(cp, name):
    a, b = ramp((2, 3), np.float64), ramp((3, 4), np.float64)
    out = cp.empty((2, 4))
    assert getattr(cp, name)(cp.array(a), cp.array(b), out=out) is out
    same(out, a @ b)
    with pytest.raises(ValueError, match="shape"):
        getattr(cp, name)(cp.array(a), cp.array(b), out=cp.empty((4, 2)))
    with pytest.raises((TypeError, ValueError)):
        getattr(cp, name)(cp.array(a), cp.array(b), out=cp.empty((2, 4), np.int32))


def test_vectorize(cp):
    def clipped(x, y):
        if x > y:
            return y
        return x * 2

    f = cp.vectorize(clipped)
    x = ramp((3, 4), np.float32)
    same(f(cp.array(x), cp.array([3, 6, 9, 12], np.float32)), np.vectorize(clipped)(x, np.float32([3, 6, 9, 12])))
    same(f(cp.arange(6), 3), np.vectorize(clipped)(np.arange(6), 3))
    assert cp.vectorize(clipped, otypes="f")(cp.arange(3), 1).dtype == np.float32
    assert f.__name__ == "clipped"
    with pytest.raises(NotImplementedError, match="signature"):
        cp.vectorize(clipped, signature="(n)->()")


@pytest.mark.parametrize("name", ["shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"])
def test_shuffles_of_a_part_of_a_warp_are_those_of_cuda(cp, name):
    from kasoku.compat.cupyx import jit

    shuffle = getattr(jit, name)

    @jit.rawkernel()
    def kernel(a, b, by, width):
        b[jit.threadIdx.x] = shuffle(0xFFFFFFFF, a[jit.threadIdx.x], by, width=width)

    text = f"""extern "C" __global__ void raw(const int *a, int *b, int by, int width) {{
        b[threadIdx.x] = __{name}(0xffffffffu, a[threadIdx.x], by, width); }}"""
    x = cp.arange(64, dtype="i4")
    for width, by in [(2, 1), (8, 3), (16, 9), (32, 5), (4, 0)]:
        got, wanted = cp.zeros_like(x), cp.zeros_like(x)
        kernel((1,), (64,), (x, got, by, width))
        cp.RawKernel(text, "raw")((1,), (64,), (x, wanted, np.int32(by), np.int32(width)))
        same(got, wanted.get())
    assert len(kernel.cached_codes) == 1 and "kernel" in kernel.cached_code


def _added_up(x):
    x += 1
    return x


@pytest.mark.parametrize("function", [
    lambda x, y: x + y, lambda x, y: (x + y) * x, lambda x, y: x, lambda x, y: 0.5, lambda x, y: _added_up(x),
    lambda x, y: abs(x) ** 2, lambda x, y: np.maximum(x, y) + 1,
])  # fmt: skip
@pytest.mark.parametrize("dtype", "?iBfF")
def test_vectorize_without_branches_computes_as_numpys_numbers_do(cp, function, dtype):
    x, y = ramp((2, 3), dtype), ramp((3,), dtype)
    a = cp.array(x)
    f = cp.vectorize(function)
    got, wanted = f(a, cp.array(y)), [function(*both) for both in np.broadcast(x, y)]
    assert f._compiled is None  # no loop was compiled
    assert type(got) is cp.ndarray and got.dtype == np.asarray(wanted[0]).dtype
    assert got.shape == (2, 3) and np.allclose(got.get().ravel(), wanted)
    got[...] = 0
    same(a, x)  # the result has memory of its own, and a number is not changed in place


def test_vectorize_gives_tuples_and_takes_dtypes_of_ufuncs(cp):
    x = cp.array([True, False])
    total, quotient = cp.vectorize(lambda a, b: (a + b, a / b))(cp.arange(3), 2)
    same(total, np.array([2, 3, 4])), same(quotient, np.array([0, 0.5, 1]))
    same(cp.vectorize(lambda a: cp.add(a, a, dtype="f4"))(x), np.array([2, 0], np.float32))
    first, second = cp.vectorize(lambda a: (a, a), otypes="fd")(x)
    assert (first.dtype, second.dtype) == (np.float32, np.float64)
    with pytest.raises(ValueError, match="number of results"):
        cp.vectorize(lambda a: a, otypes="fd")(x)
    with pytest.raises(TypeError, match="order"):
        cp.vectorize(lambda a, b: a < b)(cp.array([1j]), cp.array([2j]))


@pytest.mark.parametrize("function", [
    lambda x: max(x, 2), lambda x: math.sin(x), lambda x: np.sin(x) if x > 1 else x, lambda x: np.float32(x),
])  # fmt: skip
def test_vectorize_looks_at_numbers_where_the_function_does(cp, function):
    x = ramp((2, 3), np.float64)
    assert np.allclose(cp.vectorize(function)(cp.array(x)).get(), np.vectorize(function)(x))


def test_lstsq_is_of_one_matrix(cp):
    a, b = ramp((4, 2), np.float64) ** 0.5, ramp((4,), np.float64)
    found = cp.linalg.lstsq(cp.array(a), cp.array(b), rcond=None)
    assert type(found[0]) is cp.ndarray and np.allclose(found[0].get(), np.linalg.lstsq(a, b, rcond=None)[0])
    for shape, other in [((3, 3, 3), (3, 3)), ((3, 3), (3, 3, 3))]:
        with pytest.raises(np.linalg.LinAlgError, match="axes"):
            cp.linalg.lstsq(cp.ones(shape), cp.ones(other))


def test_a_shape_that_memory_has_not_is_numpys_error(cp):
    a = cp.ndarray((2, 3), order="F")
    with pytest.raises(AttributeError, match="incompatible shape"):
        a.shape = (3, 2)


def test_the_face_counts_as_installed():
    from kasoku_testing.cupy._conditions import installed

    assert installed("cupy", "cupy>9", "numpy>=1.20") and not installed("cupy>=99") and not installed("cupyy")


def test_none_is_no_element(cp):
    for x in (cp.arange(3), cp.float32(2) + cp.zeros((2, 0))):
        same(x == None, x.get() == None)  # noqa: E711
        same(x != None, x.get() != None)  # noqa: E711


def test_copyto_of_numbers(cp):
    for dtype in dtypes:
        for value in (True, 2, -3, 1.5, 2j):
            ours, numpys = cp.zeros(3, dtype), np.zeros(3, dtype)
            try:
                np.copyto(numpys, value)
            except (TypeError, OverflowError) as error:
                with pytest.raises(type(error)):
                    cp.copyto(ours, value)
            else:
                cp.copyto(ours, value)
                same(ours, numpys)


def test_a_generator_takes_another_bit_generator(cp):
    g = cp.random.Generator(cp.random.XORWOW(3))
    first = g.random(5).tolist() + g.beta(1, 2, 3).tolist()
    g.bit_generator = cp.random.XORWOW(3)
    assert g.random(5).tolist() + g.beta(1, 2, 3).tolist() == first


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


def test_what_indices_choose_lies_in_c_order(cp):
    x, index = cp.arange(60.0).reshape(3, 4, 5), cp.array([2, 0])
    for key in ((slice(None), index), (..., index), (index, slice(None), index)):
        assert x[key].flags.c_contiguous
    assert x[:, index, 1].flags.f_contiguous  # where several choose together it is NumPy's


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


def test_outputs_of_reductions_may_be_narrower(cp):
    x = ramp((4, 6), np.bool_)
    x[1:3, 2] = False
    for axis in (0, 1):
        out = cp.zeros(x.sum(axis).shape, bool)
        same(cp.sum(cp.array(x), axis=axis, out=out), np.sum(x, axis=axis, out=np.zeros(out.shape, bool)))
    y = ramp((4, 6), np.int8)
    for name in ("mean", "nanmean"):
        same(
            getattr(cp, name)(cp.array(y), axis=0, out=cp.zeros(6, np.int8)),
            getattr(np, name)(y, axis=0, out=np.zeros(6, np.int8)),
        )
    with pytest.raises(TypeError):
        cp.sum(cp.ones((2, 3)), axis=0, out=cp.zeros(3, np.int8))


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


def test_what_no_array_holds_is_a_value_error(cp):
    with pytest.raises(ValueError, match="no array holds the dtype object"):
        cp.array([1, None])


@pytest.mark.parametrize("half", [np.float16, np.float32])
def test_eigenvalues_of_halves_are_halves(cp, half):
    host = np.array([[2, 0, 1], [0, 3, 0], [1, 0, 2]])
    w, v = cp.linalg.eigh(cp.array(host, half), UPLO="U")
    assert w.dtype == v.dtype == half
    np.testing.assert_allclose(cp.asnumpy(w), np.linalg.eigvalsh(host), rtol=2e-3)
    np.testing.assert_allclose(cp.asnumpy(v * w @ v.T), host, atol=2e-2)


def test_clip_has_cupys_arguments(cp):
    x = np.linspace(-1, 1, 9)
    same(cp.clip(cp.array(x), a_min=-0.5, a_max=None), np.clip(x, -0.5, None))
    out = cp.empty(9)
    assert cp.clip(cp.array(x), 0, 0.5, out=out) is out
    with pytest.raises(TypeError):
        cp.clip(cp.array(x), 3)


@pytest.mark.parametrize("numbers_first", [False, True])
def test_a_number_beside_an_array_of_a_given_dtype(numbers_first):
    def product(space):
        a = space.arange(3)
        return space.multiply(*((2, a) if numbers_first else (a, 2)), dtype="f4")

    mine, theirs = product(cupy), product(np)
    assert mine.dtype == theirs.dtype == np.float32
    assert mine.get().tolist() == theirs.tolist() == [0, 2, 4]


def test_a_reduction_knows_how_many_elements_and_results_there_are():
    mean = cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean")
    a = np.arange(6.0).reshape(2, 3)
    assert mean(cupy.asarray(a)).get() == a.mean()
    np.testing.assert_allclose(mean(cupy.asarray(a), axis=1).get(), a.mean(axis=1))
    many = np.arange(200_001.0)  # in chunks
    np.testing.assert_allclose(mean(cupy.asarray(many)).get(), many.mean())


def test_the_error_of_text_tells_its_message():
    with pytest.raises(cupy.cuda.compiler.CompileException) as caught:
        cupy.RawKernel('extern "C" __global__ void f() { nonsense }', "f")((1,), (1,), ())
    assert "nonsense" in caught.value.get_message() and caught.value.get_message() == str(caught.value)
