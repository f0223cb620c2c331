// <compare>, <cuda/std/compare>: what <=> gives.
#pragma once
#pragma clang system_header
#if __cplusplus > 201703L
#pragma clang force_cuda_host_device begin

namespace std {

struct ks_zero { consteval ks_zero(int) {} };
#define KS_ORDERING_QUESTIONS(T)                                            \
  friend constexpr bool operator==(T a, ks_zero) { return a.ks_ == 0; }     \
  friend constexpr bool operator<(T a, ks_zero) { return a.ks_ == -1; }     \
  friend constexpr bool operator>(T a, ks_zero) { return a.ks_ == 1; }      \
  friend constexpr bool operator<=(T a, ks_zero) { return a.ks_ == -1 || a.ks_ == 0; } \
  friend constexpr bool operator>=(T a, ks_zero) { return a.ks_ == 1 || a.ks_ == 0; }  \
  friend constexpr bool operator<(ks_zero, T a) { return a.ks_ == 1; }      \
  friend constexpr bool operator>(ks_zero, T a) { return a.ks_ == -1; }     \
  friend constexpr bool operator<=(ks_zero, T a) { return a.ks_ == 1 || a.ks_ == 0; }  \
  friend constexpr bool operator>=(ks_zero, T a) { return a.ks_ == -1 || a.ks_ == 0; } \
  friend constexpr bool operator==(T a, T b) = default;

struct partial_ordering {
  signed char ks_;  // 2: neither
  static const partial_ordering less, equivalent, greater, unordered;
  KS_ORDERING_QUESTIONS(partial_ordering)
};
inline constexpr partial_ordering partial_ordering::less{-1}, partial_ordering::equivalent{0}, partial_ordering::greater{1},
    partial_ordering::unordered{2};
struct weak_ordering {
  signed char ks_;
  static const weak_ordering less, equivalent, greater;
  constexpr operator partial_ordering() const { return {ks_}; }
  KS_ORDERING_QUESTIONS(weak_ordering)
};
inline constexpr weak_ordering weak_ordering::less{-1}, weak_ordering::equivalent{0}, weak_ordering::greater{1};
struct strong_ordering {
  signed char ks_;
  static const strong_ordering less, equal, equivalent, greater;
  constexpr operator partial_ordering() const { return {ks_}; }
  constexpr operator weak_ordering() const { return {ks_}; }
  KS_ORDERING_QUESTIONS(strong_ordering)
};
inline constexpr strong_ordering strong_ordering::less{-1}, strong_ordering::equal{0}, strong_ordering::equivalent{0},
    strong_ordering::greater{1};
#undef KS_ORDERING_QUESTIONS
constexpr bool is_eq(partial_ordering c) { return c == 0; }
constexpr bool is_neq(partial_ordering c) { return !(c == 0); }
constexpr bool is_lt(partial_ordering c) { return c < 0; }
constexpr bool is_lteq(partial_ordering c) { return c <= 0; }
constexpr bool is_gt(partial_ordering c) { return c > 0; }
constexpr bool is_gteq(partial_ordering c) { return c >= 0; }

}  // namespace std

#pragma clang force_cuda_host_device end
#endif
