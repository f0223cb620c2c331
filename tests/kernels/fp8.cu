#include <cuda_fp8.h>

extern "C" __global__ void convert(const float* x, unsigned char* e4m3, unsigned char* e5m2, float* back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __nv_fp8_e4m3 small(x[i]);
  const __nv_fp8_e5m2 wide(x[i]);
  e4m3[i] = small.__x;
  e5m2[i] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E5M2);
  back[2 * i] = float(small);
  back[2 * i + 1] = float(wide);
}

extern "C" __global__ void unpack(const unsigned char* bits, float* e4m3, float* e5m2) {
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = b.__x = bits[threadIdx.x];
  e4m3[threadIdx.x] = float(a);
  e5m2[threadIdx.x] = float(b);
}

extern "C" __global__ void pairs(const float4* x, unsigned* out, float4* back) {
  const __nv_fp8x4_e4m3 packed(x[threadIdx.x]);
  out[threadIdx.x] = packed.__x;
  back[threadIdx.x] = float4(packed);
}
