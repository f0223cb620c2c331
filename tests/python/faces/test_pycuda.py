"""PyCUDA's face: what its users call, on every device, against NumPy."""

import itertools
import operator
import sys

import numpy as np
import pytest

import kasoku as ks


@pytest.fixture(autouse=True)
def face(device):
    from kasoku.compat.pycuda import _context as driver

    before, driver._current = driver._current, ks.Device(device)
    yield
    driver._current = before


@pytest.fixture
def drv():
    from kasoku.compat.pycuda import driver

    return driver


@pytest.fixture
def ga():
    from kasoku.compat.pycuda import gpuarray

    return gpuarray


@pytest.fixture
def SourceModule():
    from kasoku.compat.pycuda.compiler import SourceModule

    return SourceModule


rng = np.random.default_rng(1)
multiply = """
__global__ void multiply_them(float *dest, float *a, float *b) {
  const int i = threadIdx.x * blockDim.y + threadIdx.y;
  dest[i] = a[i] * b[i];
}
"""


# ── driver ────────────────────────────────────────────────────────────────────────────────────


def test_host_arrays_in_and_out(drv, SourceModule):
    f = SourceModule(multiply).get_function("multiply_them")
    a, b = (rng.random(400).astype(np.float32) for _ in range(2))
    dest = np.zeros_like(a)
    f(drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1))
    assert (dest == a * b).all()
    twice = a.copy()
    f(drv.InOut(twice), drv.In(a), drv.In(b), block=(400, 1, 1), grid=(1, 1))
    assert (twice == a * b).all()


def test_memory_by_address(drv, SourceModule):
    z = rng.random(400).astype(np.float32)
    assert (drv.from_device_like(drv.to_device(z), z) == z).all()
    assert (drv.from_device(drv.to_device(z), z.shape, z.dtype) == z).all()
    a_gpu, b_gpu = drv.to_device(z), drv.mem_alloc(z.nbytes)
    drv.memcpy_htod(b_gpu, 2 * z)
    f = SourceModule(multiply).get_function("multiply_them")
    dest = np.zeros_like(z)
    f(drv.Out(dest), a_gpu, b_gpu, block=(400, 1, 1))
    assert (dest == z * 2 * z).all()
    dest[:] = 0
    f(drv.Out(dest), np.intp(a_gpu) + z.itemsize, b_gpu, block=(399, 1, 1))
    assert (dest[:-1] == z[1:] * 2 * z[:-1]).all()
    back = np.empty_like(z)
    drv.memcpy_dtod(b_gpu, a_gpu, z.nbytes)
    drv.memcpy_dtoh(back, b_gpu)
    assert (back == z).all()
    b_gpu.free()
    with pytest.raises(drv.Error, match="freed"):
        drv.memcpy_dtoh(back, b_gpu)


def test_memset(drv):
    memory = drv.mem_alloc(64)
    host = np.zeros(16, np.uint32)
    drv.memset_d32(memory, 0x12345678, 16)
    drv.memset_d8(int(memory) + 4, 0xFF, 4)
    drv.memset_d16(int(memory) + 8, 7, 2)
    drv.memcpy_dtoh(host, memory)
    assert host[:4].tolist() == [0x12345678, 0xFFFFFFFF, 0x00070007, 0x12345678]


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_memset_of_rows(drv, bits):
    want = np.zeros((4, 10), f"uint{bits}")
    memory = drv.to_device(want)
    getattr(drv, f"memset_d2d{bits}")(int(memory) + want.strides[0], want.strides[0], 2**bits - 3, 7, 2)
    getattr(drv, f"memset_d2d{bits}_async")(memory, 0, 1, 0, 0)
    want[1:3, :7] = 2**bits - 3
    assert (drv.from_device_like(memory, want) == want).all()


def test_arguments_that_are_set_before_the_launch(drv, SourceModule, ga):
    f = SourceModule("""
      __global__ void f(int *x, float a, int n) {
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n) x[i] += (int)a;
      }""").get_function("f")
    x = ga.zeros(100, np.int32)
    with pytest.raises(drv.LogicError, match="set_block_shape"):
        f.launch()
    f.set_block_shape(32, 1, 1)
    f.param_seti(12, 90)
    f.param_setf(8, 5.0)
    f.param_seti(0, int(x.gpudata))
    f.param_set_size(16)
    f.launch()
    f.launch_grid(2, 1)
    f.param_set(x.gpudata, np.float32(100), np.int32(70))
    f.launch_grid_async(3, 1, drv.Stream())
    drv.Context.synchronize()
    i = np.arange(100)
    assert (x.get() == 5 * (i < 32) + 5 * (i < 64) + 100 * (i < 70)).all()


