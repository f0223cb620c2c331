extern "C" __global__ void scan(const int* in, int* out, int n) {
  __shared__ int sums[32];
  int t = threadIdx.x, lane = t & 31, wid = t >> 5;
  int v = t < n ? in[t] : 0;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    int u = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[wid] = v;
  __syncthreads();
  if (wid == 0) {
    int s = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      int u = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += u;
    }
    sums[lane] = s;
  }
  __syncthreads();
  if (wid > 0) v += sums[wid - 1];
  if (t < n) out[t] = v;
}
