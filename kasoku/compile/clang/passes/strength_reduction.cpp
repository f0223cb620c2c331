#include "kasoku/compile/clang/passes/strength_reduction.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

/// Whether an address is base + index * (1, 2, 4 or 8) with both at hand, and so costs nothing beside the load or
/// store.
bool is_addressed(const GetElementPtrInst& place, const Loop& loop, const DataLayout& layout) {
  if (place.hasAllConstantIndices()) return true;
  if (!loop.isLoopInvariant(place.getPointerOperand()) || place.getNumIndices() != 1) return false;
  const TypeSize size = layout.getTypeAllocSize(place.getSourceElementType());
  return size == 1 || size == 2 || size == 4 || size == 8;
}

bool has_vectors(const Loop& loop) {
  return any_of(loop.blocks(), [](const BasicBlock* block) {
    return any_of(*block, [](const Instruction& instruction) {
      return instruction.getType()->isVectorTy() ||
             (isa<StoreInst>(instruction) && instruction.getOperand(0)->getType()->isVectorTy());
    });
  });
}

/// Whether it does what a loop over vectors leaves: few passes, whatever they compute.
bool is_rest(const Loop& loop, const LoopInfo& loops) {
  if (!getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized")) return false;
  SmallVector<const BasicBlock*, 8> before(predecessors(loop.getHeader()));
  for (int distance = 0; distance < 2; ++distance) {  // behind the vectors' loop, and where the ways to this one meet
    SmallVector<const BasicBlock*, 8> earlier;
    for (const BasicBlock* block : before)
      if (!loop.contains(block)) earlier.append(pred_begin(block), pred_end(block));
    before = std::move(earlier);
    for (const BasicBlock* block : before) {
      const Loop* other = loops.getLoopFor(block);
      if (other && other != &loop && other->isInnermost() && has_vectors(*other)) return true;
    }
  }
  return false;
}

}  // namespace

bool gains_by_strength_reduction(const Loop& loop, const LoopInfo& loops) {
  const DataLayout& layout = loop.getHeader()->getModule()->getDataLayout();
  const bool vectors = has_vectors(loop);
  if (!vectors && is_rest(loop, loops)) return false;
  if (loop.getNumBlocks() > 1) return true;  // its checks may share what addresses are made of
  unsigned steps = 0, sums = 0;
  for (const PHINode& phi : loop.getHeader()->phis())
    steps += phi.getType()->isIntegerTy() || phi.getType()->isPointerTy();
  for (const Instruction& instruction : *loop.getHeader()) {
    if (const auto* place = dyn_cast<GetElementPtrInst>(&instruction)) {
      if (!place->getType()->isVectorTy() && !is_addressed(*place, loop, layout)) return true;
      continue;
    }
    if (!instruction.getType()->isIntegerTy() || instruction.getType()->isIntegerTy(1)) continue;
    if (isa<PHINode>(instruction) || isa<LoadInst>(instruction)) continue;
    const auto* bits = dyn_cast<PossiblyDisjointInst>(&instruction);
    const bool is_sum = instruction.getOpcode() == Instruction::Add || instruction.getOpcode() == Instruction::Sub ||
                        (bits && bits->isDisjoint());
    if (!is_sum) return true;
    sums += !isa<Constant>(instruction.getOperand(1));
  }
  // Two additions for eight elements are hidden behind the loads; for one element they are not.
  return vectors ? steps > 2 || sums > 2 : steps > 1 || sums > 0;
}

void cut_sums(Function& function) {
  constexpr unsigned most = 8;
  DenseMap<const Value*, unsigned> terms;
  const auto terms_of = [&](const Value* value) -> unsigned {
    if (isa<Constant>(value)) return 0;
    const auto found = terms.find(value);
    return found == terms.end() ? 1 : found->second;
  };
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function))
    for (Instruction& at : *block) {
      if (!at.getType()->isIntegerTy()) continue;
      const auto* bits = dyn_cast<PossiblyDisjointInst>(&at);
      const unsigned opcode = at.getOpcode();
      if (isa<CastInst>(at)) {
        if (at.getOperand(0)->getType()->isIntegerTy()) terms[&at] = terms_of(at.getOperand(0));
      } else if ((opcode == Instruction::Mul || opcode == Instruction::Shl) && isa<Constant>(at.getOperand(1))) {
        terms[&at] = terms_of(at.getOperand(0));
      } else if (opcode == Instruction::Add || opcode == Instruction::Sub || (bits && bits->isDisjoint())) {
        unsigned counts[2] = {terms_of(at.getOperand(0)), terms_of(at.getOperand(1))};
        while (counts[0] + counts[1] > most) {
          const unsigned longer = counts[1] > counts[0];
          Value* const whole = at.getOperand(longer);
          if (!isa<Instruction>(whole)) break;
          // What is frozen is one value to LLVM, and no instruction to the processor.
          at.setOperand(longer, new FreezeInst(whole, "", at.getIterator()));
          counts[longer] = 1;
        }
        terms[&at] = counts[0] + counts[1];
      }
    }
}

}  // namespace kasoku::embedded
