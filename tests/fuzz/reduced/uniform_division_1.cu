// A load whose address all threads share, computed by a division, under a condition that they do not share: lane 0's with 16 lanes.
// seed 0; grid 4; block 256; shared 0
// zeros u4 1024; data u4 1031 1; scalar u4 1031
// crc e50ccb9b
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned m) {
  unsigned gid = blockIdx.x * blockDim.x + threadIdx.x, v = 9u;
  if (in[gid] != 0u) v = in[3u % m];
  out[gid] = v;
}
