/// \file tests/fuzz/fibers_numbers.h
/// CUDA's words for numbers that are rounded, for g++: the processor's own rounding modes, halves and bfloat16 by their
/// definition, words of which each byte or half is a number.
#pragma once

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
extern "C" int fesetround(int);
namespace fibers {
constexpr int rn = 0, rd = 0x400, ru = 0x800, rz = 0xc00;
template <class F> __attribute__((noinline)) auto rounded(int mode, F f) { fesetround(mode); auto r = f(); fesetround(0); return r; }
}
template <class T> bool isnan(T x) { return x != x; }
template <class T> bool isinf(T x) { return x - x != 0 && x == x; }
template <class T> bool isfinite(T x) { return x - x == 0; }
inline bool signbit(float x) { return fibers::bits(x) >> 31 & 1; }
inline bool signbit(double x) { return fibers::bits(x) >> 63 & 1; }
inline float roundf(float x) { return __builtin_roundf(x); }
inline float nearbyintf(float x) { return __builtin_nearbyintf(x); }
inline double trunc(double x) { return __builtin_trunc(x); }
inline double rint(double x) { return __builtin_rint(x); }
inline double round(double x) { return __builtin_round(x); }
inline float fmodf(float x, float y) { return __builtin_fmodf(x, y); }
inline float remainderf(float x, float y) { return __builtin_remainderf(x, y); }
inline float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
inline float nextafterf(float x, float y) { return __builtin_nextafterf(x, y); }
inline float fdimf(float x, float y) { return __builtin_fdimf(x, y); }
inline float ldexpf(float x, int n) { return __builtin_ldexpf(x, n); }
inline double fmod(double x, double y) { return __builtin_fmod(x, y); }
inline double copysign(double x, double y) { return __builtin_copysign(x, y); }
inline double nextafter(double x, double y) { return __builtin_nextafter(x, y); }
inline double fdim(double x, double y) { return __builtin_fdim(x, y); }
#define FIBER_MODES(DO) DO(rn) DO(rz) DO(ru) DO(rd)
#define FIBER_ARITH(M)                                                                                                  \
  inline float __fadd_##M(float a, float b) { return fibers::rounded(fibers::M, [=] { volatile float x = a, y = b; return x + y; }); }  \
  inline float __fsub_##M(float a, float b) { return fibers::rounded(fibers::M, [=] { volatile float x = a, y = b; return x - y; }); }  \
  inline float __fmul_##M(float a, float b) { return fibers::rounded(fibers::M, [=] { volatile float x = a, y = b; return x * y; }); }  \
  inline float __fdiv_##M(float a, float b) { return fibers::rounded(fibers::M, [=] { volatile float x = a, y = b; return x / y; }); }  \
  inline float __frcp_##M(float a) { return fibers::rounded(fibers::M, [=] { volatile float x = 1, y = a; return x / y; }); }  \
  inline float __fsqrt_##M(float a) { return fibers::rounded(fibers::M, [=] { volatile float x = a; return __builtin_sqrtf(x); }); }  \
  inline float __fmaf_##M(float a, float b, float c) { return fibers::rounded(fibers::M, [=] { volatile float x = a, y = b, z = c; return __builtin_fmaf(x, y, z); }); }  \
  inline double __dadd_##M(double a, double b) { return fibers::rounded(fibers::M, [=] { volatile double x = a, y = b; return x + y; }); }  \
  inline double __dsub_##M(double a, double b) { return fibers::rounded(fibers::M, [=] { volatile double x = a, y = b; return x - y; }); }  \
  inline double __dmul_##M(double a, double b) { return fibers::rounded(fibers::M, [=] { volatile double x = a, y = b; return x * y; }); }  \
  inline double __ddiv_##M(double a, double b) { return fibers::rounded(fibers::M, [=] { volatile double x = a, y = b; return x / y; }); }  \
  inline double __fma_##M(double a, double b, double c) { return fibers::rounded(fibers::M, [=] { volatile double x = a, y = b, z = c; return __builtin_fma(x, y, z); }); }  \
  inline float __int2float_##M(int a) { return fibers::rounded(fibers::M, [=] { volatile int x = a; return (float)x; }); }  \
  inline float __uint2float_##M(unsigned a) { return fibers::rounded(fibers::M, [=] { volatile unsigned x = a; return (float)x; }); }  \
  inline float __ll2float_##M(long long a) { return fibers::rounded(fibers::M, [=] { volatile long long x = a; return (float)x; }); }  \
  inline float __ull2float_##M(fiber_u64 a) { return fibers::rounded(fibers::M, [=] { volatile fiber_u64 x = a; return (float)x; }); }  \
  inline double __ll2double_##M(long long a) { return fibers::rounded(fibers::M, [=] { volatile long long x = a; return (double)x; }); }  \
  inline float __double2float_##M(double a) { return fibers::rounded(fibers::M, [=] { volatile double x = a; return (float)x; }); }
