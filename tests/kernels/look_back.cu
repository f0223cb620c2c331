// Blocks wait for the block before them (a chained scan).
extern "C" __global__ void chained(const int* in, int* out, volatile int* state, volatile int* carry) {
  __shared__ int s[128];
  __shared__ int before;
  int t = threadIdx.x, b = blockIdx.x;
  s[t] = in[b * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    int c = 0;
    if (b > 0) {
      while (state[b - 1] == 0) {}
      __threadfence();
      c = carry[b - 1];
    }
    carry[b] = c + s[127];
    __threadfence();
    state[b] = 1;
    before = c;
  }
  __syncthreads();
  out[b * 128 + t] = s[t] + before;
}
