// Two threads held one lock at once, for each went on alone to a volatile store.
// seed 0; grid 1; block 63; shared 0
// zeros u4 63
// crc c744ccba
extern "C" __global__ void k(unsigned* out) {
  __shared__ unsigned lock;
  __shared__ volatile unsigned sum;
  const unsigned t = threadIdx.x;
  if (t == 0u) lock = sum = 0u;
  __syncthreads();
  for (unsigned i = 0; i < 32u; ++i) {
    if (t % 32u == i) {
      while (atomicExch(&lock, 1u));
      sum = sum + t;
      __threadfence_block();
      atomicExch(&lock, 0u);
    }
  }
  __syncthreads();
  out[t] = sum;
}
