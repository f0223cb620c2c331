/// \file kasoku/array/algorithms/compact.h
/// What a mask chooses, in the order in which it lies: one count of each chunk, their scan, and one pass that stores.
#pragma once

#include "kasoku/array/array.h"

#include <vector>

namespace kasoku {

/// Positions of the elements that are not 0, in C order of the array: int64, one axis.
Array flatnonzero(const Array& array);
/// The same as indices, one array per axis.
std::vector<Array> nonzero(const Array& array);
/// The indices as rows: (how many, axes).
Array argwhere(const Array& array);
/// The elements where `mask`, of the array's shape, holds: one axis.
Array compress(const Array& mask, const Array& array);

}  // namespace kasoku
