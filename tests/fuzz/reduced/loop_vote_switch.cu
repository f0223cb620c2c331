// A loop whose condition is a barrier, with a switch in a loop in it: the compiler failed.
// seed 0; grid 1; block 64; shared 0
// zeros u4 64; scalar u4 5
// crc 9bc50ff0
extern "C" __global__ void k(unsigned* out, unsigned a) {
  const unsigned t = threadIdx.x;
  unsigned v1 = t;
  int y0 = t;
  unsigned u0 = a;
  unsigned u1 = t;
  unsigned many[8]; for (int i = 0; i < 8; ++i) many[i] = t;
  int i1 = 0;
  do {
    for (int i3 = 0; i3 < v1 + 1; ++i3) {
      y0 = i3;
      switch (!u1) {
      case 1: {
        y0 = t;
        many[1u] = t;
      } break;
      }
    }
  } while (++i1 < 2 && __syncthreads_or(0u));
  out[t] = 1u + y0;
}
