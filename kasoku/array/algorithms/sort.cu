// Rows of elements in order: as they are, or as their positions. Equal elements keep their order. Included before: row_keys.cuh.
//
// A long row is sorted by digits of 8 bits, the last one first, in one trip through memory for each (Adinets and Merrill, "Onesweep",
// 2022): ks_count counts all digits of a row at once, ks_begin makes of the counts where each digit's elements begin and which passes
// there are, and ks_move moves the elements, a tile for each block: the block says how many it has of each digit, and adds up what
// the tiles before it said. A digit that all elements share needs no pass.
// Shorter rows are sorted in one block's shared memory in the same way, in a warp's registers by a bitonic network (Batcher), or by
// counting who comes before.

namespace ks_rows {

// Where a tile's elements go within it, so that they are in the order of a digit. Thread t has those at ks_place(). `counts` holds
// for each warp how many it has of each digit, then where they begin.
struct ks_ranks {
  unsigned short counts[ks_warps][ks_digits];
  unsigned short starts[ks_digits];
  int sums[ks_warps];
};

// What stands for an element where a tile has fewer: it comes after all that are there.
constexpr ks_word ks_none = (ks_word)~(ks_word)0;

// The lanes of a warp whose digit is this lane's.
KS_BOTH unsigned ks_lanes_of(int digit) {
  unsigned same = ks_all;
KS_UNROLL
  for (int bit = 0; bit < 8; ++bit) {
    unsigned alike;
#ifdef __CUDA_ARCH__  // what NVRTC makes of the other text tests a bit twice
    asm volatile("{ .reg .pred is_set; and.b32 %0, %1, %2; setp.ne.u32 is_set, %0, 0; vote.sync.ballot.b32 %0, is_set, 0xffffffff; @!is_set not.b32 %0, %0; }" : "=r"(alike) : "r"(digit), "r"(1 << bit));
#else
    const bool is_set = digit >> bit & 1;
    const unsigned set = __ballot_sync(ks_all, is_set);
    alike = is_set ? set : ~set;
#endif
    same &= alike;
  }
  return same;
}

// `mine`: the digit's number of elements, in thread number digit.
KS_BOTH void ks_rank(ks_ranks& ranks, const ks_word* keys, int pass, int* place, int& mine) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < ks_warps * ks_digits / 2; i += ks_threads) ((unsigned*)ranks.counts)[i] = 0;
  __syncthreads();
  unsigned short* const counts = ranks.counts[warp];
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) {
    const int digit = ks_digit(keys[k], pass);
    const unsigned same = ks_lanes_of(digit), earlier = same & ((1u << lane) - 1);
    const int before = counts[digit];
    __syncwarp();
    if (earlier == 0) counts[digit] = (unsigned short)(before + __popc(same));
    __syncwarp();
    place[k] = before + __popc(earlier);
  }
  __syncthreads();
  mine = 0;
  for (int w = 0; w < ks_warps; ++w) {
    const int n = ranks.counts[w][threadIdx.x];
    ranks.counts[w][threadIdx.x] = (unsigned short)mine;
    mine += n;
  }
  const int start = ks_before(mine, ranks.sums);
  ranks.starts[threadIdx.x] = (unsigned short)start;
  for (int w = 0; w < ks_warps; ++w) ranks.counts[w][threadIdx.x] = (unsigned short)(ranks.counts[w][threadIdx.x] + start);
  __syncthreads();
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) place[k] += counts[ks_digit(keys[k], pass)];
}

#ifdef KS_LONG_ROWS
static_assert(ks_threads == ks_digits, "a thread has a digit");
constexpr int ks_passes = (int)sizeof(ks_word);

