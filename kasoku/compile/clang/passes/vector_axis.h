/// \file kasoku/compile/clang/passes/vector_axis.h
/// Which of a block's axes the innermost loop over threads runs along.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

namespace llvm {
class Function;
}

namespace kasoku::embedded {

/// Whether threads that follow each other in y, not in x, touch memory in a row:
/// `a[threadIdx.x * n + threadIdx.y]`.
bool y_is_fast(llvm::Function& kernel, const BlockShape& shape);

}  // namespace kasoku::embedded
