// Which elements are at some places in the order of a row, without putting the others in order. A sample says between which two keys
// such a one lies, most likely; one pass over the row counts what lies before them and keeps what lies between, which is little. In
// short rows keys move to their sides of the two. Parts of long rows do not depend on how many threads there are, nor does a result.
#include "kasoku/array/algorithms/host_keys.h"
#include "kasoku/base/rounding.h"
#include "kasoku/device/cpu/pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace kasoku {

namespace host_keys {
namespace {

using Ranks = std::span<const int64_t>;  ///< ascending, each once

/// Of more places a sort takes less time. In a long row each that lies apart costs a pass, and a partition asks each element between
/// which two it is.
constexpr size_t most_places = 8;
constexpr int64_t most_elements = 16, most_sides = 4;
constexpr int64_t piece = 1024;
/// Rows of so few elements are sorted side by side in less time.
constexpr int64_t sorted_row = 256;

template <class Key>
constexpr Key least = sizeof(Key) == 16 ? Key{0} : std::numeric_limits<Key>::min();
template <class Key>
constexpr Key greatest = sizeof(Key) == 16 ? ~Key{0} : std::numeric_limits<Key>::max();

/// Numbers in [0, n), one in each of as many parts of equal length as are asked for: the same ones each time, in no period of the row's.
class Sampled {
 public:
  Sampled(int64_t n, int64_t parts) : n_(n), parts_(parts) {}
  int64_t operator()(int64_t part) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const int64_t begin = part * n_ / parts_, end = (part + 1) * n_ / parts_;
    return begin + static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(end - begin));
  }

 private:
  const int64_t n_, parts_;
  uint64_t state_ = 0x9e3779b97f4a7c15u;
};

/// Which of `n` keys are at the ranks: each gets its place, what lies before it is not greater and what lies behind it not less. `first`:
/// the rank of the first of the keys. `spare`: as many keys more.
template <class Key>
void place(Key* x, int64_t n, Ranks ranks, int64_t first, Key* spare) {
  constexpr int64_t few = 48;
  for (int rounds = 0; !ranks.empty(); ++rounds) {
    if (n <= few || ranks.size() > most_places || rounds > 40) return sort_keys(x, n);
    const int64_t taken = n < 4096 ? 32 : 256, distance = n < 4096 ? 4 : 16;
    Key sample[256];
    Sampled places(n, taken);
    for (int64_t i = 0; i < taken; ++i) sample[i] = x[places(i)];
    sort_keys(sample, taken);
    const int64_t rank = ranks[ranks.size() / 2] - first, at = rank * taken / n;
    const Key low = sample[std::max<int64_t>(at - distance, 0)], high = sample[std::min(at + distance, taken - 1)];
    // Those below stay, the others go aside: those above from the end on.
    int64_t below = 0, between = 0, above = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Key key = x[i];
      const bool is_below = key < low, is_above = key > high;
      x[below] = spare[between] = spare[n - 1 - above] = key;
      below += is_below, above += is_above, between += !(is_below | is_above);
    }
    std::copy_n(spare, between, x + below);
    std::copy_n(spare + n - above, above, x + below + between);
    if (between == n && low != high) return sort_keys(x, n);  // few different ones
    // Ranks of the sides that are shorter first, then round again with what has most.
    const auto split = [&](int64_t until) { return static_cast<size_t>(std::lower_bound(ranks.begin(), ranks.end(), first + until) - ranks.begin()); };
    const size_t in_below = split(below), in_between = split(below + between);
    const Ranks first_ones = ranks.first(in_below), middle = low == high ? Ranks() : ranks.subspan(in_below, in_between - in_below), last = ranks.subspan(in_between);
    if (!first_ones.empty() && !(middle.empty() && last.empty())) place(x, below, first_ones, first, spare);
    if (!middle.empty() && !last.empty()) place(x + below, between, middle, first + below, spare);
    if (!last.empty()) x += below + between, first += below + between, n = above, ranks = last;
    else if (!middle.empty()) x += below, first += below, n = between, ranks = middle;
    else n = below, ranks = first_ones;
  }
}

/// How the keys of a row lie about two of them.
template <class Key>
struct Around {
  Key low, high, last = least<Key>;
  int64_t below = 0, at_low = 0, at_high = 0;
  std::vector<Key> between = {};
};

uint64_t parts_of(int64_t n) { return static_cast<uint64_t>(divide_up(n, long_row)); }

