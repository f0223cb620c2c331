#include <cuda_fp16.h>

extern "C" __global__ void compare(const half2* a, const half2* b, half2* numbers, unsigned* masks, int* both, half2* moved) {
  const int i = threadIdx.x;
  numbers[3 * i] = __hne2(a[i], b[i]);
  numbers[3 * i + 1] = __hltu2(a[i], b[i]);
  numbers[3 * i + 2] = __hmul2_sat(a[i], b[i]);
  masks[i] = __hge2_mask(a[i], b[i]);
  both[i] = __hbge2(a[i], b[i]) + 2 * __hbneu2(a[i], b[i]);
  moved[i] = __halves2half2(__high2half(a[i]), __low2half(b[i]));
}
