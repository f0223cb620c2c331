/// \file tests/fuzz/fibers.h
/// CUDA's words for g++: what a kernel's text means when each thread of a block is a fiber and one
/// of them runs at a time.
///
/// Written from the CUDA C++ Programming Guide and the PTX manual alone; it shares nothing with
/// kasoku's prelude, so that an error in one is not an error in both. What CUDA leaves undefined
/// (a shuffle from a lane that is not there, memory that nobody wrote) is another value in each
/// schedule, so that a kernel which looks at it gives two answers.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static __attribute__((section("fiber_shared")))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

typedef decltype(sizeof 0) size_t;
typedef unsigned fiber_u32;
typedef unsigned long long fiber_u64;

// ---- the fibers (fibers.cpp) ----------------------------------------------------------------

/// Who called the function that this stands in, as a default argument too: nothing is inlined.
#define FIBER_CALLER __builtin_return_address(0)

namespace fibers {
/// What lanes of a warp or threads of a block do together.
enum Operation {
  sync_warp, ballot, any, all, match_any, match_all, shfl, shfl_up, shfl_down, shfl_xor,
  add_u32, min_u32, max_u32, min_i32, max_i32, and_u32, or_u32, xor_u32,
  barrier, barrier_count, barrier_and, barrier_or
};

/// Waits for the lanes of the mask, all with the same operation at the same place of the text, and gives this lane's result.
fiber_u64 meet(Operation operation, fiber_u32 mask, fiber_u64 value, fiber_u32 by = 0, fiber_u32 width = 32, const void* place = FIBER_CALLER);
/// Waits for the threads of the block that have not ended, all at the same place of the text.
int meet_block(Operation operation, int predicate = 0, const void* place = FIBER_CALLER);
fiber_u32 rank();  ///< of this thread in its block
fiber_u32 warp_mask();  ///< the lanes of this warp that the block has
extern char* dynamic_shared;

struct Entry {
  const void* kernel;
  void (*call)(const void* kernel, void** arguments);
  bool may_return;  ///< whether threads may end before the end of the text
};
template <int... I>
struct Indices {};
template <typename... P, int... I>
void call(void (*f)(P...), void** a, Indices<I...>) { f(*static_cast<P*>(a[I])...); }
template <typename... P>
Entry entry(void (*f)(P...), bool may_return) {
  return {reinterpret_cast<const void*>(f), [](const void* k, void** a) {
            call(reinterpret_cast<void (*)(P...)>(const_cast<void*>(k)), a, Indices<__integer_pack(sizeof...(P))...>());
          }, may_return};
}

template <typename T>
fiber_u64 bits(T x) { fiber_u64 b = 0; __builtin_memcpy(&b, &x, sizeof x); return b; }
template <typename T>
T from_bits(fiber_u64 b) { T x; __builtin_memcpy(&x, &b, sizeof x); return x; }
}  // namespace fibers

// ---- vector types and built-in variables ----------------------------------------------------

#define FIBER_VECTORS(T, N, align2, align4)                                                            \
  struct N##1 { T x; };                                                                                \
  struct __align__(align2) N##2 { T x, y; };                                                           \
  struct N##3 { T x, y, z; };                                                                          \
  struct __align__(align4) N##4 { T x, y, z, w; };                                                     \
  inline N##1 make_##N##1(T x) { return {x}; }                                                         \
  inline N##2 make_##N##2(T x, T y) { return {x, y}; }                                                 \
  inline N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }                                         \
  inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
FIBER_VECTORS(signed char, char, 2, 4)
FIBER_VECTORS(unsigned char, uchar, 2, 4)
FIBER_VECTORS(short, short, 4, 8)
FIBER_VECTORS(unsigned short, ushort, 4, 8)
FIBER_VECTORS(int, int, 8, 16)
FIBER_VECTORS(unsigned, uint, 8, 16)
FIBER_VECTORS(long long, longlong, 16, 16)
FIBER_VECTORS(unsigned long long, ulonglong, 16, 16)
FIBER_VECTORS(float, float, 8, 16)
FIBER_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

#ifndef FIBER_RUNTIME  // the rest is for kernels
extern "C" void* memcpy(void*, const void*, size_t) noexcept;

// ---- arithmetic ------------------------------------------------------------------------------

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline unsigned min(int a, unsigned b) { return min(unsigned(a), b); }
inline unsigned min(unsigned a, int b) { return min(a, unsigned(b)); }
inline unsigned max(int a, unsigned b) { return max(unsigned(a), b); }
inline unsigned max(unsigned a, int b) { return max(a, unsigned(b)); }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
inline float min(float a, float b) { return a < b ? a : b; }
inline float max(float a, float b) { return a < b ? b : a; }
inline double min(double a, double b) { return a < b ? a : b; }
inline double max(double a, double b) { return a < b ? b : a; }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long long llabs(long long x) { return x < 0 ? -x : x; }

