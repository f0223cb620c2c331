/// \file kasoku/compile/clang/passes/join_rows.h
/// Makes one row of neighbouring blocks' rows.
///
/// A kernel that asks where it is only by `blockIdx.x * blockDim.x + threadIdx.x` does not
/// see where one block ends and the next begins: a longer block in the place of the first
/// one does the same. Its loop over threads asks for its edges once and not every 32 threads.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"

#include <cstdint>

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace kasoku::embedded {

/// Whether the kernel's threads may go on past `row` threads along an axis, into the blocks
/// that follow; if so, nothing in it supposes any more that they do not. Their indices must
/// not pass 2^31 on the way. `where`: asked of a part of the kernel, which runs before the rest.
bool join_rows(llvm::Function& kernel, bool along_y, uint32_t row,
               const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>* where = nullptr);

}  // namespace kasoku::embedded
