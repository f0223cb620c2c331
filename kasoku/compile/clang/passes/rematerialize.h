/// \file kasoku/compile/clang/passes/rematerialize.h
/// Computes cheap values again where they are used after a cut, instead of
/// keeping them for each thread: addresses and indices made of threadIdx.
#pragma once

#include "kasoku/compile/clang/passes/split_at_syncs.h"

#include <functional>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
}  // namespace llvm

namespace kasoku::embedded {

/// Whether computing a value twice costs less than keeping it. Such an instruction never has an effect.
bool is_cheap(const llvm::Instruction& instruction);

/// Computes cheap values again behind a cut. `is_uniform_at` says whether all threads would have one value there.
void rematerialize(llvm::Function& kernel, const std::vector<SyncPoint>& syncs,
                   const std::function<bool(const llvm::Instruction&, const llvm::BasicBlock& at)>& is_uniform_at);

}  // namespace kasoku::embedded
