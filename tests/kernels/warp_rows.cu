// Warps that span two rows of the block, and conditions along a row between warp operations.
extern "C" __global__ void rows(const int* in, int* out) {
  int t = threadIdx.x + 16 * threadIdx.y;
  out[t] = 0;
  __syncwarp();
  if (threadIdx.x < 5) out[t] = in[t];
  __syncwarp();
  int v = __shfl_xor_sync(0xffffffff, in[t], 16);
  if (threadIdx.x == 3) out[t] += v;
}
