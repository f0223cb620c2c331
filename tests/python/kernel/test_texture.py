"""Textures and surfaces of kernels against a plain reading of the programming guide."""

import numpy as np
import pytest

import kasoku as ks

TEXT = """
extern "C" __global__ void resize(cudaTextureObject_t image, float* out, int w, int h, float step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = tex2D<float>(image, (x - 3) * step, (y - 3) * step);
}

extern "C" __global__ void sharpen(cudaTextureObject_t image, float4* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const float4 v = tex2D<float4>(image, x + dx + 0.5f, y + dy + 0.5f);
      const float weight = dx || dy ? -1 : 9;
      sum.x += weight * v.x, sum.y += weight * v.y, sum.z += weight * v.z, sum.w += weight * v.w;
    }
  out[y * w + x] = sum;
}

extern "C" __global__ void gather(cudaTextureObject_t table, const int* at, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<int>(table, at[i]);
}

extern "C" __global__ void through_volume(cudaTextureObject_t volume, float* out, int n) {
  const int i = threadIdx.x;
  const float t = (i + 0.5f) / n;
  out[i] = tex3D<float>(volume, t, 1 - t, 2 * t);
}

extern "C" __global__ void invert(cudaSurfaceObject_t image, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  uchar4 v;
  surf2Dread(&v, image, x * 4, y);
  surf2Dwrite(make_uchar4(255 - v.x, 255 - v.y, 255 - v.z, v.w), image, x * 4, y);
}
"""
f32 = np.float32


def kernel(name):
    return ks.RawModule(code=TEXT).get_function(name)


def texture(array, device, **how):
    return ks.Texture(ks.array(array, device=device), **how)


def close(got, want, device, limit=1e-6):
    """A GPU's weights are rounded in its own way."""
    limit = limit if device == "cpu" else 5e-3
    np.testing.assert_allclose(got.numpy(), want, rtol=limit, atol=limit)


def element(array, index, modes):
    """An element by an address mode for each axis, the last axis first in CUDA's order."""
    out = []
    for i, n, mode in zip(index, array.shape, modes):
        if mode == "border" and not 0 <= i < n:
            return array.dtype.type(0)
        if mode == "clamp":
            i = min(max(i, 0), n - 1)
        elif mode == "wrap":
            i %= n
        elif mode == "mirror":
            i %= 2 * n
            i = i if i < n else 2 * n - 1 - i
        out.append(i)
    return array[tuple(out)]


def sample(array, at, mode, linear, normalized=False):
    """`at` in NumPy's order of axes; weights have eight bits of fraction, as on a GPU."""
    at = [f32(c) for c in at]
    if normalized:
        at = [(c - np.floor(c) if mode == "wrap" else c) * f32(n) for c, n in zip(at, array.shape)]
    if not linear:
        return element(array, [int(np.floor(c)) for c in at], [mode] * array.ndim)
    at = [c - f32(0.5) for c in at]
    low = [int(np.floor(c)) for c in at]
    weight = [np.rint((c - f32(i)) * 256) / 256 for c, i in zip(at, low)]
    total = 0.0
    for corner in np.ndindex(*(2,) * array.ndim):
        w = np.prod([f if k else 1 - f for f, k in zip(weight, corner)])
        total += w * element(array, [i + k for i, k in zip(low, corner)], [mode] * array.ndim)
    return total


@pytest.mark.parametrize("filter", ["point", "linear"])
@pytest.mark.parametrize("mode", ["clamp", "border"])
@pytest.mark.parametrize("shape", [(7, 9), (1, 5), (1, 1)])
def test_plane(mode, filter, shape, device):
    image = np.random.default_rng(1).random(shape).astype(f32)
    w, h, step = 30, 22, f32(0.37)
    out = ks.array(np.zeros((h, w), f32), device=device)
    kernel("resize")(
        (2, 3), (16, 8), (texture(image, device, address=mode, filter=filter), out, np.int32(w), np.int32(h), step)
    )
    want = [
        [sample(image, ((y - 3) * step, (x - 3) * step), mode, filter == "linear") for x in range(w)] for y in range(h)
    ]
    close(out, want, device)


@pytest.mark.parametrize("mode", ["wrap", "mirror", "clamp", "border"])
@pytest.mark.parametrize("filter", ["point", "linear"])
def test_a_volume_is_sampled_as_addressing_and_filtering_say(mode, filter, device):
    volume = np.random.default_rng(2).random((4, 5, 6)).astype(f32)
    out = ks.array(np.zeros(32, f32), device=device)
    read = texture(volume, device, address=mode, filter=filter, normalized=True)
    kernel("through_volume")((1,), (32,), (read, out, np.int32(32)))
    t = (np.arange(32, dtype=f32) + f32(0.5)) / f32(32)
    want = [sample(volume, (2 * v, 1 - v, v), mode, filter == "linear", True) for v in t]
    close(out, want, device)


