// Mathematics: C's functions, CUDA's own, and CUDA's overloads for float, double
// and integers.
//
// C's functions are called by their own names, so that Clang knows them and the
// vectoriser finds their vector forms. What a GPU has and C has not is written
// without branches or tables.
#pragma once

extern "C" {
double sin(double) ks_const;
float sinf(float) ks_const;
double cos(double) ks_const;
float cosf(float) ks_const;
double tan(double) ks_const;
float tanf(float) ks_const;
double asin(double) ks_const;
float asinf(float) ks_const;
double acos(double) ks_const;
float acosf(float) ks_const;
double atan(double) ks_const;
float atanf(float) ks_const;
double sinh(double) ks_const;
float sinhf(float) ks_const;
double cosh(double) ks_const;
float coshf(float) ks_const;
double tanh(double) ks_const;
float tanhf(float) ks_const;
double asinh(double) ks_const;
float asinhf(float) ks_const;
double acosh(double) ks_const;
float acoshf(float) ks_const;
double atanh(double) ks_const;
float atanhf(float) ks_const;
double exp(double) ks_const;
float expf(float) ks_const;
double exp2(double) ks_const;
float exp2f(float) ks_const;
double exp10(double) ks_const;
float exp10f(float) ks_const;
double expm1(double) ks_const;
float expm1f(float) ks_const;
double log(double) ks_const;
float logf(float) ks_const;
double log2(double) ks_const;
float log2f(float) ks_const;
double log10(double) ks_const;
float log10f(float) ks_const;
double log1p(double) ks_const;
float log1pf(float) ks_const;
double sqrt(double) ks_const;
float sqrtf(float) ks_const;
double cbrt(double) ks_const;
float cbrtf(float) ks_const;
double erf(double) ks_const;
float erff(float) ks_const;
double erfc(double) ks_const;
float erfcf(float) ks_const;
double lgamma(double) ks_const;
float lgammaf(float) ks_const;
double tgamma(double) ks_const;
float tgammaf(float) ks_const;
double floor(double) ks_const;
float floorf(float) ks_const;
double ceil(double) ks_const;
float ceilf(float) ks_const;
double trunc(double) ks_const;
float truncf(float) ks_const;
double round(double) ks_const;
float roundf(float) ks_const;
double rint(double) ks_const;
float rintf(float) ks_const;
double nearbyint(double) ks_const;
float nearbyintf(float) ks_const;
double fabs(double) ks_const;
float fabsf(float) ks_const;
double logb(double) ks_const;
float logbf(float) ks_const;
double j0(double) ks_const;
float j0f(float) ks_const;
double j1(double) ks_const;
float j1f(float) ks_const;
double y0(double) ks_const;
float y0f(float) ks_const;
double y1(double) ks_const;
float y1f(float) ks_const;
double atan2(double, double) ks_const;
float atan2f(float, float) ks_const;
double pow(double, double) ks_const;
float powf(float, float) ks_const;
double hypot(double, double) ks_const;
float hypotf(float, float) ks_const;
double fmod(double, double) ks_const;
float fmodf(float, float) ks_const;
double remainder(double, double) ks_const;
float remainderf(float, float) ks_const;
double copysign(double, double) ks_const;
float copysignf(float, float) ks_const;
double fmax(double, double) ks_const;
float fmaxf(float, float) ks_const;
double fmin(double, double) ks_const;
float fminf(float, float) ks_const;
double fdim(double, double) ks_const;
float fdimf(float, float) ks_const;
double nextafter(double, double) ks_const;
float nextafterf(float, float) ks_const;
double fma(double, double, double) ks_const;
float fmaf(float, float, float) ks_const;
double ldexp(double, int) ks_const;
float ldexpf(float, int) ks_const;
double scalbn(double, int) ks_const;
float scalbnf(float, int) ks_const;
double scalbln(double, long) ks_const;
float scalblnf(float, long) ks_const;
double jn(int, double) ks_const;
float jnf(int, float) ks_const;
double yn(int, double) ks_const;
float ynf(int, float) ks_const;
int ilogb(double) ks_const;
int ilogbf(float) ks_const;
long lround(double) ks_const;
long lroundf(float) ks_const;
long long llround(double) ks_const;
long long llroundf(float) ks_const;
long lrint(double) ks_const;
long lrintf(float) ks_const;
long long llrint(double) ks_const;
long long llrintf(float) ks_const;
double frexp(double, int*);
float frexpf(float, int*);
double modf(double, double*);
float modff(float, float*);
double remquo(double, double, int*);
float remquof(float, float, int*);
double nan(const char*);
float nanf(const char*);
int abs(int) ks_const;
long labs(long) ks_const;
long long llabs(long long) ks_const;
}

