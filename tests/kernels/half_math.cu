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
