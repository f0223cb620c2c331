#include "kasoku/compile/clang/passes/short_numbers.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

bool is_never_negative(const Value* number, const DataLayout& layout) {
  return isKnownNonNegative(number, SimplifyQuery(layout));
}

// The conversion of a number that fewer bits with a sign hold, in another form; null of others.
Value* widened(UIToFPInst& conversion, const DataLayout& layout) {
  Value* number = conversion.getOperand(0);
  if (ComputeNumSignBits(number, layout) == 1 || is_never_negative(number, layout)) return nullptr;
  IRBuilder<> build(&conversion);
  // Of a frozen number nothing is known, also not that fewer bits would do.
  if (number->getType()->getIntegerBitWidth() >= 64)
    return build.CreateUIToFP(build.CreateFreeze(number), conversion.getType());
  return build.CreateSIToFP(build.CreateZExt(number, build.getInt64Ty()), conversion.getType());
}

// The lesser or greater of two numbers without signs, in another form; null of others.
Value* compared_as_unsigned(MinMaxIntrinsic& most, const DataLayout& layout) {
  if (!most.isSigned()) return nullptr;
  Value *one = most.getLHS(), *other = most.getRHS();
  if (!is_never_negative(one, layout) || !is_never_negative(other, layout)) return nullptr;
  const bool is_least = most.getIntrinsicID() == Intrinsic::smin;
  return IRBuilder<>(&most).CreateBinaryIntrinsic(is_least ? Intrinsic::umin : Intrinsic::umax, one, other);
}

// A comparison of numbers of which both, or one, are never negative, in another form; null of others.
Value* compared_otherwise(ICmpInst& comparison, const DataLayout& layout) {
  Value *one = comparison.getOperand(0), *other = comparison.getOperand(1);
  if (!one->getType()->isIntegerTy() || isa<Constant>(one) || isa<Constant>(other)) return nullptr;
  const bool first = is_never_negative(one, layout), second = is_never_negative(other, layout);
  IRBuilder<> build(&comparison);
  if (first && second)
    return comparison.isSigned()
               ? build.CreateICmp(ICmpInst::getUnsignedPredicate(comparison.getPredicate()), one, other)
               : nullptr;
  if (first == second || ComputeNumSignBits(one, layout) == 1 || ComputeNumSignBits(other, layout) == 1) return nullptr;
  return build.CreateICmp(comparison.getPredicate(), build.CreateFreeze(one), build.CreateFreeze(other));
}

Value* in_another_form(Instruction& instruction, const DataLayout& layout) {
  if (instruction.getType()->isVectorTy()) return nullptr;
  if (auto* conversion = dyn_cast<UIToFPInst>(&instruction)) return widened(*conversion, layout);
  if (auto* comparison = dyn_cast<ICmpInst>(&instruction)) return compared_otherwise(*comparison, layout);
  if (auto* most = dyn_cast<MinMaxIntrinsic>(&instruction)) return compared_as_unsigned(*most, layout);
  return nullptr;
}

}  // namespace

PreservedAnalyses ShortNumbersPass::run(Function& function, FunctionAnalysisManager&) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (BasicBlock& block : function)
    for (Instruction& instruction : make_early_inc_range(block))
      if (Value* other = in_another_form(instruction, layout)) {
        instruction.replaceAllUsesWith(other);
        instruction.eraseFromParent();
        changed = true;
      }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
