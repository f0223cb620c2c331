/// \file kasoku/array/indexing.h
/// x[...] and x[...] = y, as NumPy has them.
#pragma once

#include "kasoku/array/elementwise.h"

#include <optional>
#include <vector>

namespace kasoku {

struct Index {
  enum Kind : uint8_t { number, slice, newaxis, ellipsis, array } kind = number;
  int64_t number_value = 0;
  std::optional<int64_t> start, stop;
  int64_t step = 1;
  std::optional<Array> array_value;  ///< integers or a bool mask
  bool is_inside = false;            ///< the integers are known to lie in [0, length)
};

/// Numbers, slices, newaxis and ellipsis give a view; arrays a copy. A number for each axis names one element and
/// gives the value that it has now, a read-only array of no axes, as NumPy gives a scalar. What arrays choose lies in
/// memory in NumPy's order.
Array get_item(const Array& array, const std::vector<Index>& index);
/// get_item() as CuPy and PyTorch have it: one element is a view too, and elements that arrays choose lie in C order.
Array get_view(const Array& array, const std::vector<Index>& index);
/// Writes `value` (broadcast, converted) to all elements of an array, or of a view of one.
void set_view(const Array& view, const Array& value);
/// The same for a value that nobody else holds, as Array::assign() takes it.
void set_view(const Array& view, Array&& value);
/// Writes it to those elements.
void set_item(const Array& array, const std::vector<Index>& index, const Array& value);

/// Joins `value` (broadcast) to what those elements hold, in order: where places repeat, each value counts. What `join` gives
/// is cast by the rule "same_kind".
void join_item(const Array& array, const std::vector<Index>& index, const Operand& value, Op join);

/// Elements at the flat positions along one axis; negative ones count from the end.
Array take(const Array& array, const Array& positions, std::optional<int64_t> axis);

}  // namespace kasoku
