#include "kasoku/compile/clang/passes/split_leaders.h"

#include "kasoku/compile/clang/passes/split_ranges.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/uniformity.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Whether the other lanes do or keep something in `block`, since it was last cut.
bool all_work_in(BasicBlock& block, const BasicBlock& way, const DominatorTree& dominators) {
  for (Instruction& instruction : reverse(block)) {
    if (sync_of(instruction) != Sync::none) return false;
    if (instruction.isTerminator() || index_of(instruction) != Index::none) continue;
    if (instruction.mayHaveSideEffects()) return true;
    if (is_cheap(instruction) && !isa<SelectInst>(instruction)) continue;
    for (const Use& use : instruction.uses()) {
      const auto* user = cast<Instruction>(use.getUser());
      const auto* phi = dyn_cast<PHINode>(user);
      const BasicBlock* where = phi ? phi->getIncomingBlock(use) : user->getParent();
      if ((where != &block || phi) && !dominators.dominates(&way, where)) return true;
    }
  }
  return false;
}

}  // namespace

void cut_before_leaders(Function& kernel, const BlockShape& shape) {
  const Uniformity warp(kernel, shape, Granule::warp);
  const DominatorTree dominators(kernel);
  const auto apart = warp.apart();
  SmallSetVector<BasicBlock*, 16> blocks;
  for (BasicBlock& block : kernel) blocks.insert(&block);
  GuardQuestions ask;
  ask.blocks = &blocks;
  ask.is_uniform = [&](const Instruction& value) { return warp.is_uniform(value); };
  ask.trusts_uniform = ask.lanes_are_low_bits = true;
  for (BasicBlock& block : kernel) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || apart.contains(&block)) continue;
    const BasicBlock* way = way_of_one(*branch, ask);
    if (way && all_work_in(block, *way, dominators))
      IRBuilder<>(branch).CreateCall(loop_barrier(*kernel.getParent(), Sync::lane_loop));
  }
}

}  // namespace kasoku::embedded
