// Rows of elements in order: as they are, or as their positions. Equal elements keep their order. Included before: row_keys.cuh.
//
// A long row is sorted by digits of 8 bits, the last one first. For each digit a row is cut into parts, a block each: ks_count
// counts the digits of a part, ks_start makes of the counts where the elements of each part go, and ks_move moves them, tile by
// tile, in order. Shorter rows are sorted in one block's shared memory in the same way, in a warp's registers by a bitonic network
// (Batcher), or by counting who comes before.

namespace ks_rows {

// Where a tile's elements go within it, so that they are in the order of a digit. Thread t has those at ks_place(). `counts` holds
// for each warp how many it has of each digit, then where they begin.
struct ks_ranks {
  unsigned short counts[ks_warps][ks_digits];
  unsigned short starts[ks_digits];
  int sums[ks_warps];
};

// Elements in a digit's order; before they are there, for each warp and digit the lanes whose element has it.
union ks_shared_keys {
  ks_word keys[ks_tile];
  unsigned int same[ks_warps][ks_digits];
};

// `mine`: the digit's number of elements, in the threads below 256.
KS_BOTH void ks_rank(ks_ranks& ranks, unsigned int (*lanes_of)[ks_digits], const ks_word* keys, int pass, int count, int* place, int& mine) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < ks_warps * ks_digits; i += ks_threads) {
    ranks.counts[i / ks_digits][i % ks_digits] = 0;
    lanes_of[i / ks_digits][i % ks_digits] = 0;
  }
  __syncthreads();
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) {
    const bool is_there = ks_place(k) < count;
    const int digit = ks_digit(keys[k], pass);
    if (is_there) atomicOr(&lanes_of[warp][digit], 1u << lane);
    __syncwarp();
    const unsigned same = is_there ? lanes_of[warp][digit] : 1u << lane;
    const int last = 31 - __clz((int)same);
    int earlier = 0;
    if (is_there && lane == last) {
      earlier = ranks.counts[warp][digit];
      ranks.counts[warp][digit] = (unsigned short)(earlier + __popc(same));
    }
    place[k] = __shfl_sync(ks_all, earlier, last) + __popc(same & ((1u << lane) - 1));
    if (is_there && lane == last) lanes_of[warp][digit] = 0;
    __syncwarp();
  }
  __syncthreads();
  mine = 0;
  if (threadIdx.x < ks_digits) {
    for (int w = 0; w < ks_warps; ++w) {
      const int n = ranks.counts[w][threadIdx.x];
      ranks.counts[w][threadIdx.x] = (unsigned short)mine;
      mine += n;
    }
  }
  const int start = ks_before(mine, ranks.sums);
  if (threadIdx.x < ks_digits) {
    ranks.starts[threadIdx.x] = (unsigned short)start;
    for (int w = 0; w < ks_warps; ++w) ranks.counts[w][threadIdx.x] = (unsigned short)(ranks.counts[w][threadIdx.x] + start);
  }
  __syncthreads();
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) place[k] += ranks.counts[warp][ks_digit(keys[k], pass)];
}

#ifdef KS_LONG_ROWS
// counts[row][digit][part]: of the elements of a part. `is_first`: elements are as they came, no keys.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_count(const ks_word* from, ks_number* counts, long long length, int parts, long long tiles, int pass, int is_first) {
  __shared__ unsigned local[4][ks_digits];
  for (int i = threadIdx.x; i < 4 * ks_digits; i += ks_threads) local[i / ks_digits][i % ks_digits] = 0;
  __syncthreads();
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts;
  const long long begin = part * tiles * ks_tile, wanted = begin + tiles * ks_tile, end = wanted < length ? wanted : length;
  const ks_word* const x = from + row * length;
  for (long long first = begin; first < end; first += ks_tile) {
    ks_word keys[ks_items];
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      const long long i = first + k * ks_threads + threadIdx.x;
      keys[k] = i < end ? x[i] : (ks_word)0;
    }
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      if (first + k * ks_threads + threadIdx.x < end) atomicAdd(&local[threadIdx.x >> 5 & 3][ks_digit(is_first ? ks_key_of(keys[k]) : keys[k], pass)], 1u);
    }
  }
  __syncthreads();
  for (int d = threadIdx.x; d < ks_digits; d += ks_threads)
    counts[(row * ks_digits + d) * parts + part] = (ks_number)local[0][d] + local[1][d] + local[2][d] + local[3][d];
}

