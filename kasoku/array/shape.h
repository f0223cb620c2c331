/// \file kasoku/array/shape.h
/// Views of other shapes, and arrays put together. Axes count from the end when
/// negative.
#pragma once

#include "kasoku/array/array.h"

#include <optional>
#include <span>

namespace kasoku {

/// One length may be -1. A view where the strides allow it, else a copy.
/// The axes before the last two, those of a stack of matrices.
inline Shape batch_of(const Array& array) {
  const Shape& shape = array.shape();
  return shape.size() > 2 ? Shape(shape.begin(), shape.end() - 2) : Shape();
}

Array reshape(const Array& array, Shape shape);
Array ravel(const Array& array);
/// No axes: reversed.
Array transpose(const Array& array, const std::optional<Extents>& axes = std::nullopt);
Array swapaxes(const Array& array, int64_t a, int64_t b);
Array moveaxis(const Array& array, const Extents& from, const Extents& to);
/// No axes: all of length 1.
Array squeeze(const Array& array, const std::optional<Extents>& axes = std::nullopt);
Array expand_dims(const Array& array, const Extents& axes);
Array flip(const Array& array, const std::optional<Extents>& axes = std::nullopt);

/// Elements move on by `shift` places along their axis, what falls out at the end comes in at the
/// start; shifts of one axis add up. No axes: of the ravelled array, one shift.
Array roll(const Array& array, std::span<const int64_t> shifts, const std::optional<Extents>& axes = std::nullopt);

Array concatenate(std::span<const Array> arrays, std::optional<int64_t> axis,
                  std::optional<Dtype> dtype = std::nullopt);
Array stack(std::span<const Array> arrays, int64_t axis);
/// NumPy's hstack, vstack, dstack and column_stack: arrays of few axes get more before they are put together.
enum class Stack : uint8_t { horizontal, vertical, deep, columns };
Array stack_as(Stack form, std::span<const Array> arrays);

/// 0 <= axis < ndim, or an error.
size_t normal_axis(int64_t axis, int64_t ndim);

}  // namespace kasoku
