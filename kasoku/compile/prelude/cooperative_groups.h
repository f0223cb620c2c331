// <cooperative_groups.h>: blocks, tiles, coalesced threads, the grid; reduce, scan,
// memcpy_async.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#pragma clang force_cuda_host_device begin

namespace cooperative_groups {

ks_inline unsigned ks_rank_in_block() {
  return ks_tid_x() + ks_bdim_x() * (ks_tid_y() + ks_bdim_y() * ks_tid_z());
}
ks_inline unsigned ks_block_size() { return ks_bdim_x() * ks_bdim_y() * ks_bdim_z(); }
ks_inline unsigned long long ks_block_rank() {
  return ks_bid_x() + (unsigned long long)ks_gdim_x() * (ks_bid_y() + (unsigned long long)ks_gdim_y() * ks_bid_z());
}
ks_inline unsigned long long ks_grid_size() { return (unsigned long long)ks_gdim_x() * ks_gdim_y() * ks_gdim_z(); }

// Any width from shuffles of words.
template <class T, class Shuffle>
ks_inline T ks_shuffle_any(T v, Shuffle shuffle) {
  if constexpr (sizeof(T) == 4) {
    return ks_bits<T>(shuffle(ks_bits<unsigned>(v)));
  } else if constexpr (sizeof(T) == 8) {
    return ks_bits<T>(shuffle(ks_bits<unsigned long long>(v)));
  } else {
    constexpr int n = (sizeof(T) + 3) / 4;
    unsigned words[n] = {};
    __builtin_memcpy(words, &v, sizeof(T));
    _Pragma("unroll") for (int i = 0; i < n; ++i) words[i] = shuffle(words[i]);
    __builtin_memcpy(&v, words, sizeof(T));
    return v;
  }
}

struct thread_group {
  unsigned ks_mask = 0xffffffffu, ks_rank = 0, ks_size = 1;
  unsigned ks_kind = 0;  // 0: threads of a warp, 1: block, 2: grid
  ks_inline unsigned size() const { return ks_size; }
  ks_inline unsigned num_threads() const { return ks_size; }
  ks_inline unsigned thread_rank() const { return ks_rank; }
  ks_inline bool is_valid() const { return true; }
  ks_inline void sync() const {
    if (ks_kind == 0) ks_warp_barrier(ks_mask);
    else if (ks_kind == 1) ks_barrier();
    else ks_grid_barrier();
  }
};

struct thread_block {
  ks_inline static void sync() { ks_barrier(); }
  struct arrival_token {};
  ks_inline static arrival_token barrier_arrive() { return {}; }
  ks_inline static void barrier_wait(arrival_token&&) { ks_barrier(); }
  ks_inline static void barrier_wait() { ks_barrier(); }
  ks_inline static unsigned thread_rank() { return ks_rank_in_block(); }
  ks_inline static unsigned size() { return ks_block_size(); }
  ks_inline static unsigned num_threads() { return ks_block_size(); }
  ks_inline static dim3 thread_index() { return dim3(ks_tid_x(), ks_tid_y(), ks_tid_z()); }
  ks_inline static dim3 group_index() { return dim3(ks_bid_x(), ks_bid_y(), ks_bid_z()); }
  ks_inline static dim3 group_dim() { return dim3(ks_bdim_x(), ks_bdim_y(), ks_bdim_z()); }
  ks_inline static dim3 dim_threads() { return group_dim(); }
  ks_inline static constexpr unsigned meta_group_rank() { return 0; }
  ks_inline static constexpr unsigned meta_group_size() { return 1; }
  ks_inline operator thread_group() const {
    thread_group g;
    g.ks_rank = ks_rank_in_block(), g.ks_size = ks_block_size(), g.ks_kind = 1;
    return g;
  }
};
ks_inline thread_block this_thread_block() { return {}; }
// Scratch memory for wide tiles, which bring their own.
template <unsigned threads = 1024> struct block_tile_memory {};
template <unsigned threads> ks_inline thread_block this_thread_block(block_tile_memory<threads>&) { return {}; }

struct grid_group {
  ks_inline static void sync() { ks_grid_barrier(); }
  struct arrival_token {};
  ks_inline static arrival_token barrier_arrive() { return {}; }
  ks_inline static void barrier_wait(arrival_token&&) { ks_grid_barrier(); }
  ks_inline static bool is_valid() { return true; }
  ks_inline static unsigned long long thread_rank() { return ks_block_rank() * ks_block_size() + ks_rank_in_block(); }
  ks_inline static unsigned long long size() { return ks_grid_size() * ks_block_size(); }
  ks_inline static unsigned long long num_threads() { return size(); }
  ks_inline static unsigned long long block_rank() { return ks_block_rank(); }
  ks_inline static unsigned long long num_blocks() { return ks_grid_size(); }
  ks_inline static dim3 block_index() { return dim3(ks_bid_x(), ks_bid_y(), ks_bid_z()); }
  ks_inline static dim3 group_dim() { return dim3(ks_gdim_x(), ks_gdim_y(), ks_gdim_z()); }
  ks_inline static dim3 dim_blocks() { return group_dim(); }
  ks_inline operator thread_group() const {
    thread_group g;
    g.ks_rank = (unsigned)thread_rank(), g.ks_size = (unsigned)size(), g.ks_kind = 2;
    return g;
  }
};
ks_inline grid_group this_grid() { return {}; }

// Threads of one warp: `mask` says which, `base` is the first lane of a tile.
// A tile of a known parent is a tile.
// Tiles of more than 32 threads are in wide_tile.h.
template <unsigned n, bool is_wide> struct ks_tile {
  static_assert(n >= 1 && n <= 1024 && (n & (n - 1)) == 0, "a tile has a power of two of threads, at most 1024");
  unsigned ks_within = 0;  // threads of the tile that this one is a part of; 0 is the block
  ks_inline static unsigned ks_lane() { return ks_rank_in_block() & 31u; }
  ks_inline static unsigned ks_base() { return ks_lane() & ~(n - 1u); }
  ks_inline static unsigned ks_members() { return n == 32 ? 0xffffffffu : ((1u << (n & 31)) - 1u) << ks_base(); }
  ks_inline static unsigned thread_rank() { return ks_rank_in_block() & (n - 1u); }
  ks_inline static constexpr unsigned size() { return n; }
  ks_inline static constexpr unsigned num_threads() { return n; }
  ks_inline unsigned meta_group_rank() const { return (ks_within ? ks_rank_in_block() % ks_within : ks_rank_in_block()) / n; }
  ks_inline unsigned meta_group_size() const { return ((ks_within ? ks_within : ks_block_size()) + n - 1) / n; }
  ks_inline static void sync() { ks_warp_barrier(ks_members()); }
  template <class T> ks_inline T shfl(T v, int lane) const {
    return ks_shuffle_any(v, [=](auto w) { return ks_shuffle_idx(ks_members(), w, lane, n); });
  }
  template <class T> ks_inline T shfl_down(T v, unsigned d) const {
    return ks_shuffle_any(v, [=](auto w) { return ks_shuffle_down(ks_members(), w, d, n); });
  }
  template <class T> ks_inline T shfl_up(T v, unsigned d) const {
    return ks_shuffle_any(v, [=](auto w) { return ks_shuffle_up(ks_members(), w, d, n); });
  }
  template <class T> ks_inline T shfl_xor(T v, unsigned d) const {
    return ks_shuffle_any(v, [=](auto w) { return ks_shuffle_xor(ks_members(), w, (int)d, n); });
  }
  ks_inline int any(int p) const { return (ks_ballot(ks_members(), p) & ks_members()) != 0; }
  ks_inline int all(int p) const { return (ks_ballot(ks_members(), !p) & ks_members()) == 0; }
  ks_inline unsigned ballot(int p) const { return (ks_ballot(ks_members(), p) & ks_members()) >> ks_base(); }
  template <class T> ks_inline unsigned match_any(T v) const { return __match_any_sync(ks_members(), v) >> ks_base(); }
  template <class T> ks_inline unsigned match_all(T v, int& p) const { return __match_all_sync(ks_members(), v, &p) >> ks_base(); }
  ks_inline operator thread_group() const {
    thread_group g;
    g.ks_mask = ks_members(), g.ks_rank = thread_rank(), g.ks_size = n;
    return g;
  }
};

template <unsigned n, class Parent = void> struct thread_block_tile;
template <unsigned n> struct thread_block_tile<n, void> : ks_tile<n, (n > 32)> {};
template <unsigned n, class Parent> struct thread_block_tile : thread_block_tile<n, void> {};

struct coalesced_group {
  unsigned ks_mask;
  ks_inline static unsigned ks_lane() { return ks_rank_in_block() & 31u; }
  ks_inline unsigned size() const { return (unsigned)__builtin_popcount(ks_mask); }
  ks_inline unsigned num_threads() const { return size(); }
  ks_inline unsigned thread_rank() const { return (unsigned)__builtin_popcount(ks_mask & ((1u << ks_lane()) - 1u)); }
  ks_inline unsigned meta_group_rank() const { return 0; }
  ks_inline unsigned meta_group_size() const { return 1; }
  ks_inline void sync() const { ks_warp_barrier(ks_mask); }
  // The lane of the warp that has a rank.
  ks_inline unsigned ks_lane_of(unsigned rank) const {
    unsigned m = ks_mask;
    for (unsigned i = 0; i < rank && i < 32; ++i) m &= m - 1;
    return m ? (unsigned)__builtin_ctz(m) : ks_lane();
  }
  template <class T> ks_inline T shfl(T v, unsigned rank) const {
    const int lane = (int)ks_lane_of(rank % size());
    return ks_shuffle_any(v, [=](auto w) { return ks_shuffle_idx(ks_mask, w, lane, 32); });
  }
  template <class T> ks_inline T shfl_down(T v, unsigned d) const {
    const unsigned rank = thread_rank();
    const int lane = (int)(rank + d < size() ? ks_lane_of(rank + d) : ks_lane());
    return ks_shuffle_any(v, [=](auto w) { return ks_shuffle_idx(ks_mask, w, lane, 32); });
  }
  template <class T> ks_inline T shfl_up(T v, unsigned d) const {
    const unsigned rank = thread_rank();
    const int lane = (int)(rank >= d ? ks_lane_of(rank - d) : ks_lane());
    return ks_shuffle_any(v, [=](auto w) { return ks_shuffle_idx(ks_mask, w, lane, 32); });
  }
  ks_inline int any(int p) const { return (ks_ballot(ks_mask, p) & ks_mask) != 0; }
  ks_inline int all(int p) const { return (ks_ballot(ks_mask, !p) & ks_mask) == 0; }
  ks_inline unsigned ks_pack(unsigned lanes) const {
    unsigned r = 0, k = 0;
    for (unsigned i = 0; i < 32; ++i)
      if (ks_mask >> i & 1) r |= (lanes >> i & 1) << k++;
    return r;
  }
  ks_inline unsigned ballot(int p) const { return ks_pack(ks_ballot(ks_mask, p) & ks_mask); }
  template <class T> ks_inline unsigned match_any(T v) const { return ks_pack(__match_any_sync(ks_mask, v)); }
  ks_inline operator thread_group() const {
    thread_group g;
    g.ks_mask = ks_mask, g.ks_rank = thread_rank(), g.ks_size = size();
    return g;
  }
};
struct thread_group_of_one {
  ks_inline static void sync() {}
  ks_inline static constexpr unsigned size() { return 1; }
  ks_inline static constexpr unsigned num_threads() { return 1; }
  ks_inline static constexpr unsigned thread_rank() { return 0; }
};
ks_inline thread_group_of_one this_thread() { return {}; }
// A launch on a CPU has clusters of one block.
struct cluster_group : thread_block {
  ks_inline static unsigned block_rank() { return 0; }
  ks_inline static unsigned num_blocks() { return 1; }
  ks_inline static dim3 block_index() { return dim3(0, 0, 0); }
  ks_inline static dim3 dim_blocks() { return dim3(1, 1, 1); }
  template <class T> ks_inline static T* map_shared_rank(T* p, int) { return p; }
  ks_inline static unsigned query_shared_rank(const void*) { return 0; }
};
ks_inline cluster_group this_cluster() { return {}; }
// All devices of a launch, of which there is one.
struct multi_grid_group : grid_group {
  ks_inline static unsigned grid_rank() { return 0; }
  ks_inline static unsigned num_grids() { return 1; }
};
ks_inline multi_grid_group this_multi_grid() { return {}; }
ks_inline coalesced_group coalesced_threads() { return coalesced_group{ks_activemask()}; }

template <unsigned n, class Group>
ks_inline thread_block_tile<n, Group> tiled_partition(const Group&) {
  thread_block_tile<n, Group> tile;
  if constexpr (n > 32) tile.ks_start();
  return tile;
}
template <unsigned n, unsigned m, class P>
ks_inline thread_block_tile<n, thread_block_tile<m, P>> tiled_partition(const thread_block_tile<m, P>&) {
  static_assert(n <= 32, "a part of a tile has at most 32 threads");
  thread_block_tile<n, thread_block_tile<m, P>> tile;
  tile.ks_within = m;
  return tile;
}
// With a run-time size: a part of the warp by its mask.
template <class Group>
ks_inline thread_group tiled_partition(const Group&, unsigned n) {
  thread_group g;
  const unsigned lane = ks_rank_in_block() & 31u, base = lane & ~(n - 1u);
  g.ks_mask = n >= 32 ? 0xffffffffu : ((1u << n) - 1u) << base;
  g.ks_rank = lane - base, g.ks_size = n;
  return g;
}
template <unsigned n, class P>
ks_inline coalesced_group binary_partition(const thread_block_tile<n, P>& tile, bool p) {
  return coalesced_group{__match_any_sync(tile.ks_members(), (unsigned)p)};
}
ks_inline coalesced_group binary_partition(const coalesced_group& g, bool p) {
  return coalesced_group{__match_any_sync(g.ks_mask, (unsigned)p)};
}
template <unsigned n, class P, class L>
ks_inline coalesced_group labeled_partition(const thread_block_tile<n, P>& tile, L label) {
  return coalesced_group{__match_any_sync(tile.ks_members(), label)};
}
template <class L>
ks_inline coalesced_group labeled_partition(const coalesced_group& g, L label) {
  return coalesced_group{__match_any_sync(g.ks_mask, label)};
}

template <class Group> ks_inline void sync(const Group& g) { g.sync(); }
template <class Group> ks_inline auto thread_rank(const Group& g) { return g.thread_rank(); }
template <class Group> ks_inline auto group_size(const Group& g) { return g.size(); }

// --- reduce and scan ---
template <class T = void> struct plus { ks_inline T operator()(const T& a, const T& b) const { return a + b; } };
template <class T = void> struct less { ks_inline T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
template <class T = void> struct greater { ks_inline T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { ks_inline T operator()(const T& a, const T& b) const { return a & b; } };
template <class T = void> struct bit_or { ks_inline T operator()(const T& a, const T& b) const { return a | b; } };
template <class T = void> struct bit_xor { ks_inline T operator()(const T& a, const T& b) const { return a ^ b; } };
#define KS_ANY_TYPE(name, expression)                                                    \
  template <> struct name<void> {                                                        \
    template <class T> ks_inline T operator()(const T& a, const T& b) const { return expression; } \
  };
KS_ANY_TYPE(plus, a + b)
KS_ANY_TYPE(less, b < a ? b : a)
KS_ANY_TYPE(greater, a < b ? b : a)
KS_ANY_TYPE(bit_and, a & b)
KS_ANY_TYPE(bit_or, a | b)
KS_ANY_TYPE(bit_xor, a ^ b)
#undef KS_ANY_TYPE

template <unsigned n, class P, class T, class Op>
ks_inline T reduce(const thread_block_tile<n, P>& tile, T v, Op op) {
  if constexpr (n > 32) {
    return tile.ks_reduce(v, op);
  } else {
    _Pragma("unroll") for (unsigned d = n / 2; d > 0; d /= 2) v = op(v, tile.shfl_xor(v, d));
    return v;
  }
}
template <class T, class Op>
ks_inline T reduce(const coalesced_group& g, T v, Op op) {
  for (unsigned d = 1; d < g.size(); d *= 2) {
    const T other = g.shfl_down(v, d);
    if (g.thread_rank() + d < g.size()) v = op(v, other);
  }
  return g.shfl(v, 0);
}
template <class Group, class T, class Op>
ks_inline T inclusive_scan(const Group& g, T v, Op op) {
  for (unsigned d = 1; d < g.size(); d *= 2) {
    const T o = g.shfl_up(v, d);
    if (g.thread_rank() >= d) v = op(o, v);
  }
  return v;
}
template <unsigned n, class P, class T, class Op>
ks_inline T inclusive_scan(const thread_block_tile<n, P>& tile, T v, Op op) {
  if constexpr (n > 32) {
    return tile.ks_inclusive_scan(v, op);
  } else {
    _Pragma("unroll") for (unsigned d = 1; d < n; d *= 2) {
      const T o = tile.shfl_up(v, d);
      if (tile.thread_rank() >= d) v = op(o, v);
    }
    return v;
  }
}
template <class Group, class T> ks_inline T inclusive_scan(const Group& g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class Group, class T, class Op>
ks_inline T exclusive_scan(const Group& g, T v, Op op) {
  const T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> ks_inline T exclusive_scan(const Group& g, T v) { return exclusive_scan(g, v, plus<T>()); }
template <class Group, class F, class... A> ks_inline void invoke_one(const Group& g, F f, A... a) { if (g.thread_rank() == 0) f(a...); }
template <class Group, class F, class... A> ks_inline auto invoke_one_broadcast(const Group& g, F f, A... a) {
  decltype(f(a...)) result{};
  if (g.thread_rank() == 0) result = f(a...);
  return g.shfl(result, 0);
}
// One lane brings what all have to memory; done when it returns.
template <class Group, class T, class Op> ks_inline void reduce_store_async(const Group& g, T* to, T v, Op op) {
  const T all = reduce(g, v, op);
  if (g.thread_rank() == 0) *to = all;
}
template <class A, class T, class Op> ks_inline void ks_update(A& to, T v, Op op) {
  T seen = to.load();
  while (!to.compare_exchange_weak(seen, op(seen, v))) {}
}
template <class Group, class A, class T, class Op> ks_inline void reduce_update_async(const Group& g, A& to, T v, Op op) {
  const T all = reduce(g, v, op);
  if (g.thread_rank() == 0) ks_update(to, all, op);
}

// --- copies: done when they return, which is before wait() ---
template <class Group, class T, class U>
ks_inline void memcpy_async(const Group& g, T* to, const U* from, size_t bytes) {
  char* t = (char*)to;
  const char* f = (const char*)from;
  const size_t n = bytes / 4;
  for (size_t i = g.thread_rank(); i < n; i += g.size()) ((unsigned*)t)[i] = ((const unsigned*)f)[i];
  for (size_t i = n * 4 + g.thread_rank(); i < bytes; i += g.size()) t[i] = f[i];
}
template <class Group, class T, class U, class L>
ks_inline void memcpy_async(const Group& g, T* to, const L& to_count, const U* from, const L& from_count) {
  memcpy_async(g, to, from, sizeof(T) * (size_t)(to_count < from_count ? to_count : from_count));
}
template <class Group> ks_inline void wait(const Group& g) { g.sync(); }
template <unsigned n, class Group> ks_inline void wait_prior(const Group& g) { g.sync(); }

namespace experimental {
using namespace cooperative_groups;
}
}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
#include <kasoku/wide_tile.h>
