/// \file kasoku/compile/clang/passes/short_numbers.h
/// Puts numbers into forms in which LLVM's SLP vectoriser counts their bits rightly.
///
/// It computes neighbouring numbers in as few bits as they need, and takes these for unsigned or signed where they are
/// not (seen with LLVM 19):
/// - `p[i] - 10u` of bytes, in 8 bits with a sign, becomes the float 247 instead of 4294967287. Such numbers are widened
///   to 64 bits before, which it gets right.
/// - The least or greatest of numbers that are never negative, and signed comparisons of them, are signed in 8 bits too:
///   200 is less than 100. They are made unsigned.
/// - A number that is never negative and one that may be are compared in 8 bits both: 255 equals -1. They are frozen,
///   so that nothing is known of their bits.
#pragma once

#include "llvm/IR/PassManager.h"

namespace kasoku::embedded {

class ShortNumbersPass : public llvm::PassInfoMixin<ShortNumbersPass> {
 public:
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kasoku::embedded
