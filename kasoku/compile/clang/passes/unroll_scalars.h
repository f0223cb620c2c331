/// \file kasoku/compile/clang/passes/unroll_scalars.h
/// Loops over threads that did not become vectors go four threads at a time.
///
/// A histogram's thread is a load and an addition at a place that is data: the loop's own counter,
/// comparison and branch are a third of what it does.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

/// Asks LLVM's unroller, which runs later, for small loops of one block; others stay as they are.
class UnrollScalarsPass : public llvm::PassInfoMixin<UnrollScalarsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
