// Conversions: bits, and numbers with a named rounding. Out of range saturates and
// a NaN becomes 0 (as from float; from double a NaN becomes the lowest int), as on a GPU.
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

ks_inline int ks_to_int(float x) { return x != x ? 0 : x <= -2147483648.0f ? (-2147483647 - 1) : x >= 2147483648.0f ? 2147483647 : (int)x; }
ks_inline int __float2int_rn(float x) { return ks_to_int(__builtin_rintf(x)); }
ks_inline int __float2int_rz(float x) { return ks_to_int(__builtin_truncf(x)); }
ks_inline int __float2int_rd(float x) { return ks_to_int(__builtin_floorf(x)); }
ks_inline int __float2int_ru(float x) { return ks_to_int(__builtin_ceilf(x)); }
ks_inline unsigned ks_to_uint(float x) { return x != x ? 0u : x <= 0.0f ? 0u : x >= 4294967296.0f ? 4294967295u : (unsigned)x; }
ks_inline unsigned __float2uint_rn(float x) { return ks_to_uint(__builtin_rintf(x)); }
ks_inline unsigned __float2uint_rz(float x) { return ks_to_uint(__builtin_truncf(x)); }
ks_inline unsigned __float2uint_rd(float x) { return ks_to_uint(__builtin_floorf(x)); }
ks_inline unsigned __float2uint_ru(float x) { return ks_to_uint(__builtin_ceilf(x)); }
ks_inline long long ks_to_ll(float x) { return x != x ? (-9223372036854775807LL - 1) : x <= -9223372036854775808.0f ? (-9223372036854775807LL - 1) : x >= 9223372036854775808.0f ? 9223372036854775807LL : (long long)x; }
ks_inline long long __float2ll_rn(float x) { return ks_to_ll(__builtin_rintf(x)); }
ks_inline long long __float2ll_rz(float x) { return ks_to_ll(__builtin_truncf(x)); }
ks_inline long long __float2ll_rd(float x) { return ks_to_ll(__builtin_floorf(x)); }
ks_inline long long __float2ll_ru(float x) { return ks_to_ll(__builtin_ceilf(x)); }
ks_inline unsigned long long ks_to_ull(float x) { return x != x ? 0x8000000000000000ull : x <= 0.0f ? 0ull : x >= 18446744073709551616.0f ? 18446744073709551615ull : (unsigned long long)x; }
ks_inline unsigned long long __float2ull_rn(float x) { return ks_to_ull(__builtin_rintf(x)); }
ks_inline unsigned long long __float2ull_rz(float x) { return ks_to_ull(__builtin_truncf(x)); }
ks_inline unsigned long long __float2ull_rd(float x) { return ks_to_ull(__builtin_floorf(x)); }
ks_inline unsigned long long __float2ull_ru(float x) { return ks_to_ull(__builtin_ceilf(x)); }
ks_inline int ks_to_int(double x) { return x != x ? (-2147483647 - 1) : x <= -2147483648.0 ? (-2147483647 - 1) : x >= 2147483648.0 ? 2147483647 : (int)x; }
ks_inline int __double2int_rn(double x) { return ks_to_int(__builtin_rint(x)); }
ks_inline int __double2int_rz(double x) { return ks_to_int(__builtin_trunc(x)); }
ks_inline int __double2int_rd(double x) { return ks_to_int(__builtin_floor(x)); }
ks_inline int __double2int_ru(double x) { return ks_to_int(__builtin_ceil(x)); }
ks_inline unsigned ks_to_uint(double x) { return x != x ? 0u : x <= 0.0 ? 0u : x >= 4294967296.0 ? 4294967295u : (unsigned)x; }
ks_inline unsigned __double2uint_rn(double x) { return ks_to_uint(__builtin_rint(x)); }
ks_inline unsigned __double2uint_rz(double x) { return ks_to_uint(__builtin_trunc(x)); }
ks_inline unsigned __double2uint_rd(double x) { return ks_to_uint(__builtin_floor(x)); }
ks_inline unsigned __double2uint_ru(double x) { return ks_to_uint(__builtin_ceil(x)); }
ks_inline long long ks_to_ll(double x) { return x != x ? (-9223372036854775807LL - 1) : x <= -9223372036854775808.0 ? (-9223372036854775807LL - 1) : x >= 9223372036854775808.0 ? 9223372036854775807LL : (long long)x; }
ks_inline long long __double2ll_rn(double x) { return ks_to_ll(__builtin_rint(x)); }
ks_inline long long __double2ll_rz(double x) { return ks_to_ll(__builtin_trunc(x)); }
ks_inline long long __double2ll_rd(double x) { return ks_to_ll(__builtin_floor(x)); }
ks_inline long long __double2ll_ru(double x) { return ks_to_ll(__builtin_ceil(x)); }
ks_inline unsigned long long ks_to_ull(double x) { return x != x ? 0x8000000000000000ull : x <= 0.0 ? 0ull : x >= 18446744073709551616.0 ? 18446744073709551615ull : (unsigned long long)x; }
ks_inline unsigned long long __double2ull_rn(double x) { return ks_to_ull(__builtin_rint(x)); }
ks_inline unsigned long long __double2ull_rz(double x) { return ks_to_ull(__builtin_trunc(x)); }
ks_inline unsigned long long __double2ull_rd(double x) { return ks_to_ull(__builtin_floor(x)); }
ks_inline unsigned long long __double2ull_ru(double x) { return ks_to_ull(__builtin_ceil(x)); }

