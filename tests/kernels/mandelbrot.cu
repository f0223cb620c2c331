// A loop whose trip count differs from thread to thread.
extern "C" __global__ void mandelbrot(int* out, int w, int h, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  float cx = -2.0f + 3.0f * px / w, cy = -1.5f + 3.0f * py / h, x = 0, y = 0;
  int k = 0;
  while (__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) <= 4.0f && k < limit) {
    float t = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), cx);
    y = __fadd_rn(__fmul_rn(2.0f * x, y), cy);
    x = t;
    ++k;
  }
  out[py * w + px] = k;
}
