// Of CUB's classes those of a warp's items (exchange, load, store), and the one that decodes runs.
// Included by cub.h, inside of namespace cub.

enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

// Item i of a thread's m in a warp of n lanes, in one of the two orders.
template <int m, int n> ks_inline int ks_warp_item(int i, bool striped) {
  const int lane = ks_thread() % 32 % n;
  return striped ? i * n + lane : lane * m + i;
}

template <class T, int m, int n = 32, int = 0, WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
 public:
  struct TempStorage { ks_room<T, n * m> values; };
  ks_inline WarpExchange(TempStorage& s) : ks_s(s) {}
  template <class U> ks_inline void BlockedToStriped(const T (&in)[m], U (&out)[m]) {
    ks_move(in, out, true, [](int i) { return ks_warp_item<m, n>(i, false); });
  }
  template <class U> ks_inline void StripedToBlocked(const T (&in)[m], U (&out)[m]) {
    ks_move(in, out, false, [](int i) { return ks_warp_item<m, n>(i, true); });
  }
  template <class U, class R> ks_inline void ScatterToStriped(const T (&in)[m], U (&out)[m], R (&rank)[m]) {
    ks_move(in, out, true, [&](int i) { return (int)rank[i]; });
  }
  template <class R> ks_inline void ScatterToStriped(T (&v)[m], R (&rank)[m]) { ScatterToStriped(v, v, rank); }

 private:
  TempStorage& ks_s;
  template <class U, class Place> ks_inline void ks_move(const T (&in)[m], U (&out)[m], bool to, Place place) {
    const unsigned lanes = n == 32 ? 0xffffffffu : ((1u << (n & 31)) - 1u) << (ks_thread() % 32 / n * n);
    ks_warp_barrier(lanes);
    for (int i = 0; i < m; ++i) ks_s.values[place(i)] = in[i];
    ks_warp_barrier(lanes);
    for (int i = 0; i < m; ++i) out[i] = ks_s.values[ks_warp_item<m, n>(i, to)];
  }
};

template <class T, int m, WarpLoadAlgorithm algorithm = WARP_LOAD_DIRECT, int n = 32, int = 0>
class WarpLoad {
  ks_inline static int at(int i) { return ks_warp_item<m, n>(i, algorithm == WARP_LOAD_STRIPED); }
 public:
  struct TempStorage {};
  ks_inline WarpLoad() {}
  ks_inline WarpLoad(TempStorage&) {}
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

template <class T, int m, WarpStoreAlgorithm algorithm = WARP_STORE_DIRECT, int n = 32, int = 0>
class WarpStore {
  ks_inline static int at(int i) { return ks_warp_item<m, n>(i, algorithm == WARP_STORE_STRIPED); }
 public:
  struct TempStorage {};
  ks_inline WarpStore() {}
  ks_inline WarpStore(TempStorage&) {}
  template <class I> ks_inline void Store(I to, T (&v)[m]) {
    _Pragma("unroll") for (int i = 0; i < m; ++i) to[at(i)] = v[i];
  }
  template <class I> ks_inline void Store(I to, T (&v)[m], int valid) {
    _Pragma("unroll") for (int i = 0; i < m; ++i) if (at(i) < valid) to[at(i)] = v[i];
  }
};

// `runs` values of each thread, each as often as its length says; a window of the whole at a time.
template <class T, int x, int runs, int m, class Offset = unsigned, int y = 1, int z = 1>
class BlockRunLengthDecode {
  static constexpr int n = x * y * z;
 public:
  struct TempStorage { ks_room<T, n * runs> values; Offset begins[n * runs]; };
  template <class Length, class Total>
  ks_inline BlockRunLengthDecode(TempStorage& s, T (&values)[runs], Length (&lengths)[runs], Total& total) : ks_s(s) {
    ks_put(values, lengths);
    Offset sum = 0;
    for (int i = 0; i < ks_thread() * runs; ++i) sum += ks_s.begins[i];
    Offset begins[runs], all = sum;
    for (int i = 0; i < runs; ++i) begins[i] = all, all += (Offset)lengths[i];
    for (int i = (ks_thread() + 1) * runs; i < n * runs; ++i) all += ks_s.begins[i];
    total = (Total)all;
    ks_put(values, begins);
  }
  template <class Length, class Total>
  ks_inline BlockRunLengthDecode(T (&values)[runs], Length (&lengths)[runs], Total& total)
      : BlockRunLengthDecode(ks_own(), values, lengths, total) {}
  template <class Begin> ks_inline BlockRunLengthDecode(TempStorage& s, T (&values)[runs], Begin (&begins)[runs]) : ks_s(s) {
    ks_put(values, begins);
  }
  template <class Begin> ks_inline BlockRunLengthDecode(T (&values)[runs], Begin (&begins)[runs])
      : BlockRunLengthDecode(ks_own(), values, begins) {}
  ks_inline void RunLengthDecode(T (&out)[m], Offset from = 0) {
    Offset places[m];
    RunLengthDecode(out, places, from);
  }
  template <class Place> ks_inline void RunLengthDecode(T (&out)[m], Place (&places)[m], Offset from = 0) {
    for (int i = 0; i < m; ++i) {
      const Offset at = from + (Offset)(ks_thread() * m + i);
      int run = 0, many = n * runs;  // the last run that begins there or before
      while (many > 1) {
        const int half = many / 2;
        if (ks_s.begins[run + half] <= at) run += half;
        many -= half;
      }
      out[i] = ks_s.values[run];
      places[i] = (Place)(at - ks_s.begins[run]);
    }
  }

 private:
  TempStorage& ks_s;
  __device__ ks_inline static TempStorage& ks_own() {
    __shared__ TempStorage s;
    return s;
  }
  template <class Number> ks_inline void ks_put(T (&values)[runs], Number (&numbers)[runs]) {
    ks_barrier();
    for (int i = 0; i < runs; ++i) {
      ks_s.values[ks_thread() * runs + i] = values[i];
      ks_s.begins[ks_thread() * runs + i] = (Offset)numbers[i];
    }
    ks_barrier();
  }
};
