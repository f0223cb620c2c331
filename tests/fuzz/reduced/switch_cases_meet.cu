// Two cases of a switch that only some threads reach lead to one place: predication chose twice for one edge.
// seed 11002948; grid 1 1; block 48; shared 0
// zeros u4 144; data u4 151 11002948; scalar u4 151; scalar u4 33; zeros u4 144; zeros u4 472; zeros u4 144; zeros u4 49; zeros u4 8 12; zeros u8 4; zeros f4 4
// crc 54fa76f9
__constant__ unsigned table[16] = {1u, 5u, 1u, 1u, 1u, 8u, 2u, 1u, 4u, 1u, 1u, 1u, 1u, 1u, 1u, 1u};
extern "C" __global__ void k(unsigned* __restrict__ out, const unsigned* __restrict__ in, unsigned n, unsigned a, unsigned* __restrict__ memory, unsigned* __restrict__ stream, unsigned* __restrict__ partials, unsigned* __restrict__ tickets, unsigned* __restrict__ sums, unsigned long long* __restrict__ totals, float* __restrict__ floats) {
  const unsigned t = threadIdx.x;
  const unsigned gid = (blockIdx.x + gridDim.x * blockIdx.y) * 48u + t, lane = t & 31u;
  unsigned v2 = 1u;
  int y0 = t;
  unsigned u0 = a;
  unsigned u1 = t;
  const bool c5 = t;
  const unsigned m4 = t;
  if (c5) {
    switch (u0) {
    case 0: {
      int i7 = 0;
      do {
      } while (++i7 < 2 && __any_sync(m4, table[v2] >= u1));
    } break;
    case 3: {
    } break;
    default: {
      y0 = 0u;
    }
    case 1: {
    } break;
    }
  }
  unsigned h = 1u;
  h = h + y0;
  out[gid] = h;
}
