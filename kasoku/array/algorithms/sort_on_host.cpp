// Values are sorted by Highway's vqsort as signed integers in whose order they are; positions as pairs of such a key and a
// position in one wider integer, so that equal elements keep their order. Rows run side by side; of a long row each worker sorts a
// run, and runs are merged. Keys are in one order only, so the result does not depend on where the runs are.
#include "kasoku/array/algorithms/host_keys.h"
#include "kasoku/base/rounding.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/cpu/processor.h"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace kasoku {

namespace host_keys {

/// AMD's processors have the instruction that brings chosen lanes of 32 bits into memory, as microcode: with AVX-512 a sort of such
/// keys takes eight times as long there as with AVX2. Whatever is chosen while another sort runs, both are right.
static void choose_instructions(bool is_narrow) {
  static const int64_t all = hwy::SupportedTargets(), with_compress = HWY_AVX3 | HWY_AVX3_DL;
  static const bool is_slow = __builtin_cpu_is("amd") && (all & with_compress);
  if (is_slow) hwy::GetChosenTarget().Update(is_narrow ? all & ~with_compress : all);
}

/// `few`: so many or less cost less without a call of vqsort. Of what is in order a look is enough.
template <class Key, class Lane>
static void sort_keys(Key* keys, int64_t n, int64_t few) {
  if (n <= few) return std::sort(keys, keys + n);
  if (std::is_sorted(keys, keys + n)) return;
  thread_local const hwy::Sorter sorter;
  choose_instructions(sizeof(Lane) == 4);
  sorter(reinterpret_cast<Lane*>(keys), static_cast<size_t>(n), hwy::SortAscending());
}

void sort_keys(int32_t* keys, int64_t n) { sort_keys<int32_t, int32_t>(keys, n, 48); }
void sort_keys(int64_t* keys, int64_t n) { sort_keys<int64_t, int64_t>(keys, n, 48); }
void sort_keys(Wide* keys, int64_t n) { sort_keys<Wide, hwy::uint128_t>(keys, n, 24); }

namespace {

#pragma GCC push_options
#pragma GCC target("avx2")
namespace with_avx2 {
constexpr size_t register_bytes = 32;
#include "kasoku/array/algorithms/columns_in_order.inc"
}  // namespace with_avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,avx512f")
namespace with_avx512 {
constexpr size_t register_bytes = 64;
#include "kasoku/array/algorithms/columns_in_order.inc"
}  // namespace with_avx512
#pragma GCC pop_options

/// Two runs in order, and how far they were merged: of equal keys those of `a` come first.
template <class Key>
struct Merge {
  const Key *a, *a_end, *b, *b_end;

  /// What is left after the first `n` keys.
  Merge after(int64_t n) const {
    int64_t low = std::max(int64_t{0}, n - (b_end - b)), high = std::min(n, a_end - a);
    while (low < high) {
      const int64_t i = (low + high) / 2;
      if (b[n - 1 - i] < a[i]) high = i;
      else low = i + 1;
    }
    return {a + low, a_end, b + (n - low), b_end};
  }

