"""Small programs for PyCUDA and Dask's delayed, as people write them, against NumPy and plain Python."""

import math

import numpy as np
import pytest

import kasoku as ks

rng = np.random.default_rng(0)


@pytest.fixture
def drv(device):
    from kasoku.compat.pycuda import _context, driver

    before, _context._current = _context._current, ks.Device(device)
    yield driver
    _context._current = before


def module(text, **options):
    from kasoku.compat.pycuda.compiler import SourceModule

    return SourceModule(text, **options)


def test_in_out_and_prepared_calls(drv):
    m = module("""
    __global__ void doublify(float *a) { int idx = threadIdx.x + threadIdx.y * 4; a[idx] *= 2; }
    __global__ void multiply(float *dest, float *a, float *b) { const int i = threadIdx.x; dest[i] = a[i] * b[i]; }
    """)
    a = rng.standard_normal((4, 4)).astype(np.float32)
    on_device = drv.mem_alloc(a.nbytes)
    drv.memcpy_htod(on_device, a)
    doublify = m.get_function("doublify")
    doublify(on_device, block=(4, 4, 1))
    doubled = np.empty_like(a)
    drv.memcpy_dtoh(doubled, on_device)
    np.testing.assert_array_equal(doubled, 2 * a)
    changed = a.copy()
    doublify(drv.InOut(changed), block=(4, 4, 1))
    np.testing.assert_array_equal(changed, 2 * a)
    doublify.prepare("P")
    doublify.prepared_call((1, 1), (4, 4, 1), on_device)
    np.testing.assert_array_equal(drv.from_device_like(on_device, a), 4 * a)
    x, y = rng.standard_normal(400).astype(np.float32), rng.standard_normal(400).astype(np.float32)
    out = np.zeros_like(x)
    m.get_function("multiply")(drv.Out(out), drv.In(x), drv.In(y), block=(400, 1, 1), grid=(1, 1))
    np.testing.assert_array_equal(out, x * y)
    on_device.free()


def test_a_struct_with_a_pointer(drv):
    text = """
    struct DoubleOperation { int datalen, __padding; float *ptr; };
    __global__ void double_array(DoubleOperation *a) {
        a = &a[blockIdx.x];
        for (int idx = threadIdx.x; idx < a->datalen; idx += blockDim.x) a->ptr[idx] *= 2;
    }"""
    arrays = [np.array([1, 2, 3], np.float32), np.array([0, 4], np.float32)]
    size = 8 + np.intp(0).nbytes
    structs = drv.mem_alloc(2 * size)
    held = []
    for k, a in enumerate(arrays):
        held.append(drv.to_device(a))
        record = np.array([a.size, 0], np.int32).tobytes() + np.uintp(int(held[-1])).tobytes()
        drv.memcpy_htod(int(structs) + k * size, np.frombuffer(record, np.uint8))
    module(text).get_function("double_array")(structs, block=(32, 1, 1), grid=(2, 1))
    for a, d in zip(arrays, held, strict=True):
        np.testing.assert_array_equal(drv.from_device(d, a.shape, a.dtype), 2 * a)


