// Values are sorted by Highway's vqsort as signed integers in whose order they are; positions as pairs of such a key and a
// position in one wider integer, so that equal elements keep their order. Rows run side by side. A long row is cut by values:
// samples of it say where (splitters), each part of the row goes to the bucket between two of them, and buckets are sorted side
// by side. Its result does not depend on where the cuts are.
#include "kasoku/array/algorithms/order_key.h"
#include "kasoku/array/algorithms/sorted_rows.h"
#include "kasoku/base/rounding.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/cpu/pool.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace kasoku {

namespace {

using Wide = unsigned __int128;

template <class Key>
using Unsigned = std::conditional_t<sizeof(Key) == 4, uint32_t, std::conditional_t<sizeof(Key) == 8, uint64_t, Wide>>;

/// What a row's elements become: `fill` makes keys of `n` elements from the one at `first`, `drain` makes of keys in order what is
/// stored at the place of the first.
template <class Key>
struct Keys {
  void (*fill)(const void* row, int64_t first, int64_t n, int position_bits, Key* keys);
  void (*drain)(const Key* keys, int64_t n, int position_bits, void* to);
  int position_bits;
  size_t stored_size;
};

template <class Key>
void sort_keys(Key* keys, int64_t n) {
  constexpr int64_t few = sizeof(Key) == 16 ? 24 : 48;  // below it a call of vqsort costs more
  if (n <= few) return std::sort(keys, keys + n);
  thread_local const hwy::Sorter sorter;
  const auto count = static_cast<size_t>(n);
  if constexpr (sizeof(Key) == 16)
    sorter(reinterpret_cast<hwy::uint128_t*>(keys), count, hwy::SortAscending());
  else
    sorter(keys, count, hwy::SortAscending());
}

/// Memory without a value.
template <class T>
std::unique_ptr<T[]> scratch(int64_t n) { return std::make_unique_for_overwrite<T[]>(static_cast<size_t>(n)); }

char* at(void* memory, int64_t bytes) { return static_cast<char*>(memory) + bytes; }
const char* at(const void* memory, int64_t bytes) { return static_cast<const char*>(memory) + bytes; }

/// As much of a row as is worth a thread of its own.
constexpr int64_t long_row = 1 << 16;

template <class Key>
void sort_long_row(const Keys<Key>& by, int64_t n, const void* row, void* to) {
  constexpr int64_t samples_of_bucket = 32, piece = 1024;
  const auto buckets = static_cast<int64_t>(std::bit_ceil(std::clamp(8 * cpu::thread_limit(), 2u, 256u)));
  const int64_t samples = buckets * samples_of_bucket;
  const auto sample = scratch<Key>(samples);
  for (int64_t s = 0; s < samples; ++s) by.fill(row, (2 * s + 1) * (n / (2 * samples)), 1, by.position_bits, &sample[s]);
  sort_keys(sample.get(), samples);
  std::vector<Key> splitters(static_cast<size_t>(buckets), std::numeric_limits<Key>::max());
  for (int64_t b = 0; b + 1 < buckets; ++b) splitters[static_cast<size_t>(b)] = sample[(b + 1) * samples_of_bucket - 1];

  std::unique_ptr<Key[]> own;
  if (sizeof(Key) != by.stored_size) own = scratch<Key>(n);
  Key* const keys = own ? own.get() : static_cast<Key*>(to);
  const auto bucket_of = scratch<uint8_t>(n);
  const int64_t part = std::max(long_row / 4, divide_up(n, int64_t{1024})), parts = divide_up(n, part);
  std::vector<int64_t> places(static_cast<size_t>(parts * buckets));
  const auto each_piece = [&](int64_t p, auto&& body) {
    Key held[piece];
    const int64_t end = std::min(n, (p + 1) * part);
    for (int64_t first = p * part; first < end; first += piece) {
      const int64_t count = std::min(piece, end - first);
      by.fill(row, first, count, by.position_bits, held);
      body(held, first, count);
    }
  };
  cpu::parallel_blocks(static_cast<uint64_t>(parts), 1, [&](uint64_t from, uint64_t stop) {
    for (auto p = static_cast<int64_t>(from); p < static_cast<int64_t>(stop); ++p)
      each_piece(p, [&](const Key* held, int64_t first, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          int64_t b = 0;
          for (int64_t step = buckets / 2; step; step /= 2) b += splitters[static_cast<size_t>(b + step - 1)] < held[i] ? step : 0;
          bucket_of[first + i] = static_cast<uint8_t>(b);
          ++places[static_cast<size_t>(p * buckets + b)];
        }
      });
  });
  std::vector<int64_t> starts(static_cast<size_t>(buckets) + 1);
  int64_t place = 0;
  for (int64_t b = 0; b < buckets; ++b) {
    starts[static_cast<size_t>(b)] = place;
    for (int64_t p = 0; p < parts; ++p) place += std::exchange(places[static_cast<size_t>(p * buckets + b)], place);
  }
  starts.back() = n;
  cpu::parallel_blocks(static_cast<uint64_t>(parts), 1, [&](uint64_t from, uint64_t stop) {
    for (auto p = static_cast<int64_t>(from); p < static_cast<int64_t>(stop); ++p) {
      int64_t* const next = &places[static_cast<size_t>(p * buckets)];
      each_piece(p, [&](const Key* held, int64_t first, int64_t count) {
        for (int64_t i = 0; i < count; ++i) keys[next[bucket_of[first + i]]++] = held[i];
      });
    }
  });
  cpu::parallel_blocks(static_cast<uint64_t>(buckets), 1, [&](uint64_t from, uint64_t stop) {
    for (uint64_t b = from; b < stop; ++b) {
      const int64_t start = starts[b], count = starts[b + 1] - start;
      sort_keys(keys + start, count);
      by.drain(keys + start, count, by.position_bits, at(to, start * static_cast<int64_t>(by.stored_size)));
    }
  });
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
    std::unique_ptr<Key[]> own;
    if (sizeof(Key) != by.stored_size) own = scratch<Key>(of.length);
    for (auto r = static_cast<int64_t>(first); r < static_cast<int64_t>(stop); ++r) {
      Key* const keys = own ? own.get() : reinterpret_cast<Key*>(at(to, r * stored_bytes));
      by.fill(at(from, r * row_bytes), 0, of.length, by.position_bits, keys);
      sort_keys(keys, of.length);
      by.drain(keys, of.length, by.position_bits, at(to, r * stored_bytes));
    }
  });
}

