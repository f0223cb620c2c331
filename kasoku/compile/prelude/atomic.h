// Atomics of every width and scope. All scopes are the machine here; order is
// relaxed as CUDA's is.
#pragma once

template <class T>
struct ks_same { typedef T type; };

// The types that CUDA has each of them for, at compute capability 9.0; half.h adds its own to
// atomicAdd. The target decides: a value of another type is converted, a target of another type
// is refused. An ellipsis is the worst match, so what a program adds (atomicMax(float*)) comes first.
#define KS_REFUSED(name, types)                                     \
  void name(...) = delete("CUDA has it for " types);                \
  void name##_block(...) = delete("CUDA has it for " types);        \
  void name##_system(...) = delete("CUDA has it for " types);
#define KS_WORDS "int and unsigned"
#define KS_LONGER "int, unsigned, long long and unsigned long long"
KS_REFUSED(atomicAdd,
           "int, unsigned, unsigned long long, float, double, float2, float4 and, without _block or _system, halves and pairs of halves")
KS_REFUSED(atomicSub, KS_WORDS)
KS_REFUSED(atomicExch, "int, unsigned, unsigned long long, float and, without _system, types of 16 aligned bytes")
KS_REFUSED(atomicMin, KS_LONGER)
KS_REFUSED(atomicMax, KS_LONGER)
KS_REFUSED(atomicAnd, KS_LONGER)
KS_REFUSED(atomicOr, KS_LONGER)
KS_REFUSED(atomicXor, KS_LONGER)
KS_REFUSED(atomicInc, "unsigned")
KS_REFUSED(atomicDec, "unsigned")
KS_REFUSED(atomicCAS, "int, unsigned, unsigned long long, unsigned short and, without _system, types of 16 aligned bytes")
#undef KS_REFUSED
#undef KS_WORDS
#undef KS_LONGER

// A step that no instruction does: read, compute, compare and swap until nobody came between.
template <class Word, int order = __ATOMIC_RELAXED, class T, class Step>
ks_inline T ks_atomic_loop(T* p, Step step) {
  Word seen = __atomic_load_n((Word*)p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n((Word*)p, &seen, ks_bits<Word>(step(ks_bits<T>(seen))), true,
                                      order, __ATOMIC_RELAXED)) {
  }
  return ks_bits<T>(seen);
}
template <class T> ks_inline T ks_exchange(T* p, T v) {
  T old;
  __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T> ks_inline T ks_compare_exchange(T* p, T compare, T v) {
  __atomic_compare_exchange(p, &compare, &v, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  return compare;
}

#define KS_ATOMIC(name, T, expression)                       \
  ks_inline T name(T* p, T v) { return expression; }         \
  ks_named T name##_block(T* p, T v) { return expression; } \
  ks_inline T name##_system(T* p, T v) { return expression; }
#define KS_FETCH(name, fetch, T) KS_ATOMIC(name, T, __atomic_fetch_##fetch(p, v, __ATOMIC_RELAXED))
#define KS_FETCH_WORDS(name, fetch) KS_FETCH(name, fetch, int) KS_FETCH(name, fetch, unsigned)
#define KS_FETCH_LONGER(name, fetch) \
  KS_FETCH_WORDS(name, fetch) KS_FETCH(name, fetch, long long) KS_FETCH(name, fetch, unsigned long long)
KS_FETCH_WORDS(atomicAdd, add)
KS_FETCH(atomicAdd, add, unsigned long long)
KS_FETCH(atomicAdd, add, float)
KS_FETCH(atomicAdd, add, double)
KS_FETCH_WORDS(atomicSub, sub)
KS_FETCH_LONGER(atomicMin, min)
KS_FETCH_LONGER(atomicMax, max)
KS_FETCH_LONGER(atomicAnd, and)
KS_FETCH_LONGER(atomicOr, or)
KS_FETCH_LONGER(atomicXor, xor)
// Each part for itself, as a GPU does it.
KS_ATOMIC(atomicAdd, float2, make_float2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)))
KS_ATOMIC(atomicAdd, float4, make_float4(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w)))
KS_ATOMIC(atomicExch, int, ks_exchange(p, v))
KS_ATOMIC(atomicExch, unsigned, ks_exchange(p, v))
KS_ATOMIC(atomicExch, unsigned long long, ks_exchange(p, v))
KS_ATOMIC(atomicExch, float, ks_exchange(p, v))
KS_ATOMIC(atomicInc, unsigned, ks_atomic_loop<unsigned>(p, [=](unsigned old) { return old >= v ? 0u : old + 1u; }))
KS_ATOMIC(atomicDec, unsigned, ks_atomic_loop<unsigned>(p, [=](unsigned old) { return old == 0 || old > v ? v : old - 1u; }))
#undef KS_FETCH_LONGER
#undef KS_FETCH_WORDS
#undef KS_FETCH
#undef KS_ATOMIC

#define KS_CAS(T)                                                                                           \
  ks_inline T atomicCAS(T* p, T compare, T v) { return ks_compare_exchange(p, compare, v); }                \
  ks_named T atomicCAS_block(T* p, T compare, T v) { return ks_compare_exchange(p, compare, v); }        \
  ks_inline T atomicCAS_system(T* p, T compare, T v) { return ks_compare_exchange(p, compare, v); }
KS_CAS(unsigned short)
KS_CAS(int)
KS_CAS(unsigned)
KS_CAS(unsigned long long)
#undef KS_CAS

template <bool> struct ks_enable {};
template <> struct ks_enable<true> { typedef int type; };
// Any type of 16 aligned bytes, as bits.
#define KS_WIDE template <class T, typename ks_enable<sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T)>::type = 0>
#define KS_WIDE_ATOMIC(inlined, scope)                                                                     \
  KS_WIDE inlined T atomicExch##scope(T* p, T v) {                                                         \
    typedef unsigned __int128 Word;                                                                        \
    return ks_bits<T>(__atomic_exchange_n((Word*)p, ks_bits<Word>(v), __ATOMIC_RELAXED));                  \
  }                                                                                                        \
  KS_WIDE inlined T atomicCAS##scope(T* p, T compare, T v) {                                               \
    typedef unsigned __int128 Word;                                                                        \
    return ks_bits<T>(ks_compare_exchange((Word*)p, ks_bits<Word>(compare), ks_bits<Word>(v)));            \
  }
KS_WIDE_ATOMIC(ks_inline, )
KS_WIDE_ATOMIC(ks_named, _block)
#undef KS_WIDE_ATOMIC
#undef KS_WIDE

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
