// <cuda/std/chrono> and <cuda/std/ratio>: durations, points in time, and the clock that a GPU has. In cuda::std alone, because
// programs name the host's std::chrono too.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace cuda {
namespace std {

constexpr intmax_t ks_gcd(intmax_t a, intmax_t b) {
  while (b) {
    const intmax_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

template <intmax_t n, intmax_t d = 1> struct ratio {
  static_assert(d != 0, "a ratio's denominator is 0");
  static constexpr intmax_t num = (d < 0 ? -n : n) / ks_gcd(n, d), den = (d < 0 ? -d : d) / ks_gcd(n, d);
  typedef ratio<num, den> type;
};
template <class A, class B> using ratio_multiply = typename ratio<A::num * B::num, A::den * B::den>::type;
template <class A, class B> using ratio_divide = typename ratio<A::num * B::den, A::den * B::num>::type;
template <class A, class B> using ratio_add = typename ratio<A::num * B::den + B::num * A::den, A::den * B::den>::type;
template <class A, class B> using ratio_subtract = typename ratio<A::num * B::den - B::num * A::den, A::den * B::den>::type;
#define ks_ratio_order(name, op) \
  template <class A, class B> struct name : ::std::integral_constant<bool, (A::num * B::den op B::num * A::den)> {};
ks_ratio_order(ratio_equal, ==) ks_ratio_order(ratio_not_equal, !=) ks_ratio_order(ratio_less, <)
ks_ratio_order(ratio_less_equal, <=) ks_ratio_order(ratio_greater, >) ks_ratio_order(ratio_greater_equal, >=)
#undef ks_ratio_order
typedef ratio<1, 1000000000000000000> atto;
typedef ratio<1, 1000000000000000> femto;
typedef ratio<1, 1000000000000> pico;
typedef ratio<1, 1000000000> nano;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000> milli;
typedef ratio<1, 100> centi;
typedef ratio<1, 10> deci;
typedef ratio<10> deca;
typedef ratio<100> hecto;
typedef ratio<1000> kilo;
typedef ratio<1000000> mega;
typedef ratio<1000000000> giga;
typedef ratio<1000000000000> tera;
typedef ratio<1000000000000000> peta;
typedef ratio<1000000000000000000> exa;

namespace chrono {

template <class R, class P = ratio<1>> class duration;
template <class T> struct ks_is_duration : ::std::false_type {};
template <class R, class P> struct ks_is_duration<duration<R, P>> : ::std::true_type {};
template <class T> struct treat_as_floating_point : ::std::is_floating_point<T> {};
template <class R> struct duration_values {
  static constexpr R zero() { return R(0); }
  static constexpr R min() { return ::std::numeric_limits<R>::lowest(); }
  static constexpr R max() { return ::std::numeric_limits<R>::max(); }
};

/// In the unit of the result; what is left over goes, as in a division.
template <class To, class R, class P> constexpr ::std::enable_if_t<ks_is_duration<To>::value, To> duration_cast(const duration<R, P>& d) {
  typedef ratio_divide<P, typename To::period> factor;
  typedef ::std::common_type_t<typename To::rep, R, intmax_t> wide;
  return To((typename To::rep)((wide)d.count() * (wide)factor::num / (wide)factor::den));
}

template <class R, class P> class duration {
 public:
  typedef R rep;
  typedef typename P::type period;
  constexpr duration() = default;
  template <class R2, class = ::std::enable_if_t<::std::is_convertible<const R2&, R>::value &&
                                                 (treat_as_floating_point<R>::value || !treat_as_floating_point<R2>::value)>>
  constexpr explicit duration(const R2& count) : count_((R)count) {}
  template <class R2, class P2,
            class = ::std::enable_if_t<treat_as_floating_point<R>::value ||
                                       (ratio_divide<P2, P>::den == 1 && !treat_as_floating_point<R2>::value)>>
  constexpr duration(const duration<R2, P2>& d) : count_(duration_cast<duration>(d).count()) {}
  constexpr R count() const { return count_; }
  constexpr duration operator+() const { return *this; }
  constexpr duration operator-() const { return duration(-count_); }
  constexpr duration& operator++() { return ++count_, *this; }
  constexpr duration& operator--() { return --count_, *this; }
  constexpr duration operator++(int) { return duration(count_++); }
  constexpr duration operator--(int) { return duration(count_--); }
  constexpr duration& operator+=(const duration& d) { return count_ += d.count_, *this; }
  constexpr duration& operator-=(const duration& d) { return count_ -= d.count_, *this; }
  constexpr duration& operator*=(const R& r) { return count_ *= r, *this; }
  constexpr duration& operator/=(const R& r) { return count_ /= r, *this; }
  constexpr duration& operator%=(const R& r) { return count_ %= r, *this; }
  constexpr duration& operator%=(const duration& d) { return count_ %= d.count_, *this; }
  static constexpr duration zero() { return duration(duration_values<R>::zero()); }
  static constexpr duration min() { return duration(duration_values<R>::min()); }
  static constexpr duration max() { return duration(duration_values<R>::max()); }

 private:
  R count_;
};

/// The largest unit of which both are whole multiples.
template <class A, class B> struct ks_common_duration;
template <class R, class P, class S, class Q> struct ks_common_duration<duration<R, P>, duration<S, Q>> {
  typedef duration<::std::common_type_t<R, S>,
                   typename ratio<ks_gcd(P::num, Q::num), P::den / ks_gcd(P::den, Q::den) * Q::den>::type> type;
};
template <class A, class B> using ks_common_duration_t = typename ks_common_duration<A, B>::type;
template <class R, class P, class N, bool is_duration = ks_is_duration<N>::value> struct ks_of_a_number {};
template <class R, class P, class N> struct ks_of_a_number<R, P, N, false> { typedef duration<::std::common_type_t<R, N>, P> type; };
template <class R, class P, class N> using ks_of_number = typename ks_of_a_number<R, P, N>::type;

template <class R, class P, class S, class Q>
constexpr ks_common_duration_t<duration<R, P>, duration<S, Q>> operator+(const duration<R, P>& a, const duration<S, Q>& b) {
  typedef ks_common_duration_t<duration<R, P>, duration<S, Q>> both;
  return both(both(a).count() + both(b).count());
}
template <class R, class P, class S, class Q>
constexpr ks_common_duration_t<duration<R, P>, duration<S, Q>> operator-(const duration<R, P>& a, const duration<S, Q>& b) {
  typedef ks_common_duration_t<duration<R, P>, duration<S, Q>> both;
  return both(both(a).count() - both(b).count());
}
template <class R, class P, class S, class Q>
constexpr ks_common_duration_t<duration<R, P>, duration<S, Q>> operator%(const duration<R, P>& a, const duration<S, Q>& b) {
  typedef ks_common_duration_t<duration<R, P>, duration<S, Q>> both;
  return both(both(a).count() % both(b).count());
}
template <class R, class P, class S, class Q>
constexpr ::std::common_type_t<R, S> operator/(const duration<R, P>& a, const duration<S, Q>& b) {
  typedef ks_common_duration_t<duration<R, P>, duration<S, Q>> both;
  return both(a).count() / both(b).count();
}
template <class R, class P, class N> constexpr ks_of_number<R, P, N> operator*(const duration<R, P>& d, const N& n) {
  return ks_of_number<R, P, N>(ks_of_number<R, P, N>(d).count() * n);
}
template <class N, class R, class P> constexpr ks_of_number<R, P, N> operator*(const N& n, const duration<R, P>& d) { return d * n; }
template <class R, class P, class N> constexpr ks_of_number<R, P, N> operator/(const duration<R, P>& d, const N& n) {
  return ks_of_number<R, P, N>(ks_of_number<R, P, N>(d).count() / n);
}
template <class R, class P, class N> constexpr ks_of_number<R, P, N> operator%(const duration<R, P>& d, const N& n) {
  return ks_of_number<R, P, N>(ks_of_number<R, P, N>(d).count() % n);
}
#define ks_order(op)                                                                                  \
  template <class R, class P, class S, class Q>                                                       \
  constexpr bool operator op(const duration<R, P>& a, const duration<S, Q>& b) {                      \
    typedef ks_common_duration_t<duration<R, P>, duration<S, Q>> both;                                \
    return both(a).count() op both(b).count();                                                        \
  }
ks_order(==) ks_order(!=) ks_order(<) ks_order(<=) ks_order(>) ks_order(>=)
#undef ks_order

typedef duration<long long, nano> nanoseconds;
typedef duration<long long, micro> microseconds;
typedef duration<long long, milli> milliseconds;
typedef duration<long long> seconds;
typedef duration<long, ratio<60>> minutes;
typedef duration<long, ratio<3600>> hours;
typedef duration<int, ratio<86400>> days;
typedef duration<int, ratio<604800>> weeks;
typedef duration<int, ratio<2629746>> months;
typedef duration<int, ratio<31556952>> years;

template <class To, class R, class P> constexpr ::std::enable_if_t<ks_is_duration<To>::value, To> floor(const duration<R, P>& d) {
  const To t = duration_cast<To>(d);
  return t > d ? To(t.count() - 1) : t;
}
template <class To, class R, class P> constexpr ::std::enable_if_t<ks_is_duration<To>::value, To> ceil(const duration<R, P>& d) {
  const To t = duration_cast<To>(d);
  return t < d ? To(t.count() + 1) : t;
}
/// To the nearest, and of two that are as near to the even one.
template <class To, class R, class P> constexpr ::std::enable_if_t<ks_is_duration<To>::value, To> round(const duration<R, P>& d) {
  const To low = floor<To>(d), high = To(low.count() + 1);
  const auto below = d - low, above = high - d;
  if (below == above) return low.count() & 1 ? high : low;
  return below < above ? low : high;
}
template <class R, class P> constexpr duration<R, P> abs(const duration<R, P>& d) { return d < duration<R, P>::zero() ? -d : d; }

template <class C, class D = typename C::duration> class time_point {
 public:
  typedef C clock;
  typedef D duration;
  typedef typename D::rep rep;
  typedef typename D::period period;
  constexpr time_point() : since_(D::zero()) {}
  constexpr explicit time_point(const D& d) : since_(d) {}
  template <class E, class = ::std::enable_if_t<::std::is_convertible<E, D>::value>>
  constexpr time_point(const time_point<C, E>& t) : since_(t.time_since_epoch()) {}
  constexpr D time_since_epoch() const { return since_; }
  constexpr time_point& operator+=(const D& d) { return since_ += d, *this; }
  constexpr time_point& operator-=(const D& d) { return since_ -= d, *this; }
  static constexpr time_point min() { return time_point(D::min()); }
  static constexpr time_point max() { return time_point(D::max()); }

 private:
  D since_;
};
template <class C, class D, class R, class P>
constexpr time_point<C, ks_common_duration_t<D, duration<R, P>>> operator+(const time_point<C, D>& t, const duration<R, P>& d) {
  return time_point<C, ks_common_duration_t<D, duration<R, P>>>(t.time_since_epoch() + d);
}
template <class C, class D, class R, class P>
constexpr time_point<C, ks_common_duration_t<D, duration<R, P>>> operator+(const duration<R, P>& d, const time_point<C, D>& t) { return t + d; }
template <class C, class D, class R, class P>
constexpr time_point<C, ks_common_duration_t<D, duration<R, P>>> operator-(const time_point<C, D>& t, const duration<R, P>& d) {
  return time_point<C, ks_common_duration_t<D, duration<R, P>>>(t.time_since_epoch() - d);
}
template <class C, class D, class E>
constexpr ks_common_duration_t<D, E> operator-(const time_point<C, D>& a, const time_point<C, E>& b) {
  return a.time_since_epoch() - b.time_since_epoch();
}
#define ks_order(op)                                                                               \
  template <class C, class D, class E>                                                             \
  constexpr bool operator op(const time_point<C, D>& a, const time_point<C, E>& b) {               \
    return a.time_since_epoch() op b.time_since_epoch();                                           \
  }
ks_order(==) ks_order(!=) ks_order(<) ks_order(<=) ks_order(>) ks_order(>=)
#undef ks_order
template <class To, class C, class D> constexpr time_point<C, To> time_point_cast(const time_point<C, D>& t) {
  return time_point<C, To>(duration_cast<To>(t.time_since_epoch()));
}
#define ks_of_points(name)                                                                           \
  template <class To, class C, class D> constexpr time_point<C, To> name(const time_point<C, D>& t) { \
    return time_point<C, To>(name<To>(t.time_since_epoch()));                                        \
  }
ks_of_points(floor) ks_of_points(ceil) ks_of_points(round)
#undef ks_of_points

struct system_clock {
  typedef nanoseconds duration;
  typedef duration::rep rep;
  typedef duration::period period;
  typedef chrono::time_point<system_clock> time_point;
  static constexpr bool is_steady = false;
  static time_point now() { return time_point(duration((rep)__globaltimer())); }
};
typedef system_clock high_resolution_clock;
struct steady_clock {
  typedef nanoseconds duration;
  typedef duration::rep rep;
  typedef duration::period period;
  typedef chrono::time_point<steady_clock> time_point;
  static constexpr bool is_steady = true;
  static time_point now() { return time_point(duration((rep)__globaltimer())); }
};
template <class D> using sys_time = time_point<system_clock, D>;
typedef sys_time<seconds> sys_seconds;

}  // namespace chrono

inline namespace literals {
inline namespace chrono_literals {
#define ks_unit(suffix, whole, fraction)                                                              \
  constexpr chrono::whole operator""suffix(unsigned long long n) { return chrono::whole((chrono::whole::rep)n); } \
  constexpr chrono::duration<long double, fraction> operator""suffix(long double n) { return chrono::duration<long double, fraction>(n); }
ks_unit(h, hours, ratio<3600>) ks_unit(min, minutes, ratio<60>) ks_unit(s, seconds, ratio<1>)
ks_unit(ms, milliseconds, milli) ks_unit(us, microseconds, micro) ks_unit(ns, nanoseconds, nano)
#undef ks_unit
}  // namespace chrono_literals
}  // namespace literals
namespace chrono {
using namespace chrono_literals;
}

}  // namespace std
}  // namespace cuda

#pragma clang force_cuda_host_device end
