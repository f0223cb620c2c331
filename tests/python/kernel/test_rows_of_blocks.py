"""Blocks of which the CPU makes longer rows: each thread must still compute what it is asked for."""

import numpy as np
import pytest

import kasoku as ks

blocks = [(8, 1, 1), (8, 2, 3), (16, 16, 1), (32, 8, 1), (64, 1, 1), (96, 1, 1), (256, 1, 1), (1024, 1, 1), (4, 32, 1)]
grids = [(1, 1, 1), (3, 2, 1), (37, 1, 2), (130, 3, 1)]


def threads(grid, block):
    """Indices along x, y, z and numbers in the block of all threads of a launch."""
    x, y, z = (np.arange(g * b, dtype=np.int64) for g, b in zip(grid, block))
    return np.meshgrid(z, y, x, indexing="ij")[::-1]


def launch(device, body, grid, block, n):
    text = (
        'extern "C" __global__ void k(const int* in, int* out, int n) {\n'
        "  const int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;\n"
        "  int y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;\n"
        f"  {body}\n}}"
    )
    x, y, z = threads(grid, block)
    width, height = grid[0] * block[0], grid[1] * block[1]
    source = (np.arange(x.size + 2 * width + 2, dtype=np.int64) * 2654435761 % 1000003).astype(np.int32)
    out = ks.array(np.full(x.size, -1, np.int32), device=device)
    kernel = ks.RawModule(code=text).get_function("k")
    kernel(grid, block, (ks.array(source, device=device), out, np.int32(n)))
    return source, out.numpy().reshape(x.shape), x, y, (z * height + y) * width + x


indices = {
    "int": "int x = blockIdx.x * blockDim.x + threadIdx.x; int at = (z * height + y) * width + x;",
    "unsigned": "unsigned x = threadIdx.x + blockDim.x * blockIdx.x; unsigned at = (z * height + y) * width + x;",
    "size_t": "size_t x = blockIdx.x * (size_t)blockDim.x + threadIdx.x; size_t at = (size_t)(z * height + y) * width + x;",
    "long": "long x = (long)blockIdx.x * blockDim.x + threadIdx.x; long at = (long)(z * height + y) * width + x;",
}


