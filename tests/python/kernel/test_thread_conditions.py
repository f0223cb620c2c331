"""Conditions on the thread's index, for which the CPU splits a loop over threads into ranges."""

import itertools

import numpy as np
import pytest

import kasoku as ks

THREADS = 64
ENDS = [0, 5, 60, 0x7FFFFFF0, 0x7FFFFFFF, 0x80000000, 0x80000020, 0xFFFFFFF0, 0xFFFFFFFF]

u32 = lambda x: np.asarray(x, np.int64) & 0xFFFFFFFF
i32 = lambda x: (u32(x) ^ 0x80000000) - 0x80000000
CONDITIONS = {
    "(int)(a + t) < 5": lambda a, b, t: i32(a + t) < 5,
    "(int)(a + t) <= -5": lambda a, b, t: i32(a + t) <= -5,
    "(int)(a + t) >= (int)b": lambda a, b, t: i32(a + t) >= i32(b),
    "(int)b < (int)(t + a)": lambda a, b, t: i32(a + t) > i32(b),
    "(int)(a - t) < 5": lambda a, b, t: i32(a - t) < 5,
    "(int)(a + t) == (int)b": lambda a, b, t: u32(a + t) == b,
    "a + t != b": lambda a, b, t: u32(a + t) != b,
    "a + t < b": lambda a, b, t: u32(a + t) < b,
    "a + t >= b": lambda a, b, t: u32(a + t) >= b,
    "t - 3 < b": lambda a, b, t: u32(t - 3) < b,
    "(long long)(int)(a + t) < (int)b": lambda a, b, t: i32(a + t) < i32(b),
    "(unsigned long long)(a + t) < b": lambda a, b, t: u32(a + t) < b,
    "(int)(a + t) < (int)b && t > 3": lambda a, b, t: (i32(a + t) < i32(b)) & (t > 3),
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_an_index_passes_the_end_of_its_numbers_within_a_block(device, condition):
    text = f"""extern "C" __global__ void k(int* out, const int* in, unsigned a, unsigned b) {{
  unsigned t = threadIdx.x;
  __shared__ int s[{THREADS}];
  s[t] = in[t];
  __syncthreads();
  if ({condition}) out[t] = s[{THREADS - 1} - t] * 3;
  else out[t] += s[t] + 7;
  __syncthreads();
  s[t] = out[t];
  __syncthreads();
  if ({condition}) out[t] += s[(t + 1) % {THREADS}];
}}"""
    kernel = ks.RawModule(code=text).get_function("k")
    given, t = np.arange(THREADS, dtype=np.int32) ** 2, np.arange(THREADS)
    for a, b in itertools.product(ENDS, [*ENDS, 0x7FFFFFF5, 0x80000005, 0xFFFFFFF8]):
        out = ks.zeros(THREADS, np.int32, device=device)
        kernel((1,), (THREADS,), (out, ks.array(given, device=device), np.uint32(a), np.uint32(b)))
        holds = CONDITIONS[condition](a, b, t)
        first = np.where(holds, given[::-1] * 3, given + 7)
        np.testing.assert_array_equal(out.numpy(), first + np.where(holds, np.roll(first, -1), 0), str((a, b)))


@pytest.mark.parametrize("start", [0x7FFFFFF0, 0x7FFFFFFF, 5])
def test_a_loop_over_the_block_begins_beyond_the_largest_number(device, start):
    text = f"""extern "C" __global__ void k(int* out, unsigned a, int n) {{
  for (int i = (int)(a + threadIdx.x); i < n && i >= 0; i += {THREADS}) out[i] = i;
}}"""
    out = ks.zeros(200, np.int32, device=device)
    ks.RawModule(code=text).get_function("k")((1,), (THREADS,), (out, np.uint32(start), np.int32(200)))
    i = np.arange(200)
    np.testing.assert_array_equal(out.numpy(), np.where(i >= start, i, 0))


GUARDS = {
    "i > a": lambda i, j, a, b: i > a,
    "i != a": lambda i, j, a, b: i != a,
    "j < b - a": lambda i, j, a, b: j < b - a,
    "i >= a && j != a": lambda i, j, a, b: (i >= a) & (j != a),
    "(unsigned)(i - a) < (unsigned)(b - 1)": lambda i, j, a, b: u32(i - a) < b - 1,
}


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(GUARDS, 2)])
def test_guards_one_behind_the_other(device, first, second):
    """Threads that pass none, one or both do nothing, something between the guards, or something else."""
    text = f"""extern "C" __global__ void k(int* out, int a, int b, int w) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, kept = 0;
  __shared__ int s[8][16];
  if ({first}) {{
    BETWEEN
    int c = b - 1;
    if ({second}) {{ out[j * w + i] += 10 + c; kept = i + 1; }} ELSE
  }}
  s[threadIdx.y][threadIdx.x] = kept;
  __syncthreads();
  LAST
}}"""
    j, i = np.mgrid[:32, :48]
    for between, other, last in itertools.product((0, 1), repeat=3):
        code = text.replace("BETWEEN", "out[j * w + i] += 1;" if between else "")
        code = code.replace("ELSE", "else out[j * w + i] -= 1000;" if other else "")
        code = code.replace("LAST", "out[j * w + i] += 100 * s[threadIdx.y][15 - threadIdx.x];" if last else "")
        kernel = ks.RawModule(code=code).get_function("k")
        for a, b in itertools.product((0, 5, 17, 40), (1, 20, 47, 100)):
            out = ks.zeros((32, 48), np.int32, device=device)
            kernel((3, 4), (16, 8), (out, a, b, 48))
            one, both = GUARDS[first](i, j, a, b), GUARDS[first](i, j, a, b) & GUARDS[second](i, j, a, b)
            kept = np.where(both, i + 1, 0).reshape(32, 3, 16)[:, :, ::-1].reshape(32, 48)
            expected = between * one + both * (9 + b) - other * 1000 * (one & ~both) + last * 100 * kept
            np.testing.assert_array_equal(out.numpy(), expected, str((a, b, between, other, last)))
