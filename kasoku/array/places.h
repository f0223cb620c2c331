/// \file kasoku/array/places.h
/// Elements of an array that arrays of indices name, read and written where the array lies.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/codegen/ops.h"

#include <optional>
#include <vector>

namespace kasoku {

struct Places {
  struct Along {
    Array position;  ///< in [0, length), of a shape that stretches to `together`
    int64_t length, stride;
  };

  std::vector<Along> along;  ///< one for each axis with indices
  bool are_different = false;  ///< no two indices name one place
  Shape together;            ///< of the indices
  size_t front = 0;          ///< axes before theirs
  View view;                 ///< of the array, in the shape of the result; does not move along the indices' axes

  size_t behind() const { return view.shape.size() - front - together.size(); }
  /// Bytes from where `view` is, in a shape that stretches to the view's.
  Array distance() const;
};

/// The elements there as a node of the graph, fused with what is done to them.
Array gather(const Array& array, const Places& places);
/// Stores `value`, which has the shape of the places' view; the last one stays where places repeat. With `join`, what is
/// there is joined to the values in their order.
void scatter(const Array& array, const Places& places, const Array& value, std::optional<Op> join = std::nullopt);
/// Stores values at positions within an array of one axis, which are all different, or where they are not, have equal values.
void store_at(const Array& array, const Array& positions, const Array& values);

}  // namespace kasoku
