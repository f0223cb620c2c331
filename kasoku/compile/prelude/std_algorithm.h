// The rest of C++'s library: algorithms, pair, array, span, function objects, bits. What
// Thrust offers to one thread is the same by another name.
#pragma once

namespace ks_std {  // as in std.h
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T, class C> constexpr const T& min(const T& a, const T& b, C less) { return less(b, a) ? b : a; }
template <class T, class C> constexpr const T& max(const T& a, const T& b, C less) { return less(a, b) ? b : a; }
template <class T> constexpr const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
template <class T> constexpr T min(std::initializer_list<T> list) {
  T r = *list.begin();
  for (const T& v : list) r = v < r ? v : r;
  return r;
}
template <class T> constexpr T max(std::initializer_list<T> list) {
  T r = *list.begin();
  for (const T& v : list) r = r < v ? v : r;
  return r;
}
}  // namespace ks_std

namespace std {

// --- algorithms ---
template <class I, class T> constexpr void fill(I b, I e, const T& v) { for (; b != e; ++b) *b = v; }
template <class I, class N, class T> constexpr I fill_n(I b, N n, const T& v) {
  for (; n > 0; --n, ++b) *b = v;
  return b;
}
template <class I, class O> constexpr O copy(I b, I e, O out) {
  for (; b != e; ++b, ++out) *out = *b;
  return out;
}
template <class I, class T> constexpr T accumulate(I b, I e, T v) {
  for (; b != e; ++b) v = v + *b;
  return v;
}
template <class I, class T> constexpr I lower_bound(I b, I e, const T& v) {
  auto n = e - b;
  while (n > 0) {
    auto half = n / 2;
    if (b[half] < v) b += half + 1, n -= half + 1;
    else n = half;
  }
  return b;
}
template <class I, class T> constexpr I upper_bound(I b, I e, const T& v) {
  auto n = e - b;
  while (n > 0) {
    auto half = n / 2;
    if (!(v < b[half])) b += half + 1, n -= half + 1;
    else n = half;
  }
  return b;
}

template <class I, class T> constexpr void iota(I b, I e, T v) { for (; b != e; ++b, ++v) *b = v; }
template <class I, class T> constexpr I find(I b, I e, const T& v) {
  while (b != e && !(*b == v)) ++b;
  return b;
}
template <class I, class F> constexpr F for_each(I b, I e, F f) {
  for (; b != e; ++b) f(*b);
  return f;
}
template <class I, class O, class F> constexpr O transform(I b, I e, O out, F f) {
  for (; b != e; ++b, ++out) *out = f(*b);
  return out;
}
template <class I, class F> constexpr bool any_of(I b, I e, F f) {
  for (; b != e; ++b)
    if (f(*b)) return true;
  return false;
}
template <class I, class F> constexpr bool all_of(I b, I e, F f) {
  for (; b != e; ++b)
    if (!f(*b)) return false;
  return true;
}
template <class I, class F> constexpr bool none_of(I b, I e, F f) { return !any_of(b, e, f); }
template <class I, class F> constexpr I find_if(I b, I e, F f) {
  while (b != e && !f(*b)) ++b;
  return b;
}
template <class I, class T> constexpr ptrdiff_t count(I b, I e, const T& v) {
  ptrdiff_t n = 0;
  for (; b != e; ++b) n += *b == v;
  return n;
}
template <class I, class F> constexpr ptrdiff_t count_if(I b, I e, F f) {
  ptrdiff_t n = 0;
  for (; b != e; ++b) n += f(*b) ? 1 : 0;
  return n;
}
template <class I, class J, class T> constexpr T inner_product(I b, I e, J other, T v) {
  for (; b != e; ++b, ++other) v = v + *b * *other;
  return v;
}
template <class I> constexpr I min_element(I b, I e) {
  I r = b;
  for (; b != e; ++b) r = *b < *r ? b : r;
  return r;
}
template <class I> constexpr I max_element(I b, I e) {
  I r = b;
  for (; b != e; ++b) r = *r < *b ? b : r;
  return r;
}
template <class I> constexpr void reverse(I b, I e) {
  while (b != e && b != --e) swap(*b++, *e);
}
// Short arrays of one thread: insertion keeps equal elements in order.
template <class I, class L> constexpr void stable_sort(I b, I e, L less) {
  for (I i = b; i != e; ++i) {
    auto v = *i;
    I j = i;
    for (; j != b && less(v, *(j - 1)); --j) *j = *(j - 1);
    *j = v;
  }
}

struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
template <class Tag, class T, class D = ptrdiff_t, class P = T*, class R = T&> struct iterator {
  typedef Tag iterator_category;
  typedef T value_type;
  typedef D difference_type;
  typedef P pointer;
  typedef R reference;
};
template <class I> struct iterator_traits {
  typedef typename I::iterator_category iterator_category;
  typedef typename I::value_type value_type;
  typedef typename I::difference_type difference_type;
  typedef typename I::pointer pointer;
  typedef typename I::reference reference;
};
template <class T> struct iterator_traits<T*> : iterator<random_access_iterator_tag, remove_cv_t<T>, ptrdiff_t, T*, T&> {};
template <class I> constexpr auto distance(I b, I e) { return e - b; }
template <class I, class N> constexpr void advance(I& i, N n) { i += n; }

template <class A, class B> struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  constexpr pair() : first(), second() {}
  constexpr pair(const A& a, const B& b) : first(a), second(b) {}
  template <class C, class D> constexpr pair(const pair<C, D>& o) : first(o.first), second(o.second) {}
};
template <class A, class B> constexpr bool operator==(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first == y.first && x.second == y.second;
}
template <class A, class B> constexpr bool operator!=(const pair<A, B>& x, const pair<A, B>& y) { return !(x == y); }
template <class A, class B> constexpr bool operator<(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}
template <class A, class B> constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return pair<decay_t<A>, decay_t<B>>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <size_t i, class A, class B> constexpr auto& get(pair<A, B>& p) {
  if constexpr (i == 0) return p.first;
  else return p.second;
}
template <size_t i, class A, class B> constexpr const auto& get(const pair<A, B>& p) {
  if constexpr (i == 0) return p.first;
  else return p.second;
}
template <size_t i, class A, class B> constexpr auto&& get(pair<A, B>&& p) {
  if constexpr (i == 0) return static_cast<A&&>(p.first);
  else return static_cast<B&&>(p.second);
}
template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <size_t i, class A, class B> struct tuple_element<i, pair<A, B>> { typedef conditional_t<i == 0, A, B> type; };
template <class T, size_t n> struct array {
  typedef T value_type;
  T elements_[n ? n : 1];
  constexpr T& operator[](size_t i) { return elements_[i]; }
  constexpr const T& operator[](size_t i) const { return elements_[i]; }
  constexpr T* data() { return elements_; }
  constexpr const T* data() const { return elements_; }
  constexpr size_t size() const { return n; }
  constexpr bool empty() const { return n == 0; }
  constexpr T* begin() { return elements_; }
  constexpr T* end() { return elements_ + n; }
  constexpr const T* begin() const { return elements_; }
  constexpr const T* end() const { return elements_ + n; }
  constexpr T& front() { return elements_[0]; }
  constexpr T& back() { return elements_[n - 1]; }
  constexpr const T& front() const { return elements_[0]; }
  constexpr const T& back() const { return elements_[n - 1]; }
  constexpr T& at(size_t i) { return elements_[i]; }
  constexpr const T& at(size_t i) const { return elements_[i]; }
  constexpr const T* cbegin() const { return elements_; }
  constexpr const T* cend() const { return elements_ + n; }
  constexpr void fill(const T& v) { for (size_t i = 0; i < n; ++i) elements_[i] = v; }
};
template <class T, size_t n> constexpr bool operator==(const array<T, n>& a, const array<T, n>& b) {
  for (size_t i = 0; i < n; ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}
template <size_t i, class T, size_t n> constexpr T& get(array<T, n>& a) { return a[i]; }
template <size_t i, class T, size_t n> constexpr const T& get(const array<T, n>& a) { return a[i]; }
template <size_t i, class T, size_t n> constexpr T&& get(array<T, n>&& a) { return static_cast<T&&>(a[i]); }
template <class T, size_t n> struct tuple_size<array<T, n>> : integral_constant<size_t, n> {};
template <size_t i, class T, size_t n> struct tuple_element<i, array<T, n>> { typedef T type; };
#if __cplusplus >= 201703L
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
#endif
template <class T, size_t n> constexpr T* begin(T (&a)[n]) { return a; }
template <class T, size_t n> constexpr T* end(T (&a)[n]) { return a + n; }
template <class C> constexpr auto begin(C& c) -> decltype(c.begin()) { return c.begin(); }
template <class C> constexpr auto end(C& c) -> decltype(c.end()) { return c.end(); }
template <class T, size_t n> constexpr size_t size(const T (&)[n]) { return n; }
template <class C> constexpr auto size(const C& c) -> decltype(c.size()) { return c.size(); }
constexpr size_t dynamic_extent = (size_t)-1;
template <class T, size_t n = dynamic_extent> class span {
  T* data_;
  size_t size_;
 public:
  typedef T element_type;
  typedef remove_cv_t<T> value_type;
  constexpr span() : data_(nullptr), size_(0) {}
  constexpr span(T* p, size_t count) : data_(p), size_(count) {}
  template <size_t m> constexpr span(T (&a)[m]) : data_(a), size_(m) {}
  template <class C> constexpr span(C& c, decltype(c.data())* = nullptr) : data_(c.data()), size_(c.size()) {}
  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t size_bytes() const { return size_ * sizeof(T); }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr span<T> first(size_t count) const { return span<T>(data_, count); }
  constexpr span<T> last(size_t count) const { return span<T>(data_ + size_ - count, count); }
  constexpr span<T> subspan(size_t at, size_t count = dynamic_extent) const {
    return span<T>(data_ + at, count == dynamic_extent ? size_ - at : count);
  }
};

// --- function objects ---
#define KS_FUNCTOR(name, expression)                                              \
  template <class T = void> struct name {                                         \
    constexpr auto operator()(const T& a, const T& b) const -> decltype(expression) { return expression; } \
  };                                                                              \
  template <> struct name<void> {                                                 \
    template <class A, class B>                                                   \
    constexpr auto operator()(const A& a, const B& b) const -> decltype(expression) { return expression; } \
  };
KS_FUNCTOR(plus, a + b)
KS_FUNCTOR(minus, a - b)
KS_FUNCTOR(multiplies, a * b)
KS_FUNCTOR(divides, a / b)
KS_FUNCTOR(modulus, a % b)
KS_FUNCTOR(less, a < b)
KS_FUNCTOR(greater, a > b)
KS_FUNCTOR(less_equal, a <= b)
KS_FUNCTOR(greater_equal, a >= b)
KS_FUNCTOR(equal_to, a == b)
KS_FUNCTOR(not_equal_to, a != b)
KS_FUNCTOR(logical_and, a && b)
KS_FUNCTOR(logical_or, a || b)
KS_FUNCTOR(bit_and, a & b)
KS_FUNCTOR(bit_or, a | b)
KS_FUNCTOR(bit_xor, a ^ b)
#undef KS_FUNCTOR
#define KS_FUNCTOR_OF_ONE(name, expression)                                       \
  template <class T = void> struct name {                                         \
    constexpr auto operator()(const T& a) const -> decltype(expression) { return expression; } \
  };                                                                              \
  template <> struct name<void> {                                                 \
    template <class A> constexpr auto operator()(const A& a) const -> decltype(expression) { return expression; } \
  };
KS_FUNCTOR_OF_ONE(negate, -a)
KS_FUNCTOR_OF_ONE(logical_not, !a)
KS_FUNCTOR_OF_ONE(bit_not, ~a)
#undef KS_FUNCTOR_OF_ONE
struct identity { template <class T> constexpr T&& operator()(T&& v) const { return static_cast<T&&>(v); } };
template <class T> class reference_wrapper {
  T* p_;
 public:
  constexpr reference_wrapper(T& v) : p_(&v) {}
  constexpr operator T&() const { return *p_; }
  constexpr T& get() const { return *p_; }
};
template <class T> constexpr reference_wrapper<T> ref(T& v) { return v; }
template <class T> constexpr reference_wrapper<const T> cref(const T& v) { return v; }

// --- numbers and bits ---
template <class A, class B> constexpr typename common_type<A, B>::type gcd(A a, B b) {
  typedef typename common_type<A, B>::type T;
  T x = a < 0 ? (T)-a : (T)a, y = b < 0 ? (T)-b : (T)b;
  while (y) {
    const T rest = x % y;
    x = y, y = rest;
  }
  return x;
}
template <class A, class B> constexpr typename common_type<A, B>::type lcm(A a, B b) {
  typedef typename common_type<A, B>::type T;
  return a == 0 || b == 0 ? T(0) : (a < 0 ? (T)-a : (T)a) / gcd(a, b) * (b < 0 ? (T)-b : (T)b);
}
template <class T> constexpr T lerp(T a, T b, T t) { return a + t * (b - a); }
template <class T> constexpr int popcount(T v) { return __builtin_popcountg(v); }
template <class T> constexpr int countl_zero(T v) { return __builtin_clzg(v, (int)sizeof(T) * 8); }
template <class T> constexpr int countr_zero(T v) { return __builtin_ctzg(v, (int)sizeof(T) * 8); }
template <class T> constexpr int countl_one(T v) { return countl_zero((T)~v); }
template <class T> constexpr int countr_one(T v) { return countr_zero((T)~v); }
template <class T> constexpr int bit_width(T v) { return (int)sizeof(T) * 8 - countl_zero(v); }
template <class T> constexpr bool has_single_bit(T v) { return v != 0 && (v & (v - 1)) == 0; }
template <class T> constexpr T bit_floor(T v) { return v == 0 ? T(0) : (T)(T(1) << (bit_width(v) - 1)); }
template <class T> constexpr T bit_ceil(T v) { return v <= 1 ? T(1) : (T)(T(1) << bit_width((T)(v - 1))); }
template <class T> constexpr T rotl(T v, int n) {
  constexpr int bits = sizeof(T) * 8;
  return n % bits == 0 ? v : (T)(v << (n & (bits - 1)) | v >> (bits - (n & (bits - 1))));
}
template <class T> constexpr T rotr(T v, int n) { return rotl(v, (int)sizeof(T) * 8 - n % ((int)sizeof(T) * 8)); }

}  // namespace std

