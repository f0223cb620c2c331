"""What a user does wrong is one sentence with the user's own names, and the process goes on."""

import os
import resource
import subprocess
import sys

import kasoku as ks
import numpy as np
import pytest

text = r"""
__global__ void f(int n, float *x, const float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = y[i] + 1; }
__global__ void dynamic(float *x) { extern __shared__ float s[]; s[threadIdx.x] = 1; x[0] = s[0]; }
"""


@pytest.fixture
def launch(device):
    module = ks.RawModule(code=text)
    x, y = (ks.zeros(10, dtype="float32", device=device) for _ in range(2))
    scope = ks.default_device(device)
    with scope:
        yield lambda name, grid, block, args, **more: module.get_function(name)(grid, block, args, **more), x, y


def test_shapes(launch):
    f, x, y = launch
    with pytest.raises(
        ValueError, match=r"the block \(2000, 1, 1\) of kernel 'f' has 2000 threads, and 1024 is the most"
    ):
        f("f", (1,), (2000,), (10, x, y))
    with pytest.raises(ValueError, match="the block .* of kernel 'f' is empty"):
        f("f", (1,), (0,), (10, x, y))
    with pytest.raises(ValueError, match="70000 blocks, and 65535 is the most"):
        f("f", (1, 70000), (1,), (10, x, y))
    for grid in (1.5, (1.5,), (1, 1.5)):
        with pytest.raises(TypeError, match="a grid has lengths that are integers, got a float"):
            f("f", grid, (1,), (10, x, y))
    f("f", 1.0, (10,), (10, x, y))
    assert x.numpy().tolist() == [1] * 10


def test_a_function_without_a_body_is_named():
    kernel = ks.RawKernel("__device__ int g(int, float*); __global__ void f(int *x) { *x = g(1, 0); }", "f")
    with pytest.raises(ks.UnsupportedError, match=r"uses 'g\(int, float\*\)', which it does not define"):
        kernel((1,), (1,), (ks.zeros(1, dtype="int32", device="cpu"),))


def test_shared_memory(launch):
    f, x, _ = launch
    with pytest.raises(ValueError, match=r"kernel 'dynamic' asks for .*1\.0 MiB.* of shared memory, and a block has"):
        f("dynamic", (1,), (1,), (x,), shared_mem=1 << 20)


def test_shared_memory_that_no_block_has(device):
    tiles = "__global__ void tiles(float *x) { __shared__ double s[1 << 20]; s[threadIdx.x] = 1; __syncthreads(); x[0] = s[0]; }"
    x = ks.zeros(1, dtype="float32", device=device)
    with pytest.raises(ValueError, match=r"'tiles' declares 8\.0 MiB of shared memory, and a block has 48\.0 KiB"):
        with ks.default_device(device):
            ks.RawModule(code=tiles).get_function("tiles")((1,), (1,), (x,))


def test_a_launch_in_cupys_form(launch):
    f, x, y = launch
    f("f", (1,), (10,), (10, x, y), shared_mem=0, stream=None, enable_cooperative_groups=False)
    f("f", (1,), (10,), args=(10, x, y))
    assert x.numpy().tolist() == [1] * 10
    kernel = ks.RawKernel(text, "f")
    with pytest.raises(TypeError, match=r"f: a launch takes the grid.*by name alone(.|\n)*shared_mem=1024\)"):
        kernel((1,), (10,), (10, x, y), 1024)
    with pytest.raises(TypeError, match="multiple values for argument 'args'"):
        kernel((1,), (10,), (10, x, y), args=(10, x, y))
    y.fill(1)
    kernel((1,), block=(10,), args=(10, x, y))  # the grid by its place
    kernel(grid=(1,), block=(10,), args=(10, x, y))
    assert x.numpy().tolist() == [2] * 10


