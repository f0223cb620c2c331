// Complex numbers, layout-compatible with std::complex: ks_complex64 and
// ks_complex128 of generated text, thrust::complex and std::complex of users'.
//
// Multiplication and division follow C99: an infinite operand gives an infinite
// result where the plain formula gives NaN.
#pragma once

// The class lives beside its functions, which are found by its name alone: programs
// have their own `real`, `norm` and `conj`.
namespace ks_complex_functions {
template <class T>
struct alignas(2 * sizeof(T)) ks_complex {
  typedef T value_type;
  T re, im;

  ks_complex() = default;
  ks_inline constexpr ks_complex(T re, T im = T()) : re(re), im(im) {}
  template <class U> ks_inline constexpr ks_complex(const ks_complex<U>& o) : re((T)o.re), im((T)o.im) {}
  ks_inline constexpr T real() const { return re; }
  ks_inline constexpr T imag() const { return im; }
  ks_inline void real(T v) { re = v; }
  ks_inline void imag(T v) { im = v; }
  ks_inline ks_complex& operator=(T v) { re = v, im = T(); return *this; }
  ks_inline ks_complex& operator+=(const ks_complex& o) { re += o.re, im += o.im; return *this; }
  ks_inline ks_complex& operator-=(const ks_complex& o) { re -= o.re, im -= o.im; return *this; }
  ks_inline ks_complex& operator*=(const ks_complex& o) { return *this = *this * o; }
  ks_inline ks_complex& operator/=(const ks_complex& o) { return *this = *this / o; }
  ks_inline ks_complex& operator+=(T v) { re += v; return *this; }
  ks_inline ks_complex& operator-=(T v) { re -= v; return *this; }
  ks_inline ks_complex& operator*=(T v) { re *= v, im *= v; return *this; }
  ks_inline ks_complex& operator/=(T v) { re /= v, im /= v; return *this; }

  ks_inline friend ks_complex operator+(const ks_complex& a, const ks_complex& b) { return {a.re + b.re, a.im + b.im}; }
  ks_inline friend ks_complex operator-(const ks_complex& a, const ks_complex& b) { return {a.re - b.re, a.im - b.im}; }
  ks_inline friend ks_complex operator+(const ks_complex& a, T b) { return {a.re + b, a.im}; }
  ks_inline friend ks_complex operator-(const ks_complex& a, T b) { return {a.re - b, a.im}; }
  ks_inline friend ks_complex operator*(const ks_complex& a, T b) { return {a.re * b, a.im * b}; }
  ks_inline friend ks_complex operator/(const ks_complex& a, T b) { return {a.re / b, a.im / b}; }
  ks_inline friend ks_complex operator+(T a, const ks_complex& b) { return {a + b.re, b.im}; }
  ks_inline friend ks_complex operator-(T a, const ks_complex& b) { return {a - b.re, -b.im}; }
  ks_inline friend ks_complex operator*(T a, const ks_complex& b) { return {a * b.re, a * b.im}; }
  ks_inline friend ks_complex operator/(T a, const ks_complex& b) { return ks_complex(a) / b; }
  ks_inline friend ks_complex operator+(const ks_complex& a) { return a; }
  ks_inline friend ks_complex operator-(const ks_complex& a) { return {-a.re, -a.im}; }
  ks_inline friend bool operator==(const ks_complex& a, const ks_complex& b) { return a.re == b.re && a.im == b.im; }
  ks_inline friend bool operator!=(const ks_complex& a, const ks_complex& b) { return !(a == b); }
  ks_inline friend bool operator==(const ks_complex& a, T b) { return a.re == b && a.im == T(); }
  ks_inline friend bool operator!=(const ks_complex& a, T b) { return !(a == b); }

  ks_inline friend ks_complex operator*(const ks_complex& a, const ks_complex& b) {
    T x = a.re * b.re - a.im * b.im, y = a.re * b.im + a.im * b.re;
    if (__builtin_expect(x != x && y != y, 0)) return recover_product(a, b, {x, y});
    return {x, y};
  }
  // Smith's way: the larger part of the divisor is divided out first.
  ks_inline friend ks_complex operator/(const ks_complex& a, const ks_complex& b) {
    const bool swap = magnitude(b.re) < magnitude(b.im);
    const T big = swap ? b.im : b.re, small = swap ? b.re : b.im;
    const T ratio = small / big, scale = T(1) / (big + small * ratio);
    T x = swap ? (a.re * ratio + a.im) * scale : (a.re + a.im * ratio) * scale;
    T y = swap ? (a.im * ratio - a.re) * scale : (a.im - a.re * ratio) * scale;
    if (__builtin_expect(x != x && y != y, 0)) return recover_quotient(a, b, {x, y});
    return {x, y};
  }

