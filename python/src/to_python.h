/// \file python/src/to_python.h
/// Arrays as NumPy's arrays, as Python's numbers and as lists of them.
#pragma once

#include "bindings.h"
#include "kasoku/array/array.h"
#include "kasoku/array/scalar.h"

#include <span>

namespace kasoku {

/// A new NumPy array with a copy of the values.
nb::object to_numpy(const Array& array);
/// A NumPy array that shows the same memory; of a cpu array only.
nb::object numpy_view(const Array& array);
/// NumPy's array of a dtype that it has, over memory that `owner` keeps; strides in bytes.
nb::object numpy_over(void* memory, Dtype dtype, std::span<const int64_t> shape, std::span<const int64_t> strides, nb::object owner, bool is_read_only);
/// The only element.
Scalar number_of(const Array& array);
/// The only element of an array as a Python number.
nb::object item_of(const Array& array);
/// The element that is named by a number for each axis; none if it is not at hand, or not there (kasoku/array/basic_index.h).
nb::object item_at(const Array& array, std::span<const int64_t> place);
/// All elements, as nested lists of such.
nb::object list_of(const Array& array);

}  // namespace kasoku
