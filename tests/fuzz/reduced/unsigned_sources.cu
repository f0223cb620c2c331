// Neighbouring unsigned differences were computed in 8 bits with a sign, and converted as if they had none.
// seed 0; grid 1; block 1; shared 0
// zeros f8 8; zeros f4 8; zeros f8 8; data u1 8 3
// crc 6c78e6ea
extern "C" __global__ void k(double* __restrict__ out, float* __restrict__ other, double* __restrict__ wide,
                              const unsigned char* __restrict__ in) {
#pragma unroll
  for (int i = 0; i < 8; ++i) out[i] = (double)(in[i] - 10u);
#pragma unroll
  for (int i = 0; i < 8; ++i) other[i] = (float)(unsigned)(in[i] ^ -3);
#pragma unroll
  for (int i = 0; i < 8; ++i) wide[i] = (double)((unsigned long long)in[i] - 300ull);
}