// Of a row, totals[pass][digit]: how many elements have it; zeros before.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_count(const ks_word* from, ks_number* totals, long long length, int parts, long long tiles) {
  __shared__ unsigned local[ks_passes][ks_digits];
  for (int i = threadIdx.x; i < ks_passes * ks_digits; i += ks_threads) local[i / ks_digits][i % ks_digits] = 0;
  __syncthreads();
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts;
  const long long begin = part * tiles * ks_tile, wanted = begin + tiles * ks_tile, end = wanted < length ? wanted : length;
  const ks_word* const x = from + row * length;
  for (long long first = begin; first < end; first += ks_tile) {
    ks_word bits[ks_items];
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      const long long i = first + k * ks_threads + threadIdx.x;
      bits[k] = i < end ? x[i] : (ks_word)0;
    }
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      if (first + k * ks_threads + threadIdx.x < end) {
        const ks_word key = ks_key_of(bits[k]);
KS_UNROLL
        for (int pass = 0; pass < ks_passes; ++pass) atomicAdd(&local[pass][ks_digit(key, pass)], 1u);
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < ks_passes * ks_digits; i += ks_threads) {
    const unsigned n = local[i / ks_digits][i % ks_digits];
    if (n) atomicAdd(&totals[row * ks_passes * ks_digits + i], (ks_number)n);
  }
}

// What a pass is for a row: none, or its number among those that are made, and which ends of them it is.
enum { ks_is_made = 1, ks_is_odd = 2, ks_is_first = 4, ks_is_last = 8 };

// Of the totals, the elements before each digit's; and what each pass is. As many passes are left out as leaves their number odd or
// even, so that the last one ends where the caller expects it. A block has a row.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_begin(ks_number* totals, int* passes, long long length) {
  __shared__ ks_number sums[ks_warps];
  ks_number* const of_row = totals + blockIdx.x * (long long)(ks_passes * ks_digits);
  unsigned wanted = 0;
  for (int pass = 0; pass < ks_passes; ++pass) {
    const ks_number n = of_row[pass * ks_digits + threadIdx.x];
    of_row[pass * ks_digits + threadIdx.x] = ks_before(n, sums);
    if (!__syncthreads_or(n == (ks_number)length)) wanted |= 1u << pass;
  }
  if (threadIdx.x == 0) {
    for (int pass = 0; pass < ks_passes && (wanted == 0 || (__popc(wanted) ^ ks_passes) & 1); ++pass) wanted |= 1u << pass;
    for (int pass = 0, made = 0; pass < ks_passes; ++pass) {
      const bool is_made = wanted >> pass & 1;
      passes[blockIdx.x * ks_passes + pass] = is_made ? ks_is_made | (made & 1 ? ks_is_odd : 0) | (made == 0 ? ks_is_first : 0) | (wanted >> pass == 1 ? ks_is_last : 0) : 0;
      made += is_made;
    }
  }
}

// What a tile says of a digit: nothing yet, how many it has, or how many it and all tiles before it have.
constexpr ks_number ks_said_own = (ks_number)1 << (8 * sizeof(ks_number) - 2), ks_said_all = ks_said_own << 1, ks_said = ks_said_own - 1;

// Where a pass leaves its keys, and what it works with: said[row][tile][digit], tickets[row], which are zero before it and which the
// pass before it clears.
struct ks_side {
  ks_word* keys;
  ks_number* said;
  unsigned* tickets;
};

// The first pass has no positions. An odd one leaves them in the row's own part of `result`, which the last one, an odd one too, fills.
extern "C" __global__ void __launch_bounds__(KS_THREADS, KS_BLOCKS) ks_move(const ks_word* original, ks_side even, ks_side odd, ks_number* positions, long long* result, const ks_number* begins, const int* passes, long long length, int tiles, int pass) {
  __shared__ ks_ranks ranks;
  __shared__ ks_number bases[ks_digits];
  __shared__ int ticket;
  __shared__ union {
    ks_word keys[ks_tile];
    ks_number positions[ks_tile];
  } shared;
  const long long row = blockIdx.x / tiles, at = row * length;
  const int what = passes[row * ks_passes + pass];
  if (!what) return;
  const bool is_odd = what & ks_is_odd, is_first = what & ks_is_first, is_last = what & ks_is_last;
  const ks_side own = is_odd ? odd : even, other = is_odd ? even : odd;
  if (threadIdx.x == 0) ticket = (int)atomicAdd(&own.tickets[row], 1u);
  __syncthreads();
  const int tile = ticket, digit_of_thread = threadIdx.x;
  const long long first = (long long)tile * ks_tile;
  const int count = (int)(length - first < ks_tile ? length - first : ks_tile);
  if (tile == 0 && threadIdx.x == 0) other.tickets[row] = 0;
  const ks_word* const from = (is_first ? original : other.keys) + at + first;
  ks_word keys[ks_items];
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) {
    keys[k] = ks_none;
    if (ks_place(k) < count) keys[k] = from[ks_place(k)];
  }
