"""KASOKU_CHECK=bounds: a launch whose indices leave an array is an IndexError, and nothing is written."""

import os
import subprocess
import sys

PROGRAM = """
import kasoku as ks, numpy as np
k = ks.RawModule(code="extern \\"C\\" __global__ void f(int *x, int n) { int i = threadIdx.x; if (i <= n) x[i] = 7; }").get_function("f")
x = ks.array(np.zeros(8, np.int32))
try:
    k((1,), (16,), (x, 8))
    print("ran")
except IndexError as error:
    print(str(error).splitlines()[0], x.numpy().sum())
k((1,), (16,), (x, 7))
print(x.numpy().sum())
"""


def test_a_launch_that_leaves_its_array():
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "KASOKU_CHECK": "bounds", "KASOKU_DEVICE": "cpu"},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    first, second = result.stdout.split("\n")[:2]
    assert first == (
        "f: thread 8 of block 0 writes x[8], which has 8 elements; guard the access, or give a larger array 0"
    )
    assert second == "56"


def test_a_kernel_in_python_that_leaves_its_array(tmp_path):
    program = """
import numpy as np
from kasoku import cuda
@cuda.jit
def fill(x):
    x[cuda.threadIdx.x] = 7
x = cuda.to_device(np.zeros(8, np.int32))
try:
    fill[1, 9](x)
except IndexError as error:
    print(str(error).splitlines()[0], x.copy_to_host().sum())
fill[1, 8](x)
print(x.copy_to_host().sum())
"""
    file = tmp_path / "program.py"
    file.write_text(program)
    result = subprocess.run(
        [sys.executable, file],
        env={**os.environ, "KASOKU_CHECK": "bounds", "KASOKU_DEVICE": "cpu"},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    first, second = result.stdout.split("\n")[:2]
    assert first.startswith("fill: thread 8 of block 0") and first.endswith(" 0") and second == "56"


def test_memory_given_by_address_is_checked_on_copies_too():
    program = """
import numpy as np
from kasoku.compat.pycuda import driver as drv
from kasoku.compat.pycuda.compiler import SourceModule
count = SourceModule("__global__ void count(int *x) { atomicAdd(x + threadIdx.x, 1); }").get_function("count")
memory = drv.to_device(np.zeros(8, np.int32))
count(memory, block=(8, 1, 1))
try:
    count(memory, block=(9, 1, 1))
except IndexError as error:
    print("x[8]" in str(error))
print(drv.from_device(memory, 8, np.int32).tolist())
try:
    count(np.intp(int(memory)), block=(8, 1, 1))
except NotImplementedError as error:
    print(str(error).splitlines()[0])
"""
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "KASOKU_CHECK": "bounds", "KASOKU_DEVICE": "cpu"},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert result.stdout == (
        "True\n[1, 1, 1, 1, 1, 1, 1, 1]\n"
        "check: 'x' of 'count' is an address, and how much memory lies there is not known\n"
    )
