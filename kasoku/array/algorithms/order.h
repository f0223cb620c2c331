/// \file kasoku/array/algorithms/order.h
/// What follows from sorting: the first ones, order by several keys, ranks.
#pragma once

#include "kasoku/array/algorithms/sort.h"

#include <span>
#include <utility>

namespace kasoku {

/// The k greatest or least elements along the axis, in that order, and their positions. NaN are the greatest.
std::pair<Array, Array> topk(const Array& array, int64_t k, int64_t axis = -1, bool is_greatest = true);

/// Positions along the axis that sort by the last key; where its elements are equal, by the one before, and so on. Keys have one shape.
Array lexsort(std::span<const Array> keys, int64_t axis = -1);

/// The rank of equal elements: the mean, the least or the greatest of their ranks; one rank, with the next greater
/// element following without a gap (dense); or one for each, in the order in which they stand (ordinal).
enum class Ties : uint8_t { average, min, max, dense, ordinal };

/// The rank of each element among those along the axis (none: of the ravelled array), from 1 on: float64 of means, else int64.
/// NaN come last and are equal.
Array rankdata(const Array& array, Ties ties, std::optional<int64_t> axis);

/// Sorted along the last axis, as complex64 of integers of at most 16 bits, else complex128.
Array sort_complex(const Array& array);

}  // namespace kasoku
