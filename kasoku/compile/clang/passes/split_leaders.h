/// \file kasoku/compile/clang/passes/split_leaders.h
/// Cuts what all lanes of a warp do from what one of them does after it.
///
/// `v += …; if (lane == 31) sums[warp] = v;` would be one loop over 31 lanes and another
/// over one: 31 lanes are no whole vectors. With a cut before the condition all 32 are.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

namespace llvm {
class Function;
}

namespace kasoku::embedded {

/// Cuts before code that few lanes run. `shape` is of a block with whole warps in its rows; the cuts are
/// Sync::lane_loop's.
void cut_before_leaders(llvm::Function& kernel, const BlockShape& shape);

}  // namespace kasoku::embedded
