/// \file python/src/given.h
/// What functions over elements of arrays are given: the device of what there is, mode=.
#pragma once

#include "algorithm.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/direct.h"

#include <initializer_list>

namespace kasoku {

/// That of the first array among the objects and the lists that they are, ours or another library's on a GPU; else the default one.
Device& device_among(std::initializer_list<nb::handle> objects);

/// The array that an object is, or that is made of it.
Array given_array(nb::handle object);

nb::tuple tuple_of(std::vector<Array> arrays);

/// "raise", "wrap" or "clip".
OutOfRange out_of_range_from(nb::handle mode);

std::optional<Array> optional_array(nb::handle object, Device& device);

/// What `compute` gives, by a thread that others may have the lock of while it waits.
template <class F>
auto without_lock(F&& compute) {
  const GilUntilBlocked keep;
  return compute();
}

/// The same of so many elements: while many are computed others have the lock, which for few costs more than it gives.
template <class F>
auto without_lock_of(int64_t n, F&& compute) {
  if (n <= few_elements) return without_lock(compute);
  const GilReleased release;
  return compute();
}

}  // namespace kasoku
