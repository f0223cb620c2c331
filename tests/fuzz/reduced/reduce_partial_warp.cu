// Lanes that a block lacks counted as zeros.
// seed 0; grid 1; block 7; shared 0
// zeros u4 64
// crc 368cd41e
extern "C" __global__ void k(unsigned* out) {
  out[threadIdx.x] = __reduce_min_sync(0xffffffffu, threadIdx.x + 17u);
}
