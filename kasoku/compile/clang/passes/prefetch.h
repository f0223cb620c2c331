/// \file kasoku/compile/clang/passes/prefetch.h
/// Rows of threads that jump through memory ask for the rows of the next passes.
///
/// A block with memory of its own takes a grid-stride loop pass by pass: a few cache lines here,
/// the next ones a whole grid further, where no processor looks ahead by itself. What the row
/// of threads will load two passes later is asked for before the row is run; to ask for memory
/// that is not there is allowed.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

/// Prefetches in loops over threads that stand right inside of a loop whose step is known at run time only.
class FetchAheadPass : public llvm::PassInfoMixin<FetchAheadPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
