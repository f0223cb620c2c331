// What saturates is in [+0, 1]: neither -0 nor NaN.
#include <cuda_fp16.h>
extern "C" __global__ void all(const float* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half h = __float2half(in[i]), zero = __float2half(-0.0f), one = __float2half(1.0f);
  out[4 * i] = __float_as_uint(__saturatef(in[i]));
  out[4 * i + 1] = __half_as_ushort(__hadd_sat(h, zero));
  out[4 * i + 2] = __half_as_ushort(__hmul_sat(h, one));
  out[4 * i + 3] = __half_as_ushort(__hfma_sat(h, one, zero));
}

// Of numbers that cannot be NaN; two threads are no vector.
extern "C" __global__ void of_integers(const int* in, unsigned* out) {
  const int i = threadIdx.x;
  const __half h = __hneg(__int2half_rn(in[i]));
  out[2 * i] = __float_as_uint(__saturatef(-(float)in[i]));
  out[2 * i + 1] = __half_as_ushort(__hadd_sat(h, h));
}
