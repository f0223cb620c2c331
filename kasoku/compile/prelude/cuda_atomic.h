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
  template <class T> ks_inline T name(T* p, T v) {                                                    \
    if constexpr (__is_integral(T)) return __atomic_fetch_##fetch(p, v, __ATOMIC_SEQ_CST);            \
    else if constexpr (sizeof(T) == 8) return ks_atomic_loop<unsigned long long>(p, [=](T old) { return expression; }); \
    else return ks_atomic_loop<unsigned>(p, [=](T old) { return expression; });                       \
  }
KS_FETCH_FLOAT(ks_fetch_less, min, v < old ? v : old)
KS_FETCH_FLOAT(ks_fetch_greater, max, old < v ? v : old)
#undef KS_FETCH_FLOAT
template <class T>
struct ks_atomic_operations {
  T* ks_p;
  ks_inline T load(memory_order = memory_order_seq_cst) const {
    T v;
    __atomic_load(ks_p, &v, __ATOMIC_SEQ_CST);
    return v;
  }
  ks_inline void store(T v, memory_order = memory_order_seq_cst) const { __atomic_store(ks_p, &v, __ATOMIC_SEQ_CST); }
  ks_inline T exchange(T v, memory_order = memory_order_seq_cst) const {
    T old;
    __atomic_exchange(ks_p, &v, &old, __ATOMIC_SEQ_CST);
    return old;
  }
  ks_inline bool compare_exchange_strong(T& expected, T v, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const {
    return __atomic_compare_exchange(ks_p, &expected, &v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  ks_inline bool compare_exchange_weak(T& expected, T v, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) const {
    return __atomic_compare_exchange(ks_p, &expected, &v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  ks_inline T fetch_add(T v, memory_order = memory_order_seq_cst) const { return __atomic_fetch_add(ks_p, v, __ATOMIC_SEQ_CST); }
  ks_inline T fetch_sub(T v, memory_order = memory_order_seq_cst) const { return __atomic_fetch_sub(ks_p, v, __ATOMIC_SEQ_CST); }
  ks_inline T fetch_and(T v, memory_order = memory_order_seq_cst) const { return __atomic_fetch_and(ks_p, v, __ATOMIC_SEQ_CST); }
  ks_inline T fetch_or(T v, memory_order = memory_order_seq_cst) const { return __atomic_fetch_or(ks_p, v, __ATOMIC_SEQ_CST); }
  ks_inline T fetch_xor(T v, memory_order = memory_order_seq_cst) const { return __atomic_fetch_xor(ks_p, v, __ATOMIC_SEQ_CST); }
  ks_inline T fetch_min(T v, memory_order = memory_order_seq_cst) const { return ks_fetch_less(ks_p, v); }
  ks_inline T fetch_max(T v, memory_order = memory_order_seq_cst) const { return ks_fetch_greater(ks_p, v); }
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
struct atomic_ref : ks_atomic_operations<T> {
  ks_inline explicit atomic_ref(T& v) : ks_atomic_operations<T>{&v} {}
  using ks_atomic_operations<T>::operator=;
};
template <class T, thread_scope s = thread_scope_system>
struct atomic {
  T ks_v;
  atomic() = default;
  ks_inline constexpr atomic(T v) : ks_v(v) {}
  ks_inline ks_atomic_operations<T> ks_at() const { return {const_cast<T*>(&ks_v)}; }
  ks_inline T load(memory_order o = memory_order_seq_cst) const { return ks_at().load(o); }
  ks_inline void store(T v, memory_order o = memory_order_seq_cst) { ks_at().store(v, o); }
  ks_inline T exchange(T v, memory_order o = memory_order_seq_cst) { return ks_at().exchange(v, o); }
  ks_inline bool compare_exchange_strong(T& e, T v, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) { return ks_at().compare_exchange_strong(e, v); }
  ks_inline bool compare_exchange_weak(T& e, T v, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) { return ks_at().compare_exchange_weak(e, v); }
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
ks_inline void atomic_thread_fence(memory_order, thread_scope s = thread_scope_system) {
  if (s < thread_scope_block) __threadfence();
  else __threadfence_block();
}
}  // namespace cuda
namespace std {
template <class T> using atomic = ::cuda::atomic<T, ::cuda::thread_scope_system>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
}  // namespace std

#pragma clang force_cuda_host_device end
