/// \file python/src/given.h
/// What functions over elements of arrays are given: the device of what there is, mode=.
#pragma once

#include "algorithm.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/direct.h"

#include <initializer_list>

namespace kasoku {

/// The device of the first array among the objects, and in lists among them: an array of ours, or of another library on
/// a GPU. The default device if there is none.
Device& device_among(std::initializer_list<nb::handle> objects);

/// The array that an object is, or that is made of it.
Array given_array(nb::handle object);

nb::tuple tuple_of(std::vector<Array> arrays);

/// "raise", "wrap" or "clip".
OutOfRange out_of_range_from(nb::handle mode);

std::optional<Array> optional_array(nb::handle object, Device& device);

/// The result of `compute`. Other threads may have Python's lock while it waits.
template <class F>
auto without_lock(F&& compute) {
  const GilUntilBlocked keep;
  return compute();
}

/// The result of `compute` for `n` elements. Others have the lock while many are computed; for few, giving it up costs
/// more.
template <class F>
auto without_lock_of(int64_t n, F&& compute) {
  return n <= few_elements ? without_lock(compute) : without_gil(compute);
}

}  // namespace kasoku