FIBER_MODES(FIBER_ARITH)
inline float fiber_whole(int m, float x) { return m == fibers::rn ? __builtin_rintf(x) : m == fibers::rz ? __builtin_truncf(x) : m == fibers::rd ? __builtin_floorf(x) : __builtin_ceilf(x); }
inline double fiber_whole(int m, double x) { return m == fibers::rn ? __builtin_rint(x) : m == fibers::rz ? __builtin_trunc(x) : m == fibers::rd ? __builtin_floor(x) : __builtin_ceil(x); }
#define FIBER_WHOLE(M)  \
  inline int __float2int_##M(float x) { return to<int>(fiber_whole(fibers::M, x)); }  \
  inline unsigned __float2uint_##M(float x) { return to<unsigned>(fiber_whole(fibers::M, x)); }  \
  inline long long __float2ll_##M(float x) { return to<long long>(fiber_whole(fibers::M, x)); }  \
  inline fiber_u64 __float2ull_##M(float x) { return to<fiber_u64>(fiber_whole(fibers::M, x)); }  \
  inline int __double2int_##M(double x) { return to<int>(fiber_whole(fibers::M, x)); }  \
  inline unsigned __double2uint_##M(double x) { return to<unsigned>(fiber_whole(fibers::M, x)); }  \
  inline long long __double2ll_##M(double x) { return to<long long>(fiber_whole(fibers::M, x)); }  \
  inline fiber_u64 __double2ull_##M(double x) { return to<fiber_u64>(fiber_whole(fibers::M, x)); }
FIBER_MODES(FIBER_WHOLE)
inline int __double2hiint(double x) { return int(fibers::bits(x) >> 32); }
inline int __double2loint(double x) { return int(fibers::bits(x)); }
inline double __hiloint2double(int h, int l) { return fibers::from_bits<double>(fiber_u64(unsigned(h)) << 32 | unsigned(l)); }
inline int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
template <class T, class F> unsigned fiber_parts(unsigned a, unsigned b, F f) {
  unsigned r = 0; constexpr int w = 8 * sizeof(T); constexpr unsigned m = w == 8 ? 255u : 65535u;
  for (int i = 0; i < 32; i += w) r |= (unsigned(f((int)(T)(a >> i & m), (int)(T)(b >> i & m))) & m) << i;
  return r;
}
inline unsigned __vmaxs4(unsigned a, unsigned b) { return fiber_parts<signed char>(a, b, [](int x, int y) { return x > y ? x : y; }); }
inline unsigned __vcmpgtu2(unsigned a, unsigned b) { return fiber_parts<unsigned short>(a, b, [](int x, int y) { return x > y ? -1 : 0; }); }
inline unsigned __vabsdiffu4(unsigned a, unsigned b) { return fiber_parts<unsigned char>(a, b, [](int x, int y) { return x > y ? x - y : y - x; }); }
inline unsigned __vsubss2(unsigned a, unsigned b) { return fiber_parts<short>(a, b, [](int x, int y) { int d = x - y; return d > 32767 ? 32767 : d < -32768 ? -32768 : d; }); }
inline unsigned __vavgu4(unsigned a, unsigned b) { return fiber_parts<unsigned char>(a, b, [](int x, int y) { return (x + y + 1) / 2; }); }
inline unsigned __vaddus4(unsigned a, unsigned b) { return fiber_parts<unsigned char>(a, b, [](int x, int y) { return x + y > 255 ? 255 : x + y; }); }
inline unsigned __vminu2(unsigned a, unsigned b) { return fiber_parts<unsigned short>(a, b, [](int x, int y) { return x < y ? x : y; }); }
inline unsigned __vseteq4(unsigned a, unsigned b) { return fiber_parts<unsigned char>(a, b, [](int x, int y) { return x == y; }); }
inline unsigned __fns(unsigned m, unsigned base, int k) {
  if (k == 0) return m >> base & 1 ? base : ~0u;
  for (int i = int(base), n = k > 0 ? k : -k; i >= 0 && i < 32; i += k > 0 ? 1 : -1)
    if ((m >> i & 1) && --n == 0) return i;
  return ~0u;
}

