/// \file kasoku/array/algorithms/sort.h
/// Elements in order along an axis, where the array lies. NaN come last, as in NumPy; complex numbers are ordered by their real
/// parts, then by their imaginary ones.
#pragma once

#include "kasoku/array/array.h"

#include <optional>
#include <span>

namespace kasoku {

/// A new array of the same shape; of no axis, of the ravelled one. -0 comes before 0. Throws AxisError, or ErrorKind::type for
/// records.
Array sort(const Array& array, std::optional<int64_t> axis = -1);
/// Puts the elements of an array in that order where they lie. False, and nothing done, where they are many, not there, or do not lie
/// so along the axis: then the result of sort() is to be stored.
bool sort_few(const Array& array, int64_t axis);
/// int64 positions along the axis of what sort() gives. Equal elements (zeros, NaNs among them) keep their order, also where
/// it descends: then NaN come first.
Array argsort(const Array& array, std::optional<int64_t> axis = -1, bool is_descending = false);

/// The elements along the axis (none: of the ravelled array) in an order in which each that sort() would put at a kth is there, none before
/// it is greater and none behind it less; or their positions. Throws where a kth is not in [-length, length).
Array partition(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis = -1);
Array argpartition(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis = -1);

/// Whether elements_in_order() has the array: where it lies, and its dtype.
bool has_selection(const Array& array);
/// The elements along the last axis at `ranks` in their order, without a sort: of each row the same ones, or one row's behind the other's.
Array elements_in_order(const Array& array, std::span<const int64_t> ranks, bool is_of_each_row = false);

/// The first k positions along the axis of what argsort() gives.
Array first_in_order(const Array& array, int64_t k, int64_t axis, bool is_descending);

/// The elements along the axis at positions in [0, length) along it, which have the shape of the array but there.
Array take_along(const Array& array, const Array& positions, int64_t axis);

}  // namespace kasoku
