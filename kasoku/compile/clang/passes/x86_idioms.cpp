#include "kasoku/compile/clang/passes/x86_idioms.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace kasoku::embedded {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// x * (c << 32) of 64-bit lanes, to which (x * c) << 32 was folded. As a product it takes three
/// multiplications; as a shift it is one, and in counter-based generators x * c is there already.
Value* shifted_product(Instruction& instruction) {
  Value* x;
  const APInt* factor;
  if (!instruction.getType()->isVectorTy() || instruction.getType()->getScalarSizeInBits() != 64 ||
      !match(&instruction, m_Mul(m_Value(x), m_APInt(factor))) || factor->countr_zero() < 32 ||
      factor->isPowerOf2())
    return nullptr;
  IRBuilder<> build(&instruction);
  Type* type = instruction.getType();
  Value* low = build.CreateAnd(x, ConstantInt::get(type, 0xffffffff));
  return build.CreateShl(build.CreateMul(low, ConstantInt::get(type, factor->lshr(32))), 32);
}

/// sum + zext(mask) counts with the mask made a vector; a masked addition takes it as it is.
Value* masked_count(Instruction& instruction) {
  Value *sum, *mask;
  if (!instruction.getType()->isVectorTy() ||
      !(match(&instruction, m_c_Add(m_OneUse(m_ZExt(m_Value(mask))), m_Value(sum))) ||
        match(&instruction, m_Sub(m_Value(sum), m_OneUse(m_SExt(m_Value(mask)))))) ||
      !mask->getType()->isIntOrIntVectorTy(1))
    return nullptr;
  IRBuilder<> build(&instruction);
  return build.CreateSelect(mask, build.CreateAdd(sum, ConstantInt::get(instruction.getType(), 1)), sum);
}

}  // namespace

PreservedAnalyses IdiomsPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    Value* better = shifted_product(instruction);
    if (!better && has_masks_) better = masked_count(instruction);
    if (!better) continue;
    instruction.replaceAllUsesWith(better);
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
