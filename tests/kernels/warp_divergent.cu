// Shuffles that only some threads of the block reach.
extern "C" __global__ void first_warp(const int* in, int* out) {
  int t = threadIdx.x;
  int v = in[blockIdx.x * blockDim.x + t];
  if (t < 32) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  } else if (t < 64) {
    for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(0xffffffff, v, o));
  }
  out[blockIdx.x * blockDim.x + t] = v;
}
