/// \file kasoku/compile/clang/passes/combine_atomics.h
/// Integer atomics of all threads on one address become one for the loop over them.
///
/// `if (keep) atomicAdd(count, 1);` is a locked instruction a thread, and keeps the loop
/// from being vectorised. Where nobody asks for what was there before, and a thread looks
/// at nothing afterwards, the loop may sum up and add once. Floating sums stay as they
/// are: their order is said.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace llvm {
class AtomicRMWInst;
class BasicBlock;
class Function;
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

/// Finds what can be combined in one loop over threads, before the loop's values are stored for later regions.
std::vector<llvm::AtomicRMWInst*> find_combinable_atomics(
    llvm::ArrayRef<llvm::BasicBlock*> loop);

/// Adds in registers and does one atomic operation after the loop. `before` and `after` stand around the loop,
/// `once` is where the function begins.
void combine_atomics(llvm::ArrayRef<llvm::AtomicRMWInst*> atomics, llvm::BasicBlock& once,
                     llvm::IRBuilderBase& before, llvm::IRBuilderBase& after);

}  // namespace kasoku::embedded
