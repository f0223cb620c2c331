// One block a row, maximum and sum through warp shuffles and shared memory.
__device__ float block_reduce(float v, bool want_max) {
  __shared__ float s[32];
  int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1) { float u = __shfl_xor_sync(~0u, v, o); v = want_max ? fmaxf(v, u) : v + u; }
  __syncthreads();
  if (lane == 0) s[wid] = v;
  __syncthreads();
  v = lane < (blockDim.x + 31) / 32 ? s[lane] : (want_max ? -INFINITY : 0.0f);
  for (int o = 16; o; o >>= 1) { float u = __shfl_xor_sync(~0u, v, o); v = want_max ? fmaxf(v, u) : v + u; }
  return v;
}
extern "C" __global__ void softmax(const float* in, float* out, int cols) {
  const float* x = in + blockIdx.x * cols;
  float m = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, x[c]);
  m = block_reduce(m, true);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(x[c] - m);
  sum = block_reduce(sum, false);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(x[c] - m) / sum;
}
