#include "kasoku/compile/clang/passes/unroll_scalars.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr unsigned at_once = 4;
constexpr unsigned most_instructions = 16;  // of a longer thread the loop's own part is small

bool is_cheap(const Instruction& instruction) {
  if (isa<CallBase>(instruction)) return isa<IntrinsicInst>(instruction);
  if (instruction.isAtomic() || instruction.isIntDivRem()) return false;  // they take longer than the whole rest
  return !instruction.getType()->isVectorTy();
}

/// Stores at a place that is data: those loops never become vectors, and a processor has room beside them.
bool scatters(const BasicBlock& body, const Loop& loop) {
  return any_of(body, [&](const Instruction& instruction) {
    const auto* store = dyn_cast<StoreInst>(&instruction);
    const auto* place = store ? dyn_cast<GetElementPtrInst>(store->getPointerOperand()) : nullptr;
    return place && any_of(place->indices(), [&](const Value* index) {
      if (const auto* cast = dyn_cast<CastInst>(index)) index = cast->getOperand(0);
      return isa<LoadInst>(index) && !loop.isLoopInvariant(index);
    });
  });
}

bool gains(const Loop& loop, ScalarEvolution& evolution) {
  if (!loop.isInnermost() || loop.getNumBlocks() != 1 || !findOptionMDForLoop(&loop, "llvm.loop.unroll.disable") ||
      !findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses"))
    return false;
  const BasicBlock& body = *loop.getHeader();
  return body.sizeWithoutDebug() <= most_instructions && all_of(body, is_cheap) && scatters(body, loop) &&
         !isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop));
}

}  // namespace

PreservedAnalyses UnrollScalarsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!gains(*loop, analyses.getResult<ScalarEvolutionAnalysis>(function))) continue;
    MDNode* words = makePostTransformationMetadata(function.getContext(), loop->getLoopID(), {"llvm.loop.unroll."}, {});
    loop->setLoopID(words);
    addStringMetadataToLoop(loop, "llvm.loop.unroll.count", at_once);
  }
  return PreservedAnalyses::all();
}

}  // namespace kasoku::embedded
