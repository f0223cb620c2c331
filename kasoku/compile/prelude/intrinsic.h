// Intrinsics: the fast forms of mathematics, rounded arithmetic, integer and bit
// operations. A fast form here is at least as accurate as the GPU's.
#pragma once

// --- fast mathematics ---
ks_inline float __sinf(float x) { return sinf(x); }
ks_inline float __cosf(float x) { return cosf(x); }
ks_inline float __tanf(float x) { return tanf(x); }
ks_inline float __expf(float x) { return expf(x); }
ks_inline float __logf(float x) { return logf(x); }
ks_inline float __log2f(float x) { return log2f(x); }
ks_inline float __log10f(float x) { return log10f(x); }
ks_inline float __exp10f(float x) { return exp10f(x); }
ks_inline float __exp2f(float x) { return exp2f(x); }
ks_inline float __tanhf(float x) { return tanhf(x); }
ks_inline float __powf(float x, float y) { return powf(x, y); }
ks_inline float __fdividef(float x, float y) { return x / y; }
ks_inline void __sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
// In [+0, 1], also of -0 and of a NaN.
ks_inline float __saturatef(float x) {
  const float above = x > 0.0f ? x : 0.0f;
  return above < 1.0f ? above : 1.0f;
}
ks_inline float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }

// --- arithmetic with a named rounding ---
// To nearest is the machine's own, and is never contracted. The others are built
// from the nearest number and the sign of what it lacks.
#pragma clang fp contract(off)
ks_inline float ks_down(float x) { return nextafterf(x, -__builtin_inff()); }
ks_inline float ks_up(float x) { return nextafterf(x, __builtin_inff()); }
ks_inline double ks_down(double x) { return nextafter(x, -__builtin_inf()); }
ks_inline double ks_up(double x) { return nextafter(x, __builtin_inf()); }
// `r` is the nearest number to a value, `error` has the sign of value - r.
template <class T> ks_inline T ks_round_down(T r, double error) { return error < 0 ? ks_down(r) : r; }
template <class T> ks_inline T ks_round_up(T r, double error) { return error > 0 ? ks_up(r) : r; }
template <class T> ks_inline T ks_round_zero(T r, double error) {
  return r > 0 && error < 0 ? ks_down(r) : r < 0 && error > 0 ? ks_up(r) : r;
}
// Of a sum, whose parts are a and b: downwards one that is exactly nothing is -0, unless both parts are +0.
template <class T> ks_inline T ks_round_down(T r, double error, T a, T b) {
  return r == 0 && error == 0 && (__builtin_signbit(a) || __builtin_signbit(b)) ? -(T)0 : ks_round_down(r, error);
}
template <class T> ks_inline T ks_round_up(T r, double error, T, T) { return ks_round_up(r, error); }
template <class T> ks_inline T ks_round_zero(T r, double error, T, T) { return ks_round_zero(r, error); }
// s + the result is a + b; s is the sum as it is rounded.
ks_inline double ks_rest_of_sum(double a, double b, double s) {
  const double t = s - a;
  return (a - (s - t)) + (b - t);
}
// Double has room for the product of two floats, and for what a float lacks.
ks_inline double ks_error_of_sum(double a, double b, float r) {
  const double s = a + b, error = s - r;
  return error != 0 ? error : ks_rest_of_sum(a, b, s);
}
ks_inline double ks_error_of_product(float a, float b, float r) { return (double)a * b - r; }
ks_inline double ks_error_of_quotient(float a, float b, float r) { return (a - (double)r * b) * (b < 0 ? -1 : 1); }
ks_inline double ks_error_of_root(float a, float r) { return a - (double)r * r; }
ks_inline double ks_error_of_fma(float a, float b, float c, float r) { return ks_error_of_sum((double)a * b, c, r); }
// What a double lacks is as small as its last digit squared: small numbers are made larger first.
ks_inline bool ks_is_finite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
ks_inline double ks_error_of_sum(double a, double b, double r) {
  return ks_is_finite(r) ? ks_rest_of_sum(a, b, r) : ks_is_finite(a) && ks_is_finite(b) ? -r : 0;
}
// Two factors whose product is 2^1000 or 2^1500 times as large, and that factor of c and r.
ks_inline void ks_enlarge(double& a, double& b, double& c, double& r) {
  const bool a_is_larger = __builtin_fabs(a) > __builtin_fabs(b);
  const double large = a_is_larger ? a : b, small = a_is_larger ? b : a;
  const double more = __builtin_fabs(large) < 1 ? 0x1p500 : 1;
  a = large * more, b = small * 0x1p1000, c = c * 0x1p1000 * more, r = r * 0x1p1000 * more;
}
ks_inline double ks_error_of_product(double a, double b, double r) {
  double none = 0;
  if (__builtin_fabs(r) < 0x1p-900) ks_enlarge(a, b, none, r);
  return __builtin_fma(a, b, -r);
}
ks_inline double ks_error_of_quotient(double a, double b, double r) {
  const double more = __builtin_fabs(a) < 0x1p-800 && __builtin_fabs(b) < 0x1p800 ? 0x1p200 : 1;
  return __builtin_fma(-r, b * more, a * more) * (b < 0 ? -1 : 1);
}
ks_inline double ks_error_of_root(double a, double r) {
  const bool is_small = a < 0x1p-800;
  r *= is_small ? 0x1p100 : 1;
  return __builtin_fma(-r, r, a * (is_small ? 0x1p200 : 1));
}
// The sign of a product and a sum is that of the largest of parts that do not overlap.
ks_inline double ks_error_of_fma(double a, double b, double c, double r) {
  if (!ks_is_finite(r)) return ks_is_finite(a) && ks_is_finite(b) && ks_is_finite(c) ? -r : 0;
  double p = a * b;
  if (__builtin_fabs(p) < 0x1p-900) {
    if (__builtin_fabs(c) >= 0x1p-300) {  // too little for the nearest number to be another than c
      if (a == 0 || b == 0) return 0;
      return (a < 0) == (b < 0) ? 1 : -1;
    }
    ks_enlarge(a, b, c, r);
  } else if (__builtin_fabs(p) > 0x1p1000 || __builtin_fabs(c) > 0x1p1000) {
    (__builtin_fabs(a) > __builtin_fabs(b) ? a : b) *= 0x1p-4;
    c = c != 0 && __builtin_fabs(c) < 0x1p-900 ? __builtin_copysign(0x1p-900, c) : c * 0x1p-4;
    r *= 0x1p-4;
  }
  p = a * b;
  const double p_rest = __builtin_fma(a, b, -p);
  const double s1 = p_rest + c, t1 = ks_rest_of_sum(p_rest, c, s1);
  const double s2 = p + s1, t2 = ks_rest_of_sum(p, s1, s2);
  const double u1 = t1 - r, v1 = ks_rest_of_sum(t1, -r, u1);
  const double u2 = t2 + u1, v2 = ks_rest_of_sum(t2, u1, u2);
  const double u3 = s2 + u2, v3 = ks_rest_of_sum(s2, u2, u3);
  return u3 != 0 ? u3 : v3 != 0 ? v3 : v2 != 0 ? v2 : v1;
}

