// A loop with waits that only some threads enter: it ends only if some do
// seed 40047863; grid 4; block 64; shared 0
// zeros u4 256; data u4 256 7; scalar i4 0
// crc c1a32386
extern "C" __global__ void k(unsigned* out, const unsigned* in, int n) {
  const unsigned t = threadIdx.x, gid = blockIdx.x * 64u + t;
  unsigned x = in[gid];
  if ((t & 31u) < 16u && n > 0) {
    int i = 0;
    do {
      x += __shfl_xor_sync(0xffffu, x, 1 + i % 8);
    } while (++i < n);
  }
  out[gid] = x;
}
