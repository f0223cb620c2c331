// The last warp without barriers, as code before Volta has it.
__device__ void last_warp(volatile int* s, int t) {
  s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8];
  s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1];
}
extern "C" __global__ void reduce(const int* in, int* out) {
  __shared__ int s[256];
  unsigned t = threadIdx.x, i = blockIdx.x * 512 + t;
  s[t] = in[i] + in[i + 256];
  __syncthreads();
  for (unsigned k = 128; k > 32; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t < 32) last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}