#define KS_NEAREST(T, p, multiply_add, f)                                         \
  ks_inline T __##p##add_rn(T a, T b) { return a + b; }                           \
  ks_inline T __##p##sub_rn(T a, T b) { return a - b; }                           \
  ks_inline T __##p##mul_rn(T a, T b) { return a * b; }                           \
  ks_inline T __##p##div_rn(T a, T b) { return a / b; }                           \
  ks_inline T __##p##rcp_rn(T a) { return __##p##div_rn((T)1, a); }               \
  ks_inline T __##p##sqrt_rn(T a) { return __builtin_sqrt##f(a); }                \
  ks_inline T multiply_add##_rn(T a, T b, T c) { return __builtin_fma##f(a, b, c); }
#define KS_ROUNDED(T, p, multiply_add, f, mode, round)                            \
  ks_inline T __##p##add_##mode(T a, T b) { const T r = a + b; return round(r, ks_error_of_sum(a, b, r), a, b); }    \
  ks_inline T __##p##sub_##mode(T a, T b) { const T r = a - b; return round(r, ks_error_of_sum(a, -b, r), a, -b); }  \
  ks_inline T __##p##mul_##mode(T a, T b) { const T r = a * b; return round(r, ks_error_of_product(a, b, r)); }      \
  ks_inline T __##p##div_##mode(T a, T b) { const T r = a / b; return round(r, ks_error_of_quotient(a, b, r)); }     \
  ks_inline T __##p##rcp_##mode(T a) { return __##p##div_##mode((T)1, a); }       \
  ks_inline T __##p##sqrt_##mode(T a) { const T r = __builtin_sqrt##f(a); return round(r, ks_error_of_root(a, r)); } \
  ks_inline T multiply_add##_##mode(T a, T b, T c) {                              \
    const T r = __builtin_fma##f(a, b, c);                                        \
    return round(r, ks_error_of_fma(a, b, c, r), a * b, c);                       \
  }
#define KS_ARITHMETIC(T, p, multiply_add, f)                \
  KS_NEAREST(T, p, multiply_add, f)                         \
  KS_ROUNDED(T, p, multiply_add, f, rd, ks_round_down)      \
  KS_ROUNDED(T, p, multiply_add, f, ru, ks_round_up)        \
  KS_ROUNDED(T, p, multiply_add, f, rz, ks_round_zero)