#if KS_POSITIONS
  ks_number own_positions[ks_items];
  ks_number *const even_positions = positions + at, *const odd_positions = (ks_number*)(result + at);
  const ks_number* const from_positions = (is_odd ? even_positions : odd_positions) + first;
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) {
    own_positions[k] = (ks_number)(first + ks_place(k));
    if (!is_first && ks_place(k) < count) own_positions[k] = from_positions[ks_place(k)];
  }
#endif
  if (is_first) {
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) keys[k] = ks_place(k) < count ? ks_key_of(keys[k]) : ks_none;
  }
  int place[ks_items], mine;
  ks_rank(ranks, keys, pass, place, mine);
  if (digit_of_thread == ks_digits - 1) mine -= ks_tile - count;
  const long long of_tile = (row * tiles + tile) * ks_digits + digit_of_thread;
  volatile ks_number* const said = own.said;
  said[of_tile] = (ks_number)mine | (tile ? ks_said_own : ks_said_all);
  other.said[of_tile] = 0;
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) shared.keys[place[k]] = keys[k];
  ks_number before = 0;
  for (long long earlier = of_tile; tile;) {
    const ks_number word = said[earlier - ks_digits];
    if (!(word & ~ks_said)) continue;
    before += word & ks_said;
    if (word & ks_said_all) break;
    earlier -= ks_digits;
  }
  if (tile) said[of_tile] = (before + (ks_number)mine) | ks_said_all;
  // Minus where the digit begins in the tile: a place in the tile leads to one in the row.
  bases[digit_of_thread] = begins[(row * ks_passes + pass) * ks_digits + digit_of_thread] + before - ranks.starts[digit_of_thread];
  __syncthreads();
  ks_number there[ks_items];
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) {
    const int i = k * ks_threads + threadIdx.x;
    keys[k] = shared.keys[i];
    there[k] = bases[ks_digit(keys[k], pass)] + i;
  }
  if (!is_last) {
KS_UNROLL
    for (int k = 0; k < ks_items; ++k)
      if (k * ks_threads + (int)threadIdx.x < count) (own.keys + at)[there[k]] = keys[k];
  } else if (!KS_POSITIONS) {
KS_UNROLL
    for (int k = 0; k < ks_items; ++k)
      if (k * ks_threads + (int)threadIdx.x < count) (own.keys + at)[there[k]] = ks_order::bits(keys[k]);
  }
#if KS_POSITIONS
  __syncthreads();
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) shared.positions[place[k]] = own_positions[k];
  __syncthreads();
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) {
    const int i = k * ks_threads + threadIdx.x;
    if (i >= count) continue;
    if (is_last) (result + at)[there[k]] = (long long)shared.positions[i];
    else (is_odd ? odd_positions : even_positions)[there[k]] = shared.positions[i];
  }
#endif
}
#endif

#ifdef KS_BLOCK_ROWS
// A block has a row of at most ks_tile elements.
extern "C" __global__ void __launch_bounds__(KS_THREADS, 3) ks_sort_rows(const ks_word* from, ks_word* to, long long* result, long long rows, int length) {
  __shared__ ks_ranks ranks;
  __shared__ ks_word shared_keys[ks_tile];
#if KS_POSITIONS
  __shared__ unsigned short shared_positions[ks_tile];
#endif
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const long long at = row * length;
    ks_word keys[ks_items];
    int place[ks_items], mine;
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) keys[k] = ks_place(k) < length ? ks_key_of(from[at + ks_place(k)]) : ks_none;
#if KS_POSITIONS
    unsigned short positions[ks_items];
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) positions[k] = (unsigned short)ks_place(k);
#endif
    for (int pass = 0; pass < (int)sizeof(ks_word); ++pass) {
      ks_rank(ranks, keys, pass, place, mine);
KS_UNROLL
      for (int k = 0; k < ks_items; ++k) {
        shared_keys[place[k]] = keys[k];
#if KS_POSITIONS
        shared_positions[place[k]] = positions[k];
#endif
      }
      __syncthreads();
KS_UNROLL
      for (int k = 0; k < ks_items; ++k) {
        keys[k] = shared_keys[ks_place(k)];
#if KS_POSITIONS
        positions[k] = shared_positions[ks_place(k)];
#endif
      }
      __syncthreads();
    }
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      if (ks_place(k) < length) {
#if KS_POSITIONS
        result[at + ks_place(k)] = positions[k];
#else
        to[at + ks_place(k)] = ks_order::bits(keys[k]);
#endif
      }
    }
    __syncthreads();
  }
}
#endif

