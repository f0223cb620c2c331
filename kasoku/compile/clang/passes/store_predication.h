/// \file kasoku/compile/clang/passes/store_predication.h
/// Stores to shared memory that a condition leaves out for some threads become stores by all.
///
/// `if (a > b) s[t] = b;` where the thread has read s[t] before: a vector of threads would need
/// a masked store, which on AVX2 costs ten plain ones. The others write back what they have
/// read: nobody else writes there between two barriers, or they could not have read it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class WholeStoresPass : public llvm::PassInfoMixin<WholeStoresPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
