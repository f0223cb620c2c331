"""ks.cuda.jit: kernels in Python on whichever device there is."""

import math

import numpy as np
import pytest
from kasoku import cuda
from kasoku.cuda.random import (
    create_xoroshiro128p_states,
    init_xoroshiro128p_states,
    init_xoroshiro128p_states_cpu,
    xoroshiro128p_normal_float64,
    xoroshiro128p_uniform_float32,
)


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def test_a_kernel_on_host_arrays_copies_both_ways():
    x, y, out = np.arange(1000.0), np.ones(1000), np.zeros(1000)
    add[8, 128](x, y, out)
    np.testing.assert_array_equal(out, x + 1)


def test_device_arrays_and_forall():
    x = cuda.to_device(np.arange(100, dtype=np.float32))
    out = cuda.device_array_like(x)
    add.forall(100)(x, x, out)
    cuda.synchronize()
    np.testing.assert_array_equal(out.copy_to_host(), np.arange(100, dtype=np.float32) * 2)


@cuda.jit
def block_sum(x, sums):
    part = cuda.shared.array(128, np.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    part[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    s = 64
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


def test_shared_memory_and_barriers():
    x = np.random.rand(1000).astype(np.float32)
    sums = np.zeros(8, np.float32)
    block_sum[8, 128](x, sums)
    np.testing.assert_allclose(sums, np.pad(x, (0, 24)).reshape(8, 128).sum(axis=1), rtol=1e-5)


@cuda.jit
def histogram(values, bins):
    start, step = cuda.grid(1), cuda.gridsize(1)
    for i in range(start, values.size, step):
        cuda.atomic.add(bins, values[i], 1)


def test_atomics_and_grid_stride_loops():
    values = np.random.default_rng(1).integers(0, 10, 5000)
    bins = np.zeros(10, np.int64)
    histogram[4, 64](values, bins)
    np.testing.assert_array_equal(bins, np.bincount(values, minlength=10))


@cuda.jit
def maximum(x, out):
    cuda.atomic.max(out, 0, x[cuda.grid(1)])
    cuda.atomic.min(out, 1, x[cuda.grid(1)])


def test_atomic_max_and_min():
    x, out = np.random.rand(256), np.array([-1.0, 2.0])
    maximum[2, 128](x, out)
    assert out[0] == x.max() and out[1] == x.min()


@cuda.jit
def transpose(a, b):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        b[j, i] = a[i, j]


def test_two_dimensional_kernels():
    a, b = np.random.rand(20, 30), np.zeros((30, 20))
    transpose[(2, 2), (16, 16)](a, b)
    np.testing.assert_array_equal(b, a.T)


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit
def squares(x):
    i = cuda.grid(1)
    x[i] = square(x[i])


def test_device_functions():
    x = np.arange(64.0)
    squares[1, 64](x)
    np.testing.assert_array_equal(x, np.arange(64.0) ** 2)


@cuda.jit
def warp_sum(x, out):
    t = cuda.threadIdx.x
    v = x[t]
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
    if t == 0:
        out[0] = v


def test_shuffles():
    x, out = np.arange(32, dtype=np.float32), np.zeros(1, np.float32)
    warp_sum[1, 32](x, out)
    assert out[0] == x.sum()


@cuda.jit
def draw(states, out, normal):
    i = cuda.grid(1)
    out[i] = xoroshiro128p_uniform_float32(states, i)
    normal[i] = xoroshiro128p_normal_float64(states, i)


def test_xoroshiro128p():
    n = 4096
    states = create_xoroshiro128p_states(n, seed=3)
    assert len({tuple(row) for row in states.copy_to_host()}) == n
    out, normal = np.zeros(n), np.zeros(n)
    draw[n // 128, 128](states, out, normal)
    assert abs(out.mean() - 0.5) < 6 / math.sqrt(12 * n)
    assert abs(normal.mean()) < 6 / math.sqrt(n) and abs(normal.std() - 1) < 0.1


def test_states_are_jumps_of_two_to_the_64():
    from kasoku.cuda.random import _jump

    states = create_xoroshiro128p_states(5, seed=7).copy_to_host()
    for a, b in zip(states, states[1:]):
        assert _jump(int(a[0]), int(a[1])) == tuple(int(x) for x in b)
    again, host = cuda.device_array((5, 2), np.uint64), np.zeros((5, 2), np.uint64)
    init_xoroshiro128p_states(again, 7)
    init_xoroshiro128p_states_cpu(host, 7)
    assert (again.copy_to_host() == states).all() and (host == states).all()


def test_shapes_of_a_device_function_s_memory_are_its_arguments():
    @cuda.jit(device=True)
    def memory(n, shape, x, i):
        s = cuda.shared.array(n, np.float64)
        t = cuda.local.array(shape, np.float64)
        t[1, 2] = i
        s[cuda.threadIdx.x] = x[i]
        cuda.syncthreads()
        return s[(cuda.threadIdx.x + 1) % n] + t[1, 2]

    @cuda.jit(device=True)
    def through(n, x, i):
        return memory(n, (2, n), x, i)

    width, shape = 32, (4, 5)

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = through(width, x, i) + memory(64, shape, x, i)

    x, out = np.arange(64.0), np.zeros(64)
    kernel[2, 32](x, out)
    i = np.arange(64)
    first = i // 32 * 32 + (i + 1) % 32
    second = np.where(i % 32 == 31, out - first - 2 * i, i + 1)  # the last one reads what nobody wrote
    np.testing.assert_array_equal(out, first + second + 2 * i)


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_atomic_inc_and_dec_wrap_around(dtype):
    @cuda.jit
    def kernel(up, down, limit):
        i = cuda.grid(1)
        cuda.atomic.inc(up, i % 4, limit)
        cuda.atomic.dec(down, i % 4, limit)

    up, down = np.array([0, 1, 6, 9], dtype), np.array([0, 1, 6, 9], dtype)
    wanted_up, wanted_down = up.copy(), down.copy()
    for i in range(64):
        k = i % 4
        wanted_up[k] = 0 if wanted_up[k] >= 6 else wanted_up[k] + 1
        wanted_down[k] = 6 if wanted_down[k] == 0 or wanted_down[k] > 6 else wanted_down[k] - 1
    kernel[2, 32](up, down, dtype(6))
    np.testing.assert_array_equal(up, wanted_up)
    np.testing.assert_array_equal(down, wanted_down)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float64])
def test_dynamic_shared_memory_is_as_long_as_the_launch_says(dtype):
    @cuda.jit
    def kernel(out):
        d = cuda.shared.array(0, dtype)
        i = cuda.threadIdx.x
        d[i] = 10 * (i + 1)
        cuda.syncthreads()
        if i == 0:
            out[0], out[1], out[2] = d[1:2][0], d[2:][1], d[::3][1]
            out[3], out[4], out[5], out[6] = d[-1], len(d), d[1:].shape[0], d.size

    out = np.zeros(7, np.int64)
    kernel[1, 4, 0, 4 * np.dtype(dtype).itemsize](out)
    assert out.tolist() == [20, 40, 40, 40, 4, 3, 4]


def test_reshape_in_a_kernel():
    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x
        flat, tall = x.reshape(6), x.reshape((3, 2))
        out[i] = flat[i] + 10 * tall[i // 2, i % 2] + 100 * flat.reshape(2, -1)[i // 3, i % 3] + 1000 * x.ravel()[i]

    x, out = np.arange(6.0).reshape(2, 3), np.zeros(6)
    kernel[1, 6](x, out)
    np.testing.assert_array_equal(out, 1111 * x.ravel())


@cuda.jit(device=True)
def element(x, i):
    return x[i]


def index(x, y):
    x[cuda.grid(1)] = 1


def far_from_the_end(x, y):
    x[-1 - cuda.grid(1)] = 1


def in_a_device_function(x, y):
    y[cuda.grid(1)] = element(x, cuda.grid(1))


def of_an_atomic(x, y):
    cuda.atomic.add(x, cuda.grid(1), 1)


def of_shared_memory(x, y):
    part = cuda.shared.array(6, np.int64)
    part[cuda.grid(1)] = 1
    cuda.syncthreads()  # those that failed do not come
    x[cuda.threadIdx.x % 6] = part[cuda.threadIdx.x % 6]


def integers(x, y):
    i = cuda.grid(1)
    y[i] = 1 // (i - 6)


def remainders(x, y):
    i = cuda.grid(1)
    y[i] = 1 % (i - 6)


def floats(x, y):
    i = cuda.grid(1)
    total = 0.0
    for k in range(2):
        total += 1 / (i - 6.0 - k)
    y[i] = total


def asserts(x, y):
    assert cuda.grid(1) != 6, "six"


def raises(x, y):
    i = cuda.grid(1)
    if i == 6:
        raise KeyError("six", i)


def reshapes(x, y):
    if cuda.grid(1) == 6:
        y[0] = x.reshape(4)[0]


@pytest.mark.parametrize(
    "body, kind, what",
    [(index, IndexError, "index 6 is out of bounds for axis 0 of 'x', which has 6 elements"),
     (far_from_the_end, IndexError, "index -7 is out of bounds for axis 0 of 'x'"),
     (in_a_device_function, IndexError, "index 6 is out of bounds for axis 0 of 'x'"),
     (of_an_atomic, IndexError, "index 6 is out of bounds for axis 0 of 'x'"),
     (of_shared_memory, IndexError, "index 6 is out of bounds for axis 0 of 'part'"),
     (integers, ZeroDivisionError, "division by zero"), (remainders, ZeroDivisionError, "division by zero"),
     (floats, ZeroDivisionError, "division by zero"), (asserts, AssertionError, "six"), (raises, KeyError, "six"),
     (reshapes, ValueError, "an array of 6 elements cannot be reshaped into 4")],
    ids=lambda x: getattr(x, "__name__", ""),
)  # fmt: skip
def test_a_kernel_with_debug_raises_what_its_failing_thread_did(body, kind, what):
    kernel = cuda.jit(debug=True)(body)
    x, y = np.zeros(6, np.int64), np.zeros(8)
    with pytest.raises(kind, match=what) as raised:
        kernel[1, 7](x, y)
    said = str(raised.value) + "".join(getattr(raised.value, "__notes__", ()))
    assert "test_jit_cuda.py:" in said and "thread (6, 0, 0) of block (0, 0, 0)" in said


def test_a_kernel_with_debug_that_does_not_fail_is_the_kernel():
    kernel = cuda.jit(debug=True)(add.py_func)
    x, out = np.arange(1000.0), np.zeros(1000)
    for _ in range(3):
        kernel[8, 128](x, x, out)
    np.testing.assert_array_equal(out, 2 * x)


def test_without_debug_a_raise_ends_its_thread():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if x[i] < 0:
            raise ValueError("negative")
        out[i] = 1

    out = np.zeros(4)
    kernel[1, 4](np.array([1, -1, 1, -1]), out)
    assert out.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("name", ["sin", "sqrt", "negative", "add", "hypot", "greater", "logical_xor"])
def test_a_ufunc_in_a_kernel_stores_into_an_array(name):
    function = getattr(np, name)

    @cuda.jit
    def one(x, out):
        function(x, out)

    @cuda.jit
    def two(x, y, out):
        function(x, y, out)

    x, y = np.arange(1.0, 13).reshape(3, 4), np.array([4.0, 3.0, 2.0, 1.0])
    given = (x,) if function.nin == 1 else (x, y)
    want = function(*given)
    for place in (lambda a: a, lambda a: np.asfortranarray(a)):
        out = place(np.zeros_like(want))
        (one if function.nin == 1 else two)[1, 1](*map(place, given), out)
        np.testing.assert_allclose(out, want, rtol=1e-15)


def test_a_kernel_stores_whole_arrays_and_parts():
    @cuda.jit
    def kernel(out, x, rows):
        out[:] = x
        out[1:3] += x[1:3]
        out[0] = 10 * out[3]
        rows[:, 1:] = x[1:] - 1

    out, rows = np.zeros(4), np.zeros((2, 4))
    kernel[1, 1](out, np.arange(4.0), rows)
    assert out.tolist() == [30, 2, 4, 3]
    assert rows.tolist() == [[0, 0, 1, 2]] * 2


def test_a_kernel_leaves_an_array_alone_that_is_of_another_length():
    @cuda.jit
    def kernel(out, x):
        out[:] = x

    out = np.zeros(4)
    kernel[1, 1](out, np.ones(3))
    assert out.tolist() == [0] * 4
    with pytest.raises(ValueError, match="broadcast"):
        cuda.jit(kernel.py_func, debug=True, opt=False)[1, 1](out, np.ones(3))


def test_vectors_are_made_of_numbers_and_of_shorter_vectors():
    @cuda.jit(device=True)
    def twice(v):
        return cuda.float32x2(2 * v.x, 2 * v.y)

    @cuda.jit
    def kernel(out, whole):
        v = cuda.float4(0.5, twice(cuda.float2(1, 2.25)), 7)
        out[0], out[1], out[2], out[3] = v.x, v.y, v.z, v.w
        n = cuda.int32x3(cuda.uchar1(300), cuda.short2(-1, 4.75))
        whole[0], whole[1], whole[2] = n.x, n.y, n.z

    @cuda.jit
    def wrong(out):
        out[0] = cuda.float4(1, cuda.float2(2, 3)).x

    out, whole = np.zeros(4), np.zeros(3, int)
    kernel[1, 1](out, whole)
    assert out.tolist() == [0.5, 2, 4.5, 7] and whole.tolist() == [44, -1, 4]
    assert cuda.double3 is cuda.float64x3 and not hasattr(cuda, "float5")
    with pytest.raises(TypeError, match="4 components, and 3 are given"):
        wrong[1, 1](out)
    with pytest.raises(TypeError, match="belongs in a kernel"):
        cuda.float4(1, 2, 3, 4)


functions_of_libdevice = {
    "frexp": math.frexp, "exp10": lambda x: 10.0**x, "rcbrt": lambda x: 1 / np.cbrt(x), "sinpi": lambda x: np.sin(np.pi * x),
    "cospi": lambda x: np.cos(np.pi * x), "normcdf": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), "ilogb": lambda x: math.frexp(x)[1] - 1,
    "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x), "saturatef": lambda x: min(max(x, 0), 1),
    "double2int_rn": np.rint, "double2ll_rd": math.floor, "float2int_ru": math.ceil, "double2uint_rz": math.trunc,
    "nearbyint": np.rint, "abs": abs,
}  # fmt: skip


@pytest.mark.parametrize("name", functions_of_libdevice)
def test_functions_of_libdevice(name):
    function = getattr(cuda.libdevice, name)
    want = [np.ravel(functions_of_libdevice[name](x)) for x in (0.25, 2.5, 3.75)]

    @cuda.jit
    def kernel(x, out):
        out[cuda.grid(1)] = function(x[cuda.grid(1)])

    @cuda.jit
    def pairs(x, out):
        out[cuda.grid(1), 0], out[cuda.grid(1), 1] = function(x[cuda.grid(1)])

    out = np.zeros((3, want[0].size) if want[0].size > 1 else 3)
    (pairs if want[0].size > 1 else kernel)[1, 3](np.array([0.25, 2.5, 3.75]), out)
    np.testing.assert_allclose(out.ravel(), np.ravel(want), rtol=1e-7, atol=1e-15)


def test_functions_of_libdevice_of_whole_numbers():
    lib = cuda.libdevice

    @cuda.jit
    def kernel(x, y, out):
        out[0], out[1], out[2] = lib.sad(x[0], y[0], 5), lib.mulhi(x[0], y[0]), lib.max(x[0], y[0])
        out[3], out[4] = lib.popc(x[0]), lib.clz(x[0])

    out = np.zeros(5, int)
    kernel[1, 1](np.array([1 << 20], np.int32), np.array([-(1 << 15)], np.int32), out)
    assert out.tolist() == [(1 << 20) + (1 << 15) + 5, -8, 1 << 20, 1, 11]
