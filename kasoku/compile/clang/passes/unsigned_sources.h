/// \file kasoku/compile/clang/passes/unsigned_sources.h
/// Unsigned numbers that become floats are 64-bit ones before LLVM's SLP vectoriser sees them.
///
/// It computes neighbouring numbers in as few bits as they need (`p[i] - 10u` of bytes in 8, with a
/// sign), and then converts these few bits as if they had none (seen with LLVM 19): 247 instead of
/// 4294967287. Widening it gets right.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class UnsignedSourcesPass : public llvm::PassInfoMixin<UnsignedSourcesPass> {
 public:
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
