// Which elements of rows are the first in order: them and their positions, in order of position. Included before: row_keys.cuh.
//
// The program's macro besides: KS_SPARE, how many elements more than wanted a row may give; it has more than both.
//
// The key of the last one that is wanted becomes known by digits of 8 bits, the first one first: ks_count counts the next digits
// of the elements that begin with what is known, and ks_settle finds the digit. That ends where all that begin with what is
// known may be given. ks_take stores them, and those with lower keys. A row is cut into parts, a block each, which keep how many
// elements of theirs are lower and how many begin with what is known: so it is clear where each part stores its own, and which
// parts need not be read. Where rows are many, a block has whole ones: ks_select_rows.

namespace ks_rows {

static_assert(ks_threads == ks_digits, "a thread has a digit");

// Of the key of the last element that is wanted.
struct ks_known {
  unsigned long long head;    // its bits above the `unknown` low ones
  unsigned long long wanted;  // of the elements that begin with them
  unsigned long long there;   // how many do
  long long unknown;
};

KS_BOTH ks_known ks_nothing(long long k, long long length) { return {0, (unsigned long long)k, (unsigned long long)length, 8 * sizeof(ks_word)}; }
KS_BOTH bool ks_gives_all(const ks_known& known) { return known.there <= known.wanted + KS_SPARE; }
KS_BOTH bool ks_is_settled(const ks_known& known) { return known.unknown == 0 || ks_gives_all(known); }

struct ks_span {
  long long begin, end;

  KS_BOTH int count(long long first) const { return (int)(end - first < ks_tile ? end - first : ks_tile); }
};
KS_BOTH ks_span ks_part_of(long long part, long long tiles, long long length) {
  const long long begin = part * tiles * ks_tile, end = begin + tiles * ks_tile;
  return {begin, end < length ? end : length};
}

struct ks_counters {
  unsigned of[4][ks_digits];

  KS_BOTH ks_number digit(int d) const { return (ks_number)of[0][d] + of[1][d] + of[2][d] + of[3][d]; }
};

KS_BOTH void ks_load(const ks_word* x, int count, ks_word* bits) {
KS_UNROLL
  for (int k = 0; k < ks_items; ++k) bits[k] = ks_place(k) < count ? x[ks_place(k)] : (ks_word)0;
}

// The next digits of those elements of a span that begin with what is known.
KS_BOTH void ks_count_span(ks_counters& counters, const ks_word* x, ks_span span, const ks_known& known) {
  for (int i = threadIdx.x; i < 4 * ks_digits; i += ks_threads) counters.of[i / ks_digits][i % ks_digits] = 0;
  __syncthreads();
  const int shift = (int)known.unknown - 8;
  const ks_word head = (ks_word)known.head;
  for (long long first = span.begin; first < span.end; first += ks_tile) {
    const int count = span.count(first);
    ks_word bits[ks_items];
    ks_load(x + first, count, bits);
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      const ks_word next = (ks_word)(ks_key_of(bits[k]) >> shift);
      if (ks_place(k) < count && (ks_word)(next >> 8) == head) atomicAdd(&counters.of[threadIdx.x >> 5 & 3][next & 255], 1u);
    }
  }
  __syncthreads();
}

struct ks_settling {
  ks_number sums[ks_warps];
  ks_known found;
};

// One digit more is known, of which this thread's has `count` elements.
KS_BOTH ks_known ks_next(ks_settling& shared, const ks_known& known, ks_number count) {
  const ks_number before = ks_before(count, shared.sums);
  if (before < known.wanted && known.wanted <= (unsigned long long)before + count)
    shared.found = {known.head << 8 | threadIdx.x, known.wanted - before, count, known.unknown - 8};
  __syncthreads();
  return shared.found;
}

// Of the elements before some place of a row: how many are lower than what is known, and how many begin with it.
struct ks_passed {
  unsigned long long lower, same;

