// <cuda/atomic>: atomic and atomic_ref of any scope.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

namespace std {
enum memory_order {
  memory_order_relaxed = __ATOMIC_RELAXED, memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE, memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL, memory_order_seq_cst = __ATOMIC_SEQ_CST
};
}  // namespace std

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using ::std::memory_order;
using ::std::memory_order_relaxed; using ::std::memory_order_consume; using ::std::memory_order_acquire;
using ::std::memory_order_release; using ::std::memory_order_acq_rel; using ::std::memory_order_seq_cst;

#define KS_FETCH_FLOAT(name, fetch, expression)                                                       \
  template <int order, class T> ks_inline T name(T* p, T v) {                                         \
    if constexpr (__is_integral(T)) return __atomic_fetch_##fetch(p, v, order);                       \
    else if constexpr (sizeof(T) == 8) return ks_atomic_loop<unsigned long long, order>(p, [=](T old) { return expression; }); \
    else return ks_atomic_loop<unsigned, order>(p, [=](T old) { return expression; });                       \
  }
KS_FETCH_FLOAT(ks_fetch_less, min, v < old ? v : old)
KS_FETCH_FLOAT(ks_fetch_greater, max, old < v ? v : old)
#undef KS_FETCH_FLOAT
// An order is a constant by the time that code is made of it.
template <int order> struct ks_order {
  static constexpr int any = order;
  static constexpr int load = order == __ATOMIC_RELAXED || order == __ATOMIC_SEQ_CST ? order : __ATOMIC_ACQUIRE;
  static constexpr int store = order == __ATOMIC_RELAXED || order == __ATOMIC_SEQ_CST ? order : __ATOMIC_RELEASE;
};
template <class F> ks_named auto ks_in_order(memory_order order, F f) {
  switch (order) {
    case memory_order_relaxed: return f(ks_order<__ATOMIC_RELAXED>());
    case memory_order_consume: case memory_order_acquire: return f(ks_order<__ATOMIC_ACQUIRE>());
    case memory_order_release: return f(ks_order<__ATOMIC_RELEASE>());
    case memory_order_acq_rel: return f(ks_order<__ATOMIC_ACQ_REL>());
    default: return f(ks_order<__ATOMIC_SEQ_CST>());
  }
}
template <class F> ks_named auto ks_in_order_block(memory_order order, F f) { return ks_in_order(order, f); }
template <thread_scope s, class F> ks_inline auto ks_at_scope(memory_order order, F f) {
  if constexpr (s < thread_scope_block) return ks_in_order(order, f);
  else return ks_in_order_block(order, f);
}

template <class T, thread_scope s>
struct ks_atomic_operations {
  T* ks_p;
  ks_inline T load(memory_order order = memory_order_seq_cst) const {
    return ks_at_scope<s>(order, [p = ks_p](auto o) {
      T v;
      __atomic_load(p, &v, o.load);
      return v;
    });
  }
  ks_inline void store(T v, memory_order order = memory_order_seq_cst) const {
    ks_at_scope<s>(order, [&, p = ks_p](auto o) { __atomic_store(p, &v, o.store); });
  }
  ks_inline T exchange(T v, memory_order order = memory_order_seq_cst) const {
    return ks_at_scope<s>(order, [&, p = ks_p](auto o) {
      T old;
      __atomic_exchange(p, &v, &old, o.any);
      return old;
    });
  }
  // The order of a failure is the reading part of a success.
  ks_inline bool compare_exchange_strong(T& expected, T v, memory_order order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const {
    return ks_at_scope<s>(order, [&, p = ks_p](auto o) {
      return __atomic_compare_exchange(p, &expected, &v, false, o.any, o.load);
    });
  }
  ks_inline bool compare_exchange_weak(T& expected, T v, memory_order order = memory_order_seq_cst, memory_order failure = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, v, order, failure);
  }
#define KS_FETCH(name, expression)                                                          \
  ks_inline T fetch_##name(T v, memory_order order = memory_order_seq_cst) const {          \
    return ks_at_scope<s>(order, [=, p = ks_p](auto o) { return expression; });             \
  }
  KS_FETCH(add, __atomic_fetch_add(p, v, o.any))
  KS_FETCH(sub, __atomic_fetch_sub(p, v, o.any))
  KS_FETCH(and, __atomic_fetch_and(p, v, o.any))
  KS_FETCH(or, __atomic_fetch_or(p, v, o.any))
  KS_FETCH(xor, __atomic_fetch_xor(p, v, o.any))
  KS_FETCH(min, ks_fetch_less<o.any>(p, v))
  KS_FETCH(max, ks_fetch_greater<o.any>(p, v))
