/// \file kasoku/linalg/vector.h
/// A matrix times a vector takes as long as the matrix takes to come from memory.
#pragma once

#include "kasoku/linalg/provider.h"

namespace kasoku::linalg {

/// c = a @ b for one column b, if a is one row, or of float32 or float64 and its lines are long enough to be worth it and c
/// has no gaps; false if not, and nothing is done. The sums have the same order on any number of threads.
bool vector_product(const Matmul& problem);

}  // namespace kasoku::linalg
