// __half, __half2, __nv_bfloat16, __nv_bfloat162: CUDA's operators and functions
// over the compiler's own 16-bit types. Each operation rounds once.
#pragma once

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __nv_bfloat16_raw { unsigned short x; };

// One text for both: `H` the class, `H2` its pair, `R` the raw form, `N` the native type.
#define KS_HALF_CLASS(H, H2, R, N)                                                         \
  struct alignas(2) H {                                                                    \
    N ks_v;                                                                                \
    H() = default;                                                                         \
    ks_inline constexpr H(N v, int) : ks_v(v) {}                                           \
    ks_inline constexpr H(float v) : ks_v((N)v) {}                                         \
    ks_inline constexpr H(double v) : ks_v((N)v) {}                                        \
    ks_inline constexpr H(int v) : ks_v((N)(float)v) {}                                    \
    ks_inline constexpr H(unsigned v) : ks_v((N)(float)v) {}                               \
    ks_inline constexpr H(long v) : ks_v((N)(float)v) {}                                   \
    ks_inline constexpr H(unsigned long v) : ks_v((N)(float)v) {}                          \
    ks_inline constexpr H(long long v) : ks_v((N)(float)v) {}                              \
    ks_inline constexpr H(unsigned long long v) : ks_v((N)(float)v) {}                     \
    ks_inline constexpr H(short v) : ks_v((N)(float)v) {}                                  \
    ks_inline constexpr H(unsigned short v) : ks_v((N)(float)v) {}                         \
    ks_inline H(R r) : ks_v(ks_bits<N>(r.x)) {}                                            \
    ks_inline H& operator=(R r) { ks_v = ks_bits<N>(r.x); return *this; }                  \
    ks_inline H& operator=(float v) { ks_v = (N)v; return *this; }                         \
    ks_inline H& operator=(double v) { ks_v = (N)v; return *this; }                        \
    ks_inline H& operator=(int v) { ks_v = (N)(float)v; return *this; }                    \
    ks_inline H& operator=(unsigned v) { ks_v = (N)(float)v; return *this; }               \
    ks_inline H& operator=(long long v) { ks_v = (N)(float)v; return *this; }              \
    ks_inline H& operator=(unsigned long long v) { ks_v = (N)(float)v; return *this; }     \
    ks_inline H& operator=(short v) { ks_v = (N)(float)v; return *this; }                  \
    ks_inline H& operator=(unsigned short v) { ks_v = (N)(float)v; return *this; }         \
    ks_inline constexpr operator float() const { return (float)ks_v; }                     \
    ks_inline operator R() const { return R{ks_bits<unsigned short>(ks_v)}; }              \
    ks_inline explicit constexpr operator bool() const { return (float)ks_v != 0.0f; }     \
    ks_inline H& operator+=(H o) { ks_v = (N)((float)ks_v + (float)o.ks_v); return *this; } \
    ks_inline H& operator-=(H o) { ks_v = (N)((float)ks_v - (float)o.ks_v); return *this; } \
    ks_inline H& operator*=(H o) { ks_v = (N)((float)ks_v * (float)o.ks_v); return *this; } \
    ks_inline H& operator/=(H o) { ks_v = (N)((float)ks_v / (float)o.ks_v); return *this; } \
    ks_inline H& operator++() { return *this += H(1.0f); }                                 \
    ks_inline H& operator--() { return *this -= H(1.0f); }                                 \
    ks_inline H operator++(int) { H old = *this; ++*this; return old; }                    \
    ks_inline H operator--(int) { H old = *this; --*this; return old; }                    \
  };                                                                                       \
  struct alignas(4) H2 {                                                                   \
    H x, y;                                                                                \
    H2() = default;                                                                        \
    ks_inline constexpr H2(H x, H y) : x(x), y(y) {}                                       \
    ks_inline H2& operator+=(const H2& o) { x += o.x, y += o.y; return *this; }            \
    ks_inline H2& operator-=(const H2& o) { x -= o.x, y -= o.y; return *this; }            \
    ks_inline H2& operator*=(const H2& o) { x *= o.x, y *= o.y; return *this; }            \
    ks_inline H2& operator/=(const H2& o) { x /= o.x, y /= o.y; return *this; }            \
  };                                                                                       \
  ks_inline H operator+(H a, H b) { return a += b; }                                       \
  ks_inline H operator-(H a, H b) { return a -= b; }                                       \
  ks_inline H operator*(H a, H b) { return a *= b; }                                       \
  ks_inline H operator/(H a, H b) { return a /= b; }                                       \
  ks_inline H operator+(H a) { return a; }                                                 \
  ks_inline H operator-(H a) { return H((N)-a.ks_v, 0); }                                  \
  ks_inline bool operator==(H a, H b) { return (float)a.ks_v == (float)b.ks_v; }           \
  ks_inline bool operator!=(H a, H b) { return (float)a.ks_v != (float)b.ks_v; }           \
  ks_inline bool operator<(H a, H b) { return (float)a.ks_v < (float)b.ks_v; }             \
  ks_inline bool operator<=(H a, H b) { return (float)a.ks_v <= (float)b.ks_v; }           \
  ks_inline bool operator>(H a, H b) { return (float)a.ks_v > (float)b.ks_v; }             \
  ks_inline bool operator>=(H a, H b) { return (float)a.ks_v >= (float)b.ks_v; }           \
  ks_inline H2 operator+(H2 a, H2 b) { return a += b; }                                    \
  ks_inline H2 operator-(H2 a, H2 b) { return a -= b; }                                    \
  ks_inline H2 operator*(H2 a, H2 b) { return a *= b; }                                    \
  ks_inline H2 operator/(H2 a, H2 b) { return a /= b; }                                    \
  ks_inline H2 operator-(H2 a) { return H2(-a.x, -a.y); }                                  \
  ks_inline bool operator==(H2 a, H2 b) { return a.x == b.x && a.y == b.y; }               \
  ks_inline bool operator!=(H2 a, H2 b) { return !(a == b); }                              \
  ks_inline float ks_f(H a) { return (float)a.ks_v; }                                      \
  ks_inline H __hadd(H a, H b) { return a + b; }                                           \
  ks_inline H __hsub(H a, H b) { return a - b; }                                           \
  ks_inline H __hmul(H a, H b) { return a * b; }                                           \
  ks_inline H __hdiv(H a, H b) { return a / b; }                                           \
  ks_inline H __hadd_rn(H a, H b) { return a + b; }                                        \
  ks_inline H __hsub_rn(H a, H b) { return a - b; }                                        \
  ks_inline H __hmul_rn(H a, H b) { return a * b; }                                        \
  ks_inline H __hadd_sat(H a, H b) { return H(__saturatef(ks_f(a + b))); }                 \
  ks_inline H __hsub_sat(H a, H b) { return H(__saturatef(ks_f(a - b))); }                 \
  ks_inline H __hmul_sat(H a, H b) { return H(__saturatef(ks_f(a * b))); }                 \
  ks_inline H __hneg(H a) { return -a; }                                                   \
  ks_inline H __habs(H a) { return H(__builtin_fabsf(ks_f(a))); }                          \
  ks_inline H __hfma(H a, H b, H c) { return H((double)ks_f(a) * (double)ks_f(b) + (double)ks_f(c)); } \
  ks_inline H __hfma_sat(H a, H b, H c) { return H(__saturatef(ks_f(__hfma(a, b, c)))); }  \
  ks_inline H __hfma_relu(H a, H b, H c) { return H(__builtin_fmaxf(ks_f(__hfma(a, b, c)), 0.0f)); } \
  ks_inline H __hmax(H a, H b) { return H(__builtin_fmaxf(ks_f(a), ks_f(b))); }            \
  ks_inline H __hmin(H a, H b) { return H(__builtin_fminf(ks_f(a), ks_f(b))); }            \
  ks_inline H __hmax_nan(H a, H b) { return a != a ? a : b != b ? b : __hmax(a, b); }      \
  ks_inline H __hmin_nan(H a, H b) { return a != a ? a : b != b ? b : __hmin(a, b); }      \
  ks_inline bool __heq(H a, H b) { return a == b; }                                        \
  ks_inline bool __hne(H a, H b) { return a < b || a > b; }                                \
  ks_inline bool __hlt(H a, H b) { return a < b; }                                         \
  ks_inline bool __hle(H a, H b) { return a <= b; }                                        \
  ks_inline bool __hgt(H a, H b) { return a > b; }                                         \
  ks_inline bool __hge(H a, H b) { return a >= b; }                                        \
  ks_inline bool __hequ(H a, H b) { return !(a < b || a > b); }                            \
  ks_inline bool __hneu(H a, H b) { return a != b; }                                       \
  ks_inline bool __hltu(H a, H b) { return !(a >= b); }                                    \
  ks_inline bool __hleu(H a, H b) { return !(a > b); }                                     \
  ks_inline bool __hgtu(H a, H b) { return !(a <= b); }                                    \
  ks_inline bool __hgeu(H a, H b) { return !(a < b); }                                     \
  ks_inline bool __hisnan(H a) { return a != a; }                                          \
  ks_inline int __hisinf(H a) { const float v = ks_f(a); return __builtin_isinf(v) ? (v < 0 ? -1 : 1) : 0; } \
  ks_inline H2 __hadd2(H2 a, H2 b) { return a + b; }                                       \
  ks_inline H2 __hsub2(H2 a, H2 b) { return a - b; }                                       \
  ks_inline H2 __hmul2(H2 a, H2 b) { return a * b; }                                       \
  ks_inline H2 __h2div(H2 a, H2 b) { return a / b; }                                       \
  ks_inline H2 __hadd2_rn(H2 a, H2 b) { return a + b; }                                    \
  ks_inline H2 __hsub2_rn(H2 a, H2 b) { return a - b; }                                    \
  ks_inline H2 __hmul2_rn(H2 a, H2 b) { return a * b; }                                    \
  ks_inline H2 __hneg2(H2 a) { return -a; }                                                \
  ks_inline H2 __habs2(H2 a) { return H2(__habs(a.x), __habs(a.y)); }                      \
  ks_inline H2 __hfma2(H2 a, H2 b, H2 c) { return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
  ks_inline H2 __hfma2_relu(H2 a, H2 b, H2 c) { return H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
  ks_inline H2 __hmax2(H2 a, H2 b) { return H2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }      \
  ks_inline H2 __hmin2(H2 a, H2 b) { return H2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }      \
  ks_inline H2 __hadd2_sat(H2 a, H2 b) { return H2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); } \
  ks_inline H2 __hsub2_sat(H2 a, H2 b) { return H2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); } \
  ks_inline H2 __hmul2_sat(H2 a, H2 b) { return H2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); } \
  ks_inline H2 __hfma2_sat(H2 a, H2 b, H2 c) { return H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); } \
  ks_inline H2 __hmax2_nan(H2 a, H2 b) { return H2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); } \
  ks_inline H2 __hmin2_nan(H2 a, H2 b) { return H2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); } \
  ks_inline H2 __hisnan2(H2 a) { return H2(H(__hisnan(a.x) ? 1.0f : 0.0f), H(__hisnan(a.y) ? 1.0f : 0.0f)); } \
  KS_HALF_COMPARE(H, H2, eq) KS_HALF_COMPARE(H, H2, ne) KS_HALF_COMPARE(H, H2, lt)         \
  KS_HALF_COMPARE(H, H2, le) KS_HALF_COMPARE(H, H2, gt) KS_HALF_COMPARE(H, H2, ge)         \
  KS_HALF_COMPARE(H, H2, equ) KS_HALF_COMPARE(H, H2, neu) KS_HALF_COMPARE(H, H2, ltu)      \
  KS_HALF_COMPARE(H, H2, leu) KS_HALF_COMPARE(H, H2, gtu) KS_HALF_COMPARE(H, H2, geu)      \
  KS_HALF_FUNCTION(H, H2, sqrt, sqrtf(v))                                                  \
  KS_HALF_FUNCTION(H, H2, rsqrt, 1.0f / sqrtf(v))                                          \
  KS_HALF_FUNCTION(H, H2, rcp, 1.0f / v)                                                   \
  KS_HALF_FUNCTION(H, H2, exp, expf(v))                                                    \
  KS_HALF_FUNCTION(H, H2, exp2, exp2f(v))                                                  \
  KS_HALF_FUNCTION(H, H2, exp10, exp10f(v))                                                \
  KS_HALF_FUNCTION(H, H2, log, logf(v))                                                    \
  KS_HALF_FUNCTION(H, H2, log2, log2f(v))                                                  \
  KS_HALF_FUNCTION(H, H2, log10, log10f(v))                                                \
  KS_HALF_FUNCTION(H, H2, sin, sinf(v))                                                    \
  KS_HALF_FUNCTION(H, H2, cos, cosf(v))                                                    \
  KS_HALF_FUNCTION(H, H2, tanh, tanhf(v))                                                  \
  KS_HALF_FUNCTION(H, H2, tanh_approx, tanhf(v))                                           \
  KS_HALF_FUNCTION(H, H2, floor, __builtin_floorf(v))                                      \
  KS_HALF_FUNCTION(H, H2, ceil, __builtin_ceilf(v))                                        \
  KS_HALF_FUNCTION(H, H2, trunc, __builtin_truncf(v))                                      \
  KS_HALF_FUNCTION(H, H2, rint, __builtin_rintf(v))                                        \
  KS_HALF_WARP(H)                                                                          \
  KS_HALF_WARP2(H2)                                                                        \
  ks_inline H __ldg(const H* p) { return *p; }                                             \
  ks_inline H2 __ldg(const H2* p) { return *p; }                                           \
  ks_inline H atomicAdd(H* p, H v) {                                                       \
    return ks_atomic_loop<unsigned short>(p, [=](H o) { return o + v; });                  \
  }                                                                                        \
  ks_inline H2 atomicAdd(H2* p, H2 v) {                                                    \
    return ks_atomic_loop<unsigned>(p, [=](H2 o) { return o + v; });                       \
  }