  /// The next `n` keys.
  void take(int64_t n, Key* to) {
    while (n > 0 && a < a_end && b < b_end) {
      const int64_t sure = std::min({n, a_end - a, b_end - b});  // neither run ends before
      for (int64_t k = 0; k < sure; ++k) {
        const Key x = *a, y = *b;
        const bool is_b = y < x;
        *to++ = is_b ? y : x;
        a += !is_b;
        b += is_b;
      }
      n -= sure;
    }
    const Key*& rest = a < a_end ? a : b;
    std::copy_n(rest, n, to);
    rest += n;
  }
};

/// Short rows side by side, each in a lane of registers; how many that were. Keys too wide for a lane are two: one and its position.
template <class Key>
int64_t sort_short_rows(const Keys<Key>& by, const RowsToSort& of, const void* from, void* to) {
  constexpr bool is_wide = sizeof(Key) == 16;
  using Lane = std::conditional_t<is_wide, int64_t, Key>;
  constexpr int64_t lanes = 64 / sizeof(Lane);
  if (of.rows < lanes) return 0;
  const auto sort = cpu::target_architecture() == "x86-64-v4" ? with_avx512::sort_columns<Lane, is_wide> : with_avx2::sort_columns<Lane, is_wide>;
  const auto row_bytes = of.length * static_cast<int64_t>(info(of.dtype).size), stored_bytes = of.length * static_cast<int64_t>(by.stored_size);
  const auto columns = scratch<Lane>(of.length * lanes * (is_wide ? 2 : 1));
  const auto row = scratch<Key>(of.length);
  Lane *const x = columns.get(), *const positions = x + of.length * lanes;
  constexpr auto sign = std::numeric_limits<int64_t>::min();
  int64_t done = 0;
  for (; done + lanes <= of.rows; done += lanes) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      by.fill(at(from, (done + lane) * row_bytes), 0, of.length, by.position_bits, row.get());
      for (int64_t i = 0; i < of.length; ++i)
        if constexpr (is_wide) {
          x[i * lanes + lane] = static_cast<int64_t>(row[static_cast<size_t>(i)] >> by.position_bits) ^ sign;
          positions[i * lanes + lane] = i;
        } else {
          x[i * lanes + lane] = row[static_cast<size_t>(i)];
        }
    }
    sort(x, of.length);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t i = 0; i < of.length; ++i)
        if constexpr (is_wide) row[static_cast<size_t>(i)] = static_cast<Key>(positions[i * lanes + lane]);  // what is stored of it
        else row[static_cast<size_t>(i)] = x[i * lanes + lane];
      by.drain(row.get(), of.length, by.position_bits, at(to, (done + lane) * stored_bytes));
    }
  }
  return done;
}

/// Positions by keys that have no room beside them in 64 bits: the lowest bits of the keys give way, and what differs in these alone
/// moves to its place afterwards. That takes half the time of a sort of wider integers. False where much would move, or it is not worth it.
[[gnu::target("avx2"), gnu::optimize("O3")]] bool sort_by_high_bits(const Keys<Wide>& by, int64_t n, const void* row, int64_t* to) {
  constexpr int64_t few = 64, most = long_row;
  if (n < few || n > most) return false;
  const auto memory = scratch<uint64_t>(n), pairs = scratch<uint64_t>(n);
  uint64_t *const keys = memory.get(), *const pair = pairs.get();
  by.fill_alone(row, n, keys);
  uint64_t least = keys[0], greatest = keys[0];
  for (int64_t i = 0; i < n; ++i) least = std::min(least, keys[i]), greatest = std::max(greatest, keys[i]);
  const int place_bits = std::bit_width(static_cast<uint64_t>(n - 1)), dropped = std::max(0, static_cast<int>(std::bit_width(greatest - least)) + place_bits - 63);
  for (int64_t i = 0; i < n; ++i) pair[i] = (keys[i] - least) >> dropped << place_bits | static_cast<uint64_t>(i);
  sort_keys(reinterpret_cast<int64_t*>(pair), n);
  const uint64_t mask = (uint64_t{1} << place_bits) - 1;
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<int64_t>(pair[i] & mask);
  int64_t moves = dropped ? n : 0;
  for (int64_t i = 1; i < n && moves > 0; ++i) {
    if ((pair[i] ^ pair[i - 1]) > mask) continue;  // not the same high bits
    const int64_t position = to[i];
    int64_t at = i;
    for (; at > 0 && keys[to[at - 1]] > keys[position]; --at, --moves) to[at] = to[at - 1];
    to[at] = position;
  }
  return !dropped || moves > 0;
}

}  // namespace

template <class Key>
void sort_some_rows(const Keys<Key>& by, const RowsToSort& of, const void* from, void* to) {
  const auto row_bytes = of.length * static_cast<int64_t>(info(of.dtype).size), stored_bytes = of.length * static_cast<int64_t>(by.stored_size);
  int64_t row = 0;
  if (of.length <= short_row) row = sort_short_rows(by, of, from, to);
  constexpr int64_t few = 64;
  Key near[few];
  Scratch<Key> far;
  Key* own = nullptr;
  if (sizeof(Key) != by.stored_size && row < of.rows) own = of.length <= few ? near : (far = scratch<Key>(of.length)).get();
  for (; row < of.rows; ++row) {
    if constexpr (sizeof(Key) == 16)
      if (by.fill_alone && sort_by_high_bits(by, of.length, at(from, row * row_bytes), reinterpret_cast<int64_t*>(at(to, row * stored_bytes)))) continue;
    Key* const keys = own ? own : reinterpret_cast<Key*>(at(to, row * stored_bytes));
    by.fill(at(from, row * row_bytes), 0, of.length, by.position_bits, keys);
    sort_keys(keys, of.length);
    by.drain(keys, of.length, by.position_bits, at(to, row * stored_bytes));
  }
}
template void sort_some_rows(const Keys<int32_t>&, const RowsToSort&, const void*, void*);
template void sort_some_rows(const Keys<int64_t>&, const RowsToSort&, const void*, void*);
template void sort_some_rows(const Keys<Wide>&, const RowsToSort&, const void*, void*);

