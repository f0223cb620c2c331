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
/// An array that was made over memory with NumPy's int64 and uint64: by DLPack these are C's `long long`, which repr()
/// tells apart.
nb::object with_numpys_integers(nb::object array, Dtype dtype);
/// The only element.
Scalar number_of(const Array& array);
/// The only element of an array as a Python number.
nb::object item_of(const Array& array);
/// The element that is named by a number for each axis; none if it is not at hand, or not there (kasoku/array/basic_index.h).
nb::object item_at(const Array& array, std::span<const int64_t> place);
/// All elements, as nested lists of such.
nb::object list_of(const Array& array);

}  // namespace kasoku
