#include "kasoku/compile/clang/passes/late_failures.h"

#include "kasoku/compile/clang/passes/intrinsics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

bool is_over_threads(const Loop& loop) {
  return loop.isInnermost() && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") &&
         loop.isLoopSimplifyForm() && loop.getExitBlock() && loop.getExitingBlock() == loop.getLoopLatch();
}

SmallVector<CallInst*> failures_in(const Loop& loop) {
  SmallVector<CallInst*> out;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block)
      if (auto* call = dyn_cast<CallInst>(&instruction))
        if (ends_thread(*call) && all_of(call->args(), [](const Use& use) { return isa<Constant>(use); }))
          out.push_back(call);
  return out;
}

/// Two variables, which become values at once: whether this thread has failed, and whether any has.
struct Flags {
  AllocaInst *own, *any;
};

Flags move_behind(CallInst& call, const Loop& loop) {
  Function& function = *call.getFunction();
  IRBuilder<> build(&*function.getEntryBlock().getFirstInsertionPt());
  const Flags flags{build.CreateAlloca(build.getInt32Ty()), build.CreateAlloca(build.getInt32Ty())};
  build.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
  build.CreateStore(build.getInt32(0), flags.any);
  build.SetInsertPoint(&*loop.getHeader()->getFirstInsertionPt());
  build.CreateStore(build.getInt32(0), flags.own);
  build.SetInsertPoint(&call);
  build.CreateStore(build.getInt32(1), flags.own);
  build.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  build.CreateStore(build.CreateOr(build.CreateLoad(build.getInt32Ty(), flags.any),
                                   build.CreateLoad(build.getInt32Ty(), flags.own)), flags.any);
  BasicBlock* exit = loop.getExitBlock();
  build.SetInsertPoint(&*exit->getFirstInsertionPt());
  Value* failed = build.CreateICmpNE(build.CreateLoad(build.getInt32Ty(), flags.any), build.getInt32(0));
  Instruction* then = SplitBlockAndInsertIfThen(failed, &*build.GetInsertPoint(), /*Unreachable=*/false);
  call.moveBefore(then);
  return flags;
}

}  // namespace

PreservedAnalyses LateFailuresPass::run(Function& function, FunctionAnalysisManager& analyses) {
  SmallVector<std::pair<Loop*, SmallVector<CallInst*>>> found;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (is_over_threads(*loop))
      if (auto calls = failures_in(*loop); !calls.empty()) found.push_back({loop, std::move(calls)});
  if (found.empty()) return PreservedAnalyses::all();
  SmallVector<AllocaInst*> variables;
  for (auto& [loop, calls] : found)
    for (CallInst* call : calls) {
      const Flags flags = move_behind(*call, *loop);
      variables.append({flags.own, flags.any});
    }
  DominatorTree dominators(function);
  PromoteMemToReg(variables, dominators);
  return PreservedAnalyses::none();
}

}  // namespace kasoku::embedded
