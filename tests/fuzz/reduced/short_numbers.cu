// Neighbouring numbers were computed in 8 bits, and taken for unsigned where they had a sign, or for signed where they had none.
// seed 0; grid 1; block 1; shared 0
// zeros f8 8; zeros f4 8; zeros f8 8; zeros f8 8; zeros i4 8; zeros u8 8; data u1 64 3
// crc 488fc217
extern "C" __global__ void k(double* __restrict__ out, float* __restrict__ other, double* __restrict__ wide,
                             double* __restrict__ chosen, int* __restrict__ equal, unsigned long long* __restrict__ least,
                             const unsigned char* __restrict__ in) {
#pragma unroll
  for (int i = 0; i < 8; ++i) out[i] = (double)(in[i] - 10u);
#pragma unroll
  for (int i = 0; i < 8; ++i) other[i] = (float)(unsigned)(in[i] ^ -3);
#pragma unroll
  for (int i = 0; i < 8; ++i) wide[i] = (double)((unsigned long long)in[i] - 300ull);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int a = in[8 + i], b = (signed char)in[16 + i];
    chosen[i] = (double)(a < b ? a : 10);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) equal[i] = (int)in[24 + i] > (int)(signed char)in[24 + i] ? in[24 + i] : 100;
  unsigned long long x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = max((unsigned long long)in[32 + i], 1ull);
  least[0] = min(min((long long)x[0], (long long)x[1]), min((long long)x[2], (long long)x[3]));
}
