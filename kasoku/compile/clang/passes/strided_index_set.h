/// \file kasoku/compile/clang/passes/strided_index_set.h
/// `if (t % 8 == 0) …` in a loop over threads: those for whom it does not hold are stepped over.
///
/// As a vector such a loop has masked stores, which on AVX2 cost ten plain ones, for threads most of
/// which do nothing. A loop that goes on by 8 does what is left.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class StepOverPass : public llvm::PassInfoMixin<StepOverPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
