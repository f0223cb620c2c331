extern "C" __global__ void rows(int iterations, const int* wall, const int* src, int* dst, int cols, int start) {
  __shared__ int prev[256], result[256];
  int tx = threadIdx.x, small = 256 - iterations * 2;
  int x = small * blockIdx.x - iterations + tx;
  bool ok = x >= 0 && x < cols;
  int lo = max(0, -(small * (int)blockIdx.x - iterations)), hi = min(255, cols - 1 - (small * (int)blockIdx.x - iterations));
  int W = max(tx - 1, lo), E = min(tx + 1, hi);
  if (ok) prev[tx] = src[x];
  __syncthreads();
  bool computed;
  for (int i = 0; i < iterations; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= 256 - i - 2 && ok) {
      computed = true;
      int shortest = min(min(prev[W], prev[tx]), prev[E]);
      result[tx] = shortest + wall[cols * (start + i) + x];
    }
    __syncthreads();
    if (i == iterations - 1) break;
    if (computed) prev[tx] = result[tx];
    __syncthreads();
  }
  if (computed) dst[x] = result[tx];
}