KS_ARITHMETIC(float, f, __fmaf, f)
KS_ARITHMETIC(double, d, __fma, )
#undef KS_ARITHMETIC
#define KS_IEEE(mode) ks_inline float __fmaf_ieee_##mode(float a, float b, float c) { return __fmaf_##mode(a, b, c); }
KS_IEEE(rn)
KS_IEEE(rd)
KS_IEEE(ru)
KS_IEEE(rz)
#undef KS_IEEE
#undef KS_ROUNDED
#undef KS_NEAREST
#pragma clang fp contract(fast)

// --- integers and bits ---
ks_inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
ks_inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
ks_inline int mul24(int a, int b) { return __mul24(a, b); }
ks_inline unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
ks_inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
ks_inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
ks_inline int mulhi(int a, int b) { return __mulhi(a, b); }
ks_inline unsigned mulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
ks_inline unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
ks_inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
ks_inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
ks_inline long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
ks_inline unsigned long long umul64hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
ks_inline int __popc(unsigned x) { return __builtin_popcount(x); }
ks_inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
ks_inline int __clz(int x) { return __builtin_clzg((unsigned)x, 32); }
ks_inline int __clzll(long long x) { return __builtin_clzg((unsigned long long)x, 64); }
ks_inline int __ffs(int x) { return __builtin_ffs(x); }
ks_inline int __ffsll(long long x) { return __builtin_ffsll(x); }
ks_inline int ffs(int x) { return __builtin_ffs(x); }
ks_inline unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
ks_inline unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
ks_inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31) & 1 ? base : 0xffffffffu;
  int left = offset > 0 ? offset : -offset;
  for (int i = (int)base; i >= 0 && i < 32; i += offset > 0 ? 1 : -1)
    if (mask >> i & 1 && --left == 0) return (unsigned)i;
  return 0xffffffffu;
}
// The fourth bit of a digit means nothing here; PTX's prmt copies the sign by it.
ks_inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  _Pragma("unroll") for (int i = 0; i < 4; ++i) {
    r |= ((unsigned)(both >> (8 * (s >> (4 * i) & 7))) & 255) << (8 * i);
  }
  return r;
}
ks_inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (n & 31)) >> 32);
}
ks_inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
ks_inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (n < 32 ? n : 32)) >> 32);
}
ks_inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n < 32 ? n : 32));
}
ks_inline unsigned __sad(int a, int b, unsigned c) {
  return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c;
}
ks_inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
ks_inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
ks_inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
ks_inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
ks_inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
// --- four or two numbers in a word ---
template <int bits, class T> ks_inline T ks_part(unsigned x, int i) { return (T)(x >> (bits * i)); }
ks_inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += (int)(signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
  return c;
}
ks_inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
ks_inline int __dp2a_lo(int a, int b, int c) {
  return c + (short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8);
}
ks_inline int __dp2a_hi(int a, int b, int c) {
  return c + (short)a * (signed char)(b >> 16) + (short)(a >> 16) * (signed char)(b >> 24);
}
ks_inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 65535) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
ks_inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return c + (a & 65535) * (b >> 16 & 255) + (a >> 16) * (b >> 24);
}
// The same of vectors, whose first member is the lowest.
#define KS_DOT(name, A, B, T)                                                                                        \
  ks_inline T name(A a, B b, T c) {                                                                                  \
    return name(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);                                              \
  }
KS_DOT(__dp4a, char4, char4, int)
KS_DOT(__dp4a, uchar4, uchar4, unsigned)
KS_DOT(__dp2a_lo, short2, char4, int)
KS_DOT(__dp2a_hi, short2, char4, int)
KS_DOT(__dp2a_lo, ushort2, uchar4, unsigned)
KS_DOT(__dp2a_hi, ushort2, uchar4, unsigned)
#undef KS_DOT
#define KS_SIMD(name, bits, T, expression)                             \
  ks_inline unsigned name(unsigned a, unsigned b) {                    \
    const unsigned mask = bits == 8 ? 255u : 65535u;                   \
    unsigned r = 0;                                                    \
    _Pragma("unroll") for (int i = 0; i < 32 / bits; ++i) {            \
      const int x = (T)(a >> bits * i), y = (T)(b >> bits * i);        \
      r |= ((unsigned)(expression) & mask) << bits * i;                \
    }                                                                  \
    return r;                                                          \
  }
