/// \file kasoku/array/advanced_index.h
/// What an index says, arrays in it or not: the view of the array that is left, and the arrays of positions along its axes; then the
/// places in memory that they name together.
#pragma once

#include "kasoku/array/indexing.h"
#include "kasoku/array/places.h"
#include "kasoku/base/error.h"

#include <vector>

namespace kasoku {

/// Everything but arrays; those keep their axes whole and are noted in `arrays`.
struct AdvancedIndex {
  Array view;
  struct Entry {
    size_t axis;   ///< of the view: where the array's (first) axis is
    size_t place;  ///< in the index
    Array array;
    bool is_inside = false;   ///< its numbers are positions
    bool is_of_mask = false;  ///< which are different ones, together with the others of this place
  };
  std::vector<Entry> arrays;
};

bool is_mask(const Index& x);

/// Throws as NumPy does where the index does not fit the array. What arrays of integers hold is not looked at.
AdvancedIndex advanced_index(const Array& array, const std::vector<Index>& index);

/// An index with arrays: the axes of the result, which are the arrays' where those stood (or in front, if they stood
/// apart), with those of the view before and behind them. What the arrays hold is not looked at.
Places places_of(const AdvancedIndex& index);
/// With what the arrays hold: positions that were looked at and lie within their axes.
Places with_positions(Places places, const AdvancedIndex& index);
/// Positions that lie in the memory that is to be written are read first.
void keep_positions(AdvancedIndex& index);

/// Of an index that names none of the axis' elements.
Error not_in_axis(int64_t at, int64_t length, size_t axis);

}  // namespace kasoku
