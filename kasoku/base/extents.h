/// \file kasoku/base/extents.h
/// A number for each axis of an array: lengths, strides. The few that arrays mostly have lie inside, so that making
/// one takes no memory; otherwise it is used as std::vector is.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace kasoku {

class Extents {
 public:
  using value_type = int64_t;
  using iterator = int64_t*;
  using const_iterator = const int64_t*;

  Extents() = default;
  explicit Extents(size_t n, int64_t value = 0) { resize(n, value); }
  Extents(std::initializer_list<int64_t> values) : Extents(values.begin(), values.end()) {}
  Extents(const std::vector<int64_t>& values) : Extents(values.begin(), values.end()) {}
  template <std::forward_iterator It>
  Extents(It first, It last) {
    grow(static_cast<size_t>(std::distance(first, last)));
    for (; first != last; ++first) data()[size_++] = static_cast<int64_t>(*first);
  }
  Extents(const Extents& other) {
    if (!other.is_inside())
      *this = other;
    else
      copy(other, inside_);
  }
  Extents(Extents&& other) noexcept { take(other); }
  Extents& operator=(const Extents& other) {
    if (this == &other) return *this;
    grow(other.size_);
    copy(other, data());
    return *this;
  }
  Extents& operator=(Extents&& other) noexcept {
    if (this == &other) return *this;
    drop();
    take(other);
    return *this;
  }
  ~Extents() { drop(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return is_inside() ? inside_ : outside_; }
  const int64_t* data() const { return is_inside() ? inside_ : outside_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& front() { return data()[0]; }
  int64_t front() const { return data()[0]; }
  int64_t& back() { return data()[size_ - 1]; }
  int64_t back() const { return data()[size_ - 1]; }

  void reserve(size_t n) { grow(n); }
  /// Makes it n values, which are not defined yet, and says where they are.
  int64_t* room(size_t n) {
    grow(n);
    size_ = static_cast<uint32_t>(n);
    return data();
  }
  void clear() { size_ = 0; }
  void push_back(int64_t value) {
    if (size_ == capacity_) grow(2 * capacity_);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void resize(size_t n, int64_t value = 0) {
    grow(n);
    if (n > size_) std::fill(data() + size_, data() + n, value);
    size_ = static_cast<uint32_t>(n);
  }
  void assign(size_t n, int64_t value) {
    clear();
    resize(n, value);
  }
  int64_t* insert(const int64_t* place, int64_t value) { return insert(place, &value, &value + 1); }
  /// The values are not these of its own.
  template <std::forward_iterator It>
  int64_t* insert(const int64_t* place, It first, It last) {
    const auto at = place - begin();
    const auto n = static_cast<size_t>(std::distance(first, last));
    grow(size_ + n);
    std::copy_backward(begin() + at, end(), end() + n);
    std::copy(first, last, begin() + at);
    size_ += static_cast<uint32_t>(n);
    return begin() + at;
  }
  int64_t* erase(const int64_t* first, const int64_t* last) {
    int64_t* const to = begin() + (first - begin());
    std::copy(last, static_cast<const int64_t*>(end()), to);
    size_ -= static_cast<uint32_t>(last - first);
    return to;
  }
  int64_t* erase(const int64_t* place) { return erase(place, place + 1); }

  /// A loop, as they are mostly one or two: std::equal calls memcmp.
  friend bool operator==(const Extents& a, const Extents& b) {
    if (a.size_ != b.size_) return false;
    const int64_t *const x = a.data(), *const y = b.data();
    for (uint32_t i = 0; i < a.size_; ++i)
      if (x[i] != y[i]) return false;
    return true;
  }
  friend auto operator<=>(const Extents& a, const Extents& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr uint32_t n_inside = 4;

  bool is_inside() const { return capacity_ == n_inside; }
  void grow(size_t n) {
    if (n <= capacity_) return;
    auto* const more = new int64_t[n];
    std::copy(begin(), end(), more);
    drop();
    outside_ = more;
    capacity_ = static_cast<uint32_t>(n);
  }
  void drop() {
    if (!is_inside()) delete[] outside_;
  }
  void take(Extents& other) {
    capacity_ = std::exchange(other.capacity_, n_inside);
    if (is_inside())
      copy(other, inside_);
    else outside_ = other.outside_;
    size_ = std::exchange(other.size_, 0);
  }
  /// One by one: what a compiler copies as a vector is not there while a part of it is still on its way to memory, and most are
  /// copied when they have just been made.
  void copy(const Extents& other, int64_t* to) {
    size_ = other.size_;
    const int64_t* const from = other.data();
    for (uint32_t i = 0; i < size_; ++i) to[i] = from[i];
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = n_inside;
  union {
    int64_t inside_[n_inside];
    int64_t* outside_;
  };
};

}  // namespace kasoku
