#include "kasoku/compile/clang/passes/live_values.h"

#include "kasoku/compile/clang/passes/intrinsics.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace kasoku::embedded {

using namespace llvm;

bool is_always_there(const Value& value) {
  const auto* instruction = dyn_cast<Instruction>(&value);
  return !instruction || isa<AllocaInst>(instruction) || index_of(*instruction) != Index::none;
}

LiveValues::LiveValues(Function& function) {
  for (BasicBlock& block : function)
    for (Instruction& instruction : block)
      if (!instruction.getType()->isVoidTy() && !is_always_there(instruction)) {
        number_[&instruction] = values_.size();
        values_.push_back(&instruction);
      }

  struct Facts {
    BitVector used, made, live_out;
  };
  const unsigned size = values_.size();
  DenseMap<const BasicBlock*, Facts> facts;
  for (BasicBlock& block : function) {
    facts[&block] = {BitVector(size), BitVector(size), BitVector(size)};
    live_in_[&block] = BitVector(size);
  }
  const auto number = [&](const Value* value) -> int {
    const auto* instruction = dyn_cast<Instruction>(value);
    const auto found = instruction ? number_.find(instruction) : number_.end();
    return found == number_.end() ? -1 : static_cast<int>(found->second);
  };
  for (BasicBlock& block : function) {
    Facts& here = facts[&block];
    for (Instruction& instruction : block) {
      if (auto* phi = dyn_cast<PHINode>(&instruction)) {
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          if (const int n = number(phi->getIncomingValue(i)); n >= 0)
            facts[phi->getIncomingBlock(i)].live_out.set(n);
      } else {
        for (const Use& use : instruction.operands())
          if (const int n = number(use); n >= 0 && !here.made.test(n)) here.used.set(n);
      }
      if (const int n = number(&instruction); n >= 0) here.made.set(n);
    }
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock* block : post_order(&function)) {
      Facts& here = facts[block];
      BitVector live = here.live_out;  // for phis of the successors
      for (BasicBlock* next : successors(block)) live |= live_in_[next];
      live.reset(here.made);
      live |= here.used;
      if (live != live_in_[block]) live_in_[block] = std::move(live), changed = true;
    }
  }
}

std::vector<Instruction*> LiveValues::at(const BasicBlock& block) const {
  std::vector<Instruction*> live;
  for (const unsigned n : live_in_.find(&block)->second.set_bits()) live.push_back(values_[n]);
  return live;
}

bool LiveValues::is_live_at(const Instruction& value, const BasicBlock& block) const {
  const auto n = number_.find(&value);
  return n != number_.end() && live_in_.find(&block)->second.test(n->second);
}

}  // namespace kasoku::embedded