// ---- halves ----------------------------------------------------------------------------------

struct __half { _Float16 v; };
inline float fiber_f(__half x) { return float(x.v); }
inline float __half2float(__half x) { return fiber_f(x); }
inline __half fiber_h(float x) { return {_Float16(x)}; }
struct __half2 { __half x, y; };
inline unsigned short fiber_hb(__half x) { unsigned short b; __builtin_memcpy(&b, &x, 2); return b; }
inline __half fiber_hu(unsigned short b) { __half x; __builtin_memcpy(&x, &b, 2); return x; }
inline __half fiber_next(__half x, bool up) {
  unsigned short b = fiber_hb(x);
  if (!(b & 0x7fff)) return fiber_hu(up ? 1 : 0x8001);
  return fiber_hu((b >> 15) == up ? b - 1 : b + 1);
}
inline __half __float2half_rn(float x) { return fiber_h(x); }
inline __half __float2half_ru(float x) { __half h = fiber_h(x); return fiber_f(h) < x ? fiber_next(h, true) : h; }
inline __half __float2half_rd(float x) { __half h = fiber_h(x); return fiber_f(h) > x ? fiber_next(h, false) : h; }
inline __half __float2half_rz(float x) { return x > 0 ? __float2half_rd(x) : x < 0 ? __float2half_ru(x) : fiber_h(x); }
inline __half __float2half(float x) { return fiber_h(x); }
inline __half __ushort_as_half(unsigned short b) { return fiber_hu(b); }
inline unsigned short __half_as_ushort(__half x) { return fiber_hb(x); }
inline __half __int2half_rn(int x) { return {_Float16(double(x))}; }
inline __half __double2half(double x) { return {_Float16(x)}; }
inline __half __ull2half_rn(fiber_u64 x) { return {_Float16(x > 1000000 ? 1e6 : double(x))}; }
inline __half __hadd(__half a, __half b) { return fiber_h(fiber_f(a) + fiber_f(b)); }
inline __half __hsub(__half a, __half b) { return fiber_h(fiber_f(a) - fiber_f(b)); }
inline __half __hmul(__half a, __half b) { return fiber_h(fiber_f(a) * fiber_f(b)); }
inline __half __hdiv(__half a, __half b) { return fiber_h(fiber_f(a) / fiber_f(b)); }
inline float fiber_sat(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
inline __half __hadd_sat(__half a, __half b) { return fiber_h(fiber_sat(fiber_f(__hadd(a, b)))); }
inline __half __hmul_sat(__half a, __half b) { return fiber_h(fiber_sat(fiber_f(__hmul(a, b)))); }
inline __half __hfma(__half a, __half b, __half c) { return {_Float16(double(fiber_f(a)) * fiber_f(b) + fiber_f(c))}; }
template <class T> T fiber_max(T a, T b) { float x = fiber_f(a), y = fiber_f(b); return x != x ? b : y != y ? a : x > y || (x == y && !signbit(x)) ? a : b; }
template <class T> T fiber_min(T a, T b) { float x = fiber_f(a), y = fiber_f(b); return x != x ? b : y != y ? a : x < y || (x == y && signbit(x)) ? a : b; }
inline __half __hmax(__half a, __half b) { return fiber_max(a, b); }
inline __half __hmin(__half a, __half b) { return fiber_min(a, b); }
inline __half __hneg(__half a) { return fiber_hu(fiber_hb(a) ^ 0x8000); }
inline __half __habs(__half a) { return fiber_hu(fiber_hb(a) & 0x7fff); }
inline __half hsqrt(__half a) { return fiber_h(__builtin_sqrtf(fiber_f(a))); }
inline __half hfloor(__half a) { return fiber_h(__builtin_floorf(fiber_f(a))); }
inline __half hceil(__half a) { return fiber_h(__builtin_ceilf(fiber_f(a))); }
inline __half htrunc(__half a) { return fiber_h(__builtin_truncf(fiber_f(a))); }
inline __half hrint(__half a) { return fiber_h(__builtin_rintf(fiber_f(a))); }
inline bool __heq(__half a, __half b) { return fiber_f(a) == fiber_f(b); }
inline bool __hne(__half a, __half b) { float x = fiber_f(a), y = fiber_f(b); return x < y || x > y; }
inline bool __hlt(__half a, __half b) { return fiber_f(a) < fiber_f(b); }
inline bool __hge(__half a, __half b) { return fiber_f(a) >= fiber_f(b); }
inline bool __hgtu(__half a, __half b) { return !(fiber_f(a) <= fiber_f(b)); }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
#define FIBER_TWO(f) inline __half2 f##2(__half2 a, __half2 b) { return {f(a.x, b.x), f(a.y, b.y)}; }
FIBER_TWO(__hadd) FIBER_TWO(__hsub) FIBER_TWO(__hmul) FIBER_TWO(__hmin) FIBER_TWO(__hmax)
inline __half2 __floats2half2_rn(float x, float y) { return {fiber_h(x), fiber_h(y)}; }
inline float __low2float(__half2 a) { return fiber_f(a.x); }
inline float __high2float(__half2 a) { return fiber_f(a.y); }

// ---- bfloat16 --------------------------------------------------------------------------------

struct __nv_bfloat16 { unsigned short b; };
inline float fiber_f(__nv_bfloat16 x) { return __uint_as_float(unsigned(x.b) << 16); }
inline float __bfloat162float(__nv_bfloat16 x) { return fiber_f(x); }
inline __nv_bfloat16 __float2bfloat16(float x) {
  const unsigned u = __float_as_uint(x);
  if (x != x) return {0x7fff};
  return {(unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16)};
}
inline __nv_bfloat16 __float2bfloat16_rz(float x) { return x != x ? __nv_bfloat16{0x7fff} : __nv_bfloat16{(unsigned short)(__float_as_uint(x) >> 16)}; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short b) { return {b}; }
inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16(fiber_f(a) + fiber_f(b)); }
inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16(fiber_f(a) - fiber_f(b)); }
inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16(fiber_f(a) * fiber_f(b)); }
inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16(fiber_f(a) / fiber_f(b)); }
inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return fiber_max(a, b); }
inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return fiber_min(a, b); }
inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return {(unsigned short)(a.b ^ 0x8000)}; }
/// Rounded once: to odd in double first.
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  const long double r = (long double)fiber_f(a) * fiber_f(b) + fiber_f(c);
  float f = (float)r;
  if ((long double)f != r && r - r == 0 && f - f == 0) {  // to odd
    unsigned u = __float_as_uint(f);
    const bool below = (f < 0 ? -(long double)f : (long double)f) > (r < 0 ? -r : r);
    if (below) u -= 1;
    f = __uint_as_float(u | 1);
  }
  return __float2bfloat16(f);
}