namespace {

/// Each worker sorts a run; then runs are merged by two, which each worker does for some of the keys.
template <class Key>
void sort_long_row(const Keys<Key>& by, int64_t n, const void* row, void* to) {
  const auto runs = static_cast<int64_t>(std::bit_ceil(cpu::thread_limit()));
  const int rounds = std::bit_width(static_cast<uint64_t>(runs)) - 1;
  const auto start = [&](int64_t run) { return run * (n / runs) + std::min(run, n % runs); };
  // Rounds write from one memory into another; what is stored may be the second one.
  const auto own = scratch<Key>(n);
  Scratch<Key> more;
  Key* other = static_cast<Key*>(to);
  if (sizeof(Key) != by.stored_size && rounds > 1) more = scratch<Key>(n), other = more.get();
  Key* keys = rounds % 2 ? own.get() : other;
  other = rounds % 2 ? other : own.get();
  cpu::parallel_blocks(static_cast<uint64_t>(runs), 1, [&](uint64_t first, uint64_t stop) {
    for (auto r = static_cast<int64_t>(first); r < static_cast<int64_t>(stop); ++r) {
      by.fill(row, start(r), start(r + 1) - start(r), by.position_bits, keys + start(r));
      sort_keys(keys + start(r), start(r + 1) - start(r));
    }
  });
  for (int64_t together = 2; together <= runs; together *= 2) {
    const bool is_last = together == runs;
    const int64_t parts = 4 * together, of_all = runs / together * parts;  // four for each worker
    cpu::parallel_blocks(static_cast<uint64_t>(of_all), 1, [&](uint64_t first, uint64_t stop) {
      for (auto p = static_cast<int64_t>(first); p < static_cast<int64_t>(stop); ++p) {
        const int64_t run = p / parts * together, begin = start(run), middle = start(run + together / 2), end = start(run + together);
        const auto cut = [&](int64_t part) { return (end - begin) / parts * part + std::min(part, (end - begin) % parts); };
        const int64_t from = cut(p % parts), until = cut(p % parts + 1);
        Merge<Key> merge = Merge<Key>{keys + begin, keys + middle, keys + middle, keys + end}.after(from);
        if (!is_last) {
          merge.take(until - from, other + begin + from);
          continue;
        }
        constexpr int64_t piece = 1024;
        Key held[piece];
        for (int64_t k = from; k < until; k += piece) {
          const int64_t count = std::min(piece, until - k);
          merge.take(count, held);
          by.drain(held, count, by.position_bits, at(to, k * static_cast<int64_t>(by.stored_size)));
        }
      }
    });
    std::swap(keys, other);
  }
}

template <class Key>
void sort_rows(const Keys<Key>& by, const RowsToSort& of, const void* from, void* to) {
  const auto row_bytes = of.length * static_cast<int64_t>(info(of.dtype).size), stored_bytes = of.length * static_cast<int64_t>(by.stored_size);
  const auto threads = static_cast<int64_t>(cpu::thread_limit());
  if (of.length >= long_row && threads > 1 && of.rows < 4 * threads) {
    for (int64_t r = 0; r < of.rows; ++r) sort_long_row(by, of.length, at(from, r * row_bytes), at(to, r * stored_bytes));
    return;
  }
  const auto grain = cpu::suggested_grain(static_cast<uint64_t>(of.rows), static_cast<uint64_t>(divide_up(int64_t{4096}, of.length)));
  cpu::parallel_blocks(static_cast<uint64_t>(of.rows), grain, [&](uint64_t first, uint64_t stop) {
    sort_some_rows(by, {static_cast<int64_t>(stop - first), of.length, of.dtype}, at(from, static_cast<int64_t>(first) * row_bytes), at(to, static_cast<int64_t>(first) * stored_bytes));
  });
}

/// Elements of few values: how often there is each.
template <class Order, class U>
void sort_by_counting(const RowsToSort& of, const U* from, U* to) {
  constexpr int64_t n_values = int64_t{1} << (8 * sizeof(U));
  const auto count = [](const U* x, int64_t n, int64_t* counts) {
    for (int64_t i = 0; i < n; ++i) ++counts[Order::key(x[i])];
  };
  const auto store = [](U* y, int64_t begin, int64_t end, const int64_t* stops) {
    auto value = static_cast<int64_t>(std::upper_bound(stops, stops + n_values, begin) - stops);
    for (int64_t i = begin; i < end; ++value) {
      const int64_t stop = std::min(end, stops[value]);
      std::fill(y + i, y + stop, Order::bits(static_cast<U>(value)));
      i = stop;
    }
  };
  const auto sum = [](int64_t* counts) {
    for (int64_t v = 1; v < n_values; ++v) counts[v] += counts[v - 1];
  };
  const auto threads = static_cast<int64_t>(cpu::thread_limit());
  if (of.length >= 8 * n_values && of.length >= long_row && of.rows < 4 * threads) {
    const int64_t parts = std::min(threads, of.length / n_values), part = divide_up(of.length, parts);
    for (int64_t r = 0; r < of.rows; ++r) {
      std::vector<int64_t> counts(static_cast<size_t>(parts * n_values));
      const U* const x = from + r * of.length;
      cpu::parallel_blocks(static_cast<uint64_t>(parts), 1, [&](uint64_t first, uint64_t stop) {
        for (auto p = static_cast<int64_t>(first); p < static_cast<int64_t>(stop); ++p)
          if (p * part < of.length) count(x + p * part, std::min(part, of.length - p * part), &counts[static_cast<size_t>(p * n_values)]);
      });
      for (int64_t p = 1; p < parts; ++p)
        for (int64_t v = 0; v < n_values; ++v) counts[static_cast<size_t>(v)] += counts[static_cast<size_t>(p * n_values + v)];
      sum(counts.data());
      cpu::parallel_blocks(static_cast<uint64_t>(of.length), static_cast<uint64_t>(long_row), [&](uint64_t begin, uint64_t end) {
        store(to + r * of.length, static_cast<int64_t>(begin), static_cast<int64_t>(end), counts.data());
      });
    }
    return;
  }
  const auto grain = cpu::suggested_grain(static_cast<uint64_t>(of.rows), static_cast<uint64_t>(divide_up(long_row / 4, of.length)));
  cpu::parallel_blocks(static_cast<uint64_t>(of.rows), grain, [&](uint64_t first, uint64_t stop) {
    std::vector<int64_t> counts(static_cast<size_t>(n_values));
    for (auto r = static_cast<int64_t>(first); r < static_cast<int64_t>(stop); ++r) {
      std::fill(counts.begin(), counts.end(), 0);
      count(from + r * of.length, of.length, counts.data());
      sum(counts.data());
      store(to + r * of.length, 0, of.length, counts.data());
    }
  });
}

}  // namespace
}  // namespace host_keys

void sort_on_host(const RowsToSort& of, const void* from, void* to) {
  if (info(of.dtype).size < 4 && of.length >= std::max<int64_t>(512, int64_t{1} << (8 * info(of.dtype).size - 1)))
    return host_keys::with_order(of.dtype, [&]<class U, int kind, U infinity>() {
      if constexpr (sizeof(U) < 4) host_keys::sort_by_counting<KsOrder<U, kind, infinity, false>, U>(of, static_cast<const U*>(from), static_cast<U*>(to));
    });
  host_keys::with_values(of.dtype, [&](const auto& by) { host_keys::sort_rows(by, of, from, to); });
}

void argsort_on_host(const RowsToSort& of, const void* from, int64_t* to) {
  host_keys::with_positions(of, [&](const auto& by) { host_keys::sort_rows(by, of, from, to); });
}

}  // namespace kasoku
