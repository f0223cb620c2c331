"""Kernels that write past the end of their arrays: an error that names both, and no damage to what is the process's own."""

import subprocess
import sys

import numpy as np
import pytest

import kasoku as ks
from kasoku import cuda
from kasoku.compat.pycuda import driver as drv
from kasoku.compat.pycuda.compiler import SourceModule

text = "__global__ void fill(float *c) { c[threadIdx.x] = 1; }"


@pytest.fixture(autouse=True)
def on_a_cpu():
    with ks.default_device("cpu"):
        yield


# PyCUDA has one device in a process.
pycudas = pytest.mark.skipif(ks.has_device("cuda"), reason="PyCUDA's device may be the GPU, which has no guard")


def past_the_end(kernel, array, size=40):
    return pytest.raises(
        ks.errors.DeviceError,
        match=f"kernel '{kernel}' wrote past the end of '{array}', which has {size} bytes(.|\n)*KASOKU_CHECK=bounds",
    )


@pytest.mark.parametrize("threads", [11, 100, 1024])
def test_a_launch_says_which_array_the_kernel_left(threads):
    fill = ks.RawKernel(text, "fill")
    c = ks.zeros(10, dtype="float32")
    fill((1,), (10,), (c,))
    with past_the_end("fill", "c"):
        fill((1,), (threads,), (c,))
    fill((1,), (10,), (c,))  # said once
    assert c.numpy().tolist() == [1] * 10


def test_a_large_array_too():
    fill = ks.RawKernel("__global__ void fill(double *c, int n) { c[n] = 1; }", "fill")
    for n in (1000, 20_000, 500_000):
        c = ks.zeros(n)
        fill((1,), (1,), (c, n - 1))
        with past_the_end("fill", "c", 8 * n):
            fill((1,), (1,), (c, n))


def test_a_global_too():
    module = ks.RawModule(
        code="""
__device__ float table[10];
__constant__ int few[3];
__device__ __align__(128) char wide;
extern "C" __global__ void fill(int n) { table[n] = 1; }
extern "C" __global__ void spoil(int n) { ((volatile int *)few)[n] = 1; }
extern "C" __global__ void widen(int n, unsigned long long *at) { *at = (unsigned long long)&wide; (&wide)[n] = 1; }
"""
    )
    fill, spoil, widen = (module.get_function(name) for name in ("fill", "spoil", "widen"))
    fill((1,), (1,), (9,))
    with past_the_end("fill", "table"):
        fill((1,), (1,), (10,))
    fill((1,), (1,), (9,))  # said once
    with past_the_end("spoil", "few", 12):
        spoil((1,), (1,), (3,))
    at = ks.zeros(1, dtype="uint64")
    with past_the_end("widen", "wide", 1):
        widen((1,), (1,), (128, at))
    assert int(at.numpy()[0]) % 128 == 0


@pycudas
def test_each_face_and_form_of_kernel():
    fill = SourceModule(text).get_function("fill")
    with past_the_end("fill", "c"):
        fill(drv.mem_alloc(40), block=(1024, 1, 1))
    for host in (drv.InOut, drv.Out):
        with past_the_end("fill", "c"):
            fill(host(np.zeros(10, np.float32)), block=(1024, 1, 1))

    @cuda.jit
    def count(x):
        x[cuda.threadIdx.x] += 1

    with past_the_end("count", "x"):
        count[1, 1024](cuda.to_device(np.zeros(10, np.float32)))
    shift = ks.ElementwiseKernel("float32 x", "raw float32 y", "y[i + 5] = x", "shift")
    with past_the_end("shift", "y"):
        shift(ks.ones(10, dtype="float32"), ks.zeros(10, dtype="float32"))


@pycudas
def test_an_address_is_known_when_its_memory_is_freed():
    fill = SourceModule(text).get_function("fill")
    memory = drv.mem_alloc(40)
    fill(np.intp(int(memory)), block=(1024, 1, 1))
    with pytest.raises(
        ks.errors.DeviceError,
        match="memory of 40 bytes was written past its end(.|\n)*the last kernel that ran is 'fill'",
    ):
        memory.free()
    memory = drv.mem_alloc(40)
    fill(np.intp(int(memory)), block=(1024, 1, 1))
    del memory
    with pytest.raises(ks.errors.DeviceError, match="found when it was freed"):
        drv.Context.synchronize()
    ks.synchronize()


@pycudas
def test_what_is_passed_by_in_and_out_stays_as_it_was():
    a, b = np.arange(10, dtype=np.float32), np.full(10, 7, np.float32)
    twice = SourceModule(
        "__global__ void twice(float *y, float *x) { y[threadIdx.x] = 2 * x[threadIdx.x]; }"
    ).get_function("twice")
    twice(drv.Out(b), drv.In(a), block=(5, 1, 1))
    assert a.tolist() == list(range(10)) and b.tolist() == [0, 2, 4, 6, 8, 7, 7, 7, 7, 7]


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)


def test_a_process_outlives_small_overruns():
    ran = run(
        f"""
import kasoku as ks
fill = ks.RawKernel("{text}", "fill")
found = 0
for _ in range(300):
    arrays = [ks.eval(ks.zeros(n, dtype="float32")) for n in (1, 10, 100, 1000)]
    for c in arrays:
        try:
            fill((1,), (1024,), (c,))
        except ks.errors.DeviceError:
            found += 1
print(found, len([bytearray(n) for n in range(3000)]))
"""
    )
    assert (ran.returncode, ran.stdout) == (0, "1200 3000\n"), ran.stderr[-500:]


def test_a_fault_elsewhere_names_the_last_kernel():
    ran = run(
        f"""
import ctypes, kasoku as ks
ks.RawKernel("{text}", "fill")((1,), (10,), (ks.zeros(10, dtype="float32"),))
(ks.zeros(10) + 1).numpy()
ctypes.string_at(8)
"""
    )
    assert ran.returncode == -11 and "the last kernel that ran is 'fill'" in ran.stderr
