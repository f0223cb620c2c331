/// \file kasoku/compile/clang/passes/x86_idioms.h
/// The last rewriting before code generation: forms that LLVM's simplifier prefers and its x86
/// code generator makes more of than is needed.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class IdiomsPass : public llvm::PassInfoMixin<IdiomsPass> {
 public:
  explicit IdiomsPass(bool has_masks) : has_masks_(has_masks) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  bool has_masks_;  ///< AVX-512: a comparison is a mask register
};

}  // namespace kasoku::embedded
