// A division whose operand is narrowed behind the same condition.
// seed 3372; grid 1; block 128; shared 0
// zeros u4 768; data u4 775 3372; scalar u4 775; scalar u4 4294967295; zeros u4 768; zeros u4 8
// crc b830e45d
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n, unsigned a, unsigned* memory, unsigned* sums) {
  const unsigned t = threadIdx.x;
  const unsigned gid = blockIdx.x * 128u + t, lane = t & 31u;
  unsigned v0 = 6u;
  unsigned v1 = gid * 2654435761u;
  unsigned y1 = 1u;
  signed char y2 = t;
  unsigned w = t / 32u * 7u;
  unsigned m = ~0u;
  unsigned short x1 = t;
  y1 ^= x1;
  unsigned x2 = 1u;
  const bool c3 = ((v1 & 1u)) < x2;
  if (c3) { out[gid] = v0 + v1 + y1; return; }
  const bool c5 = lane == 2u;
  const unsigned m4 = ( c5);
  if (c5) {
    y2 = (signed char)(((v0 ^ w)));
  } else { const unsigned m12 = m & ~m4;
    y1 ^= __reduce_add_sync(m12, (in[((w + 5u)) % n]));
  }
  y1 += x2;
  unsigned h = 1u;
  h = t;
  h = h + y1;
  out[gid] = h;
}