def test_streams_events_and_page_locked_memory(drv, SourceModule):
    f = SourceModule(multiply).get_function("multiply_them")
    a = drv.pagelocked_zeros((32, 8), np.float32)
    a[:] = rng.random((32, 8))
    a_gpu, b_gpu = drv.mem_alloc(a.nbytes), drv.mem_alloc(a.nbytes)
    stream = drv.Stream()
    start, end = drv.Event(), drv.Event()
    start.record(stream)
    drv.memcpy_htod_async(a_gpu, a, stream)
    drv.memcpy_htod_async(b_gpu, a, stream)
    dest = drv.pagelocked_empty_like(a)
    f(drv.Out(dest), a_gpu, b_gpu, block=(32, 8, 1), stream=stream)
    end.record(stream).synchronize()
    stream.synchronize()
    assert stream.is_done() and end.query()
    assert end.time_since(start) >= 0 and start.time_till(end) >= 0
    assert (dest == a * a).all()
    assert f(drv.Out(dest), a_gpu, b_gpu, block=(32, 8, 1), time_kernel=True) >= 0


def test_prepared_calls_and_attributes(drv, SourceModule, ga):
    f = SourceModule(multiply).get_function("multiply_them")
    a, b, c = (ga.to_gpu(rng.random(16).astype(np.float32)) for _ in range(3))
    f.prepare("PPP")
    f.prepared_call((1, 1), (16, 1, 1), c.gpudata, a.gpudata, b.gpudata)
    assert (c.get() == a.get() * b.get()).all()
    f.prepared_async_call((1, 1), (16, 1, 1), drv.Stream(), c.gpudata, a.gpudata, b.gpudata)
    assert f.prepared_timed_call((1, 1), (16, 1, 1), c.gpudata, a.gpudata, b.gpudata)() >= 0
    assert f.num_regs >= 0 and f.shared_size_bytes == 0 and f.local_size_bytes >= 0


def test_devices(drv):
    drv.init()
    assert drv.Device.count() >= 1
    device = drv.Device(0)
    assert isinstance(device.name(), str) and device.total_memory() > 0
    major, minor = device.compute_capability()
    assert (major, minor) == (7, 5) if device._device.kind == "cpu" else major >= 5
    assert device.get_attribute(drv.device_attribute.COMPUTE_CAPABILITY_MAJOR) == major
    assert device.get_attribute(drv.device_attribute.WARP_SIZE) == 32
    assert device.get_attributes()[drv.device_attribute.MAX_THREADS_PER_BLOCK] >= 256
    assert device.max_threads_per_block >= 256
    context = device.make_context()
    context.synchronize()
    assert context.get_device() == device
    context.pop()
    context.detach()
    free, total = drv.mem_get_info()
    assert 0 < free <= total
    with pytest.raises(drv.LogicError):
        drv.Device(99)


def test_elements_of_the_same_size_are_taken_as_the_kernel_says(SourceModule, ga):
    kernel = SourceModule("__global__ void f(int *x) { x[threadIdx.x] += 1; }").get_function("f")
    x = ga.to_gpu(np.float32([0, 1]))
    kernel(x, block=(2, 1, 1))
    assert x.get().view("int32").tolist() == [1, np.float32(1).view("int32") + 1]
    with pytest.raises(TypeError, match="is int \\*, got a float64 array"):
        kernel(ga.to_gpu(np.float64([0, 1])), block=(2, 1, 1))


def test_what_kernels_that_launch_kernels_are_linked_with_means_nothing(SourceModule):
    SourceModule("__global__ void f() {}", options=["-rdc=true", "-lcudadevrt"]).get_function("f")
    with pytest.raises(Exception, match="links with nothing"):
        SourceModule("__global__ void f() {}", options=["-lcublas"])