/// Calls f(keys, their number) for the keys of a part of a row, some at a time.
template <class Key, class F>
void each_piece(const Keys<Key>& by, int64_t n, const void* row, uint64_t part, F&& f) {
  Key held[piece];
  const int64_t begin = static_cast<int64_t>(part) * long_row, end = std::min(n, begin + long_row);
  for (int64_t first = begin; first < end; first += piece) {
    const int64_t length = std::min(piece, end - first);
    by.fill(row, first, length, by.position_bits, held);
    f(held, length);
  }
}

template <class Key>
Around<Key> around(const Keys<Key>& by, int64_t n, const void* row, Key low, Key high) {
  std::vector<Around<Key>> parts(parts_of(n));
  cpu::parallel_blocks(parts.size(), 1, [&](uint64_t begin, uint64_t end) {
    for (uint64_t p = begin; p < end; ++p) {
      Around<Key> own{low, high};
      each_piece(by, n, row, p, [&](const Key* keys, int64_t length) {
        Key kept[piece];
        int64_t count = 0, below = 0, at_low = 0, at_high = 0;
        Key last = own.last;
        for (int64_t i = 0; i < length; ++i) {
          const Key key = keys[i];
          kept[count] = key;
          count += (key > low) & (key < high);
          below += key < low, at_low += key == low, at_high += key == high;
          last = key > last ? key : last;
        }
        own.below += below, own.at_low += at_low, own.at_high += at_high, own.last = last;
        own.between.insert(own.between.end(), kept, kept + count);
      });
      parts[p] = std::move(own);
    }
  });
  Around<Key> all{low, high};
  for (const Around<Key>& part : parts) {
    all.below += part.below, all.at_low += part.at_low, all.at_high += part.at_high, all.last = std::max(all.last, part.last);
    all.between.insert(all.between.end(), part.between.begin(), part.between.end());
  }
  if (low == high) all.at_high = 0;
  return all;
}

/// The keys of a long row at the ranks.
template <class Key>
std::vector<Key> keys_at(const Keys<Key>& by, int64_t n, const void* row, Ranks ranks) {
  const int64_t taken = std::clamp<int64_t>(n / 64, 1024, 8192);
  std::vector<Key> sample(static_cast<size_t>(taken)), result(ranks.size());
  Sampled places(n, taken);
  for (int64_t i = 0; i < taken; ++i) by.fill(row, places(i), 1, by.position_bits, &sample[static_cast<size_t>(i)]);
  sort_keys(sample.data(), taken);
  const auto where = [&](int64_t rank) { return static_cast<int64_t>(static_cast<double>(rank) / static_cast<double>(n) * static_cast<double>(taken)); };
  const auto sampled = [&](int64_t at) { return at < 0 ? least<Key> : at >= taken ? greatest<Key> : sample[static_cast<size_t>(at)]; };
  auto distance = static_cast<int64_t>(2 * std::sqrt(static_cast<double>(taken))) + 2;  // four standard deviations of a rank in a sample
  for (size_t i = 0; i < ranks.size();) {
    size_t stop = i + 1;
    while (stop < ranks.size() && where(ranks[stop]) - distance <= where(ranks[stop - 1]) + distance) ++stop;
    Around<Key> found = around(by, n, row, sampled(where(ranks[i]) - distance), sampled(where(ranks[stop - 1]) + distance));
    const int64_t first = found.below + found.at_low, count = static_cast<int64_t>(found.between.size());
    if (ranks[i] < found.below || ranks[stop - 1] >= first + count + found.at_high) {
      distance *= 4;
      continue;
    }
    std::vector<Key> spare(found.between.size());
    const auto inside = [&](int64_t rank) { return rank >= first && rank < first + count; };
    std::vector<int64_t> own;
    std::copy_if(ranks.begin() + static_cast<int64_t>(i), ranks.begin() + static_cast<int64_t>(stop), std::back_inserter(own), inside);
    place(found.between.data(), count, Ranks(own), first, spare.data());
    for (; i < stop; ++i) result[i] = ranks[i] < first ? found.low : inside(ranks[i]) ? found.between[static_cast<size_t>(ranks[i] - first)] : found.high;
    // The last one is known already.
    if (i + 1 == ranks.size() && ranks[i] == n - 1) result[i++] = found.last;
  }
  return result;
}

