#include "kasoku/compile/clang/passes/meeting_lift.h"

#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/uniformity.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

#include <algorithm>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr unsigned most_lifts = 8;

using Blocks = SmallSetVector<BasicBlock*, 16>;

// Mends the uses of a value that it does not dominate any more, since threads now come there past it too.
void carry(Instruction& made, BasicBlock* from, const DominatorTree& dominators) {
  SmallVector<Use*> lost;
  for (Use& use : made.uses())
    if (!dominators.dominates(&made, use)) lost.push_back(&use);
  if (lost.empty()) return;
  SSAUpdater updater;
  updater.Initialize(made.getType(), made.getName());
  updater.AddAvailableValue(made.getParent(), &made);
  if (from != made.getParent()) updater.AddAvailableValue(from, PoisonValue::get(made.getType()));
  for (Use* use : lost) updater.RewriteUse(*use);
}

}  // namespace

MeetingLift::MeetingLift(Function& kernel, const BlockShape& shape, CallInst& call)
    : kernel_(kernel), shape_(shape), call_(call), takes_part_(ConstantInt::getTrue(kernel.getContext())) {}

std::vector<MeetingLift::Branching> MeetingLift::around() const {
  const Uniformity uniformity(kernel_, shape_, Granule::block);
  const PostDominatorTree joins(kernel_);
  std::vector<Branching> found;
  for (BasicBlock& from : kernel_) {
    if (!uniformity.parts_at(from)) continue;
    const auto* node = joins.getNode(&from);
    Branching at{&from, node && node->getIDom() ? node->getIDom()->getBlock() : nullptr, {}};
    for (BasicBlock* next : successors(&from))
      if (next != at.join) at.ways.insert(next);
    for (size_t i = 0; i < at.ways.size(); ++i)
      for (BasicBlock* next : successors(at.ways[i]))
        if (next != at.join) at.ways.insert(next);
    if (at.ways.contains(call_.getParent())) found.push_back(std::move(at));
  }
  std::stable_sort(found.begin(), found.end(), [](const Branching& a, const Branching& b) { return a.ways.size() > b.ways.size(); });
  return found;
}

Blocks MeetingLift::rest_of(const Branching& at) const {
  Blocks rest;
  rest.insert(call_.getParent());
  for (size_t i = 0; i < rest.size(); ++i)
    for (BasicBlock* next : successors(rest[i]))
      if (next != at.join) rest.insert(next);
  return rest;
}

bool MeetingLift::suits(const Branching& at, const Blocks& rest) const {
  BasicBlock* before = call_.getParent()->getSinglePredecessor();
  if (!at.join || !before || at.ways.contains(at.from) || rest.contains(before)) return false;
  SmallPtrSet<const BasicBlock*, 8> once;  // a switch may lead there by several ways
  for (const BasicBlock* from : predecessors(at.join))
    if (!once.insert(from).second) return false;
  for (BasicBlock* block : at.ways) {
    for (BasicBlock* from : predecessors(block)) {
      if (from != at.from && !at.ways.contains(from)) return false;
      if (rest.contains(block) && block != call_.getParent() && !rest.contains(from)) return false;
    }
    for (const Instruction& instruction : *block)
      if (&instruction != &call_ && sync_of(instruction) != Sync::none) return false;
  }
  return true;
}

void MeetingLift::lift(const Branching& at, const Blocks& rest) {
  BasicBlock *after = call_.getParent(), *before = after->getSinglePredecessor();
  BasicBlock* meeting = BasicBlock::Create(kernel_.getContext(), "meeting", &kernel_, after);
  SmallSetVector<BasicBlock*, 8> others;  // ways past the call
  for (BasicBlock* from : predecessors(at.join))
    if ((from == at.from || at.ways.contains(from)) && !rest.contains(from)) others.insert(from);

  IRBuilder<> build(meeting);
  const auto phi = [&](Type* type, Value* of_before, const auto& of_other) -> Value* {
    Value* one = of_other(others[0]);
    if (isa<PoisonValue>(of_before) && isa<Constant>(one) && all_of(others, [&](BasicBlock* other) { return of_other(other) == one; }))
      return one;
    PHINode* made = build.CreatePHI(type, others.size() + 1);
    made->addIncoming(of_before, before);
    for (BasicBlock* other : others) made->addIncoming(of_other(other), other);
    return made;
  };
  // Where the branch has one way to the call and one past it, it is what decides.
  const auto* branch = dyn_cast<BranchInst>(at.from->getTerminator());
  const bool is_plain = others.size() == 1 && others[0] == at.from && branch &&
                        branch->getSuccessor(0) != branch->getSuccessor(1);
  SmallVector<std::pair<PHINode*, Value*>> joined;
  for (PHINode& of_join : at.join->phis())
    joined.push_back({&of_join, phi(of_join.getType(), PoisonValue::get(of_join.getType()),
                                    [&](BasicBlock* other) { return of_join.getIncomingValueForBlock(other); })});
  const auto none = [&](BasicBlock*) { return build.getFalse(); };
  Value* came = nullptr;
  Value* takes_part = nullptr;
  if (is_plain) {
    came = branch->getCondition();
    const bool is_other_way = branch->getSuccessor(0) == at.join;
    if (is_other_way) came = IRBuilder<>(at.from->getTerminator()).CreateNot(came);
  } else {
    came = phi(build.getInt1Ty(), build.getTrue(), none);
  }
  takes_part = lifts_ ? phi(build.getInt1Ty(), takes_part_, none) : came;
  takes_part_ = takes_part;

  before->getTerminator()->replaceSuccessorWith(after, meeting);
  for (BasicBlock* other : others) other->getTerminator()->replaceSuccessorWith(at.join, meeting);
  after->replacePhiUsesWith(before, meeting);
  for (auto& [of_join, carried] : joined) {
    for (BasicBlock* other : others)
      for (int i = of_join->getBasicBlockIndex(other); i >= 0; i = of_join->getBasicBlockIndex(other))
        of_join->removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
    of_join->addIncoming(carried, meeting);
  }
  call_.moveBefore(*meeting, meeting->end());
  build.SetInsertPoint(meeting);
  build.CreateCondBr(came, after, at.join);

  const DominatorTree dominators(kernel_);
  for (BasicBlock* block : at.ways)
    if (!rest.contains(block))
      for (Instruction& made : *block)
        if (!made.getType()->isVoidTy()) carry(made, at.from, dominators);
}

bool MeetingLift::run() {
  for (std::vector<Branching> all = around(); !all.empty(); all = around()) {
    // Lifted further, its block is cut again: what decides who goes on stays behind.
    if (lifts_) SplitBlock(call_.getParent(), call_.getIterator());
    const auto found = std::find_if(all.begin(), all.end(), [&](Branching& at) {
      if (lifts_) at.ways.insert(call_.getParent());
      return suits(at, rest_of(at));
    });
    if (found == all.end() || lifts_ == most_lifts) return false;
    lift(*found, rest_of(*found));
    ++lifts_;
  }
  return true;
}

}  // namespace kasoku::embedded