// Integers to floating numbers: the nearest one, and its error seen exactly.
ks_inline float ks_below(float r, bool too_large) { return too_large ? ks_down(r) : r; }
ks_inline float ks_above(float r, bool too_small) { return too_small ? ks_up(r) : r; }
ks_inline double ks_below(double r, bool too_large) { return too_large ? ks_down(r) : r; }
ks_inline double ks_above(double r, bool too_small) { return too_small ? ks_up(r) : r; }
ks_inline float __int2float_rn(int x) { return (float)x; }
ks_inline float __int2float_rd(int x) { const float r = (float)x; return ks_below(r, (__int128)r > (__int128)x); }
ks_inline float __int2float_ru(int x) { const float r = (float)x; return ks_above(r, (__int128)r < (__int128)x); }
ks_inline float __int2float_rz(int x) { return x < 0 ? __int2float_ru(x) : __int2float_rd(x); }
ks_inline double __int2double_rn(int x) { return (double)x; }
ks_inline float __uint2float_rn(unsigned x) { return (float)x; }
ks_inline float __uint2float_rd(unsigned x) { const float r = (float)x; return ks_below(r, (__int128)r > (__int128)x); }
ks_inline float __uint2float_ru(unsigned x) { const float r = (float)x; return ks_above(r, (__int128)r < (__int128)x); }
ks_inline float __uint2float_rz(unsigned x) { return x < 0 ? __uint2float_ru(x) : __uint2float_rd(x); }
ks_inline double __uint2double_rn(unsigned x) { return (double)x; }
ks_inline float __ll2float_rn(long long x) { return (float)x; }
ks_inline float __ll2float_rd(long long x) { const float r = (float)x; return ks_below(r, (__int128)r > (__int128)x); }
ks_inline float __ll2float_ru(long long x) { const float r = (float)x; return ks_above(r, (__int128)r < (__int128)x); }
ks_inline float __ll2float_rz(long long x) { return x < 0 ? __ll2float_ru(x) : __ll2float_rd(x); }
ks_inline double __ll2double_rn(long long x) { return (double)x; }
ks_inline double __ll2double_rd(long long x) { const double r = (double)x; return ks_below(r, (__int128)r > (__int128)x); }
ks_inline double __ll2double_ru(long long x) { const double r = (double)x; return ks_above(r, (__int128)r < (__int128)x); }
ks_inline double __ll2double_rz(long long x) { return x < 0 ? __ll2double_ru(x) : __ll2double_rd(x); }
ks_inline float __ull2float_rn(unsigned long long x) { return (float)x; }
ks_inline float __ull2float_rd(unsigned long long x) { const float r = (float)x; return ks_below(r, (__int128)r > (__int128)x); }
ks_inline float __ull2float_ru(unsigned long long x) { const float r = (float)x; return ks_above(r, (__int128)r < (__int128)x); }
ks_inline float __ull2float_rz(unsigned long long x) { return x < 0 ? __ull2float_ru(x) : __ull2float_rd(x); }
ks_inline double __ull2double_rn(unsigned long long x) { return (double)x; }
ks_inline double __ull2double_rd(unsigned long long x) { const double r = (double)x; return ks_below(r, (__int128)r > (__int128)x); }
ks_inline double __ull2double_ru(unsigned long long x) { const double r = (double)x; return ks_above(r, (__int128)r < (__int128)x); }
ks_inline double __ull2double_rz(unsigned long long x) { return x < 0 ? __ull2double_ru(x) : __ull2double_rd(x); }
ks_inline float __double2float_rn(double x) { return (float)x; }
ks_inline float __double2float_rd(double x) { const float r = (float)x; return ks_below(r, (double)r > x); }
ks_inline float __double2float_ru(double x) { const float r = (float)x; return ks_above(r, (double)r < x); }
ks_inline float __double2float_rz(double x) { return x < 0 ? __double2float_ru(x) : __double2float_rd(x); }
