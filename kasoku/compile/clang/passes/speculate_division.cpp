#include "kasoku/compile/clang/passes/speculate_division.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Makes a division safe that would fault; nobody uses its quotient.
void make_safe(IRBuilder<>& build, BinaryOperator& division) {
  Value *of = build.CreateFreeze(division.getOperand(0)), *by = build.CreateFreeze(division.getOperand(1));
  Type* type = by->getType();
  Value* faults = build.CreateICmpEQ(by, Constant::getNullValue(type));
  const bool is_signed = division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
  if (is_signed) {
    Value* least = ConstantInt::get(type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value* overflows = build.CreateAnd(build.CreateICmpEQ(of, least),
                                       build.CreateICmpEQ(by, Constant::getAllOnesValue(type)));
    faults = build.CreateOr(faults, overflows);
  }
  division.setOperand(0, of);
  division.setOperand(1, build.CreateSelect(faults, ConstantInt::get(type, 1), by));
  if (isa<PossiblyExactOperator>(division)) division.setIsExact(false);
}

bool leave(Loop& loop, const LoopInfo& loops) {
  BasicBlock* before = loop.getLoopPreheader();
  if (!before) return false;
  bool changed = false;
  LoopBlocksRPO order(&loop);
  order.perform(const_cast<LoopInfo*>(&loops));
  for (BasicBlock* block : order)
    for (Instruction& instruction : make_early_inc_range(*block)) {
      if (isa<PHINode>(instruction) || !loop.hasLoopInvariantOperands(&instruction)) continue;
      if (auto* division = dyn_cast<BinaryOperator>(&instruction); division && division->isIntDivRem()) {
        IRBuilder<> build(before->getTerminator());
        make_safe(build, *division);
      } else if (instruction.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&instruction)) {
        continue;
      }
      instruction.moveBefore(before->getTerminator());
      instruction.dropUBImplyingAttrsAndMetadata();
      changed = true;
    }
  return changed;
}

}  // namespace

PreservedAnalyses SpeculateDivisionPass::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  const auto preorder = loops.getLoopsInPreorder();
  for (Loop* loop : preorder) changed |= leave(*loop, loops);  // as far out as it goes, at once
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