#define KS_CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define KS_SIMD_SET(n, bits, S, U, smin, smax, umax)                   \
  KS_SIMD(__vadd##n, bits, U, x + y)                                   \
  KS_SIMD(__vsub##n, bits, U, x - y)                                   \
  KS_SIMD(__vaddss##n, bits, S, KS_CLAMP(x + y, smin, smax))           \
  KS_SIMD(__vaddus##n, bits, U, KS_CLAMP(x + y, 0, umax))              \
  KS_SIMD(__vsubss##n, bits, S, KS_CLAMP(x - y, smin, smax))           \
  KS_SIMD(__vsubus##n, bits, U, KS_CLAMP(x - y, 0, umax))              \
  KS_SIMD(__vabsdiffs##n, bits, S, x < y ? y - x : x - y)              \
  KS_SIMD(__vabsdiffu##n, bits, U, x < y ? y - x : x - y)              \
  KS_SIMD(__vavgs##n, bits, S, (x + y + (x + y >= 0)) >> 1)            \
  KS_SIMD(__vavgu##n, bits, U, (x + y + 1) >> 1)                       \
  KS_SIMD(__vhaddu##n, bits, U, (x + y) >> 1)                          \
  KS_SIMD(__vmaxs##n, bits, S, x < y ? y : x)                          \
  KS_SIMD(__vmaxu##n, bits, U, x < y ? y : x)                          \
  KS_SIMD(__vmins##n, bits, S, x < y ? x : y)                          \
  KS_SIMD(__vminu##n, bits, U, x < y ? x : y)                          \
  KS_SIMD(__vcmpeq##n, bits, U, x == y ? -1 : 0)                       \
  KS_SIMD(__vcmpne##n, bits, U, x != y ? -1 : 0)                       \
  KS_SIMD(__vcmpgts##n, bits, S, x > y ? -1 : 0)                       \
  KS_SIMD(__vcmpgtu##n, bits, U, x > y ? -1 : 0)                       \
  KS_SIMD(__vcmpges##n, bits, S, x >= y ? -1 : 0)                      \
  KS_SIMD(__vcmpgeu##n, bits, U, x >= y ? -1 : 0)                      \
  KS_SIMD(__vcmplts##n, bits, S, x < y ? -1 : 0)                       \
  KS_SIMD(__vcmpltu##n, bits, U, x < y ? -1 : 0)                       \
  KS_SIMD(__vcmples##n, bits, S, x <= y ? -1 : 0)                      \
  KS_SIMD(__vcmpleu##n, bits, U, x <= y ? -1 : 0)                      \
  KS_SIMD(__vseteq##n, bits, U, x == y)                                \
  KS_SIMD(__vsetne##n, bits, U, x != y)                                \
  KS_SIMD(__vsetgts##n, bits, S, x > y)                                \
  KS_SIMD(__vsetgtu##n, bits, U, x > y)                                \
  KS_SIMD(__vsetges##n, bits, S, x >= y)                               \
  KS_SIMD(__vsetgeu##n, bits, U, x >= y)                               \
  KS_SIMD(__vsetlts##n, bits, S, x < y)                                \
  KS_SIMD(__vsetltu##n, bits, U, x < y)                                \
  KS_SIMD(__vsetles##n, bits, S, x <= y)                               \
  KS_SIMD(__vsetleu##n, bits, U, x <= y)                               \
  KS_SIMD(ks_vneg##n, bits, S, -x + 0 * y)                             \
  KS_SIMD(ks_vabs##n, bits, S, (x < 0 ? -x : x) + 0 * y)               \
  KS_SIMD(ks_vnegss##n, bits, S, KS_CLAMP(-x + 0 * y, smin, smax))     \
  KS_SIMD(ks_vabsss##n, bits, S, KS_CLAMP((x < 0 ? -x : x) + 0 * y, smin, smax)) \
  ks_inline unsigned __vneg##n(unsigned a) { return ks_vneg##n(a, 0); }           \
  ks_inline unsigned __vabs##n(unsigned a) { return ks_vabs##n(a, 0); }           \
  ks_inline unsigned __vnegss##n(unsigned a) { return ks_vnegss##n(a, 0); }       \
  ks_inline unsigned __vabsss##n(unsigned a) { return ks_vabsss##n(a, 0); }
KS_SIMD_SET(4, 8, signed char, unsigned char, -128, 127, 255)
KS_SIMD_SET(2, 16, short, unsigned short, -32768, 32767, 65535)
ks_inline unsigned __vsads4(unsigned a, unsigned b) { return __dp4a(__vabsdiffs4(a, b), 0x01010101u, 0u); }
ks_inline unsigned __vsadu4(unsigned a, unsigned b) { return __dp4a(__vabsdiffu4(a, b), 0x01010101u, 0u); }
ks_inline unsigned __vsads2(unsigned a, unsigned b) {
  const unsigned d = __vabsdiffs2(a, b);
  return (d & 65535) + (d >> 16);
}
ks_inline unsigned __vsadu2(unsigned a, unsigned b) {
  const unsigned d = __vabsdiffu2(a, b);
  return (d & 65535) + (d >> 16);
}
#undef KS_SIMD_SET
#undef KS_SIMD
#undef KS_CLAMP
