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

  /// Eight elements are read before one is written, as the compiler cannot know that rows do not overlap.
  template <size_t size>
  [[gnu::optimize("O3")]] static void gather(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
    struct Bytes {
      char all[size];
    };
    using Whole = std::conditional_t<size == 1, uint8_t, std::conditional_t<size == 2, uint16_t, std::conditional_t<size == 4, uint32_t, std::conditional_t<size == 8, uint64_t, Bytes>>>>;
    const auto read = [from_step](const char*& place) {
      Whole one;
      std::memcpy(&one, place, size);
      place += from_step;
      return one;
    };
    const auto write = [to_step](char*& place, const Whole& one) {
      std::memcpy(place, &one, size);
      place += to_step;
    };
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      const Whole a = read(from), b = read(from), c = read(from), d = read(from), e = read(from), f = read(from), g = read(from), h = read(from);
      write(to, a), write(to, b), write(to, c), write(to, d), write(to, e), write(to, f), write(to, g), write(to, h);
    }
    for (; i < n; ++i) write(to, read(from));
  }

  void copy_row(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) const {
    if (to_step == static_cast<int64_t>(itemsize) && from_step == to_step) {
      std::memcpy(to, from, static_cast<size_t>(n) * itemsize);
      return;
    }
    const bool has_moved = with_size(itemsize, [=]<size_t size>() {
      from_step == 0 ? fill<size>(to, to_step, from, n) : gather<size>(to, to_step, from, from_step, n);
    });
    for (int64_t i = 0; i < n && !has_moved; ++i) std::memcpy(to + i * to_step, from + i * from_step, itemsize);
  }
};

}  // namespace kasoku
