"""An assertion that does not hold ends its thread: the others go on, and the launch fails."""

import numpy as np
import pytest

import kasoku as ks

TEXT = """
#include <cassert>
__device__ void need(int v) { assert(v >= 0); }
__global__ void plain(const int *x, int *y) { int t = threadIdx.x; assert(x[t] >= 0); y[t] = 1; }
__global__ void twice(const int *x, int *y) {
  int t = threadIdx.x;
  assert(x[t] >= 0);
  y[t] = 1;
  assert(x[t] != 40);
  if (x[t] & 1) y[t] = 2;
}
__global__ void in_loop(const int *x, int *y) {
  for (int i = 0; i < x[threadIdx.x] % 7; i++) { need(x[threadIdx.x] - 8 * i); y[threadIdx.x]++; }
}
__global__ void meets(const int *x, int *y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  assert(s[63 - t] >= 0);
  y[t] = 1;
  __syncthreads();
  y[t] += s[t];
}
__global__ void in_branch(const int *x, int *y) {
  int t = threadIdx.x, v = x[t];
  if (t & 1) need(v);
  if (t < 32) v += __shfl_xor_sync(__activemask(), v, 2);
  y[t] = v;
}
__global__ void traps(const int *x, int *y) { if (x[threadIdx.x] < 0) __trap(); y[threadIdx.x] = 1; }
"""
N = 64


def plain(x, t):
    return 0 if x[t] < 0 else 1


def twice(x, t):
    return 0 if x[t] < 0 else 1 if x[t] == 40 else 1 + x[t] % 2


def in_loop(x, t):
    rounds = int(np.fmod(x[t], 7))
    return next((i for i in range(rounds) if x[t] - 8 * i < 0), max(rounds, 0))


def meets(x, t):
    return 0 if x[63 - t] < 0 else 1 + x[t]


def in_branch(x, t):
    if t % 2 and x[t] < 0:
        return 0
    return x[t] + (x[t ^ 2] if t < 32 else 0)


FAILS = {
    plain: lambda x: (x < 0).any(),
    twice: lambda x: ((x < 0) | (x == 40)).any(),
    in_loop: lambda x: any(x[t] >= 0 and in_loop(x, t) < int(np.fmod(x[t], 7)) for t in range(N)),
    meets: lambda x: (x < 0).any(),
    in_branch: lambda x: (x[1::2] < 0).any(),
}


# On a GPU a failed assertion spoils the process's context: nothing can be read after it.
@pytest.mark.parametrize("kernel", FAILS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("bad", [(), (0,), (63,), (5, 41), tuple(range(64))], ids=str)
def test_assertion_ends_its_thread(kernel, bad):
    with ks.default_device("cpu"):
        x = np.arange(100, 100 + 3 * N, 3, dtype=np.int32)
        x[7] = 41
        for t in bad:
            # Whom a shuffle asks after his end answers with what nobody defines.
            if kernel is in_branch and t < 32 and t % 2:
                t = 32 + t
            x[t] = -5
        y = ks.array(np.zeros(N, np.int32))
        function = ks.RawModule(TEXT).get_function(kernel.__name__)

        def launch():
            function((1, 1, 1), (N, 1, 1), (ks.array(x), y))
            ks.synchronize()

        if FAILS[kernel](x):
            with pytest.raises(
                ks.Error, match=rf"'{kernel.__name__}' failed: assertion `.*` failed at .*test_assert.py:\d+ in "
            ):
                launch()
        else:
            launch()
        np.testing.assert_array_equal(y.numpy(), [kernel(x, t) for t in range(N)])


def test_trap_ends_its_thread():
    with ks.default_device("cpu"):
        x = np.ones(N, np.int32)
        x[[3, 50]] = -1
        y = ks.array(np.zeros(N, np.int32))
        with pytest.raises(ks.Error, match=r"it executed __trap\(\)"):
            ks.RawModule(TEXT).get_function("traps")((1, 1, 1), (N, 1, 1), (ks.array(x), y))
            ks.synchronize()
        np.testing.assert_array_equal(y.numpy(), x > 0)