// A comparison of pairs: as numbers, as masks, and of both at once.
#define KS_HALF_COMPARE(H, H2, name)                                                       \
  ks_inline H2 __h##name##2(H2 a, H2 b) {                                                  \
    return H2(H(__h##name(a.x, b.x) ? 1.0f : 0.0f), H(__h##name(a.y, b.y) ? 1.0f : 0.0f)); \
  }                                                                                        \
  ks_inline unsigned __h##name##2_mask(H2 a, H2 b) {                                       \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
  }                                                                                        \
  ks_inline bool __hb##name##2(H2 a, H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
#define KS_HALF_FUNCTION(H, H2, name, expression)                                          \
  ks_inline H h##name(H a) { const float v = ks_f(a); return H((float)(expression)); }     \
  ks_inline H2 h2##name(H2 a) { return H2(h##name(a.x), h##name(a.y)); }
#define KS_HALF_WARP_ONE(T, name, third, Word)                                             \
  ks_inline T name(unsigned m, T v, third d, int w = 32) {                                 \
    return ks_bits<T>((Word)name(m, (unsigned)ks_bits<Word>(v), d, w));                    \
  }
#define KS_HALF_WARP_ALL(T, Word)                                                          \
  KS_HALF_WARP_ONE(T, __shfl_sync, int, Word)                                              \
  KS_HALF_WARP_ONE(T, __shfl_up_sync, unsigned, Word)                                      \
  KS_HALF_WARP_ONE(T, __shfl_down_sync, unsigned, Word)                                    \
  KS_HALF_WARP_ONE(T, __shfl_xor_sync, int, Word)
