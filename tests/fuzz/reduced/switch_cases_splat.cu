// Two cases of a switch that meet, in a vector of threads: an invalid module
// seed 44003810; grid 1; block 32 2; shared 0
// zeros u4 64; data u4 71 44003810; scalar u4 71; scalar u4 63; zeros u4 1; unordered u4 768; zeros u4 8 12; zeros f4 4
// crc cc3d88f7
struct Record { unsigned p; double q; int r; };
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n, unsigned a, unsigned* taken, unsigned* queue, unsigned* sums, float* floats) {
  const unsigned t = threadIdx.x + 32u * (threadIdx.y + 2u * threadIdx.z);
  const unsigned gid = blockIdx.x * 64u + t, lane = t & 31u;
  unsigned v1 = in[0u % n];
  unsigned u0 = blockIdx.x;
  Record record = {-u0, 0u, 0u};
  switch (record.p % 6u) {
  case 4: {
    const int c2 = a;
      do {
            v1 ^= t;
      } while (c2);
  }
  case 1: {
  }
  case 0: {
    v1 *= t;
  } break;
  }
  unsigned h = 1u;
  h = h + v1;
  out[gid] = h;
}