@pytest.mark.parametrize(
    "dtype,unit", [("uint8", 255), ("uint16", 65535), ("int8", 127), ("int16", 32767), ("float16", 0), ("float32", 0)]
)
def test_stored_types(dtype, unit, device):
    rng = np.random.default_rng(3)
    image = (rng.random((6, 8, 4)) * 100 - (50 if dtype[0] in "if" else 0)).astype(dtype)
    out = ks.array(np.zeros((6, 8, 4), f32), device=device)
    read = texture(image, device, channels=4, unit=bool(unit))
    kernel("sharpen")((1, 1), (8, 8), (read, out, np.int32(8), np.int32(6)))
    numbers = np.maximum(image.astype(f32) / f32(unit), -1) if unit else image.astype(f32)
    padded = np.pad(numbers, ((1, 1), (1, 1), (0, 0)), "edge")
    want = 10 * numbers - sum(padded[dy : dy + 6, dx : dx + 8] for dy in range(3) for dx in range(3))
    close(out, want, device, 1e-4)


def test_fetch_by_number(device):  # which reads a row of usual memory
    table = np.arange(100, 150, dtype=np.int32)
    at = np.array([0, 49, 50, -1, 7], np.int32)
    out = ks.array(np.full(5, 9, np.int32), device=device)
    kernel("gather")((1,), (32,), (texture(table, device, copy=False), ks.array(at, device=device), out, np.int32(5)))
    assert out.numpy().tolist() == [100, 149, 0, 0, 107]


def test_gather_of_four(device):
    """One channel of the four texels around a place, from below on the left against the clock."""
    image = np.random.default_rng(3).random((4, 6, 2)).astype(f32)
    text = """__global__ void four(cudaTextureObject_t image, float4 *out) {
      float x = threadIdx.x * 0.7f - 1, y = threadIdx.y * 0.7f - 1;
      int at = threadIdx.y * blockDim.x + threadIdx.x;
      out[at] = tex2Dgather<float4>(image, x, y, 1);
    }"""
    with ks.default_device(device):
        out = ks.array(np.zeros((8, 12, 4), f32))
        ks.RawModule(text).get_function("four")((1,), (12, 8), (texture(image, device, channels=2), out))
    want = np.empty((8, 12, 4), f32)
    for y, x in np.ndindex(8, 12):
        left, top = (int(np.floor(f32(f32(c * f32(0.7)) - f32(1)) - f32(0.5))) for c in (f32(x), f32(y)))
        near = [
            (min(max(a, 0), 3), min(max(b, 0), 5))
            for a, b in [(top + 1, left), (top + 1, left + 1), (top, left + 1), (top, left)]
        ]
        want[y, x] = [image[a, b, 1] for a, b in near]
    np.testing.assert_array_equal(out.numpy(), want)


def test_a_kernel_writes_through_a_surface(device):
    image = np.random.default_rng(4).integers(0, 256, (5, 7, 4)).astype(np.uint8)
    held = texture(image, device, channels=4)
    with ks.default_device(device):
        kernel("invert")((1, 1), (8, 8), (np.uint64(held.surface), np.int32(7), np.int32(5)))
    want = image.copy()
    want[..., :3] = 255 - want[..., :3]
    assert (held.numpy() == want).all()


@pytest.mark.parametrize("shape", [(64,), (5, 64)])
def test_in_place(shape, device):
    """The kernel sees what the array holds when it runs."""
    values = np.random.default_rng(5).random(shape).astype(f32)
    array = ks.zeros(shape, "float32", device=device)
    read = ks.Texture(array, copy=False)
    array[...] = ks.array(values, device=device)
    array.ptr  # a kernel knows nothing of what is pending
    text = """extern "C" __global__ void f(cudaTextureObject_t t, float* out) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      out[i] = READ;
    }"""
    fetch = "tex1Dfetch<float>(t, i)" if len(shape) == 1 else "tex2D<float>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f)"
    out = ks.zeros(shape, "float32", device=device)
    ks.RawModule(code=text.replace("READ", fetch)).get_function("f")((values.size // 64,), (64,), (read, out))
    np.testing.assert_array_equal(out.numpy(), values)
    np.testing.assert_array_equal(read.numpy(), values)


@pytest.mark.parametrize(
    "arguments,words",
    [
        (dict(array=np.zeros((2, 2))), "float64"),
        (dict(array=np.zeros((2, 2), f32), channels=3), "1, 2 or 4"),
        (dict(array=np.zeros((2, 2), f32), channels=4), "last axis"),
        (dict(array=np.zeros((2, 2), f32), address="wrap"), "normalized=True"),
        (dict(array=np.zeros((2, 2), f32), filter="cubic"), "cubic"),
        (dict(array=np.zeros((2, 2), np.uint8), filter="linear"), "unit=True"),
        (dict(array=np.zeros((0, 2), f32)), "an element"),
        (dict(array=np.zeros((1, 1, 1, 1), f32)), "three dimensions"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ks.Error, match=words):
        ks.Texture(arguments.pop("array"), **arguments)
