"""The same kernels in OpenCL C on PoCL (Debian: pocl-opencl-icd; PyPI: pyopencl)."""

import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from _sizes import a, b, bins, bytes_, check, data, matrix, n, out, product, side, square, sums, turned, work, x
from timing import best, report, skip

try:
    import pyopencl as cl
except ImportError:
    skip("pyopencl is not installed")
try:
    platforms = [p for p in cl.get_platforms() if "Portable" in p.name]
except cl.Error:
    platforms = []
if not platforms:
    skip("PoCL is not installed")
text = """
kernel void reduce_tree(global const float* in, global float* out) {
  local float s[256];
  int t = get_local_id(0);
  s[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = s[0];
}
kernel void matmul(global const float* a, global const float* b, global float* c, int n) {
  local float x[16][16], y[16][16];
  int tx = get_local_id(0), ty = get_local_id(1), row = get_group_id(1) * 16 + ty, col = get_group_id(0) * 16 + tx;
  float sum = 0;
  for (int m = 0; m < n / 16; ++m) {
    x[ty][tx] = a[row * n + m * 16 + tx];
    y[ty][tx] = b[(m * 16 + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) sum += x[ty][k] * y[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}
kernel void transpose(global const float* in, global float* out, int n) {
  local float tile[32][33];
  int lx = get_local_id(0), ly = get_local_id(1), x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
  for (int j = 0; j < 32; j += 8) tile[ly + j][lx] = in[(y + j) * n + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + lx;
  y = get_group_id(0) * 32 + ly;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[lx][ly + j];
}
kernel void stencil(global const float* in, global float* out, int n) {
  local float s[262];
  int g = get_global_id(0), t = get_local_id(0), l = t + 3;
  s[l] = in[g];
  if (t < 3) {
    s[l - 3] = g >= 3 ? in[g - 3] : 0.0f;
    s[l + 256] = g + 256 < n ? in[g + 256] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int o = -3; o <= 3; ++o) sum += s[l + o];
  out[g] = sum;
}
kernel void scan(global const float* in, global float* out) {
  local float s[512];
  int t = get_local_id(0);
  s[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 512; d <<= 1) {
    float v = t >= d ? s[t - d] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = s[t];
}
kernel void histogram(global const uchar* data, volatile global uint* bins, int n) {
  local uint counts[256];
  int t = get_local_id(0);
  counts[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&counts[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], counts[t]);
}
"""
context = cl.Context(devices=platforms[0].get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, text).build()
flags = cl.mem_flags


def on_device(v):
    return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=v)


dx, ds, da, db, dd, dout, dsums, ddst, dc, dbins = map(
    on_device, (x, square, a, b, data, out, sums, turned, product, bins)
)
i32 = np.int32
calls = {
    "reduction, tree": ("reduce_tree", (n,), (256,), (dx, dsums), dsums, sums),
    "matmul, 16 x 16 tiles": ("matmul", (matrix, matrix), (16, 16), (da, db, dc, i32(matrix)), dc, product),
    "transpose, 32 x 32 tiles": ("transpose", (side, side // 4), (32, 8), (ds, ddst, i32(side)), ddst, turned),
    "stencil, shared memory": ("stencil", (n,), (256,), (dx, dout, i32(n)), dout, out),
    "scan, blocks of 512": ("scan", (n,), (512,), (dx, dout), dout, out),
    "histogram, shared bins": ("histogram", (128 * 256,), (256,), (dd, dbins, i32(bytes_)), dbins, bins),
}
figures = {}
for figure, (name, size, group, args, output, host) in calls.items():
    kernel = cl.Kernel(program, name)

    def once(kernel=kernel, size=size, group=group, args=args):
        kernel(queue, size, group, *args).wait()

    once()
    cl.enqueue_copy(queue, host, output).wait()
    check(figure, host)
    figures[figure] = work[figure] / best(once, 9)
report(figures)
