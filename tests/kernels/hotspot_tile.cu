// A pyramid of stencil steps in shared memory, as Rodinia's hotspot does it.
#define B 16
extern "C" __global__ void steps(int iterations, const float* in, float* out, int cols, int rows) {
  __shared__ float now[B][B], next[B][B];
  int tx = threadIdx.x, ty = threadIdx.y, small = B - iterations * 2;
  int y0 = small * blockIdx.y - iterations + ty, x0 = small * blockIdx.x - iterations + tx;
  bool inside = y0 >= 0 && y0 < rows && x0 >= 0 && x0 < cols;
  now[ty][tx] = inside ? in[y0 * cols + x0] : 0.0f;
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < iterations; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= B - i - 2 && ty >= i + 1 && ty <= B - i - 2 && inside) {
      computed = true;
      float up = y0 > 0 ? now[ty - 1][tx] : now[ty][tx], down = y0 < rows - 1 ? now[ty + 1][tx] : now[ty][tx];
      float left = x0 > 0 ? now[ty][tx - 1] : now[ty][tx], right = x0 < cols - 1 ? now[ty][tx + 1] : now[ty][tx];
      next[ty][tx] = now[ty][tx] + 0.1f * (up + down + left + right - 4.0f * now[ty][tx]);
    }
    __syncthreads();
    if (i == iterations - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) out[y0 * cols + x0] = next[ty][tx];
}
