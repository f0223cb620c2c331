// A loop that warps leave at different times.
// seed 0; grid 5; block 128; shared 0
// zeros u4 640; data u4 647 1; scalar u4 647
// crc 113c4493
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned m) {
  unsigned tid = threadIdx.x, gid = (blockIdx.x) * 128u + tid, lane = tid & 31u;
  unsigned v0 = in[(gid * 1u + 0u) % m];
  unsigned v1 = gid * 2654435761u;
  unsigned v2 = gid * 2654435761u;
  unsigned la[8]; for (int i = 0; i < 8; ++i) la[i] = in[(gid + i) % m];
  __syncthreads();
  for (int i3 = 0; i3 < (int)((tid / 32u) % 3u + 1u); ++i3) {
    v2 += __shfl_down_sync(0xffffffffu, (unsigned)sqrtf(0u), 4);
  }
  __syncthreads();
  unsigned h = 17u; h = h * 31u + v0; h = h * 31u + v1; h = h * 31u + v2; for (int i = 0; i < 8; ++i) h = h * 33u ^ la[i];
  out[gid] = h;
}
