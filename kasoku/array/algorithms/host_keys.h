/// \file kasoku/array/algorithms/host_keys.h
/// Elements of rows in host memory as integers in whose order they are: what sorting and selecting on a CPU share.
#pragma once

#include "kasoku/array/algorithms/order_key.h"
#include "kasoku/array/algorithms/sorted_rows.h"
#include "kasoku/device/cpu/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace kasoku::host_keys {

using Wide = unsigned __int128;

template <class Key>
using Unsigned = std::conditional_t<sizeof(Key) == 4, uint32_t, std::conditional_t<sizeof(Key) == 8, uint64_t, Wide>>;

/// How a row's elements become keys and come back: `fill` makes keys of the `n` elements from `first` on, `drain`
/// stores what ordered keys stand for, from the place of the first on.
template <class Key>
struct Keys {
  void (*fill)(const void* row, int64_t first, int64_t n, int position_bits, Key* keys);
  void (*drain)(const Key* keys, int64_t n, int position_bits, void* to);
  int position_bits;
  size_t stored_size;
  void (*fill_alone)(const void* row, int64_t n, uint64_t* keys) = nullptr;  ///< keys without positions, where both take more than 64 bits
};

/// Sorts keys in increasing order. Keys have no other types than these.
void sort_keys(int32_t* keys, int64_t n);
void sort_keys(int64_t* keys, int64_t n);
void sort_keys(Wide* keys, int64_t n);

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

inline char* at(void* memory, int64_t bytes) { return static_cast<char*>(memory) + bytes; }
inline const char* at(const void* memory, int64_t bytes) { return static_cast<const char*>(memory) + bytes; }

/// Elements of a row that are worth a thread of their own.
constexpr int64_t long_row = 1 << 16;

/// The key in the low bits of an integer that is in its order too.
template <class Key, class U>
Key as_signed(U key) {
  if constexpr (sizeof(Key) == sizeof(U) && sizeof(Key) < 16)
    return static_cast<Key>(key ^ (U{1} << (8 * sizeof(U) - 1)));
  else
    return static_cast<Key>(key);
}

/// A key without its order, and back.
template <class Order, class U, class Key>
struct OfValues {
  [[gnu::target("avx2"), gnu::optimize("O3")]] static void fill(const void* row, int64_t first, int64_t n, int, Key* keys) {
    const U* x = static_cast<const U*>(row) + first;
    for (int64_t i = 0; i < n; ++i) keys[i] = as_signed<Key>(Order::key(x[i]));
  }
  [[gnu::target("avx2"), gnu::optimize("O3")]] static void drain(const Key* keys, int64_t n, int, void* to) {
    U* y = static_cast<U*>(to);
    for (int64_t i = 0; i < n; ++i) y[i] = Order::bits(static_cast<U>(as_signed<Key>(static_cast<U>(keys[i]))));
  }
};

template <class Order, class U, class Key>
Keys<Key> values() {
  return {OfValues<Order, U, Key>::fill, OfValues<Order, U, Key>::drain, 0, sizeof(U)};
}

/// A key and behind it the position.
template <class Order, class U, class Key>
struct OfPositions {
  using Bits = Unsigned<Key>;
  [[gnu::target("avx2"), gnu::optimize("O3")]] static void fill(const void* row, int64_t first, int64_t n, int shift, Key* keys) {
    constexpr Bits sign = sizeof(Key) == 16 ? Bits{0} : Bits{1} << (8 * sizeof(Key) - 1);
    const U* x = static_cast<const U*>(row) + first;
    for (int64_t i = 0; i < n; ++i)
      keys[i] = static_cast<Key>(((static_cast<Bits>(Order::class_key(x[i])) << shift) | static_cast<Bits>(first + i)) ^ sign);
  }
  [[gnu::target("avx2"), gnu::optimize("O3")]] static void fill_alone(const void* row, int64_t n, uint64_t* keys) {
    const U* x = static_cast<const U*>(row);
    for (int64_t i = 0; i < n; ++i) keys[i] = Order::class_key(x[i]);
  }
  [[gnu::target("avx2"), gnu::optimize("O3")]] static void drain(const Key* keys, int64_t n, int shift, void* to) {
    auto* y = static_cast<int64_t*>(to);
    const Bits mask = (Bits{1} << shift) - 1;
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<int64_t>(static_cast<Bits>(keys[i]) & mask);
  }
};

template <class Order, class U, class Key>
Keys<Key> positions(int bits) {
  using Of = OfPositions<Order, U, Key>;
  return {Of::fill, Of::drain, bits, sizeof(int64_t), sizeof(Key) == 16 ? Of::fill_alone : nullptr};
}

/// Calls f<U, kind, infinity>() of the dtype.
template <class F>
void with_order(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::bool_: return f.template operator()<uint8_t, ks_truth, 0>();
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

/// Rows of at most so many elements are sorted side by side.
constexpr int64_t short_row = 1024;
/// One row behind the other, on the calling thread.
template <class Key>
void sort_some_rows(const Keys<Key>& by, const RowsToSort& of, const void* from, void* to);

/// Calls f with how the dtype's elements become keys of themselves.
template <class F>
void with_values(Dtype dtype, F&& f) {
  with_order(dtype, [&]<class U, int kind, U infinity>() { f(values<KsOrder<U, kind, infinity, false>, U, std::conditional_t<sizeof(U) == 8, int64_t, int32_t>>()); });
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

}  // namespace kasoku::host_keys
