// Votes in both arms, a shuffle of width 4, a barrier behind.
// seed 0; grid 1; block 64; shared 0
// zeros u4 64
// crc 354dc838
extern "C" __global__ void k(unsigned* out) {
  const unsigned t = threadIdx.x;
  unsigned v1 = t, v2 = 6u, w = t;
  if (t >= 32u) {
    v2 += 1u;
    w ^= __any_sync(0xffffffffu, 1);
  } else {
    v1 = __shfl_xor_sync(0xffffffffu, 0u, 8, 4);
    v1 ^= __all_sync(0xffffffffu, t);
  }
  __syncthreads();
  out[t] = v2;
}
