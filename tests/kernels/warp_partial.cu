// A block that is no multiple of 32, and __syncwarp between writes and reads of shared memory.
extern "C" __global__ void neighbour(const int* in, int* out) {
  __shared__ int s[50];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncwarp();
  int base = t & ~31;
  int count = min(32, (int)blockDim.x - base);
  out[t] = s[base + (t - base + 1) % count];
}