// An integer goes to the double form; which types that is.
template <class T, class R = double> struct ks_if_integer {};
#define KS_INTEGER(T) template <class R> struct ks_if_integer<T, R> { typedef R type; };
KS_INTEGER(bool) KS_INTEGER(char) KS_INTEGER(signed char) KS_INTEGER(unsigned char)
KS_INTEGER(short) KS_INTEGER(unsigned short) KS_INTEGER(int) KS_INTEGER(unsigned)
KS_INTEGER(long) KS_INTEGER(unsigned long) KS_INTEGER(long long) KS_INTEGER(unsigned long long)
#undef KS_INTEGER
// float with float stays float; any other pair of numbers is double.
template <class T> struct ks_is_number { static constexpr bool value = __is_arithmetic(T); };
template <class A, class B, bool = ks_is_number<A>::value && ks_is_number<B>::value &&
                                   !__is_same(A, B)>
struct ks_pair {};
template <class A, class B> struct ks_pair<A, B, true> { typedef double type; };

#define KS_ONE(name)                                                             \
  ks_inline float name(float x) { return name##f(x); }                           \
  template <class T>                                                             \
  ks_inline typename ks_if_integer<T>::type name(T x) { return name((double)x); }
#define KS_TWO(name)                                                             \
  ks_inline float name(float x, float y) { return name##f(x, y); }               \
  template <class A, class B>                                                    \
  ks_inline typename ks_pair<A, B>::type name(A x, B y) {                        \
    return name((double)x, (double)y);                                           \
  }                                                                              \
  template <class A>                                                             \
  ks_inline typename ks_if_integer<A>::type name(A x, A y) {                     \
    return name((double)x, (double)y);                                           \
  }
KS_ONE(sin)
KS_ONE(cos)
KS_ONE(tan)
KS_ONE(asin)
KS_ONE(acos)
KS_ONE(atan)
KS_ONE(sinh)
KS_ONE(cosh)
KS_ONE(tanh)
KS_ONE(asinh)
KS_ONE(acosh)
KS_ONE(atanh)
KS_ONE(exp)
KS_ONE(exp2)
KS_ONE(exp10)
KS_ONE(expm1)
KS_ONE(log)
KS_ONE(log2)
KS_ONE(log10)
KS_ONE(log1p)
KS_ONE(sqrt)
KS_ONE(cbrt)
KS_ONE(erf)
KS_ONE(erfc)
KS_ONE(lgamma)
KS_ONE(tgamma)
KS_ONE(floor)
KS_ONE(ceil)
KS_ONE(trunc)
KS_ONE(round)
KS_ONE(rint)
KS_ONE(nearbyint)
KS_ONE(fabs)
KS_ONE(logb)
KS_ONE(j0)
KS_ONE(j1)
KS_ONE(y0)
KS_ONE(y1)
KS_TWO(atan2)
KS_TWO(pow)
KS_TWO(hypot)
KS_TWO(fmod)
KS_TWO(remainder)
KS_TWO(copysign)
KS_TWO(fmax)
KS_TWO(fmin)
KS_TWO(fdim)
KS_TWO(nextafter)
#undef KS_TWO

ks_inline float pow(float x, int n) { return powf(x, (float)n); }
ks_inline double pow(double x, int n) { return pow(x, (double)n); }
ks_inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
ks_inline float ldexp(float x, int n) { return ldexpf(x, n); }
ks_inline float scalbn(float x, int n) { return scalbnf(x, n); }
ks_inline float scalbln(float x, long n) { return scalblnf(x, n); }
ks_inline float frexp(float x, int* e) { return frexpf(x, e); }
ks_inline float modf(float x, float* whole) { return modff(x, whole); }
ks_inline float remquo(float x, float y, int* q) { return remquof(x, y, q); }
ks_inline int ilogb(float x) { return ilogbf(x); }
ks_inline long lround(float x) { return lroundf(x); }
ks_inline long long llround(float x) { return llroundf(x); }
ks_inline long lrint(float x) { return lrintf(x); }
ks_inline long long llrint(float x) { return llrintf(x); }
ks_inline float jn(int n, float x) { return jnf(n, x); }
ks_inline float yn(int n, float x) { return ynf(n, x); }

ks_inline float abs(float x) { return __builtin_fabsf(x); }
ks_inline double abs(double x) { return __builtin_fabs(x); }
ks_inline long abs(long x) { return x < 0 ? -x : x; }
ks_inline long long abs(long long x) { return x < 0 ? -x : x; }

#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef signbit
#define KS_CLASSIFY(name, builtin)                                                \
  ks_inline bool name(float x) { return builtin(x); }                             \
  ks_inline bool name(double x) { return builtin(x); }                            \
  template <class T> ks_inline typename ks_if_integer<T, bool>::type name(T x) { return builtin((double)x); }
KS_CLASSIFY(isnan, __builtin_isnan)
KS_CLASSIFY(isinf, __builtin_isinf)
KS_CLASSIFY(isfinite, __builtin_isfinite)
KS_CLASSIFY(isnormal, __builtin_isnormal)
KS_CLASSIFY(signbit, __builtin_signbit)
#undef KS_CLASSIFY
ks_inline int __isnanf(float x) { return __builtin_isnan(x); }
ks_inline int __isinff(float x) { return __builtin_isinf(x); }
ks_inline int __finitef(float x) { return __builtin_isfinite(x); }
ks_inline int __isnan(double x) { return __builtin_isnan(x); }
ks_inline int __isinf(double x) { return __builtin_isinf(x); }
ks_inline int __finite(double x) { return __builtin_isfinite(x); }
ks_inline int finite(double x) { return __builtin_isfinite(x); }
ks_inline int __signbit(double x) { return __builtin_signbit(x); }
ks_inline int __signbitf(float x) { return __builtin_signbit(x); }

// min and max: fmin's rule for floating numbers (a NaN loses), the common type
// for mixed integers.
ks_inline float min(float a, float b) { return __builtin_fminf(a, b); }
ks_inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
ks_inline double min(double a, double b) { return __builtin_fmin(a, b); }
ks_inline double max(double a, double b) { return __builtin_fmax(a, b); }
ks_inline double min(float a, double b) { return __builtin_fmin(a, b); }
ks_inline double max(float a, double b) { return __builtin_fmax(a, b); }
ks_inline double min(double a, float b) { return __builtin_fmin(a, b); }
ks_inline double max(double a, float b) { return __builtin_fmax(a, b); }
#define KS_MINMAX(T)                                                  \
  ks_inline constexpr T min(T a, T b) { return b < a ? b : a; }       \
  ks_inline constexpr T max(T a, T b) { return a < b ? b : a; }
KS_MINMAX(int)
KS_MINMAX(unsigned)
KS_MINMAX(long)
KS_MINMAX(unsigned long)
KS_MINMAX(long long)
KS_MINMAX(unsigned long long)
#undef KS_MINMAX
#define KS_MIXED_MINMAX(name)                                                                 \
  template <class A, class B,                                                                 \
            typename ks_enable<__is_integral(A) && __is_integral(B) && !__is_same(A, B)>::type = 0> \
  ks_inline constexpr decltype(A() + B()) name(A a, B b) {                                    \
    typedef decltype(A() + B()) T;                                                            \
    return name((T)a, (T)b);                                                                  \
  }                                                                                           \
  template <class A, class B, typename ks_enable<(__is_integral(A) && __is_floating_point(B)) || \
                                                 (__is_floating_point(A) && __is_integral(B))>::type = 1> \
  ks_inline decltype(A() + B()) name(A a, B b) {                                              \
    typedef decltype(A() + B()) T;                                                            \
    return name((T)a, (T)b);                                                                  \
  }
KS_MIXED_MINMAX(min)
KS_MIXED_MINMAX(max)
#undef KS_MIXED_MINMAX
ks_inline constexpr int min(short a, short b) { return b < a ? b : a; }
ks_inline constexpr int max(short a, short b) { return a < b ? b : a; }
ks_inline constexpr int min(char a, char b) { return b < a ? b : a; }
ks_inline constexpr int max(char a, char b) { return a < b ? b : a; }
ks_inline constexpr int min(unsigned char a, unsigned char b) { return b < a ? b : a; }
ks_inline constexpr int max(unsigned char a, unsigned char b) { return a < b ? b : a; }
ks_inline constexpr int min(unsigned short a, unsigned short b) { return b < a ? b : a; }
ks_inline constexpr int max(unsigned short a, unsigned short b) { return a < b ? b : a; }
ks_inline constexpr int min(signed char a, signed char b) { return b < a ? b : a; }
ks_inline constexpr int max(signed char a, signed char b) { return a < b ? b : a; }
ks_inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
ks_inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
ks_inline long long llmin(long long a, long long b) { return min(a, b); }
ks_inline long long llmax(long long a, long long b) { return max(a, b); }
ks_inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
ks_inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// What CUDA adds to C.
ks_inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
ks_inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
ks_inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
ks_inline double rcbrt(double x) { return 1.0 / cbrt(x); }
ks_inline void sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
ks_inline void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
ks_inline void sincos(float x, float* s, float* c) { sincosf(x, s, c); }

// sin(pi x): the turn is taken off exactly, then folded into a quarter.
ks_inline double sinpi(double x) {
  const double r = x - 2.0 * __builtin_rint(0.5 * x);
  const double folded = __builtin_fabs(r) > 0.5 ? __builtin_copysign(1.0, r) - r : r;
  return sin(M_PI * folded);
}
ks_inline double cospi(double x) {
  const double r = __builtin_fabs(x - 2.0 * __builtin_rint(0.5 * x));
  return sin(M_PI * (0.5 - r));
}
ks_inline float sinpif(float x) {
  const float r = x - 2.0f * __builtin_rintf(0.5f * x);
  const float folded = __builtin_fabsf(r) > 0.5f ? __builtin_copysignf(1.0f, r) - r : r;
  return sinf(3.14159274f * folded);
}
ks_inline float cospif(float x) {
  const float r = __builtin_fabsf(x - 2.0f * __builtin_rintf(0.5f * x));
  return sinf(3.14159274f * (0.5f - r));
}
ks_inline void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
ks_inline void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
ks_inline void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }

// The normal distribution's quantile by Wichura's AS 241 (16 digits); `q` is p - 1/2,
// so that nothing is lost near the middle, `tail` is min(p, 1 - p).
ks_inline double ks_normal_quantile(double q, double tail) {
  if (__builtin_fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * (((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r +
                     6.7265770927008700853e4) * r + 4.5921953931549871457e4) * r +
                   1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r +
                 1.3314166789178437745e2) * r + 3.3871328727963666080e0) /
           (((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r +
                 3.9307895800092710610e4) * r + 2.1213794301586595867e4) * r +
               5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r +
             4.2313330701600911252e1) * r + 1.0);
  }
  double r = __builtin_sqrt(-log(tail)), z;
  if (!(tail > 0.0)) return tail == 0.0 ? __builtin_copysign(INFINITY, q) : NAN;
  if (r <= 5.0) {
    r -= 1.6;
    z = (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r +
              2.41780725177450611770e-1) * r + 1.27045825245236838258e0) * r +
            3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r +
          4.63033784615654529590e0) * r + 1.42343711074968357734e0) /
        (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r +
              1.51986665636164571966e-2) * r + 1.48103976427480074590e-1) * r +
            6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r +
          2.05319162663775882187e0) * r + 1.0);
  } else {
    r -= 5.0;
    z = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r +
              1.24266094738807843860e-3) * r + 2.65321895265761230930e-2) * r +
            2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r +
          5.46378491116411436990e0) * r + 6.65790464350110377720e0) /
        (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r +
              1.84631831751005468180e-5) * r + 7.86869131145613259100e-4) * r +
            1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r +
          5.99832206555887937690e-1) * r + 1.0);
  }
  return __builtin_copysign(z, q);
}
ks_inline double normcdfinv(double p) { return ks_normal_quantile(p - 0.5, p < 0.5 ? p : 1.0 - p); }
ks_inline double erfinv(double x) {
  return M_SQRT1_2 * ks_normal_quantile(0.5 * x, 0.5 * (1.0 - __builtin_fabs(x)));
}
ks_inline double erfcinv(double x) {
  return -M_SQRT1_2 * ks_normal_quantile(0.5 * x - 0.5, x < 1.0 ? 0.5 * x : 1.0 - 0.5 * x);
}
ks_inline double normcdf(double x) { return 0.5 * erfc(-M_SQRT1_2 * x); }
// exp(x*x) * erfc(x); beyond 25 the square overflows, the continued fraction does not.
ks_inline double erfcx(double x) {
  if (x < 25.0) return exp(x * x) * erfc(x);
  const double s = x * x;
  return 0.5641895835477563 / x * (1.0 - 0.5 / s * (1.0 - 1.5 / s * (1.0 - 2.5 / s)));
}
ks_inline float normcdfinvf(float x) { return (float)normcdfinv((double)x); }
ks_inline float erfinvf(float x) { return (float)erfinv((double)x); }
ks_inline float erfcinvf(float x) { return (float)erfcinv((double)x); }
ks_inline float normcdff(float x) { return (float)normcdf((double)x); }
ks_inline float erfcxf(float x) { return (float)erfcx((double)x); }