@pytest.mark.parametrize("block", blocks, ids=str)
@pytest.mark.parametrize("index", indices)
def test_guards_hold_for_each_thread(index, block, device):
    for grid in grids:
        width = grid[0] * block[0]
        for n in {0, 1, 2, width // 2 + 1, width - 1, width, width + 5}:
            body = indices[index] + " if (x > 0 && x + 1 < n && y > 0) out[at] = in[at - 1] + 3 * in[at + width];"
            source, got, x, y, at = launch(device, body, grid, block, n)
            inside = (x > 0) & (x + 1 < n) & (y > 0)
            want = np.where(inside, source[np.maximum(at - 1, 0)] + 3 * source[at + width], -1)
            np.testing.assert_array_equal(got, want, err_msg=f"{grid} {n}")


forms = {
    "no guard": ("out[at] = in[at] + x;", lambda s, x, y, at, t: s[at] + x),
    "one thread": ("if (x == 9) out[at] = 5;", lambda s, x, y, at, t: np.where(x == 9, 5, -1)),
    "all but one": ("if (x != 9) out[at] = 5;", lambda s, x, y, at, t: np.where(x != 9, 5, -1)),
    "two sides": ("if (x < n / 2) out[at] = in[at]; else out[at] = -in[at];", None),
    "backwards": ("if (x < width) out[at - x + (width - 1 - x)] = in[at];", lambda s, x, y, at, t: s[at][..., ::-1]),
    "wraps below": ("if (x - 1u < n - 2u) out[at] = x;", None),
    "modulo": ("out[at] = in[x % 7] + in[x & 31];", lambda s, x, y, at, t: s[x % 7] + s[x & 31]),
    "place in block": ("out[at] = in[at] + threadIdx.x;", lambda s, x, y, at, t: s[at] + t),
    "place of block": ("out[at] = in[at] + blockIdx.x;", lambda s, x, y, at, t: s[at] + (x - t) // (t.max() + 1)),
    "data": ("if (in[at] & 1) out[at] = in[at] >> 1;", lambda s, x, y, at, t: np.where(s[at] & 1, s[at] >> 1, -1)),
}


@pytest.mark.parametrize("block", blocks, ids=str)
@pytest.mark.parametrize("form", forms)
def test_what_threads_ask_for(form, block, device):
    body, want = forms[form]
    for grid in grids:
        n = grid[0] * block[0] - 3
        source, got, x, y, at = launch(device, indices["int"] + body, grid, block, n)
        if form == "two sides":
            expected = np.where(x < n // 2, source[at], -source[at])
        elif form == "wraps below":
            expected = np.where((x - 1) % 2**32 < (n - 2) % 2**32, x, -1)
        else:
            expected = want(source, x, y, at, x % block[0])
        np.testing.assert_array_equal(got, expected, err_msg=str(grid))


@pytest.mark.parametrize("block", [(16, 16), (8, 8), (4, 64), (32, 8)], ids=str)
def test_rows_along_y(block, device):
    body = (
        "int x = blockIdx.x * blockDim.x + threadIdx.x;"
        "if (x < n && y < height - 1) out[x * height + y] = in[x * height + y + 1] + x;"
    )
    for grid in [(1, 1, 1), (3, 9, 1), (2, 40, 1)]:
        width, height = grid[0] * block[0], grid[1] * block[1]
        n = width - 1
        source, got, *_ = launch(device, body, grid, (*block, 1), n)
        want = np.full((width, height), -1, np.int32)
        rows = source[: width * height].reshape(width, height)
        want[:n, :-1] = rows[:n, 1:] + np.arange(n)[:, None]
        np.testing.assert_array_equal(got.reshape(width, height), want)


def test_atomics_of_neighbouring_blocks(device):
    text = """extern "C" __global__ void k(const int* in, int* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) atomicAdd(&out[in[i]], i);
    }"""
    n = 5000
    bins = np.random.default_rng(3).integers(0, 17, n).astype(np.int32)
    out = ks.array(np.zeros(17, np.int32), device=device)
    ks.RawModule(code=text).get_function("k")((40,), (128,), (ks.array(bins, device=device), out, np.int32(n)))
    np.testing.assert_array_equal(out.numpy(), np.bincount(bins, np.arange(n), 17).astype(np.int32))


def test_indices_past_2_to_the_31(device):
    """Only two threads do anything: they lie where an int and an unsigned index would wrap."""
    text = """extern "C" __global__ void k(long* out) {
      unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
      size_t wide = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
      if (wide == 2147483647u) out[0] = i;
      if (wide == 2147483648u) out[1] = i;
    }"""
    out = ks.array(np.zeros(2, np.int64), device=device)
    ks.RawModule(code=text).get_function("k")(((1 << 21) + 3,), (1024,), (out,))
    np.testing.assert_array_equal(out.numpy(), [2147483647, 2147483648])


def test_pairs_returned_by_functions(device):
    """A float4 by value goes through two vectors of two in x86's convention."""
    text = """
    __device__ float4 turned(float4 a) { return make_float4(a.w, a.x, a.y, a.z); }
    __device__ float2 half_of(float2 a) { return make_float2(a.x / 2, a.y / 2); }
    extern "C" __global__ void k(const float4* in, float4* out, float2* pairs, float4 by, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float4 sum = make_float4(0, 0, 0, 0);
      for (int j = 0; j < 3; ++j) {
        float4 a = turned(in[i + j]);
        sum = make_float4(sum.x + a.x * by.x, sum.y + a.y * by.y, sum.z + a.z * by.z, sum.w + a.w * by.w);
      }
      out[i] = sum;
      pairs[i] = half_of(make_float2(sum.x, sum.w));
    }"""
    kernel = ks.RawModule(code=text).get_function("k")
    by = np.array((1, 2, 3, 4), np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("w", "f4")]))
    for n in (1, 7, 32, 33, 1000):
        points = np.random.default_rng(n).random((n + 2, 4), dtype=np.float32)
        out = ks.array(np.zeros((n, 4), np.float32), device=device)
        pairs = ks.array(np.zeros((n, 2), np.float32), device=device)
        kernel(((n + 31) // 32,), (32,), (ks.array(points, device=device), out, pairs, by, np.int32(n)))
        turned = np.roll(points, 1, axis=1)
        want = sum(turned[j : n + j] * np.array([1, 2, 3, 4], np.float32) for j in range(3))
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-5)
        np.testing.assert_allclose(pairs.numpy(), want[:, [0, 3]] / 2, rtol=1e-5)


numbers = {
    "int4": (np.int32, 4), "float2": (np.float32, 2), "double2": (np.float64, 2), "short4": (np.int16, 4),
    "uint3": (np.uint32, 3), "uchar4": (np.uint8, 4), "longlong2": (np.int64, 2),
}  # fmt: skip
of_parts = {
    "alike": ("v.{c} = 2 * u.{c} + v.{c};", lambda u, v, i: 2 * u + v),
    "swapped": ("v.{c} = u.{d} + v.{c};", lambda u, v, i: u[:, ::-1] + v),
    "one differs": ("v.{c} = u.{c} + {k};", lambda u, v, i: u + (np.arange(u.shape[1]) == 1)),
    "with the thread's": ("v.{c} = u.{c} + i;", lambda u, v, i: u + i[:, None]),
    "under a condition": ("if (u.{c} > v.{c}) v.{c} = u.{c};", lambda u, v, i: np.maximum(u, v)),
}


@pytest.mark.parametrize("form", of_parts)
@pytest.mark.parametrize("kind", numbers)
def test_numbers_side_by_side(kind, form, device):
    dtype, length = numbers[kind]
    names = "xyzw"[:length]
    part, want = of_parts[form]
    body = " ".join(part.format(c=c, d=d, k=int(k == 1)) for k, (c, d) in enumerate(zip(names, names[::-1])))
    text = (
        f'extern "C" __global__ void k(int n, const {kind}* x, {kind}* y) {{\n'
        f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
        f"  {kind} u = x[i], v = y[i];\n  {body}\n  y[i] = v;\n}}"
    )
    kernel = ks.RawModule(code=text).get_function("k")
    for n, block in ((1, 32), (5, 7), (100, 32), (1000, 256), (31, 1)):
        u, v = (np.arange(n * length).reshape(n, length) * factor % 50 for factor in (7, 11))
        x, y = (ks.array(values.astype(dtype), device=device) for values in (u, v))
        kernel((-(-n // block),), (block,), (np.int32(n), x, y))
        np.testing.assert_array_equal(y.numpy(), want(u, v, np.arange(n)).astype(dtype), err_msg=str(n))
        kernel((-(-n // block),), (block,), (np.int32(n), x, x))
        np.testing.assert_array_equal(x.numpy(), want(u, u, np.arange(n)).astype(dtype), err_msg=f"{n} in place")


@pytest.mark.parametrize(
    "grid", [(1, 1, 1), (7, 5, 3), (1, 1, 40), (1, 65535, 2), (100003, 1, 3), (3, 40001, 1)], ids=str
)
def test_each_block_has_its_index(grid, device):
    """Wherever a worker's blocks begin: the first index is found by a quotient, the next by counting."""
    text = """
extern "C" __global__ void k(int* out) {
  const long long at = ((long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  atomicAdd(out + 4 * at, 1);
  out[4 * at + 1] = blockIdx.x; out[4 * at + 2] = blockIdx.y; out[4 * at + 3] = blockIdx.z;
}"""
    n = int(np.prod(grid))
    out = ks.zeros((n, 4), dtype="int32", device=device)
    ks.RawKernel(text, "k")(grid, (1,), (out,))
    at = np.arange(n)
    x, y, z = grid
    want = np.stack([np.ones(n), at % x, at // x % y, at // (x * y)], axis=1)
    np.testing.assert_array_equal(out.numpy(), want)
