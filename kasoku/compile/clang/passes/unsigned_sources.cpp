#include "kasoku/compile/clang/passes/unsigned_sources.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Whether fewer bits with a sign hold it: those are what the vectoriser takes for unsigned.
bool is_short_with_a_sign(const Value& number, const DataLayout& layout) {
  return ComputeNumSignBits(&number, layout) > 1 && !isKnownNonNegative(&number, SimplifyQuery(layout));
}

Value* widened(UIToFPInst& conversion) {
  IRBuilder<> build(&conversion);
  Value* number = conversion.getOperand(0);
  Type* wide = build.getInt64Ty();
  // Of a frozen number nothing is known, also not that fewer bits would do.
  if (number->getType()->getIntegerBitWidth() >= 64)
    return build.CreateUIToFP(build.CreateFreeze(number), conversion.getType());
  return build.CreateSIToFP(build.CreateZExt(number, wide), conversion.getType());
}

}  // namespace

PreservedAnalyses UnsignedSourcesPass::run(Function& function, FunctionAnalysisManager&) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (BasicBlock& block : function)
    for (Instruction& instruction : make_early_inc_range(block)) {
      auto* conversion = dyn_cast<UIToFPInst>(&instruction);
      if (!conversion || conversion->getType()->isVectorTy()) continue;
      if (!is_short_with_a_sign(*conversion->getOperand(0), layout)) continue;
      conversion->replaceAllUsesWith(widened(*conversion));
      conversion->eraseFromParent();
      changed = true;
    }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
