"""Loops with barriers: what their conditions ask was made in an earlier pass, before the barrier."""

import numpy as np
import pytest

import kasoku as ks


def run(device, text, block, *args):
    arrays = [ks.array(a, device=device) if isinstance(a, np.ndarray) else a for a in args]
    ks.RawModule(code=text).get_function("k")((1,), block, tuple(arrays))
    return [a.numpy() if isinstance(given, np.ndarray) else a for a, given in zip(arrays, args)]


def numbers(n):
    return np.random.default_rng(n).integers(-9, 9, n).astype(np.float32)


@pytest.mark.parametrize("block", [1, 7, 32, 100, 256])
@pytest.mark.parametrize("start", [0, 1, 5, 64, 128])
def test_a_bound_that_each_pass_makes_smaller(start, block, device):
    start = min(start, block // 2)
    text = """extern "C" __global__ void k(const float* in, float* out, int start) {
      __shared__ float s[256];
      int t = threadIdx.x;
      s[t] = in[t];
      __syncthreads();
      for (int d = start; d > 0; d = d * 2 / 3) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
      }
      out[t] = s[t];
    }"""
    x = numbers(block)
    want, d = x.copy(), start
    while d > 0:
        want[:d] = want[:d] + want[d : 2 * d]
        d = d * 2 // 3
    np.testing.assert_array_equal(run(device, text, (block,), x, np.zeros_like(x), np.int32(start))[1], want)


@pytest.mark.parametrize("meets", [[], [0], [1], [0, 0, 0], [1, 1], [0, 1, 0, 0, 1, 1, 0, 1], [1, 0, 0, 0, 0, 1]])
@pytest.mark.parametrize("block", [(16, 4), (64, 1), (5, 3)])
def test_a_barrier_that_some_passes_have(block, meets, device):
    text = """extern "C" __global__ void k(const int* meets, const float* in, float* out, int n) {
      __shared__ float s[64];
      int t = threadIdx.y * blockDim.x + threadIdx.x, last = blockDim.x * blockDim.y - 1;
      float sum = 0, mine = in[t];
      for (int i = 0; i < n; ++i) {
        s[t] = mine + i;
        if (meets[i]) {
          __syncthreads();
          mine = s[last - t];
          __syncthreads();
        }
        if (t < i) sum += mine * i;
        else if (i > 2) sum -= mine;
      }
      out[t] = sum;
    }"""
    threads = block[0] * block[1]
    mine, t, want = numbers(threads), np.arange(threads), np.zeros(threads, np.float32)
    x = mine.copy()
    for i, meet in enumerate(meets):
        if meet:
            mine = (mine + i)[::-1]
        want += np.where(t < i, mine * i, -mine if i > 2 else 0)
    flags = np.array(meets + [0], np.int32)
    got = run(device, text, block, flags, x, np.zeros(threads, np.float32), np.int32(len(meets)))[2]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10])
@pytest.mark.parametrize("block", [(16, 16), (8, 4), (3, 3), (33, 2)])
def test_the_last_pass_goes_another_way(block, n, device):
    text = """extern "C" __global__ void k(const float* in, float* out, int n) {
      __shared__ float s[256];
      int size = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
      float sum = 1;
      for (int m = 0; m < n; ++m) {
        s[t] = in[m * size + t];
        __syncthreads();
        if (m % 3 == 1) sum *= s[(t + 1) % size];
        else for (int k = 0; k < blockDim.x; ++k) sum += s[threadIdx.y * blockDim.x + k] * (k + 1);
        __syncthreads();
      }
      out[t] = sum;
    }"""
    size = block[0] * block[1]
    x = numbers((n + 1) * size) % 3
    want = np.ones(size, np.float32)
    for m in range(n):
        s = x[m * size : (m + 1) * size]
        if m % 3 == 1:
            want *= np.roll(s, -1)
        else:
            want += np.repeat(s.reshape(block[1], block[0]) @ np.arange(1, block[0] + 1), block[0]).astype(np.float32)
    got = run(device, text, block, x, np.zeros(size, np.float32), np.int32(n))[1]
    np.testing.assert_allclose(got, want, rtol=1e-6)
