/// \file kasoku/base/elements.h
/// Copies of so few elements that a kernel would cost more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kasoku {

/// f.operator()<itemsize>(), in which the size is a constant; false for one that only records have.
template <class F>
bool with_size(size_t itemsize, F&& f) {
  switch (itemsize) {
    case 1: f.template operator()<1>(); return true;
    case 2: f.template operator()<2>(); return true;
    case 4: f.template operator()<4>(); return true;
    case 8: f.template operator()<8>(); return true;
    case 16: f.template operator()<16>(); return true;
    default: return false;
  }
}

/// Elements of an axis and of those within it; no strides: all are the same one.
struct Elements {
  const int64_t* lengths;
  size_t rank, itemsize;

  size_t bytes() const {
    size_t n = itemsize;
    for (size_t d = 0; d < rank; ++d) n *= static_cast<size_t>(lengths[d]);
    return n;
  }

  void copy(char* to, const int64_t* to_strides, const char* from, const int64_t* from_strides, size_t d = 0) const {
    if (d == rank) {
      std::memcpy(to, from, itemsize);
      return;
    }
    const int64_t to_step = to_strides[d], from_step = from_strides ? from_strides[d] : 0;
    if (d + 1 == rank) return copy_row(to, to_step, from, from_step, lengths[d]);
    if (constexpr int64_t short_row = 8; d + 2 == rank && lengths[d + 1] < short_row && lengths[d] > lengths[d + 1]) {  // by columns
      const int64_t to_next = to_strides[d + 1], from_next = from_strides ? from_strides[d + 1] : 0;
      for (int64_t i = 0; i < lengths[d + 1]; ++i) copy_row(to + i * to_next, to_step, from + i * from_next, from_step, lengths[d]);
      return;
    }
    for (int64_t i = 0; i < lengths[d]; ++i)
      copy(to + i * to_step, to_strides, from + i * from_step, from_strides, d + 1);
  }

 private:
  /// Copies one element to `n` places; it is read once.
  template <size_t size>
  [[gnu::optimize("O3")]] static void fill(char* to, int64_t step, const char* from, int64_t n) {
    struct Bytes {
      char all[size];
    } one;
    std::memcpy(&one, from, size);
    if (step == static_cast<int64_t>(size))
      for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * static_cast<int64_t>(size), &one, size);
    else
      for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * step, &one, size);
  }

  /// Eight elements are read before one is written, as the compiler cannot know that rows do not overlap, all from one
  /// address, so that none waits for the next. `is_dense`: they are written one behind the other, several at a time.
  template <size_t size, bool is_dense>
  [[gnu::optimize("O3")]] static void gather(char* to, int64_t step, const char* from, int64_t from_step, int64_t n) {
    struct Bytes {
      char all[size];
    };
    using Whole = std::conditional_t<size == 1, uint8_t, std::conditional_t<size == 2, uint16_t, std::conditional_t<size == 4, uint32_t, std::conditional_t<size == 8, uint64_t, Bytes>>>>;
    const int64_t to_step = is_dense ? static_cast<int64_t>(size) : step, three = 3 * from_step, five = 5 * from_step, seven = 7 * from_step;
    const auto read = [&](int64_t offset) {
      Whole one;
      std::memcpy(&one, from + offset, size);
      return one;
    };
    constexpr int64_t at_once = 8;
    int64_t i = 0;
    for (; i + at_once <= n; i += at_once) {
      const Whole read_ones[] = {read(0), read(from_step), read(2 * from_step), read(three), read(4 * from_step), read(five), read(2 * three), read(seven)};
      if (is_dense) std::memcpy(to, read_ones, sizeof read_ones);
      else for (int64_t k = 0; k < at_once; ++k) std::memcpy(to + k * to_step, &read_ones[k], size);
      to += at_once * to_step, from += at_once * from_step;
    }
    for (; i < n; ++i, to += to_step, from += from_step) {
      const Whole one = read(0);
      std::memcpy(to, &one, size);
    }
  }

  void copy_row(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) const {
    if (to_step == static_cast<int64_t>(itemsize) && from_step == to_step) {
      std::memcpy(to, from, static_cast<size_t>(n) * itemsize);
      return;
    }
    const bool has_moved = with_size(itemsize, [=]<size_t size>() {
      if (from_step == 0) fill<size>(to, to_step, from, n);
      else if (to_step == static_cast<int64_t>(size)) gather<size, true>(to, to_step, from, from_step, n);
      else gather<size, false>(to, to_step, from, from_step, n);
    });
    for (int64_t i = 0; i < n && !has_moved; ++i) std::memcpy(to + i * to_step, from + i * from_step, itemsize);
  }
};

}  // namespace kasoku