def test_arrays(launch, device):
    f, x, y = launch
    with pytest.raises(TypeError, match=r"f: parameter 'x' is float \*, got a float64 array of shape \(10,\)"):
        f("f", (1,), (10,), (10, ks.zeros(10, dtype="float64", device=device), y))
    with pytest.raises(TypeError, match="f takes 3 arguments, got 2"):
        f("f", (1,), (10,), (10, x))
    with pytest.raises(ValueError, match="no kernel 'g' in this module"):
        f("g", (1,), (10,), (10, x, y))
    empty = ks.zeros(0, dtype="float32", device=device)
    f("f", (1,), (10,), (0, empty, empty))
    with pytest.raises(ks.errors.LaunchError, match=r"the grid \(0, 1, 1\) of kernel 'f' is empty"):
        f("f", (0,), (10,), (0, x, y))


def test_arrays_of_the_host(launch, device):
    f, x, y = launch
    fixed = np.zeros(10, np.float32)
    fixed.flags.writeable = False
    if device == "cuda":
        with pytest.raises(TypeError, match="f: parameter 'x' is in host memory, the kernel runs on cuda:0"):
            f("f", (1,), (10,), (10, fixed, y))
        return
    with pytest.raises(ValueError, match="f: parameter 'x' is written, but its array is read-only"):
        f("f", (1,), (10,), (10, fixed, y))
    f("f", (1,), (10,), (10, x, fixed))
    assert x.numpy().tolist() == [1] * 10


def test_memory_that_nobody_has(device):
    with pytest.raises(MemoryError, match="128.0 TiB on " + device):
        ks.empty(1 << 44, dtype="float64", device=device)
    ks.zeros(10, device=device).numpy()


def test_texts_that_are_none(launch):
    f, x, _ = launch
    for make in (lambda code: ks.RawModule(code=code), lambda code: ks.RawKernel(code, "k"), ks._core.SourceModule):
        with pytest.raises(TypeError, match="is the text of kernels, got a int"):
            make(3)
        with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
            make("__global__ void k(int *x) {} // \udc80")
    for wrong, kind in ((-1, ValueError), ("a", TypeError), (1.5, TypeError), (1 << 40, ValueError)):
        with pytest.raises(kind, match=f"a block cannot have {wrong!r} bytes of shared memory"):
            f("dynamic", (1,), (1,), (x,), shared_mem=wrong)


def test_shapes_that_cannot_be():
    for shape in ((2**40, 2**40), (2**31, 2**31, 2)):
        with pytest.raises(ValueError, match="too large"):  # as NumPy has it where 64 bits do not count the bytes
            ks.zeros(shape)
    with pytest.raises(ValueError, match="too large"):
        ks.zeros((2**40, 1)) + ks.zeros((1, 2**40))
    factors = 274177, 67280421310721  # of 2^64 + 1, which 64 bits take for one element
    with pytest.raises(ValueError, match="too large"):
        ks.zeros((factors[0], 1), "uint8") + ks.zeros((1, factors[1]), "uint8")
    with pytest.raises(ValueError, match="too large"):
        ks.broadcast_to(ks.ones(1, "uint8"), factors)
    with pytest.raises(MemoryError, match=r"\(1000000000000000,\) is too large\n.*its elements of 8 bytes .* 128 TiB"):
        ks.zeros(10**15).sum()  # whose sum would take days, though it needs no memory
    assert ks.zeros((2**40, 2**40, 0)).sum() == 0
    with pytest.raises(ValueError, match=r"no negative lengths: \(3, -2\)"):
        ks.zeros((3, -2))
    with pytest.raises(TypeError, match="a shape is an integer or a tuple of them, got a float"):
        ks.zeros(2.5)


@pytest.mark.parametrize(
    "variable, value, said",
    [
        ("KASOKU_CHECK", "bound", "KASOKU_CHECK is 'bound', and all that it can be is bounds"),
        ("KASOKU_TRACE", "cash", "KASOKU_TRACE has no station 'cash'"),
        ("KASOKU_EAGER", "perhaps", "KASOKU_EAGER is 'perhaps', which is neither 0 nor 1"),
        ("KASOKU_NUM_THREADS", "many", "KASOKU_NUM_THREADS is 'many', which is not a whole number"),
        ("KASOKU_CACHE_SIZE", "lots", "KASOKU_CACHE_SIZE is 'lots', which is not a whole number"),
        ("KASOKU_DEVICE", "nonsense", "there is no device 'nonsense'"),
    ],
)
def test_variables_of_the_environment(variable, value, said):
    text = "import kasoku as ks; print((ks.arange(9) * 2).sum()); ks.RawModule(code='__global__ void k() {}').get_function('k')((1,), (1,), ())"
    result = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, env={**os.environ, variable: value}
    )
    assert said in result.stderr


