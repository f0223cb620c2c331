import os
import sys

import kasoku as ks
import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import _cuda
from timing import best, report

n, nx, ny, small = 1 << 24, 4096, 4096, 1 << 14
text = """
extern "C" __global__ void guarded(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void stride(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}
extern "C" __global__ void two(int nx, int ny, float *c, const float *a, const float *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) c[nx * y + x] = a[nx * y + x] + b[nx * y + x];
}
"""
module = ks.RawModule(code=text)
guarded, stride, two = map(module.get_function, ("guarded", "stride", "two"))
x, y, z = (ks.array(np.ones(n, np.float32), device="cpu") for _ in range(3))
a = np.float32(0.5)


def rate(f, elements, repeats=15, number=1):
    f()
    return 3 * 4 * elements / best(f, repeats, number) / 1e9


result = {
    "y = a * x + y, guarded": rate(lambda: guarded((n // 256,), (256,), (n, a, x, y)), n),
    "y = a * x + y, grid-stride": rate(lambda: stride((1024,), (256,), (n, a, x, y)), n),
    "c = a + b, two-dimensional": rate(lambda: two((nx // 32, ny // 8), (32, 8), (nx, ny, z, x, y)), nx * ny),
    "in cache, y = a * x + y": rate(lambda: guarded((small // 256,), (256,), (small, a, x, y)), small, 15, 200),
}
if ks.has_device("cuda"):
    ks.default_device("cuda")
    result |= _cuda.figures(ks.ElementwiseKernel, ks.array, ks.synchronize)
report(result)
