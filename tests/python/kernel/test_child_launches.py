"""Kernels that launch kernels: what children see, their order, errors, many of them, threads at once."""

import os
import signal
import threading

import kasoku as ks
import numpy as np
import pytest

i32, u32, f32, f64 = np.int32, np.uint32, np.float32, np.float64


def module(text, device="cpu", **options):
    with ks.default_device(device):
        return ks.RawModule(code=text, options=("-std=c++17",), **options)


def run(mod, kernel, *args, grid=(1, 1, 1), block=(1, 1, 1), device="cpu", shared=0):
    """Launches with arrays on the device; gives what the arrays hold afterwards."""
    arrays = [ks.array(a, device=device) if isinstance(a, np.ndarray) and a.ndim else a for a in args]
    with ks.default_device(device):
        mod.get_function(kernel)(grid, block, tuple(arrays), shared_mem=shared)
        ks.synchronize()
    out = [a.numpy() for a in arrays if isinstance(a, ks.Array)]
    return out[0] if len(out) == 1 else out


ADD = """
__global__ void add(float* y, const float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + by;
}
extern "C" __global__ void parent(float* y, const float* x, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) add<<<(n + 127) / 128, 128>>>(y, x, 1.5f, n);
}
"""


@pytest.mark.parametrize("n", [1, 127, 128, 5000])
def test_a_child_grid(device, n):
    x = np.random.default_rng(n).random(n).astype(f32)
    got = run(
        module(ADD, device), "parent", np.zeros(n, f32), x, i32(n), block=(32, 1, 1), grid=(3, 1, 1), device=device
    )
    np.testing.assert_array_equal(got[0], x + f32(1.5))


def test_a_later_launch_sees_what_children_wrote(device):
    mod = module(ADD, device)
    x, y, z = (ks.array(np.arange(300, dtype=f32), device=device) for _ in range(3))
    with ks.default_device(device):
        f = mod.get_function("parent")
        for to, source in ((y, x), (z, y), (x, z)):
            f((1,), (1,), (to, source, i32(300)))
    np.testing.assert_array_equal(x.numpy(), np.arange(300) + f32(4.5))


SHAPES = """
struct Big { double a[5]; char tail; };
struct Small { int a; float b; };
struct Nothing {};
__device__ Nothing nothing;
template <class T> __global__ void write(T* out, T value) { out[threadIdx.x] = value; }
__global__ void take(double* out, char c, float3 f, Nothing, Big big, Small small, bool yes, short s, double2 d, long long l) {
  out[0] = c, out[1] = f.x + 10 * f.y + 100 * f.z, out[2] = big.a[4] + big.tail, out[3] = small.a + small.b;
  out[4] = yes, out[5] = s, out[6] = d.x - d.y, out[7] = (double)l;
}
__global__ void overloaded(double* out, int) { out[8] = 1; }
__global__ void overloaded(double* out, double) { out[8] = 2; }
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
extern "C" __global__ void parent(double* out) {
  Big big = {{1, 2, 3, 4, 5}, 'a'};
  const auto launch = [&](Small small) { take<<<dim3(1, 1, 1), make_uint3(1, 1, 1)>>>(out, -7, make_float3(1, 2, 3), nothing, big, small, true, -3, make_double2(5, 7), 1ll << 40); };
  launch({4, 0.5f});
  LAUNCH(overloaded, out, 2.0);
  write<<<1, 3>>>(out + 9, 8.0);
  big.a[4] = 99;  // a child has the value of its launch
  for (int i = 0; i < 2; ++i) write<double><<<1, 1>>>(out + 12 + i, 20 + i);
}
"""


def test_parameters_of_every_kind(device):
    got = run(module(SHAPES, device), "parent", np.zeros(14), device=device)
    np.testing.assert_array_equal(got, [-7, 321, 5 + 97, 4.5, 1, -3, -2, 2.0**40, 2, 8, 8, 8, 20, 21])