  // How many of them are given.
  KS_BOTH unsigned long long given(const ks_known& known) const {
    const unsigned long long most = ks_gives_all(known) ? known.there : known.wanted;
    return lower + (same < most ? same : most);
  }
};

struct ks_taking {
  unsigned counts[2][ks_warps];
};

// Stores what a span gives. `passed` are before it in the row; `until`: what is given up to its end.
KS_BOTH void ks_take_span(ks_taking& shared, const ks_word* x, ks_span span, const ks_known& known, ks_passed passed, unsigned long long until, ks_word* to, long long* positions) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned earlier = (1u << lane) - 1;
  const int shift = (int)known.unknown;
  const ks_word head = (ks_word)known.head;
  int side = 0;
  for (long long first = span.begin; passed.given(known) < until; first += ks_tile) {
    // Before a warp's elements are those of the warps before. A word counts a tile's elements: the lower ones, and 65,536 times those
    // that begin with what is known.
    const int count = span.count(first);
    ks_word bits[ks_items];
    unsigned is_lower[ks_items], is_same[ks_items], own = 0;
    ks_load(x + first, count, bits);
KS_UNROLL
    for (int k = 0; k < ks_items; ++k) {
      const bool is_there = ks_place(k) < count;
      const ks_word begins = (ks_word)(ks_key_of(bits[k]) >> shift);
      is_lower[k] = __ballot_sync(ks_all, is_there && begins < head);
      is_same[k] = __ballot_sync(ks_all, is_there && begins == head);
      own += __popc(is_lower[k]) + (__popc(is_same[k]) << 16);
    }
    if (lane == 0) shared.counts[side][warp] = own;
    __syncthreads();
    unsigned before = 0, all = 0;
    for (int w = 0; w < ks_warps; ++w) {
      if (w == warp) before = all;
      all += shared.counts[side][w];
    }
    side ^= 1;
    if (own != 0) {
KS_UNROLL
      for (int k = 0; k < ks_items; ++k) {
        const ks_passed here = {passed.lower + (before & 65535) + __popc(is_lower[k] & earlier), passed.same + (before >> 16) + __popc(is_same[k] & earlier)};
        const ks_passed with = {here.lower + (is_lower[k] >> lane & 1), here.same + (is_same[k] >> lane & 1)};
        const unsigned long long place = here.given(known);
        if (place < with.given(known)) {
          to[place] = bits[k];
          positions[place] = first + ks_place(k);
        }
        before += __popc(is_lower[k]) + (__popc(is_same[k]) << 16);
      }
    }
    passed.lower += all & 65535;
    passed.same += all >> 16;
  }
}

// Where a row gives less than there is room for: elements behind which none comes in the order.
KS_BOTH void ks_fill(ks_word* to, unsigned long long given, long long width) {
  for (long long i = (long long)given + threadIdx.x; i < width; i += ks_threads) to[i] = ks_order::bits((ks_word)~(ks_word)0);
}

// Of a row in whole: the lower ones are those that are wanted besides.
KS_BOTH ks_passed ks_whole(const ks_known& known, long long k) { return {k - known.wanted, known.there}; }

// counts[row][part][digit], and totals[row][digit] of a row's parts, which begin as zeros. known[row] is that before the first digit.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_count(const ks_word* from, const ks_known* states, ks_number* counts, ks_number* totals, long long length, long long k, int parts,
                                                                long long tiles, int is_first) {
  __shared__ ks_counters counters;
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts;
  const ks_known known = is_first ? ks_nothing(k, length) : states[row];
  if (ks_is_settled(known)) return;
  ks_count_span(counters, from + row * length, ks_part_of(part, tiles, length), known);
  const ks_number count = counters.digit(threadIdx.x);
  counts[blockIdx.x * (long long)ks_digits + threadIdx.x] = count;
  if (count != 0) atomicAdd(&totals[row * ks_digits + threadIdx.x], count);
}

