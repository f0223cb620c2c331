// Of CUB's classes those that sort by a comparison. Included by cub.h, inside of namespace cub.

// Runs are merged by two, round by round: an item finds its place by a search in the run beside its own.
template <class K, class V, int n, int m> struct ks_merge_sort {
  static constexpr bool has_values = !__is_same(V, NullType);
  ks_room<K, n * m> keys;
  ks_room<V, has_values ? n * m : 1> values;

  // Of thread `t` of `n`; sync() is met by all of them.
  template <class Less, class Sync> ks_inline void sort(int t, K (&k)[m], V (&v)[m], Less less, Sync sync) {
    for (int i = 1; i < m; ++i)
      for (int j = i; j > 0 && less(k[j], k[j - 1]); --j) {
        ks_swap(k[j], k[j - 1]);
        if constexpr (has_values) ks_swap(v[j], v[j - 1]);
      }
    for (int run = m; run < n * m; run *= 2) {
      sync();
      for (int i = 0; i < m; ++i) keys[t * m + i] = k[i];
      sync();
      const int own = t * m / run, first = own * run, pair = own / 2 * 2 * run;
      const bool is_left = own % 2 == 0;
      const int other = is_left ? first + run : pair;
      const int length = other >= n * m ? 0 : other + run > n * m ? n * m - other : run;
      int places[m];
      for (int i = 0; i < m; ++i) {
        int low = 0, high = length;  // before the item: less ones, and equal ones of the left run
        while (low < high) {
          const int middle = (low + high) / 2;
          const bool is_before = is_left ? less(keys[other + middle], k[i]) : !less(k[i], keys[other + middle]);
          if (is_before) low = middle + 1;
          else high = middle;
        }
        places[i] = pair + (t * m + i - first) + low;
      }
      sync();
      for (int i = 0; i < m; ++i) {
        keys[places[i]] = k[i];
        if constexpr (has_values) values[places[i]] = v[i];
      }
      sync();
      for (int i = 0; i < m; ++i) {
        k[i] = keys[t * m + i];
        if constexpr (has_values) v[i] = values[t * m + i];
      }
    }
    sync();
  }
  template <class T> ks_inline static void ks_swap(T& a, T& b) { const T c = a; a = b, b = c; }
};
#define KS_CUB_SORTS(name)                                                                                        \
  template <class Less> ks_inline void name(K (&k)[m], Less less) { V none[m]; ks_sort(k, none, less); }          \
  template <class Less> ks_inline void name(K (&k)[m], V (&v)[m], Less less) { ks_sort(k, v, less); }             \
  template <class Less> ks_inline void name(K (&k)[m], Less less, int valid, K last) {                            \
    V none[m];                                                                                                    \
    ks_fill(k, valid, last), ks_sort(k, none, less);                                                              \
  }                                                                                                               \
  template <class Less> ks_inline void name(K (&k)[m], V (&v)[m], Less less, int valid, K last) {                 \
    ks_fill(k, valid, last), ks_sort(k, v, less);                                                                 \
  }

template <class K, int x, int m, class V = NullType, int y = 1, int z = 1>
class BlockMergeSort {
  static constexpr int n = x * y * z;
  struct Room { ks_merge_sort<K, V, n, m> items; };
  KS_CUB_STORAGE(BlockMergeSort, Room)
  KS_CUB_SORTS(Sort)
  KS_CUB_SORTS(StableSort)

 private:
  ks_inline static void ks_fill(K (&k)[m], int valid, K last) {
    for (int i = 0; i < m; ++i)
      if (ks_thread() * m + i >= valid) k[i] = last;
  }
  template <class Less> ks_inline void ks_sort(K (&k)[m], V (&v)[m], Less less) {
    ks_s.items.sort(ks_thread(), k, v, less, [] { ks_barrier(); });
  }
};

template <class K, int m, int n = 32, class V = NullType, int = 0>
class WarpMergeSort {
 public:
  struct TempStorage { ks_merge_sort<K, V, n, m> items; };
  ks_inline WarpMergeSort(TempStorage& s) : ks_s(s) {}
  KS_CUB_SORTS(Sort)
  KS_CUB_SORTS(StableSort)

 private:
  TempStorage& ks_s;
  ks_inline static int ks_lane() { return ks_thread() % 32 % n; }
  ks_inline static void ks_fill(K (&k)[m], int valid, K last) {
    for (int i = 0; i < m; ++i)
      if (ks_lane() * m + i >= valid) k[i] = last;
  }
  template <class Less> ks_inline void ks_sort(K (&k)[m], V (&v)[m], Less less) {
    const unsigned lanes = n == 32 ? 0xffffffffu : ((1u << (n & 31)) - 1u) << (ks_thread() % 32 / n * n);
    ks_s.items.sort(ks_lane(), k, v, less, [=] { ks_warp_barrier(lanes); });
  }
};
#undef KS_CUB_SORTS
