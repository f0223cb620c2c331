/// \file kasoku/array/algorithms/rearrange.h
/// Elements in other places: repeated, tiled, padded, taken out, put between, and parts of matrices. Axes count from the end when
/// negative; what can be a view is one.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/elementwise.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kasoku {

/// What to do with an index outside of its axis.
enum class OutOfRange : uint8_t { raise, wrap, clip };

/// Positions in [0, length) for indices that may lie outside; `raise` leaves them to whoever reads there.
Array positions_in(const Array& indices, int64_t length, OutOfRange mode);

/// A part of the array along an axis.
Array sliced(const Array& array, int64_t axis, int64_t start, int64_t stop, int64_t step = 1);
/// The elements at positions along an axis, all of which lie within it.
Array gather_along(const Array& array, int64_t axis, const Array& positions);
/// Like numpy.take_along_axis and put_along_axis: `indices` have the array's axes, and stretch with it along the others.
Array take_along_axis(const Array& array, const Array& indices, int64_t axis);
void put_along_axis(const Array& array, const Array& indices, const Array& values, int64_t axis);
/// array.flat[indices] = values, which are repeated.
void put(const Array& array, const Array& indices, const Array& values, OutOfRange mode = OutOfRange::raise);
/// The values in a row, again and again, as an array of that shape.
Array recycled(const Array& values, const Shape& shape);

/// Each element so many times: `counts` has one number, or one for each along the axis (none: of the ravelled array).
Array repeat(const Array& array, const Array& counts, std::optional<int64_t> axis = std::nullopt);
Array repeat(const Array& array, int64_t count, std::optional<int64_t> axis = std::nullopt);
Array tile(const Array& array, const Extents& times);

enum class PadMode : uint8_t { constant, edge, reflect, symmetric, wrap, empty };
/// `widths`: before and after each axis. `values`: of a constant border, likewise.
struct Border {
  int64_t before = 0, after = 0;
  Scalar value_before, value_after;
};
Array pad(const Array& array, std::span<const Border> borders, PadMode mode);

Array rot90(const Array& array, int64_t turns, int64_t from, int64_t to);

/// A view of the diagonals of the matrices along two axes, which is the last axis and may be written to.
Array diagonal_view(const Array& array, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// A matrix with these elements on a diagonal.
Array diagflat(const Array& array, int64_t offset = 0);
void fill_diagonal(const Array& array, const Array& value, bool wrap);
/// Whether column <= row + k.
Array lower_triangle(int64_t rows, int64_t columns, int64_t k, Device& device);
Array tril(const Array& array, int64_t k);
Array triu(const Array& array, int64_t k);

/// Without the elements, rows … at `indices` along an axis; a mask says which.
Array without(const Array& array, const Array& indices, int64_t axis);
/// A copy with `values` put in before the positions `indices` along an axis; `is_single`: all of them before one
/// position.
Array with_inserted(const Array& array, const Array& indices, bool is_single, const Array& values, int64_t axis);

/// The choice whose number stands at each place.
Array choose(const Array& numbers, std::span<const Array> choices, OutOfRange mode);

/// The index along each axis of a shape for a flat position, and the reverse.
std::vector<Array> unravel_index(const Array& indices, const Shape& shape);
Array ravel_multi_index(std::span<const Array> indices, const Shape& shape, std::span<const OutOfRange> modes);

}  // namespace kasoku
