// A sum of 192 terms in an address: the compiler tried each three of them
// seed 47016717; grid 1; block 64; shared 0
// zeros u4 64; data u4 71 47016717; scalar u4 71; scalar u4 7
// crc 020043b6
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n, unsigned a) {
  const unsigned t = threadIdx.x;
  __shared__ unsigned s[64];
  unsigned x = 0u;
  for (unsigned k = 0u; k < 3u; ++k) {
    s[t] = in[(t + k) % n];
    __syncthreads();
    for (unsigned i = 0u; i < 64u; ++i) x += s[i] * (i + 1u);
    __syncthreads();
  }
  unsigned h = 0u;
  for (unsigned i = 0u; i < a; ++i) h = h * 31u + in[(x + i * 3u) % n] + s[(x + i) & 63u];
  out[t] = h + x;
}
