// <optional>, <cuda/std/optional>: of types that are copied by their bytes.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

namespace std {

struct nullopt_t { constexpr explicit nullopt_t(int) {} };
inline constexpr nullopt_t nullopt{0};

template <class T> class optional {
  static_assert(__is_trivially_copyable(T), "an optional in a kernel holds a type that is copied by its bytes");
  union { char ks_none_; T ks_it_; };
  bool ks_has_;

 public:
  typedef T value_type;
  constexpr optional() : ks_none_(0), ks_has_(false) {}
  constexpr optional(nullopt_t) : optional() {}
  constexpr optional(const T& v) : ks_it_(v), ks_has_(true) {}
  template <class U, enable_if_t<is_convertible_v<U, T>, int> = 0> constexpr optional(U v) : ks_it_((T)v), ks_has_(true) {}
  constexpr optional& operator=(nullopt_t) { return ks_has_ = false, *this; }
  constexpr optional& operator=(const T& v) { return emplace(v), *this; }
  template <class... A> constexpr T& emplace(A... a) {
    *this = optional(T(a...));
    return ks_it_;
  }
  constexpr void reset() { ks_has_ = false; }
  constexpr bool has_value() const { return ks_has_; }
  constexpr explicit operator bool() const { return ks_has_; }
  constexpr T& operator*() { return ks_it_; }
  constexpr const T& operator*() const { return ks_it_; }
  constexpr T* operator->() { return &ks_it_; }
  constexpr const T* operator->() const { return &ks_it_; }
  constexpr T& value() { return ks_has_ ? ks_it_ : (ks_rt_trap(), ks_it_); }
  constexpr const T& value() const { return ks_has_ ? ks_it_ : (ks_rt_trap(), ks_it_); }
  template <class U> constexpr T value_or(U v) const { return ks_has_ ? ks_it_ : (T)v; }
};
template <class T> optional(T) -> optional<T>;
template <class T> constexpr optional<T> make_optional(T v) { return optional<T>(v); }
template <class T> constexpr bool operator==(const optional<T>& a, const optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || *a == *b);
}
template <class T> constexpr bool operator!=(const optional<T>& a, const optional<T>& b) { return !(a == b); }
template <class T> constexpr bool operator==(const optional<T>& a, nullopt_t) { return !a; }
template <class T> constexpr bool operator!=(const optional<T>& a, nullopt_t) { return (bool)a; }
template <class T, class U> constexpr bool operator==(const optional<T>& a, const U& v) { return a && *a == v; }
template <class T, class U> constexpr bool operator!=(const optional<T>& a, const U& v) { return !(a == v); }

}  // namespace std

#pragma clang force_cuda_host_device end
