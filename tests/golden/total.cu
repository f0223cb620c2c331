#define KS_JIT_HOST 1
#include "ks_jit.h"
// A stride that only the run knows. Of what is a parameter LLVM makes vectors for a stride of 1, and a scalar loop for all others; of what
// is the greater of two numbers it makes vectors for any stride.
ks_helper ks_index ks_stride(ks_index x) { return x > -(1ll << 62) ? x : -(1ll << 62); }

static __device__ __forceinline__ double ks_fn_total(ks_call* ks, ks_array<float, 1> x) {
  double s{};
  float v{};
  constexpr int ks_function = 0;
  int ks_zero = 0;
#line 2 "total"
  s = 0.0;
#line 3 "total"
#line 3 "total"
  const ks_i64 ks_n1 = x.shape[0];
  for (ks_i64 ks_strip3 = 0; ks_strip3 < ks_n1;) {
    const ks_i64 ks_end4 = ks_strip_end(ks_strip3, ks_n1, 1);
    for (ks_i64 ks_i2 = ks_strip3; ks_i2 < ks_end4; ++ks_i2) {
      v = x.data[ks_i2 * x.stride[0]];
#line 4 "total"
      s = (s + (double)(v));
    }
    ks_strip3 = ks_end4;
    if (ks_strip3 < ks_n1 && KS_LEAVES) return {};
  }
#line 5 "total"
  return s;
  return {};
}

extern "C" __global__ void total(ks_call* ks) {
  ks_u64* const w = ks->words;
  ks_array<float, 1> a0;
  a0.data = *(float* const*)(w + 0);
  a0.shape[0] = (ks_i64)w[1];
  a0.stride[0] = ks_stride((ks_i64)w[2]);
  a0.memory = nullptr;
  const double result = ks_fn_total(ks, a0);
  if (ks->status) return;
  *(double*)(w + 0) = result;
}
