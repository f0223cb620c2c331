/// \file kasoku/compile/clang/passes/interleaved_access.h
/// Loops over threads of which each does the same to several numbers side by side, as
/// `y[i].x += a * x[i].x; …` does with float4: the numbers of all threads are one row, and
/// the loop goes over that. As vectors of threads they would have to be taken apart.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class SideBySidePass : public llvm::PassInfoMixin<SideBySidePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
