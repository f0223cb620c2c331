#include "kasoku/compile/clang/passes/widen.h"

#include "kasoku/compile/clang/passes/widener.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

bool is_of_threads(const Loop& loop) {
  return !loop.isInnermost() && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") &&
         !findOptionMDForLoop(&loop, "llvm.loop.vectorize.enable") &&
         !findOptionMDForLoop(&loop, "llvm.loop.isvectorized");
}

// The number of vectors: enough to hide the latency of what they carry, and no more than registers hold.
unsigned parts_for(const WidenFacts& facts, unsigned lanes, uint64_t threads, bool is_512) {
  if (facts.has_rows() && !facts.gathers() && facts.carried() == 1) return 8;
  unsigned parts = facts.gathers() || facts.carried() > (is_512 ? 8 : 4) ? 1
                   : facts.carried() > (is_512 ? 4 : 2)                 ? 2
                                                                        : 4;
  while (parts > 1 && uint64_t{lanes} * parts > threads) parts /= 2;
  return parts;
}

}  // namespace

PreservedAnalyses WidenThreadsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  SmallPtrSet<BasicBlock*, 8> seen;
  while (true) {
    auto& loops = analyses.getResult<LoopAnalysis>(function);
    Loop* next = nullptr;
    for (Loop* loop : loops.getLoopsInPreorder())
      if (!next && is_of_threads(*loop) && seen.insert(loop->getHeader()).second) next = loop;
    if (!next) break;
    auto& tree = analyses.getResult<DominatorTreeAnalysis>(function);
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    auto& assumptions = analyses.getResult<AssumptionAnalysis>(function);
    simplifyLoop(next, &tree, &loops, &evolution, &assumptions, nullptr, false);
    formLCSSARecursively(*next, tree, &loops, &evolution);
    if (!next->getLoopPreheader() || !next->hasDedicatedExits()) continue;
    const SCEV* taken = evolution.getBackedgeTakenCount(next);
    if (isa<SCEVCouldNotCompute>(taken) || !taken->getType()->isIntegerTy()) continue;
    const auto& target = analyses.getResult<TargetIRAnalysis>(function);
    const uint64_t bits =
        target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    WidenFacts facts(*next, loops, evolution, lanes_ ? lanes_ : bits / 32);
    if (!facts.can_widen()) continue;
    unsigned lanes = lanes_ ? lanes_ : bits / 8 / facts.widest_bytes();
    uint64_t threads = 1024;
    if (const unsigned most = evolution.getSmallConstantMaxTripCount(next)) threads = std::min<uint64_t>(threads, most);
    while (lanes > 4 && lanes > threads) lanes /= 2;
    if (lanes < 2 || lanes > threads) continue;
    SCEVExpander expander(evolution, function.getParent()->getDataLayout(), "threads");
    Instruction* before = next->getLoopPreheader()->getTerminator();
    if (!expander.isSafeToExpandAt(taken, before)) continue;
    Value* count = expander.expandCodeFor(taken, taken->getType(), before);
    count = IRBuilder<>(before).CreateAdd(count, ConstantInt::get(count->getType(), 1), "threads");
    Widener(*next, loops, facts, lanes, parts_for(facts, lanes, threads, bits >= 512)).run(count);
    addStringMetadataToLoop(next, "llvm.loop.isvectorized", 1);
    changed = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  if (!changed) return PreservedAnalyses::all();
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  LoopPassManager hoist;
  hoist.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
  passes.run(function, analyses);
  return PreservedAnalyses::none();
}

}  // namespace kasoku::embedded
