/// \file kasoku/compile/clang/passes/widen.h
/// Vectorises loops over threads that have loops within, which LLVM's vectoriser does not.
///
/// `for (k…) sum += a[row * n + k] * b[k * n + col]` in each thread: run thread by thread, b
/// is read down its columns. Here several vectors of threads go through the inner loop
/// together, their sums in registers. A branch within is the same for all threads, or goes round
/// something that only reads and computes: then loads have masks, and who did not take part keeps
/// what he had. Threads beyond the last full vector keep the loop as it was.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class WidenThreadsPass : public llvm::PassInfoMixin<WidenThreadsPass> {
 public:
  /// `lanes` is the number of threads in a vector; 0 for as many as the target's registers hold.
  explicit WidenThreadsPass(unsigned lanes) : lanes_(lanes) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  unsigned lanes_;
};

}  // namespace kasoku::embedded
