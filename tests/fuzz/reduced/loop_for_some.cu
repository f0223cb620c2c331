// A loop without waits in a branch of some warps, which all would run
// seed 40047863; grid 6; block 8 4 3; shared 0
// zeros u4 576; data u4 583 40047863; scalar u4 583
// crc 4e97fdf7
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n) {
  const unsigned t = threadIdx.x + 8u * (threadIdx.y + 4u * threadIdx.z);
  const unsigned gid = blockIdx.x * 96u + t;
  unsigned v0 = t - 1u;
  unsigned v2 = 0;
  unsigned v3 = in[gid];
  unsigned w = t / 32u;
  if (w) {
    v2 ^= (unsigned)__any_sync(~0u, v0);
    int i5 = 0;
    do {
      int i6 = (int)(v0 % 7u);
      while (i6-- > 0) {
        int i7 = 0;
        do {
          v2 &= in[gid];
        } while (++i7 < 3);
      }
      v0 = v3;
    } while (++i5 < (int)w);
  }
  unsigned h = v0 + v2;
  out[gid] = h;
}
