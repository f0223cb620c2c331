/// \file kasoku/compile/clang/passes/rare_calls.h
/// What few elements need, in loops that become vectors: calls of functions named `ks_rare_…`, behind a condition.
///
/// LLVM's vectoriser would compute both sides of the condition for all lanes, or not make vectors at all. So it is
/// told, before, that there is a masked form of each width; afterwards a call of one is made where a lane's mask is
/// set and nowhere else, one test for a vector, and the form calls the function for each such lane.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class OfferMaskedFormsPass : public llvm::PassInfoMixin<OfferMaskedFormsPass> {
 public:
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

class RareCallsPass : public llvm::PassInfoMixin<RareCallsPass> {
 public:
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
