#include "kasoku/kernel/header_text.h"

namespace kasoku {

const char atomics_header[] = R"cuda(
#ifndef KS_USER_ATOMICS
#define KS_USER_ATOMICS

// What CUDA lacks: 64-bit sums with a sign, and extremes of floating numbers.
__device__ inline long long atomicAdd(long long* p, long long v) {
  return (long long)atomicAdd((unsigned long long*)p, (unsigned long long)v);
}
#define KS_EXTREME(name, pick, T, Word, bits_of, value_of)       \
  __device__ inline T name(T* p, T v) {                          \
    Word seen = *(volatile Word*)p, old;                         \
    do {                                                         \
      old = seen;                                                \
      seen = atomicCAS((Word*)p, old, (Word)bits_of(pick(v, value_of(old)))); \
    } while (seen != old);                                       \
    return value_of(old);                                        \
  }
KS_EXTREME(atomicMax, fmaxf, float, int, __float_as_int, __int_as_float)
KS_EXTREME(atomicMin, fminf, float, int, __float_as_int, __int_as_float)
KS_EXTREME(atomicMax, fmax, double, unsigned long long, __double_as_longlong, __longlong_as_double)
KS_EXTREME(atomicMin, fmin, double, unsigned long long, __double_as_longlong, __longlong_as_double)
#undef KS_EXTREME
#endif
)cuda";

}  // namespace kasoku
