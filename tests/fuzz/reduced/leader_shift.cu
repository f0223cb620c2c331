// A shift that loses no bits in the lane that takes the branch, after a barrier: the others compute it too.
// seed 295668684; grid 1 1; block 64 2; shared 1536
// zeros u4 512; data u4 519 295668684; scalar u4 519; scalar u4 16; zeros u4 1; unordered u4 6144; zeros u4 8 12; zeros u8 4
// crc 0156bcf7
extern "C" __global__ void __launch_bounds__(128) k(unsigned* out, const unsigned* in, unsigned n, unsigned a, unsigned* taken, unsigned* queue, unsigned* sums, unsigned long long* totals) {
  const unsigned t = threadIdx.x + 64u * (threadIdx.y + 2u * threadIdx.z);
  const unsigned gid = (blockIdx.x + gridDim.x * blockIdx.y) * 128u + t, lane = t & 31u;
  unsigned v0 = t;
  unsigned m = ~0u;
  __syncthreads();
  int i8 = 2;
  while (i8--) {
    const unsigned x9 = __reduce_add_sync(m, v0);
    if (lane == 0u) atomicOr(&sums[t / 32u % 8u], x9);
  }
  unsigned h = t;
  out[gid] = h;
}