// Modified Bessel functions by their series, which has positive terms only.
ks_inline double ks_bessel_i(int order, double x) {
  const double h = 0.5 * x;
  double term = order ? h : 1.0, sum = term;
  for (int k = 1; k < 500; ++k) {
    term *= h * h / ((double)k * (k + order));
    sum += term;
    if (__builtin_fabs(term) <= 1e-17 * __builtin_fabs(sum)) break;
  }
  return sum;
}
ks_inline double cyl_bessel_i0(double x) { return ks_bessel_i(0, x); }
ks_inline double cyl_bessel_i1(double x) { return ks_bessel_i(1, x); }
ks_inline float cyl_bessel_i0f(float x) { return (float)ks_bessel_i(0, (double)x); }
ks_inline float cyl_bessel_i1f(float x) { return (float)ks_bessel_i(1, (double)x); }

// Norms, scaled so that no square overflows.
ks_inline double ks_scale(double m) { return m > 0.0 && __builtin_isfinite(m) ? m : 1.0; }
ks_inline double norm3d(double a, double b, double c) {
  const double m = ks_scale(__builtin_fmax(__builtin_fabs(a), __builtin_fmax(__builtin_fabs(b), __builtin_fabs(c))));
  a /= m, b /= m, c /= m;
  return m * __builtin_sqrt(a * a + b * b + c * c);
}
ks_inline double norm4d(double a, double b, double c, double d) {
  const double m = ks_scale(__builtin_fmax(__builtin_fmax(__builtin_fabs(a), __builtin_fabs(d)), __builtin_fmax(__builtin_fabs(b), __builtin_fabs(c))));
  a /= m, b /= m, c /= m, d /= m;
  return m * __builtin_sqrt(a * a + b * b + c * c + d * d);
}
ks_inline double norm(int n, const double* p) {
  double m = 0, sum = 0;
  for (int i = 0; i < n; ++i) m = __builtin_fmax(m, __builtin_fabs(p[i]));
  m = ks_scale(m);
  for (int i = 0; i < n; ++i) sum += p[i] / m * (p[i] / m);
  return m * __builtin_sqrt(sum);
}
ks_inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
ks_inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
ks_inline double rnorm(int n, const double* p) { return 1.0 / norm(n, p); }
ks_inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
// A double has room for the squares of floats.
ks_inline float norm3df(float a, float b, float c) {
  return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c);
}
ks_inline float norm4df(float a, float b, float c, float d) {
  return (float)__builtin_sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d);
}
ks_inline float normf(int n, const float* p) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (double)p[i] * p[i];
  return (float)__builtin_sqrt(sum);
}
ks_inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
ks_inline float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
ks_inline float rnormf(int n, const float* p) { return 1.0f / normf(n, p); }
ks_inline float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
ks_inline float fdividef(float a, float b) { return a / b; }

KS_ONE(rsqrt)
KS_ONE(rcbrt)
KS_ONE(sinpi)
KS_ONE(cospi)
KS_ONE(erfinv)
KS_ONE(erfcinv)
KS_ONE(normcdf)
KS_ONE(normcdfinv)
KS_ONE(erfcx)
KS_ONE(cyl_bessel_i0)
KS_ONE(cyl_bessel_i1)
#undef KS_ONE
ks_inline float rhypot(float a, float b) { return rhypotf(a, b); }
ks_inline float norm3d(float a, float b, float c) { return norm3df(a, b, c); }
ks_inline float norm4d(float a, float b, float c, float d) { return norm4df(a, b, c, d); }
ks_inline float rnorm3d(float a, float b, float c) { return rnorm3df(a, b, c); }
ks_inline float rnorm4d(float a, float b, float c, float d) { return rnorm4df(a, b, c, d); }
