#include "kasoku/kernel/header_text.h"

namespace kasoku {

const char complex_header[] = R"cuda(
#ifndef KS_USER_COMPLEX
#define KS_USER_COMPLEX
#ifdef __clang__
// Our own prelude has complex numbers; here are their names.
template <typename T> using complex = ks_complex_functions::ks_complex<T>;
using namespace ks_complex_functions;
namespace pycuda {
template <typename T> using complex = ks_complex_functions::ks_complex<T>;
using namespace ::ks_complex_functions;
}
#else
namespace ks_user {
#define KS_CX __device__ __forceinline__

template <typename T> struct complex;

template <typename T> struct ks_complex_parts {
  typedef T value_type;
  T re, im;
  KS_CX T real() const { return re; }
  KS_CX T imag() const { return im; }
  KS_CX void real(T value) { re = value; }
  KS_CX void imag(T value) { im = value; }
};

#define KS_COMPLEX_COMMON(T)                                                                  \
  KS_CX complex(T real = T(0), T imag = T(0)) { re = real; im = imag; }                       \
  KS_CX complex& operator=(T value) { re = value; im = T(0); return *this; }                  \
  KS_CX complex& operator+=(complex b) { re += b.re; im += b.im; return *this; }              \
  KS_CX complex& operator-=(complex b) { re -= b.re; im -= b.im; return *this; }              \
  KS_CX complex& operator*=(complex b) { return *this = *this * b; }                          \
  KS_CX complex& operator/=(complex b) { return *this = *this / b; }                          \
  KS_CX complex& operator*=(T b) { re *= b; im *= b; return *this; }                          \
  KS_CX complex& operator/=(T b) { re /= b; im /= b; return *this; }                          \
  friend KS_CX complex operator+(complex a) { return a; }                                     \
  friend KS_CX complex operator-(complex a) { return complex(-a.re, -a.im); }                 \
  friend KS_CX complex operator+(complex a, complex b) { return complex(a.re + b.re, a.im + b.im); } \
  friend KS_CX complex operator+(complex a, T b) { return complex(a.re + b, a.im); }          \
  friend KS_CX complex operator+(T a, complex b) { return complex(a + b.re, b.im); }          \
  friend KS_CX complex operator-(complex a, complex b) { return complex(a.re - b.re, a.im - b.im); } \
  friend KS_CX complex operator-(complex a, T b) { return complex(a.re - b, a.im); }          \
  friend KS_CX complex operator-(T a, complex b) { return complex(a - b.re, -b.im); }         \
  friend KS_CX complex operator*(complex a, complex b) {                                      \
    return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);                     \
  }                                                                                           \
  friend KS_CX complex operator*(complex a, T b) { return complex(a.re * b, a.im * b); }      \
  friend KS_CX complex operator*(T a, complex b) { return complex(a * b.re, a * b.im); }      \
  friend KS_CX complex operator/(complex a, T b) { return complex(a.re / b, a.im / b); }      \
  friend KS_CX complex operator/(complex a, complex b) {                                      \
    /* scaled by the larger part, so that nothing overflows on the way */                     \
    const T br = b.re < T(0) ? -b.re : b.re, bi = b.im < T(0) ? -b.im : b.im;                 \
    if (br >= bi) {                                                                           \
      if (br == T(0)) return complex(a.re / br, a.im / br);                                   \
      const T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);                      \
      return complex((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);           \
    }                                                                                         \
    const T ratio = b.re / b.im, scale = T(1) / (b.im + b.re * ratio);                        \
    return complex((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);             \
  }                                                                                           \
  friend KS_CX complex operator/(T a, complex b) { return complex(a) / b; }                   \
  friend KS_CX bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; } \
  friend KS_CX bool operator!=(complex a, complex b) { return !(a == b); }                    \
  friend KS_CX bool operator<(complex a, complex b) {                                         \
    return a.re == b.re ? a.im < b.im : a.re < b.re;                                          \
  }                                                                                           \
  friend KS_CX bool operator>(complex a, complex b) { return b < a; }                         \
  friend KS_CX bool operator<=(complex a, complex b) { return !(b < a); }                     \
  friend KS_CX bool operator>=(complex a, complex b) { return !(a < b); }

template <> struct complex<float> : ks_complex_parts<float> {
  KS_COMPLEX_COMMON(float)
  KS_CX explicit complex(const complex<double>& other);
  KS_CX complex& operator=(const complex<double>& other);
};
template <> struct complex<double> : ks_complex_parts<double> {
  KS_COMPLEX_COMMON(double)
  KS_CX complex(const complex<float>& other) { re = other.re; im = other.im; }
};
KS_CX complex<float>::complex(const complex<double>& other) {
  re = float(other.re); im = float(other.im);
}
KS_CX complex<float>& complex<float>::operator=(const complex<double>& other) {
  re = float(other.re); im = float(other.im); return *this;
}
#undef KS_COMPLEX_COMMON

#define KS_CX_FUNCTIONS(T, S)                                                                 \
  KS_CX T real(complex<T> z) { return z.re; }                                                 \
  KS_CX T imag(complex<T> z) { return z.im; }                                                 \
  KS_CX T norm(complex<T> z) { return z.re * z.re + z.im * z.im; }                            \
  KS_CX T abs(complex<T> z) { return ::hypot##S(z.re, z.im); }                                \
  KS_CX T arg(complex<T> z) { return ::atan2##S(z.im, z.re); }                                \
  KS_CX complex<T> conj(complex<T> z) { return complex<T>(z.re, -z.im); }                     \
  KS_CX complex<T> polar(T r, T angle) { return complex<T>(r * ::cos##S(angle), r * ::sin##S(angle)); } \
  KS_CX complex<T> exp(complex<T> z) {                                                        \
    const T e = ::exp##S(z.re);                                                               \
    if (z.im == T(0)) return complex<T>(e, z.im);                                             \
    return complex<T>(e * ::cos##S(z.im), e * ::sin##S(z.im));                                \
  }                                                                                           \
  KS_CX complex<T> log(complex<T> z) { return complex<T>(::log##S(abs(z)), arg(z)); }         \
  KS_CX complex<T> log10(complex<T> z) { return log(z) * T(0.43429448190325182765); }         \
  KS_CX complex<T> sqrt(complex<T> z) {                                                       \
    if (z.re == T(0) && z.im == T(0)) return complex<T>(T(0), z.im);                          \
    const T m = abs(z), half = ::sqrt##S((m + ::fabs##S(z.re)) * T(0.5));                     \
    const T other = ::fabs##S(z.im) / (T(2) * half);                                          \
    if (z.re >= T(0)) return complex<T>(half, z.im < T(0) ? -other : other);                  \
    return complex<T>(other, z.im < T(0) ? -half : half);                                     \
  }                                                                                           \
  KS_CX complex<T> pow(complex<T> a, complex<T> b) {                                          \
    if (a.re == T(0) && a.im == T(0))                                                         \
      return b.re == T(0) && b.im == T(0) ? complex<T>(T(1)) : complex<T>(T(0));              \
    return exp(b * log(a));                                                                   \
  }                                                                                           \
  KS_CX complex<T> pow(complex<T> a, T b) { return pow(a, complex<T>(b)); }                   \
  KS_CX complex<T> pow(T a, complex<T> b) { return pow(complex<T>(a), b); }                   \
  KS_CX complex<T> pow(complex<T> a, int b) {                                                 \
    complex<T> result(T(1)), square = a;                                                      \
    for (unsigned n = b < 0 ? 0u - unsigned(b) : unsigned(b); n; n >>= 1, square *= square)   \
      if (n & 1) result *= square;                                                            \
    return b < 0 ? complex<T>(T(1)) / result : result;                                        \
  }                                                                                           \
  KS_CX complex<T> sinh(complex<T> z) {                                                       \
    return complex<T>(::sinh##S(z.re) * ::cos##S(z.im), ::cosh##S(z.re) * ::sin##S(z.im));    \
  }                                                                                           \
  KS_CX complex<T> cosh(complex<T> z) {                                                       \
    return complex<T>(::cosh##S(z.re) * ::cos##S(z.im), ::sinh##S(z.re) * ::sin##S(z.im));    \
  }                                                                                           \
  KS_CX complex<T> tanh(complex<T> z) { return sinh(z) / cosh(z); }                           \
  KS_CX complex<T> sin(complex<T> z) {                                                        \
    return complex<T>(::sin##S(z.re) * ::cosh##S(z.im), ::cos##S(z.re) * ::sinh##S(z.im));    \
  }                                                                                           \
  KS_CX complex<T> cos(complex<T> z) {                                                        \
    return complex<T>(::cos##S(z.re) * ::cosh##S(z.im), -::sin##S(z.re) * ::sinh##S(z.im));   \
  }                                                                                           \
  KS_CX complex<T> tan(complex<T> z) { return sin(z) / cos(z); }                              \
  KS_CX bool isnan(complex<T> z) { return z.re != z.re || z.im != z.im; }

KS_CX_FUNCTIONS(float, f)
KS_CX_FUNCTIONS(double, )
#undef KS_CX_FUNCTIONS
#undef KS_CX
}  // namespace ks_user

using ks_user::complex;
#define KS_USE(name) using ks_user::name;
#define KS_USE_ALL                                                                            \
  KS_USE(complex) KS_USE(real) KS_USE(imag) KS_USE(norm) KS_USE(abs) KS_USE(arg) KS_USE(conj) \
  KS_USE(polar) KS_USE(exp) KS_USE(log) KS_USE(log10) KS_USE(sqrt) KS_USE(pow) KS_USE(sin)    \
  KS_USE(cos) KS_USE(tan) KS_USE(sinh) KS_USE(cosh) KS_USE(tanh)
namespace pycuda { KS_USE_ALL }
namespace thrust { KS_USE_ALL }
using ks_user::real;
using ks_user::imag;
using ks_user::conj;
using ks_user::arg;
using ks_user::norm;
using ks_user::polar;
#undef KS_USE_ALL
#undef KS_USE
#endif
#endif
)cuda";

}  // namespace kasoku
