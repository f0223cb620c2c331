"""ks.RawModule, ks.RawKernel, ks._core.SourceModule, on every device."""

import numpy as np
import pytest

import kasoku as ks

text = """
struct Pair { float a; int b; };
__constant__ float factors[4];
__device__ int counter = 5;
__global__ void scale(int n, float *y, const float *x, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
__global__ void use_pair(float *y, Pair p) { y[threadIdx.x] = p.a * p.b; }
__global__ void use_float3(float3 *y, float3 v) { y[threadIdx.x] = v; }
__global__ void use_constant(float *y) { y[threadIdx.x] = factors[threadIdx.x]; }
__global__ void count() { atomicAdd(&counter, 1); }
__global__ void maybe(float *y, const float *x) { y[threadIdx.x] = x ? x[threadIdx.x] : -1.f; }
__global__ void reversed(int *x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void id(int *x) {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
  x[i] = i;
}
"""


@pytest.fixture
def on(device):
    return lambda x: ks.array(x, device=device)


@pytest.fixture
def module(device):
    with ks.default_device(device):
        yield ks.RawModule(text)


def test_both_ways_to_launch(on, module):
    f = module.get_function("scale")
    x, y = on(np.arange(10, dtype=np.float32)), on(np.zeros(10, np.float32))
    f(10, y, x, 2, block=(4, 1, 1), grid=(3, 1))
    assert (y.numpy() == 2 * np.arange(10)).all()
    f((3,), (4,), (np.int64(10), y, x, np.float64(3)))
    assert (y.numpy() == 3 * np.arange(10)).all()
    f(10, y, x, 4.0)  # a thread for each element
    assert (y.numpy() == 4 * np.arange(10)).all()
    f(10, y, x, 5.0, block=16, grid=1)
    assert y.numpy()[9] == 45


def test_structs_and_vectors_by_value(on, module):
    y = on(np.zeros(4, np.float32))
    pair = np.array((2.5, 4), dtype=[("a", np.float32), ("b", np.int32)])
    f = module.get_function("use_pair")
    for argument in (pair, pair[()], pair.tobytes()):
        f(y, argument, block=(4, 1, 1))
        assert (y.numpy() == 10).all()
    with pytest.raises(TypeError, match="'p' is Pair, got a struct of 4 bytes"):
        f(y, b"1234", block=(4, 1, 1))
    float3 = np.array((1, 2, 3), dtype=[("x", "f4"), ("y", "f4"), ("z", "f4")])[()]
    z = on(np.zeros(6, np.float32))
    module.get_function("use_float3")(z, float3, block=(2, 1, 1))
    assert z.numpy().tolist() == [1, 2, 3, 1, 2, 3]


def test_globals(on, module, device):
    factors = module.get_global("factors", np.float32)
    assert factors.shape == (4,)
    ks.ElementwiseKernel("float *x", "x[i] = i + 0.5f", "fill")(factors)
    y = on(np.zeros(4, np.float32))
    module.get_function("use_constant")(y, block=(4, 1, 1))
    assert y.numpy().tolist() == [0.5, 1.5, 2.5, 3.5]
    module.get_function("count")(block=(32, 1, 1), grid=(2, 1))
    assert module.get_global("counter", np.int32).numpy()[0] == 69
    with pytest.raises(ValueError, match="nothing"):
        module.get_global("nothing")


def test_pointers(on, module):
    f, y = module.get_function("maybe"), on(np.zeros(2, np.float32))
    f(y, None, block=(2, 1, 1))
    assert (y.numpy() == -1).all()
    with pytest.raises(TypeError, match="'x' is const float \\*, got float 1.5"):
        f(y, 1.5, block=(2, 1, 1))


def test_dynamic_shared_memory_and_grids(on, module):
    x = on(np.arange(8, dtype=np.int32))
    module.get_function("reversed")(x, block=(8, 1, 1), shared=32)
    assert x.numpy().tolist() == list(range(8))[::-1]
    module.get_function("reversed")((1,), (8,), (x,), shared_mem=32)
    assert x.numpy().tolist() == list(range(8))
    z = on(np.zeros(2 * 3 * 4 * 5, np.int32))
    module.get_function("id")(z, block=(4, 5, 1), grid=(2, 3))
    assert (z.numpy() == np.arange(120)).all()


