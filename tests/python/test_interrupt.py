"""Ctrl-C, warnings and printf: what the engine says goes where a Python user looks."""

import os
import signal
import subprocess
import sys
import time

import pytest

long_launch = r"""
import kasoku as ks, numpy as np, time, sys
spin = ks.RawModule(code='''__global__ void spin(long long n, double *x) {
  double s = x[0];
  for (long long i = 0; i < n; ++i) s = s * 0.999 + 1.0;
  x[blockIdx.x] = s;
}''').get_function("spin")
x = ks.array(np.zeros(1 << 16))
spin((1,), (1,), (1, x))
print("go", flush=True)
start = time.perf_counter()
try:
    spin((1 << 16,), (1,), (1 << 24, x))
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", flush=True)
spin((4,), (1,), (1, x))
print("goes on", x.numpy()[0] > 0)
"""


def test_ctrl_c_ends_a_long_launch_and_the_process_goes_on():
    process = subprocess.Popen(
        [sys.executable, "-c", long_launch], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "go\n", process.stderr.read()
    time.sleep(0.5)
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out.splitlines() == ["interrupted", "goes on True"], err
    assert time.perf_counter() - sent < 20


endless_block = r"""
import kasoku as ks, numpy as np, sys
which = sys.argv[1]
module = ks.RawModule(code='''
#include <cooperative_groups.h>
__device__ void spin(long long n, double *x) {
  double s = x[0];
  for (long long i = 0; i < n; ++i) s = s * 0.999 + sin(s);
  x[blockIdx.x] = s;
}
__global__ void one(long long n, double *x) { spin(n, x); }
__global__ void last(long long n, double *x) { if (blockIdx.x == gridDim.x - 1) spin(n, x); }
__global__ void meet(long long n, double *x) {
  if (blockIdx.x == 1) spin(n, x);
  cooperative_groups::this_grid().sync();
}''')
f, grid = module.get_function(which), {"one": 1, "last": 1 << 14, "meet": 3}[which]
x = ks.array(np.zeros(1 << 14))
f((grid,), (1,), (1, x))
print("go", flush=True)
try:
    f((grid,), (1,), (1 << 62, x))
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", flush=True)
f((grid,), (1,), (1, x))
print("goes on", np.isfinite(x.numpy()).all())
"""


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("which", ["one", "last", "meet"])
def test_ctrl_c_ends_a_block_that_does_not_end(tmp_path, which, threads):
    program = tmp_path / "program.py"
    program.write_text(endless_block)
    process = subprocess.Popen(
        [sys.executable, program, which], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "KASOKU_NUM_THREADS": threads},
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "go\n", process.stderr.read()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert out.splitlines() == ["interrupted", "goes on True"], err


def test_a_handler_that_returns_does_not_end_a_block(clean_process):
    text = """
import kasoku as ks, numpy as np, signal
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
f = ks.RawModule(code='''__global__ void f(long long n, double *x) {
  double s = 0;
  for (long long i = 0; i < n; ++i) s = s * 0.5 + 1;
  *x = s;
}''').get_function("f")
x = ks.array(np.zeros(1))
f((1,), (1,), (10, x))
signal.setitimer(signal.ITIMER_REAL, 0.3)
f((1,), (1,), (400_000_000, x))
print(seen, x.numpy())
"""
    assert clean_process(text).stdout == "[1] [2.]\n"


def test_a_handler_of_the_programs_own_is_called(clean_process):
    text = """
import signal
def handler(*_):
    raise TimeoutError("own")
signal.signal(signal.SIGALRM, handler)
""" + long_launch.replace("except KeyboardInterrupt", "except TimeoutError").replace(
        "start = time.perf_counter()", "signal.setitimer(signal.ITIMER_REAL, 0.7)"
    )
    assert "interrupted" in clean_process(text).stdout


prints = r"""
import kasoku as ks, io, contextlib
f = ks.RawModule(code='__global__ void f(int n) { printf("%d äö\\n", n); }').get_function("f")
out = io.StringIO()
with contextlib.redirect_stdout(out):
    f((1,), (1,), (7,))
print(repr(out.getvalue()))
print("before", end=" "); f((1,), (1,), (8,)); print("after")
"""


def test_printf_goes_to_sys_stdout_in_order(clean_process):
    assert clean_process(prints).stdout.splitlines() == ["'7 äö\\n'", "before 8 äö", "after"]


swapped = """
import numpy as np
from kasoku.compat.pycuda import gpuarray
from kasoku.compat.pycuda.elementwise import ElementwiseKernel
f = ElementwiseKernel("int *x, int *y", "y[i] = x[i] + 1", "plus_one")
x, y = gpuarray.to_gpu(np.arange(4, dtype=np.int32)), gpuarray.zeros(4, dtype=np.int32)
f(y, x)
print(y.get())
"""


def test_a_warning_is_pythons_and_names_the_users_line(clean_process):
    result = clean_process(swapped)
    assert "<string>:8: SwappedArgumentsWarning" in result.stderr and "plus_one" in result.stderr
    quiet = clean_process("import warnings; warnings.simplefilter('ignore')\n" + swapped)
    assert quiet.stderr == ""
    strict = clean_process("import warnings; warnings.simplefilter('error')\n" + swapped, check=False)
    assert strict.returncode == 1 and "SwappedArgumentsWarning" in strict.stderr


def test_threads_that_launch_do_not_deadlock_with_printf(clean_process):
    text = r"""
import kasoku as ks, numpy as np
from concurrent.futures import ThreadPoolExecutor
f = ks.RawModule(code='__global__ void f(int n) { if (threadIdx.x == 0) printf("%d\\n", n); }').get_function("f")
with ThreadPoolExecutor(4) as pool:
    list(pool.map(lambda n: f((64,), (32,), (n,)), range(20)))
"""
    assert len(clean_process(text).stdout.splitlines()) == 64 * 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_computes(clean_process):
    text = r"""
import kasoku as ks, numpy as np, os
f = ks.RawModule(code='__global__ void f(int *x) { x[blockIdx.x] = 7; }').get_function("f")
x = ks.array(np.zeros(5000, np.int32))
f((5000,), (1,), (x,))
pid = os.fork()
if pid == 0:
    y = ks.array(np.zeros(5000, np.int32))
    f((5000,), (1,), (y,))
    g = ks.RawModule(code='__global__ void g(int *x) { x[blockIdx.x] = 8; }').get_function("g")
    g((5000,), (1,), (y,))
    os._exit(0 if (y.numpy() == 8).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert clean_process(text).stdout == "0\n"


long_loops = r"""
import sys, time
import kasoku as ks

@ks.jit
def nested(n):
    s = 0.0
    for i in range(n):
        for k in range(1000):
            s = s * 0.999 + k
    return s

@ks.jit
def endless(x):
    while x > 0.0:
        x = x * 0.5 + 1.0
    return x

@ks.jit
def step(n, s):
    for k in range(n):
        s = s * 0.999 + k
    return s

@ks.jit
def calls(n):
    s = 0.0
    for i in range(n):
        s = step(1000, s)
    return s

f, n = {"nested": (nested, 10**12), "endless": (endless, 1.0), "calls": (calls, 10**12)}[sys.argv[1]]
f(0 if f is not endless else -1.0)
print("go", flush=True)
try:
    f(n)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("goes on", f(0) == 0 if f is not endless else f(-1.0) == -1.0)
"""


@pytest.mark.parametrize("which", ["nested", "endless", "calls"])
def test_ctrl_c_ends_a_long_loop_of_a_compiled_function(tmp_path, which):
    program = tmp_path / "program.py"
    program.write_text(long_loops)
    process = subprocess.Popen(
        [sys.executable, program, which], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "go\n", process.stderr.read()
    time.sleep(0.5)
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert out.splitlines() == ["interrupted", "goes on True"], err
    assert time.perf_counter() - sent < 10
