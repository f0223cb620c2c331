/// \file kasoku/array/algorithms/sets.h
/// Different elements, and arrays as sets of theirs.
#pragma once

#include "kasoku/array/array.h"

#include <optional>

namespace kasoku {

struct UniqueWanted {
  bool index = false, inverse = false, counts = false;
  bool equal_nan = true;  ///< all NaN are one element
};
struct Unique {
  Array values;
  Array index;    ///< where each stands first in the ravelled array
  Array inverse;  ///< for each element, in the array's shape, which of the values it is
  Array counts;   ///< how often each is there
};

/// The different elements in ascending order; along an axis, the different parts of the array there.
Unique unique(const Array& array, const UniqueWanted& wanted = {}, std::optional<int64_t> axis = std::nullopt);

Array union1d(const Array& a, const Array& b);
struct Intersection {
  Array values, index_a, index_b;  ///< of first occurrences, if they are wanted
};
Intersection intersect1d(const Array& a, const Array& b, bool are_unique = false, bool wants_indices = false);
Array setdiff1d(const Array& a, const Array& b, bool are_unique = false);
Array setxor1d(const Array& a, const Array& b, bool are_unique = false);
/// For each element whether it is in `other`; NaN never are.
Array isin(const Array& array, const Array& other, bool is_inverted = false);

}  // namespace kasoku
