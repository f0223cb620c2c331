/// \file kasoku/array/matmul.h
/// Matrix products: start at their statement, and on a CPU are done when it returns.
#pragma once

#include "kasoku/array/array.h"

namespace kasoku {

/// numpy.matmul: stacks of matrices broadcast, vectors get an axis that vanishes again.
Array matmul(const Array& a, const Array& b);
/// numpy.dot.
Array dot(const Array& a, const Array& b);

}  // namespace kasoku