#ifdef KS_WARP_ROWS
struct ks_element {
  ks_word key;
#if KS_POSITIONS
  unsigned int position;
#endif
};
KS_BOTH bool ks_is_later(const ks_element& a, const ks_element& b) {
#if KS_POSITIONS
  return (a.key > b.key) | ((a.key == b.key) & (a.position > b.position));
#else
  return a.key > b.key;
#endif
}
KS_BOTH unsigned int ks_across(unsigned int x, int lanes) { return __shfl_xor_sync(ks_all, x, lanes); }
KS_BOTH unsigned long long ks_across(unsigned long long x, int lanes) { return __shfl_xor_sync(ks_all, x, lanes); }
KS_BOTH unsigned short ks_across(unsigned short x, int lanes) { return (unsigned short)ks_across((unsigned int)x, lanes); }
KS_BOTH unsigned char ks_across(unsigned char x, int lanes) { return (unsigned char)ks_across((unsigned int)x, lanes); }

// A warp has a row of at most 32 * ks_items elements, a thread neighbours. What is missing comes after all that are there.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_sort_warps(const ks_word* from, ks_word* to, long long* result, long long rows, int length) {
  const int first = (threadIdx.x & 31) * ks_items;
  for (long long row = (long long)blockIdx.x * ks_warps + (threadIdx.x >> 5); row < rows; row += (long long)gridDim.x * ks_warps) {
    const long long at = row * length;
    ks_element x[ks_items];
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      x[k].key = first + k < length ? ks_key_of(from[at + first + k]) : (ks_word)~(ks_word)0;
#if KS_POSITIONS
      x[k].position = first + k;
#endif
    }
KS_UNROLL
    for (int size = 2; size <= 32 * ks_items; size <<= 1) {
KS_UNROLL
      for (int step = size >> 1; step > 0; step >>= 1) {
KS_UNROLL
        for (int k = 0; k < ks_items; ++k) {
          const bool falls = ((first + k) & size) != 0;
          if (step >= ks_items) {
            ks_element other;
            other.key = ks_across(x[k].key, step / ks_items);
#if KS_POSITIONS
            other.position = ks_across(x[k].position, step / ks_items);
#endif
            const bool wants_later = ((first & step) != 0) != falls;
            if (ks_is_later(x[k], other) != wants_later) x[k] = other;
          } else if (!(k & step)) {
            const ks_element a = x[k], b = x[k | step];
            const bool swaps = ks_is_later(a, b) != falls;
            x[k] = swaps ? b : a;
            x[k | step] = swaps ? a : b;
          }
        }
      }
    }
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      if (first + k < length) {
#if KS_POSITIONS
        result[at + first + k] = x[k].position;
#else
        to[at + first + k] = ks_order::bits(x[k].key);
#endif
      }
    }
  }
}
#endif

#ifdef KS_SHORT_ROWS
// A warp has as many rows as its lanes hold; a lane counts the elements of its row that come before its own.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_sort_few(const ks_word* from, ks_word* to, long long* result, long long rows, int length) {
  const int lane = threadIdx.x & 31, per_warp = 32 / length, own = lane / length, place = lane % length;
  const long long warps = (long long)gridDim.x * ks_warps, last = (rows + per_warp - 1) / per_warp;
  for (long long w = (long long)blockIdx.x * ks_warps + (threadIdx.x >> 5); w < last; w += warps) {
    const long long row = w * per_warp + own, at = row * length;
    const bool is_there = own < per_warp && row < rows;
    const ks_word key = is_there ? ks_key_of(from[at + place]) : (ks_word)0;
    int before = 0;
    for (int j = 0; j < length; ++j) {
      const ks_word other = __shfl_sync(ks_all, key, own * length + j < 32 ? own * length + j : lane);
      before += other < key || (other == key && j < place);
    }
    if (is_there) {
#if KS_POSITIONS
      result[at + before] = place;
#else
      to[at + before] = ks_order::bits(key);
#endif
    }
  }
}
#endif

}  // namespace ks_rows
