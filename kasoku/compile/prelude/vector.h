// Vector types with CUDA's alignment, make_*, and the fixed-width names.
#pragma once

#define KS_VECTOR(T, name, align1, align2, align4)                                        \
  struct name##1 { T x; };                                                                \
  struct __attribute__((aligned(align2))) name##2 { T x, y; };                            \
  struct name##3 { T x, y, z; };                                                          \
  struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                      \
  ks_inline constexpr name##1 make_##name##1(T x) { return name##1{x}; }                  \
  ks_inline constexpr name##2 make_##name##2(T x, T y) { return name##2{x, y}; }          \
  ks_inline constexpr name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }  \
  ks_inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

KS_VECTOR(signed char, char, 1, 2, 4)
KS_VECTOR(unsigned char, uchar, 1, 2, 4)
KS_VECTOR(short, short, 2, 4, 8)
KS_VECTOR(unsigned short, ushort, 2, 4, 8)
KS_VECTOR(int, int, 4, 8, 16)
KS_VECTOR(unsigned int, uint, 4, 8, 16)
KS_VECTOR(long, long, 8, 16, 16)
KS_VECTOR(unsigned long, ulong, 8, 16, 16)
KS_VECTOR(long long, longlong, 8, 16, 16)
KS_VECTOR(unsigned long long, ulonglong, 8, 16, 16)
KS_VECTOR(float, float, 4, 8, 16)
KS_VECTOR(double, double, 8, 16, 16)
#undef KS_VECTOR