// From states[row] to next[row], and of the parts: how many elements are lower, and how many begin with what is known. A block has as many
// parts as warps, and finds the digit for itself. The counters of the next digit become zeros.
extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_settle(const ks_known* states, ks_known* next, const ks_number* counts, const ks_number* totals, ks_number* next_totals,
                                                                 ks_number* lower, ks_number* same, long long length, long long k, int parts, int groups, int is_first) {
  __shared__ ks_settling settling;
  const int lane = threadIdx.x & 31;
  const long long row = blockIdx.x / groups, group = blockIdx.x % groups;
  const ks_known known = is_first ? ks_nothing(k, length) : states[row];
  const bool is_settled = ks_is_settled(known);
  ks_known found = known;
  if (!is_settled) found = ks_next(settling, known, totals[row * ks_digits + threadIdx.x]);
  if (group == 0) {
    if (threadIdx.x == 0) next[row] = found;
    next_totals[row * ks_digits + threadIdx.x] = 0;
  }
  const long long part = group * ks_warps + (threadIdx.x >> 5);
  if (is_settled || part >= parts) return;
  const int digit = (int)(found.head & 255);
  const ks_number* const x = counts + (row * parts + part) * ks_digits;
  ks_number below = 0;
  for (int d = lane; d < digit; d += 32) below += x[d];
KS_UNROLL
  for (int step = 16; step > 0; step >>= 1) below += __shfl_xor_sync(ks_all, below, step);
  if (lane != 0) return;
  lower[row * parts + part] = is_first ? below : (ks_number)(lower[row * parts + part] + below);
  same[row * parts + part] = x[digit];
}

extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_take(const ks_word* from, const ks_known* states, const ks_number* lower, const ks_number* same, ks_word* to, long long* positions,
                                                               long long length, long long k, long long width, int parts, long long tiles) {
  __shared__ ks_number lower_sums[ks_warps], same_sums[ks_warps];
  __shared__ ks_taking taking;
  const long long row = blockIdx.x / parts, part = blockIdx.x % parts;
  const ks_known known = states[row];
  if (part == 0) ks_fill(to + row * width, ks_whole(known, k).given(known), width);
  const ks_number own_lower = lower[row * parts + part], own_same = same[row * parts + part];
  if (own_lower == 0 && own_same == 0) return;
  ks_number lower_before = 0, same_before = 0;
  for (long long p = threadIdx.x; p < part; p += ks_threads) {
    lower_before += lower[row * parts + p];
    same_before += same[row * parts + p];
  }
  ks_before(lower_before, lower_sums);
  ks_before(same_before, same_sums);
  ks_passed passed = {0, 0};
  for (int w = 0; w < ks_warps; ++w) {
    passed.lower += lower_sums[w];
    passed.same += same_sums[w];
  }
  const ks_passed end = {passed.lower + own_lower, passed.same + own_same};
  ks_take_span(taking, from + row * length, ks_part_of(part, tiles, length), known, passed, end.given(known), to + row * width, positions + row * width);
}

extern "C" __global__ void __launch_bounds__(KS_THREADS) ks_select_rows(const ks_word* from, ks_word* to, long long* positions, long long rows, long long length, long long k, long long width) {
  __shared__ ks_counters counters;
  __shared__ ks_settling settling;
  __shared__ ks_taking taking;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    ks_known known = ks_nothing(k, length);
    while (!ks_is_settled(known)) {
      ks_count_span(counters, from + row * length, {0, length}, known);
      known = ks_next(settling, known, counters.digit(threadIdx.x));
    }
    const unsigned long long given = ks_whole(known, k).given(known);
    ks_fill(to + row * width, given, width);
    ks_take_span(taking, from + row * length, {0, length}, known, {0, 0}, given, to + row * width, positions + row * width);
    __syncthreads();
  }
}

}  // namespace ks_rows
