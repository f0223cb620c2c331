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
    const T x = a.re * b.re - a.im * b.im, y = a.re * b.im + a.im * b.re;
    return recovered(a, b, {x, y});
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
  ks_inline static T signed_as(T size, T sign) {
    return sizeof(T) == 4 ? (T)__builtin_copysignf((float)size, (float)sign) : (T)__builtin_copysign((double)size, (double)sign);
  }
  ks_inline static T box(T v) { return signed_as(is_infinite(v) ? T(1) : T(0), v); }
  ks_inline static T zero_nan(T v) { return v != v ? signed_as(T(0), v) : v; }
  // Without branches, so that loops over products become vectors.
  ks_inline static ks_complex recovered(ks_complex a, ks_complex b, ks_complex r) {
    const bool a_infinite = is_infinite(a.re) | is_infinite(a.im), b_infinite = is_infinite(b.re) | is_infinite(b.im);
    const bool overflows = is_infinite(a.re * b.re) | is_infinite(a.im * b.im) | is_infinite(a.re * b.im) | is_infinite(a.im * b.re);
    const bool is_lost = (r.re != r.re) & (r.im != r.im) & (a_infinite | b_infinite | overflows);
    const ks_complex c = {zero_nan(a_infinite ? box(a.re) : a.re), zero_nan(a_infinite ? box(a.im) : a.im)};
    const ks_complex d = {zero_nan(b_infinite ? box(b.re) : b.re), zero_nan(b_infinite ? box(b.im) : b.im)};
    const T inf = (T)__builtin_inf();
    return {is_lost ? inf * (c.re * d.re - c.im * d.im) : r.re, is_lost ? inf * (c.re * d.im + c.im * d.re) : r.im};
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
// The functions follow C99's annex G where a part is infinite or NaN, and Kahan elsewhere.
template <class T> struct ks_part {
  static constexpr bool is_single = sizeof(T) == 4;
  // Above `large` magnitudes overflow, above `root` squares; below `small` they lose bits, until multiplied by `up`.
  static constexpr T large = is_single ? 8.5e37 : 4.4e307, root = is_single ? 9.2e18 : 6.7e153;
  static constexpr T small = is_single ? 1.17549435e-38 : 2.2250738585072014e-308, up = is_single ? 16777216.0 : 18014398509481984.0;
  static constexpr T exponent = is_single ? 88 : 709;  // exp overflows above the next
  static constexpr T e = 2.7182818284590452354, ln2 = 0.69314718055994530942, ln10 = 2.30258509299404568402, half_pi = 1.57079632679489661923;
  ks_inline static T signed_as(T size, T sign) { return (T)__builtin_copysign((double)size, (double)sign); }
  ks_inline static T absolute(T v) { return signed_as(v, T(1)); }
  ks_inline static bool is_finite(T v) { return v - v == 0; }
  ks_inline static bool is_large(const ks_complex<T>& z) { return absolute(z.re) > large || absolute(z.im) > large; }
  // The logarithm of the magnitude, which is that of its square near 1.
  ks_inline static T log_size(const ks_complex<T>& z) {
    const T x = absolute(z.re), y = absolute(z.im), most = x > y ? x : y, least = x > y ? y : x;
    if (is_large(z)) return ::log(::hypot(x / 2, y / 2)) + ln2;
    if (x < small && y < small) return most == 0 ? -(T)__builtin_inf() : ::log(::hypot(x * up, y * up)) - ::log(up);
    const T size = ::hypot(x, y);
    return size > T(0.71) && size < T(1.73) ? ::log1p((most - 1) * (most + 1) + least * least) / 2 : ::log(size);
  }
};
KS_C ks_complex<T> exp(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (z.im == 0) return {::exp(z.re), z.im};
  if (!part::is_finite(z.im) && __builtin_isinf(z.re)) return z.re > 0 ? ks_complex<T>(z.re, z.im - z.im) : ks_complex<T>(T(0), part::signed_as(T(0), z.im));
  const bool is_large = z.re > part::exponent;
  const T e = ::exp(is_large ? z.re - 1 : z.re), more = is_large ? part::e : T(1);
  return {e * ::cos(z.im) * more, e * ::sin(z.im) * more};
}
KS_C ks_complex<T> log(const ks_complex<T>& z) { return {ks_part<T>::log_size(z), arg(z)}; }
KS_C ks_complex<T> log10(const ks_complex<T>& z) {
  const ks_complex<T> l = log(z);
  return {l.re / ks_part<T>::ln10, l.im / ks_part<T>::ln10};
}
KS_C ks_complex<T> sqrt(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (__builtin_isinf(z.im)) return {(T)__builtin_inf(), z.im};
  if (z.re == 0 && z.im == 0) return {T(0), z.im};
  const T x = part::absolute(z.re), y = part::absolute(z.im);
  const bool is_small = x < part::small && y < part::small;
  const T s = is_small ? ::sqrt((x * part::up + ::hypot(x * part::up, y * part::up)) / 2) / ::sqrt(part::up)
                       : 2 * ::sqrt(x / 8 + ::hypot(x / 8, y / 8));
  const T other = y / (s + s);
  return z.re >= 0 ? ks_complex<T>(s, part::signed_as(other, z.im)) : ks_complex<T>(other, part::signed_as(s, z.im));
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
KS_C ks_complex<T> sinh(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (z.im == 0) return {::sinh(z.re), z.im};
  if (!part::is_finite(z.im) && (z.re == 0 || __builtin_isinf(z.re))) return {z.re, z.im - z.im};
  const bool is_large = part::absolute(z.re) > part::exponent;
  const T x = is_large ? z.re - part::signed_as(T(1), z.re) : z.re, more = is_large ? part::e : T(1);
  return {::sinh(x) * ::cos(z.im) * more, ::cosh(x) * ::sin(z.im) * more};
}
KS_C ks_complex<T> cosh(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (z.im == 0) return {::cosh(z.re), z.im * part::signed_as(T(1), z.re)};
  if (!part::is_finite(z.im) && z.re == 0) return {z.im - z.im, z.re};
  if (!part::is_finite(z.im) && __builtin_isinf(z.re)) return {part::absolute(z.re), z.im - z.im};
  const bool is_large = part::absolute(z.re) > part::exponent;
  const T x = is_large ? z.re - part::signed_as(T(1), z.re) : z.re, more = is_large ? part::e : T(1);
  return {::cosh(x) * ::cos(z.im) * more, ::sinh(x) * ::sin(z.im) * more};
}
KS_C ks_complex<T> tanh(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (z.im == 0) return {::tanh(z.re), z.im};
  if (z.re == 0) return {z.re, ::tan(z.im)};
  if (__builtin_isinf(z.re) && !part::is_finite(z.im)) return {part::signed_as(T(1), z.re), part::signed_as(T(0), z.im)};
  if (part::absolute(z.re) > part::exponent / 4 && part::is_finite(z.im))
    return {part::signed_as(T(1), z.re), 4 * ::sin(z.im) * ::cos(z.im) * ::exp(-2 * part::absolute(z.re))};
  const T t = ::tanh(z.re), u = ::tan(z.im), c = 1 / ::cosh(z.re), d = 1 + t * t * u * u;
  return {t * (1 + u * u) / d, u / d * c * c};
}
KS_C ks_complex<T> sin(const ks_complex<T>& z) {
  const ks_complex<T> h = sinh(ks_complex<T>(-z.im, z.re));
  return {h.im, -h.re};
}
KS_C ks_complex<T> cos(const ks_complex<T>& z) { return cosh(ks_complex<T>(-z.im, z.re)); }
KS_C ks_complex<T> tan(const ks_complex<T>& z) {
  const ks_complex<T> h = tanh(ks_complex<T>(-z.im, z.re));
  return {h.im, -h.re};
}
KS_C ks_complex<T> asinh(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (z.im == 0) return {::asinh(z.re), z.im};
  if (part::is_large(z))
    return {part::signed_as(part::log_size(z) + part::ln2, z.re), ::atan2(z.im, part::absolute(z.re))};
  const ks_complex<T> a = sqrt(ks_complex<T>(1 + z.im, -z.re)), b = sqrt(ks_complex<T>(1 - z.im, z.re));
  return {::asinh(a.re * b.im - b.re * a.im), ::atan2(z.im, a.re * b.re - a.im * b.im)};
}
KS_C ks_complex<T> asin(const ks_complex<T>& z) {
  const ks_complex<T> h = asinh(ks_complex<T>(-z.im, z.re));
  return {h.im, -h.re};
}
KS_C ks_complex<T> acos(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (part::is_large(z))
    return {::atan2(part::absolute(z.im), z.re), -part::signed_as(part::log_size(z) + part::ln2, z.im)};
  if (z.re == 0 && z.im != z.im) return {part::half_pi, z.im};
  const ks_complex<T> a = sqrt(ks_complex<T>(1 - z.re, -z.im)), b = sqrt(ks_complex<T>(1 + z.re, z.im));
  return {2 * ::atan2(a.re, b.re), ::asinh(b.re * a.im - b.im * a.re)};
}
KS_C ks_complex<T> acosh(const ks_complex<T>& z) {
  const ks_complex<T> a = acos(z);
  return {ks_part<T>::absolute(a.im), ks_part<T>::signed_as(a.re, z.im)};
}
KS_C ks_complex<T> atanh(const ks_complex<T>& z) {
  typedef ks_part<T> part;
  if (z.re == 0) return {z.re, ::atan(z.im)};
  const T x = part::absolute(z.re), y = part::absolute(z.im);
  if ((x > part::root && (y == y || __builtin_isinf(x))) || (y > part::root && (x == x || __builtin_isinf(y)))) {
    const T h = ::hypot(x / 2, y / 2);
    return {part::signed_as(__builtin_isinf(h) ? T(0) : x / 4 / h / h, z.re), z.im != z.im ? z.im : part::signed_as(part::half_pi, z.im)};
  }
  if (x == 1 && y == 0) return {part::signed_as((T)__builtin_inf(), z.re), z.im};
  const T real = x == 1 && y < 1 / part::root ? -::log(::sqrt(y) / ::sqrt(::hypot(y, T(2))))
                                                    : ::log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
  return {part::signed_as(real, z.re), part::signed_as(::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2, z.im)};
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
