// Tiles of more than 32 threads: several warps, whose barrier and exchange go through memory of
// the block.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace cooperative_groups {

struct ks_wide_state {
  int arrived, phase;
};

template <unsigned n> struct ks_tile<n, true> {
  static_assert(n <= 1024 && (n & (n - 1)) == 0, "a tile has a power of two of threads, at most 1024");
  static constexpr unsigned ks_warps = n / 32;
  ks_wide_state* ks_state = nullptr;

  // All threads of the block are here, and none is in a barrier of an earlier tile any more.
  ks_inline void ks_start() {
    __shared__ ks_wide_state states[1024 / n];
    ks_barrier();
    ks_state = states + meta_group_rank();
    if (thread_rank() == 0) *ks_state = {0, 0};
    ks_barrier();
  }
  ks_inline static unsigned thread_rank() { return ks_rank_in_block() & (n - 1u); }
  ks_inline static constexpr unsigned size() { return n; }
  ks_inline static constexpr unsigned num_threads() { return n; }
  ks_inline static unsigned meta_group_rank() { return ks_rank_in_block() / n; }
  ks_inline static unsigned meta_group_size() { return (ks_block_size() + n - 1) / n; }
  ks_inline void sync() const {
    const unsigned left = ks_block_size() - meta_group_rank() * n;
    int* const phase = &ks_state->phase;
    const int before = ks_load(phase);
    if (__atomic_add_fetch(&ks_state->arrived, 1, __ATOMIC_ACQ_REL) == (int)(left < n ? left : n)) {
      __atomic_store_n(&ks_state->arrived, 0, __ATOMIC_RELAXED);
      __atomic_fetch_add(phase, 1, __ATOMIC_RELEASE);
    }
    ks_wait_until([&] { return ks_load(phase) != before; });
  }

  // Of each warp what its last lane has: `all[warp of the block]`.
  template <class T, class F> ks_inline auto ks_between_warps(const T& v, F combine) const {
    static_assert(sizeof(T) <= 64 && alignof(T) <= 16, "values of more than 64 bytes do not go through a tile");
    __shared__ __attribute__((aligned(16))) char words[32 * sizeof(T)];
    T* const all = (T*)words + meta_group_rank() * ks_warps;
    if ((thread_rank() & 31u) == 31u) __builtin_memcpy((void*)(all + thread_rank() / 32), &v, sizeof(T));
    sync();
    const auto result = combine(all);
    sync();
    return result;
  }
  template <class T, class Op> ks_inline T ks_reduce(T v, Op op) const {
    const thread_block_tile<32, void> warp;
    _Pragma("unroll") for (unsigned d = 16; d > 0; d /= 2) v = op(v, warp.shfl_xor(v, d));
    return ks_between_warps(v, [&](const T* all) {
      T r = all[0];
      for (unsigned i = 1; i < ks_warps; ++i) r = op(r, all[i]);
      return r;
    });
  }
  template <class T, class Op> ks_inline T ks_inclusive_scan(T v, Op op) const {
    const thread_block_tile<32, void> warp;
    const unsigned lane = thread_rank() & 31u, before = thread_rank() / 32;
    _Pragma("unroll") for (unsigned d = 1; d < 32; d *= 2) {
      const T o = warp.shfl_up(v, d);
      if (lane >= d) v = op(o, v);
    }
    return ks_between_warps(v, [&](const T* all) {
      T r = v;
      for (unsigned i = before; i > 0; --i) r = op(all[i - 1], r);
      return r;
    });
  }
  // What the thread before has; the first one gets its own.
  template <class T> ks_inline T shfl_up(T v, unsigned d) const {
    static_assert(sizeof(T) <= 16 && alignof(T) <= 16, "values of more than 16 bytes do not go through a wide tile");
    __shared__ __attribute__((aligned(16))) char words[1024 * sizeof(T)];
    T* const all = (T*)words + meta_group_rank() * n;
    __builtin_memcpy((void*)(all + thread_rank()), &v, sizeof(T));
    sync();
    const T r = all[thread_rank() >= d ? thread_rank() - d : thread_rank()];
    sync();
    return r;
  }
  ks_inline int any(int p) const { return ks_reduce(p != 0 ? 1 : 0, [](int a, int b) { return a | b; }); }
  ks_inline int all(int p) const { return ks_reduce(p != 0 ? 1 : 0, [](int a, int b) { return a & b; }); }
};
}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
