// <cub/cub.cuh>: what kernels call of CUB - reductions, scans, loads and stores,
// exchange, sort, histogram over a block or a warp. The interface is CUB's, the
// algorithms are written for threads that are iterations of a loop: one pass over
// shared memory per step, no bank conflicts to avoid.
#pragma once
#pragma clang system_header
#if __cplusplus < 201703L
#error this header is written for C++17 and later (-std=c++17)
#endif
#include <kasoku/cooperative_groups.h>
#include <kasoku/iterators.h>
#pragma clang force_cuda_host_device begin

namespace cub {

struct NullType {};
struct Sum { template <class T> ks_inline constexpr T operator()(const T& a, const T& b) const { return a + b; } };
struct Difference { template <class T> ks_inline constexpr T operator()(const T& a, const T& b) const { return a - b; } };
struct Max { template <class T> ks_inline constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
struct Min { template <class T> ks_inline constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
struct Equality { template <class T> ks_inline constexpr bool operator()(const T& a, const T& b) const { return a == b; } };
struct Inequality { template <class T> ks_inline constexpr bool operator()(const T& a, const T& b) const { return !(a == b); } };
template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  ks_inline KeyValuePair(const K& key, const V& value) : key(key), value(value) {}
};
struct ArgMax {
  template <class T, class O> ks_inline KeyValuePair<O, T> operator()(const KeyValuePair<O, T>& a, const KeyValuePair<O, T>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T, class O> ks_inline KeyValuePair<O, T> operator()(const KeyValuePair<O, T>& a, const KeyValuePair<O, T>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
template <CacheLoadModifier m, class T> ks_inline T ThreadLoad(const T* p) { return *p; }
template <CacheLoadModifier m, class V, class = ptrdiff_t> using CacheModifiedInputIterator = const V*;

ks_inline int ks_thread() { return (int)ks_thread_number(); }
ks_inline unsigned LaneId() { return (unsigned)ks_thread() & 31u; }
ks_inline unsigned WarpId() { return (unsigned)ks_thread() >> 5; }
ks_inline int RowMajorTid(int x, int y, int) { return ks_thread() + 0 * (x + y); }

// Room for values that have constructors: shared memory runs none.
template <class T> struct Uninitialized {
  alignas(T) char ks_bytes_[sizeof(T)];
  ks_inline T& Alias() { return *reinterpret_cast<T*>(this); }
};
template <class T, int n> struct ks_room {
  alignas(T) char ks_bytes_[sizeof(T) * n];
  ks_inline T& operator[](int i) { return reinterpret_cast<T*>(ks_bytes_)[i]; }
};
// The largest power of two below n.
constexpr int ks_half(int n) {
  int d = 1;
  while (d * 2 < n) d *= 2;
  return n > 1 ? d : 0;
}
// Each of CUB's classes can be made with its own shared memory or with a user's.
#define KS_CUB_STORAGE(Class, Room)                                                   \
 public:                                                                              \
  typedef Room TempStorage;                                                           \
  ks_inline Class() : ks_s(ks_own()) {}                                               \
  ks_inline Class(TempStorage& s) : ks_s(s) {}                                        \
                                                                                      \
 private:                                                                             \
  TempStorage& ks_s;                                                                  \
  __device__ ks_inline static TempStorage& ks_own() {                                 \
    __shared__ TempStorage s;                                                         \
    return s;                                                                         \
  }                                                                                   \
                                                                                      \
 public:

template <class T, int x, BlockReduceAlgorithm algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1, int = 0>
class BlockReduce {
  static constexpr int n = x * y * z;
  struct Room { ks_room<T, n> values; };
  KS_CUB_STORAGE(BlockReduce, Room)
  // A tree over the first `valid` threads; the result is thread 0's, others see it too.
  template <class Op> ks_inline T Reduce(T v, Op op, int valid) {
    const int t = ks_thread();
    ks_s.values[t] = v;
    ks_barrier();
    _Pragma("unroll") for (int d = ks_half(n); d > 0; d /= 2) {
      if (t < d && t + d < valid) ks_s.values[t] = op(ks_s.values[t], ks_s.values[t + d]);
      ks_barrier();
    }
    return ks_s.values[0];
  }
  template <class Op> ks_inline T Reduce(T v, Op op) { return Reduce(v, op, n); }
  template <int m, class Op> ks_inline T Reduce(T (&v)[m], Op op) {
    T r = v[0];
    _Pragma("unroll") for (int i = 1; i < m; ++i) r = op(r, v[i]);
    return Reduce(r, op, n);
  }
  ks_inline T Sum(T v) { return Reduce(v, ::cub::Sum(), n); }
  ks_inline T Sum(T v, int valid) { return Reduce(v, ::cub::Sum(), valid); }
  template <int m> ks_inline T Sum(T (&v)[m]) { return Reduce(v, ::cub::Sum()); }
};

template <class T, int x, BlockScanAlgorithm algorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int = 0>
class BlockScan {
  static constexpr int n = x * y * z;
  struct Room { ks_room<T, n> values; ks_room<T, 1> prefix; };
  KS_CUB_STORAGE(BlockScan, Room)
  template <class Op> ks_inline void InclusiveScan(T v, T& out, Op op) {
    const int t = ks_thread();
    ks_s.values[t] = v;
    ks_barrier();
    for (int d = 1; d < n; d *= 2) {
      T o = ks_s.values[t >= d ? t - d : t];
      ks_barrier();
      if (t >= d) ks_s.values[t] = op(o, ks_s.values[t]);
      ks_barrier();
    }
    out = ks_s.values[t];
  }
  template <class Op> ks_inline void InclusiveScan(T v, T& out, Op op, T& total) {
    InclusiveScan(v, out, op);
    total = ks_s.values[n - 1];
  }
  // `before` is what stands in front of this thread; thread 0 has none.
  template <class Op> ks_inline T ks_before(T v, T& out, Op op, T& total) {
    InclusiveScan(v, out, op, total);
    const int t = ks_thread();
    return ks_s.values[t > 0 ? t - 1 : 0];
  }
  template <class Op> ks_inline void ExclusiveScan(T v, T& out, T initial, Op op, T& total) {
    T inclusive;
    const T before = ks_before(v, inclusive, op, total);
    out = ks_thread() == 0 ? initial : op(initial, before);
  }
  template <class Op> ks_inline void ExclusiveScan(T v, T& out, T initial, Op op) {
    T total;
    ExclusiveScan(v, out, initial, op, total);
  }
  ks_inline void InclusiveSum(T v, T& out) { InclusiveScan(v, out, ::cub::Sum()); }
  ks_inline void InclusiveSum(T v, T& out, T& total) { InclusiveScan(v, out, ::cub::Sum(), total); }
  ks_inline void ExclusiveSum(T v, T& out) { ExclusiveScan(v, out, T(0), ::cub::Sum()); }
  ks_inline void ExclusiveSum(T v, T& out, T& total) { ExclusiveScan(v, out, T(0), ::cub::Sum(), total); }
  // The block's running total comes from, and goes to, a callback of thread 0's warp.
  template <class Callback> ks_inline void ExclusiveSum(T v, T& out, Callback& callback) {
    T total;
    ExclusiveScan(v, out, T(0), ::cub::Sum(), total);
    out = out + ks_prefix(total, callback);
  }
  template <class Callback> ks_inline void InclusiveSum(T v, T& out, Callback& callback) {
    T total;
    InclusiveScan(v, out, ::cub::Sum(), total);
    out = out + ks_prefix(total, callback);
  }
  template <int m, class Op> ks_inline void InclusiveScan(T (&in)[m], T (&out)[m], Op op, T& total) {
    T sums[m];
    sums[0] = in[0];
    _Pragma("unroll") for (int i = 1; i < m; ++i) sums[i] = op(sums[i - 1], in[i]);
    T inclusive;
    const T before = ks_before(sums[m - 1], inclusive, op, total);
    _Pragma("unroll") for (int i = 0; i < m; ++i) out[i] = ks_thread() == 0 ? sums[i] : op(before, sums[i]);
  }
  template <int m, class Op> ks_inline void InclusiveScan(T (&in)[m], T (&out)[m], Op op) {
    T total;
    InclusiveScan(in, out, op, total);
  }
  template <int m, class Op> ks_inline void ExclusiveScan(T (&in)[m], T (&out)[m], T initial, Op op, T& total) {
    T sums[m];
    sums[0] = in[0];
    _Pragma("unroll") for (int i = 1; i < m; ++i) sums[i] = op(sums[i - 1], in[i]);
    T inclusive;
    const T before = ks_before(sums[m - 1], inclusive, op, total);
    const T first = ks_thread() == 0 ? initial : op(initial, before);
    _Pragma("unroll") for (int i = m - 1; i > 0; --i) out[i] = op(first, sums[i - 1]);
    out[0] = first;
  }
  template <int m, class Op> ks_inline void ExclusiveScan(T (&in)[m], T (&out)[m], T initial, Op op) {
    T total;
    ExclusiveScan(in, out, initial, op, total);
  }
  template <int m> ks_inline void InclusiveSum(T (&in)[m], T (&out)[m]) { InclusiveScan(in, out, ::cub::Sum()); }
  template <int m> ks_inline void InclusiveSum(T (&in)[m], T (&out)[m], T& total) { InclusiveScan(in, out, ::cub::Sum(), total); }
  template <int m> ks_inline void ExclusiveSum(T (&in)[m], T (&out)[m]) { ExclusiveScan(in, out, T(0), ::cub::Sum()); }
  template <int m> ks_inline void ExclusiveSum(T (&in)[m], T (&out)[m], T& total) { ExclusiveScan(in, out, T(0), ::cub::Sum(), total); }

 private:
  template <class Callback> ks_inline T ks_prefix(T total, Callback& callback) {
    ks_barrier();
    if (ks_thread() < 32) {
      const T prefix = callback(total);
      if (ks_thread() == 0) ks_s.prefix[0] = prefix;
    }
    ks_barrier();
    return ks_s.prefix[0];
  }
};

// --- values of any type from other lanes; before the first and behind the last lane is a lane's own ---
template <int n, class T> ks_inline T ShuffleUp(T v, int d, int first, unsigned members) {
  const T o = ::cooperative_groups::ks_shuffle_any(v, [=](auto part) { return __shfl_up_sync(members, part, (unsigned)d, n); });
  return ks_thread() % 32 % n - d < first ? v : o;
}
template <int n, class T> ks_inline T ShuffleDown(T v, int d, int last, unsigned members) {
  const T o = ::cooperative_groups::ks_shuffle_any(v, [=](auto part) { return __shfl_down_sync(members, part, (unsigned)d, n); });
  return ks_thread() % 32 % n + d > last ? v : o;
}
template <int n, class T> ks_inline T ShuffleIndex(T v, int from, unsigned members) {
  return ::cooperative_groups::ks_shuffle_any(v, [=](auto part) { return __shfl_sync(members, part, from, n); });
}

// --- warps: `n` neighbouring lanes, a power of two or not ---
template <class T, int n = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage {};
  ks_inline WarpReduce() {}
  ks_inline WarpReduce(TempStorage&) {}
  template <class Op> ks_inline T Reduce(T v, Op op, int valid) {
    const int lane = ks_thread() % 32 % n;
    _Pragma("unroll") for (int d = ks_half(n); d > 0; d /= 2) {
      const T o = ShuffleDown<32>(v, d, 31, 0xffffffffu);
      if (lane + d < valid && lane + d < n) v = op(v, o);
    }
    return v;
  }
  template <class Op> ks_inline T Reduce(T v, Op op) { return Reduce(v, op, n); }
  ks_inline T Sum(T v) { return Reduce(v, ::cub::Sum(), n); }
  ks_inline T Sum(T v, int valid) { return Reduce(v, ::cub::Sum(), valid); }
};

template <class T, int n = 32, int = 0>
class WarpScan {
 public:
  struct TempStorage {};
  ks_inline WarpScan() {}
  ks_inline WarpScan(TempStorage&) {}
  template <class Op> ks_inline void InclusiveScan(T v, T& out, Op op) {
    const int lane = ks_thread() % 32 % n;
    _Pragma("unroll") for (int d = 1; d < n; d *= 2) {
      const T o = ks_move(v, d, true);
      if (lane >= d) v = op(o, v);
    }
    out = v;
  }
  template <class Op> ks_inline void InclusiveScan(T v, T& out, Op op, T& total) {
    InclusiveScan(v, out, op);
    total = ks_last(out);
  }
  template <class Op> ks_inline void ExclusiveScan(T v, T& out, T initial, Op op) {
    T inclusive;
    InclusiveScan(v, inclusive, op);
    const T before = ks_move(inclusive, 1, true);
    out = ks_thread() % 32 % n == 0 ? initial : op(initial, before);
  }
  template <class Op> ks_inline void ExclusiveScan(T v, T& out, T initial, Op op, T& total) {
    T inclusive;
    InclusiveScan(v, inclusive, op, total);
    const T before = ks_move(inclusive, 1, true);
    out = ks_thread() % 32 % n == 0 ? initial : op(initial, before);
  }
  /// Without a first value: what the first lane gets is its own.
  template <class Op> ks_inline void ExclusiveScan(T v, T& out, Op op) {
    T inclusive;
    Scan(v, inclusive, out, op);
  }
  template <class Op> ks_inline void Scan(T v, T& inclusive, T& exclusive, Op op) {
    InclusiveScan(v, inclusive, op);
    const T before = ks_move(inclusive, 1, true);
    exclusive = ks_thread() % 32 % n == 0 ? v : before;
  }
  template <class Op> ks_inline void Scan(T v, T& inclusive, T& exclusive, T initial, Op op) {
    Scan(v, inclusive, exclusive, op);
    inclusive = op(initial, inclusive);
    exclusive = ks_thread() % 32 % n == 0 ? initial : op(initial, exclusive);
  }
  ks_inline void Sum(T v, T& inclusive, T& exclusive) { Scan(v, inclusive, exclusive, T(0), ::cub::Sum()); }
  ks_inline void InclusiveSum(T v, T& out) { InclusiveScan(v, out, ::cub::Sum()); }
  ks_inline void InclusiveSum(T v, T& out, T& total) { InclusiveScan(v, out, ::cub::Sum(), total); }
  ks_inline void ExclusiveSum(T v, T& out) { ExclusiveScan(v, out, T(0), ::cub::Sum()); }
  ks_inline void ExclusiveSum(T v, T& out, T& total) { ExclusiveScan(v, out, T(0), ::cub::Sum(), total); }
  ks_inline T Broadcast(T v, unsigned lane) { return ks_move(v, (int)lane + ks_thread() % 32 / n * n, false); }

 private:
  ks_inline static T ks_last(T v) { return ks_move(v, ks_thread() % 32 / n * n + n - 1, false); }
  ks_inline static T ks_move(T v, int d, bool up) {
    return up ? ShuffleUp<32>(v, d, 0, 0xffffffffu) : ShuffleIndex<32>(v, d, 0xffffffffu);
  }
};

// --- loads and stores ---
template <class T, int x, int m, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1, int z = 1, int = 0>
class BlockLoad {
  static constexpr int n = x * y * z;
  ks_inline static int at(int i) { return algorithm == BLOCK_LOAD_STRIPED ? i * n + ks_thread() : ks_thread() * m + i; }
 public:
  struct TempStorage {};
  ks_inline BlockLoad() {}
  ks_inline BlockLoad(TempStorage&) {}
  template <class I> ks_inline void Load(I from, T (&v)[m]) {
    _Pragma("unroll") for (int i = 0; i < m; ++i) v[i] = from[at(i)];
  }
  template <class I> ks_inline void Load(I from, T (&v)[m], int valid) {
    _Pragma("unroll") for (int i = 0; i < m; ++i) if (at(i) < valid) v[i] = from[at(i)];
  }
  template <class I, class D> ks_inline void Load(I from, T (&v)[m], int valid, D otherwise) {
    _Pragma("unroll") for (int i = 0; i < m; ++i) v[i] = at(i) < valid ? (T)from[at(i)] : (T)otherwise;
  }
};
template <class T, int x, int m, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1, int z = 1, int = 0>
class BlockStore {
  static constexpr int n = x * y * z;
  ks_inline static int at(int i) { return algorithm == BLOCK_STORE_STRIPED ? i * n + ks_thread() : ks_thread() * m + i; }
 public:
  struct TempStorage {};
  ks_inline BlockStore() {}
  ks_inline BlockStore(TempStorage&) {}
  template <class I> ks_inline void Store(I to, T (&v)[m]) {
    _Pragma("unroll") for (int i = 0; i < m; ++i) to[at(i)] = v[i];
  }
  template <class I> ks_inline void Store(I to, T (&v)[m], int valid) {
    _Pragma("unroll") for (int i = 0; i < m; ++i) if (at(i) < valid) to[at(i)] = v[i];
  }
};
template <class T, int m, class I> ks_inline void LoadDirectBlocked(int t, I from, T (&v)[m]) {
  _Pragma("unroll") for (int i = 0; i < m; ++i) v[i] = from[t * m + i];
}
template <class T, int m, class I> ks_inline void StoreDirectBlocked(int t, I to, T (&v)[m]) {
  _Pragma("unroll") for (int i = 0; i < m; ++i) to[t * m + i] = v[i];
}
template <int n, class T, int m, class I> ks_inline void LoadDirectStriped(int t, I from, T (&v)[m]) {
  _Pragma("unroll") for (int i = 0; i < m; ++i) v[i] = from[i * n + t];
}
template <int n, class T, int m, class I> ks_inline void StoreDirectStriped(int t, I to, T (&v)[m]) {
  _Pragma("unroll") for (int i = 0; i < m; ++i) to[i * n + t] = v[i];
}

template <class T, int x, int m, bool = false, int y = 1, int z = 1, int = 0>
class BlockExchange {
  static constexpr int n = x * y * z;
  struct Room { ks_room<T, n * m> values; };
  KS_CUB_STORAGE(BlockExchange, Room)
  template <class U> ks_inline void StripedToBlocked(const T (&in)[m], U (&out)[m]) {
    ks_move(in, out, [](int i) { return at(i, true); }, [](int i) { return at(i, false); });
  }
  template <class U> ks_inline void BlockedToStriped(const T (&in)[m], U (&out)[m]) {
    ks_move(in, out, [](int i) { return at(i, false); }, [](int i) { return at(i, true); });
  }
  ks_inline void StripedToBlocked(T (&v)[m]) { StripedToBlocked(v, v); }
  ks_inline void BlockedToStriped(T (&v)[m]) { BlockedToStriped(v, v); }
  template <class U> ks_inline void WarpStripedToBlocked(const T (&in)[m], U (&out)[m]) {
    ks_move(in, out, [](int i) { return ks_of_warp(i); }, [](int i) { return at(i, false); });
  }
  template <class U> ks_inline void BlockedToWarpStriped(const T (&in)[m], U (&out)[m]) {
    ks_move(in, out, [](int i) { return at(i, false); }, [](int i) { return ks_of_warp(i); });
  }
  ks_inline void WarpStripedToBlocked(T (&v)[m]) { WarpStripedToBlocked(v, v); }
  ks_inline void BlockedToWarpStriped(T (&v)[m]) { BlockedToWarpStriped(v, v); }
  template <class U, class R> ks_inline void ScatterToBlocked(const T (&in)[m], U (&out)[m], R (&rank)[m]) {
    ks_move(in, out, [&](int i) { return (int)rank[i]; }, [](int i) { return at(i, false); });
  }
  template <class U, class R> ks_inline void ScatterToStriped(const T (&in)[m], U (&out)[m], R (&rank)[m]) {
    ks_move(in, out, [&](int i) { return (int)rank[i]; }, [](int i) { return at(i, true); });
  }
  // Items of a negative rank, or without a flag, go nowhere.
  template <class U, class R> ks_inline void ScatterToStripedGuarded(const T (&in)[m], U (&out)[m], R (&rank)[m]) {
    ks_move(in, out, [&](int i) { return (int)rank[i]; }, [](int i) { return at(i, true); });
  }
  template <class U, class R, class F> ks_inline void ScatterToStripedFlagged(const T (&in)[m], U (&out)[m], R (&rank)[m], F (&is_valid)[m]) {
    ks_move(in, out, [&](int i) { return is_valid[i] ? (int)rank[i] : -1; }, [](int i) { return at(i, true); });
  }
  template <class R> ks_inline void ScatterToBlocked(T (&v)[m], R (&rank)[m]) { ScatterToBlocked(v, v, rank); }
  template <class R> ks_inline void ScatterToStriped(T (&v)[m], R (&rank)[m]) { ScatterToStriped(v, v, rank); }
  template <class R> ks_inline void ScatterToStripedGuarded(T (&v)[m], R (&rank)[m]) { ScatterToStripedGuarded(v, v, rank); }
  template <class R, class F> ks_inline void ScatterToStripedFlagged(T (&v)[m], R (&rank)[m], F (&is_valid)[m]) {
    ScatterToStripedFlagged(v, v, rank, is_valid);
  }

 private:
  ks_inline static int at(int i, bool striped) { return striped ? i * n + ks_thread() : ks_thread() * m + i; }
  ks_inline static int ks_of_warp(int i) {  // the last warp may have fewer lanes
    const int first = ks_thread() / 32 * 32, lanes = n - first < 32 ? n - first : 32;
    return first * m + i * lanes + ks_thread() % 32;
  }
  template <class U, class From, class To> ks_inline void ks_move(const T (&in)[m], U (&out)[m], From from, To to) {
    ks_barrier();
    for (int i = 0; i < m; ++i)
      if (const int place = from(i); place >= 0) ks_s.values[place] = in[i];
    ks_barrier();
    for (int i = 0; i < m; ++i) out[i] = ks_s.values[to(i)];
  }
};

// --- sort: each key finds its place by counting, digit by digit of four bits ---
template <class K> struct ks_radix {
  typedef ::std::conditional_t<sizeof(K) == 1, unsigned char,
          ::std::conditional_t<sizeof(K) == 2, unsigned short,
          ::std::conditional_t<sizeof(K) == 4, unsigned, unsigned long long>>> Bits;
  static constexpr Bits top = (Bits)((Bits)1 << (sizeof(K) * 8 - 1));
  // Bits in the order of the keys.
  ks_inline static Bits ordered(K k) {
    Bits b = __builtin_bit_cast(Bits, k);
    if constexpr (__is_floating_point(K)) return b & top ? (Bits)~b : (Bits)(b | top);
    else if constexpr (__is_signed(K)) return b ^ top;
    else return b;
  }
};
template <class K, int x, int m, class V = NullType, int digit = 4, bool = true, int = 0, int = 0, int y = 1, int z = 1>
class BlockRadixSort {
  static constexpr int n = x * y * z;
  static constexpr bool has_values = !__is_same(V, NullType);
  struct Room { ks_room<K, n * m> keys; ks_room<V, has_values ? n * m : 1> values; int counts[16][n]; };
  KS_CUB_STORAGE(BlockRadixSort, Room)
  ks_inline void Sort(K (&k)[m], int begin = 0, int end = sizeof(K) * 8) { V none[m]; ks_sort(k, none, begin, end, false, false); }
  ks_inline void Sort(K (&k)[m], V (&v)[m], int begin = 0, int end = sizeof(K) * 8) { ks_sort(k, v, begin, end, false, false); }
  ks_inline void SortDescending(K (&k)[m], int begin = 0, int end = sizeof(K) * 8) { V none[m]; ks_sort(k, none, begin, end, true, false); }
  ks_inline void SortDescending(K (&k)[m], V (&v)[m], int begin = 0, int end = sizeof(K) * 8) { ks_sort(k, v, begin, end, true, false); }
  ks_inline void SortBlockedToStriped(K (&k)[m], int begin = 0, int end = sizeof(K) * 8) { V none[m]; ks_sort(k, none, begin, end, false, true); }
  ks_inline void SortBlockedToStriped(K (&k)[m], V (&v)[m], int begin = 0, int end = sizeof(K) * 8) { ks_sort(k, v, begin, end, false, true); }
  ks_inline void SortDescendingBlockedToStriped(K (&k)[m], int begin = 0, int end = sizeof(K) * 8) { V none[m]; ks_sort(k, none, begin, end, true, true); }
  ks_inline void SortDescendingBlockedToStriped(K (&k)[m], V (&v)[m], int begin = 0, int end = sizeof(K) * 8) { ks_sort(k, v, begin, end, true, true); }

 private:
  ks_inline void ks_sort(K (&k)[m], V (&v)[m], int begin, int end, bool descending, bool striped) {
    const int t = ks_thread();
    for (int bit = begin; bit < end; bit += 4) {
      const unsigned mask = (1u << (end - bit < 4 ? end - bit : 4)) - 1u;
      int digits[m];
      ks_barrier();
      for (int d = 0; d < 16; ++d) ks_s.counts[d][t] = 0;
      for (int i = 0; i < m; ++i) {
        const int d = (int)((unsigned)(ks_radix<K>::ordered(k[i]) >> bit) & mask);
        digits[i] = descending ? (int)mask - d : d;
        ++ks_s.counts[digits[i]][t];
      }
      ks_barrier();
      if (t == 0) {
        int sum = 0;
        for (int d = 0; d < 16; ++d)
          for (int i = 0; i < n; ++i) {
            const int c = ks_s.counts[d][i];
            ks_s.counts[d][i] = sum;
            sum += c;
          }
      }
      ks_barrier();
      for (int i = 0; i < m; ++i) {
        const int place = ks_s.counts[digits[i]][t]++;
        ks_s.keys[place] = k[i];
        if constexpr (has_values) ks_s.values[place] = v[i];
      }
      ks_barrier();
      const bool last = bit + 4 >= end;
      for (int i = 0; i < m; ++i) {
        const int place = striped && last ? i * n + t : t * m + i;
        k[i] = ks_s.keys[place];
        if constexpr (has_values) v[i] = ks_s.values[place];
      }
    }
    ks_barrier();
  }
};

template <class T, int x, int m, int bins, BlockHistogramAlgorithm algorithm = BLOCK_HISTO_SORT, int y = 1, int z = 1, int = 0>
class BlockHistogram {
  static constexpr int n = x * y * z;
 public:
  struct TempStorage {};
  ks_inline BlockHistogram() {}
  ks_inline BlockHistogram(TempStorage&) {}
  template <class C> ks_inline void InitHistogram(C (&h)[bins]) {
    for (int i = ks_thread(); i < bins; i += n) h[i] = 0;
    ks_barrier();
  }
  template <class C> ks_inline void Composite(T (&v)[m], C (&h)[bins]) {
    for (int i = 0; i < m; ++i) atomicAdd(&h[v[i]], (C)1);
    ks_barrier();
  }
  template <class C> ks_inline void Histogram(T (&v)[m], C (&h)[bins]) {
    InitHistogram(h);
    Composite(v, h);
  }
};
#include <kasoku/cub_neighbours.h>
#include <kasoku/cub_merge_sort.h>
#include <kasoku/cub_runs.h>
#undef KS_CUB_STORAGE

template <class A, class B> ks_inline constexpr auto DivideAndRoundUp(A a, B b) { return (a + b - 1) / b; }

}  // namespace cub

#pragma clang force_cuda_host_device end
