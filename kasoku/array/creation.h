/// \file kasoku/array/creation.h
/// New arrays, conversions and copies. Everything is lazy: memory comes when the
/// values are needed.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/scalar.h"

namespace kasoku {

Array full(const Shape& shape, Scalar value, Dtype dtype, Device& device);
/// A number as a read-only array of no axes, which stands for an element that was read.
Array value(Scalar number, Dtype dtype, Device& device);
/// n elements: start + i * step, computed in `dtype`.
Array arange(Scalar start, Scalar step, int64_t n, Dtype dtype, Device& device);

/// A new array of that dtype; floating numbers become integers as NumPy converts them, out of range too.
Array astype(const Array& array, Dtype dtype);
/// The array itself if it is of that dtype, else a new one that is.
Array as_dtype(const Array& array, Dtype dtype);
Array copy(const Array& array);
/// The array itself if it lies in C order in memory without gaps, else a copy that does.
Array contiguous(const Array& array);
/// On another device: a copy; on its own: the array itself.
Array to_device(const Array& array, Device& device);

}  // namespace kasoku
