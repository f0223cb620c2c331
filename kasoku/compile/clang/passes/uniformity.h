/// \file kasoku/compile/clang/passes/uniformity.h
/// Which values and branches are the same for all threads of a granule.
///
/// Not an optimisation: a barrier under a branch that threads take differently
/// must not be run as if all threads came by. The analysis goes from what differs between
/// threads (their index, what other threads may write) along operands, to joins of divergent
/// branches, and to values that leave loops at different times.
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
}  // namespace llvm

namespace kasoku::embedded {

class Uniformity {
 public:
  /// `granule` is all blocks, a block or a warp. The kernel has been cut by split_at_syncs.
  Uniformity(llvm::Function& kernel, const BlockShape& shape, Granule granule);
  ~Uniformity();
  Uniformity(Uniformity&&);

  /// Whether a value is the same for all threads, at its definition and wherever it is used.
  bool is_uniform(const llvm::Instruction& value) const;
  /// The same if `at` used it too: threads that leave a loop at different times have different values
  /// of what is uniform in each pass.
  bool is_uniform_at(const llvm::Instruction& value, const llvm::BasicBlock& at) const;
  /// Whether threads take different branches at the block's end.
  bool parts_at(const llvm::BasicBlock& block) const;
  /// Whether all threads of a granule reach each of `syncs` of that kind together.
  bool meet_together(const std::vector<SyncPoint>& syncs, bool (*is)(Sync)) const;
  /// Whether they reach all cuts together, also those of loops, where no thread would wait.
  bool pass_together(const std::vector<SyncPoint>& syncs) const;
  /// The blocks in which only a part of a granule may run.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> apart() const;

 private:
  bool reach_together(const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& places) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kasoku::embedded
