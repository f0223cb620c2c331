#define KS_JIT_HOST 1
#include "ks_jit.h"

static __device__ __forceinline__ void ks_fn_scale(ks_call* ks, ks_array<double, 1> x, double a) {
  long long i{};
  constexpr int ks_function = 0;
  int ks_zero = 0;
#line 2 "scale"
  const ks_i64 ks_n1 = x.shape[0];
  const ks_interval ks_over2 = ks_over(ks_interval(0LL), ks_interval(ks_n1), 1);
  if (ks_within(ks_over2, x.shape[0])) {
#line 2 "scale"
    for (ks_i64 ks_strip4 = 0LL; ks_strip4 < ks_n1;) {
      const ks_i64 ks_end5 = ks_strip_end(ks_strip4, ks_n1, 1LL);
      for (ks_i64 ks_i3 = ks_strip4; ks_i3 != ks_end5; ++ks_i3) {
        i = ks_i3;
#line 3 "scale"
        const double ks_t6 = (a * x.data[i]);
        x.data[i] = ks_t6;
      }
      ks_strip4 = ks_end5;
      if (ks_strip4 < ks_n1 && KS_LEAVES) return;
    }
  } else {  // some index may be outside: test each
#line 2 "scale"
    for (ks_i64 ks_strip8 = 0LL; ks_strip8 < ks_n1;) {
      const ks_i64 ks_end9 = ks_strip_end(ks_strip8, ks_n1, 1LL);
      for (ks_i64 ks_i7 = ks_strip8; ks_i7 != ks_end9; ++ks_i7) {
        i = ks_i7;
#line 3 "scale"
        const ks_i64 ks_i10 = i;
        if (KS_RARELY((ks_u64)ks_i10 >= (ks_u64)x.shape[0])) {
          ks_jit_fail(ks, ks_index_error, 3, "x", ks_i10, x.shape[0], 0);
          return;
        }
        const double ks_t11 = (a * x.data[ks_i10]);
        const ks_i64 ks_i12 = i;
        if (KS_RARELY((ks_u64)ks_i12 >= (ks_u64)x.shape[0])) {
          ks_jit_fail(ks, ks_index_error, 3, "x", ks_i12, x.shape[0], 0);
          return;
        }
        x.data[ks_i12] = ks_t11;
      }
      ks_strip8 = ks_end9;
      if (ks_strip8 < ks_n1 && KS_LEAVES) return;
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
