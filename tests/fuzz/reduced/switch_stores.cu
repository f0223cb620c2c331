// The stores of half of a vector's threads were missing.
// seed 0; grid 5; block 128; shared 0
// zeros u4 640; data u4 647 1; scalar u4 647
// crc cb87d19b
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned m) {
  unsigned tid = threadIdx.x, gid = (blockIdx.x) * 128u + tid, lane = tid & 31u;
  unsigned v0 = gid * 2654435761u;
  unsigned v1 = tid;
  unsigned v2 = 2u;
  unsigned v3 = in[(gid * 4u + 3u) % m];
  unsigned v4 = 4u;
  unsigned long long w0 = in[gid] * 0x100000001ull;
    switch (v0) {
    case 0: {
      for (int i2 = (int)(tid % 5u); i2 > 0; --i2) {
        v1 = ((1u) ? (((((unsigned)i2 <= (unsigned)(w0 >> 7)) ? (unsigned)(w0 >> 32) : v0) * (1u)) - 65535u) : gid);
      }
    } break;
    }
  __syncthreads();
  v0 += __shfl_up_sync(0xffffffffu, (0u), 4);
  unsigned h = 17u; h = h * 31u + v0; h = h * 31u + v1; h = h * 31u + v2; h = h * 31u + v3; h = h * 31u + v4; h = h * 31u + (unsigned)w0; h ^= (unsigned)(w0 >> 32);
  out[gid] = h;
}
