"""check on kernels and jitted loops: each program's verdict is known, and so is the line."""

import numpy as np
import pytest

import kasoku as ks
from kasoku import njit, prange
from kasoku.compat import numba

module = ks._core.SourceModule("""
__global__ void reverse(int *d, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = d[t];
  d[t] = s[n - 1 - t];
}
__global__ void reverse_sync(int *d, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[n - 1 - t];
}
__global__ void past_the_end(int *d, int n) { d[threadIdx.x + 1] = n; }
__global__ void blocks_share(int *d, int n) { d[threadIdx.x] += n; }
__global__ void atomic(int *d, int n) { atomicAdd(&d[0], n); }
__global__ void in_the_warp(int *d, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncwarp();
  d[t] = s[t ^ 1];
}
__global__ void tree(int *d, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) d[0] = s[0];
}
__global__ void unwritten(int *d, int n) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  __syncthreads();
  d[threadIdx.x] = s[threadIdx.x];
}
""")


def found(name, grid=1, shared=0):
    d = ks.array(np.arange(64, dtype=np.int32))
    result = ks.check(module.get_function(name), d, np.int32(64), block=(64, 1, 1), grid=(grid, 1), shared=shared)
    np.testing.assert_array_equal(d.numpy(), np.arange(64))  # the check ran on a copy
    return {(f.kind, f.array) for f in result}


def test_a_missing_barrier():
    assert ("race", "s") in found("reverse")
    assert found("reverse_sync") == set()


def test_a_finding_names_both_lines():
    d = ks.array(np.arange(64, dtype=np.int32))
    race = next(f for f in ks.check(module.get_function("reverse"), d, 64, block=64, grid=1) if f.kind == "race")
    lines = [n for n, line in enumerate(open(__file__), 1) if "s[t] = d[t];" in line or "d[t] = s[n" in line][:2]
    assert (
        [race.line, race.other_line] in (lines, lines[::-1])
        and race.file.endswith("test_check_compiled.py")
        and "__syncthreads" in str(race)
    )


def test_past_the_end():
    assert found("past_the_end") == {("bounds", "d")}


def test_blocks_and_atomics():
    assert found("blocks_share", grid=2) == {("race", "d")} and found("blocks_share", grid=1) == set()
    assert found("atomic", grid=3) == set()


def test_a_barrier_of_the_warp_and_a_tree_with_dynamic_memory():
    assert found("in_the_warp") == set()
    assert found("tree", shared=256) == set()


def test_shared_memory_that_nobody_wrote():
    assert found("unwritten") == {("uninitialised", "s")}


def test_a_kernel_needs_its_shape():
    with pytest.raises(ValueError, match="launch shape"):
        ks.check(module.get_function("atomic"), ks.zeros(4, dtype=np.int32), 1)


@njit(parallel=True)
def add_into_one(flags, total):
    for i in prange(flags.size):
        if flags[i]:
            total[0] += 1


@njit(parallel=True)
def reduction(flags):
    total = 0
    for i in prange(flags.size):
        if flags[i]:
            total += 1
    return total


@njit(parallel=True)
def histogram(values, bins):
    for i in prange(values.size):
        bins[int(values[i] * bins.size)] += 1


@njit(parallel=True)
def blur(x, y):
    for i in prange(1, x.size - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


@njit(parallel=True)
def off_by_one(x, y):
    for i in prange(x.size):
        y[i] = x[i + 1]


@njit(parallel=True)
def two_loops(x, y):
    for i in prange(x.size):
        y[i] = x[i]
    for i in prange(x.size):
        x[i] = y[x.size - 1 - i]


@njit(parallel=True)
def rows(a):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += i
            if j > 0:
                a[i, j] += a[i, j - 1]


def kinds(f, *args):
    return {(x.kind, x.array) for x in ks.check(f, *args)}


values = np.random.default_rng(2).random(1000)
flags = values < 0.5


def test_jitted_loops():
    assert kinds(add_into_one, flags, np.zeros(1, np.int64)) == {("race", "total")}
    assert kinds(reduction, flags) == set()
    assert kinds(histogram, values, np.zeros(8, np.int64)) == {("race", "bins")}
    assert kinds(blur, values, np.zeros_like(values)) == set()
    x = values.copy()
    assert kinds(blur, x, x) == {("race", "x")} or kinds(blur, x, x) == {("race", "y")}
    assert kinds(off_by_one, values, np.zeros_like(values)) == {("bounds", "x")}
    assert kinds(two_loops, values.copy(), np.zeros_like(values)) == set()
    assert kinds(rows, np.zeros((20, 5))) == set()


def test_a_finding_in_a_jitted_loop_has_the_users_line():
    race = ks.check(add_into_one, flags, np.zeros(1, np.int64))[0]
    assert race.line == add_into_one.py_func.__code__.co_firstlineno + 4 and race.file == __file__


def test_a_finding_in_a_list_has_the_users_lines():
    @njit
    def count(x):
        bins = [0, 0]
        for i in prange(x.size):
            bins[i % 2] += 1
        return bins

    line = count.py_func.__code__.co_firstlineno + 4
    found = ks.check(count, np.ones(8))
    assert {(f.kind, f.array, f.file, f.line, f.other_line) for f in found} == {("race", "bins", __file__, line, line)}


def test_arguments_are_left_alone():
    total = np.zeros(1, np.int64)
    ks.check(add_into_one, flags, total)
    assert total[0] == 0


@numba.njit(parallel=True)
def places_of_threads(x):
    parts = np.zeros(numba.get_num_threads())
    for i in prange(x.size):
        parts[numba.get_thread_id()] += x[i]
    return parts.sum()


@numba.njit(parallel=True)
def places_of_threads_and_one_for_all(x):
    parts, last = np.zeros(numba.get_num_threads()), np.zeros(1)
    for i in prange(x.size):
        parts[numba.get_thread_id()] += x[i]
        last[0] = x[i]
    return parts.sum() + last[0]


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS == 1, reason="one thread races with nobody")
def test_a_place_for_each_thread_is_no_race():
    assert kinds(places_of_threads, np.ones(100)) == set()
    assert kinds(places_of_threads_and_one_for_all, np.ones(100)) == {("race", "last")}
