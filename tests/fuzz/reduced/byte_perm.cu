// __byte_perm takes three bits of each nibble of its selector; the fourth copied signs.
// seed 0; grid 1; block 64; shared 0
// zeros u4 64; data u4 64 1
// crc 349aed30
extern "C" __global__ void k(unsigned* out, const unsigned* in) {
  out[threadIdx.x] = __byte_perm(0x80FF7F01u, 0x0A8B0CFDu, in[threadIdx.x]);
}
