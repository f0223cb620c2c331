// A loop with waits that only some threads enter: it ends only if some do
// seed 40047863; grid 4; block 64; shared 0
// zeros u4 256; data u4 256 7; scalar i4 0
// crc c1a32386
extern "C" __global__ void k(unsigned* out, const unsigned* in, int n) {
  const unsigned t = threadIdx.x, gid = blockIdx.x * 64u + t;
  unsigned x = in[gid];
  __shared__ unsigned s[64];
  if (in[0] > 100u && n > 0) {
    int i = 0;
    do {
      s[t] = x;
      __syncthreads();
      x += s[t ^ 1u] + (unsigned)__syncthreads_count(x > 5u);
    } while (++i < n);
  }
  out[gid] = x;
}
