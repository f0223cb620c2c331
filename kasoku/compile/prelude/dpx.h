// Minima and maxima of sums, as dynamic programming has them: of words and of pairs of halves.
#pragma once

template <class T, class Op> ks_inline unsigned ks_by_halves(unsigned a, unsigned b, unsigned c, Op op) {
  const T low = op((T)a, (T)b, (T)c), high = op((T)(a >> 16), (T)(b >> 16), (T)(c >> 16));
  return (unsigned)(unsigned short)low | (unsigned)(unsigned short)high << 16;
}
// `fold` is max or min, `m` its name; an unsigned number is never below zero.
#define KS_DPX(m, fold)                                                                                      \
  ks_inline int __vi##m##3_s32(int a, int b, int c) { return fold(fold(a, b), c); }                          \
  ks_inline unsigned __vi##m##3_u32(unsigned a, unsigned b, unsigned c) { return fold(fold(a, b), c); }      \
  ks_inline int __vi##m##3_s32_relu(int a, int b, int c) { return max(fold(fold(a, b), c), 0); }             \
  ks_inline int __vi##m##_s32_relu(int a, int b) { return max(fold(a, b), 0); }                              \
  ks_inline int __viadd##m##_s32(int a, int b, int c) { return fold((int)((unsigned)a + (unsigned)b), c); }  \
  ks_inline int __viadd##m##_s32_relu(int a, int b, int c) { return max(__viadd##m##_s32(a, b, c), 0); }     \
  ks_inline unsigned __viadd##m##_u32(unsigned a, unsigned b, unsigned c) { return fold(a + b, c); }         \
  KS_DPX_HALVES(__vi##m##3_s16x2, short, fold(fold(x, y), z))                                                \
  KS_DPX_HALVES(__vi##m##3_u16x2, unsigned short, fold(fold(x, y), z))                                       \
  KS_DPX_HALVES(__vi##m##3_s16x2_relu, short, max(fold(fold(x, y), z), 0))                                   \
  KS_DPX_HALVES(__viadd##m##_s16x2, short, fold((int)(short)(x + y), (int)z))                                \
  KS_DPX_HALVES(__viadd##m##_u16x2, unsigned short, fold((int)(unsigned short)(x + y), (int)z))              \
  KS_DPX_HALVES(__viadd##m##_s16x2_relu, short, max(fold((int)(short)(x + y), (int)z), 0))                   \
  ks_inline unsigned __vi##m##_s16x2_relu(unsigned a, unsigned b) { return __vi##m##3_s16x2_relu(a, b, b); } \
  KS_DPX_CHOICE(m, fold, s, int, short)                                                                      \
  KS_DPX_CHOICE(m, fold, u, unsigned, unsigned short)
#define KS_DPX_HALVES(name, T, expression)                                   \
  ks_inline unsigned name(unsigned a, unsigned b, unsigned c) {              \
    return ks_by_halves<T>(a, b, c, [](int x, int y, int z) { return (T)(expression); }); \
  }
// Whether the first was taken, also where both are equal.
#define KS_DPX_CHOICE(m, fold, sign, T, H)                                                      \
  ks_inline T __vib##m##_##sign##32(T a, T b, bool* first) {                                    \
    *first = fold(a, b) == a;                                                                   \
    return fold(a, b);                                                                          \
  }                                                                                             \
  ks_inline unsigned __vib##m##_##sign##16x2(unsigned a, unsigned b, bool* high, bool* low) {   \
    const unsigned r = __vi##m##3_##sign##16x2(a, b, b);                                        \
    *high = r >> 16 == a >> 16, *low = (unsigned short)r == (unsigned short)a;                  \
    return r;                                                                                   \
  }
KS_DPX(max, max)
KS_DPX(min, min)
#undef KS_DPX
#undef KS_DPX_HALVES
#undef KS_DPX_CHOICE
