// <cuda/std/variant>: of types that are copied by their bytes.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

namespace std {

struct monostate {};
constexpr bool operator==(monostate, monostate) { return true; }
inline constexpr size_t variant_npos = (size_t)-1;
#ifndef KS_IN_PLACE
#define KS_IN_PLACE
template <class T> struct in_place_type_t {};
template <size_t i> struct in_place_index_t {};
template <class T> inline constexpr in_place_type_t<T> in_place_type{};
template <size_t i> inline constexpr in_place_index_t<i> in_place_index{};
#endif

template <class... T> class variant;
template <class V> struct variant_size;
template <class... T> struct variant_size<variant<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class V> struct variant_size<const V> : variant_size<V> {};
template <class V> inline constexpr size_t variant_size_v = variant_size<V>::value;
template <size_t i, class V> struct variant_alternative;
template <size_t i, class A, class... T> struct variant_alternative<i, variant<A, T...>> : variant_alternative<i - 1, variant<T...>> {};
template <class A, class... T> struct variant_alternative<0, variant<A, T...>> { typedef A type; };
template <size_t i, class V> struct variant_alternative<i, const V> { typedef const typename variant_alternative<i, V>::type type; };
template <size_t i, class V> using variant_alternative_t = typename variant_alternative<i, V>::type;

// The place of a type among others; how many there are if it is none of them.
template <class W, class... T> constexpr size_t ks_place_of() {
  constexpr bool is[] = {is_same_v<W, T>..., true};
  size_t i = 0;
  while (!is[i]) ++i;
  return i;
}
// Which of the types a value becomes: the one that overloads of a function would choose.
template <size_t i, class T> struct ks_candidate {
  struct ks_one { T it[1]; };
  template <class U, class = decltype(ks_one{{declval<U>()}})> static integral_constant<size_t, i> ks_choose(T, U&&);
};
template <class I, class... T> struct ks_candidates;
template <size_t... i, class... T> struct ks_candidates<index_sequence<i...>, T...> : ks_candidate<i, T>... {
  using ks_candidate<i, T>::ks_choose...;
};
template <class U, class... T> using ks_chosen =
    decltype(ks_candidates<index_sequence_for<T...>, T...>::ks_choose(declval<U>(), declval<U>()));

template <class... T> class variant {
  static_assert((__is_trivially_copyable(T) && ...), "a variant in a kernel holds types that are copied by their bytes");
  static constexpr size_t ks_largest() {
    size_t most = 1;
    ((most = sizeof(T) > most ? sizeof(T) : most), ...);
    return most;
  }
  alignas(T...) unsigned char ks_bytes_[ks_largest()];
  unsigned ks_index_;

 public:
  template <size_t i> using ks_type = variant_alternative_t<i, variant>;
  variant() : variant(in_place_index<0>) {}
  template <size_t i, class... A> explicit variant(in_place_index_t<i>, A&&... a) { emplace<i>(static_cast<A&&>(a)...); }
  template <class U, class... A> explicit variant(in_place_type_t<U>, A&&... a) { emplace<U>(static_cast<A&&>(a)...); }
  template <class U, enable_if_t<!is_same_v<remove_cvref_t<U>, variant>, int> = 0, size_t i = ks_chosen<U&&, T...>::value>
  variant(U&& v) { emplace<i>(static_cast<U&&>(v)); }
  template <class U, enable_if_t<!is_same_v<remove_cvref_t<U>, variant>, int> = 0, size_t i = ks_chosen<U&&, T...>::value>
  variant& operator=(U&& v) { return emplace<i>(static_cast<U&&>(v)), *this; }

  template <size_t i, class... A> ks_type<i>& emplace(A&&... a) {
    ks_index_ = i;
    if constexpr (__is_constructible(ks_type<i>, A&&...)) return *::new (ks_bytes_) ks_type<i>(static_cast<A&&>(a)...);
    else return *::new (ks_bytes_) ks_type<i>{static_cast<A&&>(a)...};
  }
  template <class U, class... A> U& emplace(A&&... a) { return emplace<ks_place_of<U, T...>()>(static_cast<A&&>(a)...); }
  constexpr size_t index() const { return ks_index_; }
  constexpr bool valueless_by_exception() const { return false; }
  template <size_t i> ks_type<i>& ks_get() { return *reinterpret_cast<ks_type<i>*>(ks_bytes_); }
  template <size_t i> const ks_type<i>& ks_get() const { return *reinterpret_cast<const ks_type<i>*>(ks_bytes_); }
  template <class U> static constexpr size_t ks_place = ks_place_of<U, T...>();
};

template <class U, class... T> bool holds_alternative(const variant<T...>& v) { return v.index() == ks_place_of<U, T...>(); }
template <size_t i, class... T> auto* get_if(variant<T...>* v) { return v && v->index() == i ? &v->template ks_get<i>() : nullptr; }
template <size_t i, class... T> const auto* get_if(const variant<T...>* v) { return v && v->index() == i ? &v->template ks_get<i>() : nullptr; }
template <class U, class... T> U* get_if(variant<T...>* v) { return get_if<ks_place_of<U, T...>()>(v); }
template <class U, class... T> const U* get_if(const variant<T...>* v) { return get_if<ks_place_of<U, T...>()>(v); }
// Another alternative than the one that is there ends the thread, which cannot throw.
template <size_t i, class... T> auto& get(variant<T...>& v) { return v.index() == i ? v.template ks_get<i>() : (ks_rt_trap(), v.template ks_get<i>()); }
template <size_t i, class... T> const auto& get(const variant<T...>& v) { return v.index() == i ? v.template ks_get<i>() : (ks_rt_trap(), v.template ks_get<i>()); }
template <size_t i, class... T> auto&& get(variant<T...>&& v) { return static_cast<variant_alternative_t<i, variant<T...>>&&>(std::get<i>(v)); }
template <class U, class... T> U& get(variant<T...>& v) { return std::get<ks_place_of<U, T...>()>(v); }
template <class U, class... T> const U& get(const variant<T...>& v) { return std::get<ks_place_of<U, T...>()>(v); }
template <class U, class... T> U&& get(variant<T...>&& v) { return static_cast<U&&>(std::get<ks_place_of<U, T...>()>(v)); }

template <size_t i = 0, class F, class V> decltype(auto) ks_visit_one(F&& f, V&& v) {
  if constexpr (i + 1 < variant_size_v<remove_cvref_t<V>>)
    if (v.index() != i) return ks_visit_one<i + 1>(static_cast<F&&>(f), static_cast<V&&>(v));
  if constexpr (is_lvalue_reference_v<V>) return f(v.template ks_get<i>());
  else return f(static_cast<variant_alternative_t<i, remove_cvref_t<V>>&&>(v.template ks_get<i>()));
}
template <class F, class V> decltype(auto) visit(F&& f, V&& v) { return ks_visit_one(static_cast<F&&>(f), static_cast<V&&>(v)); }
template <class F, class V, class W, class... R> decltype(auto) visit(F&& f, V&& v, W&& w, R&&... r) {
  return ks_visit_one([&](auto&& a) -> decltype(auto) {
    return std::visit([&](auto&&... b) -> decltype(auto) { return f(static_cast<decltype(a)&&>(a), static_cast<decltype(b)&&>(b)...); },
                      static_cast<W&&>(w), static_cast<R&&>(r)...);
  }, static_cast<V&&>(v));
}
template <class... T> bool operator==(const variant<T...>& a, const variant<T...>& b) {
  if (a.index() != b.index()) return false;
  return ks_visit_one([&](const auto& x) { return x == *reinterpret_cast<const remove_cvref_t<decltype(x)>*>(&b); }, a);
}
template <class... T> bool operator!=(const variant<T...>& a, const variant<T...>& b) { return !(a == b); }

}  // namespace std

#pragma clang force_cuda_host_device end
