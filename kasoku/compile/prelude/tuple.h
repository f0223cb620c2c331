// <tuple>, <cuda/std/tuple>, <thrust/tuple.h>.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

namespace std {

template <class... T> struct tuple;
template <> struct tuple<> {};
template <size_t i, class T> struct ks_leaf {
  T value;
};
template <class Indices, class... T> struct ks_tuple;
template <size_t... i, class... T> struct ks_tuple<index_sequence<i...>, T...> : ks_leaf<i, T>... {
  constexpr ks_tuple() : ks_leaf<i, T>{T()}... {}
  template <class... U> constexpr ks_tuple(integral_constant<bool, true>, U&&... u) : ks_leaf<i, T>{static_cast<T>(static_cast<U&&>(u))}... {}
};
template <size_t i, class T> constexpr ks_leaf<i, T>& ks_leaf_of(ks_leaf<i, T>& v) { return v; }
template <size_t i, class T> constexpr const ks_leaf<i, T>& ks_leaf_of(const ks_leaf<i, T>& v) { return v; }
template <size_t i, class... T> constexpr auto& get(tuple<T...>& t) { return ks_leaf_of<i>(t).value; }
template <size_t i, class... T> constexpr const auto& get(const tuple<T...>& t) { return ks_leaf_of<i>(t).value; }
template <size_t i, class... T> constexpr auto&& get(tuple<T...>&& t) {
  return static_cast<decltype(ks_leaf_of<i>(t).value)&&>(ks_leaf_of<i>(t).value);
}

template <class... T> struct tuple : ks_tuple<make_index_sequence<sizeof...(T)>, T...> {
  typedef ks_tuple<make_index_sequence<sizeof...(T)>, T...> base;
  constexpr tuple() = default;
  constexpr tuple(const tuple&) = default;
  constexpr tuple(tuple&&) = default;
  template <class... U, enable_if_t<sizeof...(U) == sizeof...(T) && (is_convertible<U&&, T>::value && ...), int> = 0>
  constexpr tuple(U&&... u) : base(integral_constant<bool, true>(), static_cast<U&&>(u)...) {}
  template <class... U, enable_if_t<sizeof...(U) == sizeof...(T) && !is_same<tuple<U...>, tuple>::value, int> = 0>
  constexpr tuple(const tuple<U...>& o) : tuple(o, make_index_sequence<sizeof...(T)>()) {}
  constexpr tuple& operator=(const tuple& o) { return assign(o, make_index_sequence<sizeof...(T)>()); }
  template <class... U> constexpr tuple& operator=(const tuple<U...>& o) { return assign(o, make_index_sequence<sizeof...(T)>()); }
  template <class A, class B> constexpr tuple& operator=(const pair<A, B>& o) {
    get<0>(*this) = o.first, get<1>(*this) = o.second;
    return *this;
  }
  // Thrust's way.
  template <size_t i> constexpr auto& get_() { return ks_leaf_of<i>(*this).value; }

 private:
  template <class O, size_t... i> constexpr tuple(const O& o, index_sequence<i...>)
      : base(integral_constant<bool, true>(), std::get<i>(o)...) {}
  template <class O, size_t... i> constexpr tuple& assign(const O& o, index_sequence<i...>) {
    ((ks_leaf_of<i>(*this).value = std::get<i>(o)), ...);
    return *this;
  }
};
template <class... T> tuple(T...) -> tuple<T...>;

template <class... T> constexpr tuple<decay_t<T>...> make_tuple(T&&... v) { return tuple<decay_t<T>...>(static_cast<T&&>(v)...); }
// What a tie() leaves out.
struct ks_ignore { template <class T> constexpr const ks_ignore& operator=(const T&) const { return *this; } };
inline constexpr ks_ignore ignore{};
template <class... T> constexpr tuple<T&...> tie(T&... v) { return tuple<T&...>(v...); }
template <class... T> constexpr tuple<T&&...> forward_as_tuple(T&&... v) { return tuple<T&&...>(static_cast<T&&>(v)...); }
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <size_t i, class A, class... T> struct tuple_element<i, tuple<A, T...>> : tuple_element<i - 1, tuple<T...>> {};
template <class A, class... T> struct tuple_element<0, tuple<A, T...>> { typedef A type; };

template <class F, class Tuple, size_t... i> constexpr auto ks_apply(F&& f, Tuple&& t, index_sequence<i...>) {
  return f(get<i>(t)...);
}
template <class F, class Tuple> constexpr auto apply(F&& f, Tuple&& t) {
  return ks_apply(f, t, make_index_sequence<tuple_size<remove_cvref_t<Tuple>>::value>());
}
template <size_t i, class A, class B> constexpr bool ks_equal(const A& a, const B& b) {
  if constexpr (i == 0) return true;
  else return ks_equal<i - 1>(a, b) && get<i - 1>(a) == get<i - 1>(b);
}
template <size_t i, size_t n, class A, class B> constexpr bool ks_less(const A& a, const B& b) {
  if constexpr (i == n) return false;
  else return get<i>(a) < get<i>(b) || (!(get<i>(b) < get<i>(a)) && ks_less<i + 1, n>(a, b));
}
template <class... T, class... U> constexpr bool operator==(const tuple<T...>& a, const tuple<U...>& b) { return ks_equal<sizeof...(T)>(a, b); }
template <class... T, class... U> constexpr bool operator!=(const tuple<T...>& a, const tuple<U...>& b) { return !(a == b); }
template <class... T, class... U> constexpr bool operator<(const tuple<T...>& a, const tuple<U...>& b) { return ks_less<0, sizeof...(T)>(a, b); }
template <class... T, class... U> constexpr bool operator>(const tuple<T...>& a, const tuple<U...>& b) { return b < a; }
template <class... T, class... U> constexpr tuple<T..., U...> tuple_cat(const tuple<T...>& a, const tuple<U...>& b) {
  return apply([&](const T&... x) { return apply([&](const U&... y) { return tuple<T..., U...>(x..., y...); }, b); }, a);
}

}  // namespace std

namespace thrust {
using ::std::tuple; using ::std::make_tuple; using ::std::tie; using ::std::get; using ::std::ignore;
using ::std::tuple_size; using ::std::tuple_element;
}  // namespace thrust

#pragma clang force_cuda_host_device end
