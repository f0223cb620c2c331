/// \file kasoku/compile/clang/passes/late_failures.h
/// An assertion in a loop over threads is told behind the loop.
///
/// A call keeps LLVM from making a vector of the loop, and `assert` is one, on a way that is hardly
/// ever taken. Whether some thread takes it is a bit that each carries on to the next; the call
/// itself, which names no thread, stands behind the loop.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class LateFailuresPass : public llvm::PassInfoMixin<LateFailuresPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