# The kernels below make trouble for the compiler or the process, so each has its own.
troubles = {
    "a recursion without an end": (
        "__device__ int deep(int n, volatile int *p) { p[0] = n; return n < 0 ? 0 : deep(n + 1, p) + n; }\n"
        "__global__ void k(int *x) { x[0] = deep(1, x); }",
        "DeviceError kernel 'k' failed: its call stack is full",
    ),
    "a large local array": (
        "__global__ void k(int *x) { double a[1 << 26]; for (int i = 0; i < 1 << 26; ++i) a[i] = x[i & 1]; x[0] = a[x[0]]; }",
        "DeviceError kernel 'k' failed: its call stack is full",
    ),
    "a table of half a gigabyte": (
        "__device__ double a[1ull << 26] = {1};\n__global__ void k(int *x) { x[0] = a[x[0]]; }",
        "variable a of the module has 536870912 bytes",
    ),
    "brackets": ("__global__ void k(int *x) { x[0] = " + "(" * 20000 + "1" + ")" * 20000 + "; }", "bracket nesting"),
    "a sum of 20000 terms": ("__global__ void k(int *x) { x[0] = " + "+".join(["x[0]"] * 20000) + "; }", "fine"),
    "templates without an end": (
        "template<int n> struct R { static const int v = R<n + 1>::v; };\n__global__ void k(int *x) { x[0] = R<0>::v; }",
        "recursive template instantiation exceeded",
    ),
    "a vector at an address that is not its own": (
        "__global__ void k(int *x) { *(float4 *)((char *)x + x[0] + 5) = make_float4(1, 2, 3, 4); }",
        "DeviceError kernel 'k' failed: it read or wrote memory that is not its own, or at an address that is not a multiple",
    ),
    "a store through a null pointer": (
        "__global__ void k(int *x) { int *p = nullptr; p[threadIdx.x] = x[0]; }",
        "DeviceError kernel 'k' failed: it read or wrote memory that is not its own (address 0x0)",
    ),
    "a null pointer on one of two ways": (
        "__global__ void k(int *x) { int *p = x[0] < 3 ? nullptr : x; p[threadIdx.x] = 4; }",
        "DeviceError kernel 'k' failed: it read or wrote memory that is not its own (address 0x0)",
    ),
    "a null pointer behind a barrier": (
        "struct Pair { int a, b; };\n__global__ void k(int *x) { Pair *p = nullptr; __syncthreads(); if (x[0] < 3) p->b = x[1]; }",
        "DeviceError kernel 'k' failed: it read or wrote memory that is not its own (address 0x4)",
    ),
    "printf of a number as a string": (
        '__global__ void k(int *x) { printf("%s\\n", x[0] + 3); }',
        "DeviceError kernel 'k' failed: it read or wrote memory that is not its own (address 0x3)",
    ),
    "printf of no string": (
        '__global__ void k(int *x) { printf("%5.1s|%s|%%|%d\\n", "abc", (char *)0, 4); }',
        "    a|(null)|%|4\nfine",
    ),
    "free of an address that is no malloc's": (
        "__global__ void k(int *x) { free(x + 8); free(x + 1); }",
        "DeviceError kernel 'k' failed: it gave an address to free()",
    ),
    "free twice": (
        "__global__ void k(int *x) { void *p = malloc(x[0] + 64); free(p); free(nullptr); free(p); }",
        "DeviceError kernel 'k' failed: it gave an address to free()",
    ),
    "free of an address that is nowhere": (
        "__global__ void k(int *x) { free((void *)(size_t)(x[0] + 4096)); }",
        "DeviceError kernel 'k' failed: it read or wrote memory that is not its own",
    ),
    "malloc without an end": (
        "__global__ void k(int *x) { while (char *p = (char *)malloc(1 << 24)) { p[0] = 1; x[0] += p[0]; } }",
        "fine",
    ),
}
host = """
import sys, numpy as np, kasoku as ks
try:
    ks.RawModule(code=sys.argv[1]).get_function("k")((1,), (1,), (np.zeros(64, np.int32),))
    print("fine")
except Exception as error:
    print(type(error).__name__, error)
f = ks.RawModule(code="__global__ void f(int *x) { x[0] = 7; }").get_function("f")
x = np.zeros(1, np.int32)
f((1,), (1,), (x,))
print("goes on with", x[0])
"""


