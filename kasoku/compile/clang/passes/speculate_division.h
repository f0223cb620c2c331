/// \file kasoku/compile/clang/passes/speculate_division.h
/// Divisions whose operands do not change in a loop leave it, also from behind a condition.
///
/// LLVM's loop vectoriser takes such a division for one of the first lane's: behind a condition it
/// then divides only if the first lane is there, and all lanes use a result that was not computed
/// (seen with LLVM 19). Other passes leave the division where it is, as it
/// might divide by zero; this one divides by 1 instead then, and nobody uses the result.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class SpeculateDivisionPass : public llvm::PassInfoMixin<SpeculateDivisionPass> {
 public:
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
