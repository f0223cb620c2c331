/// \file kasoku/compile/clang/passes/whole_rows.h
/// Vectors of the parts of records that lie one behind the other, as of complex numbers: each part would be gathered
/// or scattered element by element, but all parts of all lanes are one row of memory, which is read or written at once
/// and taken apart in registers. LLVM's own way of it is not used, see `initialize_llvm()`.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class WholeRowsPass : public llvm::PassInfoMixin<WholeRowsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
