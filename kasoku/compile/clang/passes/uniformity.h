/// \file kasoku/compile/clang/passes/uniformity.h
/// Which values and branches are the same for all threads of a granule.
///
/// Not an optimisation: a barrier under a branch that threads take differently
/// must not be run as if all threads came by. LLVM's uniformity analysis does the
/// propagation (operands, joins of divergent branches, values that leave loops
/// at different times); what differs between threads to begin with is said here.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/regions.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <memory>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class PostDominatorTree;
}  // namespace llvm

namespace kasoku::embedded {

class Uniformity {
 public:
  /// `granule`: all blocks, block or warp. The kernel has been cut by split_at_syncs.
  Uniformity(llvm::Function& kernel, const BlockShape& shape, Granule granule);
  ~Uniformity();
  Uniformity(Uniformity&&);

  /// The same for all threads, at its definition and wherever it is used.
  bool is_uniform(const llvm::Instruction& value) const;
  /// Whether threads go different ways from there.
  bool parts_at(const llvm::BasicBlock& block) const;
  /// Whether all threads of a granule reach each of `syncs` of that kind together.
  bool meet_together(const std::vector<SyncPoint>& syncs, bool (*is)(Sync)) const;
  /// The same of all cuts, those of loops too, where no thread would wait.
  bool pass_together(const std::vector<SyncPoint>& syncs) const;
  /// Blocks where a granule is not all there.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> apart(const llvm::PostDominatorTree& joins) const;

 private:
  bool reach_together(const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& places) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kasoku::embedded