def test_tiled_product_and_transpose(drv):
    from kasoku.compat.pycuda import gpuarray

    n, tile = 32, 8
    text = """
    __global__ void product(float *a, float *b, float *c) {
        const int w = %(n)d;
        __shared__ float s[%(tile)d][%(tile)d], t[%(tile)d][%(tile)d];
        int x = blockIdx.x * %(tile)d + threadIdx.x, y = blockIdx.y * %(tile)d + threadIdx.y;
        float sum = 0;
        for (int m = 0; m < w / %(tile)d; ++m) {
            s[threadIdx.y][threadIdx.x] = a[y * w + m * %(tile)d + threadIdx.x];
            t[threadIdx.y][threadIdx.x] = b[(m * %(tile)d + threadIdx.y) * w + x];
            __syncthreads();
            for (int k = 0; k < %(tile)d; ++k) sum += s[threadIdx.y][k] * t[k][threadIdx.x];
            __syncthreads();
        }
        c[y * w + x] = sum;
    }
    __global__ void transpose(float *out, const float *in, int w) {
        __shared__ float s[%(tile)d][%(tile)d + 1];
        int x = blockIdx.x * %(tile)d + threadIdx.x, y = blockIdx.y * %(tile)d + threadIdx.y;
        s[threadIdx.y][threadIdx.x] = in[y * w + x];
        __syncthreads();
        x = blockIdx.y * %(tile)d + threadIdx.x; y = blockIdx.x * %(tile)d + threadIdx.y;
        out[y * w + x] = s[threadIdx.x][threadIdx.y];
    }""" % {"n": n, "tile": tile}  # fmt: skip
    m = module(text, options=["-O3"])
    a, b = rng.random((n, n)).astype(np.float32), rng.random((n, n)).astype(np.float32)
    c, t = gpuarray.empty((n, n), np.float32), gpuarray.empty((n, n), np.float32)
    shape = {"block": (tile, tile, 1), "grid": (n // tile, n // tile)}
    start, end = drv.Event(), drv.Event()
    start.record()
    m.get_function("product")(gpuarray.to_gpu(a), gpuarray.to_gpu(b), c, **shape)
    end.record()
    end.synchronize()
    assert start.time_till(end) >= 0
    np.testing.assert_allclose(c.get(), a @ b, rtol=1e-5)
    m.get_function("transpose")(t, gpuarray.to_gpu(a), np.int32(n), **shape)
    np.testing.assert_array_equal(t.get(), a.T)


def test_arrays_kernels_and_reductions(drv):
    from kasoku.compat.pycuda import cumath, gpuarray
    from kasoku.compat.pycuda.elementwise import ElementwiseKernel
    from kasoku.compat.pycuda.reduction import ReductionKernel
    from kasoku.compat.pycuda.scan import InclusiveScanKernel

    a, b = rng.random(500).astype(np.float32), rng.random(500).astype(np.float32)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    np.testing.assert_allclose((2 * x + y**2 - 1).get(), 2 * a + b**2 - 1, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose((cumath.sin(x) ** 2 + cumath.cos(x) ** 2).get(), np.ones(500), rtol=1e-5)
    combine = ElementwiseKernel("float a, float *x, float b, float *y, float *z", "z[i] = a * x[i] + b * y[i]", "lin")
    z = gpuarray.empty_like(x)
    combine(5, x, 6, y, z)
    np.testing.assert_allclose(z.get(), 5 * a + 6 * b, rtol=1e-5)
    dot = ReductionKernel(
        np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y"
    )
    np.testing.assert_allclose(dot(x, y).get(), a @ b, rtol=1e-4)
    np.testing.assert_allclose(gpuarray.dot(x, y).get(), a @ b, rtol=1e-4)
    assert gpuarray.max(x).get() == a.max() and gpuarray.min(y).get() == b.min()
    counts = gpuarray.arange(0, 100, dtype=np.int32)
    InclusiveScanKernel(np.int32, "a+b")(counts)
    np.testing.assert_array_equal(counts.get(), np.cumsum(np.arange(100)))
    np.testing.assert_array_equal(gpuarray.if_positive(x - y, x, y).get(), np.where(a - b > 0, a, b))


def test_mandelbrot_monte_carlo_and_constants(drv):
    from kasoku.compat.pycuda import gpuarray
    from kasoku.compat.pycuda.curandom import XORWOWRandomNumberGenerator

    m = module(
        """
    __constant__ float weights[4];
    __global__ void filter(float *out, const float *in, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) { float s = 0; for (int k = 0; k < 4; ++k) s += weights[k] * in[min(i + k, n - 1)]; out[i] = s; }
    }
    #include <pycuda-complex.hpp>
    __global__ void steps(pycuda::complex<float> *q, int *out, int limit) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        pycuda::complex<float> z(0, 0);
        out[i] = 0;
        for (int k = 0; k < limit; ++k) { z = z * z + q[i]; if (abs(z) > 2) { out[i] = k; break; } }
    }""",
        no_extern_c=False,
    )
    w, x = np.array([0.1, 0.2, 0.3, 0.4], np.float32), rng.random(300).astype(np.float32)
    where, size = m.get_global("weights")
    assert size == 16
    drv.memcpy_htod(where, w)
    out = np.empty_like(x)
    m.get_function("filter")(drv.Out(out), drv.In(x), np.int32(300), block=(128, 1, 1), grid=(3, 1))
    at = np.minimum(np.arange(300)[:, None] + np.arange(4), 299)
    np.testing.assert_allclose(out, x[at] @ w, rtol=1e-5)
    q = np.array([0, 1, 2j, -2.5, 0.3 + 0.5j, 1 + 1j, -1, 0.5], np.complex64)
    found, expected = np.empty(8, np.int32), []
    m.get_function("steps")(drv.In(q), drv.Out(found), np.int32(50), block=(8, 1, 1))
    for c in q:
        z = 0j
        for k in range(50):  # noqa: B007
            z = z * z + complex(c)
            if abs(z) > 2:
                break
        expected.append(k if abs(z) > 2 else 0)
    np.testing.assert_array_equal(found, expected)
    draws = XORWOWRandomNumberGenerator()
    u, v = draws.gen_uniform(20000, np.float32), draws.gen_uniform(20000, np.float32)
    assert abs(4 * gpuarray.sum((u * u + v * v) < 1, dtype=np.int32).get() / 20000 - math.pi) < 0.1


# ── Dask's delayed ────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def dask():
    from kasoku.compat import dask

    return dask


def test_delayed_calls_and_loops(dask):
    inc, add, double = dask.delayed(lambda x: x + 1), dask.delayed(lambda x, y: x + y), dask.delayed(lambda x: 2 * x)
    assert add(inc(1), double(2)).compute() == 6
    output = [add(inc(x), double(x)) if x % 2 else double(x) for x in range(10)]
    total = dask.delayed(sum)(output)
    assert total.compute() == sum(3 * x + 1 if x % 2 else 2 * x for x in range(10))
    assert dask.compute(*output[:3]) == (0, 4, 4)
    kept, also = dask.persist(output[1], output[2])
    assert (kept.compute(), also.compute()) == (4, 4)


def test_delayed_objects_and_several_results(dask):
    @dask.delayed(nout=2, pure=True)
    def split(values):
        return values[: len(values) // 2], values[len(values) // 2 :]

    left, right = split(list(range(6)))
    assert dask.delayed(sum)(left).compute() == 3 and (right[0] + 1).compute() == 4
    text = dask.delayed("some words here")
    assert text.upper().split(" ")[1].compute() == "WORDS"
    row = dask.delayed({"a": [1, 2]})
    assert row["a"][0].compute() == 1


def test_a_tree_of_sums_and_monte_carlo(dask):
    layer = [dask.delayed(float)(x) for x in range(16)]
    while len(layer) > 1:
        layer = [dask.delayed(lambda a, b: a + b)(a, b) for a, b in zip(layer[::2], layer[1::2])]
    assert layer[0].compute(scheduler="threads", num_workers=2) == 120

    @dask.delayed
    def hits(seed, n=20000):
        x, y = np.random.default_rng(seed).random((2, n))
        return np.count_nonzero(x * x + y * y < 1)

    total = dask.delayed(sum)([hits(seed) for seed in range(8)])
    assert abs(4 * total.compute() / 160000 - math.pi) < 0.02
    assert total.compute(scheduler="synchronous") == total.compute()


def test_files_in_pieces_and_errors(dask, tmp_path):
    for k in range(4):
        np.savetxt(tmp_path / f"{k}.csv", np.full((3, 2), k))

    @dask.delayed
    def load(path):
        return np.loadtxt(path)

    means = [dask.delayed(np.mean)(load(tmp_path / f"{k}.csv")) for k in range(4)]
    assert dask.compute(means) == ([0, 1, 2, 3],)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.csv").compute()
    with pytest.raises(TypeError):
        if dask.delayed(1) > 0:  # best practices: a delayed value is not a truth
            pass
    with pytest.raises(TypeError):
        list(dask.delayed([1, 2]))