RECURSIVE = """
// Each thread of each block launches a grid of the same shape; a leaf counts itself.
extern "C" __global__ void tree(int* leaves, int* at, int depth) {
  __shared__ int mine[4];
  mine[threadIdx.x] = at[0] + threadIdx.x;
  __syncthreads();
  if (depth == 0) atomicAdd(leaves, mine[(threadIdx.x + 1) % blockDim.x] >= at[0]);
  else tree<<<2, 2>>>(leaves, at, depth - 1);
}
extern "C" __global__ void nested(int* count, int left) {
  ++count[0];
  if (left) nested<<<1, 1>>>(count, left - 1);
}
extern "C" __global__ void nested_twice(int* count, int left) {
  atomicAdd(count, 1);
  if (left == 0) return;
  nested_twice<<<1, 1, 0, cudaStreamFireAndForget>>>(count, left - 1);
  nested<<<1, 1, 0, cudaStreamFireAndForget>>>(count + 1, 0);
}
"""


def test_recursion(device):
    mod = module(RECURSIVE, device)
    for depth in range(5):
        got = run(
            mod, "tree", np.zeros(1, i32), np.zeros(1, i32), i32(depth), grid=(2, 1, 1), block=(2, 1, 1), device=device
        )
        assert got[0][0] == 4 ** (depth + 1)
    assert run(mod, "nested", np.zeros(1, i32), i32(20), device=device)[0] == 21


def test_deep_recursion():
    mod = module(RECURSIVE)
    assert run(mod, "nested", np.zeros(1, i32), i32(100_000))[0] == 100_001
    with ks.set_num_threads(1) if hasattr(ks, "set_num_threads") else threading.Lock():
        assert run(mod, "nested_twice", np.zeros(1, i32).repeat(2), i32(500))[0] == 501
    with pytest.raises(ks.Error, match="too deeply: the call stack is full"):
        run(mod, "nested_twice", np.zeros(2, i32), i32(10_000_000))


ORDER = """
extern "C" __global__ void put(int* log, int value) { log[++log[0]] = value; }
extern "C" __global__ void one_stream(int* log) {
  put<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 100);
  for (int i = 0; i < 20; ++i) put<<<1, 1>>>(log, i);
  put<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 101);
  put<<<1, 1>>>(log, 20);
}
extern "C" __global__ void by_threads(int* log) {  // the block's threads share its stream
  for (int turn = 0; turn < blockDim.x; ++turn) {
    if (threadIdx.x == turn) put<<<1, 1>>>(log + 40 * blockIdx.x, turn);
    __syncthreads();
  }
}
__global__ void put_twice(int* log, int value) {
  put<<<1, 1>>>(log, value);
  put<<<1, 1>>>(log, value + 1);
}
extern "C" __global__ void grandchildren(int* log) {  // a child is done when its children are
  put_twice<<<1, 1>>>(log, 10);
  put_twice<<<1, 1>>>(log, 20);
  put<<<1, 1>>>(log, 30);
}
extern "C" __global__ void own_streams(int* log, int n) {
  for (int i = 0; i < n; ++i) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    put<<<1, 1, 0, stream>>>(log + 4 * i, i);
    put<<<1, 1, 0, stream>>>(log + 4 * i, -i);
    cudaStreamDestroy(stream);
  }
}
extern "C" __global__ void events(int* log) {
  cudaStream_t a, b;
  cudaEvent_t done;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  put<<<1, 1, 0, b>>>(log, 1);
  cudaEventRecord(done, b);
  cudaStreamWaitEvent(a, done, 0);
  put<<<1, 1, 0, a>>>(log, 2);
  cudaEventDestroy(done);
}
extern "C" __global__ void copies(int* a, int* b) {
  put<<<1, 1>>>(a, 7);
  cudaMemcpyAsync(b, a, 4 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  cudaMemsetAsync(a, 0xff, 2 * sizeof(int), 0);
  put<<<1, 1>>>(b, 8);
}
"""


def test_order_of_streams(device):
    mod = module(ORDER, device)
    assert run(mod, "one_stream", np.zeros(40, i32), device=device)[:24].tolist() == [23, *range(21), 100, 101]
    log = run(mod, "by_threads", np.zeros((50, 40), i32), grid=(50, 1, 1), block=(32, 1, 1), device=device)
    np.testing.assert_array_equal(log[:, :33], np.tile([32, *range(32)], (50, 1)))
    assert run(mod, "grandchildren", np.zeros(9, i32), device=device).tolist() == [5, 10, 11, 20, 21, 30, 0, 0, 0]
    log = run(mod, "own_streams", np.zeros((300, 4), i32), i32(300), device=device)
    np.testing.assert_array_equal(log, [[2, i, -i, 0] for i in range(300)])
    assert run(mod, "events", np.zeros(4, i32), device=device).tolist() == [2, 1, 2, 0]


