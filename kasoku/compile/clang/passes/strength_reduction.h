/// \file kasoku/compile/clang/passes/strength_reduction.h
/// Which loops gain by LLVM's loop strength reduction. It takes a seventh to a fifth of a small
/// kernel's compile, and most loops step through arrays in ways that x86 addresses anyway.
#pragma once

namespace llvm {
class Function;
class Loop;
class LoopInfo;
}

namespace kasoku::embedded {

/// For a loop without loops inside of it; what others compute once for many passes is not looked at.
bool gains_by_strength_reduction(const llvm::Loop& loop, const llvm::LoopInfo& loops);

/// Cuts long sums of scalars: LLVM tries each three terms of a sum as an address of their own, and of 192
/// terms, which unrolled loops leave, it tries millions.
void cut_sums(llvm::Function& function);

}  // namespace kasoku::embedded
