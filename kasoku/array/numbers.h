/// \file kasoku/array/numbers.h
/// Arithmetic of single numbers without a kernel, where there is one right answer: the bits are those of the kernels.
#pragma once

#include "kasoku/array/scalar.h"
#include "kasoku/codegen/ops.h"

namespace kasoku {

/// y = op(x…), computed in `dtype`, whose numbers the operands are. False, and nothing done, where the operation rounds
/// in a way of its own, has a special case for these numbers, or the dtype is none that processors compute in.
bool compute_number(Op op, Dtype dtype, const Scalar* const* x, Scalar& y);

}  // namespace kasoku