#undef KS_FETCH
  ks_inline operator T() const { return load(); }
  ks_inline T operator=(T v) const { store(v); return v; }
  ks_inline T operator++(int) const { return fetch_add(1); }
  ks_inline T operator++() const { return fetch_add(1) + 1; }
  ks_inline T operator--(int) const { return fetch_sub(1); }
  ks_inline T operator--() const { return fetch_sub(1) - 1; }
  ks_inline T operator+=(T v) const { return fetch_add(v) + v; }
  ks_inline T operator-=(T v) const { return fetch_sub(v) - v; }
};
template <class T, thread_scope s = thread_scope_system>
struct atomic_ref : ks_atomic_operations<T, s> {
  ks_inline explicit atomic_ref(T& v) : ks_atomic_operations<T, s>{&v} {}
  using ks_atomic_operations<T, s>::operator=;
};
template <class T, thread_scope s = thread_scope_system>
struct atomic {
  T ks_v;
  atomic() = default;
  ks_inline constexpr atomic(T v) : ks_v(v) {}
  ks_inline ks_atomic_operations<T, s> ks_at() const { return {const_cast<T*>(&ks_v)}; }
  ks_inline T load(memory_order o = memory_order_seq_cst) const { return ks_at().load(o); }
  ks_inline void store(T v, memory_order o = memory_order_seq_cst) { ks_at().store(v, o); }
  ks_inline T exchange(T v, memory_order o = memory_order_seq_cst) { return ks_at().exchange(v, o); }
  ks_inline bool compare_exchange_strong(T& e, T v, memory_order o = memory_order_seq_cst, memory_order = memory_order_seq_cst) { return ks_at().compare_exchange_strong(e, v, o); }
  ks_inline bool compare_exchange_weak(T& e, T v, memory_order o = memory_order_seq_cst, memory_order = memory_order_seq_cst) { return ks_at().compare_exchange_weak(e, v, o); }
  ks_inline T fetch_add(T v, memory_order o = memory_order_seq_cst) { return ks_at().fetch_add(v, o); }
  ks_inline T fetch_sub(T v, memory_order o = memory_order_seq_cst) { return ks_at().fetch_sub(v, o); }
  ks_inline T fetch_and(T v, memory_order o = memory_order_seq_cst) { return ks_at().fetch_and(v, o); }
  ks_inline T fetch_or(T v, memory_order o = memory_order_seq_cst) { return ks_at().fetch_or(v, o); }
  ks_inline T fetch_xor(T v, memory_order o = memory_order_seq_cst) { return ks_at().fetch_xor(v, o); }
  ks_inline T fetch_min(T v, memory_order o = memory_order_seq_cst) { return ks_at().fetch_min(v, o); }
  ks_inline T fetch_max(T v, memory_order o = memory_order_seq_cst) { return ks_at().fetch_max(v, o); }
  ks_inline operator T() const { return load(); }
  ks_inline T operator=(T v) { store(v); return v; }
  ks_inline T operator++(int) { return fetch_add(1); }
  ks_inline T operator++() { return fetch_add(1) + 1; }
  ks_inline T operator--(int) { return fetch_sub(1); }
  ks_inline T operator--() { return fetch_sub(1) - 1; }
  ks_inline T operator+=(T v) { return fetch_add(v) + v; }
  ks_inline T operator-=(T v) { return fetch_sub(v) - v; }
};
ks_inline void atomic_thread_fence(memory_order order, thread_scope s = thread_scope_system) {
  if (order == memory_order_relaxed) return;
  if (s < thread_scope_block) __threadfence();
  else __threadfence_block();
}
}  // namespace cuda
namespace std {
template <class T> using atomic = ::cuda::atomic<T, ::cuda::thread_scope_system>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
}  // namespace std

#pragma clang force_cuda_host_device end
