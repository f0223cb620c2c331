// Conversions: bits, and numbers with a named rounding. Out of range saturates and
// a NaN becomes 0, or the highest bit alone where one of both types has 64 bits, as on a GPU.
#pragma once

ks_inline int __float_as_int(float x) { return ks_bits<int>(x); }
ks_inline unsigned __float_as_uint(float x) { return ks_bits<unsigned>(x); }
ks_inline float __int_as_float(int x) { return ks_bits<float>(x); }
ks_inline float __uint_as_float(unsigned x) { return ks_bits<float>(x); }
ks_inline long long __double_as_longlong(double x) { return ks_bits<long long>(x); }
ks_inline double __longlong_as_double(long long x) { return ks_bits<double>(x); }
ks_inline unsigned long long __double_as_ulonglong(double x) { return ks_bits<unsigned long long>(x); }
ks_inline double __ulonglong_as_double(unsigned long long x) { return ks_bits<double>(x); }
ks_inline int __double2hiint(double x) { return (int)(ks_bits<long long>(x) >> 32); }
ks_inline int __double2loint(double x) { return (int)ks_bits<long long>(x); }
ks_inline double __hiloint2double(int hi, int lo) {
  return ks_bits<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

// Each conversion to an integer, with its four roundings: `low` and `high` are the first
// numbers out of range, and `nan` is what stands for none.
#define KS_TO_INTEGER(name, F, f, to, T, low, smallest, high, largest, nan)           \
  ks_inline T to(F x) { return x != x ? nan : x <= low ? smallest : x >= high ? largest : (T)x; } \
  ks_inline T name##_rn(F x) { return to(__builtin_rint##f(x)); }                     \
  ks_inline T name##_rz(F x) { return to(__builtin_trunc##f(x)); }                    \
  ks_inline T name##_rd(F x) { return to(__builtin_floor##f(x)); }                    \
  ks_inline T name##_ru(F x) { return to(__builtin_ceil##f(x)); }
#define KS_TO_INTEGERS(from, F, f, int_nan, uint_nan)                                                          \
  KS_TO_INTEGER(from##2int, F, f, ks_to_int, int, (F)-2147483648.0, INT_MIN, (F)2147483648.0, INT_MAX, int_nan)   \
  KS_TO_INTEGER(from##2uint, F, f, ks_to_uint, unsigned, (F)0, 0u, (F)4294967296.0, UINT_MAX, uint_nan)           \
  KS_TO_INTEGER(from##2ll, F, f, ks_to_ll, long long, (F)-9223372036854775808.0, LLONG_MIN,                       \
                (F)9223372036854775808.0, LLONG_MAX, LLONG_MIN)                                                   \
  KS_TO_INTEGER(from##2ull, F, f, ks_to_ull, unsigned long long, (F)0, 0ull, (F)18446744073709551616.0,           \
                ULLONG_MAX, 0x8000000000000000ull)
KS_TO_INTEGERS(__float, float, f, 0, 0u)
KS_TO_INTEGERS(__double, double, , INT_MIN, 0x80000000u)
#undef KS_TO_INTEGERS
#undef KS_TO_INTEGER

// To a floating number: the nearest one, and its error seen exactly in a wider type.
ks_inline float ks_below(float r, bool too_large) { return too_large ? ks_down(r) : r; }
ks_inline float ks_above(float r, bool too_small) { return too_small ? ks_up(r) : r; }
ks_inline double ks_below(double r, bool too_large) { return too_large ? ks_down(r) : r; }
ks_inline double ks_above(double r, bool too_small) { return too_small ? ks_up(r) : r; }
#define KS_TO_FLOATING(name, T, F, Wide)                                                                   \
  ks_inline F name##_rn(T x) { return (F)x; }                                                              \
  ks_inline F name##_rd(T x) { const F r = (F)x; return ks_below(r, (Wide)r > (Wide)x); }                  \
  ks_inline F name##_ru(T x) { const F r = (F)x; return ks_above(r, (Wide)r < (Wide)x); }                  \
  ks_inline F name##_rz(T x) { return x < 0 ? name##_ru(x) : name##_rd(x); }
KS_TO_FLOATING(__int2float, int, float, __int128)
KS_TO_FLOATING(__uint2float, unsigned, float, __int128)
KS_TO_FLOATING(__ll2float, long long, float, __int128)
KS_TO_FLOATING(__ull2float, unsigned long long, float, __int128)
KS_TO_FLOATING(__ll2double, long long, double, __int128)
KS_TO_FLOATING(__ull2double, unsigned long long, double, __int128)
KS_TO_FLOATING(__double2float, double, float, double)
#undef KS_TO_FLOATING
ks_inline double __int2double_rn(int x) { return (double)x; }
ks_inline double __uint2double_rn(unsigned x) { return (double)x; }
