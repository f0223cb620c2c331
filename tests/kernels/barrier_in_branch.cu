// A barrier under a condition that is the same for the whole block, and one after an early return of it.
extern "C" __global__ void branchy(const int* mode, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x, m = mode[blockIdx.x];
  if (m < 0) return;
  s[t] = t;
  if (m & 1) {
    __syncthreads();
    s[63 - t] *= 2;
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = s[(t + m) & 63];
}
