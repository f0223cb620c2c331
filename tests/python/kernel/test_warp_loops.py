"""Loops of warps and what one lane does alone, where the CPU makes vectors of 32 lanes."""

import numpy as np
import pytest

import kasoku as ks

FULL = "0xffffffffu"


def run(device, text, grid, block, *args):
    arrays = [ks.array(a, device=device) if isinstance(a, np.ndarray) else a for a in args]
    ks.RawModule(code=text).get_function("k")((grid,), (block,), tuple(arrays))
    return [a.numpy() if isinstance(given, np.ndarray) else a for a, given in zip(arrays, args, strict=True)]


def whole_numbers(n, seed=0):
    return np.random.default_rng(seed).integers(-50, 50, n).astype(np.float32)


lengths = {
    "mixed": [0, 1, 2, 31, 32, 33, 0, 63, 64, 65, 100, 0, 0, 500, 3],
    "empty": [0] * 9,
    "whole": [32, 64, 32, 96],
    "one": [7],
    "many": np.random.default_rng(5).integers(0, 90, 200).tolist(),
}


@pytest.mark.parametrize("block", [32, 64, 96, 256])
@pytest.mark.parametrize("of", lengths)
@pytest.mark.parametrize("extra", ["", "if (in[i] > 0)", "if (i & 1)"])
def test_sums_of_segments(of, extra, block, device):
    begins = np.concatenate([[0], np.cumsum(lengths[of])]).astype(np.int32)
    n = begins.size - 1
    x = whole_numbers(begins[-1] + 1)
    text = f"""extern "C" __global__ void k(const float* in, const int* begins, float* out, float* seen, int n) {{
      int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
      if (warp >= n) return;
      float sum = 0, count = 1000 * lane;
      for (int i = begins[warp] + lane; i < begins[warp + 1]; i += 32) {{ {extra} sum += in[i]; count += 1; }}
      seen[warp * 32 + lane] = count;
      for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync({FULL}, sum, d);
      if (lane == 0) out[warp] = sum;
    }}"""
    warps = block // 32
    out, seen = run(
        device,
        text,
        -(-n // warps),
        block,
        x,
        begins,
        np.full(n, 7, np.float32),
        np.zeros(n * 32, np.float32),
        np.int32(n),
    )[2:4]
    taken = {"": x == x, "if (in[i] > 0)": x > 0, "if (i & 1)": np.arange(x.size) % 2 == 1}[extra]
    want = [np.sum((x * taken)[a:b]) for a, b in zip(begins, begins[1:])]
    np.testing.assert_array_equal(out, want)
    lane = np.arange(32)
    counts = [1000 * lane + np.maximum(0, (b - a - lane + 31) // 32) for a, b in zip(begins, begins[1:])]
    np.testing.assert_array_equal(seen.reshape(n, 32), counts)


@pytest.mark.parametrize("block", [32, 64, 160, 256, 1024])
@pytest.mark.parametrize("lane", [0, 5, 16, 31])
@pytest.mark.parametrize("differs", [False, True])
def test_one_lane_alone(block, lane, differs, device):
    """All lanes go on after it with what they had before it."""
    text = f"""extern "C" __global__ void k(const float* in, float* out, float* sums) {{
      __shared__ float s[32];
      int t = threadIdx.x, lane = t & 31, i = blockIdx.x * blockDim.x + t;
      float v = in[i];
      for (int d = 1; d < 32; d <<= 1) {{ float o = __shfl_up_sync({FULL}, v, d); if (lane >= d) v += o; }}
      if (lane {"!=" if differs else "=="} {lane}) {{ sums[i] = v; s[t >> 5] = v; v += 1; }}
      {"__syncwarp();" if differs else ""} if (lane == {lane}) s[t >> 5] = v;
      __syncthreads();
      float before = 0;
      for (int w = 0; w < t >> 5; ++w) before += s[w];
      out[i] = v + before;
    }}"""
    blocks = 3
    x = whole_numbers(blocks * block)
    out, sums = run(device, text, blocks, block, x, np.zeros_like(x), np.full_like(x, -999))[1:3]
    v = np.cumsum(x.reshape(-1, 32), axis=1)
    alone = (np.arange(32) != lane) if differs else (np.arange(32) == lane)
    np.testing.assert_array_equal(sums.reshape(v.shape), np.where(alone, v, -999))
    after = v + alone
    total = after[:, lane].reshape(blocks, -1)
    before = np.cumsum(total, axis=1) - total
    np.testing.assert_array_equal(out.reshape(v.shape), after + before.reshape(-1, 1))


@pytest.mark.parametrize("bound", ["t >> 5", "(t >> 5) + 1", "8 - t / 32", "n - t / 32", "begins[t >> 5]"])
def test_loops_of_as_many_passes_as_the_warp_wants(bound, device):
    text = f"""extern "C" __global__ void k(const float* in, const int* begins, float* out, int n) {{
      __shared__ float s[256];
      int t = threadIdx.x;
      s[t] = in[t] + __shfl_xor_sync({FULL}, in[t], 1);
      __syncthreads();
      float sum = 0;
      for (int w = 0; w < {bound}; ++w) sum += s[w] * t;
      out[t] = sum;
    }}"""
    x, n = whole_numbers(256), 5
    begins = np.array([0, 3, 1, 8, 0, 2, 2, 7], np.int32)
    out = run(device, text, 1, 256, x, begins, np.zeros(256, np.float32), np.int32(n))[2]
    s = x + x[np.arange(256) ^ 1]
    t = np.arange(256)
    passes = {
        "t >> 5": t >> 5,
        "(t >> 5) + 1": (t >> 5) + 1,
        "8 - t / 32": 8 - t // 32,
        "n - t / 32": np.maximum(n - t // 32, 0),
        "begins[t >> 5]": begins[t >> 5],
    }[bound]
    want = np.concatenate([[0], np.cumsum(s)])[passes] * t
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("n", [0, 1, 5, 31, 32, 33, 70])
def test_lanes_past_the_end_do_something_else(n, device):
    text = f"""extern "C" __global__ void k(const float* in, float* out, float* rest, int n) {{
      int lane = threadIdx.x & 31, i = threadIdx.x;
      float v = __shfl_xor_sync({FULL}, in[i], 3);
      if (i < n) {{ v += in[i]; out[i] = v; }} else {{ rest[i] = v; v = -v; }}
      v += __shfl_down_sync({FULL}, v, 1);
      if (i + 1 < n) out[i] += v;
      if (lane == 2) rest[i] = v;
    }}"""
    x = whole_numbers(96)
    out, rest = run(device, text, 1, 96, x, np.zeros_like(x), np.zeros_like(x), np.int32(n))[1:3]
    i = np.arange(96)
    v = x[i ^ 3]
    there = i < n
    want_out, want_rest = np.where(there, v + x, 0), np.where(there, 0, v)
    v = np.where(there, v + x, -v)
    v = v + np.where(i % 32 == 31, v, np.roll(v, -1))
    np.testing.assert_array_equal(out, want_out + np.where(i + 1 < n, v, 0))
    np.testing.assert_array_equal(rest, np.where(i % 32 == 2, v, want_rest))


@pytest.mark.parametrize("lane", [0, 7, 31])
@pytest.mark.parametrize("block", [32, 128, 80])
def test_leaders_ask_for_all(lane, block, device):
    """What the others keep must survive that the leader goes their way first, or does not."""
    text = f"""extern "C" __global__ void k(const float* in, float* out, float* own, unsigned* count, int n) {{
      int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
      bool keep = i < n && in[i] > 0;
      unsigned kept = __ballot_sync({FULL}, keep), base = 100 + lane;
      if (lane == {lane}) base = atomicAdd(count, (unsigned)__popc(kept));
      own[i] = base;
      base = __shfl_sync({FULL}, base, {lane});
      if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
    }}"""
    blocks = 3
    size = blocks * block
    if block % 32 and lane >= block % 32:
        pytest.skip("the last warp has no such lane")
    x, n = whole_numbers(size), size - 5
    out, own, count = run(
        device, text, blocks, block, x, np.zeros_like(x), np.zeros_like(x), np.zeros(1, np.uint32), np.int32(n)
    )[1:4]
    keep = (np.arange(size) < n) & (x > 0)
    assert count[0] == keep.sum()
    np.testing.assert_array_equal(np.sort(out[: count[0]]), np.sort(x[keep]))
    of_lane = np.tile(np.arange(block) % 32, blocks)
    np.testing.assert_array_equal(own[of_lane != lane], 100 + of_lane[of_lane != lane])


@pytest.mark.parametrize("way", ["v = 2 * v;", "v = in[i] - v;", "{ out[i] += 1; v = v + 3; }"])
def test_one_lane_goes_its_own_way_again_and_again(way, device):
    text = f"""extern "C" __global__ void k(const float* in, float* out, int n) {{
      int i = threadIdx.x, lane = i & 31;
      float v = in[i];
      for (int k = 0; k < n; ++k) {{
        if (lane == 3) v = v - 1; else {way}
        v += __shfl_xor_sync({FULL}, v, 1);
        if (lane != 30) v += 1; else {way}
      }}
      out[i] += v;
    }}"""
    x, n = whole_numbers(64), 4
    out = run(device, text, 1, 64, x, np.zeros_like(x), np.int32(n))[1]
    i = np.arange(64)
    v, want = x.copy(), np.zeros_like(x)

    def step(those, v, want):
        if way.startswith("{"):
            return np.where(those, v + 3, v), np.where(those, want + 1, want)
        return np.where(those, 2 * v if "2 *" in way else x - v, v), want

    for _ in range(n):
        three = i % 32 == 3
        stepped, want = step(~three, v, want)
        v = np.where(three, v - 1, stepped)
        v = v + v[i ^ 1]
        thirty = i % 32 == 30
        stepped, want = step(thirty, v, want)
        v = np.where(~thirty, v + 1, stepped)
    np.testing.assert_array_equal(out, want + v)


@pytest.mark.parametrize("block", [(256,), (64, 4), (40,), (4, 8), (2, 8, 2), (32,)])
@pytest.mark.parametrize("how", ["warp", "shared", "branch"])
def test_the_first_lane_stays_where_a_warp_stores_to_one_address(device, block, how):
    threads = int(np.prod(block))
    store = {
        "warp": "y[w] = v[i];",
        "shared": "__shared__ float s[8]; s[w % 8] = v[i]; __syncthreads(); if (t % 32 == 5) y[w] = s[w % 8];",
        "branch": "if (w % 2 == 0) y[w] = sqrtf(v[i]) * sqrtf(v[i]); else { y[w] = 1.0f; y[w] = v[i]; }",
    }[how]
    text = f"""extern "C" __global__ void k(const float* v, float* y) {{
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), i = blockIdx.x * {threads} + t;
  int w = {"blockIdx.x" if threads == 32 else f"blockIdx.x * {(threads + 31) // 32} + t / 32"};
  {store}
}}"""
    v = whole_numbers(4 * threads, 3) ** 2
    if how == "shared" and threads % 32:
        v = np.repeat(v[::8], 8)[: 4 * threads]
    y = np.zeros(4 * ((threads + 31) // 32), np.float32)
    arrays = [ks.array(a, device=device) for a in (v, y)]
    ks.RawModule(code=text).get_function("k")((4,), block, tuple(arrays))
    first = v.reshape(4, threads)[:, ::32].ravel()
    np.testing.assert_allclose(arrays[1].numpy(), first, rtol=1e-6)


def test_shuffles_down_leave_their_sum_to_the_first_lane(device):
    text = """extern "C" __global__ void k(const float* v, float* y, int rows) {
  int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row < rows) {
    float sum = v[row * 32 + lane];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    y[row] = sum;
  }
}"""
    v = whole_numbers(100 * 32, 4)
    *_, y, _ = run(device, text, 13, 256, v, np.zeros(100, np.float32), np.int32(100))
    np.testing.assert_array_equal(y, v.reshape(100, 32).sum(axis=1))
