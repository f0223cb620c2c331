#include "kasoku/compile/clang/passes/rematerialize.h"

#include "kasoku/compile/clang/passes/live_values.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

namespace kasoku::embedded {

using namespace llvm;

bool is_cheap(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::Add: case Instruction::Sub: case Instruction::Mul: case Instruction::Shl:
    case Instruction::LShr: case Instruction::AShr: case Instruction::And: case Instruction::Or:
    case Instruction::Xor: case Instruction::ZExt: case Instruction::SExt:
    case Instruction::Trunc: case Instruction::GetElementPtr: case Instruction::ICmp:
    case Instruction::Select: case Instruction::PtrToInt: case Instruction::IntToPtr:
    case Instruction::SIToFP: case Instruction::UIToFP:
      return true;
    case Instruction::UDiv: case Instruction::URem:
      return isa<ConstantInt>(instruction.getOperand(1));
    case Instruction::Call:
      if (const auto* call = dyn_cast<IntrinsicInst>(&instruction))
        switch (call->getIntrinsicID()) {
          case Intrinsic::umin: case Intrinsic::umax: case Intrinsic::smin: case Intrinsic::smax:
            return true;
          default: return false;
        }
      return false;
    default: return false;
  }
}

namespace {

constexpr unsigned most_operands_deep = 12;

BasicBlock* place_of(const Use& use) {
  const auto* user = cast<Instruction>(use.getUser());
  const auto* phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use) : const_cast<BasicBlock*>(user->getParent());
}

}  // namespace

void rematerialize(Function& kernel, const std::vector<SyncPoint>& syncs,
                   const std::function<bool(const Instruction&, const BasicBlock&)>& is_uniform_at) {
  SmallSetVector<Instruction*, 32> kept;  // across a cut
  {
    const LiveValues live(kernel);
    for (const SyncPoint& sync : syncs)
      for (Instruction* value : live.at(*sync.block)) kept.insert(value);
  }
  if (kept.empty()) return;

  // Whether a value can be made at a place from what is there or costs one slot for all threads.
  DenseMap<std::pair<Instruction*, BasicBlock*>, bool> can_be_made;
  const auto can_make = [&](auto& self, Instruction* value, BasicBlock* at, unsigned depth) -> bool {
    if (depth > most_operands_deep || !is_cheap(*value)) return false;
    if (const auto found = can_be_made.find({value, at}); found != can_be_made.end()) return found->second;
    bool yes = true;
    for (Value* operand : value->operands())
      if (auto* from = dyn_cast<Instruction>(operand))
        yes &= is_always_there(*from) || is_uniform_at(*from, *at) || self(self, from, at, depth + 1);
    return can_be_made[{value, at}] = yes;
  };
  const auto can_make_for_all = [&](Instruction* value) {
    return all_of(value->uses(), [&](const Use& use) {
      BasicBlock* at = place_of(use);
      return at == value->getParent() || can_make(can_make, value, at, 0);
    });
  };

  SmallVector<Instruction*> order;
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel))
    for (Instruction& instruction : *block) order.push_back(&instruction);
  SmallPtrSet<Instruction*, 32> wanted;
  for (Instruction* value : kept)
    if (!is_uniform_at(*value, *value->getParent()) && can_make_for_all(value)) wanted.insert(value);

  for (size_t i = order.size(); i-- > 0;) {
    Instruction* value = order[i];
    if (!wanted.contains(value)) continue;
    DenseMap<BasicBlock*, Instruction*> copies;
    SmallVector<Use*> uses;
    for (Use& use : value->uses()) uses.push_back(&use);
    for (Use* use : uses) {
      BasicBlock* where = place_of(*use);
      if (where == value->getParent() || !can_make(can_make, value, where, 0)) continue;
      Instruction*& copy = copies[where];
      if (!copy) {
        copy = value->clone();
        // A use in a phi comes at the end of its block, after all others.
        copy->insertBefore(where->getFirstNonPHIOrDbg()->getIterator());
      }
      use->set(copy);
    }
    // Operands that cannot live over the cut follow.
    for (const auto& copy : copies)
      for (Value* operand : value->operands())
        if (auto* from = dyn_cast<Instruction>(operand);
            from && !is_always_there(*from) && !is_uniform_at(*from, *copy.first))
          wanted.insert(from);
  }
  for (size_t i = order.size(); i-- > 0;)
    if (isInstructionTriviallyDead(order[i])) order[i]->eraseFromParent();
}

}  // namespace kasoku::embedded
