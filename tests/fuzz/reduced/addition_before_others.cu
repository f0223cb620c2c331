// A block's part of an addition was given to it when others had added already.
// seed 0; grid 3 2; block 64 2; shared 0
// zeros u4 768; data u4 775 401122; scalar u4 775; scalar i4 1114706571; zeros u4 4; unordered u4 23139; unordered u4 23139
// crc 73bd3559
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n, int a, unsigned* count, unsigned* queue, unsigned* other) {
  const unsigned t = threadIdx.x + 64u * threadIdx.y;
  const unsigned gid = (blockIdx.x + gridDim.x * blockIdx.y) * 128u + t, lane = t & 31u;
  unsigned m = (blockIdx.x & a) % 3u;
  while (m--) other[atomicAdd(count + 1, 1u)] = in[gid];
  for (int i = 0; i < 2; ++i) {
    if ((threadIdx.y & 3) || (t >= 56u)) queue[atomicAdd(&count[0], 1u)] = (lane == 0u ? in[gid] : 0u) + i;
  }
}