/// A long row in an order in which its keys at the ranks have their places. Keys on one side keep their order.
template <class Key>
void partition_long_row(const Keys<Key>& by, int64_t n, const void* row, Ranks ranks, void* to) {
  std::vector<Key> begins;  // of sides: what is one of the keys, what lies between two
  for (const Key key : keys_at(by, n, row, ranks)) {
    if (begins.empty() || begins.back() < key) begins.push_back(key);
    if (begins.back() == key && key != greatest<Key>) begins.push_back(static_cast<Key>(key + 1));
  }
  const size_t sides = begins.size() + 1;
  const uint64_t parts = parts_of(n);
  std::vector<int64_t> starts(parts * sides);
  const auto in_parts = [&](const auto& run) {
    cpu::parallel_blocks(parts, 1, [&](uint64_t begin, uint64_t end) {
      for (uint64_t p = begin; p < end; ++p) run(p, starts.data() + p * sides);
    });
  };
  in_parts([&](uint64_t p, int64_t* counts) {
    each_piece(by, n, row, p, [&](const Key* keys, int64_t length) {
      counts[0] += length;
      for (size_t s = 0; s < begins.size(); ++s) {
        int64_t count = 0;
        for (int64_t i = 0; i < length; ++i) count += keys[i] >= begins[s];
        counts[s] -= count, counts[s + 1] += count;
      }
    });
  });
  int64_t sum = 0;
  for (size_t s = 0; s < sides; ++s)
    for (uint64_t p = 0; p < parts; ++p) sum += std::exchange(starts[p * sides + s], sum);
  in_parts([&](uint64_t p, int64_t* next) {
    constexpr int64_t room = 64;
    const auto held = std::make_unique<Key[]>(sides * room);
    std::vector<int64_t> counts(sides);
    const auto store = [&](size_t side) {
      by.drain(&held[side * room], counts[side], by.position_bits, at(to, next[side] * static_cast<int64_t>(by.stored_size)));
      next[side] += std::exchange(counts[side], 0);
    };
    each_piece(by, n, row, p, [&](const Key* keys, int64_t length) {
      for (int64_t i = 0; i < length; ++i) {
        size_t side = 0;
        for (const Key begin : begins) side += keys[i] >= begin;
        held[side * room + static_cast<size_t>(counts[side]++)] = keys[i];
        if (counts[side] == room) store(side);
      }
    });
    for (size_t side = 0; side < sides; ++side) store(side);
  });
}

/// Calls f(first row, last one, how a row's ranks are found: ascending, each once) for some rows at a time.
template <class F>
void each_row(const RowsToSort& of, const PlacesInOrder& wanted, const F& f) {
  const auto grain = of.length >= long_row ? uint64_t{1} : cpu::suggested_grain(static_cast<uint64_t>(of.rows), static_cast<uint64_t>(divide_up(int64_t{4096}, of.length)));
  const auto settle = [&](int64_t row, std::vector<int64_t>& ranks) {
    ranks.assign(wanted.ranks + row * wanted.next_row, wanted.ranks + row * wanted.next_row + wanted.n);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  };
  cpu::parallel_blocks(static_cast<uint64_t>(of.rows), grain, [&](uint64_t first, uint64_t stop) { f(static_cast<int64_t>(first), static_cast<int64_t>(stop), settle); });
}

bool is_to_be_sorted(const RowsToSort& of, const PlacesInOrder& wanted, int64_t most) { return of.length >= long_row && wanted.n > most; }

template <class Key>
void elements_of_rows(const Keys<Key>& by, const RowsToSort& of, const PlacesInOrder& wanted, const void* from, void* to) {
  const auto row_bytes = of.length * static_cast<int64_t>(info(of.dtype).size), size = static_cast<int64_t>(by.stored_size);
  each_row(of, wanted, [&](int64_t begin, int64_t end, const auto& settle) {
    if (of.length <= sorted_row) {
      const auto in_order = scratch<char>((end - begin) * of.length * size);
      sort_some_rows(by, {end - begin, of.length, of.dtype}, at(from, begin * row_bytes), in_order.get());
      for (int64_t r = begin; r < end; ++r)
        for (int64_t j = 0; j < wanted.n; ++j)
          std::memcpy(at(to, (r * wanted.n + j) * size), at(in_order.get(), ((r - begin) * of.length + wanted.ranks[r * wanted.next_row + j]) * size), by.stored_size);
      return;
    }
    std::vector<int64_t> ranks;
    Scratch<Key> keys;
    for (int64_t r = begin; r < end; ++r) {
      if (r == begin || wanted.next_row) settle(r, ranks);
      const int64_t* const given = wanted.ranks + r * wanted.next_row;
      const auto store = [&](const auto& key_at) {
        for (int64_t j = 0; j < wanted.n; ++j) by.drain(&key_at(given[j]), 1, by.position_bits, at(to, (r * wanted.n + j) * size));
      };
      if (of.length >= long_row) {
        const std::vector<Key> found = keys_at(by, of.length, at(from, r * row_bytes), Ranks(ranks));
        store([&](int64_t rank) -> const Key& { return found[static_cast<size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin())]; });
        continue;
      }
      if (!keys) keys = scratch<Key>(2 * of.length);
      by.fill(at(from, r * row_bytes), 0, of.length, by.position_bits, keys.get());
      place(keys.get(), of.length, Ranks(ranks), 0, keys.get() + of.length);
      store([&](int64_t rank) -> const Key& { return keys[static_cast<size_t>(rank)]; });
    }
  });
}

