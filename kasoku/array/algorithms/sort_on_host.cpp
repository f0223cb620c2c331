// Values are sorted by Highway's vqsort as signed integers in whose order they are; positions as pairs of such a key and a
// position in one wider integer, so that equal elements keep their order. Rows run side by side; of a long row each worker sorts a
// run, and runs are merged. Keys are in one order only, so the result does not depend on where the runs are.
#include "kasoku/array/algorithms/order_key.h"
#include "kasoku/array/algorithms/sorted_rows.h"
#include "kasoku/base/rounding.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/cpu/allocator.h"
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

/// Memory without a value, where arrays have theirs: an error says how much was wanted, and what others left is used.
struct GiveBack {
  size_t bytes = 0;
  void operator()(void* memory) const { cpu::deallocate(memory, bytes); }
};
template <class T>
using Scratch = std::unique_ptr<T[], GiveBack>;
template <class T>
Scratch<T> scratch(int64_t n) {
  const size_t bytes = static_cast<size_t>(n) * sizeof(T);
  return Scratch<T>(static_cast<T*>(cpu::allocate(bytes)), GiveBack{bytes});
}

char* at(void* memory, int64_t bytes) { return static_cast<char*>(memory) + bytes; }
const char* at(const void* memory, int64_t bytes) { return static_cast<const char*>(memory) + bytes; }

/// As much of a row as is worth a thread of its own.
constexpr int64_t long_row = 1 << 16;

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
    Scratch<Key> own;
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

/// The first `k` keys of a row, in order: parts keep the first ones that they have met, and look at no others.
template <class Key>
void first_of_row(const Keys<Key>& by, int64_t n, int64_t k, const void* row, int64_t* to) {
  constexpr int64_t piece = 1024;
  const int64_t room = k + std::max(k, piece);
  const int64_t parts = std::max<int64_t>(1, std::min<int64_t>(4 * cpu::thread_limit(), n / std::max(long_row, 8 * k))), part = divide_up(n, parts);
  std::vector<Scratch<Key>> kept(static_cast<size_t>(parts));
  std::vector<int64_t> counts(static_cast<size_t>(parts));
  cpu::parallel_blocks(static_cast<uint64_t>(parts), 1, [&](uint64_t first_part, uint64_t stop) {
    for (uint64_t p = first_part; p < stop; ++p) {
      kept[p] = scratch<Key>(room + piece);
      Key* const own = kept[p].get();
      int64_t count = 0;
      bool has_bound = false;
      Key bound{}, held[piece];
      const auto shorten = [&] {
        std::nth_element(own, own + k - 1, own + count);
        bound = own[k - 1];
        has_bound = true;
        count = k;
      };
      const int64_t begin = static_cast<int64_t>(p) * part, end = std::min(n, begin + part);
      for (int64_t first = begin; first < end; first += piece) {
        const int64_t length = std::min(piece, end - first);
        by.fill(row, first, length, by.position_bits, held);
        for (int64_t i = 0; i < length; ++i) {
          own[count] = held[i];
          count += !has_bound || held[i] < bound;
        }
        if (count >= room) shorten();
      }
      if (count > k) shorten();
      counts[p] = count;
    }
  });
  std::vector<Key> all;
  for (size_t p = 0; p < kept.size(); ++p) all.insert(all.end(), kept[p].get(), kept[p].get() + counts[p]);
  sort_keys(all.data(), static_cast<int64_t>(all.size()));
  by.drain(all.data(), k, by.position_bits, to);
}

template <class Key>
void first_of_rows(const Keys<Key>& by, const RowsToSort& of, int64_t k, const void* from, int64_t* to) {
  const auto row_bytes = of.length * static_cast<int64_t>(info(of.dtype).size);
  const auto grain = of.rows < 2 * static_cast<int64_t>(cpu::thread_limit()) ? static_cast<uint64_t>(of.rows)  // rows have parts
                                                                               : static_cast<uint64_t>(divide_up(int64_t{4096}, of.length));
  cpu::parallel_blocks(static_cast<uint64_t>(of.rows), grain, [&](uint64_t first, uint64_t stop) {
    for (auto r = static_cast<int64_t>(first); r < static_cast<int64_t>(stop); ++r) first_of_row(by, of.length, k, at(from, r * row_bytes), to + r * k);
  });
}

/// Calls f with how positions are found of the dtype's elements: in the narrowest integers that hold a key and a position.
template <class F>
void with_positions(const RowsToSort& of, F&& f) {
  const int bits = std::bit_width(static_cast<uint64_t>(of.length - 1));
  with_order(of.dtype, [&]<class U, int kind, U infinity>() {
    const auto chosen = [&]<class Order>() {
      constexpr int key_bits = 8 * sizeof(U);
      if constexpr (key_bits < 32)
        if (key_bits + bits <= 32) return f(positions<Order, U, int32_t>(bits));
      if constexpr (key_bits < 64)
        if (key_bits + bits <= 64) return f(positions<Order, U, int64_t>(bits));
      f(positions<Order, U, Wide>(bits));
    };
    if (of.is_descending) chosen.template operator()<KsOrder<U, kind, infinity, true>>();
    else chosen.template operator()<KsOrder<U, kind, infinity, false>>();
  });
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
  with_positions(of, [&](const auto& by) { sort_rows(by, of, from, to); });
}

void first_on_host(const RowsToSort& of, int64_t k, const void* from, int64_t* to) {
  with_positions(of, [&](const auto& by) { first_of_rows(by, of, k, from, to); });
}

}  // namespace kasoku