def test_a_launch_whose_shape_no_device_takes_is_an_error_of_the_launch(on, module):
    z = on(np.zeros(4, np.int32))
    for shape, said in (
        ({"block": (4, 5, 1), "grid": (0, 3)}, r"the grid \(0, 3, 1\) of kernel 'id' is empty"),
        ({"block": (0, 1, 1)}, "the block .* is empty"),
        ({"block": (2048, 1, 1)}, "has 2048 threads"),
    ):
        with pytest.raises(ks.errors.LaunchError, match=said) as raised:
            module.get_function("id")(z, **shape)
        assert isinstance(raised.value, ValueError) and isinstance(raised.value, ks.errors.DeviceError)
    assert (z.numpy() == 0).all()


def test_printf_gives_the_number_of_its_arguments(device, capfd):
    text = """__global__ void say(int *n, const char *none) {
      n[0] = printf("%d and %s ", 10, "more"), n[1] = printf("end"), n[2] = printf(none);
    }"""
    n = ks.zeros(3, dtype="int32")
    ks.RawKernel(text, "say")((1,), (1,), (n, 0))
    assert n.numpy().tolist() == [2, 0, -1]
    assert capfd.readouterr().out == "10 and more end"


def test_dynamic_shared_memory_is_one_in_functions_and_in_kernels_of_extern_c(on):
    shared = ks.RawModule("""
        __device__ float total(int n) { extern __shared__ float parts[]; float s = 0; for (int i = 0; i < n; ++i) s += parts[i]; return s; }
        namespace of_integers { template <class T> __device__ int last(int n, T) { extern __shared__ int whole[]; return whole[n - 1]; } }
        extern "C" __global__ void sum(const float* x, float* y) {
            extern __shared__ float parts[];
            parts[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            y[threadIdx.x] = total(blockDim.x) + parts[blockDim.x - 1 - threadIdx.x];
        }
        extern "C" __global__ void ends(int* y) {
            extern __shared__ int whole[];
            whole[threadIdx.x] = threadIdx.x + 5;
            __syncthreads();
            y[threadIdx.x] = of_integers::last(blockDim.x, 0) + whole[0];
        }""")
    x = np.arange(8, dtype=np.float32)
    y, ends = on(np.zeros(8, np.float32)), on(np.zeros(8, np.int32))
    shared.get_function("sum")((1,), (8,), (on(x), y), shared_mem=32)
    assert (y.numpy() == x.sum() + x[::-1]).all()
    shared.get_function("ends")((1,), (8,), (ends,), shared_mem=32)
    assert (ends.numpy() == 12 + 5).all()


@pytest.mark.parametrize("function", [
    "struct A { struct B { __device__ static int f() { HERE } }; }; __device__ int f() { return A::B::f(); }",
    "template <class T> struct A { template <class U> __device__ static int f(U) { HERE } }; __device__ int f() { return A<int>::f(2); }",
    "template <class T> struct A {}; template <class T> struct A<T*> { __device__ static int f() { HERE } }; "
    "__device__ int f() { return A<int*>::f(); }",
    "struct A { friend __device__ int f() { HERE } }; __device__ int f();",
    "template <class T> __device__ int g(T x) { auto h = [&](auto y) { HERE }; return h(x); } __device__ int f() { return g(0); }",
    "namespace { __device__ int g() { for (;;) { if (true) { HERE } } } } __device__ int f() { return g(); }",
])  # fmt: skip
def test_dynamic_shared_memory_is_one_wherever_a_function_stands(on, device, function):
    text = function.replace("HERE", "extern __shared__ int whole[]; return whole[0];")
    if device == "cuda":
        text = text.replace("auto y", "int y")  # NVRTC takes generic lambdas for functions of the host
    kernel = 'extern "C" __global__ void k(int* y) { extern __shared__ int whole[]; whole[threadIdx.x] = 7; __syncthreads(); *y = f(); }'
    y = on(np.zeros(1, np.int32))
    ks.RawModule(text + kernel).get_function("k")((1,), (1,), (y,), shared_mem=4)
    assert y.numpy() == 7


def test_host_arrays_are_used_where_they_are():
    with ks.default_device("cpu"):
        f = ks.RawModule(text).get_function("scale")
        x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
        f(5, y, x, 2, block=(8, 1, 1))
        assert (y == 2 * x).all()
        y.flags.writeable = False
        with pytest.raises(ValueError, match="'y' is written, but its array is read-only"):
            f(5, y, x, 2, block=(8, 1, 1))
        x.flags.writeable = False
        f(5, np.zeros(5, np.float32), x, 2, block=(8, 1, 1))
        with pytest.raises(ValueError, match="'x' is not contiguous"):
            f(5, np.zeros(5, np.float32), np.zeros(10, np.float32)[::2], 2, block=(8, 1, 1))
        with pytest.raises(TypeError, match="swapped bytes"):
            f(5, np.zeros(5, ">f4"), x, 2, block=(8, 1, 1))


