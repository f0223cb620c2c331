// Warps: shuffles of every type, votes, match, reductions.
//
// Everything is built from 32-bit and 64-bit shuffles. The forms without _sync
// are those of old programs: all lanes take part.
#pragma once

extern "C" {
unsigned ks_shfl_idx_i32(unsigned mask, unsigned value, unsigned lane, int width) ks_convergent;
unsigned ks_shfl_up_i32(unsigned mask, unsigned value, unsigned delta, int width) ks_convergent;
unsigned ks_shfl_down_i32(unsigned mask, unsigned value, unsigned delta, int width) ks_convergent;
unsigned ks_shfl_xor_i32(unsigned mask, unsigned value, unsigned lanes, int width) ks_convergent;
unsigned long long ks_shfl_idx_i64(unsigned mask, unsigned long long value, unsigned lane, int width) ks_convergent;
unsigned long long ks_shfl_up_i64(unsigned mask, unsigned long long value, unsigned delta, int width) ks_convergent;
unsigned long long ks_shfl_down_i64(unsigned mask, unsigned long long value, unsigned delta, int width) ks_convergent;
unsigned long long ks_shfl_xor_i64(unsigned mask, unsigned long long value, unsigned lanes, int width) ks_convergent;
unsigned ks_ballot(unsigned mask, int predicate) ks_convergent;
unsigned ks_activemask() ks_convergent;
unsigned ks_match_any_i32(unsigned mask, unsigned value) ks_convergent;
unsigned ks_match_any_i64(unsigned mask, unsigned long long value) ks_convergent;
unsigned ks_match_all_i32(unsigned mask, unsigned value) ks_convergent;
unsigned ks_match_all_i64(unsigned mask, unsigned long long value) ks_convergent;
unsigned ks_reduce_add(unsigned mask, unsigned value) ks_convergent;
unsigned ks_reduce_and(unsigned mask, unsigned value) ks_convergent;
unsigned ks_reduce_or(unsigned mask, unsigned value) ks_convergent;
unsigned ks_reduce_xor(unsigned mask, unsigned value) ks_convergent;
unsigned ks_reduce_umin(unsigned mask, unsigned value) ks_convergent;
unsigned ks_reduce_umax(unsigned mask, unsigned value) ks_convergent;
unsigned ks_reduce_smin(unsigned mask, unsigned value) ks_convergent;
unsigned ks_reduce_smax(unsigned mask, unsigned value) ks_convergent;
}

// Bits of a value, as 32-bit and 64-bit words.
template <class To, class From>
ks_inline To ks_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits of another size");
  return __builtin_bit_cast(To, from);
}

// Where a lane reads from; beyond its part of the warp it reads itself.
ks_inline unsigned ks_lane_here() {
  return (ks_tid_x() + ks_bdim_x() * (ks_tid_y() + ks_bdim_y() * ks_tid_z())) & 31u;
}
ks_inline unsigned ks_source_idx(unsigned lane, unsigned d, unsigned w) { return (lane & ~(w - 1)) | (d & (w - 1)); }
ks_inline unsigned ks_source_up(unsigned lane, unsigned d, unsigned w) { return (lane & (w - 1)) >= d ? lane - d : lane; }
ks_inline unsigned ks_source_down(unsigned lane, unsigned d, unsigned w) { return (lane & (w - 1)) + d < w ? lane + d : lane; }
ks_inline unsigned ks_source_xor(unsigned lane, unsigned d, unsigned w) { return (lane ^ d) < (lane & ~(w - 1)) + w ? lane ^ d : lane; }
// A lane that the mask leaves out gives 0, as on a GPU; NVIDIA's own reductions count on it.
#define KS_SHUFFLE_ONE(name, kind, third, T, bits, Word)                                         \
  ks_inline T __shfl_##name##sync(unsigned m, T v, third d, int w = 32) {                        \
    const Word r = ks_shfl_##kind##_i##bits(m, ks_bits<Word>(v), (unsigned)d, w);                \
    if (m == 0xffffffffu) return ks_bits<T>(r);                                                  \
    return ks_bits<T>(m >> ks_source_##kind(ks_lane_here(), (unsigned)d, (unsigned)w) & 1u ? r : (Word)0); \
  }
