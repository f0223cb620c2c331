// Who held a lock waited at a volatile store for those who tried to take it.
// seed 0; grid 1; block 63; shared 0
// zeros u4 63
// crc c744ccba
extern "C" __global__ void k(unsigned* out) {
  __shared__ unsigned lock;
  __shared__ volatile unsigned sum;
  const unsigned t = threadIdx.x;
  if (t == 0u) lock = sum = 0u;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0u, 1u) == 0u) {
      sum = sum + t;
      __threadfence_block();
      atomicExch(&lock, 0u);
      done = true;
    }
  }
  __syncthreads();
  out[t] = sum;
}