def test_globals_and_vectors(drv, SourceModule, ga):
    module = SourceModule("""
    __constant__ float factors[3];
    __global__ void use(float *x) { x[threadIdx.x] *= factors[threadIdx.x]; }
    __global__ void set_them(float3 *dest, float3 x) { dest[threadIdx.x] = x; }
    """)
    address, size = module.get_global("factors")
    assert size == 12
    drv.memcpy_htod(address, np.array([1, 2, 3], np.float32))
    x = ga.to_gpu(np.ones(3, np.float32))
    module.get_function("use")(x, block=(3, 1, 1))
    assert x.get().tolist() == [1, 2, 3]
    v = ga.vec.make_float3(1, 2, 3)
    dest = np.empty(400, ga.vec.float3)
    module.get_function("set_them")(drv.Out(dest), v, block=(400, 1, 1))
    assert (dest == v).all()


def test_errors(drv, SourceModule):
    with pytest.raises(drv.CompileError, match="undeclared") as caught:
        SourceModule("__global__ void f(float *x) { x[threadIdx.x] = undeclared; }")
    assert "does not compile" in caught.value.msg and "undeclared" in caught.value.stderr
    with pytest.raises(drv.Error, match="nothing_here"):
        SourceModule(multiply).get_function("nothing_here")
    with pytest.raises(AttributeError, match="pycuda.driver.nothing_here"):
        drv.nothing_here


# ── gpuarray ──────────────────────────────────────────────────────────────────────────────────

types = [np.int32, np.int64, np.float32, np.float64, np.complex64, np.complex128]


def sample(shape, dtype):
    if np.dtype(dtype).kind == "c":
        return (rng.integers(-42, 42, shape) + 1j * rng.integers(1, 42, shape)).astype(dtype)
    x = rng.integers(-42, 42, shape)
    return (x + (x == 0)).astype(dtype)


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_arithmetic_of_all_dtypes(ga, op):
    for left, right in itertools.product(types, types):
        a, b = sample((10, 4), left), sample((10, 4), right)
        got, want = op(ga.to_gpu(a), ga.to_gpu(b)).get(), op(a, b)
        assert got.dtype == want.dtype, (left, right)
        np.testing.assert_allclose(got, want, rtol=5e-6)


@pytest.mark.parametrize("dtype", types)
def test_arithmetic_with_numbers(ga, dtype):
    a = sample(100, dtype)
    g = ga.to_gpu(a)
    numbers = [3, 2.5] + ([1 + 2j] if np.dtype(dtype).kind == "c" else [])
    for number in numbers:
        for op in (operator.add, operator.sub, operator.mul, operator.truediv):
            for got, want in [(op(g, number), op(a, number)), (op(number, g), op(number, a))]:
                assert got.dtype == want.dtype
                np.testing.assert_allclose(got.get(), want, rtol=2e-6)
    assert isinstance(np.float32(2) * ga.to_gpu(a.real.astype(np.float32)), ga.GPUArray)
    assert isinstance(2 * g, ga.GPUArray)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float32, np.float64])