@pytest.mark.parametrize("name", troubles)
def test_the_process_goes_on(name):
    code, expected = troubles[name]
    most = 12 << 30
    result = subprocess.run(
        [sys.executable, "-c", host, code], capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )  # fmt: skip
    assert expected in result.stdout and result.stdout.endswith("goes on with 7\n"), result.stdout + result.stderr
    assert result.returncode == 0


def test_a_stack_without_a_limit_has_an_end():
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("this process may not lift the limit of its stack")
    code, expected = troubles["a recursion without an end"]
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    result = subprocess.run(
        [sys.executable, "-c", host, code], capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, unlimited),
    )  # fmt: skip
    assert expected in result.stdout and result.stdout.endswith("goes on with 7\n"), result.stdout + result.stderr


def test_types_that_grow_in_a_recursion():
    @ks.njit
    def grows(n, pair):
        if n < 0:
            return 0.0
        return grows(n + 1, (pair, pair)) + n

    with pytest.raises(ks.Error, match="more than 1000 parts"):
        grows(1, 1.0)


def test_only_the_hosts_faults_are_left_out():
    """A fault of the device is told, at its line, with the header that was looked for in vain."""
    program = (
        '#include "nowhere.h"\nnowhere::Tensor run(nowhere::Tensor x);\n%s\n__global__ void f(float *x) { *x = 1; }'
    )

    def message(line):
        with pytest.raises(ks.Error) as caught:
            ks.RawModule(program % line).compile()
        return str(caught.value)

    told = message("__device__ float g(Tile t) { return t.x; }")
    assert "'nowhere.h' file not found" in told and ":3:" in told and "unknown type name 'Tile'" in told
    assert "unknown type name 'Tile'" in message("struct S { Tile t; __device__ float get() const { return t.x; } };")
    assert "use of undeclared identifier 'y'" in message("__global__ void k(float *x) { *x = y; }")
    assert "Tile" in message("Tile same(Tile t) { return t; }\n__device__ float h() { return same(1); }")
    assert "expected" in message("__global__ void k(float *x) { *x = 1;")
    assert "ints of eight bytes" in message('static_assert(sizeof(int) == 8, "ints of eight bytes");')
    # Without these the kernel would compile and mean something else.
    general = "template <class T> struct width { static constexpr int value = 1; };"
    assert "gone" in message(
        general + "\ntemplate <> struct width<float> { static constexpr int value = sizeof(gone::T); };"
    )
    assert "gone" in message(general + "\ntemplate <class T> struct width<T *> { gone::T t; };")
    assert "gone" in message("struct __align__(8) S { gone::T t; __device__ float get() const; };")
    assert "'nowhere.h' file not found" in message("#ifndef SCALE\n#define SCALE 1\n#endif")
    with pytest.raises(ks.Error, match="unknown type name 'flaot'"):
        ks.RawModule("flaot f(float x);").compile()


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: ks.RawKernel("__global__ void f(double *x, double *y) {}", "f")((1,), (1,), (x, y)),
        lambda x, y: ks.ElementwiseKernel("T x, T y", "T z", "z = x + y")(x, y),
        lambda x, y: x + y,
    ],
)
def test_what_is_advised_for_arrays_of_two_devices_can_be_typed(call):
    x = ks.ones(3, device="null")
    with pytest.raises((TypeError, ValueError)) as error:
        call(ks.ones(3), x)
    advice = str(error.value).partition("fix  move one: ")[2]
    assert str(eval(advice, {"x": x}).device) == "cpu"
