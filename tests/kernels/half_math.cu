#include <cuda_fp16.h>
extern "C" __global__ void axpy(const __half* x, const __half* y, __half* out, float* wide, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half a = __float2half(2.0f);
  out[i] = __hadd(__hmul(a, x[i]), y[i]);
  wide[i] = __half2float(x[i]) * 3.0f;
}
extern "C" __global__ void pairs(const __half2* x, __half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hadd2(x[i], __float2half2_rn(1.0f));
}

// Whole numbers by each way of rounding.
extern "C" __global__ void roundings(const float* values, int* out) {
  const float value = values[threadIdx.x];
  const __half x = __float2half(value);
  int* o = out + 12 * threadIdx.x;
  o[0] = __half2int_rn(x), o[1] = __half2int_rz(x), o[2] = __half2int_rd(x), o[3] = __half2int_ru(x);
  o[4] = __half2short_rd(x), o[5] = __half2ushort_ru(x), o[6] = (int)__half2ll_rd(x), o[7] = (int)__half2uint_ru(x);
  const int n = (int)value * 37;
  o[8] = __half_as_ushort(__int2half_rn(n)), o[9] = __half_as_ushort(__int2half_rz(n));
  o[10] = __half_as_ushort(__int2half_rd(n)), o[11] = __half_as_ushort(__ll2half_ru(n));
}