def test_floor_division_and_modulo_are_pythons(ga, dtype):
    a, b = sample(200, dtype), sample(200, dtype)
    np.testing.assert_allclose((ga.to_gpu(a) // ga.to_gpu(b)).get(), a // b)
    np.testing.assert_allclose((ga.to_gpu(a) % ga.to_gpu(b)).get(), a % b)
    np.testing.assert_allclose((ga.to_gpu(a) % 7).get(), a % dtype(7))


def test_powers(ga):
    a = np.arange(1, 11).astype(np.float32)
    g = ga.to_gpu(a)
    np.testing.assert_allclose((g**2).get(), a**2, rtol=1e-6)
    np.testing.assert_allclose(pow(g, g.astype(np.float64) * 0.5).get(), a ** (a * 0.5), rtol=1e-6)
    np.testing.assert_allclose((2.5**g).get(), 2.5**a, rtol=1e-6)
    i = ga.to_gpu(np.arange(8, dtype=np.int32))
    assert ((i**3).get() == np.arange(8) ** 3).all()
    g **= 2
    np.testing.assert_allclose(g.get(), a**2, rtol=1e-6)


def test_in_place(ga):
    a = np.arange(10, dtype=np.float32)
    g = ga.to_gpu(a)
    same = g
    g += g
    g -= 1
    g *= 3
    g /= 2
    assert same is g
    np.testing.assert_allclose(g.get(), (2 * a - 1) * 3 / 2)
    assert g.dtype == np.float32


def test_bools_are_numbers_to_operators(ga):
    a, b = np.array([True, False, True]), np.array([True, True, False])
    g, h = ga.to_gpu(a), ga.to_gpu(b)
    assert ((g - h).get() == (a ^ b)).all() and (g - h).dtype == bool
    assert ((g + h).get() == (a | b)).all() and ((-g).get() == a).all() and ((g**h).get() == a**b).all()
    assert ((g / 2).get() == a / 2).all()


def test_outputs_may_be_operands(ga):
    a = np.arange(12.0)
    g = ga.to_gpu(a)
    g[1:] = g[:-1]
    assert (g.get() == [0, *range(11)]).all()
    g[:] = g[::-1]
    assert (g.get() == [*range(10, -1, -1), 0]).all()
    f = ga.to_gpu(np.asfortranarray(a.reshape(3, 4)))
    assert (f * f).flags.f_contiguous and ((f * f).get() == (a * a).reshape(3, 4)).all()
    f += f
    assert f.flags.f_contiguous and (f.get() == 2 * a.reshape(3, 4)).all()
    joined = ga.concatenate([ga.GPUArray(2, ga.vec.float3).fill(ga.vec.make_float3(k, 2, 3)) for k in range(2)])
    assert joined.get()["x"].tolist() == [0, 0, 1, 1]


def test_comparisons_unary_and_nan(ga):
    a = np.array([1.0, 0.25, 0.1, -0.1, 0.0, np.nan])
    g = ga.to_gpu(a)
    for op in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        assert (op(g, 0.25).get() == op(a, 0.25)).all()
        assert (op(g, g).get() == op(a, a)).all()
    np.testing.assert_array_equal((-g).get(), -a)
    np.testing.assert_array_equal(abs(g).get(), abs(a))
    i = ga.to_gpu(np.array([1, 2, 6], np.int32))
    assert (~i).get().tolist() == [-2, -3, -7]
    assert ((i & 2) | 1).get().tolist() == [1, 3, 3]
    assert (i << 2).get().tolist() == [4, 8, 24]


def test_shapes_and_constructors(ga):
    assert ga.empty(np.int32(17), np.float32).shape == (17,)
    assert ga.empty(np.array([2, 3]), np.float32).shape == (2, 3)
    assert ga.zeros(10).dtype == np.float64
    assert (ga.ones((2, 3), np.int32).get() == 1).all()
    assert (ga.arange(2, 20, 3, dtype=np.float32).get() == np.arange(2, 20, 3)).all()
    assert ga.zeros((0, 3)).get().shape == (0, 3)
    assert len(ga.zeros(4)) == 4
    zero = ga.zeros((0,), np.float32)
    assert (zero + 1).get().size == 0 and ga.sum(zero).get() == 0
    for order in "CF":
        like = ga.zeros_like(ga.to_gpu(np.zeros((3, 4), order=order)))
        assert like.flags.c_contiguous == (order == "C")
    with pytest.raises(ValueError):
        ga.empty(3, np.float32).set(np.zeros(4, np.float32))


def test_reshape_view_squeeze_transpose(ga):
    a = np.arange(128).reshape(8, 16).astype(np.float32)
    g = ga.to_gpu(a)
    assert g.reshape(-1, 32).shape == (4, 32) and g.reshape([4, 32]).shape == (4, 32)
    with pytest.raises(ValueError):
        g.reshape(-1, -1, 4)
    assert g.reshape(4, 32, order="F").flags.f_contiguous
    assert g.view(np.complex64).shape == (8, 8) and g.view(np.int16).shape == (8, 32)
    assert (g.view(np.int32).get() == a.view(np.int32)).all()
    assert (g.T.get() == a.T).all() and (g.transpose((1, 0)).get() == a.T).all()
    assert (g.ravel().get() == a.ravel()).all()
    b = rng.random((4, 2, 5, 10))
    h = ga.to_gpu(b)
    assert h[0:1, 1:2].squeeze().shape == (5, 10)
    assert (h[:, :, 2:3].squeeze().get() == b[:, :, 2]).all()
    assert h[:, None].shape == b[:, None].shape


@pytest.mark.parametrize("index", [
    np.s_[3], np.s_[-1], np.s_[2:9], np.s_[::2], np.s_[::-1], np.s_[1:3, 2:5], np.s_[..., 1],
    np.s_[:, 3], np.s_[2, 4], np.s_[:, ::-2, None], np.s_[5:5],
])  # fmt: skip
def test_slices(ga, index):
    a = rng.random((10, 20, 3))
    g = ga.to_gpu(a)
    assert g[index].shape == a[index].shape
    assert (g[index].get() == a[index]).all()
    np.testing.assert_allclose((g[index] + 1).get(), a[index] + 1)
    g[index] = 7
    a[index] = 7
    assert (g.get() == a).all()
    for wrong in [(10,), (0, 0, 0, 0)]:
        with pytest.raises(IndexError):
            g[wrong]


def test_orders_and_strides_are_kept(ga):
    a = rng.random((4, 5, 6))
    for host in (a, np.asfortranarray(a), a.transpose(1, 2, 0), a[::2], a.swapaxes(0, 1)):
        assert (ga.to_gpu(host).get() == host).all()
    assert ga.to_gpu(a.T).flags.f_contiguous
    g = ga.GPUArray((6, 20), np.float64, gpudata=ga.to_gpu(a).gpudata, order="F")
    assert (g.get() == a.ravel().reshape(6, 20, order="F")).all()
    assert (g[:, 3:7].get() == g.get()[:, 3:7]).all()


def test_complex_parts(ga):
    for dtype, real in ((np.complex64, np.float32), (np.complex128, np.float64)):
        z = ga.to_gpu(rng.random(20).astype(real)).astype(dtype) + 1j * ga.to_gpu(rng.random(20).astype(real))
        assert z.dtype == dtype
        host = z.get()
        assert (z.real.get() == host.real).all() and (z.imag.get() == host.imag).all()
        assert (z.conj().get() == host.conj()).all() and z.real.dtype == real
        out = ga.empty_like(z)
        assert z.conj(out=out) is out
        np.testing.assert_allclose(abs(z).get(), abs(host), rtol=1e-6)


@pytest.mark.filterwarnings("error")  # of a compiler about our own text, too
def test_reductions(ga):
    for dtype in (np.int32, np.float32, np.float64):
        a = (rng.random(20_000) * 1000 - 500).astype(dtype)
        g = ga.to_gpu(a)
        np.testing.assert_allclose(ga.sum(g).get(), a.sum(), rtol=1e-4)
        assert ga.max(g).get() == a.max() and ga.min(g).get() == a.min()
        np.testing.assert_allclose(ga.dot(g, g).get(), a.dot(a), rtol=1e-4)
        subset = np.arange(0, 20_000, 7).astype(np.int32)
        assert ga.subset_max(ga.to_gpu(subset), g).get() == a[subset].max()
        np.testing.assert_allclose(ga.subset_sum(ga.to_gpu(subset), g).get(), a[subset].sum(), rtol=1e-3)
    for bits in itertools.product([0, 1], repeat=3):
        for dtype in (np.int32, np.bool_, np.float64):
            g = ga.to_gpu(np.array(bits, dtype))
            assert g.any().get() == any(bits) and g.all().get() == all(bits)
            assert g.any().get().dtype == np.bool_
    assert bool(ga.ones((1, 1))) and not bool(ga.zeros(()))


def test_choices_and_joins(ga):
    a, b = rng.random(20), rng.random(20)
    g, h = ga.to_gpu(a), ga.to_gpu(b)
    assert (ga.maximum(g, h).get() == np.maximum(a, b)).all()
    assert (ga.minimum(0.5, h).get() == np.minimum(0.5, b)).all()
    assert (ga.if_positive(g - 0.5, g, h).get() == np.where(a > 0.5, a, b)).all()
    i = np.array([1, 0, -1])
    assert (ga.where(ga.to_gpu(i), ga.to_gpu(i + 5), ga.to_gpu(i - 5)).get() == np.where(i, i + 5, i - 5)).all()
    index = np.array([3, 1, 1, 19], np.uint32)
    assert (ga.take(g, ga.to_gpu(index)).get() == a[index]).all()
    x, y = rng.random((5, 3, 2)), rng.random((4, 3, 2))
    assert (ga.concatenate((ga.to_gpu(x), ga.to_gpu(y))).get() == np.concatenate((x, y))).all()
    for axis in (0, 1, -1):
        assert (ga.stack((ga.to_gpu(x), ga.to_gpu(x)), axis=axis).get() == np.stack((x, x), axis=axis)).all()
    for name in ("logical_and", "logical_or"):
        f = getattr(ga, name)
        assert (f(g, ga.zeros(20)).get() == getattr(np, name)(a, 0)).all()
    assert (ga.logical_not(ga.zeros(3)).get() == [True] * 3).all()
    assert (g.reverse().get() == a[::-1]).all()


def test_fill_copy_set_and_records(ga):
    g = ga.empty(5, np.int16).fill(-3)
    assert (g.get() == -3).all()
    c = g.copy()
    c.fill(1)
    assert (g.get() == -3).all()
    g.set(np.arange(5, dtype=np.int16))
    assert g.get().tolist() == [0, 1, 2, 3, 4]
    v = ga.GPUArray(10, dtype=ga.vec.float3)
    v.fill(ga.vec.make_float3(1, 2, 3))
    assert v.get().dtype == ga.vec.float3 and v.get()[9]["z"] == 3
    assert (v.copy().get() == v.get()).all()


def test_pass_a_slice_to_a_kernel(ga, SourceModule):
    twice = SourceModule(
        "__global__ void twice(float *a) { a[threadIdx.x + blockIdx.x * blockDim.x] *= 2; }"
    ).get_function("twice")
    a = ga.to_gpu(np.ones(1024, np.float32))
    twice(a[256:-256], block=(256, 1, 1), grid=(2, 1))
    assert a.get()[[255, 256, 767, 768]].tolist() == [1, 2, 2, 1]


# ── the rest ──────────────────────────────────────────────────────────────────────────────────


def test_cumath(ga):
    from kasoku.compat.pycuda import cumath

    x = rng.random(1000) * 0.9 + 0.05
    names = "fabs ceil floor exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh".split()
    for dtype, tolerance in ((np.float32, 3e-6), (np.float64, 1e-13)):
        a = x.astype(dtype)
        for name in names:
            got = getattr(cumath, name)(ga.to_gpu(a))
            want = getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name))(a)
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got.get(), want, rtol=tolerance)
    for name in "exp log log10 sqrt sin cos tan sinh cosh tanh".split():
        z = x + 1j * x[::-1]
        np.testing.assert_allclose(getattr(cumath, name)(ga.to_gpu(z)).get(), getattr(np, name)(z), rtol=1e-12)
    for name, of in {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log1p": "log1p", "round": "rint"}.items():
        np.testing.assert_allclose(
            getattr(cumath, name)(ga.to_gpu(z)).get(), getattr(np, of)(z), rtol=1e-12, atol=1e-14
        )
    with pytest.raises(TypeError, match="floor is not defined for complex128"):
        cumath.floor(ga.to_gpu(z))
    a = ga.to_gpu(x * 10)
    np.testing.assert_allclose(cumath.fmod(a, ga.to_gpu(np.full(1000, 3.0))).get(), np.fmod(x * 10, 3))
    m, e = cumath.frexp(a)
    np.testing.assert_allclose(np.ldexp(m.get(), e.get().astype(int)), x * 10)
    f, w = cumath.modf(a)
    np.testing.assert_allclose((f + w).get(), x * 10)


def test_struct_reduction(ga):
    from kasoku.compat.pycuda.reduction import ReductionKernel
    from kasoku.compat.pycuda.tools import register_dtype

    dtype = np.dtype([("low", np.float32), ("high", np.float32)])
    register_dtype(dtype, "extent", alias_ok=True)
    kernel = ReductionKernel(
        dtype, neutral="extent(10000, -10000)", reduce_expr="join(a, b)",
        map_expr="extent(x[i], x[i])", arguments="float *x",
        preamble="""
        struct extent {
          float low, high;
          __device__ extent() {}
          __device__ extent(float l, float h) : low(l), high(h) {}
        };
        __device__ extent join(extent a, extent b) {
          return extent(fminf(a.low, b.low), fmaxf(a.high, b.high));
        }""",
    )  # fmt: skip
    a = rng.random(20_000).astype(np.float32)
    got = kernel(ga.to_gpu(a)).get()
    assert got["low"] == a.min() and got["high"] == a.max()


def test_reduction_into_a_slice(ga):
    from kasoku.compat.pycuda.reduction import ReductionKernel

    largest = ReductionKernel(np.float32, neutral=0, reduce_expr="max(a,b)", arguments="float *in")
    a = rng.random((10, 200)).astype(np.float32)
    g, out = ga.to_gpu(a), ga.empty(10, np.float32)
    for i in range(10):
        largest(g[i], out=out[i])
    assert (out.get() == a.max(axis=1)).all()


def test_scans(ga):
    from kasoku.compat.pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

    x = rng.integers(0, 10, 5000).astype(np.int32)
    g = ga.to_gpu(x)
    InclusiveScanKernel(np.int32, "a+b")(g)
    assert (g.get() == x.cumsum()).all()
    g = ga.to_gpu(x)
    assert (ExclusiveScanKernel(np.int32, "a+b", "0")(g, ga.empty_like(g)).get() == x.cumsum() - x).all()
    counts = ga.to_gpu(x.astype(np.uint32))  # no dtype is asked for: the kernel's text has one
    assert (ExclusiveScanKernel(np.int32, "a+b", "0")(counts).get() == x.cumsum() - x).all()
    assert counts.dtype == np.uint32
    with pytest.raises(TypeError, match="the input must be int32"):
        ExclusiveScanKernel(np.int32, "a+b", "0")(ga.to_gpu(x.astype(np.float64)))


def test_elementwise_with_declared_arguments(ga):
    from kasoku.compat.pycuda.elementwise import ElementwiseKernel
    from kasoku.compat.pycuda.tools import ScalarArg, VectorArg

    kernel = ElementwiseKernel(
        [VectorArg(np.complex64, "x"), VectorArg(np.complex64, "y"), ScalarArg(np.complex64, "a")],
        "y[i] = a * x[i]", "scale", preamble="#include <pycuda-complex.hpp>",
    )  # fmt: skip
    x = (rng.random(10) + 1j).astype(np.complex64)
    g, y = ga.to_gpu(x), ga.empty(10, np.complex64)
    kernel(g, y, 2 + 3j)
    np.testing.assert_allclose(y.get(), (2 + 3j) * x, rtol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_elementwise_as_a_prepared_function(ga, n):
    from kasoku.compat.pycuda.elementwise import VectorArg, get_elwise_kernel

    x = rng.integers(-9, 9, n).astype(np.int16)
    g, y = ga.to_gpu(x), ga.empty(n, np.int64)
    kernel = get_elwise_kernel(
        [VectorArg(np.int16, "x"), VectorArg(np.int64, "y")], "y[i] = a + x[i]", "moved", loop_prep="const long a = 7"
    )
    kernel.prepared_call((2, 1), (32, 1, 1), g.gpudata, y.gpudata, n)
    assert (y.get() == x.astype(np.int64) + 7).all()


@pytest.mark.parametrize("bounds", [(0, 100, 1), (3, 98, 7), (99, -1, -3), (5, 5, 1), (5, 9, -1), (98, 99, 50)])
def test_elementwise_over_a_range(ga, bounds):
    from kasoku.compat.pycuda.elementwise import get_elwise_kernel_and_types

    _, kernel, arguments = get_elwise_kernel_and_types("int *x, float a", "x[i] += (int)a", "some", use_range=True)
    assert [one.name for one in arguments] == ["x", "a", "start", "stop", "step"]
    assert "".join(one.struct_char for one in arguments[:2]) == "Pf"
    x = np.arange(100, dtype=np.int32)
    g = ga.to_gpu(x)
    kernel.prepared_call((2, 1), (4, 1, 1), g.gpudata, 1000.0, *bounds)
    for i in range(*bounds):
        x[i] += 1000
    assert (g.get() == x).all()


def test_random_numbers(ga):
    from kasoku.compat.pycuda import curandom

    for dtype in (np.float32, np.float64):
        a = curandom.rand((100, 1000), dtype=dtype).get()
        assert a.dtype == dtype and (0 <= a).all() and (a < 1).all()
        assert abs(a.mean() - 0.5) < 0.01 and abs(a.var() - 1 / 12) < 0.01
        generator = curandom.XORWOWRandomNumberGenerator()
        n = generator.gen_normal(100_000, dtype).get()
        assert abs(n.mean()) < 0.03 and abs(n.std() - 1) < 0.03
        assert (generator.gen_normal(10, dtype).get() != generator.gen_normal(10, dtype).get()).any()
        generator.gen_log_normal(100, dtype, 1.0, 0.5)
    p = generator.gen_poisson(100_000, np.uint32, 13.0).get()
    assert abs(p.mean() - 13) < 0.2 and abs(p.var() - 13) < 0.5
    a = ga.empty(100_000, np.float32).fill(10)
    generator.fill_poisson(a)
    assert abs(a.get().mean() - 10) < 0.2
    seeded = [curandom.XORWOWRandomNumberGenerator(lambda n: ga.ones(n, np.int32)) for _ in range(2)]
    assert (seeded[0].gen_uniform(9, np.float32).get() == seeded[1].gen_uniform(9, np.float32).get()).all()


def test_tools_name_dtypes_and_remember_by_context():
    from kasoku.compat.pycuda import characterize, tools

    assert tools.dtype_to_ctype(np.float32) == "float"
    assert tools.dtype_to_ctype(np.complex64) == "pycuda::complex<float>"
    assert characterize.has_double_support()
    calls = []
    f = tools.context_dependent_memoize(lambda x: calls.append(x) or x)
    assert f(3) == f(3) == 3 and calls == [3]
    pool = tools.DeviceMemoryPool()
    from kasoku.compat.pycuda import gpuarray

    assert gpuarray.zeros(3, allocator=pool.allocate).get().tolist() == [0, 0, 0]
    pool.free_held()


def test_modules_import_as_pycudas(clean_process):
    clean_process(f"""
import sys
sys.path[:0] = {sys.path!r}
import kasoku.compat.pycuda as pycuda
import importlib
for name in "autoinit autoprimaryctx driver _driver gpuarray cumath elementwise reduction scan compiler curandom tools characterize".split():
    importlib.import_module("kasoku.compat.pycuda." + name)
""")


def test_copies_stay_within_an_allocation(drv):
    small, large = drv.mem_alloc(4), drv.mem_alloc(8)
    for wrong in (
        lambda: drv.memcpy_htod(small, np.zeros(2, np.float32)),
        lambda: drv.memcpy_dtoh(np.zeros(2, np.float32), small),
        lambda: drv.memcpy_dtod(small, large, 8),
        lambda: drv.memcpy_dtod(large, small, 8),
        lambda: drv.memset_d32(small, 0, 2),
    ):
        with pytest.raises(drv.LogicError, match="8 bytes are asked for, and the device memory has 4"):
            wrong()
    drv.memcpy_htod(large, np.float32([1, 2]))
    drv.memcpy_dtod(small, large, 4)
    x = np.zeros(1, np.float32)
    drv.memcpy_dtoh(x, small)
    assert x[0] == 1


def test_mapped_host_memory_is_the_devices_too(drv, SourceModule):
    a = drv.pagelocked_empty((2, 3), np.float32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    a[:] = 3
    double = SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").get_function("twice")
    double(np.intp(a.base.get_device_pointer()), block=(6, 1, 1), grid=(1, 1))
    drv.Context.synchronize()
    assert a.tolist() == [[6.0] * 3] * 2


def test_registered_host_memory_is_the_array_and_tells_its_address(device, drv, SourceModule):
    a = np.arange(8, dtype=np.float32)
    kept = drv.register_host_memory(a)
    assert np.shares_memory(kept, a) and np.array_equal(kept, a)
    if device != "cpu":
        with pytest.raises(ks.errors.UnsupportedError, match="program's own"):
            kept.base.get_device_pointer()
        return
    double = SourceModule("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }").get_function("twice")
    double(np.intp(kept.base.get_device_pointer()), block=(8, 1, 1))
    assert np.array_equal(a, 2 * np.arange(8))
    kept.base.unregister()
