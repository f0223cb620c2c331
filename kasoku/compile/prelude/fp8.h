// <cuda_fp8.h>: 8-bit floating numbers. Conversion rounds to nearest, ties to even.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// What a format has: bits of fraction, the exponent's bias, the largest number, the
// first number that rounds past it, and what stands for infinity (E4M3 has only a NaN).
struct ks_fp8_format {
  int fraction, bias;
  double past;
  unsigned char largest, infinity, nan;
};
ks_inline constexpr ks_fp8_format ks_format_of(__nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? ks_fp8_format{3, 7, 464.0, 0x7e, 0x7f, 0x7f} : ks_fp8_format{2, 15, 61440.0, 0x7b, 0x7c, 0x7e};
}
ks_inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  const ks_fp8_format f = ks_format_of(kind);
  const unsigned sign = (unsigned)(ks_bits<unsigned long long>(x) >> 56) & 0x80u;
  const double a = __builtin_fabs(x);
  if (a != a) return (__nv_fp8_storage_t)(sign | f.nan);
  if (a > f.past || (a == f.past && kind == __NV_E5M2))
    return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE ? f.largest : f.infinity));
  int exponent = (int)(ks_bits<unsigned long long>(a) >> 52) - 1023;
  exponent = exponent < 1 - f.bias ? 1 - f.bias : exponent;
  const double steps = __builtin_rint(ldexp(a, f.fraction - exponent));
  return (__nv_fp8_storage_t)(sign | (((unsigned)(exponent + f.bias - 1) << f.fraction) + (unsigned)steps));
}
ks_inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __nv_cvt_double_to_fp8((double)x, s, k); }
ks_inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __nv_cvt_float_to_fp8((float)__half(x), s, k); }
ks_inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), s, k); }
ks_inline float ks_from_fp8(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind) {
  const ks_fp8_format f = ks_format_of(kind);
  const unsigned magnitude = v & 0x7fu, exponent = magnitude >> f.fraction, low = magnitude & ((1u << f.fraction) - 1u);
  float r;
  if (kind == __NV_E4M3 ? magnitude == 0x7f : magnitude > 0x7c) r = __builtin_nanf("");
  else if (kind == __NV_E5M2 && magnitude == 0x7c) r = __builtin_inff();
  else if (exponent == 0) r = ldexpf((float)low, 1 - f.bias - f.fraction);
  else r = ldexpf((float)(low + (1u << f.fraction)), (int)exponent - f.bias - f.fraction);
  return v & 0x80 ? -r : r;
}
ks_inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t k) { return __half_raw(__half(ks_from_fp8(v, k))); }
#define KS_FP8_PAIR(name, T, one)                                                                           \
  ks_inline __nv_fp8x2_storage_t name(T v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {              \
    return (__nv_fp8x2_storage_t)(one(v.x) | one(v.y) << 8);                                                \
  }
#define KS_FP8_ONE(x) __nv_cvt_double_to_fp8((double)(x), s, k)
#define KS_FP8_RAW(x) __nv_cvt_halfraw_to_fp8(__half_raw{x}, s, k)
KS_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, KS_FP8_ONE)
KS_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, KS_FP8_ONE)
KS_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, KS_FP8_RAW)
#undef KS_FP8_PAIR
#undef KS_FP8_ONE
#undef KS_FP8_RAW
ks_inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t k) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, k).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), k).x};
}

#define KS_FP8_FROM(name, T) ks_inline explicit name(T v) : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, kind)) {}
#define KS_FP8_TO(T) ks_inline explicit operator T() const { return (T)ks_from_fp8(__x, kind); }
#define KS_FP8(one, two, four, k)                                                                          \
  struct one {                                                                                             \
    static constexpr __nv_fp8_interpretation_t kind = k;                                                   \
    __nv_fp8_storage_t __x;                                                                                \
    one() = default;                                                                                       \
    KS_FP8_FROM(one, float) KS_FP8_FROM(one, double) KS_FP8_FROM(one, int) KS_FP8_FROM(one, unsigned)      \
    KS_FP8_FROM(one, long long) KS_FP8_FROM(one, unsigned long long) KS_FP8_FROM(one, long)                \
    KS_FP8_FROM(one, unsigned long) KS_FP8_FROM(one, short) KS_FP8_FROM(one, unsigned short)               \
    ks_inline explicit one(__half v) : one((float)v) {}                                                    \
    ks_inline explicit one(__nv_bfloat16 v) : one((float)v) {}                                             \
    KS_FP8_TO(float) KS_FP8_TO(double) KS_FP8_TO(__half) KS_FP8_TO(__nv_bfloat16) KS_FP8_TO(int)           \
    KS_FP8_TO(unsigned) KS_FP8_TO(long long) KS_FP8_TO(unsigned long long) KS_FP8_TO(short)                \
    KS_FP8_TO(unsigned short) KS_FP8_TO(char) KS_FP8_TO(signed char) KS_FP8_TO(unsigned char)              \
    ks_inline explicit operator bool() const { return (__x & 0x7f) != 0; }                                 \
  };                                                                                                       \
  struct alignas(2) two {                                                                                  \
    __nv_fp8x2_storage_t __x;                                                                              \
    two() = default;                                                                                       \
    ks_inline explicit two(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, k)) {}              \
    ks_inline explicit two(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, k)) {}            \
    ks_inline explicit two(__half2 v) : two(make_float2((float)v.x, (float)v.y)) {}                        \
    ks_inline explicit two(__nv_bfloat162 v) : two(make_float2((float)v.x, (float)v.y)) {}                 \
    ks_inline explicit operator float2() const {                                                           \
      return make_float2(ks_from_fp8((__nv_fp8_storage_t)__x, k), ks_from_fp8((__nv_fp8_storage_t)(__x >> 8), k)); \
    }                                                                                                      \
    ks_inline explicit operator __half2() const { const float2 v = (float2)*this; return __half2(__half(v.x), __half(v.y)); } \
  };                                                                                                       \
  struct alignas(4) four {                                                                                 \
    __nv_fp8x4_storage_t __x;                                                                              \
    four() = default;                                                                                      \
    ks_inline explicit four(float4 v)                                                                      \
        : __x(two(make_float2(v.x, v.y)).__x | (unsigned)two(make_float2(v.z, v.w)).__x << 16) {}          \
    ks_inline explicit operator float4() const {                                                           \
      two low, high;                                                                                       \
      low.__x = (__nv_fp8x2_storage_t)__x, high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                   \
      const float2 a = (float2)low, b = (float2)high;                                                      \
      return make_float4(a.x, a.y, b.x, b.y);                                                              \
    }                                                                                                      \
  };
KS_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
KS_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef KS_FP8
#undef KS_FP8_FROM
#undef KS_FP8_TO

#pragma clang force_cuda_host_device end
