"""`kasoku run --check`: launches and parallel loops of an unchanged program are checked; `kasoku check` runs files in a process of their own."""

import subprocess
import sys

import pytest


def run(tmp_path, program, *options, name="program.py"):
    file = tmp_path / name
    file.write_text(program)
    return subprocess.run(
        [sys.executable, "-m", "kasoku", "run", "--check", *options, str(file)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip


pycuda = """
import numpy as np, pycuda.autoinit, pycuda.driver as drv
from pycuda.compiler import SourceModule
add = SourceModule('''
__global__ void add(float *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] += 1;
}
__global__ void all(float *x) { x[0] += threadIdx.x; }
''')
x = np.zeros(10, np.float32)
memory = drv.to_device(x)
add.get_function("add")(memory, np.int32(10), block=(32, 1, 1))
print(drv.from_device(memory, 10, np.float32).sum())
"""


def test_a_clean_program_runs_once_and_ends_well(tmp_path):
    ran = run(tmp_path, pycuda)
    assert (ran.returncode, ran.stdout) == (0, "10.0\n"), ran.stderr
    assert "1 launches and loops checked, 0 findings" in ran.stderr


def test_a_race_is_told_at_the_end(tmp_path):
    ran = run(tmp_path, pycuda + "add.get_function('all')(memory, block=(32, 1, 1))\nprint('end')\n")
    assert ran.returncode == 1 and ran.stdout.endswith("end\n")
    assert "2 launches and loops checked, 1 finding\n  all\n    race on x" in ran.stderr


def test_the_programs_own_status_goes_first(tmp_path):
    ran = run(tmp_path, pycuda + "add.get_function('all')(memory, block=(32, 1, 1))\nimport sys; sys.exit(7)\n")
    assert ran.returncode == 7 and "race on x" in ran.stderr
    ran = run(tmp_path, pycuda + "raise KeyError('mine')\n")
    assert ran.returncode == 1 and "KeyError: 'mine'" in ran.stderr and "0 findings" in ran.stderr


def test_an_address_of_unknown_memory_is_not_checked_and_not_written_twice(tmp_path):
    ran = run(tmp_path, pycuda.replace("(memory, np.int32(10)", "(np.intp(int(memory)), np.int32(10)"))
    assert (ran.returncode, ran.stdout) == (0, "10.0\n"), ran.stderr
    assert "not checked: add: check: 'x' of 'add' is an address" in ran.stderr


numba = """
import numpy as np
from numba import cuda, njit, prange
@cuda.jit
def fill(x):
    x[cuda.threadIdx.x] = 1
@njit(parallel=True)
def last(x, n=4):
    for i in prange(len(x)):
        x[i % n] = i
    return x
"""


def test_kernels_and_loops_in_python(tmp_path):
    ran = run(
        tmp_path, numba + "x = cuda.to_device(np.zeros(10, np.float32))\nfill[1, 10](x)\nlast(np.zeros(8), n=8)\n"
    )
    assert ran.returncode == 0 and "2 launches and loops checked, 0 findings" in ran.stderr
    ran = run(tmp_path, numba + "last(np.zeros(8))\n")
    assert ran.returncode == 1 and "  last\n    race on x" in ran.stderr
    ran = run(tmp_path, numba + "x = cuda.to_device(np.zeros(10, np.float32))\nfill[1, 32](x)\n")
    assert ran.returncode == 1 and "  fill\n    bounds on x" in ran.stderr
    assert "kasoku.IndexError: fill: thread 10" in ran.stderr  # in place of the program's own launch


def test_kernels_of_expressions(tmp_path):
    ran = run(
        tmp_path,
        """
import cupy as cp
first = cp.ElementwiseKernel("float32 x", "raw float32 y", "y[0] += x", "first")
first(cp.ones(10, dtype="float32"), cp.zeros(1, dtype="float32"))
""",
    )
    assert ran.returncode == 1 and "  first\n    race on y" in ran.stderr


def check(tmp_path, program, *more):
    file = tmp_path / "checked.py"
    file.write_text("import kasoku as ks, sys, os\n" + program)
    return subprocess.run(
        [sys.executable, "-m", "kasoku", "check", *more, str(file)], capture_output=True, text=True, timeout=300
    )


clean = "k = ks.RawKernel('__global__ void k(int *x) { x[threadIdx.x] = 1; }', 'k')\nks.check(k, ks.zeros(8, dtype='int32'), block=8)\n"
racy = "r = ks.RawKernel('__global__ void r(int *x) { x[0] = threadIdx.x; }', 'r')\nks.check(r, ks.zeros(8, dtype='int32'), block=8)\n"


@pytest.mark.parametrize(
    ("end", "status"), [("", 0), ("sys.exit(3)", 3), ("sys.exit('no')", 1), ("raise KeyError", 1), ("os._exit(9)", 9)]
)
def test_check_ends_with_the_programs_status(tmp_path, end, status):
    ran = check(tmp_path, clean + end)
    assert ran.returncode == status and "✓ k" in ran.stdout and "1 checked, 0 findings" in ran.stdout
    ran = check(tmp_path, racy + end)
    assert ran.returncode == (status or 1) and "race on x" in ran.stdout


def test_what_was_found_before_a_program_died_is_shown(tmp_path):
    ran = check(tmp_path, racy + "import ctypes; ctypes.string_at(8)")
    assert ran.returncode == 128 + 11 and "race on x" in ran.stdout and "checked.py was ended by SIGSEGV" in ran.stderr


def test_checks_leave_no_damage_behind(tmp_path):
    """A kernel that leaves its array does so on copies."""
    ran = check(
        tmp_path,
        "k = ks.RawKernel('__global__ void k(int *x) { x[threadIdx.x] = 1; }', 'k')\n"
        "assert ks.check(k, ks.zeros(8, dtype='int32'), block=64)[0].kind == 'bounds'\n"
        "e = ks.ElementwiseKernel('int32 x', 'raw int32 y', 'y[i + 4] = x', 'e')\n"
        "assert ks.check(e, ks.zeros(8, dtype='int32'), ks.zeros(8, dtype='int32'))[0].kind == 'bounds'\n"
        "import gc; gc.collect(); ks.synchronize(); print('whole')\n",
    )
    assert "whole" in ran.stdout and ran.returncode == 1, ran.stderr