#define KS_HALF_WARP(T) KS_HALF_WARP_ALL(T, unsigned short)
#define KS_HALF_WARP2(T) KS_HALF_WARP_ALL(T, unsigned)

KS_HALF_CLASS(__half, __half2, __half_raw, _Float16)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

KS_HALF_CLASS(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __bf16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#undef KS_HALF_CLASS
#undef KS_HALF_FUNCTION
#undef KS_HALF_COMPARE
#undef KS_HALF_WARP
#undef KS_HALF_WARP2
#undef KS_HALF_WARP_ALL
#undef KS_HALF_WARP_ONE

// --- conversions by name ---
// Whole numbers by each way of rounding; short ones are limited to what they hold.
#define KS_HALF_ROUNDED(H, h, r)                                                                            \
  ks_inline int __##h##2int_##r(H a) { return __float2int_##r(ks_f(a)); }                                   \
  ks_inline unsigned __##h##2uint_##r(H a) { return __float2uint_##r(ks_f(a)); }                            \
  ks_inline long long __##h##2ll_##r(H a) { return __float2ll_##r(ks_f(a)); }                               \
  ks_inline unsigned long long __##h##2ull_##r(H a) { return __float2ull_##r(ks_f(a)); }                    \
  ks_inline short __##h##2short_##r(H a) { return (short)min(max(__float2int_##r(ks_f(a)), -32768), 32767); } \
  ks_inline unsigned short __##h##2ushort_##r(H a) { return (unsigned short)min(max(__float2int_##r(ks_f(a)), 0), 65535); } \
  ks_inline H __int2##h##_##r(int a) { return ks_##h##_##r((double)a); }                                    \
  ks_inline H __uint2##h##_##r(unsigned a) { return ks_##h##_##r((double)a); }                              \
  ks_inline H __short2##h##_##r(short a) { return ks_##h##_##r((double)a); }                                \
  ks_inline H __ushort2##h##_##r(unsigned short a) { return ks_##h##_##r((double)a); }                      \
  ks_inline H __ll2##h##_##r(long long a) { return ks_##h##_##r((double)a); }                               \
  ks_inline H __ull2##h##_##r(unsigned long long a) { return ks_##h##_##r((double)a); }
#define KS_HALF_ROUNDINGS(H, h)                                                                       \
  ks_inline H ks_##h##_rn(double a) { return H(a); }                                                  \
  ks_inline H ks_##h##_rd(double a) { return ks_half_below(H(a), (double)ks_f(H(a)) > a); }           \
  ks_inline H ks_##h##_ru(double a) { return ks_half_above(H(a), (double)ks_f(H(a)) < a); }           \
  ks_inline H ks_##h##_rz(double a) { return a < 0 ? ks_##h##_ru(a) : ks_##h##_rd(a); }               \
  KS_HALF_ROUNDED(H, h, rn) KS_HALF_ROUNDED(H, h, rz) KS_HALF_ROUNDED(H, h, rd) KS_HALF_ROUNDED(H, h, ru)
#define KS_HALF_NAMES(H, H2, h, h2, N)                                                      \
  ks_inline float __##h##2float(H a) { return ks_f(a); }                                    \
  ks_inline H __float2##h(float a) { return H(a); }                                         \
  ks_inline H __float2##h##_rn(float a) { return H(a); }                                    \
  ks_inline H __float2##h##_rd(float a) { return ks_half_below(H(a), ks_f(H(a)) > a); }     \
  ks_inline H __float2##h##_ru(float a) { return ks_half_above(H(a), ks_f(H(a)) < a); }     \
  ks_inline H __float2##h##_rz(float a) { return a < 0 ? __float2##h##_ru(a) : __float2##h##_rd(a); } \
  ks_inline H __double2##h(double a) { return H(a); }                                       \
  ks_inline H2 __float2##h2##_rn(float a) { return H2(H(a), H(a)); }                        \
  ks_inline H2 __floats2##h2##_rn(float a, float b) { return H2(H(a), H(b)); }              \
  ks_inline H2 __float22##h2##_rn(float2 a) { return H2(H(a.x), H(a.y)); }                  \
  ks_inline float2 __##h##22float2(H2 a) { return make_float2(ks_f(a.x), ks_f(a.y)); }      \
  ks_inline signed char __##h##2char_rz(H a) { return (signed char)min(max(__float2int_rz(ks_f(a)), -128), 127); } \
  ks_inline unsigned char __##h##2uchar_rz(H a) { return (unsigned char)min(max(__float2int_rz(ks_f(a)), 0), 255); } \
  ks_inline short __##h##_as_short(H a) { return ks_bits<short>(a); }                       \
  ks_inline unsigned short __##h##_as_ushort(H a) { return ks_bits<unsigned short>(a); }    \
  ks_inline H __short_as_##h(short a) { return ks_bits<H>(a); }                             \
  ks_inline H __ushort_as_##h(unsigned short a) { return ks_bits<H>(a); }                   \
  ks_inline H2 __##h##2##h2(H a) { return H2(a, a); }                                       \
  ks_inline H2 make_##h2(H a, H b) { return H2(a, b); }                                     \
  ks_inline H __low2##h(H2 a) { return a.x; }                                               \
  ks_inline H __high2##h(H2 a) { return a.y; }                                              \
  ks_inline float __low2float(H2 a) { return ks_f(a.x); }                                   \
  ks_inline float __high2float(H2 a) { return ks_f(a.y); }                                  \
  ks_inline H2 __low2##h2(H2 a) { return H2(a.x, a.x); }                                    \
  ks_inline H2 __high2##h2(H2 a) { return H2(a.y, a.y); }                                   \
  ks_inline H2 __lows2##h2(H2 a, H2 b) { return H2(a.x, b.x); }                             \
  ks_inline H2 __highs2##h2(H2 a, H2 b) { return H2(a.y, b.y); }                            \
  ks_inline H2 __lowhigh2highlow(H2 a) { return H2(a.y, a.x); }

#define KS_HALF_STEP(H)                                                                    \
  ks_inline H ks_half_step(H a, bool up) {                                                 \
    const unsigned short u = ks_bits<unsigned short>(a);                                   \
    if ((u & 0x7fffu) == 0) return ks_bits<H>((unsigned short)(up ? 1 : 0x8001));          \
    return ks_bits<H>((unsigned short)(((u & 0x8000u) != 0) == up ? u - 1 : u + 1));       \
  }                                                                                        \
  ks_inline H ks_half_below(H r, bool too_large) { return too_large ? ks_half_step(r, false) : r; } \
  ks_inline H ks_half_above(H r, bool too_small) { return too_small ? ks_half_step(r, true) : r; }
KS_HALF_STEP(__half)
KS_HALF_STEP(__nv_bfloat16)
#undef KS_HALF_STEP
KS_HALF_ROUNDINGS(__half, half)
KS_HALF_NAMES(__half, __half2, half, half2, _Float16)
ks_inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
ks_inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
KS_HALF_ROUNDINGS(__nv_bfloat16, bfloat16)
KS_HALF_NAMES(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, __bf16)
#undef KS_HALF_ROUNDED
#undef KS_HALF_ROUNDINGS
#undef KS_HALF_NAMES
ks_inline __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)