/// The key in the low bits of an integer that is in its order too.
template <class Key, class U>
Key as_signed(U key) {
  if constexpr (sizeof(Key) == sizeof(U) && sizeof(Key) < 16)
    return static_cast<Key>(key ^ (U{1} << (8 * sizeof(U) - 1)));
  else
    return static_cast<Key>(key);
}

template <class Order, class U, class Key>
Keys<Key> values() {
  return {[](const void* row, int64_t first, int64_t n, int, Key* keys) {
            const U* x = static_cast<const U*>(row) + first;
            for (int64_t i = 0; i < n; ++i) keys[i] = as_signed<Key>(Order::key(x[i]));
          },
          [](const Key* keys, int64_t n, int, void* to) {
            U* y = static_cast<U*>(to);
            for (int64_t i = 0; i < n; ++i) y[i] = Order::bits(static_cast<U>(as_signed<Key>(static_cast<U>(keys[i]))));
          },
          0, sizeof(U)};
}

template <class Order, class U, class Key>
Keys<Key> positions(int bits) {
  using Bits = Unsigned<Key>;
  constexpr Bits sign = sizeof(Key) == 16 ? Bits{0} : Bits{1} << (8 * sizeof(Key) - 1);
  return {[](const void* row, int64_t first, int64_t n, int shift, Key* keys) {
            const U* x = static_cast<const U*>(row) + first;
            for (int64_t i = 0; i < n; ++i)
              keys[i] = static_cast<Key>(((static_cast<Bits>(Order::class_key(x[i])) << shift) | static_cast<Bits>(first + i)) ^ sign);
          },
          [](const Key* keys, int64_t n, int shift, void* to) {
            auto* y = static_cast<int64_t*>(to);
            const Bits mask = (Bits{1} << shift) - 1;
            for (int64_t i = 0; i < n; ++i) y[i] = static_cast<int64_t>(static_cast<Bits>(keys[i]) & mask);
          },
          bits, sizeof(int64_t)};
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

/// Calls f<U, kind, infinity>() of the dtype.
template <class F>
void with_order(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::bool_:
    case Dtype::uint8: return f.template operator()<uint8_t, ks_unsigned, 0>();
    case Dtype::uint16: return f.template operator()<uint16_t, ks_unsigned, 0>();
    case Dtype::uint32: return f.template operator()<uint32_t, ks_unsigned, 0>();
    case Dtype::uint64: return f.template operator()<uint64_t, ks_unsigned, 0>();
    case Dtype::int8: return f.template operator()<uint8_t, ks_signed, 0>();
    case Dtype::int16: return f.template operator()<uint16_t, ks_signed, 0>();
    case Dtype::int32: return f.template operator()<uint32_t, ks_signed, 0>();
    case Dtype::int64: return f.template operator()<uint64_t, ks_signed, 0>();
    case Dtype::float16: return f.template operator()<uint16_t, ks_floating, 0x7c00>();
    case Dtype::bfloat16: return f.template operator()<uint16_t, ks_floating, 0x7f80>();
    case Dtype::float32: return f.template operator()<uint32_t, ks_floating, 0x7f800000>();
    case Dtype::float64: return f.template operator()<uint64_t, ks_floating, 0x7ff0000000000000>();
    default: break;
  }
}

}  // namespace

void sort_on_host(const RowsToSort& of, const void* from, void* to) {
  with_order(of.dtype, [&]<class U, int kind, U infinity>() {
    using Order = KsOrder<U, kind, infinity, false>;
    if constexpr (sizeof(U) < 4) {
      if (of.length >= (int64_t{1} << (8 * sizeof(U) - 1))) return sort_by_counting<Order, U>(of, static_cast<const U*>(from), static_cast<U*>(to));
      return sort_rows(values<Order, U, int32_t>(), of, from, to);
    } else {
      return sort_rows(values<Order, U, std::conditional_t<sizeof(U) == 4, int32_t, int64_t>>(), of, from, to);
    }
  });
}

void argsort_on_host(const RowsToSort& of, const void* from, int64_t* to) {
  const int bits = std::bit_width(static_cast<uint64_t>(of.length - 1));
  with_order(of.dtype, [&]<class U, int kind, U infinity>() {
    const auto sorted = [&]<class Order>() {
      constexpr int key_bits = 8 * sizeof(U);
      if constexpr (key_bits < 32)
        if (key_bits + bits <= 32) return sort_rows(positions<Order, U, int32_t>(bits), of, from, to);
      if constexpr (key_bits < 64)
        if (key_bits + bits <= 64) return sort_rows(positions<Order, U, int64_t>(bits), of, from, to);
      sort_rows(positions<Order, U, Wide>(bits), of, from, to);
    };
    if (of.is_descending) sorted.template operator()<KsOrder<U, kind, infinity, true>>();
    else sorted.template operator()<KsOrder<U, kind, infinity, false>>();
  });
}

}  // namespace kasoku
