/// \file kasoku/compile/clang/passes/blocks_ahead.h
/// Grid-stride loops that carry something, before threads of a block first meet:
/// `for (i = …; i < n; i += …) sum += x[i] * y[i];` and then the block adds up its sums.
///
/// Block by block, a pass of the loop touches a kilobyte here and there. Until threads meet,
/// neighbouring blocks are as good as one long one; so the loop is run for a group of blocks,
/// and what its threads carry waits in scratch until each block goes on by itself.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <set>

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace kasoku::embedded {

struct PreparedKernel;
struct RegionPlan;

/// The regions that a group of blocks runs together: those up to the only one behind them.
struct BlocksAhead {
  std::set<unsigned> regions;
  unsigned behind = 0;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> text;
};

/// Empty if there are none. Values that blocks have of their own are made again where that
/// is cheap.
BlocksAhead find_blocks_ahead(const RegionPlan& plan, const PreparedKernel& kernel, const BlockShape& shape);

/// Puts them into `plan` if the text, as it now stays, cannot tell one block from the next.
void plan_blocks_ahead(RegionPlan& plan, const BlocksAhead& ahead, llvm::Function& kernel, const BlockShape& shape);

/// Values that differ between blocks that run together lose their uniformity.
void keep_blocks_apart(RegionPlan& plan, llvm::Function& kernel, const BlockShape& shape);

/// Whether what `text` (all if empty) does may be done by some blocks before others have
/// ended: nothing in it waits, asks what others did, or shows in which order blocks ran.
bool may_mix(const PreparedKernel& kernel, const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& text);

}  // namespace kasoku::embedded
