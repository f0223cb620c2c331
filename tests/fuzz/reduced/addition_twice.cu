// Of two additions that LLVM had made of one, one was not counted.
// seed 0; grid 2; block 64; shared 0
// zeros u4 1280; data u4 1287 300382; scalar u4 1287; zeros u4 4; unordered u4 15459
// crc 090fea1b
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n, unsigned* cnt, unsigned* queue) {
  const unsigned t = threadIdx.x;
  const unsigned gid = (blockIdx.x) * 64u + t;
  for (int i = 0; i < 2; ++i) {
    if (gid < n) queue[atomicAdd(cnt + 1, 1u)] = (t != 17u ? n : in[t * n % 91u]) + i;
  }
}