namespace cuda {
namespace std {
using namespace ::std;
}
template <class A, class B> constexpr auto ceil_div(A a, B b) -> decltype(a / b) { return a / b + (a % b != 0); }
template <class T = void> struct minimum { constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
template <class T = void> struct maximum { constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
template <> struct minimum<void> { template <class T> constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
template <> struct maximum<void> { template <class T> constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
}  // namespace cuda

namespace thrust {
using ::std::plus; using ::std::minus; using ::std::multiplies; using ::std::divides; using ::std::modulus;
using ::std::less; using ::std::greater; using ::std::less_equal; using ::std::greater_equal;
using ::std::equal_to; using ::std::not_equal_to; using ::std::logical_and; using ::std::logical_or; using ::std::logical_not;
using ::std::bit_and; using ::std::bit_or; using ::std::bit_xor; using ::std::negate; using ::std::identity;
using ::std::min; using ::std::max; using ::std::swap; using ::std::pair; using ::std::make_pair;
using ::cuda::minimum; using ::cuda::maximum;
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
// Algorithms over the data of one thread.
struct ks_sequential {};
static const ks_sequential seq = {}, device = {};
template <class P> constexpr P& raw_pointer_cast(P& p) { return p; }
template <class P> constexpr const P& raw_pointer_cast(const P& p) { return p; }
template <class I> constexpr void sort(ks_sequential, I b, I e) { ::std::stable_sort(b, e, ::std::less<>()); }
template <class I, class L> constexpr void sort(ks_sequential, I b, I e, L l) { ::std::stable_sort(b, e, l); }
template <class I> constexpr void stable_sort(ks_sequential, I b, I e) { ::std::stable_sort(b, e, ::std::less<>()); }
template <class I, class T> constexpr T reduce(ks_sequential, I b, I e, T v) { return ::std::accumulate(b, e, v); }
template <class I, class T, class F> constexpr T reduce(ks_sequential, I b, I e, T v, F f) {
  for (; b != e; ++b) v = f(v, *b);
  return v;
}
template <class I, class O> constexpr O copy(ks_sequential, I b, I e, O out) { return ::std::copy(b, e, out); }
template <class I, class T> constexpr void fill(ks_sequential, I b, I e, const T& v) { ::std::fill(b, e, v); }
template <class I, class F> constexpr I for_each(ks_sequential, I b, I e, F f) {
  ::std::for_each(b, e, f);
  return e;
}
template <class I, class O, class F> constexpr O transform(ks_sequential, I b, I e, O out, F f) { return ::std::transform(b, e, out, f); }
template <class I, class T> constexpr ptrdiff_t count(ks_sequential, I b, I e, const T& v) { return ::std::count(b, e, v); }
template <class I, class F> constexpr ptrdiff_t count_if(ks_sequential, I b, I e, F f) { return ::std::count_if(b, e, f); }
template <class I, class J, class T> constexpr T inner_product(ks_sequential, I b, I e, J o, T v) { return ::std::inner_product(b, e, o, v); }
template <class I> constexpr I min_element(ks_sequential, I b, I e) { return ::std::min_element(b, e); }
template <class I> constexpr I max_element(ks_sequential, I b, I e) { return ::std::max_element(b, e); }
template <class I> constexpr void sequence(ks_sequential, I b, I e) { for (int i = 0; b != e; ++b, ++i) *b = i; }
template <class I, class O> constexpr O inclusive_scan(ks_sequential, I b, I e, O out) {
  if (b == e) return out;
  auto sum = *b;
  for (*out = sum, ++b, ++out; b != e; ++b, ++out) *out = sum = sum + *b;
  return out;
}
template <class I, class T> constexpr I find(ks_sequential, I b, I e, const T& v) { return ::std::find(b, e, v); }
template <class I, class T> constexpr I lower_bound(ks_sequential, I b, I e, const T& v) { return ::std::lower_bound(b, e, v); }
template <class I, class T> constexpr I upper_bound(ks_sequential, I b, I e, const T& v) { return ::std::upper_bound(b, e, v); }
}  // namespace thrust
