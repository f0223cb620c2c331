#define KS_JIT_HOST 1
#include "ks_jit.h"

static __device__ __forceinline__ void ks_fn_scale(ks_call* ks, ks_array<double, 1> x, double a) {
  long long i{};
  constexpr int ks_function = 0;
  int ks_zero = 0;
#line 2 "scale"
  const ks_i64 ks_n1 = x.shape[0];
  const ks_interval ks_over2 = ks_over(ks_interval(0LL), ks_interval(ks_n1), true);
  if (ks_within(ks_over2, x.shape[0])) {
    for (ks_i64 ks_i3 = 0LL; ks_i3 < ks_n1; ++ks_i3) {
      i = ks_i3;
#line 3 "scale"
      const double ks_t4 = (a * x.data[i]);
      x.data[i] = ks_t4;
    }
  } else {  // some index may be outside: test each
    for (ks_i64 ks_i5 = 0LL; ks_i5 < ks_n1; ++ks_i5) {
      i = ks_i5;
#line 3 "scale"
      const ks_i64 ks_i6 = i;
      const ks_i64 ks_i7 = ks_wrap(ks_i6, x.shape[0]);
      if (KS_RARELY((ks_u64)ks_i7 >= (ks_u64)x.shape[0])) {
        ks_jit_fail(ks, ks_index_error, 3, "x", ks_i6, x.shape[0], 0);
        return;
      }
      const double ks_t8 = (a * x.data[ks_i7]);
      const ks_i64 ks_i9 = i;
      const ks_i64 ks_i10 = ks_wrap(ks_i9, x.shape[0]);
      if (KS_RARELY((ks_u64)ks_i10 >= (ks_u64)x.shape[0])) {
        ks_jit_fail(ks, ks_index_error, 3, "x", ks_i9, x.shape[0], 0);
        return;
      }
      x.data[ks_i10] = ks_t8;
    }
  }
}

extern "C" __global__ void scale(ks_call* ks) {
  ks_u64* const w = ks->words;
  ks_array<double, 1> a0;
  a0.data = *(double* const*)(w + 0);
  a0.shape[0] = (ks_i64)w[1];
  ks_set_strides(a0);
  a0.memory = nullptr;
  double a1;
  a1 = *(const double*)(w + 4);
  ks_fn_scale(ks, a0, a1);
}