#define KS_SHUFFLE(name, kind, third)                                       \
  KS_SHUFFLE_ONE(name, kind, third, unsigned, 32, unsigned)                 \
  KS_SHUFFLE_ONE(name, kind, third, int, 32, unsigned)                      \
  KS_SHUFFLE_ONE(name, kind, third, float, 32, unsigned)                    \
  KS_SHUFFLE_ONE(name, kind, third, long long, 64, unsigned long long)      \
  KS_SHUFFLE_ONE(name, kind, third, unsigned long long, 64, unsigned long long) \
  KS_SHUFFLE_ONE(name, kind, third, long, 64, unsigned long long)           \
  KS_SHUFFLE_ONE(name, kind, third, unsigned long, 64, unsigned long long)  \
  KS_SHUFFLE_ONE(name, kind, third, double, 64, unsigned long long)         \
  ks_inline unsigned ks_shuffle_##kind(unsigned m, unsigned v, third d, int w) { return ks_shfl_##kind##_i32(m, v, (unsigned)d, w); } \
  ks_inline unsigned long long ks_shuffle_##kind(unsigned m, unsigned long long v, third d, int w) {                                  \
    return ks_shfl_##kind##_i64(m, v, (unsigned)d, w);                                                                                \
  }
KS_SHUFFLE(, idx, int)
KS_SHUFFLE(up_, up, unsigned)
KS_SHUFFLE(down_, down, unsigned)
KS_SHUFFLE(xor_, xor, int)
#undef KS_SHUFFLE
#undef KS_SHUFFLE_ONE
template <class T> ks_inline T __shfl(T v, int d, int w = 32) { return __shfl_sync(0xffffffffu, v, d, w); }
template <class T> ks_inline T __shfl_up(T v, unsigned d, int w = 32) { return __shfl_up_sync(0xffffffffu, v, d, w); }
template <class T> ks_inline T __shfl_down(T v, unsigned d, int w = 32) { return __shfl_down_sync(0xffffffffu, v, d, w); }
template <class T> ks_inline T __shfl_xor(T v, int d, int w = 32) { return __shfl_xor_sync(0xffffffffu, v, d, w); }

ks_inline unsigned __activemask() { return ks_activemask(); }
ks_inline unsigned __ballot_sync(unsigned m, int p) { return ks_ballot(m, p); }
ks_inline int __any_sync(unsigned m, int p) { return ks_ballot(m, p) != 0; }
ks_inline int __all_sync(unsigned m, int p) { return ks_ballot(m, !p) == 0; }
ks_inline int __uni_sync(unsigned m, int p) {
  const unsigned yes = ks_ballot(m, p), no = ks_ballot(m, !p);
  return yes == 0 || no == 0;
}
ks_inline unsigned __ballot(int p) { return ks_ballot(0xffffffffu, p); }
ks_inline int __any(int p) { return ks_ballot(0xffffffffu, p) != 0; }
ks_inline int __all(int p) { return ks_ballot(0xffffffffu, !p) == 0; }

#define KS_MATCH(T, width, bits)                                                  \
  ks_inline unsigned __match_any_sync(unsigned m, T v) {                          \
    return ks_match_any_##width(m, ks_bits<bits>(v));                             \
  }                                                                               \
  ks_inline unsigned __match_all_sync(unsigned m, T v, int* p) {                  \
    const unsigned found = ks_match_all_##width(m, ks_bits<bits>(v));             \
    *p = found != 0;                                                              \
    return found;                                                                 \
  }
KS_MATCH(int, i32, unsigned)
KS_MATCH(unsigned, i32, unsigned)
KS_MATCH(float, i32, unsigned)
KS_MATCH(long, i64, unsigned long long)
KS_MATCH(unsigned long, i64, unsigned long long)
KS_MATCH(long long, i64, unsigned long long)
KS_MATCH(unsigned long long, i64, unsigned long long)
KS_MATCH(double, i64, unsigned long long)
#undef KS_MATCH

// Over those lanes of the mask that there are.
ks_inline unsigned __reduce_add_sync(unsigned m, unsigned v) { return ks_reduce_add(m, v); }
ks_inline int __reduce_add_sync(unsigned m, int v) { return (int)ks_reduce_add(m, (unsigned)v); }
ks_inline unsigned __reduce_min_sync(unsigned m, unsigned v) { return ks_reduce_umin(m, v); }
ks_inline int __reduce_min_sync(unsigned m, int v) { return (int)ks_reduce_smin(m, (unsigned)v); }
ks_inline unsigned __reduce_max_sync(unsigned m, unsigned v) { return ks_reduce_umax(m, v); }
ks_inline int __reduce_max_sync(unsigned m, int v) { return (int)ks_reduce_smax(m, (unsigned)v); }
ks_inline unsigned __reduce_and_sync(unsigned m, unsigned v) { return ks_reduce_and(m, v); }
ks_inline unsigned __reduce_or_sync(unsigned m, unsigned v) { return ks_reduce_or(m, v); }
ks_inline unsigned __reduce_xor_sync(unsigned m, unsigned v) { return ks_reduce_xor(m, v); }

// Lets the block's other threads run. A barrier of one lane is passed at once, and the
// thread that is least far goes on.
template <class Done> ks_inline void ks_wait_until(Done done) {
  while (!done()) ks_warp_barrier(1u << ks_lane_here());
}
ks_inline int ks_load(const int* p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