// Of the counts of a row's digit, which a warp has: how many elements of it are in the parts before; and in all of them.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_start(ks_number* counts, ks_number* totals, long long digits, int parts) {
  const int lane = threadIdx.x & 31;
  const long long digit = (long long)blockIdx.x * ks_warps + (threadIdx.x >> 5);
  if (digit >= digits) return;
  ks_number* const x = counts + digit * parts;
  ks_number before = 0;
  for (int first = 0; first < parts; first += 128) {
    ks_number own[4], sum = 0;
KS_UNROLL
    for (int k = 0; k < 4; ++k) {
      own[k] = first + 4 * lane + k < parts ? x[first + 4 * lane + k] : (ks_number)0;
      sum += own[k];
    }
    const ks_number all = sum;
KS_UNROLL
    for (int step = 1; step < 32; step <<= 1) {
      const ks_number other = __shfl_up_sync(ks_all, sum, step);
      if (lane >= step) sum += other;
    }
    ks_number start = before + sum - all;
KS_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (first + 4 * lane + k < parts) x[first + 4 * lane + k] = start;
      start += own[k];
    }
    before += __shfl_sync(ks_all, sum, 31);
  }
  if (lane == 0) totals[digit] = before;
}

// `positions` is null in the first pass, where they are the places themselves. The last pass stores positions in `result`, or
// elements in `to`.
extern "C" __global__ void __launch_bounds__(KS_THREADS, 3) ks_move(const ks_word* from, const ks_number* positions, ks_word* to, ks_number* to_positions, long long* result,
                                                                 const ks_number* counts, const ks_number* totals, long long length, int parts, long long tiles, int pass,
                                                                 int is_first, int is_last) {
  __shared__ ks_ranks ranks;
  __shared__ ks_number bases[ks_digits], sums[ks_warps];
  __shared__ ks_shared_keys shared;
#if KS_POSITIONS
  __shared__ ks_number shared_positions[ks_tile];
#endif
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts;
  const long long begin = part * tiles * ks_tile, wanted = begin + tiles * ks_tile, end = wanted < length ? wanted : length;
  const long long at = row * length;
  const bool has_digit = threadIdx.x < ks_digits;
  const ks_number of_digit = ks_before(has_digit ? totals[row * ks_digits + threadIdx.x] : (ks_number)0, sums);
  if (has_digit) bases[threadIdx.x] = of_digit + counts[(row * ks_digits + threadIdx.x) * parts + part];
  for (long long first = begin; first < end; first += ks_tile) {
    const int count = (int)(end - first < ks_tile ? end - first : ks_tile);
    ks_word keys[ks_items];
    int place[ks_items], mine;
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      const ks_word bits = ks_place(k) < count ? from[at + first + ks_place(k)] : (ks_word)0;
      keys[k] = is_first ? ks_key_of(bits) : bits;
    }
    ks_rank(ranks, shared.same, keys, pass, count, place, mine);
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      if (ks_place(k) < count) {
        shared.keys[place[k]] = keys[k];
#if KS_POSITIONS
        shared_positions[place[k]] = is_first ? (ks_number)(first + ks_place(k)) : positions[at + first + ks_place(k)];
#endif
      }
    }
    __syncthreads();
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      const int i = k * ks_threads + threadIdx.x;
      if (i < count) {
        const ks_word key = shared.keys[i];
        const int digit = ks_digit(key, pass);
        const long long there = at + (long long)(ks_number)(bases[digit] + (i - ranks.starts[digit]));
#if KS_POSITIONS
        if (is_last) {
          result[there] = (long long)shared_positions[i];
        } else {
          to[there] = key;
          to_positions[there] = shared_positions[i];
        }
#else
        to[there] = is_last ? ks_order::bits(key) : key;
#endif
      }
    }
    __syncthreads();
    if (has_digit) bases[threadIdx.x] += (ks_number)mine;
  }
}
#endif

#ifdef KS_BLOCK_ROWS
// A block has a row of at most ks_tile elements.
extern "C" __global__ void __launch_bounds__(KS_THREADS, 3) ks_sort_rows(const ks_word* from, ks_word* to, long long* result, long long rows, int length) {
  __shared__ ks_ranks ranks;
  __shared__ ks_shared_keys shared;
#if KS_POSITIONS
  __shared__ unsigned short shared_positions[ks_tile];
#endif
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const long long at = row * length;
    ks_word keys[ks_items];
    int place[ks_items], mine;
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) keys[k] = ks_place(k) < length ? ks_key_of(from[at + ks_place(k)]) : (ks_word)0;
#if KS_POSITIONS
    unsigned short positions[ks_items];
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) positions[k] = (unsigned short)ks_place(k);
#endif
    for (int pass = 0; pass < (int)sizeof(ks_word); ++pass) {
      ks_rank(ranks, shared.same, keys, pass, length, place, mine);
      __syncthreads();
KS_UNROLL
      for (int k = 0; k < ks_items; ++k) {
        if (ks_place(k) < length) {
          shared.keys[place[k]] = keys[k];
#if KS_POSITIONS
          shared_positions[place[k]] = positions[k];
#endif
        }
      }
      __syncthreads();
KS_UNROLL
      for (int k = 0; k < ks_items; ++k) {
        if (ks_place(k) < length) {
          keys[k] = shared.keys[ks_place(k)];
#if KS_POSITIONS
          positions[k] = shared_positions[ks_place(k)];
#endif
        }
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
