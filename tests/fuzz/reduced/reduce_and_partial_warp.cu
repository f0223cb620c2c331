// Lanes that a block lacks counted as zeros.
// seed 0; grid 1; block 47; shared 0
// zeros u4 64
// crc 91e98faa
extern "C" __global__ void k(unsigned* out) {
  out[threadIdx.x] = __reduce_and_sync(0xffffffffu, threadIdx.x + 17u);
}
