// Atomics of every width and scope. All scopes are the machine here; order is
// relaxed as CUDA's is.
#pragma once

template <class T>
struct ks_same { typedef T type; };

#define KS_FETCH(name, builtin, T)                                                      \
  ks_inline T name(T* p, T v) { return builtin(p, v, __ATOMIC_RELAXED); }               \
  ks_of_block T name##_block(T* p, T v) { return builtin(p, v, __ATOMIC_RELAXED); }       \
  ks_inline T name##_system(T* p, T v) { return builtin(p, v, __ATOMIC_RELAXED); }
#define KS_FETCH_INTEGERS(name, builtin)  \
  KS_FETCH(name, builtin, int)            \
  KS_FETCH(name, builtin, unsigned)       \
  KS_FETCH(name, builtin, long)           \
  KS_FETCH(name, builtin, unsigned long)  \
  KS_FETCH(name, builtin, long long)      \
  KS_FETCH(name, builtin, unsigned long long)
KS_FETCH_INTEGERS(atomicAdd, __atomic_fetch_add)
KS_FETCH_INTEGERS(atomicSub, __atomic_fetch_sub)
KS_FETCH_INTEGERS(atomicAnd, __atomic_fetch_and)
KS_FETCH_INTEGERS(atomicOr, __atomic_fetch_or)
KS_FETCH_INTEGERS(atomicXor, __atomic_fetch_xor)
KS_FETCH_INTEGERS(atomicMin, __atomic_fetch_min)
KS_FETCH_INTEGERS(atomicMax, __atomic_fetch_max)
KS_FETCH_INTEGERS(atomicExch, __atomic_exchange_n)
#undef KS_FETCH_INTEGERS
KS_FETCH(atomicAdd, __atomic_fetch_add, float)
KS_FETCH(atomicAdd, __atomic_fetch_add, double)
KS_FETCH(atomicSub, __atomic_fetch_sub, float)
KS_FETCH(atomicSub, __atomic_fetch_sub, double)
#undef KS_FETCH

// Each part for itself, as a GPU does it.
ks_inline float2 atomicAdd(float2* p, float2 v) { return make_float2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)); }
ks_inline float4 atomicAdd(float4* p, float4 v) {
  return make_float4(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w));
}

template <class Word, class T>
ks_inline T ks_exchange(T* p, T v) {
  return ks_bits<T>(__atomic_exchange_n((Word*)p, ks_bits<Word>(v), __ATOMIC_RELAXED));
}
ks_inline float atomicExch(float* p, float v) { return ks_exchange<unsigned>(p, v); }
ks_inline double atomicExch(double* p, double v) { return ks_exchange<unsigned long long>(p, v); }
ks_of_block float atomicExch_block(float* p, float v) { return atomicExch(p, v); }
ks_inline float atomicExch_system(float* p, float v) { return atomicExch(p, v); }

#define KS_CAS(T)                                                                        \
  ks_inline T atomicCAS(T* p, T compare, T v) {                                          \
    __atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); \
    return compare;                                                                      \
  }                                                                                      \
  ks_of_block T atomicCAS_block(T* p, T compare, T v) { return atomicCAS(p, compare, v); } \
  ks_inline T atomicCAS_system(T* p, T compare, T v) { return atomicCAS(p, compare, v); }
KS_CAS(unsigned short)
KS_CAS(short)
KS_CAS(int)
KS_CAS(unsigned)
KS_CAS(long)
KS_CAS(unsigned long)
KS_CAS(long long)
KS_CAS(unsigned long long)
#undef KS_CAS

// A step that no instruction does: read, compute, compare and swap until nobody came between.
template <class Word, class T, class Step>
ks_inline T ks_atomic_loop(T* p, Step step) {
  Word seen = __atomic_load_n((Word*)p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n((Word*)p, &seen, ks_bits<Word>(step(ks_bits<T>(seen))), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return ks_bits<T>(seen);
}
ks_inline unsigned atomicInc(unsigned* p, unsigned limit) {
  return ks_atomic_loop<unsigned>(p, [=](unsigned v) { return v >= limit ? 0u : v + 1u; });
}
ks_inline unsigned atomicDec(unsigned* p, unsigned limit) {
  return ks_atomic_loop<unsigned>(p, [=](unsigned v) { return v == 0 || v > limit ? limit : v - 1u; });
}
ks_of_block unsigned atomicInc_block(unsigned* p, unsigned l) { return atomicInc(p, l); }
ks_inline unsigned atomicInc_system(unsigned* p, unsigned l) { return atomicInc(p, l); }
ks_of_block unsigned atomicDec_block(unsigned* p, unsigned l) { return atomicDec(p, l); }
ks_inline unsigned atomicDec_system(unsigned* p, unsigned l) { return atomicDec(p, l); }

// A mixed call such as atomicAdd(unsigned*, 1) or atomicAdd(float*, double): the
// target decides, as overload resolution does for nvcc. Programs add atomicMax(float*) of
// their own, so only what is here is served.
template <bool> struct ks_enable {};
template <> struct ks_enable<true> { typedef int type; };
#define KS_MIXED(name, is_for)                                                                \
  template <class T, class V, typename ks_enable<is_for(T) && !__is_same(T, V)>::type = 0> \
  ks_inline T name(T* p, V v) { return name(p, (T)v); }                                \
  template <class T, class V, typename ks_enable<is_for(T)>::type = 0>                 \
  ks_inline T name(volatile T* p, V v) { return name(const_cast<T*>(p), (T)v); }
KS_MIXED(atomicAdd, __is_arithmetic)
KS_MIXED(atomicSub, __is_arithmetic)
KS_MIXED(atomicAnd, __is_integral)
KS_MIXED(atomicOr, __is_integral)
KS_MIXED(atomicXor, __is_integral)
KS_MIXED(atomicMin, __is_integral)
KS_MIXED(atomicMax, __is_integral)
KS_MIXED(atomicExch, __is_arithmetic)
KS_MIXED(atomicInc, __is_integral)
KS_MIXED(atomicDec, __is_integral)
#undef KS_MIXED
template <class T, class A, class B,
          typename ks_enable<__is_integral(T) && !(__is_same(T, A) && __is_same(T, B))>::type = 0>
ks_inline T atomicCAS(T* p, A compare, B v) {
  return atomicCAS(p, (T)compare, (T)v);
}
template <class T, class A, class B, typename ks_enable<__is_integral(T)>::type = 0>
ks_inline T atomicCAS(volatile T* p, A compare, B v) {
  return atomicCAS(const_cast<T*>(p), (T)compare, (T)v);
}

// CUDA 12.8's own words for the same.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
