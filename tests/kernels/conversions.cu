extern "C" __global__ void all(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  int* o = out + i * 8;
  o[0] = __float2int_rn(v); o[1] = __float2int_rz(v); o[2] = __float2int_ru(v); o[3] = __float2int_rd(v);
  o[4] = __float_as_int(v); o[5] = (int)__float2uint_rz(fabsf(v)); o[6] = __double2int_rn((double)v * 2); o[7] = (int)lrintf(v);
}
// Every conversion of a double in each rounding, and of what an unsigned type cannot hold.
extern "C" __global__ void doubles(const double* x, unsigned* out, unsigned long long* wide, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  unsigned* o = out + i * 9;
  unsigned long long* w = wide + i * 8;
  o[0] = __double2int_rn(v), o[1] = __double2int_rz(v), o[2] = __double2int_ru(v), o[3] = __double2int_rd(v);
  o[4] = __double2uint_rn(v), o[5] = __double2uint_rz(v), o[6] = __double2uint_ru(v), o[7] = __double2uint_rd(v);
  o[8] = (unsigned)v;
  w[0] = __double2ll_rn(v), w[1] = __double2ll_rz(v), w[2] = __double2ll_ru(v), w[3] = __double2ll_rd(v);
  w[4] = __double2ull_rn(v), w[5] = __double2ull_rz(v), w[6] = __double2ull_ru(v), w[7] = __double2ull_rd(v);
}
