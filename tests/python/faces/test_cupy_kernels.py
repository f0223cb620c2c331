"""cupy's kernels: of texts, of Python functions (cupyx.jit), and vectorize."""

import math

import numpy as np
import pytest
from cupy_arrays import ramp, same
from kasoku.compat import cupy

import kasoku as ks


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
    with pytest.raises(cp.cuda.compiler.CompileException, match=r"test_cupy_kernels.py:\d+:"):
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


def test_a_reduction_knows_how_many_elements_and_results_there_are():
    mean = cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean")
    a = np.arange(6.0).reshape(2, 3)
    assert mean(cupy.asarray(a)).get() == a.mean()
    np.testing.assert_allclose(mean(cupy.asarray(a), axis=1).get(), a.mean(axis=1))
    many = np.arange(200_001.0)  # in chunks
    np.testing.assert_allclose(mean(cupy.asarray(many)).get(), many.mean())