 private:
  ks_inline static T magnitude(T v) { return v < 0 ? -v : v; }
  ks_inline static bool is_infinite(T v) { return __builtin_isinf(v); }
  ks_inline static T box(T v) { return (T)__builtin_copysign(is_infinite(v) ? 1.0 : 0.0, (double)v); }
  ks_inline static T zero_nan(T v) { return v != v ? (T)__builtin_copysign(0.0, (double)v) : v; }
  __host__ __device__ static ks_complex recover_product(ks_complex a, ks_complex b, ks_complex r) {
    bool again = false;
    if (is_infinite(a.re) || is_infinite(a.im)) {
      a = {box(a.re), box(a.im)}, b = {zero_nan(b.re), zero_nan(b.im)};
      again = true;
    }
    if (is_infinite(b.re) || is_infinite(b.im)) {
      b = {box(b.re), box(b.im)}, a = {zero_nan(a.re), zero_nan(a.im)};
      again = true;
    }
    if (!again && (is_infinite(a.re * b.re) || is_infinite(a.im * b.im) || is_infinite(a.re * b.im) ||
                   is_infinite(a.im * b.re))) {
      a = {zero_nan(a.re), zero_nan(a.im)}, b = {zero_nan(b.re), zero_nan(b.im)};
      again = true;
    }
    const T inf = (T)__builtin_inf();
    return again ? ks_complex(inf * (a.re * b.re - a.im * b.im), inf * (a.re * b.im + a.im * b.re)) : r;
  }
  __host__ __device__ static ks_complex recover_quotient(ks_complex a, ks_complex b, ks_complex r) {
    const T inf = (T)__builtin_inf();
    const bool a_finite = a.re - a.re == 0 && a.im - a.im == 0, b_finite = b.re - b.re == 0 && b.im - b.im == 0;
    if (b.re == 0 && b.im == 0 && (a.re == a.re || a.im == a.im)) {
      const T signed_inf = (T)__builtin_copysign((double)inf, (double)b.re);
      return {signed_inf * a.re, signed_inf * a.im};
    }
    if ((is_infinite(a.re) || is_infinite(a.im)) && b_finite) {
      a = {box(a.re), box(a.im)};
      return {inf * (a.re * b.re + a.im * b.im), inf * (a.im * b.re - a.re * b.im)};
    }
    if ((is_infinite(b.re) || is_infinite(b.im)) && a_finite) {
      b = {box(b.re), box(b.im)};
      return {T(0) * (a.re * b.re + a.im * b.im), T(0) * (a.im * b.re - a.re * b.im)};
    }
    return r;
  }
};
#define KS_C template <class T> ks_inline
KS_C T real(const ks_complex<T>& z) { return z.re; }
KS_C T imag(const ks_complex<T>& z) { return z.im; }
KS_C ks_complex<T> conj(const ks_complex<T>& z) { return {z.re, -z.im}; }
KS_C T norm(const ks_complex<T>& z) { return z.re * z.re + z.im * z.im; }
KS_C T abs(const ks_complex<T>& z) { return ::hypot(z.re, z.im); }
KS_C T arg(const ks_complex<T>& z) { return ::atan2(z.im, z.re); }
KS_C ks_complex<T> polar(T r, T angle = T()) { return {r * ::cos(angle), r * ::sin(angle)}; }
KS_C ks_complex<T> proj(const ks_complex<T>& z) {
  if (__builtin_isinf(z.re) || __builtin_isinf(z.im)) return {(T)__builtin_inf(), (T)__builtin_copysign(0.0, (double)z.im)};
  return z;
}
KS_C ks_complex<T> exp(const ks_complex<T>& z) {
  if (z.im == 0) return {::exp(z.re), z.im};
  if (z.re == -(T)__builtin_inf()) {
    if (!(z.im - z.im == 0)) return {T(0), (T)__builtin_copysign(0.0, (double)z.im)};
    return {T(0) * ::cos(z.im), T(0) * ::sin(z.im)};
  }
  if (z.re == (T)__builtin_inf() && !(z.im - z.im == 0)) return {z.re, z.im - z.im};
  const T e = ::exp(z.re);
  return {e * ::cos(z.im), e * ::sin(z.im)};
}
KS_C ks_complex<T> log(const ks_complex<T>& z) { return {::log(abs(z)), arg(z)}; }
KS_C ks_complex<T> log10(const ks_complex<T>& z) {
  const ks_complex<T> l = log(z);
  return {l.re / (T)M_LN10, l.im / (T)M_LN10};
}
KS_C ks_complex<T> sqrt(const ks_complex<T>& z) {
  if (__builtin_isinf(z.im)) return {(T)__builtin_inf(), z.im};
  if (z.re == 0 && z.im == 0) return {T(0), z.im};
  const T m = abs(z);
  const T r = ::sqrt((m + (z.re < 0 ? -z.re : z.re)) * T(0.5));
  const T other = (z.im < 0 ? -z.im : z.im) / (r + r);
  return z.re >= 0 ? ks_complex<T>(r, (T)__builtin_copysign((double)other, (double)z.im))
                   : ks_complex<T>(other, (T)__builtin_copysign((double)r, (double)z.im));
}
KS_C ks_complex<T> pow(const ks_complex<T>& a, const ks_complex<T>& b) {
  if (a.re == 0 && a.im == 0) return b.re == 0 && b.im == 0 ? ks_complex<T>(1) : ks_complex<T>(0);
  return exp(b * log(a));
}
KS_C ks_complex<T> pow(const ks_complex<T>& a, T b) { return pow(a, ks_complex<T>(b)); }
KS_C ks_complex<T> pow(T a, const ks_complex<T>& b) { return pow(ks_complex<T>(a), b); }
KS_C ks_complex<T> pow(const ks_complex<T>& a, int n) {
  ks_complex<T> r(1), base = a;
  for (unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n; k; k >>= 1, base = base * base)
    if (k & 1) r = r * base;
  return n < 0 ? ks_complex<T>(1) / r : r;
}
KS_C ks_complex<T> sinh(const ks_complex<T>& z) { return {::sinh(z.re) * ::cos(z.im), ::cosh(z.re) * ::sin(z.im)}; }
KS_C ks_complex<T> cosh(const ks_complex<T>& z) { return {::cosh(z.re) * ::cos(z.im), ::sinh(z.re) * ::sin(z.im)}; }
KS_C ks_complex<T> tanh(const ks_complex<T>& z) {
  const T t = ::tanh(z.re), u = ::tan(z.im);
  return ks_complex<T>(t, u) / ks_complex<T>(T(1), t * u);
}
KS_C ks_complex<T> sin(const ks_complex<T>& z) { return {::sin(z.re) * ::cosh(z.im), ::cos(z.re) * ::sinh(z.im)}; }
KS_C ks_complex<T> cos(const ks_complex<T>& z) { return {::cos(z.re) * ::cosh(z.im), -::sin(z.re) * ::sinh(z.im)}; }
KS_C ks_complex<T> tan(const ks_complex<T>& z) {
  const ks_complex<T> h = tanh(ks_complex<T>(-z.im, z.re));
  return {h.im, -h.re};
}
KS_C ks_complex<T> asinh(const ks_complex<T>& z) { return log(z + sqrt(z * z + T(1))); }
KS_C ks_complex<T> acosh(const ks_complex<T>& z) { return log(z + sqrt(z + T(1)) * sqrt(z - T(1))); }
KS_C ks_complex<T> atanh(const ks_complex<T>& z) { return (log(T(1) + z) - log(T(1) - z)) * T(0.5); }
KS_C ks_complex<T> asin(const ks_complex<T>& z) {
  const ks_complex<T> h = asinh(ks_complex<T>(-z.im, z.re));
  return {h.im, -h.re};
}
KS_C ks_complex<T> acos(const ks_complex<T>& z) {
  const ks_complex<T> s = asin(z);
  return {(T)M_PI_2 - s.re, -s.im};
}
KS_C ks_complex<T> atan(const ks_complex<T>& z) {
  const ks_complex<T> h = atanh(ks_complex<T>(-z.im, z.re));
  return {h.im, -h.re};
}
#undef KS_C
}  // namespace ks_complex_functions
template <class T> using ks_complex = ks_complex_functions::ks_complex<T>;
typedef ks_complex<float> ks_complex64;
typedef ks_complex<double> ks_complex128;

#ifndef KS_NVRTC  // there NVIDIA's own headers have these
namespace std {
template <class T> using complex = ks_complex<T>;
using namespace ::ks_complex_functions;
}  // namespace std
namespace thrust {
template <class T> using complex = ks_complex<T>;
using namespace ::ks_complex_functions;
}  // namespace thrust
#endif