def test_wrong_arguments(on, module):
    f = module.get_function("scale")
    x, y = on(np.zeros(4, np.float32)), on(np.zeros(4, np.float32))
    for wrong, kind, message in [
        ((4, y, x), TypeError, "scale takes 4 arguments, got 3"),
        ((4.0, y, x, 1), TypeError, "'n' is int, got float 4"),
        ((2**31, y, x, 1), TypeError, "'n' is int, got int 2147483648"),
        ((4, on(np.zeros(4)), x, 1), TypeError, "'y' is float \\*, got a float64 array of shape \\(4,\\)"),
        ((4, 4.5, x, 1), TypeError, "'y' is float \\*, got float 4.5"),
        ((4, y, x, 1j), TypeError, "'a' is float, got complex"),
        ((y, y, x, 1), TypeError, "'n' is int, got a float32 array"),
    ]:
        with pytest.raises(kind, match=message):
            f(*wrong, block=(4, 1, 1))
    with pytest.raises(ValueError, match="2000 threads"):
        f(4, y, x, 1, block=(2000, 1, 1))
    with pytest.raises(TypeError, match="unexpected keyword"):
        f(4, y, x, 1, block=(4, 1, 1), gird=(1, 1))


def test_an_unknown_kernel_is_an_error_and_known_ones_are_listed(module):
    with pytest.raises(ValueError, match="there is no kernel 'scal'"):
        module.get_function("scal")
    assert "scale" in module.kernels


def test_templates(on, device):
    source = "template <typename T> __global__ void fill(T *x, T v) { x[threadIdx.x] = v; }"
    with ks.default_device(device):
        module = ks.RawModule(code=source, name_expressions=["fill<float>", "fill<int>"])
        x = on(np.zeros(3, np.float32))
        module.get_function("fill<float>")((1,), (3,), (x, 2.5))
        assert (x.numpy() == 2.5).all()


def test_raw_kernel_and_its_forms(on, device):
    with ks.default_device(device):
        f = ks.RawKernel(
            'extern "C" __global__ void add_one(float *x) { x[threadIdx.x] += ONE; }', "add_one", ("-DONE=1",)
        )
        x = on(np.zeros(4, np.float32))
        f((1,), (4,), (x,))
        assert (x.numpy() == 1).all()
        assert "add_one" in f.text()
        assert f.attributes["max_threads_per_block"] >= 256
        assert f.max_threads_per_block >= 256
        if device == "cpu":
            assert "define" in f.llvm_ir()
            assert "ret" in f.assembly()
            with pytest.raises(NotImplementedError):
                f.ptx()
        else:
            assert ".entry" in f.ptx()


def test_errors_show_line_and_symbol(device):
    with pytest.raises(ks.CompileError, match=r"test_kernel_raw.py:\d+:\d+: error: .*undeclared"):
        ks._core.SourceModule("__global__ void f(float *x) {\n  x[0] = undeclared;\n}", device=device)


def test_swapped_arguments_warn_once(device):
    kernel = ks.ElementwiseKernel("int *x, int *y", "y[i] = x[i] + 1", "plus_one")
    with ks.default_device(device):
        from kasoku.compat.pycuda import _context, gpuarray

        _context._current = ks.default_device()
        x = gpuarray.to_gpu(np.arange(4, dtype=np.int32))
        y = gpuarray.zeros(4, np.int32)
        kernel(y, x)
        with pytest.warns(ks.errors.SwappedArgumentsWarning, match="plus_one.*'x'.*'y'"):
            y.get()
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            y.get()
            kernel(x, y)
            y.get()
        _context._current = None


