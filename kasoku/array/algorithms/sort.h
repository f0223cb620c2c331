/// \file kasoku/array/algorithms/sort.h
/// Elements in order along an axis, where the array lies. NaN come last, as in NumPy; complex numbers are ordered by their real
/// parts, then by their imaginary ones.
#pragma once

#include "kasoku/array/array.h"

#include <optional>

namespace kasoku {

/// A new array of the same shape; of no axis, of the ravelled one. -0 comes before 0. Throws AxisError, or ErrorKind::type for
/// records.
Array sort(const Array& array, std::optional<int64_t> axis = -1);
/// int64 positions along the axis of what sort() gives. Equal elements (zeros, NaNs among them) keep their order, also where
/// it descends: then NaN come first.
Array argsort(const Array& array, std::optional<int64_t> axis = -1, bool is_descending = false);

/// The first k positions along the axis of what argsort() gives.
Array first_in_order(const Array& array, int64_t k, int64_t axis, bool is_descending);

/// The elements along the axis at positions in [0, length) along it, which have the shape of the array but there.
Array take_along(const Array& array, const Array& positions, int64_t axis);

}  // namespace kasoku
