// <thrust/iterator/*.h> and CUB's iterators: what is computed from a position.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

// Position and arithmetic of an iterator `Self`, whose value(at) is its element.
template <class Self, class V> struct ks_positions {
  typedef ::std::random_access_iterator_tag iterator_category;
  typedef ::std::remove_cv_t<::std::remove_reference_t<V>> value_type;
  typedef ptrdiff_t difference_type;
  typedef V reference;
  typedef value_type* pointer;
  ptrdiff_t ks_at = 0;

  constexpr V operator*() const { return self().ks_value(ks_at); }
  constexpr V operator[](ptrdiff_t i) const { return self().ks_value(ks_at + i); }
  constexpr Self& operator+=(ptrdiff_t n) { return ks_at += n, static_cast<Self&>(*this); }
  constexpr Self& operator-=(ptrdiff_t n) { return *this += -n; }
  constexpr Self& operator++() { return *this += 1; }
  constexpr Self& operator--() { return *this += -1; }
  constexpr Self operator++(int) { const Self old = self(); return ++*this, old; }
  constexpr Self operator--(int) { const Self old = self(); return --*this, old; }
  constexpr Self operator+(ptrdiff_t n) const { Self moved = self(); return moved += n; }
  constexpr Self operator-(ptrdiff_t n) const { return *this + -n; }
  friend constexpr Self operator+(ptrdiff_t n, const Self& a) { return a + n; }
  friend constexpr ptrdiff_t operator-(const Self& a, const Self& b) { return a.ks_from(b); }
  friend constexpr bool operator==(const Self& a, const Self& b) { return a - b == 0; }
  friend constexpr bool operator!=(const Self& a, const Self& b) { return a - b != 0; }
  friend constexpr bool operator<(const Self& a, const Self& b) { return a - b < 0; }
  friend constexpr bool operator>(const Self& a, const Self& b) { return a - b > 0; }
  friend constexpr bool operator<=(const Self& a, const Self& b) { return a - b <= 0; }
  friend constexpr bool operator>=(const Self& a, const Self& b) { return a - b >= 0; }
  constexpr ptrdiff_t ks_from(const Self& b) const { return ks_at - b.ks_at; }

 private:
  constexpr const Self& self() const { return static_cast<const Self&>(*this); }
};

namespace thrust {
template <class T, class = void, class = void, class = void>
struct counting_iterator : ks_positions<counting_iterator<T>, T> {
  T ks_first = T();
  counting_iterator() = default;
  constexpr explicit counting_iterator(T first) : ks_first(first) {}
  constexpr T ks_value(ptrdiff_t at) const { return (T)(ks_first + (T)at); }
  constexpr ptrdiff_t ks_from(const counting_iterator& b) const { return (ptrdiff_t)(**this - *b); }
};
template <class T, class = void, class = void> struct constant_iterator : ks_positions<constant_iterator<T>, T> {
  T ks_it = T();
  constant_iterator() = default;
  constexpr explicit constant_iterator(T value, ptrdiff_t at = 0) : ks_it(value) { this->ks_at = at; }
  constexpr T ks_value(ptrdiff_t) const { return ks_it; }
};
template <class F, class I, class = void, class = void>
struct transform_iterator : ks_positions<transform_iterator<F, I>, decltype(::std::declval<F>()(*::std::declval<I>()))> {
  I ks_base;
  F ks_f;
  constexpr transform_iterator(I base, F f) : ks_base(base), ks_f(f) {}
  constexpr decltype(auto) ks_value(ptrdiff_t at) const { return ks_f(ks_base[at]); }
  constexpr ptrdiff_t ks_from(const transform_iterator& b) const { return ks_base - b.ks_base + this->ks_at - b.ks_at; }
};
template <class E, class I>
struct permutation_iterator : ks_positions<permutation_iterator<E, I>, decltype(::std::declval<E>()[*::std::declval<I>()])> {
  E ks_elements;
  I ks_places;
  constexpr permutation_iterator(E elements, I places) : ks_elements(elements), ks_places(places) {}
  constexpr decltype(auto) ks_value(ptrdiff_t at) const { return ks_elements[ks_places[at]]; }
  constexpr ptrdiff_t ks_from(const permutation_iterator& b) const { return ks_places - b.ks_places + this->ks_at - b.ks_at; }
};
template <class T> constexpr auto make_counting_iterator(T first) { return counting_iterator<T>(first); }
template <class T> constexpr auto make_constant_iterator(T value, ptrdiff_t at = 0) { return constant_iterator<T>(value, at); }
template <class I, class F> constexpr auto make_transform_iterator(I base, F f) { return transform_iterator<F, I>(base, f); }
template <class E, class I> constexpr auto make_permutation_iterator(E elements, I places) {
  return permutation_iterator<E, I>(elements, places);
}
}  // namespace thrust

namespace cub {
template <class T, class = ptrdiff_t> using CountingInputIterator = ::thrust::counting_iterator<T>;
template <class T, class = ptrdiff_t> using ConstantInputIterator = ::thrust::constant_iterator<T>;
template <class V, class F, class I, class = ptrdiff_t>
struct TransformInputIterator : ks_positions<TransformInputIterator<V, F, I>, V> {
  I ks_base;
  F ks_f;
  constexpr TransformInputIterator(I base, F f) : ks_base(base), ks_f(f) {}
  constexpr V ks_value(ptrdiff_t at) const { return ks_f(ks_base[at]); }
  constexpr ptrdiff_t ks_from(const TransformInputIterator& b) const { return ks_base - b.ks_base + this->ks_at - b.ks_at; }
};
}  // namespace cub

#pragma clang force_cuda_host_device end
