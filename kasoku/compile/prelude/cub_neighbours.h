// Of CUB's classes those that look at neighbouring items of a block: differences, flags where
// values change, shifts. Included by cub.h, inside of namespace cub.

// An edge of each thread's items, for the threads beside it.
template <class T, int n> struct ks_edges {
  ks_room<T, n> values;
  ks_inline void put(const T& value) {
    ks_barrier();
    values[ks_thread()] = value;
    ks_barrier();
  }
};

template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockAdjacentDifference {
  static constexpr int n = x * y * z;
  struct Room { ks_edges<T, n> edges; };
  KS_CUB_STORAGE(BlockAdjacentDifference, Room)
  template <int m, class U, class Op> ks_inline void SubtractLeft(T (&in)[m], U (&out)[m], Op op) { ks_left(in, out, op, n * m, nullptr); }
  template <int m, class U, class Op> ks_inline void SubtractLeft(T (&in)[m], U (&out)[m], Op op, T before) { ks_left(in, out, op, n * m, &before); }
  template <int m, class U, class Op> ks_inline void SubtractLeftPartialTile(T (&in)[m], U (&out)[m], Op op, int valid) { ks_left(in, out, op, valid, nullptr); }
  template <int m, class U, class Op> ks_inline void SubtractLeftPartialTile(T (&in)[m], U (&out)[m], Op op, int valid, T before) { ks_left(in, out, op, valid, &before); }
  template <int m, class U, class Op> ks_inline void SubtractRight(T (&in)[m], U (&out)[m], Op op) { ks_right(in, out, op, n * m, nullptr); }
  template <int m, class U, class Op> ks_inline void SubtractRight(T (&in)[m], U (&out)[m], Op op, T after) { ks_right(in, out, op, n * m, &after); }
  template <int m, class U, class Op> ks_inline void SubtractRightPartialTile(T (&in)[m], U (&out)[m], Op op, int valid) { ks_right(in, out, op, valid, nullptr); }

 private:
  // Items from `valid` on, and the first one if nothing comes before it, stay as they are.
  template <int m, class U, class Op> ks_inline void ks_left(T (&in)[m], U (&out)[m], Op op, int valid, const T* before) {
    const int first = ks_thread() * m;
    ks_s.edges.put(in[m - 1]);
    for (int i = m - 1; i > 0; --i) out[i] = first + i < valid ? (U)op(in[i], in[i - 1]) : (U)in[i];
    if (first >= valid || (first == 0 && !before)) out[0] = in[0];
    else out[0] = op(in[0], first ? ks_s.edges.values[ks_thread() - 1] : *before);
  }
  template <int m, class U, class Op> ks_inline void ks_right(T (&in)[m], U (&out)[m], Op op, int valid, const T* after) {
    const int last = ks_thread() * m + m - 1;
    ks_s.edges.put(in[0]);
    for (int i = 0; i < m - 1; ++i) out[i] = last - m + 2 + i < valid ? (U)op(in[i], in[i + 1]) : (U)in[i];
    if (last + 1 < valid) out[m - 1] = op(in[m - 1], ks_s.edges.values[ks_thread() + 1]);
    else if (last + 1 == n * m && after) out[m - 1] = op(in[m - 1], *after);
    else out[m - 1] = in[m - 1];
  }
};