@pytest.mark.parametrize("step", range(1, 12))
def test_indices_that_wrap_while_threads_count(device, step):
    text = f"""extern "C" __global__ void wraps(const int *x, int *lanes, int *loads) {{
      int t = threadIdx.x;
      lanes[t] = __shfl_sync(0xffffffffu, x[t], (t * {step}) & 31);
      loads[t] = x[(t * {step}) & 31];
    }}"""
    x = np.random.default_rng(step).integers(1, 900, 96).astype(np.int32)
    at = (np.arange(96) * step) & 31
    with ks.default_device(device):
        lanes, loads = ks.zeros(96, dtype="int32"), ks.zeros(96, dtype="int32")
        ks.RawModule(code=text).get_function("wraps")((1,), (96,), (ks.array(x), lanes, loads))
    np.testing.assert_array_equal(loads.numpy(), x[at])
    np.testing.assert_array_equal(lanes.numpy(), x[at + np.arange(96) // 32 * 32 - at // 32 * 32])


waiting = """
extern "C" __global__ void chain(volatile int *done, int *out) {
  const unsigned b = blockIdx.x, after = b + 1;
  if (threadIdx.x == 0 && after < gridDim.x) while (done[after] == 0) {}
  __syncthreads();
  out[b * blockDim.x + threadIdx.x] = after < gridDim.x ? done[after] : 0;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) done[b] = gridDim.x - b;
}
extern "C" __global__ void meet(unsigned *count, const int *x, int *partial, int *total) {
  atomicAdd(&partial[blockIdx.x], x[blockIdx.x * blockDim.x + threadIdx.x]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < gridDim.x) {}
  }
  __syncthreads();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += ((volatile int *)partial)[b];
  total[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize("blocks", [1, 2, 24])
def test_blocks_that_wait_for_later_ones(device, blocks):
    threads = 33
    chain = ks.RawModule(code=waiting).get_function("chain")
    done, out = (
        ks.zeros(blocks, dtype="int32", device=device),
        ks.zeros((blocks, threads), dtype="int32", device=device),
    )
    chain((blocks,), (threads,), (done, out))
    later = np.arange(blocks)[::-1]
    np.testing.assert_array_equal(out.numpy(), np.repeat(later[:, None], threads, 1))


@pytest.mark.parametrize("blocks", [1, 3, 24])
def test_a_barrier_of_the_grid_made_by_hand(device, blocks):
    threads = 64
    meet = ks.RawModule(code=waiting).get_function("meet")
    x = np.random.default_rng(1).integers(-1000, 1000, (blocks, threads), dtype=np.int32)
    zeros = lambda *shape: ks.zeros(shape, dtype="int32", device=device)  # noqa: E731
    total = zeros(blocks, threads)
    meet(
        (blocks,),
        (threads,),
        (ks.zeros(1, dtype="uint32", device=device), ks.array(x, device=device), zeros(blocks), total),
    )
    np.testing.assert_array_equal(total.numpy(), x.sum())


@pytest.mark.parametrize("bound", ["", " & 15"])
@pytest.mark.parametrize("index", ["int", "long long"])
@pytest.mark.parametrize("dtype", ["int16", "int32", "float32", "int64", "float64"])
@pytest.mark.parametrize("size", [3, 8, 16, 32, 33])
def test_a_constant_table_of_few_elements(size, dtype, index, bound, device):
    """Registers may hold it, and vectors read it by a permutation."""
    g = np.random.default_rng(4)
    c = {"int16": "short", "int32": "int", "float32": "float", "int64": "long long", "float64": "double"}[dtype]
    table = g.integers(-100, 100, size).astype(dtype)
    i = g.integers(0, 1000 if bound and size > 15 else size, 1003).astype("int32" if index == "int" else "int64")
    text = f"""__device__ const {c} table[{size}] = {{{", ".join(map(str, table.tolist()))}}};
    extern "C" __global__ void read(const {index}* i, {c}* y, int count) {{
      const int n = blockIdx.x * blockDim.x + threadIdx.x;
      if (n < count) y[n] = table[i[n]{bound}];
    }}"""
    y = ks.zeros(len(i), dtype=dtype, device=device)
    ks.RawKernel(text, "read")((8,), (128,), (ks.array(i, device=device), y, np.int32(len(i))))
    np.testing.assert_array_equal(y.numpy(), table[i & 15 if bound else i])


def test_memory_that_a_thread_takes_for_itself(device):
    if device != "cpu":
        pytest.skip("NVRTC has no alloca")
    kernel = ks.RawKernel(
        """extern "C" __global__ void taken(const int* n, int* out) {
          const int t = blockIdx.x * blockDim.x + threadIdx.x, count = n[t];
          int* own = (int*)alloca(40 * sizeof(int));
          for (int i = 0; i < count; ++i) own[i] = i * i + t;
          __syncthreads();
          int sum = 0;
          for (int i = 0; i < count; i += 2) sum += own[count - 1 - i] * 3;
          out[t] = sum;
        }""",
        "taken",
    )
    n = np.random.default_rng(0).integers(1, 40, 128).astype(np.int32)
    out = ks.zeros(128, dtype=ks.int32)
    kernel((2,), (64,), (ks.array(n), out))
    wanted = [sum(3 * ((count - 1 - i) ** 2 + t) for i in range(0, count, 2)) for t, count in enumerate(n.tolist())]
    assert np.array_equal(ks.asnumpy(out), wanted)
