/// \file kasoku/array/basic_index.h
/// What NumPy calls basic indexing, of numbers, slices and new axes: places in memory and no more. Elements and few elements
/// are read and written at these places at once, without a node, a kernel or an array of their own.
#pragma once

#include "kasoku/array/direct.h"
#include "kasoku/array/state.h"
#include "kasoku/device/replay.h"

#include <limits>
#include <optional>
#include <span>

namespace kasoku {

/// An entry of an index; bounds count from the end when negative, and may lie outside.
struct BasicIndex {
  bool is_number = true;
  bool is_new_axis = false;  ///< of length 1; it takes none of the array's
  int64_t start = 0;  ///< the number, or the slice's bound
  int64_t stop = std::numeric_limits<int64_t>::max(), step = 1;
};

/// An axis, of which a slice leaves elements from that place on.
struct SlicedAxis {
  int64_t first, length, stride;  ///< of no elements the first is 0
};
SlicedAxis axis_of_slice(const BasicIndex& slice, int64_t length, int64_t stride);

/// The view that `cuts` leave of a view, applied to its first axes. Nothing if there are more cuts than axes, or a
/// number lies outside of its axis.
std::optional<View> cut(const View& view, std::span<const BasicIndex> cuts);

/// How many bytes behind a view's first element the one lies that a number for each axis names; nothing where there is none.
inline std::optional<int64_t> way_to(const View& view, std::span<const int64_t> at) {
  const size_t n = view.shape.size();
  if (at.size() != n) return std::nullopt;
  int64_t bytes = 0;
  for (size_t d = 0; d < n; ++d) {
    const int64_t length = view.shape[d], place = at[d] < 0 ? at[d] + length : at[d];
    if (static_cast<uint64_t>(place) >= static_cast<uint64_t>(length)) return std::nullopt;
    bytes += place * view.strides[d];
  }
  return bytes;
}

/// The element that a number for each axis names, in memory that stays while this lives. Nothing (null) where the array is
/// not at hand, computed and in memory that the host reaches, or there is no such element.
class HeldElement {
 public:
  HeldElement(const Array& array, std::span<const int64_t> at) : held_(array) {
    const Array::State& x = array.state();
    if (!held_ || x.dtype == Dtype::opaque || Recorder::current()) return;
    if (const std::optional<int64_t> way = way_to(x.view, at)) memory_ = held_.memory() + *way;
  }
  explicit operator bool() const { return memory_; }
  const char* memory() const { return memory_; }
  /// The address, if the element may be written at once; null otherwise.
  char* to_write() const { return memory_ && held_.may_be_written() ? memory_ : nullptr; }

 private:
  const Held held_;
  char* memory_ = nullptr;
};

/// The value of an element. Nothing where the element cannot be read at once; of a pending fill its number is known.
std::optional<Value> get_element(const Array& array, std::span<const int64_t> at);
/// Writes it. False, and nothing done, as above, or if something that is pending still reads the memory.
bool set_element(const Array& array, std::span<const int64_t> at, const Scalar& value);
/// Writes `value`, which has this dtype and the shape of the cut, or a number. False, and nothing done, as above, or if
/// there are many elements.
bool set_few(const Array& array, std::span<const BasicIndex> at, const Array& value);
bool set_few(const Array& array, std::span<const BasicIndex> at, const Scalar& value);

}  // namespace kasoku
