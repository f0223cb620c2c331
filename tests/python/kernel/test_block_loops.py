"""Loops with barriers: what their conditions ask was made in an earlier pass, before the barrier."""

import numpy as np
import pytest

import kasoku as ks


def run(device, text, block, *args):
    arrays = [ks.array(a, device=device) if isinstance(a, np.ndarray) else a for a in args]
    ks.RawModule(code=text).get_function("k")((1,), block, tuple(arrays))
    return [a.numpy() if isinstance(given, np.ndarray) else a for a, given in zip(arrays, args, strict=True)]


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


def butterflies(block, steps, body, shared="float"):
    """Kernels whose threads work with the one whose index differs in one bit, step after step."""
    done = "".join(f"{{ const int j = {j}, k = {k}; {body} }}\n__syncthreads();\n" for j, k in steps)
    return f"""extern "C" __global__ void k(const {shared}* in, {shared}* out) {{
      __shared__ {shared} s[{block}], u[{block}];
      int t = threadIdx.x;
      s[t] = in[t], u[t] = 0;
      __syncthreads();
      {done}
      out[t] = s[t] + u[t];
    }}"""


distances = [1, 2, 4, 8, 16, 64, 256]
types = {"float": np.float32, "double": np.float64, "unsigned char": np.uint8, "long long": np.int64}


@pytest.mark.parametrize("type_", types)
@pytest.mark.parametrize("block", [2, 8, 24, 64, 512, 1024])
def test_sorting_networks(block, type_, device):
    steps = [(j, k) for j in distances for k in (2 * j, 1024) if block % (2 * j) == 0]
    body = """int other = t ^ j;
      if (other > t) {
        auto a = s[t], b = s[other];
        if ((t & k) == 0 ? a > b : a < b) s[t] = b, s[other] = a;
      }"""
    x = np.random.default_rng(block).integers(0, 100, block).astype(types[type_])
    want, t = x.copy(), np.arange(block)
    for j, k in steps:
        low = t[(t & j) == 0]
        a, b = want[low].copy(), want[low + j].copy()
        swap = np.where((low & k) == 0, a > b, a < b)
        want[low], want[low + j] = np.where(swap, b, a), np.where(swap, a, b)
    got = run(device, butterflies(block, steps, body, type_), (block,), x, np.zeros_like(x))[1]
    np.testing.assert_array_equal(got, want)


bodies = {
    "u[t ^ j] = s[t] + j;": lambda s, u, t, j, k: (s, (s + j)[t ^ j]),
    "u[t] = s[t ^ j] - 2 * s[t];": lambda s, u, t, j, k: (s, s[t ^ j] - 2 * s),
    "if (t & j) u[t ^ j] += s[t]; else u[t ^ j] -= s[t];": lambda s, u, t, j, k: (
        s,
        u + np.where((t ^ j) & j, s[t ^ j], -s[t ^ j]),
    ),
    "if ((t & j) == 0) { float a = s[t], b = s[t ^ j]; s[t] = a + b, s[t ^ j] = a - b; }": lambda s, u, t, j, k: (
        np.where(t & j, s[t ^ j] - s, s + s[t ^ j]),
        u,
    ),
    "if (s[t] > 0 && (t ^ j) < t) { s[t] = -s[t ^ j] + (t & k); }": lambda s, u, t, j, k: (
        np.where((s > 0) & (t & j != 0), -s[t ^ j] + (t & k), s),
        u,
    ),
    "if (t % 3 == 1) { float a = u[t]; if (s[t] > 1) u[t] = a + s[t]; }": lambda s, u, t, j, k: (
        s,
        np.where((t % 3 == 1) & (s > 1), u + s, u),
    ),
    "float a = u[t]; if (s[t] > t % 7) { u[t] = a * 2 + 1; if (s[t] > 5) u[t] = 3; }": lambda s, u, t, j, k: (
        s,
        np.where(s > np.maximum(5, t % 7), 3, np.where(s > t % 7, u * 2 + 1, u)),
    ),
}


@pytest.mark.parametrize("body", bodies)
@pytest.mark.parametrize("block", [4, 48, 128, 512])
def test_partners(block, body, device):
    steps = [(j, k) for j in distances for k in (1, 4, 32) if block % (2 * j) == 0]
    s, t = numbers(block).astype(np.float64), np.arange(block)
    x, u = s.astype(np.float32), np.zeros(block)
    for j, k in steps:
        s, u = bodies[body](s, u, t, j, k)
        s, u = s.astype(np.float32).astype(np.float64), u.astype(np.float32).astype(np.float64)
    got = run(device, butterflies(block, steps, body), (block,), x, np.zeros_like(x))[1]
    np.testing.assert_allclose(got, s + u, rtol=1e-5)


def test_who_does_not_store_undoes_nothing(device):
    text = """extern "C" __global__ void k(const int* in, int* out) {
      __shared__ int s[64], u[64], found[1];
      int t = threadIdx.x;
      s[t] = u[t] = 0;
      if (t == 0) found[0] = 0;
      __syncthreads();
      if (found[0] == 0 && in[t] > 3) found[0] = 1;
      if (s[t] == 0 && in[t] > 5) s[t] = 1;
      u[in[t]] = 1;
      __syncthreads();
      out[t] = s[t] + 10 * found[0] + 100 * u[t];
    }"""
    for x in (np.arange(64), np.arange(64)[::-1], np.full(64, 4), np.zeros(64), np.full(64, 7)):
        x = x.astype(np.int32)
        want = (x > 5) + 10 * (x > 3).any() + 100 * np.isin(np.arange(64), x)
        np.testing.assert_array_equal(run(device, text, (64,), x, np.zeros_like(x))[1], want)
