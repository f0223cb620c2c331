// One lane of those that are here takes room for all; the other lanes' `first` is never set.
extern "C" __global__ void keep(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] > 10) {
    const unsigned here = __activemask();
    const int leader = __ffs(here) - 1, rank = __popc(here & ((1u << (threadIdx.x & 31)) - 1));
    int first;
    if (rank == 0) first = atomicAdd(count, __popc(here));
    first = __shfl_sync(here, first, leader);
    out[first + rank] = in[i];
  }
}

// The last step of NVIDIA's own reduction: four lanes add up as if there were 32.
extern "C" __global__ void sum(const float* in, float* out) {
  __shared__ float parts[4];
  const unsigned t = threadIdx.x;
  float v = in[blockIdx.x * blockDim.x + t];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (t % 32 == 0) parts[t / 32] = v;
  __syncthreads();
  const unsigned few = __ballot_sync(0xffffffff, t < 4);
  if (t < 4) {
    v = parts[t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(few, v, d);
  }
  if (t == 0) out[blockIdx.x] = v;
}