def test_copies_take_their_turn_in_a_stream():
    """On a CPU; on a GPU they are the device runtime's own."""
    a, b = run(module(ORDER), "copies", np.zeros(4, i32), np.zeros(4, i32))
    assert a.tolist() == [-1, -1, 0, 0] and b.tolist() == [2, 7, 8, 0]


MANY = """
__global__ void mark(int* x) { atomicAdd(x, 1); }
extern "C" __global__ void each(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mark<<<1, 1>>>(x + i);
}
extern "C" __global__ void one_thread(int* x, int n) {
  for (int i = 0; i < n; ++i) mark<<<1, 32>>>(x + i % 100);
}
"""


def test_thousands_of_children(device):
    mod = module(MANY, device)
    n = 100_003
    assert (
        run(mod, "each", np.zeros(n, i32), i32(n), grid=((n + 255) // 256, 1, 1), block=(256, 1, 1), device=device) == 1
    ).all()
    assert (run(mod, "one_thread", np.zeros(100, i32), i32(2000), device=device) == 640).all()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_million_children_leave_nothing_behind():
    mod, x = module(MANY), ks.zeros(100, dtype=i32)
    f = mod.get_function("one_thread")
    f((1,), (1,), (x, i32(200_000)))
    before, launches = resident(), ks.stats().launches
    f((1,), (1,), (x, i32(1_000_000)))
    assert ks.stats().launches == launches + 1_000_001
    assert resident() - before < 16 << 20
    assert (x.numpy() == 32 * 12_000).all()


WAITS = """
__global__ void fill(int* x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add_one(int* x) { x[threadIdx.x] += 1; }
__global__ void fill_below(int* x, int value) {
  if (threadIdx.x == 0) fill<<<2, 32>>>(x, value);
}
extern "C" __global__ void wait(int* x, int* y) {  // CDP's first form
  __shared__ int seen[64];
  seen[threadIdx.x] = -1;
  for (int turn = 0; turn < 3; ++turn) {
    if (threadIdx.x == 0) {
      fill_below<<<1, 32>>>(x, 5 * turn);
      add_one<<<1, 64>>>(x);
      cudaDeviceSynchronize();
    }
    __syncthreads();
    seen[threadIdx.x] += x[63 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = seen[threadIdx.x];
  fill<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 77);
}
extern "C" __global__ void factorial(long long* out, int n) {
  if (n == 0) { *out = 1; return; }
  factorial<<<1, 1>>>(out, n - 1);
  cudaDeviceSynchronize();
  *out *= n;
}
"""


def test_waiting_for_children():
    mod = module(WAITS)
    x, y = run(mod, "wait", np.zeros(64, i32), np.zeros(64, i32), block=(64, 1, 1))
    assert (y == -1 + 1 + 6 + 11).all() and x[0] == 77 and (x[1:] == 11).all()
    assert run(mod, "factorial", np.zeros(1, np.int64), i32(20))[0] == 2432902008176640000
    with pytest.raises(ks.Error, match="call stack is full"):
        run(mod, "factorial", np.zeros(1, np.int64), i32(1_000_000))


ERRORS = """
#include <cooperative_groups.h>
__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__global__ void __launch_bounds__(64) bounded(int* x) { x[threadIdx.x] = 1; }
__global__ void fails(int* x) { assert(x[threadIdx.x] == 5); }
__global__ void traps(int* x) { if (x[0] == 0) __trap(); }
__global__ void wild(int* x) { x[threadIdx.x + (1ll << 40)] = 1; }
__global__ void meets(int* x) { cooperative_groups::this_grid().sync(); }
extern "C" __global__ void launch(int* x, int what) {
  if (what == 0) fill<<<1, 2000>>>(x, 7);
  if (what == 1) fill<<<1, dim3(8, 0)>>>(x, 7);
  if (what == 2) fill<<<1, 8, 1 << 30>>>(x, 7);
  if (what == 3) bounded<<<1, 65>>>(x);
  if (what == 4) fails<<<4, 4>>>(x);
  if (what == 5) traps<<<1, 1>>>(x);
  if (what == 6) wild<<<1, 1>>>(x);
  if (what == 7) meets<<<1, 1>>>(x);
  if (what == 8) cudaMemcpyAsync(x, (void*)16, 4, cudaMemcpyDefault, 0);
}
extern "C" __global__ void asks(int* x) {
  fill<<<1, 2000>>>(x, 7);
  x[0] = cudaPeekAtLastError(), x[1] = cudaGetLastError(), x[2] = cudaGetLastError();
  fill<<<0, 4>>>(x, 7);
  x[3] = cudaGetLastError() == cudaErrorInvalidConfiguration;
  if (threadIdx.x == 0) printf("%s: %s", cudaGetErrorName(cudaErrorInvalidConfiguration), cudaGetErrorString((cudaError_t)x[0]));
}
extern "C" __global__ void empty(int* x, int n) { fill<<<n / 256, 256>>>(x, 7); }
"""
WAITS_FOR_ERRORS = """
extern "C" __global__ void launch_and_wait(int* x, int what) {
  launch<<<1, 1>>>(x, what);
  cudaDeviceSynchronize();
  x[0] = 99;
}
"""


@pytest.mark.parametrize(
    "what, sentence",
    [
        (
            0,
            r"the block \(2000, 1, 1\) of kernel 'fill' has 2000 threads, and 1024 is the most \(launched at kernel.cu:10\)",
        ),
        (1, r"the block \(8, 0, 1\) of kernel 'fill' is empty \(launched at kernel.cu:11\)"),
        (2, r"'fill' asks for 1.0 GiB of shared memory.*\(launched at kernel.cu:12\)"),
        (3, r"kernel 'bounded' has 65 threads, and 64 is the most"),
        (4, r"'fails' failed: assertion `x\[threadIdx.x\] == 5`(.|\n)*kernel 'launch' launched it at kernel.cu:14"),
        (5, r"'traps' failed: it executed __trap\(\)(.|\n)*kernel 'launch' launched it at kernel.cu:15"),
        (6, r"'wild' failed: it read or wrote memory that is not its own(.|\n)*launched it at kernel.cu:16"),
        (
            7,
            r"'meets' synchronises its grid, which a kernel that is launched by another cannot \(launched at kernel.cu:17\)",
        ),
        (8, r"a copy or fill of memory in kernel 'launch' failed: it read or wrote memory that is not its own"),
    ],
)
@pytest.mark.parametrize("kernel", ["launch", "launch_and_wait"])
def test_errors_reach_the_caller(kernel, what, sentence):
    mod, x = module(ERRORS + WAITS_FOR_ERRORS), ks.zeros(8, dtype=i32)
    with pytest.raises(ks.Error, match=sentence):
        mod.get_function(kernel)((1,), (1,), (x, i32(what)))
    assert x.numpy()[0] == 0  # who waits does not go on either
    mod.get_function("launch")((1,), (1,), (x, i32(-1)))  # nothing of it is left


def test_a_kernel_that_asks_handles_its_errors(device, capfd):
    got = run(module(ERRORS, device), "asks", np.ones(8, i32), device=device)
    assert got.tolist() == [9, 9, 0, 1, 1, 1, 1, 1]
    assert capfd.readouterr().out == "cudaErrorInvalidConfiguration: invalid configuration argument"
    assert run(module(ERRORS, device), "empty", np.ones(8, i32), i32(255), device=device).tolist() == [1] * 8


def test_wrong_text_is_refused():
    for text, sentence in [
        ("__global__ void k(int); __global__ void p() { k<<<1, 1>>>(2); }", "kernel 'k' is launched, and has no body"),
        ("__global__ void k(int) {} __global__ void p() { k(2); }", "call to global function 'k' not configured"),
        ("__device__ void k(int) {} __global__ void p() { k<<<1, 1>>>(2); }", "kernel call to non-global function 'k'"),
        ("__global__ void k(int) {} __global__ void p() { k<<<1>>>(2); }", "too few execution configuration arguments"),
        ("__global__ void k(int) {} __global__ void p() { k<<<1, 1>>>(); }", "too few arguments to function call"),
        ("__global__ void k(int) {} __global__ void p() { k<<<1, 1, 0, 0, 0>>>(1); }", "no viable conversion"),
        (
            "__global__ void k(int) {} __device__ void (*f)(int) = k; __global__ void p() { f<<<1, 1>>>(1); }",
            "cannot take the address of kernel 'k'",
        ),
    ]:
        with pytest.raises(ks.CompileError, match=sentence):
            module(text).get_function("p")((1,), (1,), ())


def test_two_threads_launch_at_once(device):
    mod = module(RECURSIVE + MANY, device)
    results = {}

    def work(name, kernel, *args, **shape):
        results[name] = run(mod, kernel, *args, device=device, **shape)

    n = 2000
    threads = [
        threading.Thread(
            target=work,
            args=("tree", "tree", np.zeros(1, i32), np.zeros(1, i32), i32(4)),
            kwargs={"grid": (2, 1, 1), "block": (2, 1, 1)},
        ),
        threading.Thread(
            target=work,
            args=("each", "each", np.zeros(n, i32), i32(n)),
            kwargs={"grid": (n // 100, 1, 1), "block": (100, 1, 1)},
        ),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["tree"][0][0] == 4**5 and (results["each"] == 1).all()


ARGUMENTS = """
__global__ void put(int* out, int at, int value) { if (threadIdx.x == 0) out[at] = 1000 * value + blockDim.x; }
__device__ int of_opposite(int t) {
  __shared__ int all[64];
  all[t] = t;
  __syncthreads();
  return all[63 - t];
}
__device__ int after_another(int* out, int t) {
  put<<<1, 7>>>(out, 64 + t, 5);
  return t;
}
extern "C" __global__ void block_meets(int* out) { put<<<1, threadIdx.x + 1>>>(out, threadIdx.x, of_opposite(threadIdx.x)); }
extern "C" __global__ void warp_meets(int* out) { put<<<1, threadIdx.x + 1>>>(out, threadIdx.x, __shfl_xor_sync(~0u, threadIdx.x, 1)); }
extern "C" __global__ void nested(int* out) { put<<<1, threadIdx.x + 1>>>(out, threadIdx.x, after_another(out, threadIdx.x)); }
"""


@pytest.mark.parametrize(
    "kernel, value", [("block_meets", lambda t: 63 - t), ("warp_meets", lambda t: t ^ 1), ("nested", lambda t: t)]
)
def test_each_thread_has_its_own_shape_where_threads_meet_in_the_arguments(device, kernel, value):
    got = run(module(ARGUMENTS, device), kernel, np.zeros(128, i32), block=(64, 1, 1), device=device)
    t = np.arange(64)
    np.testing.assert_array_equal(got[:64], 1000 * value(t) + t + 1)
    np.testing.assert_array_equal(got[64:], 5007 if kernel == "nested" else 0)


def test_a_thread_with_a_small_stack():
    mod = module(ADD)
    x, results = np.arange(300, dtype=f32), []
    run(mod, "parent", np.zeros(300, f32), x, i32(300))  # compiled where there is room
    before = threading.stack_size(512 << 10)
    try:
        thread = threading.Thread(target=lambda: results.append(run(mod, "parent", np.zeros(300, f32), x, i32(300))[0]))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    np.testing.assert_array_equal(results, [x + f32(1.5)])


def test_copies_leave_nothing_behind():
    mod = module("""extern "C" __global__ void copies(int* x, int n) {
      for (int i = 0; i < n; ++i) cudaMemcpyAsync(x, x + 1, 4, cudaMemcpyDeviceToDevice);
    }""")
    run(mod, "copies", np.arange(2, dtype=i32), i32(100_000))
    before = resident()
    assert run(mod, "copies", np.arange(2, dtype=i32), i32(1_000_000)).tolist() == [1, 1]
    assert resident() - before < 16 << 20


def test_an_error_in_the_depth_names_each_place_once():
    mod = module("""extern "C" __global__ void deeper(int n) {
      assert(n);
      deeper<<<1, 1>>>(n - 1);
      cudaDeviceSynchronize();
    }""")
    with pytest.raises(ks.Error, match="assertion") as caught:
        run(mod, "deeper", i32(20))
    assert str(caught.value).count("launched it at") == 1


ENDLESS = """
extern "C" __global__ void again(int* x) { ++x[0]; again<<<1, 1>>>(x); }
extern "C" __global__ void wait_for_it(int* x) { again<<<1, 1>>>(x); cudaDeviceSynchronize(); x[1] = 1; }
"""


@pytest.mark.parametrize("kernel", ["again", "wait_for_it"])
def test_ctrl_c_ends_launches_without_end(kernel):
    mod, x = module(ENDLESS), ks.zeros(2, dtype=i32)
    mod.get_function(kernel)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mod.get_function(kernel)((1,), (1,), (x,))
    assert x.numpy()[0] > 0 and x.numpy()[1] == 0


CHECKED = """
__global__ void shift(int* to, const int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = x[i + 1];
}
__global__ void race(int* x) { x[threadIdx.x / 2] = threadIdx.x; }
extern "C" __global__ void parent(int* x, int* y, int n, int races) {
  if (threadIdx.x) return;
  shift<<<(n + 31) / 32, 32>>>(y, x, n);
  shift<<<1, 4>>>(x, y, 4);
  if (races) race<<<1, 8>>>(y);
}
"""


def test_check_looks_into_children():
    mod, x, y = module(CHECKED), ks.zeros(64, dtype=i32), ks.zeros(64, dtype=i32)
    parent = mod.get_function("parent")
    assert not ks.check(parent, x, y, i32(63), i32(0), block=(32, 1, 1), grid=(1, 1, 1))
    found = ks.check(parent, x, y, i32(64), i32(1), block=(32, 1, 1), grid=(1, 1, 1))
    assert {(f.kind, f.array) for f in found} == {("bounds", "x"), ("race", "y")}
    first = next(i for i, line in enumerate(open(__file__), 1) if line.startswith("CHECKED"))
    assert {f.line - first for f in found} == {3, 5}


def test_children_are_kernels_as_others(device):
    mod = module(SHAPES, device)
    mod.get_function("parent")
    with ks.default_device(device):
        got = run(mod, "write<double>", np.zeros(3), f64(4), block=(3, 1, 1), device=device)
    assert got.tolist() == [4, 4, 4]


RANDOM = """
// Node i launches nodes first[i]..first[i + 1]; each is in its parent's stream `stream[node]`: 0 and 1 named
// ones, 2 none, 3 fire and forget, 4 tail. After launching a node with `waits`, its parent waits.
extern "C" __global__ void node(int i, const int* first, const int* stream, const int* waits, int* clock, int* begin, int* seen) {
  begin[i] = atomicAdd(clock, 1);
  cudaStream_t streams[5] = {0, 0, 0, cudaStreamFireAndForget, cudaStreamTailLaunch};
  for (int k = 0; k < 2; ++k) cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking);
  for (int child = first[i]; child < first[i + 1]; ++child) {
    node<<<1, 1, 0, streams[stream[child]]>>>(child, first, stream, waits, clock, begin, seen);
    if (waits[child]) {
      cudaDeviceSynchronize();
      seen[child] = atomicAdd(clock, 1);
    }
  }
  for (int k = 0; k < 2; ++k) cudaStreamDestroy(streams[k]);
}
"""


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_keep_the_order_of_streams(seed):
    rng = np.random.default_rng(seed)
    children, parent = [[]], [-1]
    while len(parent) < 1200:  # each node belongs to one of the latest
        to = int(rng.integers(max(0, len(parent) - 30), len(parent)))
        children[to].append(len(parent))
        children.append([])
        parent.append(to)
    order = [0]  # nodes by levels, so that a node's children stand side by side
    for i in order:
        order.extend(children[i])
    number = {old: new for new, old in enumerate(order)}
    first = np.cumsum([1] + [len(children[i]) for i in order]).astype(i32)
    n = len(order)
    up = [number[parent[i]] if i else -1 for i in order]
    stream = rng.integers(0, 5, n).astype(i32)
    waits = (rng.random(n) < 0.1).astype(i32)
    out = run(
        module(RANDOM), "node", i32(0), first, stream, waits, np.zeros(1, i32), np.full(n, -1, i32), np.full(n, -1, i32)
    )
    begin, seen = out[4], out[5]
    assert out[3][0] == n + waits[1:].sum() and (begin >= 0).all()
    last = begin.copy()  # when the last of a node's descendants began
    for i in range(n - 1, 0, -1):
        last[up[i]] = max(last[up[i]], last[i])
    for i in range(n):
        done, others = {}, -1
        for child in range(first[i], first[i + 1]):
            kind = stream[child]
            if kind in (0, 1, 2):
                assert begin[child] > done.get(kind, -1)
                done[kind] = last[child]
            if kind != 4:
                others = max(others, last[child])
            if waits[child]:
                assert seen[child] > others
        tails = [child for child in range(first[i], first[i + 1]) if stream[child] == 4]
        for child in tails:
            assert begin[child] > max(others, seen[first[i] : first[i + 1]].max())
            others = last[child]
