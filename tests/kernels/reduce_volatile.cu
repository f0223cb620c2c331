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

// Counts without atomics, as code from before them has it: who finds its own mark again has counted.
extern "C" __global__ void marked_counts(const int* keys, int* places, unsigned* counts, int n) {
  volatile __shared__ unsigned seen[2 * 16];
  const unsigned warp = threadIdx.x / 32, mark = threadIdx.x << 27;
  seen[threadIdx.x % 32] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int key = keys[i], steps = 0;
    while (key >= 16) key -= 16, ++steps;
    unsigned count;
    do {
      count = mark | ((seen[warp * 16 + key] & 0x7ffffff) + 1);
      seen[warp * 16 + key] = count;
    } while (seen[warp * 16 + key] != count);
    places[i] = 100 * (count & 0x7ffffff) + steps;
  }
  __syncthreads();
  if (threadIdx.x < 32) counts[blockIdx.x * 32 + threadIdx.x] = seen[threadIdx.x] & 0x7ffffff;
}
