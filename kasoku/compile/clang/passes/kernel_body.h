/// \file kasoku/compile/clang/passes/kernel_body.h
/// Gives a kernel another body, for passes that find out only at their end whether their work is of use.
#pragma once

namespace llvm {
class Function;
}

namespace kasoku::embedded {

/// Gives `kernel` the body of `copy`, a clone of it, which is gone afterwards.
void take_body(llvm::Function& kernel, llvm::Function& copy);

}  // namespace kasoku::embedded