namespace std {
template <> struct numeric_limits<__half> {
  static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = 11;
  ks_inline static __half min() { return __ushort_as_half(0x0400); }
  ks_inline static __half max() { return __ushort_as_half(0x7bff); }
  ks_inline static __half lowest() { return __ushort_as_half(0xfbff); }
  ks_inline static __half epsilon() { return __ushort_as_half(0x1400); }
  ks_inline static __half infinity() { return __ushort_as_half(0x7c00); }
  ks_inline static __half quiet_NaN() { return __ushort_as_half(0x7e00); }
};
template <> struct numeric_limits<__nv_bfloat16> {
  static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = 8;
  ks_inline static __nv_bfloat16 min() { return __ushort_as_bfloat16(0x0080); }
  ks_inline static __nv_bfloat16 max() { return __ushort_as_bfloat16(0x7f7f); }
  ks_inline static __nv_bfloat16 lowest() { return __ushort_as_bfloat16(0xff7f); }
  ks_inline static __nv_bfloat16 epsilon() { return __ushort_as_bfloat16(0x3c00); }
  ks_inline static __nv_bfloat16 infinity() { return __ushort_as_bfloat16(0x7f80); }
  ks_inline static __nv_bfloat16 quiet_NaN() { return __ushort_as_bfloat16(0x7fc0); }
};
}  // namespace std
