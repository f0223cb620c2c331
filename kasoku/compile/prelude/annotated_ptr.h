// <cuda/annotated_ptr>: pointers that say how long a GPU's cache keeps what they lead to. A CPU's cache is not asked.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

namespace cuda {

class access_property {
 public:
  struct shared {};
  struct global {};
  struct normal { constexpr operator int() const { return 0; } };
  struct persisting { constexpr operator int() const { return 2; } };
  struct streaming { constexpr operator int() const { return 1; } };
  constexpr access_property() = default;
  template <class P> constexpr access_property(P) {}
  template <class P> constexpr access_property(P, float) {}
  template <class P, class Q> constexpr access_property(P, float, Q) {}
  template <class P> constexpr access_property(void*, size_t, size_t, P) {}
  template <class P, class Q> constexpr access_property(void*, size_t, size_t, P, Q) {}
};

template <class T, class P> class annotated_ptr {
  T* ks_at_ = nullptr;

 public:
  typedef T value_type;
  typedef T element_type;
  typedef size_t size_type;
  typedef T& reference;
  typedef T* pointer;
  typedef const T* const_pointer;
  typedef ptrdiff_t difference_type;
  constexpr annotated_ptr() = default;
  constexpr explicit annotated_ptr(T* p) : ks_at_(p) {}
  template <class Q> constexpr annotated_ptr(T* p, Q) : ks_at_(p) {}
  template <class U, class Q> constexpr annotated_ptr(const annotated_ptr<U, Q>& o) : ks_at_(o.get()) {}
  template <class U, class Q, class R> constexpr annotated_ptr(const annotated_ptr<U, Q>& o, R) : ks_at_(o.get()) {}
  constexpr T* get() const { return ks_at_; }
  constexpr T* operator->() const { return ks_at_; }
  constexpr T& operator*() const { return *ks_at_; }
  constexpr T& operator[](ptrdiff_t i) const { return ks_at_[i]; }
  constexpr ptrdiff_t operator-(annotated_ptr o) const { return ks_at_ - o.ks_at_; }
  constexpr explicit operator bool() const { return ks_at_ != nullptr; }
  constexpr access_property ks_property() const { return {}; }
};
template <class T, class P> constexpr T* associate_access_property(T* p, P) { return p; }
template <class S, class P> constexpr void apply_access_property(const volatile void*, S, P) {}
constexpr void discard_memory(volatile void*, size_t) {}

}  // namespace cuda

#pragma clang force_cuda_host_device end
