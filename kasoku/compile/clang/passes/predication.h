/// \file kasoku/compile/clang/passes/predication.h
/// Threads that part company before they meet others again stay together all the same:
/// those that do not take part come along without doing anything.
///
/// `if (i >= n) return;` before a barrier and `if (t < k) v += __shfl_down_sync(…);`
/// become, for each piece of text between two meetings, `if (takes_part) piece`. What
/// decides which piece is next is computed by all. Regions stay loops over threads, and
/// the conditions of pieces are mostly ranges of threads (split_ranges.h).
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/split_at_syncs.h"

#include <vector>

namespace llvm {
class Function;
}

namespace kasoku::embedded {

/// Changes a kernel that was cut into `syncs` so that all meet; false and no change if
/// that cannot be done: if both sides of a branch wait, or a loop ends at different
/// times for its threads.
bool mask_divergence(llvm::Function& kernel, std::vector<SyncPoint>& syncs,
                     const BlockShape& shape);

}  // namespace kasoku::embedded