template <class Key>
void partition_rows(const Keys<Key>& by, const RowsToSort& of, const PlacesInOrder& wanted, const void* from, void* to) {
  const auto row_bytes = of.length * static_cast<int64_t>(info(of.dtype).size), stored_bytes = of.length * static_cast<int64_t>(by.stored_size);
  each_row(of, wanted, [&](int64_t begin, int64_t end, const auto& settle) {
    if (of.length <= sorted_row) return sort_some_rows(by, {end - begin, of.length, of.dtype}, at(from, begin * row_bytes), at(to, begin * stored_bytes));
    std::vector<int64_t> ranks;
    settle(0, ranks);
    if (of.length >= long_row) {
      for (int64_t r = begin; r < end; ++r) partition_long_row(by, of.length, at(from, r * row_bytes), Ranks(ranks), at(to, r * stored_bytes));
      return;
    }
    const auto keys = scratch<Key>(2 * of.length);
    for (int64_t r = begin; r < end; ++r) {
      by.fill(at(from, r * row_bytes), 0, of.length, by.position_bits, keys.get());
      place(keys.get(), of.length, Ranks(ranks), 0, keys.get() + of.length);
      by.drain(keys.get(), of.length, by.position_bits, at(to, r * stored_bytes));
    }
  });
}

/// The first `k` keys of a row, in order: parts keep the first ones that they have met, and look at no others.
template <class Key>
void first_of_row(const Keys<Key>& by, int64_t n, int64_t k, const void* row, int64_t* to) {
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

}  // namespace
}  // namespace host_keys

void elements_on_host(const RowsToSort& of, const PlacesInOrder& wanted, const void* from, void* to) {
  if (!host_keys::is_to_be_sorted(of, wanted, host_keys::most_elements)) return host_keys::with_values(of.dtype, [&](const auto& by) { host_keys::elements_of_rows(by, of, wanted, from, to); });
  const auto size = static_cast<int64_t>(info(of.dtype).size);
  const auto in_order = host_keys::scratch<char>(of.length * size);
  for (int64_t r = 0; r < of.rows; ++r) {
    sort_on_host({1, of.length, of.dtype}, host_keys::at(from, r * of.length * size), in_order.get());
    for (int64_t j = 0; j < wanted.n; ++j)
      std::memcpy(host_keys::at(to, (r * wanted.n + j) * size), host_keys::at(in_order.get(), wanted.ranks[r * wanted.next_row + j] * size), static_cast<size_t>(size));
  }
}

void partition_on_host(const RowsToSort& of, const PlacesInOrder& kth, const void* from, void* to) {
  if (host_keys::is_to_be_sorted(of, kth, host_keys::most_sides)) return sort_on_host(of, from, to);
  host_keys::with_values(of.dtype, [&](const auto& by) { host_keys::partition_rows(by, of, kth, from, to); });
}

void argpartition_on_host(const RowsToSort& of, const PlacesInOrder& kth, const void* from, int64_t* to) {
  if (host_keys::is_to_be_sorted(of, kth, host_keys::most_sides)) return argsort_on_host(of, from, to);
  host_keys::with_positions(of, [&](const auto& by) { host_keys::partition_rows(by, of, kth, from, to); });
}

void first_on_host(const RowsToSort& of, int64_t k, const void* from, int64_t* to) {
  host_keys::with_positions(of, [&](const auto& by) { host_keys::first_of_rows(by, of, k, from, to); });
}

}  // namespace kasoku
