/// \file kasoku/array/algorithms/compact.h
/// What a mask chooses, in the order in which it lies: one count of each chunk, their scan, and one pass that stores.
#pragma once

#include "kasoku/array/array.h"

#include <vector>

namespace kasoku {

/// Positions of the elements that are not 0, in C order of the array: int64, one axis.
Array flatnonzero(const Array& array);
/// The indices of elements that are not zero, one array per axis.
std::vector<Array> nonzero(const Array& array);
/// The indices as rows: (how many, axes).
Array argwhere(const Array& array);
/// The elements where `mask`, of the array's shape, holds: one axis.
Array compress(const Array& mask, const Array& array);
/// compress() of few computed elements in memory that the host reaches. A null array where compress() has to do it.
Array compress_few(const Array& mask, const Array& array);
/// The other way: an array's elements where `mask`, of its shape, holds become those of `values`, which have its dtype
/// and one axis. False if there are as many of them not. The array lies in C order.
bool place(const Array& array, const Array& mask, const Array& values);
/// An array's few elements where `mask`, of its shape, holds become one number. False, and nothing done, if that
/// is for a kernel, which is also how a mask that is still to be computed is never stored.
bool fill_few(const Array& array, const Array& mask, const Scalar& value);

}  // namespace kasoku
