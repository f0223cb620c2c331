/// \file kasoku/array/indexing.h
/// x[...] and x[...] = y, as NumPy has them.
#pragma once

#include "kasoku/array/array.h"

#include <optional>
#include <vector>

namespace kasoku {

struct Index {
  enum Kind : uint8_t { number, slice, newaxis, ellipsis, array } kind = number;
  int64_t number_value = 0;
  std::optional<int64_t> start, stop;
  int64_t step = 1;
  std::optional<Array> array_value;  ///< integers or a bool mask
};

/// Numbers, slices, newaxis and ellipsis give a view; arrays a copy. A number for each axis names one element and
/// gives the value that it has now, a read-only array of no axes, as NumPy gives a scalar.
Array get_item(const Array& array, const std::vector<Index>& index);
/// The same, but one element is a view too, as CuPy and PyTorch have it.
Array get_view(const Array& array, const std::vector<Index>& index);
/// Writes `value` (broadcast, converted) to those elements.
void set_item(const Array& array, const std::vector<Index>& index, const Array& value);

/// Elements at the flat positions along one axis; negative ones count from the end.
Array take(const Array& array, const Array& positions, std::optional<int64_t> axis);
/// Indices of the elements that are not 0, one array per axis.
std::vector<Array> nonzero(const Array& array);

}  // namespace kasoku
