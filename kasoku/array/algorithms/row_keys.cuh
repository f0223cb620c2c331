// What kernels over the keys of rows share. Included before: order_key.h.
//
// The program's macros:
//   KS_BITS, KS_KIND, KS_INFINITY, KS_DESCENDING   KsOrder's
//   KS_POSITIONS   positions are wanted, so that equal elements have one key
//   KS_NUMBER      unsigned type that holds a position in a row
//   KS_ITEMS       elements of a thread; KS_THREADS: of a block, a multiple of 256 where digits are counted
//   KS_UNROLL      before loops over a thread's elements, which are then registers of a GPU

namespace ks_rows {

typedef KS_BITS ks_word;
typedef KS_NUMBER ks_number;
typedef KsOrder<ks_word, KS_KIND, KS_INFINITY, KS_DESCENDING> ks_order;

constexpr int ks_items = KS_ITEMS, ks_threads = KS_THREADS, ks_warps = ks_threads / 32, ks_tile = ks_items * ks_threads;
constexpr int ks_digits = 256;
constexpr unsigned ks_all = 0xffffffffu;

KS_BOTH ks_word ks_key_of(ks_word bits) { return KS_POSITIONS ? ks_order::class_key(bits) : ks_order::key(bits); }
KS_BOTH int ks_digit(ks_word key, int pass) { return (int)((key >> (8 * pass)) & 255); }

// Which of a tile's elements a thread has: neighbours have neighbouring ones, and those of a warp lie together.
KS_BOTH int ks_place(int k) { return 32 * ks_items * (threadIdx.x >> 5) + 32 * k + (threadIdx.x & 31); }

// Of the block's threads before this one: the sum. `sums` is shared, a number for each warp.
template <class T>
KS_BOTH T ks_before(T own, T* sums) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  T sum = own;
KS_UNROLL
  for (int step = 1; step < 32; step <<= 1) {
    const T other = __shfl_up_sync(ks_all, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  T before = sum - own;
  for (int w = 0; w < warp; ++w) before += sums[w];
  return before;
}

}  // namespace ks_rows