template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockDiscontinuity {
  static constexpr int n = x * y * z;
  struct Room { ks_edges<T, n> lasts, firsts; };
  KS_CUB_STORAGE(BlockDiscontinuity, Room)
  template <int m, class F, class Op> ks_inline void FlagHeads(F (&heads)[m], T (&v)[m], Op op) { ks_heads(heads, v, op, nullptr); }
  template <int m, class F, class Op> ks_inline void FlagHeads(F (&heads)[m], T (&v)[m], Op op, T before) { ks_heads(heads, v, op, &before); }
  template <int m, class F, class Op> ks_inline void FlagTails(F (&tails)[m], T (&v)[m], Op op) { ks_tails(tails, v, op, nullptr); }
  template <int m, class F, class Op> ks_inline void FlagTails(F (&tails)[m], T (&v)[m], Op op, T after) { ks_tails(tails, v, op, &after); }
  template <int m, class F, class Op> ks_inline void FlagHeadsAndTails(F (&heads)[m], F (&tails)[m], T (&v)[m], Op op) {
    ks_heads(heads, v, op, nullptr), ks_tails(tails, v, op, nullptr);
  }
  template <int m, class F, class Op> ks_inline void FlagHeadsAndTails(F (&heads)[m], F (&tails)[m], T after, T (&v)[m], Op op) {
    ks_heads(heads, v, op, nullptr), ks_tails(tails, v, op, &after);
  }
  template <int m, class F, class Op> ks_inline void FlagHeadsAndTails(F (&heads)[m], T before, F (&tails)[m], T (&v)[m], Op op) {
    ks_heads(heads, v, op, &before), ks_tails(tails, v, op, nullptr);
  }
  template <int m, class F, class Op>
  ks_inline void FlagHeadsAndTails(F (&heads)[m], T before, F (&tails)[m], T after, T (&v)[m], Op op) {
    ks_heads(heads, v, op, &before), ks_tails(tails, v, op, &after);
  }

 private:
  // An operation may want to know which item the second one is.
  template <class Op> ks_inline static auto ks_flag(Op op, const T& a, const T& b, int i, int) -> decltype(op(a, b, i)) { return op(a, b, i); }
  template <class Op> ks_inline static auto ks_flag(Op op, const T& a, const T& b, int, long) -> decltype(op(a, b)) { return op(a, b); }
  template <int m, class F, class Op> ks_inline void ks_heads(F (&heads)[m], T (&v)[m], Op op, const T* before) {
    const int t = ks_thread();
    ks_s.lasts.put(v[m - 1]);
    for (int i = 1; i < m; ++i) heads[i] = ks_flag(op, v[i - 1], v[i], t * m + i, 0);
    heads[0] = t ? (F)ks_flag(op, ks_s.lasts.values[t - 1], v[0], t * m, 0) : before ? (F)ks_flag(op, *before, v[0], 0, 0) : (F)1;
  }
  template <int m, class F, class Op> ks_inline void ks_tails(F (&tails)[m], T (&v)[m], Op op, const T* after) {
    const int t = ks_thread();
    ks_s.firsts.put(v[0]);
    for (int i = 0; i < m - 1; ++i) tails[i] = ks_flag(op, v[i], v[i + 1], t * m + i + 1, 0);
    tails[m - 1] = t < n - 1 ? (F)ks_flag(op, v[m - 1], ks_s.firsts.values[t + 1], (t + 1) * m, 0)
                   : after   ? (F)ks_flag(op, v[m - 1], *after, n * m, 0) : (F)1;
  }
};

template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockShuffle {
  static constexpr int n = x * y * z;
  struct Room { ks_edges<T, n> edges; };
  KS_CUB_STORAGE(BlockShuffle, Room)
  // What no thread has to give leaves `out` as it is.
  ks_inline void Offset(T in, T& out, int distance = 1) {
    ks_s.edges.put(in);
    const int from = ks_thread() + distance;
    if (from >= 0 && from < n) out = ks_s.edges.values[from];
  }
  ks_inline void Rotate(T in, T& out, unsigned distance = 1) {
    ks_s.edges.put(in);
    out = ks_s.edges.values[(int)((ks_thread() + distance) % n)];
  }
  template <int m> ks_inline void Up(T (&in)[m], T (&before)[m]) {
    ks_s.edges.put(in[m - 1]);
    for (int i = m - 1; i > 0; --i) before[i] = in[i - 1];
    if (ks_thread()) before[0] = ks_s.edges.values[ks_thread() - 1];
  }
  template <int m> ks_inline void Up(T (&in)[m], T (&before)[m], T& last) { Up(in, before), last = ks_s.edges.values[n - 1]; }
  template <int m> ks_inline void Down(T (&in)[m], T (&after)[m]) {
    ks_s.edges.put(in[0]);
    for (int i = 0; i < m - 1; ++i) after[i] = in[i + 1];
    if (ks_thread() < n - 1) after[m - 1] = ks_s.edges.values[ks_thread() + 1];
  }
  template <int m> ks_inline void Down(T (&in)[m], T (&after)[m], T& first) { Down(in, after), first = ks_s.edges.values[0]; }
};