inline float fminf(float a, float b) { return a < b || b != b ? a : b; }  // a NaN is no number, and the other is taken
inline float fmaxf(float a, float b) { return a < b || a != a ? b : a; }
inline float fabsf(float x) { return __builtin_fabsf(x); }
inline float sqrtf(float x) { return __builtin_sqrtf(x); }
inline float floorf(float x) { return __builtin_floorf(x); }
inline float ceilf(float x) { return __builtin_ceilf(x); }
inline float truncf(float x) { return __builtin_truncf(x); }
inline float rintf(float x) { return __builtin_rintf(x); }
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fmin(double a, double b) { return a < b || b != b ? a : b; }
inline double fmax(double a, double b) { return a < b || a != a ? b : a; }
inline double fabs(double x) { return __builtin_fabs(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline double floor(double x) { return __builtin_floor(x); }
inline double ceil(double x) { return __builtin_ceil(x); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

inline int __popc(unsigned x) { int n = 0; for (; x; x >>= 1) n += x & 1; return n; }
inline int __popcll(fiber_u64 x) { return __popc(fiber_u32(x)) + __popc(fiber_u32(x >> 32)); }
inline int __clz(int x) { int n = 0; for (unsigned u = x; n < 32 && !(u >> 31); u <<= 1) ++n; return n; }
inline int __clzll(long long x) { return x >> 32 ? __clz(int(fiber_u64(x) >> 32)) : 32 + __clz(int(fiber_u32(x))); }
inline int __ffs(int x) { for (int i = 0; i < 32; ++i) if (unsigned(x) >> i & 1) return i + 1; return 0; }
inline int __ffsll(long long x) { for (int i = 0; i < 64; ++i) if (fiber_u64(x) >> i & 1) return i + 1; return 0; }
inline unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i); return r; }
inline fiber_u64 __brevll(fiber_u64 x) { return fiber_u64(__brev(fiber_u32(x))) << 32 | __brev(fiber_u32(x >> 32)); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const fiber_u64 both = fiber_u64(y) << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= unsigned(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
  return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return unsigned((fiber_u64(hi) << 32 | lo) << (n & 31) >> 32); }
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return unsigned((fiber_u64(hi) << 32 | lo) >> (n & 31)); }
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? lo : __funnelshift_l(lo, hi, n); }
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? hi : __funnelshift_r(lo, hi, n); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(fiber_u64(a) * b >> 32); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline fiber_u64 __umul64hi(fiber_u64 a, fiber_u64 b) { return fiber_u64((unsigned __int128)a * b >> 64); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline int __mul24(int a, int b) { return int(unsigned((long long)(int(unsigned(a) << 8) >> 8) * (int(unsigned(b) << 8) >> 8))); }
inline unsigned __umul24(unsigned a, unsigned b) { return unsigned(fiber_u64(a & 0xffffff) * (b & 0xffffff)); }
inline unsigned __sad(int a, int b, unsigned c) { return c + (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b)); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
inline int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned((fiber_u64(a) + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return unsigned((fiber_u64(a) + b + 1) >> 1); }
inline int __dp4a(int a, int b, int c) {
  unsigned r = c;
  for (int i = 0; i < 4; ++i) r += unsigned((signed char)(unsigned(a) >> 8 * i) * (signed char)(unsigned(b) >> 8 * i));
  return int(r);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
inline unsigned __vadd4(unsigned a, unsigned b) {
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= (((a >> 8 * i) + (b >> 8 * i)) & 255) << 8 * i;
  return r;
}
inline unsigned __float_as_uint(float x) { return fibers::from_bits<unsigned>(fibers::bits(x)); }
inline int __float_as_int(float x) { return fibers::from_bits<int>(fibers::bits(x)); }
inline float __uint_as_float(unsigned x) { return fibers::from_bits<float>(fibers::bits(x)); }
inline double __longlong_as_double(long long x) { return fibers::from_bits<double>(x); }
/// A GPU's conversion: the nearest number, of NaN 0 or the highest bit; few bits are a part of 32. Integers, which shrinking
/// leaves of floats, are as in C.
template <class T, class F>
T to(F x) {
  constexpr bool is_signed = T(-1) < T(0), is_wide = sizeof(T) == 8;
  constexpr fiber_u64 half = fiber_u64(1) << (is_wide ? 63 : 31), high = is_signed ? half - 1 : half - 1 + half;
  const F limit = F(half) * (is_signed ? 1 : 2);
  if (F(0.5f) == F(0)) return T(x);
  if (x != x) return T(is_wide || sizeof(F) == 8 ? half : 0);
  if (x <= (is_signed ? -limit : F(0))) return T(is_signed ? half : 0);
  if (x >= limit) return T(high);
  return T(is_signed ? fiber_u64((long long)x) : fiber_u64(x));
}
inline float __int_as_float(int x) { return fibers::from_bits<float>(fibers::bits(x)); }
inline long long __double_as_longlong(double x) { return fibers::from_bits<long long>(fibers::bits(x)); }

#include "fibers_numbers.h"

template <typename T>
T __ldg(const T* p) { return *p; }

// ---- threads that meet -----------------------------------------------------------------------

inline void __syncthreads() { fibers::meet_block(fibers::barrier); }
inline int __syncthreads_count(int p) { return fibers::meet_block(fibers::barrier_count, p); }
inline int __syncthreads_and(int p) { return fibers::meet_block(fibers::barrier_and, p); }
inline int __syncthreads_or(int p) { return fibers::meet_block(fibers::barrier_or, p); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

inline void __syncwarp(unsigned m = ~0u) { fibers::meet(fibers::sync_warp, m, 0); }
inline unsigned __ballot_sync(unsigned m, int p) { return unsigned(fibers::meet(fibers::ballot, m, p != 0)); }
inline int __any_sync(unsigned m, int p) { return int(fibers::meet(fibers::any, m, p != 0)); }
inline int __all_sync(unsigned m, int p) { return int(fibers::meet(fibers::all, m, p != 0)); }
template <typename T>
unsigned __match_any_sync(unsigned m, T x) { return unsigned(fibers::meet(fibers::match_any, m, fibers::bits(x))); }
template <typename T>
unsigned __match_all_sync(unsigned m, T x, int* p) {
  const unsigned r = unsigned(fibers::meet(fibers::match_all, m, fibers::bits(x)));
  *p = r != 0;
  return r;
}
template <typename T>
T __shfl_sync(unsigned m, T x, int lane, int width = 32) { return fibers::from_bits<T>(fibers::meet(fibers::shfl, m, fibers::bits(x), lane, width)); }
template <typename T>
T __shfl_up_sync(unsigned m, T x, unsigned by, int width = 32) { return fibers::from_bits<T>(fibers::meet(fibers::shfl_up, m, fibers::bits(x), by, width)); }
template <typename T>
T __shfl_down_sync(unsigned m, T x, unsigned by, int width = 32) { return fibers::from_bits<T>(fibers::meet(fibers::shfl_down, m, fibers::bits(x), by, width)); }
template <typename T>
T __shfl_xor_sync(unsigned m, T x, int by, int width = 32) { return fibers::from_bits<T>(fibers::meet(fibers::shfl_xor, m, fibers::bits(x), by, width)); }
inline unsigned __reduce_add_sync(unsigned m, unsigned x) { return unsigned(fibers::meet(fibers::add_u32, m, x)); }
inline unsigned __reduce_min_sync(unsigned m, unsigned x) { return unsigned(fibers::meet(fibers::min_u32, m, x)); }
inline unsigned __reduce_max_sync(unsigned m, unsigned x) { return unsigned(fibers::meet(fibers::max_u32, m, x)); }
inline int __reduce_add_sync(unsigned m, int x) { return int(unsigned(fibers::meet(fibers::add_u32, m, unsigned(x)))); }
inline int __reduce_min_sync(unsigned m, int x) { return int(unsigned(fibers::meet(fibers::min_i32, m, unsigned(x)))); }
inline int __reduce_max_sync(unsigned m, int x) { return int(unsigned(fibers::meet(fibers::max_i32, m, unsigned(x)))); }
inline unsigned __reduce_and_sync(unsigned m, unsigned x) { return unsigned(fibers::meet(fibers::and_u32, m, x)); }
inline unsigned __reduce_or_sync(unsigned m, unsigned x) { return unsigned(fibers::meet(fibers::or_u32, m, x)); }
inline unsigned __reduce_xor_sync(unsigned m, unsigned x) { return unsigned(fibers::meet(fibers::xor_u32, m, x)); }

// ---- atomics: one fiber runs at a time -----------------------------------------------------------

#define FIBER_ATOMIC(T, name, result) \
  inline T atomic##name(T* p, T x) { const T old = *p; *p = result; return old; }
#define FIBER_ATOMICS(T)                                                              \
  FIBER_ATOMIC(T, Exch, x) FIBER_ATOMIC(T, Min, x < old ? x : old)                    \
  FIBER_ATOMIC(T, Max, old < x ? x : old) FIBER_ATOMIC(T, And, old & x)               \
  FIBER_ATOMIC(T, Or, old | x) FIBER_ATOMIC(T, Xor, old ^ x)                          \
  inline T atomicCAS(T* p, T compare, T x) { const T old = *p; if (old == compare) *p = x; return old; }
FIBER_ATOMICS(int)
FIBER_ATOMICS(unsigned)
FIBER_ATOMICS(long long)
FIBER_ATOMICS(unsigned long long)
FIBER_ATOMIC(int, Add, int(unsigned(old) + unsigned(x)))
FIBER_ATOMIC(unsigned, Add, old + x)
FIBER_ATOMIC(unsigned long long, Add, old + x)
FIBER_ATOMIC(float, Add, old + x)
FIBER_ATOMIC(double, Add, old + x)
FIBER_ATOMIC(int, Sub, int(unsigned(old) - unsigned(x)))
FIBER_ATOMIC(unsigned, Sub, old - x)
FIBER_ATOMIC(float, Exch, x)
FIBER_ATOMIC(unsigned, Inc, old >= x ? 0 : old + 1)
FIBER_ATOMIC(unsigned, Dec, old == 0 || old > x ? x : old - 1)

// ---- cooperative groups ----------------------------------------------------------------------------

namespace cooperative_groups {
struct grid_group {
  unsigned long long thread_rank() const {
    return (blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z)) * (blockDim.x * blockDim.y * blockDim.z) + fibers::rank();
  }
};
inline grid_group this_grid() { return {}; }

struct thread_block {
  void sync() const { fibers::meet_block(fibers::barrier); }
  unsigned thread_rank() const { return fibers::rank(); }
  unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  unsigned num_threads() const { return size(); }
  uint3 thread_index() const { return threadIdx; }
  uint3 group_index() const { return blockIdx; }
  dim3 group_dim() const { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

/// Lanes of a warp by their mask; ranks count its bits.
struct lanes_group {
  unsigned mask;
  unsigned size() const { return __popc(mask); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return __popc(mask & ((1u << fibers::rank() % 32) - 1)); }
  unsigned lane_of(unsigned rank) const {
    for (int i = 0; i < 32; ++i)
      if ((mask >> i & 1) && rank-- == 0) return i;
    return 32;  // nobody: fibers give another value in each schedule
  }
  void sync() const { __syncwarp(mask); }
  unsigned ranks(unsigned lanes) const {
    unsigned r = 0, n = 0;
    for (int i = 0; i < 32; ++i)
      if (mask >> i & 1) r |= (lanes >> i & 1) << n++;
    return r;
  }
  unsigned ballot(int p) const { return ranks(__ballot_sync(mask, p)); }
  int any(int p) const { return __any_sync(mask, p); }
  int all(int p) const { return __all_sync(mask, p); }
  template <typename T>
  unsigned match_any(T x) const { return ranks(__match_any_sync(mask, x)); }
  template <typename T>
  T from(T x, unsigned rank) const { return fibers::from_bits<T>(fibers::meet(fibers::shfl, mask, fibers::bits(x), lane_of(rank), 64)); }
};
struct coalesced_group : lanes_group {
  template <typename T>
  T shfl(T x, unsigned rank) const { return from(x, rank % size()); }
};
/// Which threads go together is the implementation's; this one lets each go alone.
inline coalesced_group coalesced_threads() { return {{1u << fibers::rank() % 32}}; }

template <unsigned N, typename Parent = void>
struct thread_block_tile : lanes_group {
  unsigned meta_group_rank() const { return fibers::rank() / N; }
  unsigned meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + N - 1) / N; }
  template <typename T>
  T shfl(T x, int rank) const { return __shfl_sync(mask, x, rank, N); }
  template <typename T>
  T shfl_up(T x, unsigned by) const { return __shfl_up_sync(mask, x, by, N); }
  template <typename T>
  T shfl_down(T x, unsigned by) const { return __shfl_down_sync(mask, x, by, N); }
  template <typename T>
  T shfl_xor(T x, unsigned by) const { return __shfl_xor_sync(mask, x, by, N); }
};
template <unsigned N, typename P>
thread_block_tile<N, P> tiled_partition(const P&) {
  const unsigned lane = fibers::rank() % 32;
  return {{(N == 32 ? ~0u : (1u << N % 32) - 1) << (lane & ~(N - 1)) & fibers::warp_mask()}};
}

template <typename T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
template <typename G, typename T, typename F>
T reduce(const G& g, T x, F f) {
  T r = g.from(x, 0);
  for (unsigned i = 1; i < g.size(); ++i) r = f(r, g.from(x, i));
  return r;
}
template <typename G, typename T, typename F>
T inclusive_scan(const G& g, T x, F f) {
  T r = g.from(x, 0);
  for (unsigned i = 1; i < g.size(); ++i) {
    const T other = g.from(x, i);
    if (i <= g.thread_rank()) r = f(r, other);
  }
  return r;
}
template <typename G, typename T, typename F>
T exclusive_scan(const G& g, T x, F f) {
  T r = T();
  for (unsigned i = 0; i < g.size(); ++i) {
    const T other = g.from(x, i);
    if (i < g.thread_rank()) r = i ? f(r, other) : other;
  }
  return r;
}
}  // namespace cooperative_groups
#endif
